"""Local search for the partition with the fewest disagreements with an ensemble, by counts of labels.

With a weight for each partition, the score of two objects is the weight of the partitions that put them together minus
the weight of those that part them. The score of an object for a cluster C, the sum over the objects of C, is
2 · (sum over partitions of the weighted number of objects of C with the object's label) - (that of objects of C that
the partition covers). So the counts of labels by cluster are enough: no pair of objects is looked at, and a sweep takes
O(objects · partitions · clusters).

What is moved is an item: a set of rows of labels, each with a number of objects. Clusters are columns of the tables:
``counts`` (labels × columns), ``covered`` (partitions × columns), both weighted. An item with the cluster -1 is alone.
"""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def add_item(labels, offsets, weights, rows, numbers, sign, column, counts, covered):
    """Count an item in a column (sign 1), or no longer (-1)."""
    for t in range(rows.shape[0]):
        number = sign * numbers[t]
        for p in range(labels.shape[1]):
            label = labels[rows[t], p]
            if label >= 0:
                counts[offsets[p] + label, column] += number * weights[p]
                covered[p, column] += number * weights[p]


@njit(cache=True, nogil=True)
def tabulate_items(labels, offsets, weights, indptr, rows, numbers, clusters, counts, covered, n_items):
    """Count all items in the columns of their clusters; the tables are zero before."""
    for g in range(indptr.shape[0] - 1):
        c = clusters[g]
        if c >= 0:
            mine = slice(indptr[g], indptr[g + 1])
            add_item(labels, offsets, weights, rows[mine], numbers[mine], 1.0, c, counts, covered)
            n_items[c] += 1


@njit(cache=True, nogil=True)
def scores_of(labels, offsets, has_missing, rows, numbers, counts, covered, base, n_columns, scores):
    """The score of an item for each column; ``base`` is the sum of ``covered`` over the partitions."""
    scores[:n_columns] = 0.0
    for t in range(rows.shape[0]):
        number = numbers[t]
        for p in range(labels.shape[1]):
            label = labels[rows[t], p]
            if label >= 0:
                row = counts[offsets[p] + label]
                for c in range(n_columns):
                    scores[c] += 2.0 * number * row[c]
            elif has_missing:
                for c in range(n_columns):
                    scores[c] += number * covered[p, c]
        for c in range(n_columns):
            scores[c] -= number * base[c]


@njit(cache=True, nogil=True)
def move_items(
    labels, offsets, weights, has_missing, indptr, rows, numbers, apart_ptr, apart, order,
    clusters, counts, covered, n_items, keep_all, tolerance,
):  # fmt: skip
    """Move each item of the order to the column of best score, or alone; in place. Returns the number of moves.

    ``apart`` lists the items that each item must not join. With ``keep_all``, no column is emptied and no item is
    alone: the number of clusters stays.
    """
    n_columns = counts.shape[1]
    scores = np.empty(n_columns)
    base = np.zeros(n_columns)
    for p in range(covered.shape[0]):
        for c in range(n_columns):
            base[c] += covered[p, c]
    n_moves = 0
    for g in order:
        mine = slice(indptr[g], indptr[g + 1])
        own = clusters[g]
        if own >= 0:
            if keep_all and n_items[own] == 1:
                continue
            add_item(labels, offsets, weights, rows[mine], numbers[mine], -1.0, own, counts, covered)
            n_items[own] -= 1
            _sum_column(covered, base, own)
        scores_of(labels, offsets, has_missing, rows[mine], numbers[mine], counts, covered, base, n_columns, scores)
        for e in range(apart_ptr[g], apart_ptr[g + 1]):
            if clusters[apart[e]] >= 0:
                scores[clusters[apart[e]]] = -np.inf
        best, best_score = own, tolerance
        if own >= 0:
            best_score = scores[own] + tolerance
            if not keep_all and best_score < 0.0 and n_items[own] > 0:
                best, best_score = -1, 0.0
        elif keep_all:
            best_score = -np.inf
        for c in range(n_columns):
            if scores[c] > best_score and n_items[c] > 0:
                best, best_score = c, scores[c]
        if best >= 0:
            add_item(labels, offsets, weights, rows[mine], numbers[mine], 1.0, best, counts, covered)
            n_items[best] += 1
            _sum_column(covered, base, best)
        if best != own:
            clusters[g] = best
            n_moves += 1
    return n_moves


@njit(cache=True, nogil=True)
def gather(
    labels, offsets, weights, has_missing, indptr, rows, numbers, apart_ptr, apart, items, first,
    clusters, column, counts, covered, tolerance,
):  # fmt: skip
    """A new cluster around one item: it, and those of the items alone whose joining gains, one after the other.

    ``counts`` and ``covered`` have one column, zero before. Returns how many joined; if none, the item stays alone.
    """
    base = np.zeros(1)
    scores = np.empty(1)
    mine = slice(indptr[first], indptr[first + 1])
    add_item(labels, offsets, weights, rows[mine], numbers[mine], 1.0, 0, counts, covered)
    _sum_column(covered, base, 0)
    n_joined = 0
    clusters[first] = column
    for g in items:
        if clusters[g] >= 0:
            continue
        mine = slice(indptr[g], indptr[g + 1])
        scores_of(labels, offsets, has_missing, rows[mine], numbers[mine], counts, covered, base, 1, scores)
        fits = scores[0] > tolerance
        for e in range(apart_ptr[g], apart_ptr[g + 1]):
            fits = fits and clusters[apart[e]] != column
        if fits:
            clusters[g] = column
            add_item(labels, offsets, weights, rows[mine], numbers[mine], 1.0, 0, counts, covered)
            _sum_column(covered, base, 0)
            n_joined += 1
    if n_joined == 0:
        clusters[first] = -1
    return n_joined


@njit(cache=True, nogil=True)
def own_scores(labels, offsets, weights, indptr, rows, numbers, clusters, counts, covered, scores):
    """The score of each item for the other items in its column."""
    for g in range(indptr.shape[0] - 1):
        mine = slice(indptr[g], indptr[g + 1])
        c = clusters[g]
        add_item(labels, offsets, weights, rows[mine], numbers[mine], -1.0, c, counts, covered)
        scores[g] = 0.0
        for t in range(indptr[g], indptr[g + 1]):
            for p in range(labels.shape[1]):
                label = labels[rows[t], p]
                if label >= 0:
                    scores[g] += numbers[t] * (2.0 * counts[offsets[p] + label, c] - covered[p, c])
        add_item(labels, offsets, weights, rows[mine], numbers[mine], 1.0, c, counts, covered)


@njit(cache=True, nogil=True)
def _sum_column(covered, base, column):
    total = 0.0
    for p in range(covered.shape[0]):
        total += covered[p, column]
    base[column] = total
