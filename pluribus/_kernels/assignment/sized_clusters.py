"""Steps of k-means with bounds on sizes: sums of rows by cluster, and places for what must stay whole."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def add_to_clusters(rows, shift, weights, labels, centers, sums, totals):
    """Add each row, less `shift` and times its weight, to the sum of its cluster, and return what it costs there.

    That is the weighted sum of squared distances to `centers`, which have `shift` subtracted too.
    """
    d = rows.shape[1]
    value = 0.0
    for i in range(rows.shape[0]):
        h, weight = labels[i], weights[i]
        square = 0.0
        for j in range(d):
            x = rows[i, j] - shift[j]
            away = x - centers[h, j]
            square += away * away
            sums[h, j] += weight * x
        totals[h] += weight
        value += weight * square
    return value


@njit(cache=True, nogil=True)
def place_whole(cost, sizes, order, indptr, indices, lower, upper, n_single, labels):
    """Put items that cannot be split, in this order, each where it is cheapest and leaves room; False at a dead end.

    Parameters
    ----------
    cost : (m, k)
    sizes : (m,)
    order : (m,)
    indptr, indices : arrays
        Of the graph of items that must be apart.
    lower, upper : (k,)
    n_single : int
        Objects that come after, one by one: they fill what is left to fill.
    labels : (m,)
        To be filled.
    """
    k = cost.shape[1]
    filled = np.zeros(k, np.int64)
    to_come = n_single + sizes.sum()
    missing = lower.sum()
    barred = np.zeros(k, np.bool_)
    labels[:] = -1
    for i in order:
        barred[:] = False
        for e in range(indptr[i], indptr[i + 1]):
            if labels[indices[e]] >= 0:
                barred[labels[indices[e]]] = True
        best, least = -1, np.inf
        for h in range(k):
            if barred[h] or filled[h] + sizes[i] > upper[h] or cost[i, h] >= least:
                continue
            met = min(sizes[i], max(lower[h] - filled[h], 0))
            if missing - met <= to_come - sizes[i]:
                best, least = h, cost[i, h]
        if best < 0:
            return False
        missing -= min(sizes[i], max(lower[best] - filled[best], 0))
        filled[best] += sizes[i]
        to_come -= sizes[i]
        labels[i] = best
    return True
