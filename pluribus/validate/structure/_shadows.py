"""Two modes in a projection: rows along the direction in which two sides of a split differ most."""

from collections.abc import Iterator

import numpy as np

from pluribus.consensus._internal import cut_into
from pluribus.validate.structure._dip import dip_p_value

_SPLITS = range(2, 6)  # the last of a dendrogram
_FEWEST, _SHARE = 8, 50  # rows on each side, at least: this number, and one in 50 of all
_PER_FEATURE = 5  # rows of the two sides for each feature, above which their covariance is trusted
_SHRUNK, _MUCH_SHRUNK = 0.1, 0.5  # towards a multiple of the identity
_DIVISIONS = 5  # of the rows into halves
_PRODUCTS = 4e9  # for all covariances of a split; wide tables have fewer divisions


def least_p_value(X: np.ndarray, tree: np.ndarray, rng: np.random.Generator) -> float:
    """The least p-value of a dip along a split; 1 if no split is large enough.

    The direction comes from one half of the rows, the test from the other, both ways; p is the median over several
    divisions into halves, so that it hardly depends on one. All rows of the half are tested: two touching cells of a
    filled region would have two modes by themselves.
    """
    n, d = X.shape
    n_divisions = int(np.clip(_PRODUCTS // (n * d * d), 1, _DIVISIONS))
    halves = [rng.permutation(n) < n // 2 for _ in range(n_divisions)]
    each_way = [way for half in halves for way in (half, ~half)]
    values = [np.median([_p_value(X, one, other, seen) for seen in each_way]) for one, other in _sides(tree)]
    return float(min(values, default=1.0))


def _p_value(X: np.ndarray, one: np.ndarray, other: np.ndarray, seen: np.ndarray) -> float:
    """Of two modes in the rows that were not seen, along the direction of those that were."""
    direction = _direction(X[one & seen], X[other & seen])
    return 1.0 if direction is None else dip_p_value(X[~seen] @ direction)


def _sides(tree: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Who is on each side of the last splits, where both sides are large enough."""
    n = len(tree) + 1
    for k in _SPLITS:
        if k > n:
            return
        coarse, fine = cut_into(tree, k - 1), cut_into(tree, k)
        for parent in range(k - 1):
            parts = np.unique(fine[coarse == parent])
            if len(parts) == 2:
                one, other = fine == parts[0], fine == parts[1]
                if min(one.sum(), other.sum()) >= max(_FEWEST, n / _SHARE):
                    yield one, other


def _direction(one: np.ndarray, other: np.ndarray) -> np.ndarray | None:
    """The discriminant of two groups of rows, with a covariance that is shrunk the more, the fewer rows there are."""
    n, d = len(one) + len(other), one.shape[1]
    if min(len(one), len(other)) < 2:
        return None
    shift = one.mean(axis=0) - other.mean(axis=0)
    within = np.concatenate([one - one.mean(axis=0), other - other.mean(axis=0)])
    covariance = within.T @ within / n
    part = _SHRUNK if n > _PER_FEATURE * d else _MUCH_SHRUNK
    level = np.trace(covariance) / d
    if level == 0:
        return shift
    covariance = (1 - part) * covariance + part * level * np.eye(d)
    return np.linalg.solve(covariance, shift)
