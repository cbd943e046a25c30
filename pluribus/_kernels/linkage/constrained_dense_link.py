"""Greedy linkage on dense evidence, where some groups must stay apart; for small n."""

import numpy as np
from numba import njit

from pluribus._kernels.linkage.cannot_link_groups import FULL, JOINED, are_apart, grown, join, stamp_avoided
from pluribus._kernels.linkage.constrained_single_link import note

COMPLETE, SINGLE, AVERAGE = 0, 1, 2


@njit(cache=True, nogil=True)
def link_dense(b, s, least, mean, size, n_colors, goal, lowest, rule):
    """Link by dense evidence between all groups (changed in place), ties broken by the mean evidence.

    ``least`` is what the rule compares: the least, greatest or mean evidence of the pairs between two groups.
    """
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
        note(b, low, high, least[low, high])
        alive[high] = False
        for x in range(n):
            if alive[x] and x != low:
                if rule == COMPLETE:
                    least[low, x] = min(least[low, x], least[high, x])
                elif rule == SINGLE:
                    least[low, x] = max(least[low, x], least[high, x])
                else:
                    least[low, x] = (size[low] * least[low, x] + size[high] * least[high, x]) / (size[low] + size[high])
                mean[low, x] = (size[low] * mean[low, x] + size[high] * mean[high, x]) / (size[low] + size[high])
                least[x, low], mean[x, low] = least[low, x], mean[low, x]
                touched = partner[x] == low or partner[x] == high
                stale[x] |= touched or (rule != COMPLETE and partner[x] >= 0 and least[x, low] >= least[x, partner[x]])
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
