"""Greedy single and average link on co-association evidence, where some groups must stay apart. Memory O(n r).

Each item (single link) or group (average link) keeps its best permitted partner in a heap. Merging and new refusals
only lower what is best, so an entry that no longer holds is an upper bound: it is made anew when it comes to the top,
and the merges come in the order of the obvious algorithm that looks at all pairs each time.

Preferences change the evidence of single pairs: of items in ``pull`` (CSR), see ``adjusted``.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from pluribus._kernels._apart import FULL, JOINED, are_apart, grown, join, stamp_avoided
from pluribus._kernels._average_link import _absorb
from pluribus._kernels._dendrogram import find
from pluribus._kernels._pair_counts import both_seen, together_with


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
def _replace_top(b, partner, value):
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
def _note(b, left, right, value):
    t = b.n_merges[0]
    b.left[t], b.right[t], b.evidence[t] = left, right, value
    b.n_merges[0] += 1


@njit(cache=True, nogil=True)
def link_single(
    b, s, labels, offsets, weights, starts, members, missing, pull_ptr, pull_to, pull, n_colors, goal, lowest
):
    """Go on until ``goal`` merges are done, nothing is left, or the evidence is below ``lowest``.

    Returns the constraints' state, which may have grown.
    """
    n = labels.shape[0]
    total, touched, pulled = np.zeros(n), np.empty(n, np.int64), np.zeros(n)
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
                    _note(b, i, j, b.value[i])
        partner, value = _best_of_item(
            i, s, labels, offsets, weights, starts, members, missing, pull_ptr, pull_to, pull, total, touched, pulled
        )
        _replace_top(b, partner, value)
    return s


@njit(cache=True, nogil=True)
def _best_of_item(
    i, s, labels, offsets, weights, starts, members, missing, pull_ptr, pull_to, pull, total, touched, pulled
):
    """The permitted item of another group with the highest evidence for i; the lowest number on ties."""
    root = find(s.parent, i)
    token = stamp_avoided(s, root)
    for at in range(pull_ptr[i], pull_ptr[i + 1]):
        pulled[pull_to[at]] = pull[at]
    everything = weights.sum()
    partner, best = -1, 0.0
    m = together_with(i, labels, offsets, weights, starts, members, total, touched)
    for t in range(m):
        j = touched[t]
        together = total[j]
        total[j] = 0
        other = find(s.parent, j)
        if other == root or s.stamp[other] == token:
            pulled[j] = 0
            continue
        c = min(together / (both_seen(i, j, labels, weights) if missing else everything), 1.0)
        if pulled[j] != 0:
            c = adjusted(c, pulled[j])
            pulled[j] = 0
        if c > best or (c == best and c > 0 and j < partner):
            partner, best = j, c
    for at in range(pull_ptr[i], pull_ptr[i + 1]):  # those never together with i
        j = pull_to[at]
        c, pulled[j] = pulled[j], 0
        other = find(s.parent, j)
        if other != root and s.stamp[other] != token and (c > best or (c == best and c > 0 and j < partner)):
            partner, best = j, c
    return partner, best


@njit(cache=True, nogil=True)
def link_average(b, s, g, column_of, weights, pull_ptr, pull_to, pull, items, n_colors, goal, lowest):
    """The same for average link: ``g`` are the groups' summed one-hot rows (see ``_average_link``).

    ``items`` (head, tail, after) lists the items of each group that have preferences; ``pull`` is what these add to
    the weight together.
    """
    n = len(g.size)
    total, touched = np.zeros(n), np.empty(n, np.int64)
    seen = np.zeros(n, np.bool_)
    place = np.zeros(len(g.starts), np.int64)
    while b.n_merges[0] < goal and b.size[0] > 0:
        a = b.heap[0]
        other = b.partner[a]
        if s.parent[a] != a:
            _replace_top(b, -1, 0.0)
            continue
        if other >= 0 and s.parent[other] == other and b.version[other] == b.seen_version[a]:
            if b.value[a] < lowest:
                return s
            low, high = min(a, other), max(a, other)
            done = join(s, low, high, n_colors)
            while done == FULL:
                s = grown(s)
                done = join(s, low, high, n_colors)
            if done == JOINED:
                _note(b, low, high, b.value[a])
                _absorb(g, low, high, column_of, place)
                _append_items(items, low, high)
                b.version[low] += 1
                if low != a:  # the group that grew is elsewhere in the heap: it is looked at when it comes to the top
                    b.seen_version[low] = -1
                    _replace_top(b, -1, 0.0)
                    continue
        partner, value = _best_of_group(
            a, s, g, column_of, weights, pull_ptr, pull_to, pull, items, total, touched, seen
        )
        if partner >= 0:
            b.seen_version[a] = b.version[partner]
        _replace_top(b, partner, value)
    return s


@njit(cache=True, nogil=True)
def absorb_roots(g, root, column_of, items):
    """Merge each item into its root, before the first step."""
    place = np.zeros(len(g.starts), np.int64)
    for i in range(len(root)):
        if root[i] != i:
            _absorb(g, root[i], i, column_of, place)
            _append_items(items, root[i], i)


@njit(cache=True, nogil=True)
def _append_items(items, a, b):
    head, tail, after = items
    if head[b] >= 0:
        if head[a] < 0:
            head[a] = head[b]
        else:
            after[tail[a]] = head[b]
        tail[a] = tail[b]


@njit(cache=True, nogil=True)
def _best_of_group(a, s, g, column_of, weights, pull_ptr, pull_to, pull, items, total, touched, seen):
    """The permitted group with the highest mean evidence for root a; the lowest number on ties."""
    token = stamp_avoided(s, a)
    m = 0
    h = g.head[a]
    while h >= 0:
        c = column_of[h]
        p = h % len(weights)
        inside = weights[p] * g.inside[g.position[h]]
        if inside > 0:
            for t in range(g.starts[c], g.ends[c]):
                other = g.group[t]
                if not seen[other]:
                    seen[other] = True
                    touched[m] = other
                    m += 1
                total[other] += inside * g.inside[t]
        h = g.after[h]
    i = items[0][a]
    while i >= 0:
        for at in range(pull_ptr[i], pull_ptr[i + 1]):
            other = find(s.parent, pull_to[at])
            if not seen[other]:
                seen[other] = True
                touched[m] = other
                m += 1
            total[other] += pull[at]
        i = items[2][i]
    everything = weights.sum()
    partner, best = -1, 0.0
    for t in range(m):
        other = touched[t]
        together = total[other]
        total[other] = 0
        seen[other] = False
        if other == a or s.stamp[other] == token:
            continue
        if g.seen.shape[0] > 0:
            pairs = 0.0
            for p in range(len(weights)):
                pairs += weights[p] * g.seen[a, p] * g.seen[other, p]
        else:
            pairs = everything * g.size[a] * g.size[other]
        value = min(together / pairs, 1.0) if pairs > 0 else 1.0
        if value > best or (value == best and value > 0 and other < partner):
            partner, best = other, value
    return partner, best


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
                _note(b, a, other, 0.0)
    return s


@njit(cache=True, nogil=True)
def link_complete(b, s, least, mean, size, n_colors, goal, lowest):
    """Complete link on dense evidence between all groups (changed in place), ties broken by the mean evidence."""
    n = len(size)
    alive = np.ones(n, np.bool_)
    partner = np.full(n, -1, np.int64)
    stale = np.ones(n, np.bool_)
    while b.n_merges[0] < goal:
        best = -1
        for a in range(n):
            if not alive[a]:
                continue
            if stale[a] or (partner[a] >= 0 and (not alive[partner[a]] or are_apart(s, a, partner[a]))):
                partner[a] = _best_of_row(a, s, least, mean, alive)
                stale[a] = False
            if partner[a] >= 0 and (
                best < 0
                or least[a, partner[a]] > least[best, partner[best]]
                or (
                    least[a, partner[a]] == least[best, partner[best]]
                    and mean[a, partner[a]] > mean[best, partner[best]] + 1e-12
                )
            ):
                best = a
        if best < 0 or least[best, partner[best]] < lowest:
            return s
        low, high = min(best, partner[best]), max(best, partner[best])
        done = join(s, low, high, n_colors)
        while done == FULL:
            s = grown(s)
            done = join(s, low, high, n_colors)
        if done != JOINED:
            continue
        _note(b, low, high, least[low, high])
        alive[high] = False
        for x in range(n):
            if alive[x] and x != low:
                least[low, x] = min(least[low, x], least[high, x])
                mean[low, x] = (size[low] * mean[low, x] + size[high] * mean[high, x]) / (size[low] + size[high])
                least[x, low], mean[x, low] = least[low, x], mean[low, x]
                stale[x] |= partner[x] == low or partner[x] == high
        size[low] += size[high]
        stale[low] = True
    return s


@njit(cache=True, nogil=True)
def _best_of_row(a, s, least, mean, alive):
    token = stamp_avoided(s, a)
    best = -1
    for x in range(len(alive)):
        if (
            alive[x]
            and x != a
            and s.stamp[x] != token
            and (
                best < 0
                or least[a, x] > least[a, best]
                or (least[a, x] == least[a, best] and mean[a, x] > mean[a, best] + 1e-12)
            )
        ):
            best = x
    return best
