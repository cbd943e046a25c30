"""Seeded single link on a spanning tree: every object joins the seed group that it reaches by the shortest steps.

The edges of the tree are visited from the shortest. An edge joins two parts unless both hold seeds of different groups;
a part takes the group of its seeds. This is single link in which seed groups never merge, and every object gets the
group to which the longest step of its path is shortest.

Along the way, without the rule on groups, each object notes the length at which its part first held a seed, and the
length at which it first held seeds of two groups.
"""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def grow_groups(first, second, group):
    """The group of each object; -1 if the tree leads to no seed. ``group`` is that of the seeds, -1 for all others."""
    n = len(group)
    parent, tag = _start(group)
    for e in range(len(first)):
        a, b = _root(parent, first[e]), _root(parent, second[e])
        if a == b or (tag[a] >= 0 and tag[b] >= 0):
            continue
        parent[b] = a
        if tag[a] < 0:
            tag[a] = tag[b]
    found = np.empty(n, np.int64)
    for i in range(n):
        found[i] = tag[_root(parent, i)]
    return found


@njit(cache=True, nogil=True)
def reach_of_groups(first, second, length, group):
    """For each object the longest step to the nearest group, and to the second nearest; infinite if there is none."""
    n = len(group)
    near, far = np.full(n, np.inf), np.full(n, np.inf)
    parent, tag = _start(group)
    after = np.arange(n)  # the objects of a part, in a ring
    for i in range(n):
        root = _root(parent, i)
        if root != i:
            after[root], after[i] = after[i], after[root]
    for i in range(n):
        if tag[_root(parent, i)] >= 0:
            near[i] = 0.0
    several = np.zeros(n, np.bool_)
    for e in range(len(first)):
        a, b = _root(parent, first[e]), _root(parent, second[e])
        if a == b:
            continue
        two = tag[a] >= 0 and tag[b] >= 0 and tag[a] != tag[b]
        several_after = several[a] or several[b] or two
        for part, other in ((a, b), (b, a)):
            if tag[part] < 0 and tag[other] >= 0:
                _mark(near, after, part, length[e])
            if several_after and not several[part]:
                _mark(far, after, part, length[e])
        after[a], after[b] = after[b], after[a]
        parent[b] = a
        several[a] = several_after
        if tag[a] < 0:
            tag[a] = tag[b]
    return near, far


@njit(cache=True, nogil=True)
def _start(group):
    """Parts before any edge: one for the seeds of each group, one for each other object; and the group of each."""
    n = len(group)
    parent, tag = np.arange(n), np.full(n, -1, np.int64)
    first_of = np.full(max(group.max(), 0) + 1, -1, np.int64)
    for i in range(n):
        g = group[i]
        if g < 0:
            continue
        if first_of[g] < 0:
            first_of[g] = i
            tag[i] = g
        parent[i] = first_of[g]
    return parent, tag


@njit(cache=True, nogil=True)
def _mark(values, after, start, value):
    """Set a value for all objects of a part."""
    i = start
    while True:
        values[i] = value
        i = after[i]
        if i == start:
            return


@njit(cache=True, nogil=True)
def _root(parent, i):
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i
