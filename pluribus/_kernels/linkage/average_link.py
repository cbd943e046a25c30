"""Average link on co-association evidence by nearest-neighbor chains, memory O(n r), no pairwise matrix.

The evidence between two groups is (weight together) / (weight both seen), summed over all pairs of their objects. What
is together counts by the weight of the cluster it is in, what is seen by the weight of the partition. Both
sums are dot products of the groups' summed one-hot rows and summed masks, so a group is its sum, kept sparsely: for
each cluster of the ensemble, which groups have members in it, and how many. A group's neighbors are the groups in its
clusters; all others have evidence 0. Where nothing is missing this is exactly average link; the ratio of sums of two
groups lies between those of their parts, so chains find the right tree also where labels are missing.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

_ROUNDING = 1e-10


class Groups(NamedTuple):
    """The groups' summed one-hot rows. An entry is a (group, cluster) pair with a positive count.

    Entries of one cluster stand side by side: cluster c has the positions starts[c] … ends[c] - 1. The entries of one
    group are a linked list of handles; handle i * r + p began as object i's label in partition p.
    """

    starts: np.ndarray  # (q,)
    ends: np.ndarray  # (q,)
    group: np.ndarray  # by position: the group
    inside: np.ndarray  # by position: how many of its objects are in the cluster
    handle: np.ndarray  # by position: the entry's handle
    position: np.ndarray  # by handle
    after: np.ndarray  # by handle: the next handle of the group, -1 = last
    head: np.ndarray  # by group: the first handle
    tail: np.ndarray  # by group: the last handle
    size: np.ndarray  # by group: number of objects
    seen: np.ndarray  # (groups, r) summed masks; (0, 0) where nothing is missing


class Chain(NamedTuple):
    """The nearest-neighbor chain and what it has done."""

    groups: np.ndarray  # the chain itself
    length: np.ndarray  # (1,)
    state: np.ndarray  # by group: 0 active, 1 merged into another, 2 without neighbors
    n_merges: np.ndarray  # (1,)
    left: np.ndarray
    right: np.ndarray
    evidence: np.ndarray


@njit(cache=True, nogil=True)
def start_groups(labels, offsets, counts, missing):
    """One group for each row of labels, which stands for ``counts`` objects."""
    n, r = labels.shape
    q = offsets[r]
    ends = np.zeros(q, np.int64)
    for i in range(n):
        for p in range(r):
            if labels[i, p] >= 0:
                ends[offsets[p] + labels[i, p]] += 1
    starts = np.zeros(q, np.int64)
    for c in range(1, q):
        starts[c] = starts[c - 1] + ends[c - 1]
    n_entries = starts[q - 1] + ends[q - 1]
    ends[:] = starts
    group = np.empty(n_entries, np.int32)
    inside = np.empty(n_entries, np.float64)
    handle = np.empty(n_entries, np.int64)
    position = np.full(n * r, -1, np.int64)
    after = np.full(n * r, -1, np.int64)
    head = np.full(n, -1, np.int64)
    tail = np.full(n, -1, np.int64)
    for i in range(n):
        for p in range(r):
            if labels[i, p] >= 0:
                c, h = offsets[p] + labels[i, p], i * r + p
                at = ends[c]
                group[at], inside[at], handle[at], position[h] = i, counts[i], h, at
                ends[c] += 1
                if head[i] < 0:
                    head[i] = h
                else:
                    after[tail[i]] = h
                tail[i] = h
    seen = np.zeros((n if missing else 0, r if missing else 0))
    if missing:
        for i in range(n):
            for p in range(r):
                seen[i, p] = counts[i] if labels[i, p] >= 0 else 0
    size = counts.astype(np.float64)
    return Groups(starts, ends, group, inside, handle, position, after, head, tail, size, seen)


@njit(cache=True, nogil=True)
def groups_of_sums(indptr, column_of, inside_of, size, seen, n_columns):
    """Groups whose summed one-hot rows are there, as CSR; the handle of an entry is its place."""
    n, n_entries = len(size), len(column_of)
    ends = np.zeros(n_columns, np.int64)
    for h in range(n_entries):
        ends[column_of[h]] += 1
    starts = np.zeros(n_columns, np.int64)
    for c in range(1, n_columns):
        starts[c] = starts[c - 1] + ends[c - 1]
    ends[:] = starts
    group, inside = np.empty(n_entries, np.int32), np.empty(n_entries, np.float64)
    handle, position = np.empty(n_entries, np.int64), np.empty(n_entries, np.int64)
    after = np.full(n_entries, -1, np.int64)
    head, tail = np.full(n, -1, np.int64), np.full(n, -1, np.int64)
    for i in range(n):
        for h in range(indptr[i], indptr[i + 1]):
            at = ends[column_of[h]]
            group[at], inside[at], handle[at], position[h] = i, inside_of[h], h, at
            ends[column_of[h]] += 1
            after[h] = h + 1
        if indptr[i] < indptr[i + 1]:
            head[i], tail[i] = indptr[i], indptr[i + 1] - 1
            after[tail[i]] = -1
    return Groups(starts, ends, group, inside, handle, position, after, head, tail, size, seen)


def empty_chain(n):
    """The state before the first step."""
    return Chain(
        groups=np.empty(n, np.int64),
        length=np.zeros(1, np.int64),
        state=np.zeros(n, np.int8),
        n_merges=np.zeros(1, np.int64),
        left=np.empty(max(n - 1, 0), np.int64),
        right=np.empty(max(n - 1, 0), np.int64),
        evidence=np.empty(max(n - 1, 0)),
    )


@njit(cache=True, nogil=True)
def _nearest(g, a, previous, column_of, weights, cluster_weights, total, touched):
    """The group with the highest mean evidence for group a; on ties ``previous``, then the lowest number."""
    m = 0
    h = g.head[a]
    while h >= 0:
        c = column_of[h]
        value = cluster_weights[c] * g.inside[g.position[h]]
        if value > 0:
            for t in range(g.starts[c], g.ends[c]):
                b = g.group[t]
                if total[b] == 0:
                    touched[m] = b
                    m += 1
                total[b] += value * g.inside[t]
        h = g.after[h]
    everything = weights.sum()
    best, best_value, previous_value = -1, 0.0, 0.0
    for s in range(m):
        b = touched[s]
        together = total[b]
        total[b] = 0
        if b == a:
            continue
        if g.seen.shape[0] > 0:
            pairs = 0.0
            for p in range(len(weights)):
                pairs += weights[p] * g.seen[a, p] * g.seen[b, p]
        else:
            pairs = everything * g.size[a] * g.size[b]
        value = together / pairs
        if b == previous:
            previous_value = value
        if value > best_value or (value == best_value and b < best):
            best, best_value = b, value
    # With unequal weights the same sum rounds differently from either side. A chain that moved on for less than that
    # could run in circles.
    if previous >= 0 and best_value <= previous_value * (1 + _ROUNDING):
        return previous, previous_value
    return best, best_value


@njit(cache=True, nogil=True)
def _absorb(g, a, b, column_of, place):
    """Add group b to group a. ``place`` (q,) is scratch."""
    h = g.head[a]
    while h >= 0:
        place[column_of[h]] = g.position[h] + 1
        h = g.after[h]
    h = g.head[b]
    while h >= 0:
        following = g.after[h]
        c, at = column_of[h], g.position[h]
        if place[c] > 0:
            g.inside[place[c] - 1] += g.inside[at]
            # The last entry of the cluster takes the place of the one that goes.
            g.ends[c] -= 1
            last = g.ends[c]
            if last != at:
                g.group[at], g.inside[at], g.handle[at] = g.group[last], g.inside[last], g.handle[last]
                g.position[g.handle[at]] = at
                if g.group[at] == a:
                    place[c] = at + 1
        else:
            g.group[at] = a
            g.after[g.tail[a]] = h
            g.tail[a] = h
            g.after[h] = -1
        h = following
    h = g.head[a]
    while h >= 0:
        place[column_of[h]] = 0
        h = g.after[h]
    g.size[a] += g.size[b]
    for p in range(g.seen.shape[1]):
        g.seen[a, p] += g.seen[b, p]


@njit(cache=True, nogil=True)
def follow_chain(g, chain, column_of, weights, cluster_weights, goal):
    """Go on until ``goal`` merges are done or nothing with neighbors is left. Returns whether there is more to do."""
    n = len(g.size)
    total = np.zeros(n)
    touched = np.empty(n, np.int64)
    place = np.zeros(len(g.starts), np.int64)
    fresh = 0
    while chain.n_merges[0] < goal:
        if chain.length[0] == 0:
            while fresh < n and chain.state[fresh] != 0:
                fresh += 1
            if fresh == n:
                return False
            chain.groups[0] = fresh
            chain.length[0] = 1
        a = chain.groups[chain.length[0] - 1]
        previous = chain.groups[chain.length[0] - 2] if chain.length[0] > 1 else -1
        b, value = _nearest(g, a, previous, column_of, weights, cluster_weights, total, touched)
        if b < 0:
            chain.state[a] = 2
            chain.length[0] = 0
        elif b == previous:
            t = chain.n_merges[0]
            chain.left[t], chain.right[t], chain.evidence[t] = b, a, value
            chain.n_merges[0] += 1
            chain.length[0] -= 2
            _absorb(g, b, a, column_of, place)
            chain.state[a] = 1
        else:
            if chain.length[0] == n:
                raise RuntimeError("the chain of nearest neighbors runs in circles")
            chain.groups[chain.length[0]] = b
            chain.length[0] += 1
    return True
