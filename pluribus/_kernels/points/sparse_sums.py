"""Sums of the rows of a sparse matrix (csr) by group, one group at a time: memory grows with the columns alone.

``order`` has the rows sorted by group, and ``starts`` where the rows of each group begin in it.
"""

import numpy as np
from numba import njit

NONE, SQRT, LOG1P, CLIP = range(4)  # functions that damp a number


@njit(cache=True, nogil=True)
def damped(x, damping):
    """A number after damping."""
    if damping == SQRT:
        return np.sqrt(x)
    if damping == LOG1P:
        return np.log1p(x)
    if damping == CLIP:
        return min(x, 1.0)
    return x


@njit(cache=True, nogil=True)
def add_rows(rows, indptr, indices, data, row_weights, column_weights, damping, total, touched):
    """Add damped and weighted rows to ``total``, which is zero before, and list its columns above zero.

    Returns how many are listed in ``touched``.
    """
    n_touched = 0
    for i in rows:
        for p in range(indptr[i], indptr[i + 1]):
            j = indices[p]
            value = row_weights[i] * column_weights[j] * damped(np.float64(data[p]), damping)
            if value > 0:
                if total[j] == 0:
                    touched[n_touched] = j
                    n_touched += 1
                total[j] += value
    return n_touched


@njit(cache=True, nogil=True)
def heaviest(weights, columns, n_words):
    """Of these columns, sorted, those with the ``n_words`` largest weights; ties go to smaller columns."""
    if len(columns) <= n_words:
        return columns
    least = np.partition(weights[columns], len(columns) - n_words)[len(columns) - n_words]
    n_ties = n_words - np.sum(weights[columns] > least)
    kept = np.empty(n_words, columns.dtype)
    count = 0
    for j in columns:
        if weights[j] > least or (weights[j] == least and n_ties > 0):
            n_ties -= weights[j] == least
            kept[count] = j
            count += 1
    return kept


@njit(cache=True, nogil=True)
def projected_sums(
    first, last, order, starts, indptr, indices, data, row_weights, column_weights, damping, n_words, columns, values
):
    """The ``n_words`` largest entries in the sums of groups first to last - 1: a row of columns and values for each.

    Returns how many entries each has.
    """
    total, touched = np.zeros(len(column_weights)), np.empty(len(column_weights), np.int64)
    sizes = np.zeros(last - first, np.int64)
    for g in range(first, last):
        rows = order[starts[g] : starts[g + 1]]
        n = add_rows(rows, indptr, indices, data, row_weights, column_weights, damping, total, touched)
        kept = heaviest(total, np.sort(touched[:n]), n_words)
        sizes[g - first] = len(kept)
        for place, j in enumerate(kept):
            columns[g, place], values[g, place] = j, total[j]
        for j in touched[:n]:
            total[j] = 0
    return sizes


@njit(cache=True, nogil=True)
def share_moments(order, starts, indptr, indices, data, n_columns):
    """Of the share that each column has in the sum of each group: its sum and its sum of squares over groups."""
    ones, every = np.ones(len(indptr) - 1), np.ones(n_columns)
    total, touched = np.zeros(n_columns), np.empty(n_columns, np.int64)
    first, second = np.zeros(n_columns), np.zeros(n_columns)
    for g in range(len(starts) - 1):
        rows = order[starts[g] : starts[g + 1]]
        n = add_rows(rows, indptr, indices, data, ones, every, NONE, total, touched)
        whole = total[touched[:n]].sum()
        for j in touched[:n]:
            share = total[j] / whole
            first[j] += share
            second[j] += share * share
            total[j] = 0
    return first, second


@njit(cache=True, nogil=True)
def column_counts(indices, data, n_columns):
    """How many rows are above zero in each column."""
    counts = np.zeros(n_columns, np.int64)
    for p in range(len(indices)):
        counts[indices[p]] += data[p] > 0
    return counts
