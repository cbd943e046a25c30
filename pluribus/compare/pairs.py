"""Indices that count pairs of objects: together in both, in one, in none.

In soft partitions a pair is together to the degree E = 1 - ½ ‖u_x - u_y‖₁ (Hüllermeier, Rifqi, Henzgen and Senge,
"Comparing fuzzy partitions: a generalization of the Rand index and related measures", IEEE Transactions on Fuzzy
Systems 20, 2012): in both to the smaller degree, in one only to the difference. Hard partitions have E = 0 or 1.
"""

from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from pluribus.compare._overlap import pair_of
from pluribus.compare._partitions import SoftPair


class PairCounts(NamedTuple):
    """How many pairs are together in both partitions, only in the first, only in the second, in none."""

    both: float
    only_a: float
    only_b: float
    none: float

    @classmethod
    def of(cls, a: Any, b: Any) -> "PairCounts":
        """The counts of two partitions, hard or soft."""
        overlap = pair_of(a, b)
        if isinstance(overlap, SoftPair):
            return cls(*overlap.pairs[:4])
        both, in_a, in_b = (_pairs(sizes) for sizes in (overlap.shared, overlap.a, overlap.b))
        total = overlap.n * (overlap.n - 1) // 2
        return cls(both, in_a - both, in_b - both, total - in_a - in_b + both)


def _pairs(sizes: np.ndarray) -> int:
    return int((sizes * (sizes - 1) // 2).sum())


def rand_index(a: Any, b: Any) -> float:
    """Share of the pairs of objects on which two partitions agree; 1 for a single object.

    Examples
    --------
    >>> from pluribus.compare import rand_index
    >>> rand_index([0, 0, 1, 1], [0, 0, 1, 2])
    0.8333333333333334
    """
    return 1 - rand_distance(a, b)


def rand_distance(a: Any, b: Any) -> float:
    """Share of the pairs of objects on which two partitions disagree. A metric.

    Examples
    --------
    >>> from pluribus.compare import rand_distance
    >>> rand_distance([0, 0, 1, 1], [0, 0, 1, 2])
    0.16666666666666666
    """
    pairs = PairCounts.of(a, b)
    total = sum(pairs)
    return (pairs.only_a + pairs.only_b) / total if total else 0.0


def mirkin_distance(a: Any, b: Any) -> float:
    """Number of ordered pairs of objects on which two partitions disagree. A metric.

    Examples
    --------
    >>> from pluribus.compare import mirkin_distance
    >>> mirkin_distance([0, 0, 1, 1], [0, 0, 1, 2])
    2.0
    """
    pairs = PairCounts.of(a, b)
    return 2.0 * (pairs.only_a + pairs.only_b)


def jaccard_index(a: Any, b: Any) -> float:
    """Share of the pairs together in both partitions, among those together in either; 1 if there are none.

    Examples
    --------
    >>> from pluribus.compare import jaccard_index
    >>> jaccard_index([0, 0, 1, 1], [0, 0, 1, 2])
    0.5
    """
    return 1 - jaccard_distance(a, b)


def jaccard_distance(a: Any, b: Any) -> float:
    """Share of the pairs together in one partition only, among those together in either. A metric.

    Examples
    --------
    >>> from pluribus.compare import jaccard_distance
    >>> jaccard_distance([0, 0, 1, 1], [0, 0, 1, 2])
    0.5
    """
    pairs = PairCounts.of(a, b)
    differ = pairs.only_a + pairs.only_b
    return differ / (pairs.both + differ) if differ else 0.0


def fowlkes_mallows_index(a: Any, b: Any) -> float:
    """Geometric mean of the shares of each partition's pairs that are together in the other too.

    If neither partition has a pair together, they are equal and the index is 1; if only one has none, it is 0.

    Examples
    --------
    >>> from pluribus.compare import fowlkes_mallows_index
    >>> round(fowlkes_mallows_index([0, 0, 1, 1], [0, 0, 1, 2]), 6)
    0.707107
    """
    pairs = PairCounts.of(a, b)
    in_a, in_b = pairs.both + pairs.only_a, pairs.both + pairs.only_b
    if not in_a or not in_b:
        return float(in_a == in_b)
    return sqrt(pairs.both / in_a) * sqrt(pairs.both / in_b)


def adjusted_rand_index(a: Any, b: Any) -> float:
    """Rand index corrected for chance: 1 if equal, about 0 for independent partitions, negative if worse than chance.

    For memberships: 1 minus the fuzzy Rand distance over what it is on average when the objects of one are shuffled.

    Examples
    --------
    >>> from pluribus.compare import adjusted_rand_index
    >>> round(adjusted_rand_index([0, 0, 1, 1], [0, 0, 1, 2]), 6)
    0.571429
    """
    pair = pair_of(a, b)
    if isinstance(pair, SoftPair):
        disagree, by_chance = pair.pairs.only_a + pair.pairs.only_b, pair.pairs.by_chance
        return 1 - disagree / by_chance if by_chance > 0 else 1.0
    both, only_a, only_b, none = PairCounts.of(pair, None)
    if not only_a and not only_b:
        return 1.0
    # The usual ratio with its binomials written out, which keeps it exact in integers.
    above = 2 * (both * none - only_a * only_b)
    below = (both + only_a) * (only_a + none) + (both + only_b) * (only_b + none)
    return above / below
