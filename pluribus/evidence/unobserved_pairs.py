"""Unobserved pairs: pairs of objects that no partition covers."""

from typing import Any, NamedTuple

import numpy as np

from pluribus.partitions import as_ensemble

_MAX_PATTERNS = 4096  # different sets of partitions up to which the count is exact
_N_SAMPLED = 1_000_000


class UnobservedPairs(NamedTuple):
    """The number of pairs, and whether it is exact or an estimate from a sample.

    Examples
    --------
    >>> from pluribus.evidence import unobserved_pairs
    >>> unobserved_pairs([[0, 0, 1], [0, 1, 1]]).exact
    True
    """

    n_pairs: int
    exact: bool


def unobserved_pairs(ensemble: Any) -> UnobservedPairs:
    """Count the pairs of objects that no partition (of positive weight) covers.

    Objects covered by the same partitions are counted together. With more than 4,096 different sets of partitions the
    count is estimated from a million random pairs with a fixed seed.

    Examples
    --------
    >>> from pluribus.evidence import unobserved_pairs
    >>> unobserved_pairs([[0, 0, -1], [-1, 0, 0]])
    UnobservedPairs(n_pairs=1, exact=True)
    """
    ensemble = as_ensemble(ensemble)
    if not ensemble.has_missing and ensemble.weights.all():
        return UnobservedPairs(0, True)
    covered = np.packbits((ensemble.labels >= 0) & (ensemble.weights > 0), axis=1)
    patterns, sizes = np.unique(covered, axis=0, return_counts=True)
    if len(patterns) <= _MAX_PATTERNS:
        return UnobservedPairs(_count(patterns, sizes), True)
    return UnobservedPairs(_estimate(covered), False)


def _count(patterns: np.ndarray, sizes: np.ndarray) -> int:
    bits = np.unpackbits(patterns, axis=1).astype(np.float32)
    ordered_pairs = 0
    for start in range(0, len(bits), 512):
        disjoint = bits[start : start + 512] @ bits.T == 0
        ordered_pairs += int(sizes[start : start + 512] @ (disjoint @ sizes))
    # An object that no partition covers is disjoint from itself, which is not a pair.
    ordered_pairs -= int(sizes[~bits.any(axis=1)].sum())
    return ordered_pairs // 2


def _estimate(covered: np.ndarray) -> int:
    n = len(covered)
    rng = np.random.default_rng(0)
    i = rng.integers(n, size=_N_SAMPLED)
    j = (i + rng.integers(1, n, size=_N_SAMPLED)) % n
    share = 1 - (covered[i] & covered[j]).any(axis=1).mean()
    return round(share * n * (n - 1) / 2)
