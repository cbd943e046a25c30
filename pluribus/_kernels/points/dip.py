"""The dip statistic of Hartigan and Hartigan: how far a sample is from every distribution with one mode."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def dip_statistic(x):
    """The least greatest distance between the empirical distribution of sorted x and one with a single mode.

    The interval that holds the mode shrinks from both ends: on it, the greatest convex minorant and the least concave
    majorant of the empirical distribution are farthest apart at some knot; the mode lies beyond that knot, and what was
    cut off has to be convex on the left and concave on the right.
    """
    n = len(x)
    if n < 2 or x[0] == x[n - 1]:
        return 1 / (2 * n) if n else 0.0
    before = _minorant_links(x)
    after = _majorant_links(x)
    minorant, majorant = np.empty(n, np.int64), np.empty(n, np.int64)
    low, high = 0, n - 1
    dip = 1.0
    while True:
        n_minorant = _chain(before, high, low, minorant)  # from high down to low
        n_majorant = _chain(after, low, high, majorant)  # from low up to high
        gap, new_low, new_high = _widest_gap(x, minorant[:n_minorant], majorant[:n_majorant], low, high)
        if gap < dip:
            break
        left = _deviation_above(x, minorant[:n_minorant], new_low)
        right = _deviation_below(x, majorant[:n_majorant], new_high)
        dip = max(dip, left, right)
        if low == new_low and high == new_high:
            break
        low, high = new_low, new_high
    return dip / (2 * n)


@njit(cache=True, nogil=True)
def _minorant_links(x):
    """For each point, the knot before it in the greatest convex minorant that ends in it."""
    n = len(x)
    link = np.zeros(n, np.int64)
    for j in range(1, n):
        link[j] = j - 1
        while True:
            knot = link[j]
            earlier = link[knot]
            if knot == 0 or (x[j] - x[knot]) * (knot - earlier) < (x[knot] - x[earlier]) * (j - knot):
                break
            link[j] = earlier
    return link


@njit(cache=True, nogil=True)
def _majorant_links(x):
    """For each point, the knot after it in the least concave majorant that starts in it."""
    n = len(x)
    link = np.full(n, n - 1, np.int64)
    for j in range(n - 2, -1, -1):
        link[j] = j + 1
        while True:
            knot = link[j]
            later = link[knot]
            if knot == n - 1 or (x[j] - x[knot]) * (knot - later) < (x[knot] - x[later]) * (j - knot):
                break
            link[j] = later
    return link


@njit(cache=True, nogil=True)
def _chain(link, start, stop, out):
    """The knots from start to stop, and how many there are."""
    out[0] = start
    count = 1
    while out[count - 1] != stop:
        out[count] = link[out[count - 1]]
        count += 1
    return count


@njit(cache=True, nogil=True)
def _widest_gap(x, minorant, majorant, low, high):
    """The widest gap between the two curves at a knot, twice in numbers of points, and the interval beyond it."""
    if len(minorant) == 2 and len(majorant) == 2:
        return 1.0, low, high
    gap, new_low, new_high = 0.0, low, high
    i, j = len(minorant) - 2, 1  # the first knots after low: the minorant is listed downwards
    while True:
        below, above = minorant[i], majorant[j]
        if below > above:  # a knot of the majorant comes next, over a segment of the minorant
            start = minorant[i + 1]
            width = (above - start + 1) - (x[above] - x[start]) * (below - start) / (x[below] - x[start])
            if width >= gap:
                gap, new_low, new_high = width, start, above
            j += 1
        else:  # a knot of the minorant, under a segment of the majorant
            start = majorant[j - 1]
            width = (x[below] - x[start]) * (above - start) / (x[above] - x[start]) - (below - start - 1)
            if width >= gap:
                gap, new_low, new_high = width, below, above
            i -= 1
        if i < 0:
            i = 0
        if j > len(majorant) - 1:
            j = len(majorant) - 1
        if minorant[i] == majorant[j]:
            break
    return gap, new_low, new_high


@njit(cache=True, nogil=True)
def _deviation_above(x, minorant, stop):
    """How far the sample rises above its convex minorant left of ``stop``."""
    most = 1.0
    for place in range(len(minorant) - 1, 0, -1):
        start, end = minorant[place], minorant[place - 1]
        if start >= stop:
            break
        if end - start > 1 and x[end] != x[start]:
            slope = (end - start) / (x[end] - x[start])
            for i in range(start, end + 1):
                most = max(most, (i - start + 1) - (x[i] - x[start]) * slope)
    return most


@njit(cache=True, nogil=True)
def _deviation_below(x, majorant, begin):
    """How far the sample falls below its concave majorant right of ``begin``."""
    most = 1.0
    for place in range(len(majorant) - 1, 0, -1):
        start, end = majorant[place - 1], majorant[place]
        if start < begin:
            break
        if end - start > 1 and x[end] != x[start]:
            slope = (end - start) / (x[end] - x[start])
            for i in range(start, end + 1):
                most = max(most, (x[i] - x[start]) * slope - (i - start - 1))
    return most
