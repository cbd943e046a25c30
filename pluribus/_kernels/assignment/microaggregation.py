"""Groups of at least k similar rows: maximum distance to average (MDAV), and the optimum of one column."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def squared_distance(a, b):
    """Between two rows."""
    total = 0.0
    for j in range(len(a)):
        difference = a[j] - b[j]
        total += difference * difference
    return total


@njit(cache=True, nogil=True)
def _farthest(X, rows, n, point):
    """The place of the row that is farthest from a point, the first one on ties."""
    best, place = -1.0, 0
    for i in range(n):
        far = squared_distance(X[rows[i]], point)
        if far > best:
            best, place = far, i
    return place


@njit(cache=True, nogil=True)
def _take(X, rows, n, place, k, group, labels, near, where):
    """Label a row and the k - 1 nearest of those that remain, the first ones on ties; return how many remain then."""
    row = rows[place]
    count = 0
    for i in range(n):
        if i == place:
            continue
        far = squared_distance(X[rows[i]], X[row])
        if count == k - 1 and (count == 0 or far >= near[count - 1]):
            continue
        at = count if count < k - 1 else count - 1
        while at > 0 and near[at - 1] > far:
            near[at], where[at] = near[at - 1], where[at - 1]
            at -= 1
        near[at], where[at] = far, i
        count = min(count + 1, k - 1)
    labels[row] = group
    for i in range(count):
        labels[rows[where[i]]] = group
    kept = 0
    for i in range(n):
        if labels[rows[i]] < 0:
            rows[kept] = rows[i]
            kept += 1
    return kept


@njit(cache=True, nogil=True)
def _mean(X, rows, n, center):
    center[:] = 0.0
    for i in range(n):
        for j in range(X.shape[1]):
            center[j] += X[rows[i], j]
    center /= n


@njit(cache=True, nogil=True)
def mdav(X, k, labels):
    """Fill ``labels`` with groups of k rows, the last of k to 2k - 1: around the row that is farthest from the mean of
    those that remain, then around the one that is farthest from that; return the number of groups."""
    n = len(X)
    labels[:] = -1
    rows = np.arange(n)
    near, where = np.empty(max(k - 1, 1)), np.empty(max(k - 1, 1), np.int64)
    center = np.empty(X.shape[1])
    groups = 0
    while n >= 3 * k:
        _mean(X, rows, n, center)
        first = rows[_farthest(X, rows, n, center)]
        second = rows[_farthest(X, rows, n, X[first])]
        place = 0
        while rows[place] != first:
            place += 1
        n = _take(X, rows, n, place, k, groups, labels, near, where)
        place = 0
        if labels[second] >= 0:  # it went with the first
            place = _farthest(X, rows, n, X[first])
        else:
            while rows[place] != second:
                place += 1
        n = _take(X, rows, n, place, k, groups + 1, labels, near, where)
        groups += 2
    if n >= 2 * k:
        _mean(X, rows, n, center)
        n = _take(X, rows, n, _farthest(X, rows, n, center), k, groups, labels, near, where)
        groups += 1
    for i in range(n):
        labels[rows[i]] = groups
    return groups + 1


@njit(cache=True, nogil=True)
def optimal_runs(values, k, labels):
    """Fill ``labels`` with the groups of sorted values of least squared error, of at least k each; return how many.

    A group of 2k or more can be split without a loss, so runs of k to 2k - 1 are enough: O(k n).
    """
    n = len(values)
    middle = values[n // 2]
    best, start = np.full(n + 1, np.inf), np.zeros(n + 1, np.int64)
    best[0] = 0.0
    for stop in range(k, n + 1):
        mean = error = 0.0
        for size in range(1, min(2 * k - 1, stop) + 1):  # one value more at the left, by Welford's update
            value = values[stop - size] - middle
            step = value - mean
            mean += step / size
            error += step * (value - mean)
            if size >= k and best[stop - size] + error < best[stop]:
                best[stop], start[stop] = best[stop - size] + error, stop - size
    groups, stop = 0, n
    while stop > 0:
        labels[start[stop] : stop] = groups
        stop = start[stop]
        groups += 1
    for i in range(n):
        labels[i] = groups - 1 - labels[i]
    return groups
