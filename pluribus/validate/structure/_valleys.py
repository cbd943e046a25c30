"""Groups on a density: how deep a valley separates each from what is higher, and what remains if weak ones merge."""

from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
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
_GROWTH = 3.6  # log(n / k) up to which the deepest chance valley does not grow
_WAYS, _THRESHOLDS = (1, 8.5, 34), (8.0, 3.2, 2.5)  # by ways across: above what coils, long groups and round ones reach
_DIMENSIONS, _AT_MOST = (1.75, 2.0), (8.0, 3.5)  # by dimension: in a region, ways lead round a chance gap
_MANY_WAYS = _WAYS[1]  # from which on the dimension, which is slow to find, changes no threshold
_HOPELESS = 1.0  # no threshold lies below: none is asked for


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
    ratio: (
        np.ndarray
    )  # depth over the threshold for its border and shape; over the largest one, if the depth is below 1

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
    known = _Known({}, {})
    path = []
    while True:
        step, target = _measured(density, slopes, groups, known)
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
    return _measured(density, _Slopes.between(density, groups), groups, _Known({}, {}))[0]


def weakest_at_most(density: Density, groups: np.ndarray) -> float:
    """A bound on the weakest of the valleys around groups that needs no thresholds, which are slow to find."""
    groups = groups.astype(np.int64)
    depth, _, _ = _depths(density, _Slopes.between(density, groups), groups)
    known = depth[~np.isnan(depth)]
    if not len(known):
        return np.nan
    shallowest = float(known.min())
    return shallowest / (min(_THRESHOLDS) if shallowest > 0 else max(_THRESHOLDS))


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


class _Known(NamedTuple):
    """What was found at earlier steps, by digests: most groups stay as they are."""

    ways: dict[bytes, float]  # of the sides of a border
    dimensions: dict[bytes, float]  # of the objects of a union


def _digest(of_objects: np.ndarray) -> bytes:
    return blake2b(of_objects.tobytes(), digest_size=16).digest()


def _measured(density: Density, slopes: _Slopes, groups: np.ndarray, known: _Known) -> tuple[Step, np.ndarray]:
    """What separates each group, and which group lies behind."""
    depth, target, place = _depths(density, slopes, groups)
    ratio = depth / max(_THRESHOLDS)
    for g in np.flatnonzero((depth >= _HOPELESS) & (depth < np.inf)):
        sides = np.sign(place[groups] - place[g]).astype(np.int8)
        if (key := _digest(sides)) not in known.ways:
            known.ways[key] = ways_across(density, sides)
        n_ways, dimension = known.ways[key], _FILLED
        if n_ways < _MANY_WAYS:
            both = (groups == g) | (groups == target[g])
            if (key := _digest(both)) not in known.dimensions:
                known.dimensions[key] = _dimension(density.X, np.flatnonzero(both))
            dimension = known.dimensions[key]
        ratio[g] = depth[g] / threshold(n_ways, dimension)
    return Step(groups, depth, ratio), target


def _depths(density: Density, slopes: _Slopes, groups: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """How deep the valley of each group is, which group lies behind, and the place of each group from the highest."""
    f, n_top = density.log_density, density.n_neighbors // 2
    n_groups = int(groups.max()) + 1
    heights = group_heights(slopes.order, f, groups, n_groups, n_top, f.min())
    saddles, n_edges, target = group_saddles(slopes.one, slopes.other, slopes.level, groups, heights, n_top)
    scale = density.local_dimension * np.sqrt(density.n_neighbors)
    depth = np.where(n_edges > 0, scale * (heights - saddles), np.inf)
    place = np.argsort(np.lexsort((np.arange(n_groups), -heights)))
    depth[place == 0] = np.nan
    return depth, target, place


def ways_across(density: Density, sides: np.ndarray) -> float:
    """How many neighborhoods lie along the border between a group and those above it: one where a curve breaks.

    A neighborhood holds as many objects as the density has neighbors. The objects whose neighbors are on the other side
    count, and all neighbors of theirs; of the two sides, the one with more: where the end of a curve meets the side of
    another one, it did not break.

    Parameters
    ----------
    density : Density
    sides : ndarray of shape (n,)
        0 in the group, -1 in higher groups, 1 elsewhere.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus.validate.structure._valleys import Density, ways_across
    >>> line, side = np.arange(400.0)[:, None], np.arange(20.0)
    >>> square = np.stack(np.meshgrid(side, side, indexing="ij"), axis=-1).reshape(-1, 2)
    >>> [round(ways_across(Density.of(X), np.repeat([0, -1], 200)), 1) for X in (line, square)]
    [1.1, 5.2]
    """
    one, other = density.one, density.other
    a, b = sides[one], sides[other]
    across = ((a == 0) & (b == -1)) | ((a == -1) & (b == 0))
    at_border = np.zeros(len(sides), bool)
    at_border[one[across]] = at_border[other[across]] = True
    shared = at_border.copy()
    shared[one[at_border[other]]] = shared[other[at_border[one]]] = True
    return max(int(shared[sides == side].sum()) for side in (0, -1)) / density.n_neighbors


def threshold(n_ways: float, dimension: float) -> float:
    """The depth of a valley that chance does not make.

    Chance closes a single way across more easily than many. Where two groups fill a region together, ways lead round a
    chance gap, so few pairs of neighbors across mean a wide valley, and less is asked.

    Examples
    --------
    >>> from pluribus.validate.structure._valleys import threshold
    >>> [round(threshold(n_ways, 1.0), 2) for n_ways in (0.5, 1, 4, 8.5, 17, 34, 68)]
    [8.0, 8.0, 4.89, 3.2, 2.85, 2.5, 2.5]
    >>> [round(threshold(1, dimension), 2) for dimension in (1.5, 1.75, 1.9, 2.0, 5.0)]
    [8.0, 8.0, 5.3, 3.5, 3.5]
    """
    by_ways = np.interp(np.log(max(n_ways, _WAYS[0])), np.log(_WAYS), _THRESHOLDS)
    return float(min(by_ways, np.interp(dimension, _DIMENSIONS, _AT_MOST)))


def _dimension(X: np.ndarray, both: np.ndarray) -> float:
    """Of the union of two groups: about 1 along a curve."""
    return _FILLED if len(both) < _SMALL_UNION else scaling_dimension(X[_evenly(both, _UNION)], _SCALED)


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
