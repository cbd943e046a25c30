"""Greedy single link on co-association evidence, where some groups must stay apart. Memory O(n r).

Each item (in average link: each group) keeps its best permitted partner in a heap. Merging and new refusals only lower
what is best, so an entry that no longer holds is an upper bound: it is made anew when it comes to the top, and the
merges come in the order of the obvious algorithm that looks at all pairs each time. Looking through all pairs of an
item is what costs, so the best few are kept for the next times.

Of equal merges that with the lower numbers comes first. What is equal must not hang on the order of a sum: see
``rounded``. Preferences change the evidence of single pairs: of items in ``pull`` (CSR), see ``adjusted``.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from pluribus._kernels.labels.pair_counts import both_seen, together_with
from pluribus._kernels.linkage.cannot_link_groups import FULL, JOINED, are_apart, grown, join, stamp_avoided
from pluribus._kernels.linkage.dendrogram import find

_KEPT = 32  # of the best partners of an item


class Best(NamedTuple):
    """A heap of items by their best partner, and the merges so far."""

    heap: np.ndarray
    size: np.ndarray  # (1,)
    value: np.ndarray  # by item: the evidence for its best partner
    partner: np.ndarray  # by item; -1 = not looked for yet
    version: np.ndarray  # by item: how often the group has grown
    seen_version: np.ndarray  # by item: that of the partner when it was found; -1 = the group itself has grown
    left: np.ndarray
    right: np.ndarray
    evidence: np.ndarray
    n_merges: np.ndarray  # (1,)


def start_best(roots, n):
    """The state before the first step, for these items of n: nothing is known, all may be the best."""
    return Best(
        heap=roots.copy(),
        size=np.array([len(roots)]),
        value=np.full(n, np.inf),
        partner=np.full(n, -1, np.int64),
        version=np.zeros(n, np.int64),
        seen_version=np.zeros(n, np.int64),
        left=np.zeros(n, np.int64),
        right=np.zeros(n, np.int64),
        evidence=np.zeros(n),
        n_merges=np.zeros(1, np.int64),
    )


@njit(cache=True, nogil=True)
def adjusted(c, pull):
    """Evidence that a preference pulls towards 1 (positive, 1 = all the way) or 0 (negative)."""
    return c + (1 - c) * pull if pull > 0 else c * (1 + pull)


@njit(cache=True, nogil=True)
def rounded(c):
    """Evidence to 37 binary digits, so that equal shares are equal however they were summed."""
    t = c * 65537.0
    return t - (t - c)


@njit(cache=True, nogil=True)
def _before(b, i, j):
    """Whether item i comes before j: higher evidence, then the pair with the lower numbers."""
    if b.value[i] != b.value[j]:
        return b.value[i] > b.value[j]
    low_i, low_j = min(i, b.partner[i]), min(j, b.partner[j])
    if low_i != low_j:
        return low_i < low_j
    return max(i, b.partner[i]) < max(j, b.partner[j])


@njit(cache=True, nogil=True)
def _sink(b, at):
    size = b.size[0]
    item = b.heap[at]
    while True:
        child = 2 * at + 1
        if child >= size:
            break
        if child + 1 < size and _before(b, b.heap[child + 1], b.heap[child]):
            child += 1
        if not _before(b, b.heap[child], item):
            break
        b.heap[at] = b.heap[child]
        at = child
    b.heap[at] = item


@njit(cache=True, nogil=True)
def replace_top(b, partner, value):
    """Put the item on top where it belongs now, or take it out if it has no partner."""
    item = b.heap[0]
    b.partner[item], b.value[item] = partner, value
    if partner < 0:
        b.size[0] -= 1
        if b.size[0] > 0:
            b.heap[0] = b.heap[b.size[0]]
    if b.size[0] > 0:
        _sink(b, 0)


@njit(cache=True, nogil=True)
def note(b, left, right, value):
    t = b.n_merges[0]
    b.left[t], b.right[t], b.evidence[t] = left, right, value
    b.n_merges[0] += 1


class Kept(NamedTuple):
    """The best partners of each item when it was last looked at, best first; those before ``at`` are of no use."""

    partner: np.ndarray  # (n, _KEPT)
    value: np.ndarray  # (n, _KEPT)
    at: np.ndarray  # (n,)
    end: np.ndarray  # (n,)


def start_kept(n):
    """The state before the first step: nothing is kept."""
    nothing = np.zeros(n, np.int64)
    return Kept(np.empty((n, _KEPT), np.int32), np.empty((n, _KEPT)), nothing, nothing.copy())


@njit(cache=True, nogil=True)
def link_single(
    b, s, kept, labels, offsets, weights, starts, members, missing, pull_ptr, pull_to, pull, n_colors, goal, lowest
):
    """Go on until ``goal`` merges are done, nothing is left, or the evidence is below ``lowest``.

    Returns the constraints' state, which may have grown.
    """
    n = labels.shape[0]
    total, touched, pulled = np.zeros(n), np.empty(n, np.int64), np.zeros(n)
    seen = _weight_seen(labels, weights)
    while b.n_merges[0] < goal and b.size[0] > 0:
        i = b.heap[0]
        j = b.partner[i]
        if j >= 0:
            if b.value[i] < lowest:
                return s
            one, other = find(s.parent, i), find(s.parent, j)
            if one != other:
                low, high = min(one, other), max(one, other)
                done = join(s, low, high, n_colors)
                while done == FULL:
                    s = grown(s)
                    done = join(s, low, high, n_colors)
                if done == JOINED:
                    note(b, i, j, b.value[i])
        if not _has_permitted(kept, i, s):
            _look_at_all(
                kept,
                i,
                s,
                labels,
                offsets,
                weights,
                starts,
                members,
                missing,
                pull_ptr,
                pull_to,
                pull,
                seen,
                total,
                touched,
                pulled,
            )
        if kept.at[i] < kept.end[i]:
            replace_top(b, kept.partner[i, kept.at[i]], kept.value[i, kept.at[i]])
        else:
            replace_top(b, -1, 0.0)
    return s


@njit(cache=True, nogil=True)
def _weight_seen(labels, weights):
    """Weight of the partitions that cover each item."""
    seen = np.zeros(len(labels))
    for i in range(len(labels)):
        for p in range(len(weights)):
            if labels[i, p] >= 0:
                seen[i] += weights[p]
    return seen


@njit(cache=True, nogil=True)
def _has_permitted(kept, i, s):
    """Go on to the next partner of i that is in another group and may be joined, if there is one."""
    root = find(s.parent, i)
    while kept.at[i] < kept.end[i]:
        other = find(s.parent, kept.partner[i, kept.at[i]])
        if other != root and not are_apart(s, root, other):
            return True
        kept.at[i] += 1
    return False


@njit(cache=True, nogil=True)
def _keep(kept, i, j, c):
    """Put j among the partners of i, in order of evidence, then number, if it is good enough."""
    at = kept.end[i]
    if at == _KEPT:
        at -= 1
        if c < kept.value[i, at] or (c == kept.value[i, at] and j > kept.partner[i, at]):
            return
    else:
        kept.end[i] += 1
    while at > 0 and (c > kept.value[i, at - 1] or (c == kept.value[i, at - 1] and j < kept.partner[i, at - 1])):
        kept.partner[i, at], kept.value[i, at] = kept.partner[i, at - 1], kept.value[i, at - 1]
        at -= 1
    kept.partner[i, at], kept.value[i, at] = j, c


@njit(cache=True, nogil=True)
def _look_at_all(
    kept,
    i,
    s,
    labels,
    offsets,
    weights,
    starts,
    members,
    missing,
    pull_ptr,
    pull_to,
    pull,
    seen,
    total,
    touched,
    pulled,
):
    """Keep the permitted items of other groups with the highest evidence for i."""
    root = find(s.parent, i)
    token = stamp_avoided(s, root)
    kept.at[i], kept.end[i] = 0, 0
    for at in range(pull_ptr[i], pull_ptr[i + 1]):
        pulled[pull_to[at]] = pull[at]
    everything = weights.sum()
    m = together_with(i, labels, offsets, weights, starts, members, total, touched)
    for t in range(m):
        j = touched[t]
        together = total[j]
        total[j] = 0
        change, pulled[j] = pulled[j], 0
        seen_at_least = (seen[i] + seen[j] - everything) * (1 - 1e-9)
        if kept.end[i] == _KEPT and change <= 0 and together < kept.value[i, _KEPT - 1] * seen_at_least:
            continue
        other = find(s.parent, j)
        if other == root or s.stamp[other] == token:
            continue
        c = min(together / (both_seen(i, j, labels, weights) if missing else everything), 1.0)
        c = rounded(adjusted(c, change) if change != 0 else c)
        if c > 0:
            _keep(kept, i, j, c)
    for at in range(pull_ptr[i], pull_ptr[i + 1]):  # those never together with i
        j = pull_to[at]
        c, pulled[j] = rounded(pulled[j]), 0
        other = find(s.parent, j)
        if c > 0 and other != root and s.stamp[other] != token:
            _keep(kept, i, j, c)


@njit(cache=True, nogil=True)
def join_the_rest(b, s, n_colors, goal):
    """Join groups that have no evidence for each other, in the order of their numbers, as far as they may."""
    n = len(s.parent)
    for a in range(n):
        if s.parent[a] != a:
            continue
        for other in range(a + 1, n):
            if b.n_merges[0] >= goal:
                return s
            if s.parent[other] != other:
                continue
            done = join(s, a, other, n_colors)
            while done == FULL:
                s = grown(s)
                done = join(s, a, other, n_colors)
            if done == JOINED:
                note(b, a, other, 0.0)
    return s
