"""Sums over the clusters of an ensemble when most of what is summed is zero."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def sum_nonzero_by_cluster(labels, offsets, values):
    """Hᵀ V: for each of the q clusters the sum of its members' rows of ``values``, at a cost of its nonzeros only."""
    n_columns = values.shape[1]
    sums = np.zeros((offsets[-1], n_columns))
    nonzero = np.empty(n_columns, np.int64)
    for i in range(labels.shape[0]):
        m = 0
        for k in range(n_columns):
            if values[i, k] != 0:
                nonzero[m] = k
                m += 1
        for p in range(labels.shape[1]):
            if labels[i, p] >= 0:
                c = offsets[p] + labels[i, p]
                for t in range(m):
                    sums[c, nonzero[t]] += values[i, nonzero[t]]
    return sums
