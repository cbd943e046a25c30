"""Local search for the partition with the highest category utility, by counts of labels.

With n_cjy objects of cluster c that have the label y in partition j, the sum of the category utilities is, but for a
constant, Σ_j Σ_c (Σ_y n_cjy²) / n_cj / n_j: what is kept for each cluster and partition are the numerator and the
denominator. A missing label (-1) counts in neither. What moves is a row of labels with all its objects.
"""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def move_rows_by_utility(labels, offsets, counts, clusters, n_clusters, max_sweeps):
    """Move rows one at a time while that raises the sum of utilities; no cluster is emptied. Return the moves made.

    Parameters
    ----------
    labels : (m, r)
        Distinct label rows.
    offsets : (r + 1,)
        Where the clusters of each partition begin in a list of all.
    counts : (m,) float
        Objects of each row.
    clusters : (m,)
        The cluster of each row; changed in place.
    """
    m, r = labels.shape
    table = np.zeros((n_clusters, offsets[r]))
    squares, seen = np.zeros((n_clusters, r)), np.zeros((n_clusters, r))
    sizes, n_rows = np.zeros(r), np.zeros(n_clusters, np.int64)
    for i in range(m):
        n_rows[clusters[i]] += 1
        for j in range(r):
            if labels[i, j] >= 0:
                table[clusters[i], offsets[j] + labels[i, j]] += counts[i]
                seen[clusters[i], j] += counts[i]
                sizes[j] += counts[i]
    for c in range(n_clusters):
        for j in range(r):
            for y in range(offsets[j], offsets[j + 1]):
                squares[c, j] += table[c, y] ** 2
    moves = 0
    for _ in range(max_sweeps):
        before = moves
        for i in range(m):
            own = clusters[i]
            if n_rows[own] == 1:
                continue
            loss = change(labels[i], offsets, -counts[i], table[own], squares[own], seen[own], sizes)
            best, gain = own, 1e-10
            for c in range(n_clusters):
                if c != own:
                    gained = change(labels[i], offsets, counts[i], table[c], squares[c], seen[c], sizes)
                    if gained + loss > gain:
                        best, gain = c, gained + loss
            if best != own:
                put(labels[i], offsets, -counts[i], table[own], squares[own], seen[own])
                put(labels[i], offsets, counts[i], table[best], squares[best], seen[best])
                n_rows[own] -= 1
                n_rows[best] += 1
                clusters[i] = best
                moves += 1
        if moves == before:
            break
    return moves


@njit(cache=True, nogil=True)
def change(row, offsets, number, table, squares, seen, sizes):
    """By how much the sum changes if a cluster gets this number of objects with this row of labels."""
    total = 0.0
    for j in range(row.shape[0]):
        if row[j] >= 0:
            there = table[offsets[j] + row[j]]
            now = squares[j] / seen[j] if seen[j] > 0 else 0.0
            left = seen[j] + number
            then = (squares[j] + 2 * number * there + number * number) / left if left > 0.5 else 0.0
            total += (then - now) / sizes[j]
    return total


@njit(cache=True, nogil=True)
def put(row, offsets, number, table, squares, seen):
    """Give a cluster this number of objects with this row of labels."""
    for j in range(row.shape[0]):
        if row[j] >= 0:
            y = offsets[j] + row[j]
            squares[j] += 2 * number * table[y] + number * number
            table[y] += number
            seen[j] += number
