"""Minimum spanning trees of all pairs by Prim: O(n²) time, O(n) memory."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def tree_of_features(X, index):
    """The tree of the rows ``index`` by Euclidean distance: both ends (as places in index) and length of each edge."""
    n, d = len(index), X.shape[1]
    first, second, length = np.empty(n - 1, np.int64), np.empty(n - 1, np.int64), np.empty(n - 1)
    best = np.full(n, np.inf)
    source = np.zeros(n, np.int64)
    outside = np.arange(1, n)  # objects not in the tree, in any order
    here = 0
    for step in range(n - 1):
        x = X[index[here]]
        nearest = 0
        for place in range(n - 1 - step):
            other = outside[place]
            y = X[index[other]]
            squared = 0.0
            for f in range(d):
                squared += (x[f] - y[f]) ** 2
            if _shorter(squared, here, best[other], source[other], other):
                best[other] = squared
                source[other] = here
            if _before(best, source, other, outside[nearest]):
                nearest = place
        here = outside[nearest]
        outside[nearest] = outside[n - 2 - step]
        first[step], second[step], length[step] = source[here], here, np.sqrt(best[here])
    return first, second, length


@njit(cache=True, nogil=True)
def tree_of_distances(D, index):
    """The same from given distances."""
    n = len(index)
    first, second, length = np.empty(n - 1, np.int64), np.empty(n - 1, np.int64), np.empty(n - 1)
    best = np.full(n, np.inf)
    source = np.zeros(n, np.int64)
    outside = np.arange(1, n)
    here = 0
    for step in range(n - 1):
        row = D[index[here]]
        nearest = 0
        for place in range(n - 1 - step):
            other = outside[place]
            distance = row[index[other]]
            if _shorter(distance, here, best[other], source[other], other):
                best[other] = distance
                source[other] = here
            if _before(best, source, other, outside[nearest]):
                nearest = place
        here = outside[nearest]
        outside[nearest] = outside[n - 2 - step]
        first[step], second[step], length[step] = source[here], here, best[here]
    return first, second, length


@njit(cache=True, nogil=True)
def _shorter(length, end, best, best_end, other):
    """Whether the edge from ``end`` to ``other`` comes before the best so far: shorter, then of lower numbers."""
    if length != best:
        return length < best
    low, best_low = min(end, other), min(best_end, other)
    return low < best_low or (low == best_low and max(end, other) < max(best_end, other))


@njit(cache=True, nogil=True)
def _before(best, source, a, b):
    """Whether a joins the tree before b: nearer, then by the lower numbers of the edge's ends."""
    if best[a] != best[b]:
        return best[a] < best[b]
    low_a, low_b = min(a, source[a]), min(b, source[b])
    return low_a < low_b or (low_a == low_b and max(a, source[a]) < max(b, source[b]))


@njit(cache=True, nogil=True)
def growth_increments(first, second, length):
    """For each vertex, each of its edges minus its shortest one, that one left out: n - 2 values of a tree of n."""
    n = len(length) + 1
    shortest = np.full(n, -1, np.int64)
    for edge in range(n - 1):
        for end in (first[edge], second[edge]):
            if shortest[end] < 0 or length[edge] < length[shortest[end]]:
                shortest[end] = edge
    out = np.empty(max(n - 2, 0))
    filled = 0
    for edge in range(n - 1):
        for end in (first[edge], second[edge]):
            if shortest[end] != edge:
                out[filled] = length[edge] - length[shortest[end]]
                filled += 1
    return out
