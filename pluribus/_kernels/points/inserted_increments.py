"""How well a new point fits a class, by the increments of all triplets that the point would be part of."""

import math

import numpy as np
from numba import njit

from pluribus._kernels.points.increment_density import log_density


@njit(cache=True, nogil=True)
def log_mean_densities(distances, partner, gap, beyond, scale, out):
    """For each row of distances to the objects of a class, the logarithm of the mean density of its increments.

    ``partner`` is the nearest neighbor of each object of the class, ``gap`` the distance to it, and ``beyond`` the
    distance from there to its nearest neighbor other than the object. Objects stay with their neighbors on ties.
    """
    for x in range(len(distances)):
        d = distances[x]
        first, least, next_least = 0, d[0], np.inf
        for i in range(1, len(d)):
            if d[i] < least:
                first, least, next_least = i, d[i], least
            elif d[i] < next_least:
                next_least = d[i]
        top = log_density(abs(least - gap[first]) / scale)  # the point, its neighbor, and that one's neighbor
        total, count = 1.0, 1
        for i in range(len(d)):
            if d[i] < gap[i]:  # the point becomes the neighbor of i
                increment = abs(d[i] - (next_least if i == first else least))
            elif d[partner[i]] < beyond[i]:  # it becomes the neighbor of i's neighbor
                increment = abs(gap[i] - d[partner[i]])
            else:
                continue
            term = log_density(increment / scale)
            count += 1
            if term <= top:
                total += math.exp(term - top)
            else:
                total = total * math.exp(top - term) + 1
                top = term
        out[x] = top + math.log(total / count) - math.log(scale)
