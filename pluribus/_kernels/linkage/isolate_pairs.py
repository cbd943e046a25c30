"""Single link that tests each pair of clusters, closest first: exact, O(n²) time and 4 n² bytes.

For each pair of clusters a matrix holds the closest pair of their objects, packed into one number; it is negative after
a test that rejected the pair. A merge takes the closer of two pairs, row by row, and makes them untested. Each pair of
clusters belongs to the one with the lower node, and each cluster knows its closest partner among those that belong to
it, so that finding the next pair takes O(clusters). Equally close pairs are taken by the lower and the higher node: a
new cluster has the highest, so it waits until the others have had their turn.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from pluribus._kernels.linkage.isolation import (
    ISOLATE_BOTH,
    ISOLATE_FIRST,
    ISOLATE_SECOND,
    MERGE,
    SMALL_MERGE,
    decide,
    record,
)
from pluribus._kernels.points.near_lists import distance_of

_BITS = 15
MOST_OBJECTS = 2**_BITS


class Pairs(NamedTuple):
    """The state between two tests."""

    closest: np.ndarray  # (n, n), of slots: the closest objects, packed; negative (~) = rejected
    live: np.ndarray  # slots that are not isolated, in any order
    place: np.ndarray  # of each slot: where it is among those
    partner: np.ndarray  # of each slot: the closest untested one with a higher node; -1 = none
    partner_distance: np.ndarray
    tied: np.ndarray  # whether there may be others as close
    isolated: np.ndarray
    counts: np.ndarray  # live slots, and the next node


@njit(cache=True, nogil=True)
def single_pairs(matrix, given):
    """The state before the first test."""
    n = len(matrix)
    closest = np.empty((n, n), np.int32)
    for i in range(n):
        for j in range(n):
            closest[i, j] = (min(i, j) << _BITS) | max(i, j)
    partner, distance, tied = np.full(n, -1), np.full(n, np.inf), np.zeros(n, np.bool_)
    for i in range(n):
        for j in range(i + 1, n):
            d = distance_of(matrix, given, i, j)
            if d < distance[i]:
                partner[i], distance[i], tied[i] = j, d, False
            elif d == distance[i]:
                tied[i] = True
    counts = np.array([n, n])
    return Pairs(closest, np.arange(n), np.arange(n), partner, distance, tied, np.zeros(n, np.bool_), counts)


@njit(cache=True, nogil=True)
def isolate_pairs(p, c, s, rules, records):
    """Test pairs until there are none, or the records are full: how many were written."""
    for at in range(len(records.first)):
        a = _next(p, s)
        if a < 0:
            return at
        b = p.partner[a]
        x, y, distance = _objects(p, c, a, b)
        if c.cluster[x] != a:
            x, y = y, x
        node_a, node_b = s.node[a], s.node[b]
        outcome, statistic = decide(c, s, rules, a, b, x, y, distance)
        record(records, at, node_a, node_b, x, y, distance, outcome, statistic)
        if outcome in (MERGE, SMALL_MERGE):
            kept = c.cluster[x]
            _merge_rows(p, c, s, kept, b if kept == a else a)
        elif outcome in (ISOLATE_FIRST, ISOLATE_SECOND, ISOLATE_BOTH):
            if outcome != ISOLATE_SECOND:
                _isolate(p, c, s, a)
            if outcome != ISOLATE_FIRST:
                _isolate(p, c, s, b)
        else:
            p.closest[a, b] = p.closest[b, a] = ~p.closest[a, b]
            _search(p, c, s, a)
    return len(records.first)


@njit(cache=True, nogil=True)
def _next(p, s):
    """The slot with the closest partner; -1 if there is none."""
    best, least = -1, np.inf
    for place in range(p.counts[0]):
        a = p.live[place]
        if p.partner[a] < 0:
            continue
        distance = p.partner_distance[a]
        if best < 0 or distance < least or (distance == least and s.node[a] < s.node[best]):
            best, least = a, distance
    return best


@njit(cache=True, nogil=True)
def _objects(p, c, a, b):
    """The closest objects of two clusters, and their distance."""
    packed = p.closest[a, b]
    if packed < 0:
        packed = ~packed
    x, y = np.int64(packed >> _BITS), np.int64(packed & (MOST_OBJECTS - 1))
    return x, y, distance_of(c.matrix, c.given, x, y)


@njit(cache=True, nogil=True)
def _search(p, c, s, a):
    """Find the partner of a slot again."""
    p.partner[a], p.partner_distance[a], p.tied[a] = -1, np.inf, False
    for place in range(p.counts[0]):
        b = p.live[place]
        if s.node[b] <= s.node[a] or p.closest[a, b] < 0:
            continue
        distance = _objects(p, c, a, b)[2]
        if distance < p.partner_distance[a]:
            p.partner[a], p.partner_distance[a], p.tied[a] = b, distance, False
        elif distance == p.partner_distance[a] and p.partner[a] >= 0:
            p.tied[a] = True
            if s.node[b] < s.node[p.partner[a]]:
                p.partner[a] = b


@njit(cache=True, nogil=True)
def _merge_rows(p, c, s, kept, gone):
    """Give the union of two slots to one of them, and the highest node."""
    _remove(p, gone)
    s.node[kept] = p.counts[1]
    p.counts[1] += 1
    p.partner[kept], p.partner_distance[kept] = -1, np.inf
    for place in range(p.counts[0]):
        b = p.live[place]
        if b == kept:
            continue
        x, y, distance = _objects(p, c, kept, b)
        other_x, other_y, other_distance = _objects(p, c, gone, b)
        if other_distance < distance or (
            other_distance == distance and (other_x < x or (other_x == x and other_y < y))
        ):
            x, y, distance = other_x, other_y, other_distance
        p.closest[kept, b] = p.closest[b, kept] = (x << _BITS) | y
        if distance < p.partner_distance[b]:
            p.partner[b], p.partner_distance[b], p.tied[b] = kept, distance, False
        elif p.partner[b] == kept or p.partner[b] == gone:
            p.partner[b] = kept
            if p.tied[b]:  # others as close have a lower node now
                _search(p, c, s, b)
        elif distance == p.partner_distance[b]:
            p.tied[b] = True


@njit(cache=True, nogil=True)
def _isolate(p, c, s, a):
    p.isolated[a] = True
    _remove(p, a)
    for place in range(p.counts[0]):
        if p.partner[p.live[place]] == a:
            _search(p, c, s, p.live[place])


@njit(cache=True, nogil=True)
def _remove(p, a):
    p.counts[0] -= 1
    last = p.live[p.counts[0]]
    p.live[p.place[a]] = last
    p.place[last] = p.place[a]
