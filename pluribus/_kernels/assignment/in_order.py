"""Assignments one after the other, with items that must be apart."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def assign_in_order(cost, indptr, indices, labels):
    """Put each item where it is cheapest and no item before it is that must be apart; the item at a dead end, or -1.

    Parameters
    ----------
    cost : (m, k)
    indptr, indices : arrays
        Of the symmetric graph of items that must be apart.
    labels : (m,)
        To be filled.
    """
    m, k = cost.shape
    barred = np.zeros(k, np.bool_)
    for i in range(m):
        barred[:] = False
        for e in range(indptr[i], indptr[i + 1]):
            if indices[e] < i:
                barred[labels[indices[e]]] = True
        best = -1
        for h in range(k):
            if not barred[h] and (best < 0 or cost[i, h] < cost[i, best]):
                best = h
        if best < 0:
            return i
        labels[i] = best
    return -1
