"""Average link limited to the edges of a graph: rounds in which all groups that are each other's nearest merge.

Which groups may merge is limited to the graph, and groups inherit the edges of their objects. The evidence between two
groups is not limited: it is the exact mean over all pairs, by the dot product of the groups' summed one-hot rows. A
group is named by one of its objects. Pairs of groups are ordered by evidence, then by the lower and the higher name, so
in each round the first of all pairs merges, and none waits for ever.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from pluribus._kernels.linkage.dendrogram import find

MOST_EDGES = 40  # of a group


class Segments(NamedTuple):
    """A list of numbers for each group: those at start[g] … start[g] + length[g] - 1."""

    start: np.ndarray
    length: np.ndarray


@njit(cache=True, nogil=True)
def _before(value, low, high, than_value, than_low, than_high):
    if value != than_value:
        return value > than_value
    return low < than_low or (low == than_low and high < than_high)


@njit(cache=True, nogil=True)
def nearest_in_graph(indptr, indices, values):
    """The neighbor with the highest value in each row of a symmetric CSR matrix, and that value; -1 and 0 = none."""
    n = len(indptr) - 1
    best, best_value = np.full(n, -1, np.int32), np.zeros(n)
    for i in range(n):
        for t in range(indptr[i], indptr[i + 1]):
            j = indices[t]
            if j != i and _before(values[t], min(i, j), max(i, j), best_value[i], min(i, best[i]), max(i, best[i])):
                best[i], best_value[i] = j, values[t]
    return best, best_value


@njit(cache=True, nogil=True)
def mutual_pairs(groups, best):
    """Groups that are each other's nearest, the lower name first."""
    left, right = np.empty(len(groups) // 2, np.int64), np.empty(len(groups) // 2, np.int64)
    found = 0
    for t in range(len(groups)):
        a = groups[t]
        b = best[a]
        if b > a and best[b] == a:
            left[found], right[found] = a, b
            found += 1
    return left[:found], right[:found]


@njit(cache=True, nogil=True)
def merge_sums(left, right, at, sums, columns, inside, start, stop):
    """Add the summed rows of right[t] to those of left[t], for t in start … stop; they are put at at[t]."""
    for t in range(start, stop):
        a, b = left[t], right[t]
        i, i_end = sums.start[a], sums.start[a] + sums.length[a]
        j, j_end = sums.start[b], sums.start[b] + sums.length[b]
        k = at[t]
        while i < i_end and j < j_end:
            if columns[i] < columns[j]:
                columns[k], inside[k] = columns[i], inside[i]
                i += 1
            elif columns[i] > columns[j]:
                columns[k], inside[k] = columns[j], inside[j]
                j += 1
            else:
                columns[k], inside[k] = columns[i], inside[i] + inside[j]
                i += 1
                j += 1
            k += 1
        while i < i_end:
            columns[k], inside[k] = columns[i], inside[i]
            i += 1
            k += 1
        while j < j_end:
            columns[k], inside[k] = columns[j], inside[j]
            j += 1
            k += 1
        sums.start[a], sums.length[a] = at[t], k - at[t]


@njit(cache=True, nogil=True)
def merge_edges(left, right, at, edges, neighbors):
    """Append the edges of right[t] to those of left[t], put at at[t]."""
    for t in range(len(left)):
        k = at[t]
        for group in (left[t], right[t]):
            for s in range(edges.start[group], edges.start[group] + edges.length[group]):
                neighbors[k] = neighbors[s]
                k += 1
        edges.start[left[t]], edges.length[left[t]] = at[t], k - at[t]


@njit(cache=True, nogil=True)
def move_segments(groups, segments, old, new):
    """Copy the segments of the groups to the front of ``new``; returns where they end."""
    end = 0
    for t in range(len(groups)):
        g = groups[t]
        for s in range(segments.length[g]):
            new[end + s] = old[segments.start[g] + s]
        end += segments.length[g]
    return end


@njit(cache=True, nogil=True)
def _keep_strongest(some, means):
    """Move the strongest of a group's neighbors to the front; returns how many are kept.

    Without a limit they would double with each merge, and the time with them.
    """
    if len(some) <= MOST_EDGES:
        return len(some)
    least = np.partition(means, len(means) - MOST_EDGES)[len(means) - MOST_EDGES]
    room = MOST_EDGES - np.sum(means > least)  # for those that are equal to the least, the first of them
    kept = 0
    for e in range(len(some)):
        if means[e] > least or (means[e] == least and room > 0):
            room -= means[e] == least
            some[kept] = some[e]
            kept += 1
    return kept


@njit(cache=True, nogil=True)
def find_nearest(
    groups,
    root,
    edges,
    neighbors,
    sums,
    columns,
    inside,
    size,
    seen,
    weights,
    column_weights,
    alike,
    own,
    met,
    start,
    stop,
    best,
    value,
):
    """The nearest neighbor of the groups start … stop by mean evidence; edges that became one are joined.

    With ``alike`` all partitions have one weight. ``own`` (q,) and ``met`` (n,) are scratch: zeros.
    """
    everything = weights.sum()
    for t in range(start, stop):
        a = groups[t]
        for s in range(sums.start[a], sums.start[a] + sums.length[a]):
            own[columns[s]] = inside[s]
        met[a] = True
        kept = edges.start[a]
        best[a], value[a] = -1, 0.0
        means = np.empty(edges.length[a])
        for e in range(edges.start[a], edges.start[a] + edges.length[a]):
            b = neighbors[e]
            while root[b] != b:
                b = root[b]
            if met[b]:
                continue
            met[b] = True
            neighbors[kept] = b
            kept += 1
            together = 0.0
            if alike:
                for s in range(sums.start[b], sums.start[b] + sums.length[b]):
                    together += own[columns[s]] * inside[s]
                together *= weights[0]
            else:  # multiplied in an order that gives the same from either side, to the last bit
                for s in range(sums.start[b], sums.start[b] + sums.length[b]):
                    together += column_weights[columns[s]] * (own[columns[s]] * inside[s])
            if seen.shape[0] > 0:
                pairs = 0.0
                for p in range(len(weights)):
                    pairs += weights[p] * (float(seen[a, p]) * float(seen[b, p]))
            else:
                pairs = everything * (size[a] * size[b])
            mean = together / pairs if together > 0 else 0.0
            means[kept - 1 - edges.start[a]] = mean
            if _before(mean, min(a, b), max(a, b), value[a], min(a, best[a]), max(a, best[a])):
                best[a], value[a] = b, mean
        for e in range(edges.start[a], kept):
            met[neighbors[e]] = False
        edges.length[a] = _keep_strongest(neighbors[edges.start[a] : kept], means[: kept - edges.start[a]])
        for s in range(sums.start[a], sums.start[a] + sums.length[a]):
            own[columns[s]] = 0
        met[a] = False


@njit(cache=True, nogil=True)
def tell_nearest(groups, best, value):
    """Let each group's nearest know, where the group is nearer to it than what it took for its own nearest."""
    for t in range(len(groups)):
        a = groups[t]
        b = best[a]
        if b >= 0 and _before(value[a], min(a, b), max(a, b), value[b], min(b, best[b]), max(b, best[b])):
            best[b], value[b] = a, value[a]


@njit(cache=True, nogil=True)
def pairs_in_columns(groups, sums, columns, n_columns):
    """Pairs of groups in one column, summed over the columns."""
    inside = np.zeros(n_columns)
    for t in range(len(groups)):
        g = groups[t]
        for s in range(sums.start[g], sums.start[g] + sums.length[g]):
            inside[columns[s]] += 1
    return (inside**2).sum()


@njit(cache=True, nogil=True)
def raise_heights(left, right, height, n):
    """Let no merge lie below the merges that made its groups; they come in the order in which they were made."""
    parent = np.arange(n)
    top = np.zeros(n)
    for t in range(len(left)):
        a, b = find(parent, left[t]), find(parent, right[t])
        parent[b] = a
        height[t] = top[a] = max(height[t], top[a], top[b])
