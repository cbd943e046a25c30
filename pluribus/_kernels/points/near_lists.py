"""The nearest others of each object, in order: by looking at all pairs, or by correcting what a k-d tree found.

A list is complete up to the reach of its object: whoever is not on it comes later, by distance and then by number.
"""

import math

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def distance_of(matrix, given, i, j):
    """The distance of two objects: an entry of the matrix, if distances are given, or Euclidean between its rows."""
    if given:
        return matrix[i, j]
    squared = 0.0
    for f in range(matrix.shape[1]):
        squared += (matrix[i, f] - matrix[j, f]) ** 2
    return math.sqrt(squared)


@njit(cache=True, nogil=True)
def list_nearest(matrix, given, start, stop, places, distances, reach, last):
    """Fill the lists of the objects start … stop, nearest first; infinite distances are left out (place -1)."""
    n, k = len(matrix), places.shape[1]
    for i in range(start, stop):
        filled, left_out = 0, False
        for j in range(n):
            if j == i:
                continue
            d = distance_of(matrix, given, i, j)
            if d == np.inf:
                continue
            if filled == k:
                left_out = True
                if d >= distances[i, k - 1]:
                    continue
                filled -= 1
            place = filled
            while place > 0 and distances[i, place - 1] > d:
                distances[i, place], places[i, place] = distances[i, place - 1], places[i, place - 1]
                place -= 1
            distances[i, place], places[i, place] = d, j
            filled += 1
        reach[i], last[i] = np.inf, n
        if left_out:
            reach[i], last[i] = distances[i, k - 1], places[i, k - 1]


@njit(cache=True, nogil=True)
def correct_lists(X, found, start, stop, places, distances, reach, last):
    """The same from the nearest rows that a k-d tree found: the row itself, and one more than the list holds.

    The tree rounds differently, and it may have left out others as far as the last one. So distances are computed
    again, and the list ends before the distance of the last one.
    """
    n, k = len(X), places.shape[1]
    for i in range(start, stop):
        order = np.empty(found.shape[1], np.int64)
        length = np.empty(found.shape[1])
        filled = 0
        for j in found[i]:
            if j == i:
                continue
            d = distance_of(X, False, i, j)
            place = filled
            while place > 0 and (length[place - 1] > d or (length[place - 1] == d and order[place - 1] > j)):
                length[place], order[place] = length[place - 1], order[place - 1]
                place -= 1
            length[place], order[place] = d, j
            filled += 1
        kept = 0
        while kept < min(filled, k) and length[kept] < length[filled - 1] * (1 - 1e-12):
            places[i, kept], distances[i, kept] = order[kept], length[kept]
            kept += 1
        reach[i], last[i] = (length[kept - 1] if kept > 0 else -1.0), n


@njit(cache=True, nogil=True)
def listed_by(places):
    """Who has each object on his list: starts (n + 1), and all of them, object by object."""
    n, k = places.shape
    starts = np.zeros(n + 1, np.int64)
    for i in range(n):
        for e in range(k):
            if places[i, e] >= 0:
                starts[places[i, e] + 1] += 1
    for i in range(n):
        starts[i + 1] += starts[i]
    at = starts[:-1].copy()
    listing = np.empty(starts[n], np.int32)
    for i in range(n):
        for e in range(k):
            if places[i, e] >= 0:
                listing[at[places[i, e]]] = i
                at[places[i, e]] += 1
    return starts, listing
