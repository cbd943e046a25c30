"""Stable matching of points and clusters that have room for a number of them, both ranking by distance."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def _is_worse(distance, point, other_distance, other_point):
    """Whether a cluster would rather have the other point: it is nearer, or as near and comes first."""
    return distance > other_distance or (distance == other_distance and point > other_point)


@njit(cache=True, nogil=True)
def _sift_down(distances, points, size):
    """Restore the order of a heap with its worst point on top, after another was put there."""
    place = 0
    while True:
        child = 2 * place + 1
        if child >= size:
            return
        if child + 1 < size and _is_worse(distances[child + 1], points[child + 1], distances[child], points[child]):
            child += 1
        if not _is_worse(distances[child], points[child], distances[place], points[place]):
            return
        distances[place], distances[child] = distances[child], distances[place]
        points[place], points[child] = points[child], points[place]
        place = child


@njit(cache=True, nogil=True)
def _sift_up(distances, points, place):
    """Restore the order of a heap after a point was put at its end."""
    while place > 0:
        parent = (place - 1) // 2
        if not _is_worse(distances[place], points[place], distances[parent], points[parent]):
            return
        distances[place], distances[parent] = distances[parent], distances[place]
        points[place], points[parent] = points[parent], points[place]
        place = parent


@njit(cache=True, nogil=True)
def match_stably(distances, quotas, labels):
    """The stable matching in which each cluster gets as many points as its quota, in `labels`; -1 for those left over.

    Points propose, the nearest cluster first, and a cluster keeps the nearest of all that proposed. Its farthest only
    ever comes nearer, so whom it would refuse now it refuses for good: one look at a row finds where its point can go.
    Both sides rank by the same number, so the matching is unique; equal distances are ranked by cluster, then by point.

    Parameters
    ----------
    distances : (n, k)
    quotas : (k,) int64, at most n in all
    labels : (n,) int64, to be filled
    """
    n, k = distances.shape
    starts = np.zeros(k + 1, np.int64)
    starts[1:] = np.cumsum(quotas)
    held_distances = np.empty(starts[k], distances.dtype)
    held = np.empty(starts[k], np.int64)
    sizes = np.zeros(k, np.int64)
    labels[:] = -1
    for first in range(n):
        i = first
        while i >= 0:
            best = -1
            for h in range(k):
                if best >= 0 and distances[i, h] >= distances[i, best]:
                    continue
                top = starts[h]
                if sizes[h] < quotas[h] or (
                    quotas[h] > 0 and _is_worse(held_distances[top], held[top], distances[i, h], i)
                ):
                    best = h
            if best < 0:
                break
            labels[i] = best
            top, end = starts[best], starts[best + 1]
            if sizes[best] < quotas[best]:
                place = sizes[best]
                held_distances[top + place], held[top + place] = distances[i, best], i
                sizes[best] += 1
                _sift_up(held_distances[top:end], held[top:end], place)
                break
            refused = held[top]
            held_distances[top], held[top] = distances[i, best], i
            _sift_down(held_distances[top:end], held[top:end], end - top)
            labels[refused] = -1
            i = refused
