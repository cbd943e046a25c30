"""k-means of few points from drawn numbers: where a call of a library would cost more than the work."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def random_starts(n, k, draws):
    """k different points out of n, all sets equally likely; `draws` has k numbers in [0, 1)."""
    order = np.arange(n)
    for i in range(k):
        j = i + int(draws[i] * (n - i))
        order[i], order[j] = order[j], order[i]
    return order[:k].copy()


@njit(cache=True, nogil=True)
def spread_starts(points, k, draws):
    """k points far from each other, by k-means++; fewer, if there are fewer distinct points."""
    n, d = points.shape
    chosen = np.empty(k, np.int64)
    nearest = np.full(n, np.inf)
    chosen[0] = int(draws[0] * n)
    for c in range(k):
        total = 0.0
        for i in range(n):
            distance = 0.0
            for j in range(d):
                difference = points[i, j] - points[chosen[c], j]
                distance += difference * difference
            nearest[i] = min(nearest[i], distance)
            total += nearest[i]
        if c + 1 == k or total <= 0.0:
            return chosen[: c + 1].copy()
        reach = draws[c + 1] * total
        for i in range(n):
            if nearest[i] > 0.0:
                chosen[c + 1] = i  # the last such point, if rounding leaves a rest
                reach -= nearest[i]
                if reach < 0.0:
                    break
    return chosen


@njit(cache=True, nogil=True)
def small_kmeans(points, starts, max_iter):
    """The cluster of each point, numbered by first occurrence, by Lloyd's iterations from some of the points.

    A cluster without points keeps its center.
    """
    n, d = points.shape
    k = len(starts)
    centers = np.empty((k, d))
    for c in range(k):
        centers[c] = points[starts[c]]
    labels = np.full(n, -1, np.int64)
    sizes = np.empty(k, np.int64)
    for _ in range(max_iter):
        changed = False
        for i in range(n):
            best, least = 0, np.inf
            for c in range(k):
                distance = 0.0
                for j in range(d):
                    difference = points[i, j] - centers[c, j]
                    distance += difference * difference
                if distance < least:
                    best, least = c, distance
            if best != labels[i]:
                labels[i] = best
                changed = True
        if not changed:
            break
        sizes[:] = 0
        sums = np.zeros((k, d))
        for i in range(n):
            sizes[labels[i]] += 1
            for j in range(d):
                sums[labels[i], j] += points[i, j]
        for c in range(k):
            if sizes[c] > 0:
                for j in range(d):
                    centers[c, j] = sums[c, j] / sizes[c]
    number = np.full(k, -1, np.int64)
    found = 0
    for i in range(n):
        if number[labels[i]] < 0:
            number[labels[i]] = found
            found += 1
        labels[i] = number[labels[i]]
    return labels
