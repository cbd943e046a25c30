"""Cosines of sparse rows to sparse seeds, and the seeds of each row in the order of dominance.

Seeds are given twice: by column (``ptr``, ``seed_of``, ``unit_of``: which seeds have the column, and its weight in the
seed scaled to length 1), for cosines; and by seed (``seed_ptr``, ``columns``, ``weights``, columns sorted), for the
comparison of two. ``column_weights`` are the weights of the columns in a row; the norm of a row is over all columns
above zero there.
"""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def row_cosines(i, indptr, indices, data, column_weights, ptr, seed_of, unit_of, cosines):
    """The cosine of row i to every seed; 0 if it has no column in common."""
    cosines[:] = 0
    squares = 0.0
    for p in range(indptr[i], indptr[i + 1]):
        j = indices[p]
        value = data[p] * column_weights[j]
        squares += value * value
        for q in range(ptr[j], ptr[j + 1]):
            cosines[seed_of[q]] += value * unit_of[q]
    if squares > 0:
        cosines /= np.sqrt(squares)


@njit(cache=True, nogil=True)
def all_cosines(start, stop, indptr, indices, data, column_weights, ptr, seed_of, unit_of, cosines):
    """The cosines of rows start to stop - 1, into an array of all rows by all seeds."""
    for i in range(start, stop):
        row_cosines(i, indptr, indices, data, column_weights, ptr, seed_of, unit_of, cosines[i])


@njit(cache=True, nogil=True)
def nearest_seeds(start, stop, indptr, indices, data, column_weights, ptr, seed_of, unit_of, n_seeds, nearest, cosines):
    """The seed with the largest cosine, and that cosine; ties go to the smaller seed, rows with no cosine get -1."""
    own = np.empty(n_seeds)
    for i in range(start, stop):
        row_cosines(i, indptr, indices, data, column_weights, ptr, seed_of, unit_of, own)
        best = np.argmax(own)
        nearest[i] = best if own[best] > 0 else -1
        cosines[i] = own[best]


@njit(cache=True, nogil=True)
def largest(values, k):
    """Where the k largest values are, from the largest; ties in order."""
    top, n = np.empty(k, np.int64), 0
    for c in range(len(values)):
        if n == k and not values[c] > values[top[n - 1]]:
            continue
        n = min(n + 1, k)
        place = n - 1
        while place > 0 and values[top[place - 1]] < values[c]:
            top[place] = top[place - 1]
            place -= 1
        top[place] = c
    return top


@njit(cache=True, nogil=True)
def private_cosine(a, b, row, length, seed_ptr, columns, weights):
    """The cosine of a row to seed a without the columns that seed b has; ``row`` has the row's value in each column."""
    q, product, squares = seed_ptr[b], 0.0, 0.0
    for p in range(seed_ptr[a], seed_ptr[a + 1]):
        while q < seed_ptr[b + 1] and columns[q] < columns[p]:
            q += 1
        if q < seed_ptr[b + 1] and columns[q] == columns[p]:
            continue
        product += weights[p] * row[columns[p]]
        squares += weights[p] * weights[p]
    return product / (np.sqrt(squares) * length) if product > 0 else 0.0


@njit(cache=True, nogil=True)
def dominance(top, cosines, row, length, delta, seed_ptr, columns, weights):
    """How many of the others each of these seeds dominates; ``top`` is sorted by cosine, ``cosines`` are of all.

    A seed dominates another if its cosine is larger by more than delta; else if it has the larger cosine on the
    columns that are its own, where the earlier one wins ties.
    """
    wins = np.zeros(len(top), np.int64)
    for x in range(len(top)):
        for y in range(x + 1, len(top)):
            a, b = top[x], top[y]
            if cosines[a] - cosines[b] <= delta and (
                private_cosine(b, a, row, length, seed_ptr, columns, weights)
                > private_cosine(a, b, row, length, seed_ptr, columns, weights)
            ):
                wins[y] += 1
            else:
                wins[x] += 1
    return wins


@njit(cache=True, nogil=True)
def ranked_seeds(
    start, stop, indptr, indices, data, column_weights, ptr, seed_of, unit_of,
    seed_ptr, columns, weights, delta, ranked,
):  # fmt: skip
    """The seeds with the largest cosines, as many as ``ranked`` has columns, from the one that dominates most others.

    Rows with no column in common with any seed get -1.
    """
    n_seeds, k = len(seed_ptr) - 1, ranked.shape[1]
    cosines, row = np.empty(n_seeds), np.zeros(len(column_weights))
    for i in range(start, stop):
        row_cosines(i, indptr, indices, data, column_weights, ptr, seed_of, unit_of, cosines)
        top = largest(cosines, k)
        if cosines[top[0]] == 0:
            ranked[i] = -1
            continue
        squares = 0.0
        for p in range(indptr[i], indptr[i + 1]):
            row[indices[p]] = data[p] * column_weights[indices[p]]
            squares += row[indices[p]] ** 2
        wins = dominance(top, cosines, row, np.sqrt(squares), delta, seed_ptr, columns, weights)
        ranked[i] = top[np.argsort(-wins, kind="mergesort")]
        for p in range(indptr[i], indptr[i + 1]):
            row[indices[p]] = 0
