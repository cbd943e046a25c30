"""Links between clusters that merge: found by their two ends, listed by either end, moved when an end is merged away.

A link has two halves, ``2 * link`` and ``2 * link + 1``, one for each end. The halves of a cluster are a doubly linked
list, so that a link is removed in constant time. A hash table (linear probing, deletion by shifting back) finds the
link of two clusters. Merging never makes links, so the arrays never grow.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


class Links(NamedTuple):
    """Undirected links between clusters, at most one for two clusters."""

    head: np.ndarray  # (n,) by cluster: its first half, -1 = none
    degree: np.ndarray  # (n,) by cluster: its number of links
    end: np.ndarray  # (2m,) by half: the cluster at this end
    after: np.ndarray  # (2m,) by half: the next one of its cluster, -1 = last
    before: np.ndarray  # (2m,)
    table: np.ndarray  # hash table of links, -1 = free; its length is a power of two


@njit(cache=True, nogil=True)
def start_links(pairs, n):
    """The links of these pairs of clusters, all different."""
    m = len(pairs)
    room = 4
    while room < 2 * m:
        room *= 2
    links = Links(
        np.full(n, -1, np.int64),
        np.zeros(n, np.int64),
        np.empty(2 * m, np.int64),
        np.full(2 * m, -1, np.int64),
        np.full(2 * m, -1, np.int64),
        np.full(room, -1, np.int64),
    )
    for link in range(m):
        for side in range(2):
            _attach(links, 2 * link + side, pairs[link, side])
        _enter(links, link)
    return links


@njit(cache=True, nogil=True)
def find_link(links, a, b):
    """The link of two clusters, -1 = none."""
    mask = len(links.table) - 1
    place = _hash(a, b) & mask
    while links.table[place] >= 0:
        link = links.table[place]
        x, y = links.end[2 * link], links.end[2 * link + 1]
        if (x == a and y == b) or (x == b and y == a):
            return link
        place = (place + 1) & mask
    return -1


@njit(cache=True, nogil=True)
def drop_link(links, link):
    """Remove a link."""
    _forget(links, link)
    for half in (2 * link, 2 * link + 1):
        _detach(links, half)
        links.end[half] = -1


@njit(cache=True, nogil=True)
def move_half(links, half, cluster):
    """Give a half to another cluster, which must have no link to the other end yet."""
    _forget(links, half // 2)
    _detach(links, half)
    _attach(links, half, cluster)
    _enter(links, half // 2)


@njit(cache=True, nogil=True)
def _hash(a, b):
    low, high = min(a, b), max(a, b)
    mixed = (np.uint64(low) * _GOLDEN + np.uint64(high)) * _GOLDEN
    return np.int64(mixed >> np.uint64(17))


@njit(cache=True, nogil=True)
def _place_of(links, link):
    mask = len(links.table) - 1
    place = _hash(links.end[2 * link], links.end[2 * link + 1]) & mask
    while links.table[place] != link:
        place = (place + 1) & mask
    return place


@njit(cache=True, nogil=True)
def _enter(links, link):
    mask = len(links.table) - 1
    place = _hash(links.end[2 * link], links.end[2 * link + 1]) & mask
    while links.table[place] >= 0:
        place = (place + 1) & mask
    links.table[place] = link


@njit(cache=True, nogil=True)
def _forget(links, link):
    """Take a link out of the table; links behind it that were pushed on move back into the gap."""
    mask = len(links.table) - 1
    gap = _place_of(links, link)
    place = (gap + 1) & mask
    while links.table[place] >= 0:
        other = links.table[place]
        home = _hash(links.end[2 * other], links.end[2 * other + 1]) & mask
        if ((place - home) & mask) >= ((place - gap) & mask):
            links.table[gap] = other
            gap = place
        place = (place + 1) & mask
    links.table[gap] = -1


@njit(cache=True, nogil=True)
def _attach(links, half, cluster):
    links.end[half] = cluster
    links.before[half] = -1
    links.after[half] = links.head[cluster]
    if links.head[cluster] >= 0:
        links.before[links.head[cluster]] = half
    links.head[cluster] = half
    links.degree[cluster] += 1


@njit(cache=True, nogil=True)
def _detach(links, half):
    cluster = links.end[half]
    if links.before[half] >= 0:
        links.after[links.before[half]] = links.after[half]
    else:
        links.head[cluster] = links.after[half]
    if links.after[half] >= 0:
        links.before[links.after[half]] = links.before[half]
    links.degree[cluster] -= 1
