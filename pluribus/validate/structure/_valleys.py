"""Groups on a density: how deep a valley separates each from what is higher, and what remains if weak ones merge."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from sklearn.neighbors import NearestNeighbors

from pluribus._kernels.graphs.prominence import group_heights, group_saddles

_FEW_FEATURES = 15  # a k-d tree is faster up to here
_FEWEST = 8  # neighbors
_SHARE_OF_MEDIAN = 1e-3  # of the median distance to the last neighbor: rows that are nearer count as that far
_LEAST_DIMENSION = 0.5
_SCALED = 150  # objects whose distances tell the dimension of a union
_SCALED_ALL = 300  # of all objects
_UNION = 4_000  # objects of a union that are looked at
_SMALL_UNION, _FILLED = 16, 9.0  # a smaller union counts as filled
_SPREAD = 500  # objects of a group whose spread is looked at
_BEYOND = 0.5  # by which a dimension may exceed the number of directions in which objects spread
_GROWTH = 3.6  # log(n / k) up to which the deepest chance valley does not grow
_LEAST_THRESHOLD, _MOST_THRESHOLD = 2.5, 5.0
_CLEAR, _HOPELESS = 60.0, 1.0  # no threshold lies beyond: the dimension need not be known


@dataclass(frozen=True, eq=False)
class Density:
    """The logarithm of a density at each object, and the pairs of neighbors."""

    X: np.ndarray
    log_density: np.ndarray
    n_neighbors: int
    local_dimension: float
    one: np.ndarray
    other: np.ndarray

    @classmethod
    def of(cls, X: np.ndarray, n_jobs: int | None = None, n_neighbors: int | None = None) -> "Density":
        """-log of the distance to the k-th neighbor, with k = 2 log₂ n, within bounds."""
        n, d = X.shape
        k = n_neighbors or int(np.clip(round(2 * np.log2(n)), _FEWEST, max(_FEWEST, n // 4)))
        search = NearestNeighbors(
            n_neighbors=k + 1, algorithm="kd_tree" if d <= _FEW_FEATURES else "brute", n_jobs=n_jobs
        )
        distances, near = search.fit(X).kneighbors(X)  # the first is the row itself, or one equal to it
        distances, near = distances[:, 1:].astype(np.float64), near[:, 1:]
        last = distances[:, -1]
        typical = np.median(last) or last[last > 0].min(initial=1.0)  # most rows may be the same
        distances = np.maximum(distances, _SHARE_OF_MEDIAN * typical)
        rise = np.log(distances[:, -1:] / distances[:, :-1]).sum(axis=1) / (k - 2)
        dimension = max(_LEAST_DIMENSION, 1 / max(float(rise.mean()), 1e-12))
        one = np.repeat(np.arange(n), k)
        low, high = np.minimum(one, near.ravel()), np.maximum(one, near.ravel())
        pairs = np.unique(low[low < high] * n + high[low < high])
        return cls(X, -np.log(distances[:, -1]), k, dimension, pairs // n, pairs % n)

    @cached_property
    def dimension(self) -> float:
        """Of all objects, at a coarse scale: a thick ring is a curve."""
        return scaling_dimension(self.X, _SCALED_ALL)


def chance_growth(n: int, n_neighbors: int) -> float:
    """By which factor the deepest chance valley of n objects exceeds that of few objects."""
    return max(1.0, float(np.sqrt(np.log(n / n_neighbors) / _GROWTH)))


class Step(NamedTuple):
    """Groups on the way of merging: what separates each from higher ones."""

    groups: np.ndarray  # of each object, from 0
    depth: np.ndarray  # z of each group; infinite where no neighbor leads higher; NaN of the highest group
    ratio: np.ndarray  # depth over the threshold for its shape

    @property
    def n_groups(self) -> int:
        """How many there are."""
        return len(self.depth)

    @property
    def weakest(self) -> float:
        """The least ratio of a group: 1 is just significant."""
        ratios = self.ratio[~np.isnan(self.ratio)]
        return float(ratios.min()) if len(ratios) else np.nan


def merging_path(density: Density, leaves: np.ndarray) -> list[Step]:
    """Merge the group of the shallowest valley into the one behind it, until one is left or valleys are bottomless.

    Parameters
    ----------
    density : Density
    leaves : ndarray of shape (n,)
        Groups to begin with, from 0.
    """
    slopes = _Slopes.between(density, leaves)
    groups = leaves.astype(np.int64)
    thresholds: dict[tuple[bytes, ...], float] = {}
    path = []
    while True:
        step, target = _measured(density, slopes, groups, thresholds)
        path.append(step)
        if step.n_groups == 1 or not np.isfinite(step.depth).any():
            return path
        weakest = int(np.nanargmin(step.depth))
        into = int(target[weakest])
        groups = np.where(groups == weakest, into, groups)
        groups = groups - (groups > weakest)


def valleys_around(density: Density, groups: np.ndarray) -> Step:
    """The valleys around groups as they are."""
    groups = groups.astype(np.int64)
    return _measured(density, _Slopes.between(density, groups), groups, {})[0]


def weakest_at_most(density: Density, groups: np.ndarray) -> float:
    """A bound on the weakest of the valleys around groups that needs no thresholds, which are slow to find."""
    groups = groups.astype(np.int64)
    depth, _ = _depths(density, _Slopes.between(density, groups), groups)
    known = depth[~np.isnan(depth)]
    if not len(known):
        return np.nan
    shallowest = float(known.min())
    return shallowest / (_LEAST_THRESHOLD if shallowest > 0 else _MOST_THRESHOLD)


class _Slopes(NamedTuple):
    """Pairs of neighbors in different groups by their level, the highest first, and objects by their density."""

    one: np.ndarray
    other: np.ndarray
    level: np.ndarray
    order: np.ndarray

    @classmethod
    def between(cls, density: Density, groups: np.ndarray) -> "_Slopes":
        f = density.log_density
        level = np.minimum(f[density.one], f[density.other])
        apart = np.flatnonzero(groups[density.one] != groups[density.other])
        falling = apart[np.argsort(-level[apart], kind="stable")]
        return cls(density.one[falling], density.other[falling], level[falling], np.argsort(-f, kind="stable"))


def _measured(
    density: Density, slopes: _Slopes, groups: np.ndarray, thresholds: dict[tuple[bytes, ...], float]
) -> tuple[Step, np.ndarray]:
    """What separates each group, and which group lies behind."""
    depth, target = _depths(density, slopes, groups)
    ratio = np.array(
        [depth[g] / _threshold(density.X, groups, g, int(target[g]), depth[g], thresholds) for g in range(len(depth))]
    )
    return Step(groups, depth, ratio), target


def _depths(density: Density, slopes: _Slopes, groups: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How deep the valley of each group is, and which group lies behind."""
    f, n_top = density.log_density, density.n_neighbors // 2
    n_groups = int(groups.max()) + 1
    heights = group_heights(slopes.order, f, groups, n_groups, n_top, f.min())
    floors = np.full(n_groups, np.inf)
    np.minimum.at(floors, groups, f)
    saddles, n_edges, target = group_saddles(slopes.one, slopes.other, slopes.level, groups, heights, floors, n_top)
    scale = density.local_dimension * np.sqrt(density.n_neighbors)
    depth = np.where(n_edges > 0, scale * (heights - saddles), np.inf)
    depth[int(np.lexsort((np.arange(n_groups), -heights))[0])] = np.nan
    return depth, target


def _threshold(
    X: np.ndarray, groups: np.ndarray, g: int, target: int, depth: float, known: dict[tuple[bytes, ...], float]
) -> float:
    """The depth that a valley between g and its target has to have; by a bound where the exact one cannot matter."""
    if not _HOPELESS <= depth <= _CLEAR:
        return threshold(_FILLED if depth > _CLEAR else 1.0)
    both = np.flatnonzero((groups == g) | (groups == target))
    key = (both.tobytes(),)
    if key not in known:
        known[key] = threshold(_FILLED if len(both) < _SMALL_UNION else _dimension(X, groups, g, target, both))
    return known[key]


def _dimension(X: np.ndarray, groups: np.ndarray, one: int, other: int, both: np.ndarray) -> float:
    """Of the union of two groups: small along a curve, and in a region that is much longer than wide."""
    scaling = scaling_dimension(X[_evenly(both, _UNION)], _SCALED)
    return min(scaling, _BEYOND + spread_directions(X, groups, one, other))


def threshold(dimension: float) -> float:
    """The depth of a valley that chance does not make: more along a curve, where no way leads round a gap.

    Examples
    --------
    >>> from pluribus.validate.structure._valleys import threshold
    >>> [round(threshold(D), 2) for D in (1.2, 1.7, 1.9, 2.3, 2.4)]
    [5.0, 4.0, 3.0, 3.0, 2.5]
    """
    tau = float(np.clip(5 - 5 * (dimension - 1.5), _LEAST_THRESHOLD, _MOST_THRESHOLD))
    return max(tau, 3.0) if dimension < 2.4 else tau


def spread_directions(X: np.ndarray, groups: np.ndarray, one: int, other: int) -> float:
    """In how many directions two groups spread around their means: tr(C)² / tr(C²) of the covariance C within them.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus.validate.structure._valleys import spread_directions
    >>> side = np.arange(20.0)
    >>> square, groups = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2), np.repeat([0, 1], 200)
    >>> [round(spread_directions(square * [length, 1], groups, 0, 1), 2) for length in (1, 4)]
    [1.47, 1.03]
    """
    parts = []
    for group in (one, other):
        objects = np.flatnonzero(groups == group)
        rows = X[_evenly(objects, _SPREAD)].astype(np.float64)
        parts.append((rows - rows.mean(axis=0)) * np.sqrt(len(objects) / len(rows)))
    within = np.concatenate(parts)
    products = within.T @ within if within.shape[1] <= len(within) else within @ within.T
    total = np.square(products).sum()
    return float(np.trace(products) ** 2 / total) if total > 0 else _FILLED


def scaling_dimension(X: np.ndarray, n_asked: int) -> float:
    """How the number of neighbors grows with the distance, over an eighth of the objects.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus.validate.structure._valleys import scaling_dimension
    >>> line, side = np.arange(400.0)[:, None], np.arange(20.0)
    >>> square = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    >>> round(scaling_dimension(line, 150), 4), round(scaling_dimension(square, 150), 4)
    (1.0, 1.8977)
    """
    n = len(X)
    near, far = max(2, n // 32), max(8, n // 8)
    asked = _evenly(np.arange(n), n_asked)
    search = NearestNeighbors(n_neighbors=far + 1, algorithm="kd_tree" if X.shape[1] <= _FEW_FEATURES else "brute")
    distances, _ = search.fit(X).kneighbors(X[asked])
    r_near, r_far = distances[:, near], distances[:, far]
    apart = r_near > 0
    if not apart.any():
        return _FILLED
    growth = float(np.median(np.log(r_far[apart] / r_near[apart])))
    return float(np.log(far / near) / growth) if growth > 0 else _FILLED


def _evenly(objects: np.ndarray, most: int) -> np.ndarray:
    """The objects, or ``most`` of them at even places."""
    if len(objects) <= most:
        return objects
    return objects[np.linspace(0, len(objects) - 1, most).astype(np.int64)]
