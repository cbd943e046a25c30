"""Shared by several test files: ensembles and points with a known truth, and waiting for processes."""

import time
from contextlib import contextmanager
from subprocess import Popen

import numpy as np
from hypothesis import strategies as st

from pluribus import Ensemble

PATIENCE = 600  # seconds until a test gives up on a job; a busy machine may need most of them


# Strehl and Ghosh's example: seven objects, four partitions, the last of them incomplete.
SEVEN = [[1, 1, 1, 2, 2, 3, 3], [2, 2, 2, 3, 3, 1, 1], [1, 1, 2, 2, 3, 3, 3], [1, 2, None, 1, 2, None, None]]


def noisy_members(truth, r, noise, *, pieces=1, missing=0.0, rng):
    """Labels of r partitions, a column each, that err and that each number the clusters in their own way.

    ``noise`` is the share of wrong labels, of all partitions or of each. If there are several ``pieces``, every
    partition splits every cluster at random. Labels are missing from all partitions except the first.
    """
    k = (truth.max() + 1) * pieces
    labels = np.column_stack([rng.permutation(k)[_split(truth, pieces, rng)] for _ in range(r)])
    labels = np.where(rng.random(labels.shape) < noise, rng.integers(k, size=labels.shape), labels)
    labels[:, 1:] = np.where(rng.random((len(labels), r - 1)) < missing, -1, labels[:, 1:])
    return labels


def _split(truth, pieces, rng):
    return truth if pieces == 1 else truth * pieces + rng.integers(pieces, size=len(truth))


def planted(n, r, k, noise, *, shares=None, pieces=1, missing=0.0, seed=0):
    """True labels of n objects in k clusters, with these shares of the objects, and ``noisy_members`` of them."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(k, n, p=shares)
    return truth, noisy_members(truth, r, noise, pieces=pieces, missing=missing, rng=rng)


def renamed(labels, seed=0):
    """The same partitions, a column each, with other names for their clusters."""
    rng = np.random.default_rng(seed)
    names = np.arange(3, np.max(labels) + 44)  # the last of them, at -1, is replaced
    return np.column_stack([np.append(rng.permutation(names)[:-1], -1)[column] for column in np.asarray(labels).T])


def random_ensemble(seed, n=40, r=6, k=4, missing=0.0, weighted=False):
    """Labels without any structure."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, k, (n, r))
    labels[rng.random((n, r)) < missing] = -1
    labels[(labels < 0).all(axis=1), 0] = 0
    labels[:2] = 0
    return Ensemble(labels, weights=rng.random(r) + 0.1 if weighted else None)


@st.composite
def ensembles(draw, n=(2, 20), r=(1, 6), k=(1, 5), missing=True, weighted=True):
    """Ensembles of random labels, for hypothesis: with missing labels and weights now and then."""
    n_objects, n_members = draw(st.integers(*n)), draw(st.integers(*r))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    labels = rng.integers(0, rng.integers(*k, endpoint=True), (n_objects, n_members))
    if missing and draw(st.booleans()):
        labels = np.where(rng.random(labels.shape) < 0.4, -1, labels)
        labels[:, 0] = np.maximum(labels[:, 0], 0)  # every object is in a partition
        labels[0] = np.maximum(labels[0], 0)  # no partition is empty
    weights = rng.choice([0.1, 0.2, 0.3, 0.7, 1 / 3], n_members) if weighted and draw(st.booleans()) else None
    return Ensemble(labels, weights=weights)


def uneven_blobs():
    """400 points in 4 clusters, most of them in the first, and their clusters."""
    rng = np.random.default_rng(0)
    y = rng.choice(4, 400, p=[0.6, 0.25, 0.1, 0.05])
    return 3 * rng.normal(size=(4, 5))[y] + rng.normal(size=(400, 5)), y


@contextmanager
def started(command, **options):
    """A process, killed at the latest when the block is left."""
    with Popen(command, **options) as job:
        try:
            yield job
        finally:
            job.kill()


def wait_until(condition, job):
    """Wait for a condition that a process will fulfil."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert job.poll() is None, f"the process ended with status {job.returncode} before"
        assert time.monotonic() < deadline, f"not within {PATIENCE} s"
        time.sleep(0.01)
