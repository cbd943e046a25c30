"""The two nearest neighbors of each object inside its own cluster, and the increments, while clusters merge.

Objects have a list of their nearest others. As long as the second neighbor of an object is within the reach of its
list, a new member of its cluster can only matter if it is on the list. Objects for which this does not hold are *open*,
and all new members are looked at. So a merge costs about the size of the smaller cluster, and the tables are exact.

``join`` fills the tables for the union of two clusters and logs what it changes: ``undo`` takes it back, ``commit``
makes the union a cluster. A cluster is named by one of its objects, its slot.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from pluribus._kernels.points.increment_density import log_density
from pluribus._kernels.points.near_lists import distance_of


class Clusters(NamedTuple):
    """Clusters of n objects. Arrays of slots have n entries too; those of slots that are gone mean nothing."""

    matrix: np.ndarray  # features, or distances
    given: bool  # whether they are distances
    places: np.ndarray  # the list of each object, distances along it, and how far it is complete
    distances: np.ndarray
    reach: np.ndarray
    last: np.ndarray
    listed_starts: np.ndarray  # who has each object on his list
    listing: np.ndarray
    cluster: np.ndarray  # of each object: its slot
    following: np.ndarray  # of each object: the next one in its cluster, in a ring
    near: np.ndarray  # (n, 2), the two nearest in the own cluster (-1 = none), and their distances
    near_distance: np.ndarray
    increment: np.ndarray  # of each object; -1 = none
    size: np.ndarray  # of each slot: objects, sum of the increments, and how many there are
    total: np.ndarray
    counted: np.ndarray
    open_first: np.ndarray  # of each slot: its open objects, as a chain
    open_next: np.ndarray
    changed: np.ndarray  # the log of ``join``: objects with new neighbors, and their old ones
    old_near: np.ndarray
    old_near_distance: np.ndarray
    renewed: np.ndarray  # objects with a new increment, and the old one
    old_increment: np.ndarray
    changed_at: np.ndarray  # of each object: the last ``join`` that logged it
    renewed_at: np.ndarray
    counts: np.ndarray  # number of joins, changed objects, renewed objects


def single_objects(matrix, given, places, distances, reach, last, listed_starts, listing):
    """Each object a cluster."""
    n = len(matrix)
    return Clusters(
        matrix=matrix,
        given=given,
        places=places,
        distances=distances,
        reach=reach,
        last=last,
        listed_starts=listed_starts,
        listing=listing,
        cluster=np.arange(n),
        following=np.arange(n),
        near=np.full((n, 2), -1),
        near_distance=np.full((n, 2), np.inf),
        increment=np.full(n, -1.0),
        size=np.ones(n, np.int64),
        total=np.zeros(n),
        counted=np.zeros(n, np.int64),
        open_first=np.arange(n),
        open_next=np.full(n, -1),
        changed=np.empty(n, np.int64),
        old_near=np.empty((n, 2), np.int64),
        old_near_distance=np.empty((n, 2)),
        renewed=np.empty(n, np.int64),
        old_increment=np.empty(n),
        changed_at=np.zeros(n, np.int64),
        renewed_at=np.zeros(n, np.int64),
        counts=np.zeros(3, np.int64),
    )


@njit(cache=True, nogil=True)
def join(c, large, small):
    """Fill the tables for the union of two clusters: the sum and the number of its increments."""
    c.counts[0] += 1
    c.counts[1] = c.counts[2] = 0
    _meet(c, large, small)
    if c.size[large] + c.size[small] < 3:
        return 0.0, 0
    total, counted = c.total[large] + c.total[small], c.counted[large] + c.counted[small]
    for which in range(c.counts[1]):
        x = c.changed[which]
        total, counted = _renew(c, x, total, counted)
        for at in range(c.listed_starts[x], c.listed_starts[x + 1]):
            y = np.int64(c.listing[at])
            if c.near[y, 0] == x and (c.cluster[y] == large or c.cluster[y] == small):
                total, counted = _renew(c, y, total, counted)
    for slot in (large, small):
        y = c.open_first[slot]
        while y >= 0:
            if c.near[y, 0] >= 0 and c.changed_at[c.near[y, 0]] == c.counts[0]:
                total, counted = _renew(c, y, total, counted)
            y = c.open_next[y]
        if c.size[slot] < 3:
            y = slot
            for _ in range(c.size[slot]):
                total, counted = _renew(c, y, total, counted)
                y = c.following[y]
    return total, counted


@njit(cache=True, nogil=True)
def undo(c):
    """Take back the last ``join``."""
    for which in range(c.counts[1]):
        x = c.changed[which]
        for place in range(2):
            c.near[x, place] = c.old_near[which, place]
            c.near_distance[x, place] = c.old_near_distance[which, place]
    for which in range(c.counts[2]):
        c.increment[c.renewed[which]] = c.old_increment[which]


@njit(cache=True, nogil=True)
def commit(c, large, small, total, counted):
    """Make the union of the last ``join`` a cluster, in the slot of the larger one."""
    first = -1
    for slot in (large, small):
        y = c.open_first[slot]
        while y >= 0:
            after = c.open_next[y]
            if _is_open(c, y):
                c.open_next[y] = first
                first = y
            y = after
    c.open_first[large] = first
    y = small
    for _ in range(c.size[small]):
        c.cluster[y] = large
        y = c.following[y]
    c.following[small], c.following[large] = c.following[large], c.following[small]
    c.size[large] += c.size[small]
    c.total[large], c.counted[large] = total, counted


@njit(cache=True, nogil=True)
def log_likelihood_of(c, slot, mean, exponential):
    """Σ log p(w; mean) over the increments of a cluster, as the last ``join`` left them."""
    result, counted = 0.0, 0
    y = slot
    for _ in range(c.size[slot]):
        if c.increment[y] >= 0:
            u = c.increment[y] / mean
            result += -u if exponential else log_density(u)
            counted += 1
        y = c.following[y]
    return result - counted * math.log(mean)


@njit(cache=True, nogil=True)
def _meet(c, large, small):
    """Let the objects of two clusters find their neighbors in the other one."""
    s = small
    for _ in range(c.size[small]):
        inserted = 0
        for e in range(c.places.shape[1]):
            y = np.int64(c.places[s, e])
            if y < 0 or inserted == 2:
                break
            if c.cluster[y] == large:
                _insert(c, s, y, c.distances[s, e])
                inserted += 1
        if _is_open(c, s):
            y = large
            for _ in range(c.size[large]):
                _insert(c, s, y, distance_of(c.matrix, c.given, s, y))
                if c.near_distance[s, 1] == 0 and not c.given:
                    break  # equal rows: there is none nearer
                y = c.following[y]
        for at in range(c.listed_starts[s], c.listed_starts[s + 1]):
            y = np.int64(c.listing[at])
            if c.cluster[y] == large:
                _insert(c, y, s, distance_of(c.matrix, c.given, y, s))
        s = c.following[s]
    y = c.open_first[large]
    while y >= 0:
        s = small
        for _ in range(c.size[small]):
            _insert(c, y, s, distance_of(c.matrix, c.given, y, s))
            s = c.following[s]
        y = c.open_next[y]


@njit(cache=True, nogil=True)
def _is_open(c, x):
    """Whether an object that is not on the list of x could be nearer than its second neighbor."""
    if c.reach[x] == np.inf:
        return False
    second = c.near_distance[x, 1]
    if second < c.reach[x] or (second == 0 and not c.given):
        return False
    return second > c.reach[x] or c.near[x, 1] > c.last[x]


@njit(cache=True, nogil=True)
def _insert(c, x, y, distance):
    """Make y a neighbor of x, if it is among the two nearest; of equally near ones the lowest numbers count."""
    if distance == np.inf or y == c.near[x, 0] or y == c.near[x, 1]:
        return
    if distance > c.near_distance[x, 1] or (distance == c.near_distance[x, 1] and y > c.near[x, 1]):
        return
    if c.changed_at[x] != c.counts[0]:
        c.changed_at[x] = c.counts[0]
        which = c.counts[1]
        c.changed[which] = x
        for place in range(2):
            c.old_near[which, place] = c.near[x, place]
            c.old_near_distance[which, place] = c.near_distance[x, place]
        c.counts[1] += 1
    if distance < c.near_distance[x, 0] or (distance == c.near_distance[x, 0] and y < c.near[x, 0]):
        c.near[x, 1], c.near_distance[x, 1] = c.near[x, 0], c.near_distance[x, 0]
        c.near[x, 0], c.near_distance[x, 0] = y, distance
    else:
        c.near[x, 1], c.near_distance[x, 1] = y, distance


@njit(cache=True, nogil=True)
def _renew(c, x, total, counted):
    """Compute the increment of x again, once in each ``join``, and correct the sum and the number of increments."""
    if c.renewed_at[x] == c.counts[0]:
        return total, counted
    c.renewed_at[x] = c.counts[0]
    old = c.increment[x]
    c.renewed[c.counts[2]] = x
    c.old_increment[c.counts[2]] = old
    c.counts[2] += 1
    y = c.near[x, 0]
    beyond = c.near_distance[y, 1] if c.near[y, 0] == x else c.near_distance[y, 0]
    new = -1.0  # an infinite distance gives no increment
    if beyond < np.inf:
        new = abs(c.near_distance[x, 0] - beyond)
        total += new
        counted += 1
    if old >= 0:
        total -= old
        counted -= 1
    c.increment[x] = new
    return total, counted
