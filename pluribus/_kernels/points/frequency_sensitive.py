"""Competitive learning in which clusters that have won often win less easily."""

import numpy as np
from numba import njit

_SMALLEST_SCALE = 1e-8


@njit(cache=True, nogil=True)
def win_in_turn(data, indices, indptr, weights, by_direction, moving, memory, sums, scales, counts, labels):
    """Give each row, in turn, to the cluster that wins it, which then counts more; returns what all rows cost there.

    By distance, the winner has the least count times squared distance; by direction, with rows and centers of length 1,
    the largest (cosine + 1) / count - ln(count) / (memory d). Centers move as well if `moving`. Takes O(nnz k).

    Parameters
    ----------
    data, indices, indptr : arrays
        Of the rows, compressed.
    weights : (n,)
        Of the rows: each is as so many rows.
    by_direction, moving : bool
    memory : float
        Of how many rows a cluster keeps count; may be infinite.
    sums, scales : (d, k) and (k,)
        The centers, column by column: ``sums * scales``. Changed in place, like the counts.
    counts : (k,)
        How often each has won, what is long ago forgotten.
    labels : (n,)
        To be filled.
    """
    d, k = sums.shape
    norms = np.zeros(k)
    for j in range(d):
        for h in range(k):
            norms[h] += (scales[h] * sums[j, h]) ** 2
    products = np.empty(k)
    total = 0.0
    for i in range(len(indptr) - 1):
        products[:] = 0.0
        square = 0.0
        for e in range(indptr[i], indptr[i + 1]):
            x = np.float64(data[e])
            square += x * x
            for h in range(k):
                products[h] += x * sums[indices[e], h]
        winner, least = 0, np.inf
        for h in range(k):
            products[h] *= scales[h]
            if by_direction:
                value = np.log(counts[h]) / (memory * d) - (products[h] + 1) / counts[h]
            else:
                value = counts[h] * max(square - 2 * products[h] + norms[h], 0.0)
            if value < least:
                winner, least = h, value
        labels[i] = winner
        product, weight = products[winner], weights[i]
        total += weight * (1 - product if by_direction else max(square - 2 * product + norms[winner], 0.0))
        if weight == 0:
            continue
        counts[winner] = counts[winner] * (1 - 1 / memory) ** weight + weight
        if not moving:
            continue
        step = weight / counts[winner]
        moved = (1 - step) ** 2 * norms[winner] + 2 * step * (1 - step) * product + step * step * square
        length = 1.0
        if by_direction:
            if moved < 1e-18:  # it would point nowhere: it stays
                continue
            length, moved = np.sqrt(moved), 1.0
        norms[winner] = moved
        scales[winner] *= (1 - step) / length
        if scales[winner] < _SMALLEST_SCALE:
            for j in range(d):
                sums[j, winner] *= scales[winner]
            scales[winner] = 1.0
        share = step / length / scales[winner]
        for e in range(indptr[i], indptr[i + 1]):
            sums[indices[e], winner] += share * data[e]
    return total
