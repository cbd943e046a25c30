"""k-means of few points from drawn numbers: where a call of a library would cost more than the work."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def small_kmeans(points, k, draws, max_iter):
    """The cluster of each point, numbered by first occurrence: k-means++ from `draws`, then Lloyd's iterations.

    `draws` has a number in [0, 1) for each of the k centers, and decides which points they start from. There are fewer
    clusters if there are fewer distinct points, or if a center loses all of its points.
    """
    n, d = points.shape
    centers = np.empty((k, d))
    nearest = np.full(n, np.inf)
    labels = np.zeros(n, np.int64)
    chosen = int(draws[0] * n)
    n_centers = 0
    while True:
        centers[n_centers] = points[chosen]
        total = 0.0
        for i in range(n):
            distance = 0.0
            for j in range(d):
                difference = points[i, j] - points[chosen, j]
                distance += difference * difference
            if distance < nearest[i]:
                nearest[i] = distance
                labels[i] = n_centers
            total += nearest[i]
        n_centers += 1
        if n_centers == k or total <= 0.0:
            break
        reach = draws[n_centers] * total
        chosen = -1
        for i in range(n):
            if nearest[i] > 0.0:
                chosen = i  # the last such point, if rounding leaves a rest
                reach -= nearest[i]
                if reach < 0.0:
                    break
    sizes = np.empty(n_centers, np.int64)
    for _ in range(max_iter):
        sizes[:] = 0
        sums = np.zeros((n_centers, d))
        for i in range(n):
            sizes[labels[i]] += 1
            for j in range(d):
                sums[labels[i], j] += points[i, j]
        for c in range(n_centers):
            if sizes[c] > 0:
                for j in range(d):
                    centers[c, j] = sums[c, j] / sizes[c]
        changed = False
        for i in range(n):
            best, least = 0, np.inf
            for c in range(n_centers):
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
    number = np.full(n_centers, -1, np.int64)
    found = 0
    for i in range(n):
        if number[labels[i]] < 0:
            number[labels[i]] = found
            found += 1
        labels[i] = number[labels[i]]
    return labels
