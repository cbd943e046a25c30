"""Assign points to clusters at the least cost, with bounds on the sizes of the clusters.

Successive shortest paths on the graph of the k clusters and a sink, not of the n points: a point that changes from
cluster a to b is an arc, and of all points in a only the cheapest to move matters. ``keys[a, b]`` holds the cheapest
ones, in descending order, so that the last is the next to move; all others in a cost ``cutoff[a, b]`` or more.
"""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def nearest_by_price(cost, prices, labels):
    """The cluster of least cost minus price, the first one on ties."""
    n, k = cost.shape
    for i in range(n):
        best, best_h = cost[i, 0] - prices[0], 0
        for h in range(1, k):
            value = cost[i, h] - prices[h]
            if value < best:
                best, best_h = value, h
        labels[i] = best_h


@njit(cache=True, nogil=True)
def insert(keys, points, count, cutoff, a, b, key, point):
    """Put a point among those that are cheapest to move from a to b, if it is one of them."""
    if key >= cutoff[a, b]:
        return
    room = keys.shape[2]
    row, who = keys[a, b], points[a, b]
    m = count[a, b]
    if m == room:
        if key >= row[0]:
            cutoff[a, b] = min(cutoff[a, b], key)
            return
        cutoff[a, b] = min(cutoff[a, b], row[0])
        place = 0
        while place + 1 < m and row[place + 1] > key:
            row[place], who[place] = row[place + 1], who[place + 1]
            place += 1
    else:
        place = m
        while place > 0 and row[place - 1] < key:
            row[place], who[place] = row[place - 1], who[place - 1]
            place -= 1
        count[a, b] = m + 1
    row[place], who[place] = key, point


@njit(cache=True, nogil=True)
def cheapest(cost, labels, first, following, keys, points, count, cutoff, a, b):
    """The cost of moving a point from a to b, inf if a is empty; the point is the last in its list."""
    while True:
        m = count[a, b]
        while m > 0 and labels[points[a, b, m - 1]] != a:  # it has left
            m -= 1
        count[a, b] = m
        if m > 0:
            return keys[a, b, m - 1]
        if cutoff[a, b] == np.inf:
            return np.inf
        cutoff[a, b] = np.inf
        i = first[a]
        while i >= 0:
            key = cost[i, b] - cost[i, a]
            if key < cutoff[a, b]:  # a call costs more than to see that it is in vain
                insert(keys, points, count, cutoff, a, b, key, i)
            i = following[i]
        if count[a, b] == 0:
            return np.inf


@njit(cache=True, nogil=True)
def refresh(arcs, touched, cost, labels, first, following, keys, points, count, cutoff):
    """The cheapest moves out of clusters that were touched."""
    k = len(arcs)
    for a in range(k):
        if touched[a]:
            for b in range(k):
                if b != a:
                    arcs[a, b] = cheapest(cost, labels, first, following, keys, points, count, cutoff, a, b)


@njit(cache=True, nogil=True)
def leave(labels, first, following, before, i):
    """Take a point out of its cluster's list."""
    if before[i] >= 0:
        following[before[i]] = following[i]
    else:
        first[labels[i]] = following[i]
    if following[i] >= 0:
        before[following[i]] = before[i]
    labels[i] = -1


@njit(cache=True, nogil=True)
def enter(labels, first, following, before, i, b):
    """Put a point into the list of a cluster."""
    before[i], following[i] = -1, first[b]
    if first[b] >= 0:
        before[first[b]] = i
    first[b] = i
    labels[i] = b


@njit(cache=True, nogil=True)
def clip_prices(prices, lower, upper, total, small):
    """The prices, as potentials of clusters and sink: none above 0 without a lower bound, none below without upper."""
    k = len(prices)
    potential = np.zeros(k + 1)
    for h in range(k):
        price = prices[h]
        if upper[h] >= total - small:
            price = max(price, 0.0)
        if lower[h] <= small:
            price = min(price, 0.0)
        potential[h] = price
    return potential


@njit(cache=True, nogil=True)
def flow_at(potential, size, lower, upper, total):
    """The flow from clusters of this size to the sink that goes with the potentials, and what is too much where."""
    k = len(size)
    flow = np.empty(k, size.dtype)
    excess = np.zeros(k + 1, size.dtype)
    for h in range(k):
        if potential[h] > 0:
            flow[h] = lower[h]
        elif potential[h] < 0:
            flow[h] = upper[h]
        else:
            flow[h] = min(max(size[h], lower[h]), upper[h])
        excess[h] = size[h] - flow[h]
        excess[k] += flow[h]
    excess[k] -= total
    return flow, excess


@njit(cache=True, nogil=True)
def shortest_path(arcs, prices, flow, lower, upper, excess, distance, previous, done):
    """Dijkstra from all nodes with too much; return the nearest with too little, or -1. Node k is the sink."""
    k = len(lower)
    for v in range(k + 1):
        distance[v] = 0.0 if excess[v] > 0 else np.inf
        previous[v] = -1
        done[v] = False
    for _ in range(k + 1):
        u = -1
        for v in range(k + 1):
            if not done[v] and distance[v] < np.inf and (u < 0 or distance[v] < distance[u]):
                u = v
        if u < 0 or excess[u] < 0:
            return u
        done[u] = True
        for v in range(k + 1):
            if done[v]:
                continue
            if u == k:
                length = 0.0 if flow[v] > lower[v] else np.inf
            elif v == k:
                length = 0.0 if flow[u] < upper[u] else np.inf
            else:
                length = arcs[u, v]
            if length < np.inf:
                far = distance[u] + max(length + prices[u] - prices[v], 0.0)
                if far < distance[v]:
                    distance[v], previous[v] = far, u
    return -1


@njit(cache=True, nogil=True)
def total_cost(cost, labels):
    """Of all points in their clusters."""
    total = 0.0
    for i in range(len(labels)):
        total += cost[i, labels[i]]
    return total


@njit(cache=True, nogil=True)
def assign_within_bounds(cost, lower, upper, prices, labels, length, most):
    """Fill ``labels`` with an assignment of least cost whose sizes are within the bounds.

    Parameters
    ----------
    cost : (n, k)
    lower, upper : (k,)
        lower <= upper, and sum(lower) <= n <= sum(upper).
    prices : (k,)
        A guess of the prices, for example those of a sample; on return those of the optimum: each point is in a
        cluster of least cost minus price.
    labels : (n,)
    length : int
        How many of the cheapest moves between two clusters to keep.
    most : int
        Give up at once if more points than this are too many in their clusters at the guessed prices: others may be
        better.

    Returns
    -------
    moves : int
        Points that changed their cluster, -1 if the bounds cannot be met, -2 if it was given up.
    """
    n, k = cost.shape
    potential = clip_prices(prices, lower, upper, n, 0)
    nearest_by_price(cost, potential, labels)
    size = np.zeros(k, np.int64)
    for i in range(n):
        size[labels[i]] += 1
    flow, excess = flow_at(potential, size, lower, upper, n)
    if excess.max() <= 0:  # the guess was right
        prices[:] = potential[:k]
        return 0
    if np.maximum(excess, 0).sum() > most:
        return -2
    first = np.full(k, -1, np.int64)
    following, before = np.full(n, -1, np.int64), np.full(n, -1, np.int64)
    keys, points = np.empty((k, k, length)), np.empty((k, k, length), np.int64)
    count, cutoff = np.zeros((k, k), np.int64), np.full((k, k), np.inf)
    for i in range(n):
        a = labels[i]
        enter(labels, first, following, before, i, a)
        for b in range(k):
            key = cost[i, b] - cost[i, a]
            if key < cutoff[a, b] and b != a:
                insert(keys, points, count, cutoff, a, b, key, i)
    arcs = np.full((k, k), np.inf)
    distance, previous = np.empty(k + 1), np.empty(k + 1, np.int64)
    done, touched = np.zeros(k + 1, np.bool_), np.ones(k + 1, np.bool_)
    moves = 0
    while excess.max() > 0:
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
                amount = 1
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
            elif u == k:
                flow[v] -= amount
            else:
                i = points[u, v, count[u, v] - 1]
                leave(labels, first, following, before, i)
                enter(labels, first, following, before, i, v)
                for b in range(k):
                    if b != v:
                        insert(keys, points, count, cutoff, v, b, cost[i, b] - cost[i, v], i)
                touched[u] = touched[v] = True
                moves += 1
            v = u
    for h in range(k):
        prices[h] = potential[h] - potential[k]
    return moves
