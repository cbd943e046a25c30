"""Clusters of the right weight: bounds on the sum of a quantity in each cluster."""

import itertools
from typing import Any, NamedTuple

import numpy as np

from pluribus._engine import number_array
from pluribus._kernels.assignment.weighted_assignment import split_within_bounds
from pluribus.partitions._sizes import (
    SizedAssignment,
    SizeError,
    check_room,
    checked_cost,
    checked_prices,
    in_shape,
    kept_moves,
    sample_sizes,
)

_MOST_TRIED = 4096  # ways to round
_ROUNDING = 1e-12  # of sums, relative to all there is


def weight_bounds(
    weight: np.ndarray, k: int, min_size: Any = None, max_size: Any = None
) -> tuple[np.ndarray, np.ndarray]:
    """The least and the greatest sum of weights of each of k clusters.

    Parameters
    ----------
    weight : ndarray of shape (n,)
    k : int
    min_size, max_size : float, sequence of k of them, or None
        In the unit of the weights, or a share of their sum between 0 and 1 (a float; 1.0 is all of it); one for all
        clusters or one for each.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus.partitions._internal import weight_bounds
    >>> weight_bounds(np.array([20.0, 30.0, 50.0]), 2, 0.25, 60)
    (array([25., 25.]), array([60., 60.]))
    """
    total = float(weight.sum())
    lower = _in_weight("min_size", min_size, 0.0, total, k)
    upper = np.minimum(_in_weight("max_size", max_size, total, total, k), total)
    _check(lower, upper, total)
    return lower, upper


def _check(lower: np.ndarray, upper: np.ndarray, total: float) -> None:
    k = len(lower)
    if lower.sum() > total * (1 + _ROUNDING):
        raise SizeError(
            f"min_size asks for a weight of {lower.sum():g} in {k} clusters, but there is {total:g}: at most "
            f"{total / k:g} for each cluster."
        )
    crossed = np.flatnonzero(lower > upper)
    if crossed.size:
        h = crossed[0]
        raise SizeError(
            f"min_size is above max_size: {lower[h]:g} against {upper[h]:g} in cluster {h}. Lower the one, or raise "
            "the other."
        )
    if upper.sum() < total * (1 - _ROUNDING):
        raise SizeError(
            f"max_size leaves room for a weight of {upper.sum():g} in {k} clusters, but there is {total:g}: at least "
            f"{total / k:g} for each cluster, or more clusters."
        )


def assign_weights(
    cost: Any, weight: Any, lower: Any, upper: Any, *, prices: Any = None, random_state: int = 0
) -> SizedAssignment:
    """Assign points to clusters at little cost, with bounds on the sums of their weights that hold but for rounding.

    To find the cheapest assignment of points that cannot be split is NP-hard, and there may be none within the bounds.
    So the problem is solved for points that can, which is exact; then no more points are split than there are
    clusters less one, but for ties. Each of these goes as a whole to one of its clusters: to whichever leaves the sums
    nearest to the bounds, and of equally good ones the cheapest.

    Parameters
    ----------
    cost : array of shape (n, k)
        Of each point, as a whole, in each cluster; finite.
    weight : array of shape (n,)
        0 or more; a point without weight is where it is cheapest.
    lower, upper : float or array of shape (k,)
        Of the sums, in the unit of the weights, as ``weight_bounds`` gives them.
    prices : array of shape (k,), optional
        To start from; samples better them.
    random_state : int
        Of the samples that give prices to start from.

    Returns
    -------
    SizedAssignment
        Prices are for a weight of one.

    Examples
    --------
    >>> from pluribus.partitions._internal import assign_weights
    >>> assign_weights([[0, 9], [0, 8], [0, 4]], [3, 1, 1], [0, 0], [3, 3]).labels.tolist()
    [1, 0, 0]
    """
    cost, weight, lower, upper = _checked(cost, weight, lower, upper)
    n, k = cost.shape
    total = float(weight.sum())
    labels = cost.argmin(axis=1)
    heavy = np.flatnonzero(weight > 0)
    found = np.zeros(k) if prices is None else checked_prices(prices, k)
    deck = np.random.default_rng(random_state).permutation(heavy)
    for size in sample_sizes(len(heavy), k):
        some = deck[:size]
        share = weight[some].sum() / total
        _split(cost[some], weight[some], lower * share, upper * share, found)
    labels[heavy], pieces = _split(cost[heavy], weight[heavy], lower, upper, found)
    if len(pieces):
        _round(cost, weight, lower, upper, labels, [(heavy[r], clusters) for r, clusters in pieces])
    return SizedAssignment(labels, float(cost[np.arange(n), labels].sum(dtype=np.float64)), found)


def _checked(cost: Any, weight: Any, lower: Any, upper: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Arrays of the right shapes, and bounds that can hold: the compiled loop checks nothing."""
    cost, weight = checked_cost(cost), number_array("weight", weight)
    n, k = cost.shape
    with np.errstate(over="ignore"):
        total = float(weight.sum())
    if weight.shape != (n,) or (weight < 0).any() or not 0 < total < np.inf:
        raise ValueError(
            f"weight must be {n} finite numbers of 0 or more, one for each point, not all 0, with a finite sum."
        )
    lower, upper = (
        np.broadcast_to(in_shape(name, bound, k, "sums of weights"), k).astype(np.float64)
        for name, bound in (("lower", lower), ("upper", upper))
    )
    _check(lower, upper, total)
    check_room(n, k)
    return cost, weight, lower, upper


class Pieces(NamedTuple):
    """What ``split_weights`` found: all pieces of points, those that are not split as one piece.

    Attributes
    ----------
    owner : ndarray
        The point of each piece; the first n are one of each point, in order.
    labels : ndarray
        Its cluster.
    amounts : ndarray
        How much of the point's weight it is.
    prices : ndarray of shape (k,)
        As those of ``SizedAssignment``, for a weight of one.
    """

    owner: np.ndarray
    labels: np.ndarray
    amounts: np.ndarray
    prices: np.ndarray


def split_weights(
    cost: np.ndarray, weight: np.ndarray, lower: np.ndarray, upper: np.ndarray, prices: np.ndarray | None = None
) -> Pieces:
    """The cheapest assignment of points that can be split, with bounds on the sums of their weights. It is exact.

    Whole numbers are split into whole numbers, and but for ties no more points are split than there are clusters less
    one.

    Parameters
    ----------
    cost : ndarray of shape (n, k)
        Of a weight of one.
    weight : ndarray of shape (n,)
        Above 0.
    lower, upper : ndarrays of shape (k,)
        Of the sums; an assignment within them must exist.
    prices : ndarray of shape (k,), optional
        To start from.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus.partitions._internal import split_weights
    >>> found = split_weights(np.array([[0.0, 9.0], [0.0, 4.0]]), np.array([3.0, 2.0]), np.zeros(2), np.full(2, 4.0))
    >>> found.owner.tolist(), found.labels.tolist(), found.amounts.tolist()
    ([0, 1, 1], [0, 0, 1], [3.0, 1.0, 1.0])
    """
    cost, weight, lower, upper = _checked(cost, weight, lower, upper)
    if not weight.all():
        raise ValueError("weight has zeros: leave these points out, they can be anywhere.")
    return _pieces(cost, weight, lower, upper, None if prices is None else checked_prices(prices, cost.shape[1]))


def _pieces(
    cost: np.ndarray, weight: np.ndarray, lower: np.ndarray, upper: np.ndarray, prices: np.ndarray | None
) -> Pieces:
    """The same for arguments that were checked."""
    n, k = cost.shape
    room = 10 * k + 100
    while True:
        apiece, amounts = np.empty((n + room, k)), np.zeros(n + room)
        apiece[:n], amounts[:n] = cost, weight
        owner, labels = np.zeros(n + room, np.int64), np.empty(n + room, np.int64)
        found = np.zeros(k) if prices is None else prices.copy()
        moves = split_within_bounds(apiece, amounts, owner, lower, upper, found, labels, n, kept_moves(n, k))
        if moves != -2:
            break
        room *= 10  # many ties
    assert moves >= 0  # the bounds were checked
    there = np.r_[np.arange(n), n + np.flatnonzero(labels[n:] >= 0)]
    return Pieces(owner[there], labels[there], amounts[there], found)


def _split(
    cost: np.ndarray, weight: np.ndarray, lower: np.ndarray, upper: np.ndarray, prices: np.ndarray
) -> tuple[np.ndarray, list[tuple[int, list[int]]]]:
    """Labels, and for each point that is split the clusters in which it is; prices are updated."""
    n = len(cost)
    found = _pieces(cost / weight[:, None], weight, lower, upper, prices)
    prices[:] = found.prices
    ahead = found.owner[n:]
    split = [(int(r), [int(found.labels[r]), *found.labels[n:][ahead == r].tolist()]) for r in np.unique(ahead)]
    return found.labels[:n], split


def _round(
    cost: np.ndarray,
    weight: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    labels: np.ndarray,
    split: list[tuple[int, list[int]]],
) -> None:
    """Give each point that is split to one of its clusters, in place; the heaviest decide first if they are many."""
    split = sorted(split, key=lambda piece: -weight[piece[0]])
    while split:
        n_together, ways = 0, 1
        while n_together < len(split) and ways * len(split[n_together][1]) <= _MOST_TRIED:
            ways *= len(split[n_together][1])
            n_together += 1
        now, split = split[: max(n_together, 1)], split[max(n_together, 1) :]
        who = np.array([r for r, _ in now])
        choices = np.array(list(itertools.product(*(clusters for _, clusters in now))))
        others = np.ones(len(labels), bool)
        others[who] = False
        settled = np.bincount(labels[others], weight[others], minlength=len(lower)).astype(np.float64)
        filled = np.tile(settled, (len(choices), 1))
        for place, r in enumerate(who):
            filled[np.arange(len(choices)), choices[:, place]] += weight[r]
        off = np.maximum(filled - upper, 0).sum(axis=1) + np.maximum(lower - filled, 0).sum(axis=1)
        total = cost[who, choices].sum(axis=1)
        labels[who] = choices[np.lexsort((total, np.round(off / weight.sum() / _ROUNDING)))[0]]


def _in_weight(name: str, given: Any, default: float, total: float, k: int) -> np.ndarray:
    sums = in_shape(name, default if given is None else given, k, "sums of weights, or shares between 0 and 1")
    if given is not None and (sums <= 1).all() and np.asarray(given).dtype.kind == "f":
        sums = sums * total
    return np.broadcast_to(sums, k).astype(np.float64)
