"""Greedy average link on co-association evidence, where some groups must stay apart. Memory O(n r).

The heap is that of ``_constrained_link``, the groups are those of ``_average_link``. Looking through all groups is what
costs, so the best few partners of a group are kept: when one of them has grown, these are judged anew, and as long as
the best of them is not behind the last of them when they were noted, it is the best of all.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from pluribus._kernels.linkage.average_link import _absorb
from pluribus._kernels.linkage.cannot_link_groups import FULL, JOINED, are_apart, grown, join, stamp_avoided
from pluribus._kernels.linkage.constrained_single_link import note, replace_top, rounded
from pluribus._kernels.linkage.dendrogram import find

_KEPT = 8  # of the best partners of a group
_NONE, _UNKNOWN = -1, -2


class Kept(NamedTuple):
    """The best partners of each group when it was last looked at; those not among them were behind the last."""

    partner: np.ndarray  # (n, _KEPT)
    value: np.ndarray  # (n, _KEPT)
    version: np.ndarray  # (n, _KEPT) how often the partner had grown
    n_kept: np.ndarray  # (n,)
    last_value: np.ndarray  # (n,) evidence and number of the last; -1 if there were no others
    last_number: np.ndarray  # (n,)


def start_kept(n):
    """The state before the first step: nothing is kept."""
    shape = (n, _KEPT)
    return Kept(
        partner=np.empty(shape, np.int64),
        value=np.empty(shape),
        version=np.empty(shape, np.int64),
        n_kept=np.zeros(n, np.int64),
        last_value=np.full(n, np.inf),
        last_number=np.zeros(n, np.int64),
    )


@njit(cache=True, nogil=True)
def link_average(b, s, kept, g, column_of, weights, pull_ptr, pull_to, pull, items, n_colors, goal, lowest):
    """Go on until ``goal`` merges are done, nothing is left, or the evidence is below ``lowest``.

    ``g`` are the groups' summed one-hot rows (see ``_average_link``). ``items`` (head, tail, after) lists the items of
    each group that have preferences; ``pull`` is what these add to the weight together. Returns the constraints'
    state, which may have grown.
    """
    n = len(g.size)
    total, touched = np.zeros(n), np.empty(n, np.int64)
    seen = np.zeros(n, np.bool_)
    place = np.zeros(len(g.starts), np.int64)
    while b.n_merges[0] < goal and b.size[0] > 0:
        a = b.heap[0]
        other = b.partner[a]
        if s.parent[a] != a:
            replace_top(b, -1, 0.0)
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
                note(b, low, high, b.value[a])
                _absorb(g, low, high, column_of, place)
                _append_items(items, low, high)
                b.version[low] += 1
                kept.n_kept[low], kept.last_value[low] = 0, np.inf
                if low != a:  # the group that grew is elsewhere in the heap: it is looked at when it comes to the top
                    b.seen_version[low] = -1
                    replace_top(b, -1, 0.0)
                    continue
        t = _best_of_kept(kept, a, b, s, g, column_of, weights, pull_ptr, pull_to, pull, items, total, place)
        if t == _UNKNOWN:
            _look_at_all(kept, a, b, s, g, column_of, weights, pull_ptr, pull_to, pull, items, total, touched, seen)
            t = 0 if kept.n_kept[a] > 0 else _NONE
        if t == _NONE:
            replace_top(b, -1, 0.0)
        else:
            b.seen_version[a] = kept.version[a, t]
            replace_top(b, kept.partner[a, t], kept.value[a, t])
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
def _mean(together, a, other, g, weights, everything):
    """Mean evidence between two groups."""
    if g.seen.shape[0] > 0:
        pairs = 0.0
        for p in range(len(weights)):
            pairs += weights[p] * g.seen[a, p] * g.seen[other, p]
    else:
        pairs = everything * g.size[a] * g.size[other]
    return rounded(min(together / pairs, 1.0)) if pairs > 0 else 1.0


@njit(cache=True, nogil=True)
def _best_of_kept(kept, a, b, s, g, column_of, weights, pull_ptr, pull_to, pull, items, total, place):
    """Where the best partner of root a is among those kept, if it surely is; _NONE if there is no partner at all."""
    if kept.last_value[a] == np.inf:
        return _UNKNOWN
    filled = False
    everything = weights.sum()
    best, t = _NONE, 0
    while t < kept.n_kept[a]:
        other = find(s.parent, kept.partner[a, t])
        twice = False
        for u in range(t):
            twice |= kept.partner[a, u] == other
        if twice or other == a or are_apart(s, a, other):
            kept.n_kept[a] -= 1
            last = kept.n_kept[a]
            kept.partner[a, t], kept.value[a, t] = kept.partner[a, last], kept.value[a, last]
            kept.version[a, t] = kept.version[a, last]
            continue
        if other != kept.partner[a, t] or b.version[other] != kept.version[a, t]:
            if not filled:
                filled = True
                h = g.head[a]
                while h >= 0:
                    place[column_of[h]] = g.position[h] + 1
                    h = g.after[h]
                _add_pulls(a, 1.0, s, pull_ptr, pull_to, pull, items, total)
            together = total[other]
            h = g.head[other]
            while h >= 0:
                at = place[column_of[h]]
                if at > 0:
                    together += weights[h % len(weights)] * g.inside[at - 1] * g.inside[g.position[h]]
                h = g.after[h]
            kept.partner[a, t], kept.version[a, t] = other, b.version[other]
            kept.value[a, t] = _mean(together, a, other, g, weights, everything)
        if kept.value[a, t] > 0 and (
            best < 0
            or kept.value[a, t] > kept.value[a, best]
            or (kept.value[a, t] == kept.value[a, best] and other < kept.partner[a, best])
        ):
            best = t
        t += 1
    if filled:
        h = g.head[a]
        while h >= 0:
            place[column_of[h]] = 0
            h = g.after[h]
        _add_pulls(a, 0.0, s, pull_ptr, pull_to, pull, items, total)
    if kept.last_value[a] < 0:
        return best
    if best < 0 or kept.value[a, best] < kept.last_value[a]:
        return _UNKNOWN
    behind = kept.value[a, best] == kept.last_value[a] and kept.partner[a, best] > kept.last_number[a]
    return _UNKNOWN if behind else best


@njit(cache=True, nogil=True)
def _add_pulls(a, factor, s, pull_ptr, pull_to, pull, items, total):
    """Add what preferences of root a add to the weight together with each group; or set that to 0 (factor 0)."""
    i = items[0][a]
    while i >= 0:
        for at in range(pull_ptr[i], pull_ptr[i + 1]):
            other = find(s.parent, pull_to[at])
            total[other] = (total[other] + pull[at]) * factor
        i = items[2][i]


@njit(cache=True, nogil=True)
def _look_at_all(kept, a, b, s, g, column_of, weights, pull_ptr, pull_to, pull, items, total, touched, seen):
    """Keep the permitted groups with the highest mean evidence for root a; of equal ones the lowest numbers."""
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
    count, n_permitted = 0, 0
    for t in range(m):
        other = touched[t]
        together = total[other]
        total[other] = 0
        seen[other] = False
        if other == a or s.stamp[other] == token:
            continue
        value = _mean(together, a, other, g, weights, everything)
        if value <= 0:
            continue
        n_permitted += 1
        at = count
        if count == _KEPT:
            at -= 1
            if value < kept.value[a, at] or (value == kept.value[a, at] and other > kept.partner[a, at]):
                continue
        else:
            count += 1
        while at > 0 and (
            value > kept.value[a, at - 1] or (value == kept.value[a, at - 1] and other < kept.partner[a, at - 1])
        ):
            kept.partner[a, at], kept.value[a, at] = kept.partner[a, at - 1], kept.value[a, at - 1]
            kept.version[a, at] = kept.version[a, at - 1]
            at -= 1
        kept.partner[a, at], kept.value[a, at], kept.version[a, at] = other, value, b.version[other]
    kept.n_kept[a] = count
    kept.last_value[a] = kept.value[a, count - 1] if n_permitted > count else -1.0
    kept.last_number[a] = kept.partner[a, count - 1] if count > 0 else -1
