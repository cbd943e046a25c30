"""Categories of documents at 1,000,000 documents and 1,000 classes: seconds and memory of the fit and of ranking."""

import warnings
from argparse import Namespace
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table
from scipy import sparse

from benchmarks._session import Session
from benchmarks._show import side_by_side
from benchmarks._worker import Task

CLASSES, TERMS, LENGTH = 1_000, 77_000, 100
OWN = 300  # words of a class, half of the words in its documents
_BLOCK = 50_000  # documents made or classified at a time


def documents(n: int) -> tuple[sparse.csr_array, np.ndarray, np.ndarray]:
    """Counts of terms as float32, the classes, and labels of which a tenth is wrong.

    Half of the words of a document are those of its class, the others common; both follow Zipf's law.
    """
    rng = np.random.default_rng(0)
    y = rng.integers(CLASSES, size=n)
    words = rng.integers(TERMS, size=(CLASSES, OWN))
    parts = []
    for start in range(0, n, _BLOCK):
        own = y[start : start + _BLOCK]
        row = np.repeat(np.arange(len(own)), rng.poisson(LENGTH, len(own)))
        common = rng.random(len(row)) < 0.5
        term = np.where(common, _zipf(rng, len(row), TERMS), words[own[row], _zipf(rng, len(row), OWN)])
        ones = np.ones(len(row), np.float32)
        parts.append(sparse.csr_array((ones, (row, term)), shape=(len(own), TERMS)))
    X = sparse.csr_array(sparse.vstack(parts))
    X.sum_duplicates()
    return X, y, np.where(rng.random(n) < 0.1, rng.integers(CLASSES, size=n), y)


def _zipf(rng: np.random.Generator, n: int, most: int) -> np.ndarray:
    """Ranks below ``most``, drawn by Zipf's law."""
    shares = np.cumsum(1 / np.arange(1, most + 1))
    return np.searchsorted(shares, rng.random(n) * shares[-1])


def fit(n: int, jobs: int) -> Task:
    from sklearn.metrics import adjusted_rand_score

    X, y, labels = documents(n)
    model = _model(jobs)
    model.fit(X[:2_000], labels[:2_000] % 3)  # compiles
    _forget_peak()
    return Task(lambda: model.fit(X, labels).labels_, lambda found: {"ari": adjusted_rand_score(y, found)})


def rank(n: int, jobs: int) -> Task:
    X, _, labels = documents(n)
    some = min(n, 100_000)
    model = _model(jobs).fit(X[:some], labels[:some])
    model.rank(X[:10])  # compiles
    _forget_peak()
    return Task(lambda: model.rank(X, 3))


def centroids(n: int) -> Task:
    """The peer: centroids of the classes by scipy, and the nearest of each document."""
    from sklearn.metrics import adjusted_rand_score
    from sklearn.preprocessing import normalize

    X, y, labels = documents(n)

    def classified() -> np.ndarray:
        unit = sparse.csr_array(normalize(X))
        one_hot = sparse.csr_array((np.ones(n, np.float32), (labels, np.arange(n))), shape=(CLASSES, n))
        centers = normalize((one_hot @ unit).toarray()).T.copy()
        blocks = range(0, n, _BLOCK)
        return np.concatenate([(unit[start : start + _BLOCK] @ centers).argmax(axis=1) for start in blocks])

    _forget_peak()
    return Task(classified, lambda found: {"ari": adjusted_rand_score(y, found)})


def _forget_peak() -> None:
    """Making the documents takes more memory than they do: on Linux, count the peak from here on."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def _model(jobs: int) -> Any:
    from pluribus.constrained import CategorySegmentation

    warnings.simplefilter("ignore")  # of small classes
    return CategorySegmentation(n_jobs=jobs, verbose=False)


def run(session: Session, options: Namespace) -> Iterator[Table | str]:
    n = 50_000 if session.quick else 1_000_000
    ours = session.measure("fit", fit, repeat=1, n=n, jobs=session.jobs)
    peer = session.measure("peer: cosine centroids", centroids, repeat=1, n=n)
    ranked = session.measure("rank, 3 categories", rank, repeat=1, n=n, jobs=session.jobs)
    title = f"{n:,} documents of {LENGTH} words, {TERMS:,} terms, {CLASSES:,} classes, {session.jobs} threads"
    yield side_by_side(title, [(ours, [peer]), (ranked, [])])
