"""Steps of k-means over rows: the nearest center, and sums of rows by cluster."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def nearest_by_product(products, offsets, weights, labels):
    """The cluster with the least offset minus product for each row, in `labels`; returns their weighted sum.

    With products ``X @ centers.T`` and offsets ``0.5 * |center|²`` that is the nearest center.
    """
    total = 0.0
    for i in range(products.shape[0]):
        best, least = 0, np.inf
        for h in range(products.shape[1]):
            value = offsets[h] - products[i, h]
            if value < least:
                best, least = h, value
        labels[i] = best
        total += weights[i] * least
    return total


@njit(cache=True, nogil=True)
def add_rows(rows, weights, labels, sums, sizes):
    """Add each row, times its weight, to the sum of its cluster; in place."""
    for i in range(rows.shape[0]):
        h = labels[i]
        sizes[h] += weights[i]
        for j in range(rows.shape[1]):
            sums[h, j] += weights[i] * rows[i, j]
