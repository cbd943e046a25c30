"""A minimum spanning tree of points by mutual reachability, from lists of their nearest neighbors.

Distances are squared. The length of an edge is max(core_i, core_j, distance); cores of 0 give the Euclidean tree. Edges
of equal length are ordered by distance.

Borůvka's rounds go over the lists as long as these decide. A point that is not in the list of i is no nearer to i than
the last one in it. So the shortest edge that the lists have for a component is the shortest of all, if it is no longer
than the last place of each of its lists (`certain_edges`). Edges are added one by one, and only between components that
are still apart, so ties need no further order. The components that are left are large, and few. Their shortest edges to
each other come from one pass over all pairs: in few dimensions by the boxes of a k-d tree (`shorten_links_by_boxes`),
else from distances by matrix products (`shorten_links`), which are inexact: those that may be shorter than the shortest
so far are computed again from differences.
"""

import numpy as np
from numba import njit

from pluribus._kernels.linkage.dendrogram import find
from pluribus._kernels.linkage.euclidean_tree import boxes, shared_components


@njit(cache=True, nogil=True)
def certain_edges(neighbors, squared, core, component, first, second, length):
    """Join components along edges of the lists that belong to the tree, and return their number.

    ``component`` is a union-find forest, flat at the end. Each list is in the order of lengths.
    """
    n, n_listed = neighbors.shape
    last = np.full(n, np.inf)  # what is not in the list is at least that far
    if n_listed < n - 1:
        for i in range(n):
            last[i] = squared[i].max()
    place = np.zeros(n, np.int64)  # in each list: the first neighbor that may be in another component
    n_edges, n_before = 0, -1
    while n_edges > n_before:
        n_before = n_edges
        floor = np.full(n, np.inf)
        best, apart = np.full(n, np.inf), np.full(n, np.inf)
        near, far = np.full(n, -1, np.int64), np.full(n, -1, np.int64)
        for i in range(n):
            c = component[i]
            floor[c] = min(floor[c], last[i])
            while place[i] < n_listed and component[neighbors[i, place[i]]] == c:
                place[i] += 1
            if place[i] == n_listed:
                continue
            j, s = neighbors[i, place[i]], squared[i, place[i]]
            reach = max(s, core[i], core[j])
            if reach < best[c] or (reach == best[c] and s < apart[c]):
                best[c], apart[c], near[c], far[c] = reach, s, i, j
        for c in range(n):
            if near[c] < 0 or best[c] > floor[c] or (best[c] == floor[c] and apart[c] > floor[c]):
                continue
            one, other = find(component, near[c]), find(component, far[c])
            if one != other:
                component[other] = one
                first[n_edges], second[n_edges], length[n_edges] = near[c], far[c], best[c]
                n_edges += 1
        for i in range(n):
            component[i] = find(component, i)
    return n_edges


@njit(cache=True, nogil=True)
def shorten_links(X, core, group, rows, columns, squared, error, reach, apart, ends):
    """Shorten the links between groups by the pairs of some rows and columns, whose distances are known up to an error.

    The links are symmetric matrices: the length, the distance, and both ends of the shortest edge so far.
    """
    there = group[columns]
    for a in range(len(rows)):
        i = rows[a]
        here = group[i]
        for b in range(len(columns)):
            if squared[a, b] - error <= reach[here, there[b]]:
                _shorten(X, core, group, i, columns[b], reach, apart, ends)


@njit(cache=True, nogil=True)
def shorten_links_by_boxes(X, core, group, reach, apart, ends):
    """Shorten the links between groups by all pairs, without those in leaves of a k-d tree that are too far apart."""
    order, starts, stops, low, high = boxes(X)
    shared = shared_components(order, starts, stops, group)
    first_leaf, n_nodes = len(starts) // 2, len(starts)
    for a in range(
        first_leaf, n_nodes
    ):  # one pair of each two leaves: no link is much longer than the shortest of these
        for b in range(first_leaf, a):
            _shorten(X, core, group, order[starts[a]], order[starts[b]], reach, apart, ends)
    for a in range(first_leaf, n_nodes):
        for b in range(first_leaf, a + 1):
            if shared[a] >= 0 and shared[b] >= 0:
                limit = reach[shared[a], shared[b]]
                if shared[a] == shared[b] or _between_boxes(low[a], high[a], low[b], high[b]) > limit:
                    continue
            for i in order[starts[a] : stops[a]]:
                for j in order[starts[b] : stops[b]]:
                    _shorten(X, core, group, i, j, reach, apart, ends)


@njit(cache=True, nogil=True)
def _shorten(X, core, group, i, j, reach, apart, ends):
    """Shorten the link between the groups of two points, if their edge is shorter."""
    one, other = group[i], group[j]
    limit = reach[one, other]
    if one == other or core[i] > limit or core[j] > limit:
        return
    s = 0.0
    for f in range(X.shape[1]):
        difference = X[i, f] - X[j, f]
        s += difference * difference
    length = max(s, core[i], core[j])
    if length < limit or (length == limit and s < apart[one, other]):
        reach[one, other] = reach[other, one] = length
        apart[one, other] = apart[other, one] = s
        ends[one, other, 0] = ends[other, one, 0] = i
        ends[one, other, 1] = ends[other, one, 1] = j


@njit(cache=True, nogil=True)
def _between_boxes(low, high, other_low, other_high):
    """The squared distance between two boxes."""
    total = 0.0
    for f in range(len(low)):
        gap = max(low[f] - other_high[f], other_low[f] - high[f], 0.0)
        total += gap * gap
    return total
