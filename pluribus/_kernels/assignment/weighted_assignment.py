"""Assign amounts to clusters at the least cost, with bounds on the sum in each cluster; an amount may be split.

As ``_bounded_assignment``, whose points all have the amount one. An item is a piece of a point: the first n are what is
left of each point where it was last as a whole, the others are pieces elsewhere. At any time all pieces of a point are
where it costs the same, prices subtracted, so there are hardly more such points than clusters less one.
"""

import numpy as np
from numba import njit

from pluribus._kernels.assignment.bounded_assignment import (
    clip_prices,
    enter,
    flow_at,
    insert,
    leave,
    nearest_by_price,
    refresh,
    shortest_path,
)


@njit(cache=True, nogil=True)
def _vanish(labels, first, following, before, keys, points, count, i):
    """Take a piece out of its cluster, without a trace, so that its place can be used for another."""
    a = labels[i]
    leave(labels, first, following, before, i)
    for b in range(keys.shape[1]):
        kept = 0
        for e in range(count[a, b]):
            if points[a, b, e] != i:
                keys[a, b, kept], points[a, b, kept] = keys[a, b, e], points[a, b, e]
                kept += 1
        count[a, b] = kept


@njit(cache=True, nogil=True)
def _piece_in(owner, labels, n, r, b):
    """The piece of a point that is in a cluster, -1 if none is."""
    if labels[r] == b:
        return r
    for j in range(n, len(owner)):
        if labels[j] == b and owner[j] == r:
            return j
    return -1


@njit(cache=True, nogil=True)
def split_within_bounds(cost, amounts, owner, lower, upper, prices, labels, n, length):
    """Fill `labels`, `amounts` and `owner` with an assignment of least cost whose sums are within the bounds.

    Parameters
    ----------
    cost : (n + room, k)
        For one unit. The first n rows are the points; the others are scratch.
    amounts : (n + room,)
        Of the points, above 0; on return, of all pieces.
    owner : (n + room,)
        On return, the point of each piece.
    lower, upper : (k,) floats
    prices : (k,)
        A guess; on return those of the optimum, for one unit.
    labels : (n + room,)
        On return, the cluster of each piece, -1 where there is none.
    length : int
        How many of the cheapest moves between two clusters to keep.

    Returns
    -------
    moves : int
        -1 if the bounds cannot be met, -2 if there is no room for more pieces.
    """
    k = cost.shape[1]
    total = amounts[:n].sum()
    small = 1e-12 * total
    potential = clip_prices(prices, lower, upper, total, small)
    labels[:] = -1
    nearest_by_price(cost[:n], potential, labels[:n])
    size = np.zeros(k)
    for i in range(n):
        size[labels[i]] += amounts[i]
        owner[i] = i
    flow, excess = flow_at(potential, size, lower, upper, total)
    n_items = len(owner)
    first = np.full(k, -1, np.int64)
    following, before = np.full(n_items, -1, np.int64), np.full(n_items, -1, np.int64)
    keys, points = np.empty((k, k, length)), np.empty((k, k, length), np.int64)
    count, cutoff = np.zeros((k, k), np.int64), np.full((k, k), np.inf)
    for i in range(n):
        a = labels[i]
        enter(labels, first, following, before, i, a)
        for b in range(k):
            if b != a:
                insert(keys, points, count, cutoff, a, b, cost[i, b] - cost[i, a], i)
    arcs = np.full((k, k), np.inf)
    distance, previous = np.empty(k + 1), np.empty(k + 1, np.int64)
    done, touched = np.zeros(k + 1, np.bool_), np.ones(k + 1, np.bool_)
    moves = 0
    while True:
        for v in range(k + 1):
            if abs(excess[v]) <= small:
                excess[v] = 0.0
        if excess.max() <= 0 or excess.min() >= 0:
            break
        refresh(arcs, touched, cost, labels, first, following, keys, points, count, cutoff)
        target = shortest_path(arcs, potential, flow, lower, upper, excess, distance, previous, done)
        if target < 0:
            return -1
        for v in range(k + 1):
            potential[v] += min(distance[v], distance[target])
        amount, v = -excess[target], target
        while previous[v] >= 0:  # how much can go along the path
            u = previous[v]
            if v == k:
                amount = min(amount, upper[u] - flow[u])
            elif u == k:
                amount = min(amount, flow[v] - lower[v])
            else:
                amount = min(amount, amounts[points[u, v, count[u, v] - 1]])
            v = u
        amount = min(amount, excess[v])
        excess[v] -= amount
        excess[target] += amount
        touched[:] = False
        v = target
        while previous[v] >= 0:
            u = previous[v]
            if v == k:
                flow[u] += amount
                if upper[u] - flow[u] <= small:
                    flow[u] = upper[u]
            elif u == k:
                flow[v] -= amount
                if flow[v] - lower[v] <= small:
                    flow[v] = lower[v]
            else:
                moves += 1
                touched[u] = touched[v] = True
                i = points[u, v, count[u, v] - 1]
                r = owner[i]
                there = _piece_in(owner, labels, n, r, v)
                arrives = -1
                if amounts[i] - amount > small:  # it is split
                    amounts[i] -= amount
                    if there >= 0:
                        amounts[there] += amount
                    else:
                        arrives = n
                        while arrives < n_items and labels[arrives] >= 0:
                            arrives += 1
                        if arrives == n_items:
                            return -2
                        owner[arrives], amounts[arrives] = r, amount
                        cost[arrives] = cost[r]
                        enter(labels, first, following, before, arrives, v)
                elif there >= 0 and i >= n:
                    amounts[there] += amounts[i]
                    _vanish(labels, first, following, before, keys, points, count, i)
                else:
                    if there >= 0:  # the point itself takes in the piece that was sent ahead
                        amounts[i] += amounts[there]
                        _vanish(labels, first, following, before, keys, points, count, there)
                    if i < n:
                        leave(labels, first, following, before, i)
                    else:
                        _vanish(labels, first, following, before, keys, points, count, i)
                    enter(labels, first, following, before, i, v)
                    arrives = i
                if arrives >= 0:
                    for b in range(k):
                        if b != v:
                            insert(keys, points, count, cutoff, v, b, cost[arrives, b] - cost[arrives, v], arrives)
            v = u
    for h in range(k):
        prices[h] = potential[h] - potential[k]
    return moves
