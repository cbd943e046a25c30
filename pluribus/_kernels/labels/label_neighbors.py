"""Near-linear search for the objects with the highest evidence: sort label rows, compare those that come to lie close.

Sorted by a few partitions, objects that share clusters stand side by side. Several sorted orders give each object some
candidates; the neighbors of its neighbors give it better ones. The evidence of a candidate is exact. The strongest are
kept in order: higher evidence (rounded to float32) first, then the lower number. So it does not matter in which order
candidates come.

``weights`` are integers where all partitions count alike. ``everywhere`` is the weight of all partitions where no label
is missing, and 0 where some are.
"""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def sort_by_column(order, column, n_labels, out):
    """Put ``order`` into the order of a column of labels (-1 first), equal ones as they were: counting sort."""
    ends = np.zeros(n_labels + 2, np.int64)
    for i in range(len(column)):
        ends[column[i] + 2] += 1
    for c in range(n_labels + 1):
        ends[c + 1] += ends[c]
    for t in range(len(order)):
        c = column[order[t]] + 1
        out[ends[c]] = order[t]
        ends[c] += 1


@njit(cache=True, nogil=True)
def evidence_of(labels, i, j, weights, everywhere, alike):
    """c_ij of two rows; with ``alike`` nothing is missing and all partitions count 1."""
    a, b = labels[i], labels[j]
    if alike:
        n_together = 0
        for p in range(len(a)):
            n_together += a[p] == b[p]
        return n_together / everywhere
    together, both = 0.0, 0.0
    for p in range(len(a)):
        seen = a[p] >= 0 and b[p] >= 0
        both += weights[p] if seen else 0
        together += weights[p] if seen and a[p] == b[p] else 0
    return min(together / both, 1.0) if both > 0 else 0.0


@njit(cache=True, nogil=True)
def keep_strongest(neighbors, evidence, j, exact):
    """Insert j into a list of the strongest, unless it is there or too weak."""
    value = np.float32(exact)  # as the list holds it: else ties would depend on how a share is rounded
    p = len(neighbors)
    last = p - 1
    if value < evidence[last] or (value == evidence[last] and (value == 0 or j > neighbors[last])):
        return
    for t in range(p):
        if neighbors[t] == j:
            return
    t = last
    while t > 0 and (value > evidence[t - 1] or (value == evidence[t - 1] and j < neighbors[t - 1])):
        neighbors[t], evidence[t] = neighbors[t - 1], evidence[t - 1]
        t -= 1
    neighbors[t], evidence[t] = j, value


@njit(cache=True, nogil=True)
def compare_adjacent(sorted_labels, order, weights, everywhere, alike, width, start, stop, neighbors, evidence):
    """Offer to each object at the places start … stop of an order those up to ``width`` places away.

    ``sorted_labels`` are the rows in that order.
    """
    n = len(order)
    for s in range(start, stop):
        i = order[s]
        for t in range(max(s - width, 0), min(s + width + 1, n)):
            if t != s:
                value = evidence_of(sorted_labels, s, t, weights, everywhere, alike)
                keep_strongest(neighbors[i], evidence[i], order[t], value)


@njit(cache=True, nogil=True)
def compare_around(labels, order, place, weights, everywhere, alike, width, start, stop, neighbors, evidence):
    """Offer to the objects start … stop, wherever they stand in an order, those up to ``width`` places away.

    The lists are of these objects only.
    """
    for i in range(start, stop):
        s = place[i]
        for t in range(max(s - width, 0), min(s + width + 1, len(order))):
            if t != s:
                value = evidence_of(labels, i, order[t], weights, everywhere, alike)
                keep_strongest(neighbors[i - start], evidence[i - start], order[t], value)


@njit(cache=True, nogil=True)
def evidence_of_neighbors(labels, weights, everywhere, alike, start, neighbors, out):
    """The evidence of the objects from ``start`` on and each of their neighbors; 0 where there is none (-1)."""
    for t in range(len(neighbors)):
        for s in range(neighbors.shape[1]):
            j = neighbors[t, s]
            out[t, s] = evidence_of(labels, start + t, j, weights, everywhere, alike) if j >= 0 else 0.0


@njit(cache=True, nogil=True)
def compare_neighbors(labels, weights, everywhere, alike, n_followed, old, start, stop, neighbors, evidence):
    """Offer to each object start … stop the first ``n_followed`` of each of its first ones, as listed in ``old``.

    The lists that change are of these objects only.
    """
    n, p = old.shape
    met = np.full(n, -1, np.int32)
    n_followed = min(n_followed, p)
    for i in range(start, stop):
        met[i] = i
        for t in range(p):
            if old[i, t] >= 0:
                met[old[i, t]] = i
        for t in range(n_followed):
            via = old[i, t]
            if via < 0:
                break
            for s in range(n_followed):
                j = old[via, s]
                if j < 0:
                    break
                if met[j] != i:
                    met[j] = i
                    value = evidence_of(labels, i, j, weights, everywhere, alike)
                    keep_strongest(neighbors[i - start], evidence[i - start], j, value)


@njit(cache=True, nogil=True)
def union_degrees(neighbors):
    """How many entries each row has if pairs are held in both directions, itself included; -1 = no neighbor."""
    n, p = neighbors.shape
    degrees = np.ones(n, np.int64)
    for i in range(n):
        for t in range(p):
            j = neighbors[i, t]
            if j >= 0:
                degrees[i] += 1
                degrees[j] += not _holds(neighbors[j], i)
    return degrees


@njit(cache=True, nogil=True)
def _holds(few, i):
    there = False
    for t in range(len(few)):
        there |= few[t] == i
    return there


@njit(cache=True, nogil=True)
def fill_union(neighbors, indptr, indices):
    """The columns of each row: its neighbors, those that have it as a neighbor, and itself; in any order."""
    n, p = neighbors.shape
    at = indptr[:-1].copy()
    for i in range(n):
        indices[at[i]] = i
        at[i] += 1
        for t in range(p):
            j = neighbors[i, t]
            if j >= 0:
                indices[at[i]] = j
                at[i] += 1
                if not _holds(neighbors[j], i):
                    indices[at[j]] = i
                    at[j] += 1


@njit(cache=True, nogil=True)
def fill_evidence(labels, weights, everywhere, alike, indptr, indices, start, stop, values):
    """Sort the columns of the rows start … stop and compute their evidence; 1 on the diagonal."""
    for i in range(start, stop):
        indices[indptr[i] : indptr[i + 1]].sort()
        for t in range(indptr[i], indptr[i + 1]):
            j = indices[t]
            values[t] = 1.0 if j == i else evidence_of(labels, i, j, weights, everywhere, alike)
