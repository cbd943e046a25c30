"""Groups that merge and must stay apart: cannot-links that merge along, and a coloring that shows a way to the end.

Greedy merging can end in a dead end: more groups are left than wanted, and all must be apart. It never does if a merge
is refused whenever the cannot-links could no longer be satisfied with k clusters. To see that quickly, each group has a
color: its cluster in some partition that satisfies everything. Groups of one color may always merge. Others may if a
chain of groups can exchange two colors (Kempe), or a new coloring is found; if not, they are apart from then on.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from pluribus._kernels.graphs.graph_order import color_exactly, dsatur, greedy_clique, smallest_last_order
from pluribus._kernels.linkage.dendrogram import find

REFUSED, JOINED, FULL = 0, 1, -1
_BUDGET = 2_000_000  # of one search for a coloring: some milliseconds


class Apart(NamedTuple):
    """Who must avoid whom. The entries of one group are a linked list."""

    parent: np.ndarray  # (n,) union-find over the items
    head: np.ndarray  # (n,) by root: its first entry, -1 = none
    tail: np.ndarray  # (n,)
    length: np.ndarray  # (n,)
    color: np.ndarray  # (n,) by root: its color, -1 = free of cannot-links
    stamp: np.ndarray  # (n,) scratch
    after: np.ndarray  # by entry: the next one of the group, -1 = last
    other: np.ndarray  # by entry: an item of the group that must be avoided
    state: np.ndarray  # (entries in use, last stamp)


@njit(cache=True, nogil=True)
def start_apart(parent, pairs, color):
    """The state before the first merge; ``pairs`` are roots, ``color`` is -1 for all if no coloring is known."""
    n = len(parent)
    room = 2 * len(pairs) + 64
    nothing = np.full(n, -1, np.int64)
    s = Apart(
        parent,
        nothing,
        nothing.copy(),
        np.zeros(n, np.int64),
        color,
        np.zeros(n, np.int64),
        np.full(room, -1, np.int64),
        np.empty(room, np.int64),
        np.zeros(2, np.int64),
    )
    for t in range(len(pairs)):
        _avoid(s, pairs[t, 0], pairs[t, 1])
        _avoid(s, pairs[t, 1], pairs[t, 0])
    return s


@njit(cache=True, nogil=True)
def grown(s):
    """The same with room for twice as many entries."""
    more_after, more_other = np.full(2 * len(s.after), -1, np.int64), np.empty(2 * len(s.after), np.int64)
    more_after[: len(s.after)] = s.after
    more_other[: len(s.other)] = s.other
    return Apart(s.parent, s.head, s.tail, s.length, s.color, s.stamp, more_after, more_other, s.state)


@njit(cache=True, nogil=True)
def _avoid(s, a, b):
    entry = s.state[0]
    s.state[0] += 1
    s.other[entry] = b
    if s.head[a] < 0:
        s.head[a] = entry
    else:
        s.after[s.tail[a]] = entry
    s.tail[a] = entry
    s.length[a] += 1


@njit(cache=True, nogil=True)
def stamp_avoided(s, a):
    """Stamp all groups that root a must avoid, and return the stamp."""
    s.state[1] += 1
    entry = s.head[a]
    while entry >= 0:
        s.stamp[find(s.parent, s.other[entry])] = s.state[1]
        entry = s.after[entry]
    return s.state[1]


@njit(cache=True, nogil=True)
def are_apart(s, a, b):
    """Whether two roots must avoid each other."""
    if s.length[b] < s.length[a]:
        a, b = b, a
    entry = s.head[a]
    while entry >= 0:
        if find(s.parent, s.other[entry]) == b:
            return True
        entry = s.after[entry]
    return False


@njit(cache=True, nogil=True)
def join(s, a, b, n_colors):
    """Merge root b into root a if that is allowed: JOINED, REFUSED, or FULL if there is no room to note a refusal.

    With ``n_colors`` = 0 only the cannot-links count, and there may be dead ends.
    """
    if are_apart(s, a, b):
        return REFUSED
    if n_colors > 0 and s.color[a] >= 0 and s.color[b] >= 0 and s.color[a] != s.color[b]:
        if s.state[0] + 2 > len(s.other):
            return FULL
        if not _exchange(s, a, b) and (n_colors == 2 or not _recolor(s, a, b, n_colors)):
            _avoid(s, a, b)
            _avoid(s, b, a)
            return REFUSED
    if s.color[a] < 0:
        s.color[a] = s.color[b]
    s.parent[b] = a
    if s.head[b] >= 0:
        if s.head[a] < 0:
            s.head[a] = s.head[b]
        else:
            s.after[s.tail[a]] = s.head[b]
        s.tail[a] = s.tail[b]
        s.length[a] += s.length[b]
    return JOINED


@njit(cache=True, nogil=True)
def _exchange(s, a, b):
    """Give a the color of b by exchanging both colors along the chain from a, unless that chain leads to b."""
    one, two = s.color[a], s.color[b]
    s.state[1] += 1
    token = s.state[1]
    chain = [a]
    s.stamp[a] = token
    at = 0
    while at < len(chain):
        entry = s.head[chain[at]]
        at += 1
        while entry >= 0:
            x = find(s.parent, s.other[entry])
            entry = s.after[entry]
            if s.stamp[x] != token and (s.color[x] == one or s.color[x] == two):
                if x == b:
                    return False
                s.stamp[x] = token
                chain.append(x)
    # Neighbors in the chain alternate between the two colors, since the coloring is proper.
    for x in chain:
        s.color[x] = two if s.color[x] == one else one
    return True


@njit(cache=True, nogil=True)
def _recolor(s, a, b, n_colors):
    """Search for a coloring of all that a and b are linked to, in which they have the same color."""
    s.state[1] += 1
    token = s.state[1]
    place = s.stamp  # holds token + the place of each group found; the tokens in between are used up
    groups = [a, b]
    place[a], place[b] = token, token
    at = 0
    while at < len(groups):
        entry = s.head[groups[at]]
        at += 1
        while entry >= 0:
            x = find(s.parent, s.other[entry])
            entry = s.after[entry]
            if place[x] < token:
                place[x] = token + len(groups) - 1
                groups.append(x)
    n = len(groups) - 1
    s.state[1] = token + n
    codes = []
    for t in range(len(groups)):
        entry = s.head[groups[t]]
        while entry >= 0:
            x = find(s.parent, s.other[entry])
            codes.append((place[groups[t]] - token) * n + place[x] - token)
            entry = s.after[entry]
    codes_ = np.unique(np.array(codes))
    indices = codes_ % n
    indptr = np.searchsorted(codes_, np.arange(n + 1) * n)
    colors = dsatur(indptr, indices, n_colors)
    if colors.min() < 0:
        order, _ = smallest_last_order(indptr, indices)
        clique = greedy_clique(indptr, indices, order, n_colors + 1)
        if len(clique) > n_colors:
            return False
        verdict, colors, _ = color_exactly(indptr, indices, n_colors, clique, _BUDGET)
        if verdict != 1:
            return False
    for x in groups:
        s.color[x] = colors[place[x] - token]
    return True
