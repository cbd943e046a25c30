"""The minimum spanning tree of points in few dimensions: Borůvka's rounds over a k-d tree, O(n log n) a round.

In each round every component finds its shortest edge to another one, and all of these are added. A point looks for its
nearest neighbor in another component by walking down the k-d tree. It skips boxes that are farther than the shortest
edge its component has found so far, and boxes whose points are all in its own component. Components only grow, so the
neighbor that a point found in an earlier round is still its nearest as long as it is in another component.

Edges are ordered by length and then by the lower and the higher number of their ends, so the tree is unique: it is the
one that ``tree_of_features`` finds.
"""

import numpy as np
from numba import njit

_LEAF = 16


@njit(cache=True, nogil=True)
def distinct_points_tree(X):
    """The tree of distinct rows: both ends and the length of each edge, shortest first."""
    n = len(X)
    order, starts, stops, low, high = boxes(X)
    component = np.arange(n)
    found = np.full(n, -1, np.int64)  # the nearest point in another component, and its squared distance
    squared = np.zeros(n)
    first, second, length = np.empty(n - 1, np.int64), np.empty(n - 1, np.int64), np.empty(n - 1)
    n_edges = 0
    while n_edges < n - 1:
        shared = shared_components(order, starts, stops, component)
        best = np.full(n, np.inf)  # of each component: the shortest edge
        near, far = np.full(n, -1, np.int64), np.full(n, -1, np.int64)
        for place in range(n):
            i = order[place]
            c = component[i]
            if squared[i] > best[c]:
                continue  # what it found before was farther, and its nearest now is no nearer
            if found[i] < 0 or component[found[i]] == c:
                _search(X, i, c, component, shared, order, starts, stops, low, high, best[c], found, squared)
            if found[i] >= 0 and _comes_first(squared[i], i, found[i], best[c], near[c], far[c]):
                best[c], near[c], far[c] = squared[i], i, found[i]
        for c in range(n):
            if near[c] >= 0 and _root(component, near[c]) != _root(component, far[c]):
                component[_root(component, far[c])] = _root(component, near[c])
                first[n_edges], second[n_edges], length[n_edges] = near[c], far[c], np.sqrt(best[c])
                n_edges += 1
        for i in range(n):
            component[i] = _root(component, i)
    by_length = np.argsort(length)
    return first[by_length], second[by_length], length[by_length]


@njit(cache=True, nogil=True)
def boxes(X):
    """A balanced k-d tree, the children of node i at 2i + 1 and 2i + 2: the order of the points, the range of each
    node in that order, and the corners of its box."""
    n, d = X.shape
    levels = 1
    while n > _LEAF * 2 ** (levels - 1):
        levels += 1
    n_nodes = 2**levels - 1
    order = np.arange(n)
    starts, stops = np.zeros(n_nodes, np.int64), np.zeros(n_nodes, np.int64)
    low, high = np.empty((n_nodes, d)), np.empty((n_nodes, d))
    stops[0] = n
    for node in range(n_nodes):
        start, stop = starts[node], stops[node]
        low[node], high[node] = np.inf, -np.inf
        for place in range(start, stop):
            for f in range(d):
                value = X[order[place], f]
                low[node, f], high[node, f] = min(low[node, f], value), max(high[node, f], value)
        if 2 * node + 2 < n_nodes:
            widest = np.argmax(high[node] - low[node])
            inside = order[start:stop].copy()
            order[start:stop] = inside[np.argsort(X[inside, widest])]
            middle = (start + stop) // 2
            starts[2 * node + 1], stops[2 * node + 1] = start, middle
            starts[2 * node + 2], stops[2 * node + 2] = middle, stop
    return order, starts, stops, low, high


@njit(cache=True, nogil=True)
def shared_components(order, starts, stops, component):
    """The component that all points of a node are in; -1 if there are several."""
    n_nodes = len(starts)
    shared = np.empty(n_nodes, np.int64)
    for node in range(n_nodes - 1, -1, -1):
        if 2 * node + 2 < n_nodes:
            left, right = shared[2 * node + 1], shared[2 * node + 2]
            shared[node] = left if left == right else -1
        else:
            shared[node] = component[order[starts[node]]]
            for place in range(starts[node] + 1, stops[node]):
                if component[order[place]] != shared[node]:
                    shared[node] = -1
    return shared


@njit(cache=True, nogil=True)
def _search(X, i, c, component, shared, order, starts, stops, low, high, bound, found, squared):
    """The nearest point of another component within a bound, in ``found`` and ``squared``; else how far none is."""
    stack = np.empty(64, np.int64)
    stack[0] = 0
    height = 1
    nearest, least = -1, bound
    while height > 0:
        height -= 1
        node = stack[height]
        if shared[node] == c or _box_distance(X[i], low[node], high[node]) > least:
            continue
        if 2 * node + 2 < len(starts):
            left, right = 2 * node + 1, 2 * node + 2
            if _box_distance(X[i], low[left], high[left]) < _box_distance(X[i], low[right], high[right]):
                left, right = right, left
            stack[height], stack[height + 1] = left, right  # the nearer one is looked at first
            height += 2
            continue
        for place in range(starts[node], stops[node]):
            j = order[place]
            if component[j] == c:
                continue
            distance = 0.0
            for f in range(X.shape[1]):
                distance += (X[i, f] - X[j, f]) ** 2
            if distance < least or (distance == least and (nearest < 0 or j < nearest)):
                nearest, least = j, distance
    found[i] = nearest
    squared[i] = least


@njit(cache=True, nogil=True)
def _box_distance(x, low, high):
    """The squared distance of a point to a box."""
    total = 0.0
    for f in range(len(x)):
        outside = max(low[f] - x[f], x[f] - high[f], 0.0)
        total += outside * outside
    return total


@njit(cache=True, nogil=True)
def _comes_first(squared, i, j, best, near, far):
    if squared != best or near < 0:
        return squared < best or near < 0
    low, best_low = min(i, j), min(near, far)
    return low < best_low or (low == best_low and max(i, j) < max(near, far))


@njit(cache=True, nogil=True)
def _root(component, i):
    while component[i] != i:
        component[i] = component[component[i]]
        i = component[i]
    return i
