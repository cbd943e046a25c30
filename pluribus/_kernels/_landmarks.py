"""Links between rows and landmarks: the nearest landmarks of each row, and what landmarks share."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def nearest_columns(values, nearest, least):
    """The columns with the least values of each row, the least first, in `nearest`; their values in `least`.

    Among equal values the first column counts.
    """
    n_rows, n_columns = values.shape
    n_wanted = nearest.shape[1]
    for i in range(n_rows):
        n_found = 0
        for j in range(n_columns):
            value = values[i, j]
            if n_found < n_wanted:
                place = n_found
                n_found += 1
            elif value < least[i, n_wanted - 1]:
                place = n_wanted - 1
            else:
                continue
            while place > 0 and least[i, place - 1] > value:
                least[i, place] = least[i, place - 1]
                nearest[i, place] = nearest[i, place - 1]
                place -= 1
            least[i, place] = value
            nearest[i, place] = j


@njit(cache=True, nogil=True)
def distances_to(rows, points, nearest, squared):
    """The squared distances of each row to its nearest points, in `squared`: differences, so that none cancels."""
    for i in range(rows.shape[0]):
        for a in range(nearest.shape[1]):
            j = nearest[i, a]
            total = 0.0
            for t in range(rows.shape[1]):
                difference = rows[i, t] - points[j, t]
                total += difference * difference
            squared[i, a] = total


@njit(cache=True, nogil=True)
def shared_links(nearest, weights, n_landmarks):
    """For each pair of landmarks the sum over rows of w_a w_b / (sum of w): (n_landmarks, n_landmarks)."""
    shared = np.zeros((n_landmarks, n_landmarks))
    for i in range(nearest.shape[0]):
        degree = 0.0
        for a in range(nearest.shape[1]):
            degree += weights[i, a]
        for a in range(nearest.shape[1]):
            share = weights[i, a] / degree
            for b in range(nearest.shape[1]):
                shared[nearest[i, a], nearest[i, b]] += share * weights[i, b]
    return shared
