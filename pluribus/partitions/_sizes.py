"""Clusters of the right size: the cheapest assignment within bounds, exactly."""

from numbers import Integral
from typing import Any, NamedTuple

import numpy as np

from pluribus._engine import MemoryLimitError, in_bytes, memory_limit, number_array, plain_array, whole_number
from pluribus._kernels.assignment.bounded_assignment import assign_within_bounds, total_cost

_SMALLER = 8  # times, from one level of samples to the next
_SMALLEST = 1000  # points; and 20 for each cluster
_MANY = 1000  # clusters, whose moves between each two take memory that may not be there
_MOST_OBJECTS = 2**40  # beyond all that there is; larger numbers do not fit into sums
_ALWAYS = np.iinfo(np.int64).max
_GOOD = 1.0  # prices at which fewer points than this, times the root of n k, must move, are as good as those of samples


class SizedAssignment(NamedTuple):
    """What ``assign_sizes`` found.

    Attributes
    ----------
    labels : ndarray of shape (n,)
    cost : float
        The sum of the costs of all points in their clusters.
    prices : ndarray of shape (k,)
        What one point more costs that a cluster must have (above 0), or saves that it may have (below 0). Each point is
        in a cluster of least cost minus price, so that prices also assign new points.
    """

    labels: np.ndarray
    cost: float
    prices: np.ndarray


class SizeError(ValueError):
    """Bounds on the sizes of clusters that cannot hold.

    Examples
    --------
    >>> from pluribus.partitions import SizeError
    >>> from pluribus.partitions._internal import size_bounds
    >>> try:
    ...     size_bounds(10, 3, min_size=4)
    ... except SizeError as error:
    ...     print(error)
    min_size asks for 12 objects in 3 clusters, but there are 10: at most 3 for each cluster.
    """


def size_bounds(
    n: int, k: int, min_size: Any = None, max_size: Any = None, *, room_for_all: bool = True
) -> tuple[np.ndarray, np.ndarray]:
    """The fewest and the most objects of each of k clusters, in whole numbers.

    Parameters
    ----------
    n, k : int
        Objects and clusters.
    min_size, max_size : int, float, sequence of k of them, or None
        A number of objects, or a share of all between 0 and 1 (a float; 1.0 is all of them); one for all clusters or
        one for each. A share of no whole number of objects is taken down for the fewest, and up for the most.
    room_for_all : bool
        Refuse bounds that leave objects without a cluster.

    Examples
    --------
    >>> from pluribus.partitions._internal import size_bounds
    >>> size_bounds(10, 3, min_size=0.25, max_size=[5, 4, 4])
    (array([2, 2, 2]), array([5, 4, 4]))
    """
    lower = _in_objects("min_size", min_size, 0, n, k, np.floor)
    upper = np.minimum(_in_objects("max_size", max_size, n, n, k, np.ceil), n)
    if lower.sum() > n:
        raise SizeError(
            f"min_size asks for {lower.sum()} objects in {k} clusters, but there are {n}: at most {n // k} for each "
            "cluster."
        )
    crossed = np.flatnonzero(lower > upper)
    if crossed.size:
        h = crossed[0]
        raise SizeError(
            f"min_size is above max_size: {lower[h]} against {upper[h]} in cluster {h}. Lower the one, or raise the "
            "other."
        )
    if room_for_all and upper.sum() < n:
        raise SizeError(
            f"max_size leaves room for {upper.sum()} objects in {k} clusters, but there are {n}: at least {-(-n // k)} "
            "for each cluster, or more clusters."
        )
    return lower, upper


def assign_sizes(
    cost: Any, min_size: Any = None, max_size: Any = None, *, prices: Any = None, random_state: int = 0
) -> SizedAssignment:
    """The cheapest assignment of n points to k clusters whose sizes are within bounds. It is exact.

    The problem is one of transport between n points and k clusters. It is solved by shortest paths on the graph of the
    clusters, from prices that a sample of the points has, which itself starts from a smaller one: near-linear in n.

    Parameters
    ----------
    cost : array of shape (n, k)
        Of each point in each cluster; finite.
    min_size, max_size : see ``size_bounds``
    prices : array of shape (k,), optional
        To start from, such as those of nearly the same problem; samples are drawn only if these are far off.
    random_state : int
        Of the samples. The cost does not depend on it; which of equally good assignments is found may.

    Returns
    -------
    SizedAssignment

    References
    ----------
    P. S. Bradley, K. P. Bennett, A. Demiriz, "Constrained k-means clustering", MSR-TR-2000-65, 2000.

    Examples
    --------
    >>> from pluribus.partitions import assign_sizes
    >>> found = assign_sizes([[1, 100], [0, 81], [1, 64], [81, 0]], min_size=2)
    >>> found.labels.tolist(), found.cost, found.prices.tolist()
    ([0, 0, 1, 1], 65.0, [0.0, 63.0])
    """
    cost = checked_cost(cost)
    random_state = whole_number("random_state", random_state, 0)
    n, k = cost.shape
    lower, upper = size_bounds(n, k, min_size, max_size)
    sizes = np.bincount(cost.argmin(axis=1), minlength=k) if k > _MANY else lower
    if (sizes < lower).any() or (sizes > upper).any():
        check_room(n, k)
    found = np.zeros(k)
    labels = np.empty(n, np.int64)
    moves = -2
    if prices is not None:
        found = checked_prices(prices, k)
        moves = assign_within_bounds(cost, lower, upper, found, labels, kept_moves(n, k), int(_GOOD * np.sqrt(n * k)))
    if moves == -2:
        deck = np.random.default_rng(random_state).integers(n, size=n // _SMALLER)
        for size in sample_sizes(n, k):
            few = np.ascontiguousarray(cost[np.sort(deck[:size])])
            bounds = lower * size // n, -(-upper * size // n)
            assign_within_bounds(few, *bounds, found, np.empty(size, np.int64), kept_moves(size, k), _ALWAYS)
        moves = assign_within_bounds(cost, lower, upper, found, labels, kept_moves(n, k), _ALWAYS)
    assert moves >= 0  # the bounds were checked
    return SizedAssignment(labels, total_cost(cost, labels), found)


def checked_cost(cost: Any) -> np.ndarray:
    """Of points in clusters, finite, row by row; float32 stays as it is."""
    if getattr(cost, "dtype", None) != np.float32:
        cost = number_array("cost", cost)
    cost = np.ascontiguousarray(cost)
    if cost.ndim != 2 or 0 in cost.shape:
        raise ValueError(f"cost must be a table of points by clusters, at least one of each; got shape {cost.shape}.")
    if not np.isfinite(cost).all():
        raise ValueError("cost has values that are not finite: each point must be able to go to each cluster.")
    if max(abs(float(cost.max())), abs(float(cost.min()))) > np.finfo(np.float64).max / (8 * len(cost)):
        raise ValueError(f"cost has values of a size of {np.abs(cost).max():.0e}, too large to be added up: scale it.")
    return cost


def checked_prices(prices: Any, k: int) -> np.ndarray:
    """A copy of prices to start from."""
    found = number_array("prices", prices).copy()
    if found.shape != (k,) or not np.isfinite(found).all():
        raise ValueError(f"prices={prices!r}: give {k} finite numbers, one for each cluster, or None.")
    return found


def check_room(n: int, k: int) -> None:
    """Refuse numbers of clusters whose moves between each two do not fit into memory."""
    needed = k * k * (16 * kept_moves(n, k) + 24)
    if k > _MANY and needed > memory_limit():
        raise MemoryLimitError(
            f"Bounds on the sizes of {k:,} clusters take {in_bytes(needed)} of memory, more than the "
            f"{in_bytes(memory_limit())} allowed: use fewer clusters, or no bounds."
        )


def kept_moves(n: int, k: int) -> int:
    """Of how many moves between two clusters to know the cheapest.

    More take longer to keep, fewer have to be sought more often among all points of a cluster: measured.
    """
    return int(np.clip(np.sqrt(n / k) / 3, 8, 128))


def sample_sizes(n: int, k: int) -> list[int]:
    """From the smallest sample to the largest, without all points."""
    sizes = []
    size = n // _SMALLER
    while size >= max(_SMALLEST, 20 * k):
        sizes.append(size)
        size //= _SMALLER
    return sizes[::-1]


def _in_objects(name: str, given: Any, default: int, n: int, k: int, rounded: Any) -> np.ndarray:
    if given is None:
        return np.full(k, default, np.int64)
    sizes = in_shape(name, given, k, "numbers of objects, or shares between 0 and 1")
    if sizes.dtype.kind == "f" and (sizes <= 1).all():
        exact = sizes * n
        near = np.rint(exact)
        sizes = np.where(np.abs(exact - near) < 1e-9 * n, near, rounded(exact))
    elif (sizes != np.rint(sizes)).any():
        raise SizeError(f"{name}={given!r} is no whole number of objects, and above 1 no share.")
    return np.minimum(np.broadcast_to(sizes, k).astype(np.float64), _MOST_OBJECTS).astype(np.int64)


def in_shape(name: str, given: Any, k: int, expected: str) -> np.ndarray:
    """A bound for all of k clusters, or one for each, as an array of finite numbers from 0."""
    sizes = plain_array(name, given, error=SizeError)
    if sizes.shape not in ((), (k,)):
        raise SizeError(f"{name} has shape {sizes.shape}: give one bound for all clusters, or one for each of the {k}.")
    if sizes.dtype.kind not in "iuf" or not np.isfinite(sizes).all() or (sizes < 0).any():
        raise SizeError(f"{name}={given!r}: give {expected}, not below 0.")
    if sizes.ndim and sizes.dtype.kind == "f":
        each = np.asarray(given, dtype=object)
        if any(isinstance(one, Integral) and one for one in each) and any(
            not isinstance(one, Integral) and 0 < one <= 1 for one in each
        ):
            raise SizeError(f"{name}={given!r} mixes whole numbers and shares: give bounds of one kind.")
    return sizes
