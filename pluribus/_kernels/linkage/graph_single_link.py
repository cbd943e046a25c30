"""Single link on the pairs that a sparse matrix of evidence holds: Kruskal's forest, and edges between its trees."""

import numpy as np
from numba import njit

from pluribus._kernels.labels.pair_counts import both_seen, together_with
from pluribus._kernels.linkage.dendrogram import find


@njit(cache=True, nogil=True)
def pairs_by_level(indptr, indices, values, n_levels):
    """The pairs i < j of a symmetric CSR matrix whose values are multiples of 1 / n_levels, the highest first.

    Returns (left, right, value); counting sort, so pairs of one value stay in the order of i, then j.
    """
    n = len(indptr) - 1
    ends = np.zeros(n_levels + 2, np.int64)
    for i in range(n):
        for t in range(indptr[i], indptr[i + 1]):
            if indices[t] > i:
                ends[n_levels - round(values[t] * n_levels) + 1] += 1
    for level in range(n_levels + 1):
        ends[level + 1] += ends[level]
    left, right = np.empty(ends[-1], np.int32), np.empty(ends[-1], np.int32)
    value = np.empty(ends[-1], np.float64)
    for i in range(n):
        for t in range(indptr[i], indptr[i + 1]):
            if indices[t] > i:
                level = n_levels - round(values[t] * n_levels)
                at = ends[level]
                left[at], right[at], value[at] = i, indices[t], values[t]
                ends[level] += 1
    return left, right, value


@njit(cache=True, nogil=True)
def spanning_forest(left, right, parent):
    """Which of the pairs, the strongest first, join two trees; ``parent`` (union-find) is changed."""
    joins = np.empty(max(len(parent) - 1, 0), np.int64)
    found = 0
    for t in range(len(left)):
        a, b = find(parent, left[t]), find(parent, right[t])
        if a != b:
            parent[max(a, b)] = min(a, b)
            joins[found] = t
            found += 1
            if found == len(joins):
                break
    return joins[:found]


@njit(cache=True, nogil=True)
def merge_forests(n, left_a, right_a, value_a, left_b, right_b, value_b):
    """The maximum spanning forest of two forests, all with the strongest pairs first, then in the order of their ends.

    That is the forest of all pairs which the two are made of.
    """
    parent = np.arange(n)
    most = min(len(left_a) + len(left_b), n - 1)
    left, right, value = np.empty(most, left_a.dtype), np.empty(most, left_a.dtype), np.empty(most)
    a = b = found = 0
    while found < most and (a < len(left_a) or b < len(left_b)):
        if b == len(left_b):
            is_a = True
        elif a == len(left_a):
            is_a = False
        elif value_a[a] != value_b[b]:
            is_a = value_a[a] > value_b[b]
        elif left_a[a] != left_b[b]:
            is_a = left_a[a] < left_b[b]
        else:
            is_a = right_a[a] <= right_b[b]
        if is_a:
            i, j, v = left_a[a], right_a[a], value_a[a]
            a += 1
        else:
            i, j, v = left_b[b], right_b[b], value_b[b]
            b += 1
        root_i, root_j = find(parent, i), find(parent, j)
        if root_i != root_j:
            parent[max(root_i, root_j)] = min(root_i, root_j)
            left[found], right[found], value[found] = i, j, v
            found += 1
    return left[:found], right[:found], value[:found]


@njit(cache=True, nogil=True)
def components(parent):
    """The component of each object, numbered by first occurrence."""
    number = np.full(len(parent), -1, np.int64)
    component = np.empty(len(parent), np.int64)
    n_found = 0
    for i in range(len(parent)):
        root = find(parent, i)
        if number[root] < 0:
            number[root] = n_found
            n_found += 1
        component[i] = number[root]
    return component


@njit(cache=True, nogil=True)
def most_leaving(labels, offsets, weights, component):
    """For each object the weight of its clusters that hold other components too: no evidence for these is more."""
    n, r = labels.shape
    holds = np.full(offsets[r], -1, np.int64)  # the one component, or -2 for several
    for i in range(n):
        for p in range(r):
            if labels[i, p] >= 0:
                c = offsets[p] + labels[i, p]
                if holds[c] == -1:
                    holds[c] = component[i]
                elif holds[c] != component[i]:
                    holds[c] = -2
    most = np.zeros(n)
    for i in range(n):
        for p in range(r):
            if labels[i, p] >= 0 and holds[offsets[p] + labels[i, p]] == -2:
                most[i] += weights[p]
    return most


@njit(cache=True, nogil=True)
def strongest_leaving(
    tried, tried_starts, most, component, labels, offsets, weights, starts, members, missing, source, target, evidence
):
    """The strongest pair that leaves each component: from ``source`` to ``target``, with ``evidence``; 0 = none.

    Tried are for component c the objects tried[tried_starts[c] : tried_starts[c + 1]], the most promising first.
    """
    n = labels.shape[0]
    everything = weights.sum()
    total, touched = np.zeros(n), np.empty(n, np.int64)
    for c in range(len(source)):
        for t in range(tried_starts[c], tried_starts[c + 1]):
            i = tried[t]
            if not missing and most[i] / everything <= evidence[c]:
                break
            m = together_with(i, labels, offsets, weights, starts, members, total, touched)
            for s in range(m):
                j = touched[s]
                together = total[j]
                total[j] = 0
                if component[j] != c:
                    value = together / (both_seen(i, j, labels, weights) if missing else everything)
                    if value > evidence[c] or (value == evidence[c] and i == source[c] and j < target[c]):
                        source[c], target[c], evidence[c] = i, j, value
