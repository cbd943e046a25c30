"""When the two references of a pair come together along a path of merges."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def joined_after(n, first, merges, pairs):
    """For each pair, the number of merges after which both are in one cluster; one more than there are if never.

    ``first`` is the first cluster of each reference, ``merges`` the ids of the two clusters; the merged one has the id
    n + the number of the merge. The part with fewer pairs is looked through, so that each pair is seen O(log) times.
    """
    start = np.zeros(n + 1, np.int64)
    for p in range(len(pairs)):
        start[pairs[p, 0] + 1] += 1
        start[pairs[p, 1] + 1] += 1
    start = np.cumsum(start)
    free, incident = start[:-1].copy(), np.empty(2 * len(pairs), np.int64)
    found = np.full(len(pairs), len(merges) + 1, np.int64)
    for p in range(len(pairs)):
        for side in range(2):
            incident[free[pairs[p, side]]] = p
            free[pairs[p, side]] += 1
        if first[pairs[p, 0]] == first[pairs[p, 1]]:
            found[p] = 0
    cluster, head, last = first.copy(), np.full(n, -1, np.int64), np.full(n, -1, np.int64)
    after, work = np.full(n, -1, np.int64), np.zeros(n, np.int64)
    for r in range(n):
        c = first[r]
        after[r], head[c] = head[c], r
        if last[c] < 0:
            last[c] = r
        work[c] += 1 + start[r + 1] - start[r]
    where = np.empty(n + len(merges), np.int64)  # the first cluster that stands for each id
    where[:n] = np.arange(n)
    for t in range(len(merges)):
        big, small = where[merges[t, 0]], where[merges[t, 1]]
        if work[big] < work[small]:
            big, small = small, big
        r = head[small]
        while r >= 0:
            for place in range(start[r], start[r + 1]):
                p = incident[place]
                if cluster[pairs[p, 0] + pairs[p, 1] - r] == big:
                    found[p] = t + 1
            r = after[r]
        r = head[small]
        while r >= 0:
            cluster[r] = big
            r = after[r]
        after[last[big]], last[big] = head[small], last[small]
        work[big] += work[small]
        where[n + t] = big
    return found
