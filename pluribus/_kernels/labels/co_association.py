"""Rows, pairs and products of the co-association c_ij = (weight together) / (weight both clustered).

All take the label array, the member lists (see ``_pair_counts``) and a range of rows, and none makes an n × n array.

The denominator: if no label is missing it is ``everywhere``, the weight of all partitions. Otherwise ``everywhere`` is
0 and it is looked up for each pair, eight partitions at a time: ``covered`` (n, r / 8) holds a bit for each partition
that covers the object, and ``byte_weights`` (r / 8, 256) the weight of each set of eight partitions.
"""

import numpy as np
from numba import njit

from pluribus._kernels.labels.pair_counts import together_with


@njit(cache=True, nogil=True)
def ratio(i, j, together, everywhere, covered, byte_weights):
    """c_ij from the weight together; 1 on the diagonal."""
    if i == j:
        return 1.0
    both = everywhere
    if both == 0:
        for b in range(covered.shape[1]):
            both += byte_weights[b, covered[i, b] & covered[j, b]]
    return min(together / both, 1.0)


@njit(cache=True, nogil=True)
def evidence_rows(
    labels, offsets, weights, starts, members, everywhere, covered, byte_weights, min_count, capacity, start, stop
):
    """Rows start … stop as CSR (indptr, indices, values), the columns of a row in any order.

    Pairs together by less than ``min_count`` are left out; the diagonal stays. ``capacity`` is how many entries to
    reckon with; if there are more, room is made.
    """
    n = labels.shape[0]
    total, partners = np.zeros(n, weights.dtype), np.empty(n, np.int32)
    indptr = np.zeros(stop - start + 1, np.int64)
    indices, values = np.empty(capacity, np.int32), np.empty(capacity, np.float64)
    size = 0
    for i in range(start, stop):
        m = together_with(i, labels, offsets, weights, starts, members, total, partners)
        if total[i] == 0:  # covered by partitions of weight 0 only
            partners[m] = i
            m += 1
        if size + m > capacity:
            capacity = max(size + m, capacity + capacity // 2)
            more_indices, more_values = np.empty(capacity, np.int32), np.empty(capacity, np.float64)
            more_indices[:size], more_values[:size] = indices[:size], values[:size]
            indices, values = more_indices, more_values
        for t in range(m):
            j = partners[t]
            if total[j] >= min_count or j == i:
                indices[size] = j
                values[size] = ratio(i, j, total[j], everywhere, covered, byte_weights)
                size += 1
            total[j] = 0
        indptr[i - start + 1] = size
    return indptr, indices[:size], values[:size]


@njit(cache=True, nogil=True)
def dense_rows(labels, offsets, weights, starts, members, everywhere, covered, byte_weights, index, out):
    """Row ``index[t]`` of the co-association into ``out[t]``."""
    n = labels.shape[0]
    total, partners = np.zeros(n, weights.dtype), np.empty(n, np.int32)
    for t in range(len(index)):
        i = index[t]
        m = together_with(i, labels, offsets, weights, starts, members, total, partners)
        out[t] = 0
        for s in range(m):
            j = partners[s]
            out[t, j] = ratio(i, j, total[j], everywhere, covered, byte_weights)
            total[j] = 0
        out[t, i] = 1


@njit(cache=True, nogil=True)
def product_rows(
    labels, offsets, weights, starts, members, everywhere, covered, byte_weights, factor, start, stop, out
):
    """Rows start … stop of the co-association times ``factor`` (n, k), each row made and forgotten."""
    n = labels.shape[0]
    total, partners = np.zeros(n, weights.dtype), np.empty(n, np.int32)
    for i in range(start, stop):
        m = together_with(i, labels, offsets, weights, starts, members, total, partners)
        out[i] = factor[i]  # the diagonal
        for s in range(m):
            j = partners[s]
            if j != i:
                c = ratio(i, j, total[j], everywhere, covered, byte_weights)
                for k in range(factor.shape[1]):
                    out[i, k] += c * factor[j, k]
            total[j] = 0


@njit(cache=True, nogil=True)
def partners_in_order(n_partners, total, partners):
    """Put the objects that ``together_with`` found in ascending order."""
    if n_partners < len(total) // 64:
        partners[:n_partners].sort()
    else:  # so many that to look at all objects is quicker than to sort
        found = 0
        for j in range(len(total)):
            partners[found] = j
            found += total[j] > 0


@njit(cache=True, nogil=True)
def nearest_rows(
    labels, offsets, weights, starts, members, everywhere, covered, byte_weights, n_neighbors, start, stop
):
    """The ``n_neighbors`` other objects with the highest evidence for each row; lowest index on ties, -1 = no more."""
    n = labels.shape[0]
    total, partners = np.zeros(n, weights.dtype), np.empty(n, np.int32)
    evidence = np.empty(n, np.float64)
    nearest = np.full((stop - start, n_neighbors), -1, np.int32)
    for i in range(start, stop):
        m = together_with(i, labels, offsets, weights, starts, members, total, partners)
        partners_in_order(m, total, partners)
        others = 0
        for s in range(m):
            j = partners[s]
            if j != i:
                evidence[others] = ratio(i, j, total[j], everywhere, covered, byte_weights)
                partners[others] = j
                others += 1
            total[j] = 0
        if others <= n_neighbors:
            nearest[i - start, :others] = partners[:others]
            continue
        least = np.partition(evidence[:others], others - n_neighbors)[others - n_neighbors]
        ties = n_neighbors - (evidence[:others] > least).sum()
        found = 0
        for s in range(others):
            if evidence[s] > least or (evidence[s] == least and ties > 0):
                ties -= evidence[s] == least
                nearest[i - start, found] = partners[s]
                found += 1
    return nearest


@njit(cache=True, nogil=True)
def count_partners(labels, offsets, weights, starts, members, index):
    """How many objects (itself included) each object of ``index`` is ever together with."""
    n = labels.shape[0]
    total, partners = np.zeros(n, weights.dtype), np.empty(n, np.int32)
    counts = np.empty(len(index), np.int64)
    for t in range(len(index)):
        counts[t] = together_with(index[t], labels, offsets, weights, starts, members, total, partners)
        total[partners[: counts[t]]] = 0
    return counts


@njit(cache=True, nogil=True)
def pair_sums(labels, weights, i, j, start, stop, together, both):
    """Weight together and weight both clustered, of the pairs (i[t], j[t]) for t in start … stop."""
    for t in range(start, stop):
        a, b = i[t], j[t]
        s, w = 0.0, 0.0
        for p in range(labels.shape[1]):
            if labels[a, p] >= 0 and labels[b, p] >= 0:
                w += weights[p]
                if labels[a, p] == labels[b, p]:
                    s += weights[p]
        together[t], both[t] = s, w


@njit(cache=True, nogil=True)
def sum_by_cluster(labels, offsets, factor, start, stop):
    """Hᵀ V over rows start … stop: for each of the q clusters the sum of its members' rows of ``factor``."""
    sums = np.zeros((offsets[-1], factor.shape[1]), factor.dtype)
    for i in range(start, stop):
        for p in range(labels.shape[1]):
            if labels[i, p] >= 0:
                c = offsets[p] + labels[i, p]
                for k in range(factor.shape[1]):
                    sums[c, k] += factor[i, k]
    return sums


@njit(cache=True, nogil=True)
def sum_of_clusters(labels, offsets, sums, start, stop, out):
    """H S over rows start … stop: for each object the sum of its clusters' rows of ``sums``."""
    for i in range(start, stop):
        out[i] = 0
        for p in range(labels.shape[1]):
            if labels[i, p] >= 0:
                c = offsets[p] + labels[i, p]
                for k in range(sums.shape[1]):
                    out[i, k] += sums[c, k]


@njit(cache=True, nogil=True)
def count_by_label(labels, offsets, consensus, n_clusters):
    """Members of each consensus cluster in each cluster (q, k), and in each partition (r, k)."""
    r = labels.shape[1]
    counts, seen = np.zeros((offsets[-1], n_clusters)), np.zeros((r, n_clusters))
    for i in range(labels.shape[0]):
        if consensus[i] >= 0:
            for p in range(r):
                if labels[i, p] >= 0:
                    counts[offsets[p] + labels[i, p], consensus[i]] += 1
                    seen[p, consensus[i]] += 1
    return counts, seen


@njit(cache=True, nogil=True)
def pooled_ratio_rows(labels, offsets, counts, seen, start, stop, out):
    """Σ_p counts / Σ_p seen over the partitions that cover each object; 0 where nothing was seen."""
    k_max = counts.shape[1]
    below = np.empty(k_max)
    for i in range(start, stop):
        out[i] = 0
        below[:] = 0
        for p in range(labels.shape[1]):
            if labels[i, p] >= 0:
                c = offsets[p] + labels[i, p]
                for k in range(k_max):
                    out[i, k] += counts[c, k]
                    below[k] += seen[p, k]
        for k in range(k_max):
            if below[k] > 0:
                out[i, k] /= below[k]


@njit(cache=True, nogil=True)
def sum_of_squares(labels, offsets, cluster_weights, starts, members, sizes, start, stop):
    """Rows start … stop of ‖Hᵀ diag(sizes) H‖², each cluster's column counted by its weight: Σ_ij c_ij² over objects.

    ``labels`` are those of groups of equal objects, ``sizes`` how many each holds.
    """
    counts = np.zeros(offsets[-1])
    total = 0.0
    for c in range(start, stop):
        for t in range(starts[c], starts[c + 1]):
            i = members[t]
            for p in range(labels.shape[1]):
                if labels[i, p] >= 0:
                    counts[offsets[p] + labels[i, p]] += sizes[i]
        for t in range(starts[c], starts[c + 1]):
            i = members[t]
            for p in range(labels.shape[1]):
                if labels[i, p] >= 0:
                    d = offsets[p] + labels[i, p]
                    total += cluster_weights[c] * cluster_weights[d] * counts[d] ** 2
                    counts[d] = 0
    return total
