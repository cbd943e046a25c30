"""Which objects partitions disagree on."""

from typing import Any, NamedTuple

import numpy as np

from pluribus._engine import run_tasks
from pluribus.compare._overlap import Overlap
from pluribus.compare._partitions import as_partitions
from pluribus.compare.matching import best_matching
from pluribus.partitions import as_ensemble
from pluribus.partitions._internal import contingency_of_codes


class Disagreement(NamedTuple):
    """What two partitions disagree on, object by object.

    Attributes
    ----------
    share : ndarray of shape (n,)
        Share of the other objects that are together with the object in one of the partitions only, 0 to 1; its mean is
        ``rand_distance``. NaN for objects that either partition leaves out.
    moved : ndarray of shape (n,), bool
        Whether the object's clusters are not partners under the best one-to-one matching of clusters; their number is
        ``edit_distance``. False for objects that either partition leaves out.

    Examples
    --------
    >>> from pluribus.compare import disagreement
    >>> disagreement([0, 0, 1, 1], [0, 0, 1, 1]).moved.any()
    np.False_
    """

    share: np.ndarray
    moved: np.ndarray


def disagreement(a: Any, b: Any) -> Disagreement:
    """Which objects two partitions disagree on, in O(n).

    Parameters
    ----------
    a, b : sequences of n labels

    Examples
    --------
    >>> from pluribus.compare import disagreement
    >>> found = disagreement([0, 0, 0, 1, 1], [0, 0, 1, 1, 1])
    >>> found.share.tolist(), found.moved.tolist()
    ([0.25, 0.25, 1.0, 0.25, 0.25], [False, False, True, False, False])
    """
    a, b = as_partitions(a, b)
    if a.ndim == 2 or b.ndim == 2:
        raise ValueError(
            "disagreement has no fuzzy form. Harden the memberships first (pluribus.partitions.harden), or compare "
            "their rows."
        )
    overlap = Overlap.of_codes(a, b)
    partner = np.full(len(overlap.a), -1)
    first, second = best_matching(overlap)
    partner[first] = second
    both = (a >= 0) & (b >= 0)
    moved = np.zeros(len(a), dtype=bool)
    moved[both] = partner[a[both]] != b[both]
    return Disagreement(_share(a, b, both), moved)


def mean_disagreement(ensemble: Any, *, n_jobs: int | None = None, verbose: bool = True) -> np.ndarray:
    """How much the partitions of an ensemble disagree on each object, 0 to 1.

    The mean over all pairs of partitions that both cover the object, by the product of their weights, of the share of
    the other objects with which it is together in one of the two only. NaN where no two partitions cover the object.
    Soft partitions count by their labels of highest membership.

    Parameters
    ----------
    ensemble : Ensemble, or labels that can be one
    n_jobs : int, optional
        Threads. The result does not depend on it.
    verbose : bool
        Show progress (only on a terminal).

    Examples
    --------
    >>> from pluribus.compare import mean_disagreement
    >>> mean_disagreement([[0, 0, 0, 1, 1], [0, 0, 1, 1, 1], [0, 0, 0, 1, 1]]).round(3).tolist()
    [0.167, 0.167, 0.667, 0.167, 0.167]
    """
    ensemble = as_ensemble(ensemble)
    labels, weights = np.asfortranarray(ensemble.labels).T, ensemble.weights
    n, r = ensemble.n_objects, ensemble.n_partitions
    total, weight = np.zeros(n), np.zeros(n)

    def add(i: int) -> tuple[np.ndarray, np.ndarray]:
        own, seen = np.zeros(n), np.zeros(n)
        for j in range(i + 1, r):
            both = (labels[i] >= 0) & (labels[j] >= 0)
            own[both] += weights[i] * weights[j] * _share(labels[i], labels[j], both)[both]
            seen[both] += weights[i] * weights[j]
        return own, seen

    batch = 16  # sums held at once
    for start in range(0, r - 1, batch):
        firsts = range(start, min(start + batch, r - 1))
        for own, seen in run_tasks(add, firsts, n_jobs=n_jobs, description="comparing partitions", verbose=verbose):
            total += own
            weight += seen
    return np.divide(total, weight, out=np.full(n, np.nan), where=weight > 0)


def _share(a: np.ndarray, b: np.ndarray, both: np.ndarray) -> np.ndarray:
    """(n_a + n_b - 2 n_ab) / (n - 1) of the sizes of each object's clusters and of their overlap; NaN outside both."""
    share = np.full(len(a), np.nan)
    n = int(both.sum())
    first, second = a[both].astype(np.int64), b[both].astype(np.int64)
    k_a, k_b = int(first.max(initial=-1)) + 1, int(second.max(initial=-1)) + 1
    if k_a * k_b <= 4 * n:
        cell, table = first * k_b + second, contingency_of_codes(first, second, k_a, k_b).ravel()
    else:
        _, cell, table = np.unique(first * k_b + second, return_inverse=True, return_counts=True)
    sizes = np.bincount(first)[first] + np.bincount(second)[second] - 2 * table[cell]
    share[both] = sizes / max(n - 1, 1)
    return share
