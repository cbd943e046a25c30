"""Starts of a descent on memberships: given, or from average link on the evidence of a sample."""

from typing import Any

import numpy as np
from scipy.cluster.hierarchy import linkage as scipy_linkage
from scipy.spatial.distance import squareform

from pluribus._engine import plain_array
from pluribus.consensus._shared.dendrogram import cut_into
from pluribus.partitions._internal import check_membership, encode_labels

_SAMPLE, _LARGEST_SAMPLE = 2_000, 5_000
_CERTAINTY = 0.8  # of a start from labels; less than 1, because a membership of 0 may stay 0


def sample(n: int, k: int, seed: int) -> np.ndarray:
    """A sample of the objects: at most 2,000, more for many clusters."""
    m = min(n, max(_SAMPLE, min(20 * k, _LARGEST_SAMPLE), k))
    return np.arange(n) if m == n else np.sort(np.random.default_rng(seed).choice(n, m, replace=False))


def average_link(C: np.ndarray, k: int) -> np.ndarray:
    """Labels of k clusters by average link on a dense matrix of evidence."""
    if len(C) == 1:
        return np.zeros(1, np.int64)
    dissimilarity = 1 - C
    np.fill_diagonal(dissimilarity, 0)
    return cut_into(scipy_linkage(squareform(dissimilarity, checks=False), "average"), k)


def soften(labels: np.ndarray, k: int) -> np.ndarray:
    """Memberships concentrated on the labels."""
    rest = np.full((len(labels), k), 1 / k)
    if (np.bincount(labels, minlength=k) == 0).sum() > 1:  # two equal empty clusters would stay equal
        rest = np.random.default_rng(0).dirichlet(np.ones(k), len(labels))
    membership = (1 - _CERTAINTY) * rest
    membership[np.arange(len(labels)), labels] += _CERTAINTY
    return membership


def mean_of_groups(membership: np.ndarray, inverse: np.ndarray, n_groups: int) -> np.ndarray:
    """The mean memberships of groups of objects; object i is in group ``inverse[i]``."""
    sizes = np.bincount(inverse, minlength=n_groups)
    sums = [np.bincount(inverse, column, minlength=n_groups) for column in membership.T]
    return np.column_stack(sums) / sizes[:, None]


def check_init(init: Any, n: int, k: int) -> np.ndarray:
    """Memberships to start from, given as such or as labels."""
    init = plain_array("init", init)
    if init.ndim == 1:
        codes, classes = encode_labels(init, "init")
        if len(codes) != n or (codes < 0).any() or len(classes) > k:
            raise ValueError(
                f"init as labels must give each of the {n} objects one of at most {k} clusters; got {len(codes)} "
                f"labels of {len(classes)} clusters, {int((codes < 0).sum())} of them missing."
            )
        return soften(codes, k)
    membership = check_membership(init, "init")
    if membership.shape != (n, k):
        raise ValueError(f"init must have shape ({n}, {k}), objects by clusters; got {membership.shape}.")
    if not membership.any(axis=1).all():
        raise ValueError("init has rows that are all 0; each object needs memberships that sum to 1.")
    if len(np.unique(membership, axis=1).T) < k:
        raise ValueError(
            "init has two clusters with equal memberships, which descent cannot separate. Draw them at random."
        )
    return membership / membership.sum(axis=1, keepdims=True)
