"""Genie: single link along a spanning tree that merges the smallest clusters first when sizes become too unequal.

The inequality of m clusters of n objects is the Gini index of their sizes, G = Σ_{i<j} |c_i - c_j| / ((m - 1) n). The
sum is updated with each merge from a histogram of sizes. At most √(2n) sizes occur at a time; they are in a linked
list, and so are the edges that are not used yet. The smallest clusters only become fewer as long as their size stays
the smallest one. So the search for an edge at one of them continues where it stopped. It starts again when the smallest
size s grows; then at most n / s edges are left.
"""

import numpy as np
from numba import njit

from pluribus._kernels.labels.first_occurrence import number_by_first_occurrence
from pluribus._kernels.linkage.dendrogram import find


@njit(cache=True, nogil=True)
def genie_labels(first, second, n_clusters, threshold):
    """The cluster of each object, by first occurrence, from the edges of a spanning tree in ascending order."""
    n = len(first) + 1
    parent = np.arange(n)
    for edge in genie_merges(first, second, n_clusters, threshold):
        parent[find(parent, second[edge])] = find(parent, first[edge])
    for i in range(n):
        parent[i] = find(parent, i)
    return number_by_first_occurrence(parent, n)


@njit(cache=True, nogil=True)
def genie_merges(first, second, n_clusters, threshold):
    """The edges of a spanning tree, given in ascending order, in the order in which Genie merges along them.

    Fewer clusters only add merges at the end.
    """
    n = len(first) + 1
    merged = np.empty(max(n - n_clusters, 0), np.int64)
    parent, size = np.arange(n), np.ones(n, np.int64)
    count, larger = np.zeros(n + 2, np.int64), np.zeros(n + 2, np.int64)  # of each size; the next one that occurs
    larger[0] = n + 1
    _add(count, larger, 1)
    count[1] = n
    after, before = np.arange(1, n + 2), np.arange(-1, n)  # unused edges next to each, counted from 1; 0 is no edge
    spread, smallest, start = 0, 0, 0
    for m in range(n, n_clusters, -1):
        edge = after[0]  # the shortest that is unused
        if spread > threshold * ((m - 1) * n):
            if smallest != larger[0]:
                smallest, start = larger[0], edge
            edge = start
            while min(size[find(parent, first[edge - 1])], size[find(parent, second[edge - 1])]) > smallest:
                edge = after[edge]
            start = edge
        if edge == start:
            start = after[edge]
        after[before[edge]], before[after[edge]] = after[edge], before[edge]
        merged[n - m] = edge - 1
        into, other = find(parent, first[edge - 1]), find(parent, second[edge - 1])
        if size[into] < size[other]:
            into, other = other, into
        for cluster in (into, other):
            spread -= _differences(count, larger, size[cluster])
            _remove(count, larger, size[cluster])
        parent[other] = into
        size[into] += size[other]
        spread += _differences(count, larger, size[into])
        _add(count, larger, size[into])
    return merged


@njit(cache=True, nogil=True)
def _differences(count, larger, size):
    """Σ |c_i - size| over all clusters."""
    total = 0
    here = larger[0]
    while here < len(count) - 1:
        total += count[here] * abs(here - size)
        here = larger[here]
    return total


@njit(cache=True, nogil=True)
def _add(count, larger, size):
    """Count a cluster of a size."""
    if count[size] == 0:
        here = 0
        while larger[here] < size:
            here = larger[here]
        larger[here], larger[size] = size, larger[here]
    count[size] += 1


@njit(cache=True, nogil=True)
def _remove(count, larger, size):
    """Count a cluster of a size no more."""
    count[size] -= 1
    if count[size] == 0:
        here = 0
        while larger[here] < size:
            here = larger[here]
        larger[here] = larger[size]
