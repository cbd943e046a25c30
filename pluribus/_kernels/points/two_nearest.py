"""The two nearest others of each object, by looking at all pairs. Among equally near ones the first counts."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def two_nearest_rows(X, start, stop, nearest, distances):
    """For the rows start … stop of X, the places of the two nearest other rows and their Euclidean distances."""
    n, d = X.shape
    for i in range(start, stop):
        first, second, least, next_least = -1, -1, np.inf, np.inf
        for j in range(n):
            if j == i:
                continue
            squared = 0.0
            for f in range(d):
                squared += (X[i, f] - X[j, f]) ** 2
            if squared < least:
                second, next_least, first, least = first, least, j, squared
            elif squared < next_least or second < 0:
                second, next_least = j, squared
        nearest[i, 0], nearest[i, 1] = first, second
        distances[i, 0], distances[i, 1] = np.sqrt(least), np.sqrt(next_least)


@njit(cache=True, nogil=True)
def two_nearest_given(D, start, stop, nearest, distances):
    """The same from given distances."""
    n = len(D)
    for i in range(start, stop):
        first, second, least, next_least = -1, -1, np.inf, np.inf
        for j in range(n):
            if j == i:
                continue
            if D[i, j] < least or first < 0:
                second, next_least, first, least = first, least, j, D[i, j]
            elif D[i, j] < next_least or second < 0:
                second, next_least = j, D[i, j]
        nearest[i, 0], nearest[i, 1] = first, second
        distances[i, 0], distances[i, 1] = least, next_least


@njit(cache=True, nogil=True)
def increments_of(nearest, distances, triplets, increments):
    """|d(i, j) - d(j, k)|: j is nearest to i, and k is nearest to j but for i."""
    for i in range(len(nearest)):
        j = nearest[i, 0]
        place = 1 if nearest[j, 0] == i else 0
        triplets[i, 0], triplets[i, 1], triplets[i, 2] = i, j, nearest[j, place]
        increments[i] = abs(distances[i, 0] - distances[j, place])
