"""Dendrograms in scipy's linkage format: building them from merges, cutting them. All by union-find."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def find(parent, i):
    """The root of i, halving the path on the way."""
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


@njit(cache=True, nogil=True)
def merges_to_linkage(left, right, height, size):
    """scipy's linkage matrix of merges sorted by height.

    ``left[t]`` and ``right[t]`` are any objects of the two groups merged at step t; ``size`` (n,) is what each object
    counts for.
    """
    n = len(size)
    parent = np.arange(n)
    node = np.arange(n)  # the dendrogram's node that stands for each root
    total = size.copy()
    out = np.empty((len(left), 4))
    for t in range(len(left)):
        a, b = find(parent, left[t]), find(parent, right[t])
        low, high = min(node[a], node[b]), max(node[a], node[b])
        parent[b] = a
        total[a] += total[b]
        node[a] = n + t
        out[t, 0], out[t, 1], out[t, 2], out[t, 3] = low, high, height[t], total[a]
    return out


@njit(cache=True, nogil=True)
def groups_after(linkage, n, n_merges):
    """The group of each object after the first merges of a dendrogram, numbered by first occurrence."""
    parent = np.arange(2 * n - 1)
    for t in range(n_merges):
        parent[int(linkage[t, 0])] = n + t
        parent[int(linkage[t, 1])] = n + t
    number = np.full(2 * n - 1, -1, np.int64)
    labels = np.empty(n, np.int64)
    k = 0
    for i in range(n):
        root = find(parent, i)
        if number[root] < 0:
            number[root] = k
            k += 1
        labels[i] = number[root]
    return labels


@njit(cache=True, nogil=True)
def merging_edges(cluster, n_clusters, first, second):
    """Which edges between objects, in this order, join clusters that no edge before has joined."""
    parent = np.arange(n_clusters)
    merging = np.zeros(len(first), np.bool_)
    for edge in range(len(first)):
        a, b = find(parent, cluster[first[edge]]), find(parent, cluster[second[edge]])
        if a != b:
            parent[b] = a
            merging[edge] = True
    return merging


@njit(cache=True, nogil=True)
def rising(height, strict_from):
    """Heights raised to the one before where they are lower; from a row on they are strictly higher, if finite."""
    out = height.copy()
    for t in range(1, len(out)):
        out[t] = max(out[t], np.nextafter(out[t - 1], np.inf) if t >= strict_from else out[t - 1])
    return out
