"""First clusters of references: alike pairs whose co-references are alike too, joined as far as cannot-links allow."""

import numpy as np
from numba import njit

from pluribus._kernels.linkage.cannot_link_groups import JOINED, join, start_apart
from pluribus._kernels.linkage.dendrogram import find


@njit(cache=True, nogil=True)
def supported(pairs, alike_ptr, alike, near_ptr, near, needed):
    """Which pairs have ``needed`` pairs of co-references that are alike, or the same, and have nobody in common.

    ``alike`` and ``near`` list, for each reference, those that are alike and those in a common hyper-edge.
    """
    n = len(near_ptr) - 1
    yes = np.zeros(len(pairs), np.bool_)
    right = np.full(n, -1, np.int64)  # by reference: the last pair whose right side it is on
    left_of = np.empty(n, np.int64)  # of a reference on the right: whom it is matched with, -1 = nobody yet
    right_of = np.empty(n, np.int64)  # of a matched reference on the left
    seen = np.full(n, -1, np.int64)
    via = np.empty(n, np.int64)
    token = 0
    for t in range(len(pairs)):
        a, b = pairs[t]
        for p in range(near_ptr[b], near_ptr[b + 1]):
            if near[p] != a:
                right[near[p]] = t
                left_of[near[p]] = -1
        matched = 0
        for p in range(near_ptr[a], near_ptr[a + 1]):
            if matched >= needed:
                break
            if near[p] != b:
                token += 1
                matched += _augment(near[p], t, alike_ptr, alike, right, left_of, right_of, seen, via, token)
        yes[t] = matched >= needed
    return yes


@njit(cache=True, nogil=True)
def _augment(start, t, alike_ptr, alike, right, left_of, right_of, seen, via, token):
    """Match one more reference of the left side along an alternating path; whether there is one."""
    queue = [start]
    at = 0
    while at < len(queue):
        x = queue[at]
        at += 1
        for p in range(alike_ptr[x] - 1, alike_ptr[x + 1]):
            y = x if p < alike_ptr[x] else alike[p]  # a co-reference of both is alike itself
            if right[y] != t or seen[y] == token:
                continue
            seen[y] = token
            via[y] = x
            if left_of[y] >= 0:
                queue.append(left_of[y])
                continue
            while via[y] != start:  # a path ends: its references take the next ones
                x = via[y]
                following = right_of[x]
                left_of[y], right_of[x] = x, y
                y = following
            left_of[y], right_of[start] = start, y
            return 1
    return 0


@njit(cache=True, nogil=True)
def join_pairs(n, pairs, apart):
    """Join pairs in their order unless that breaks a cannot-link; the root of each object, and which were refused."""
    s = start_apart(np.arange(n), apart, np.full(n, -1, np.int64))
    refused = np.zeros(len(pairs), np.bool_)
    for t in range(len(pairs)):
        a, b = find(s.parent, pairs[t, 0]), find(s.parent, pairs[t, 1])
        if a != b:
            refused[t] = join(s, a, b, 0) != JOINED
    root = np.empty(n, np.int64)
    for i in range(n):
        root[i] = find(s.parent, i)
    return root, refused
