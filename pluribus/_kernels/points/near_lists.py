"""The nearest others of each object, in order: by looking at all pairs, or at what a k-d tree found.

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
            left_out |= filled == k
            filled = _insert(places[i], distances[i], filled, j, d)
        reach[i], last[i] = np.inf, n
        if left_out:
            reach[i], last[i] = distances[i, k - 1], places[i, k - 1]


@njit(cache=True, nogil=True)
def list_copies(X, found, group, starts, members, start, stop, places, distances, reach, last):
    """The same from the nearest distinct rows that a k-d tree found for each distinct row, itself among them.

    ``members`` are the objects at each distinct row, from ``starts`` on, and ``group`` is the distinct row of each
    object. The tree rounds differently, and it may have left out others as far as the last one. So distances are
    computed again, and lists end before the distance of the last one, unless the tree found all distinct rows.
    """
    n, k = places.shape
    complete = found.shape[1] == len(starts) - 1
    length = np.empty(found.shape[1])
    for i in range(start, stop):
        near = found[group[i]]
        for e in range(len(near)):
            length[e] = distance_of(X, False, i, members[starts[near[e]]])
        end = np.inf if complete else length.max() * (1 - 1e-12)
        filled, left_out = 0, False
        for e in range(len(near)):
            if length[e] >= end:
                continue
            taken = 0
            for at in range(starts[near[e]], starts[near[e] + 1]):
                j = members[at]
                if j == i:
                    continue
                left_out |= filled == k or taken == k
                if taken == k:  # copies are in order, so the rest comes after these
                    break
                taken += 1
                filled = _insert(places[i], distances[i], filled, j, length[e])
        reach[i], last[i] = np.inf, n
        if left_out:
            reach[i], last[i] = distances[i, k - 1], places[i, k - 1]
        elif not complete:
            reach[i] = distances[i, filled - 1] if filled > 0 else -1.0


@njit(cache=True, nogil=True)
def _insert(places, distances, filled, j, d):
    """Put an object on a list, by distance and number, if there is room for it: the new length."""
    k = len(places)
    if filled == k:
        if d > distances[k - 1] or (d == distances[k - 1] and j > places[k - 1]):
            return filled
        filled -= 1
    place = filled
    while place > 0 and (distances[place - 1] > d or (distances[place - 1] == d and places[place - 1] > j)):
        distances[place], places[place] = distances[place - 1], places[place - 1]
        place -= 1
    distances[place], places[place] = d, j
    return filled + 1


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
