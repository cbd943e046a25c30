"""Curvilinear components: the stochastic descent of CCA and CDA."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def pull_apart(points, distance, order, rate, radius):
    """One epoch: for each object in turn, move all others within reach toward their wanted distance from it.

    ``rate[t]`` and ``radius[t]`` belong to step t; only objects within the radius *in the output* are moved.
    """
    n, d = points.shape
    for t in range(len(order)):
        i = order[t]
        for j in range(n):
            if j == i:
                continue
            square = 0.0
            for c in range(d):
                square += (points[j, c] - points[i, c]) ** 2
            current = np.sqrt(square)
            if current > radius[t] or current < 1e-12:
                continue
            step = rate[t] * (distance[i, j] - current) / current
            for c in range(d):
                points[j, c] += step * (points[j, c] - points[i, c])
