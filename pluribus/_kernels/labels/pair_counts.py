"""Who is together with whom, without an n × n array.

An ensemble is given as its label array (n, r) and the members of each cluster as lists: the objects of cluster c of
partition p stand at ``members[starts[offsets[p] + c] : starts[offsets[p] + c + 1]]``. Walking the r lists of one object
visits all objects that it ever shares a cluster with, and no others.
"""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def member_lists(labels, offsets):
    """Members of each cluster by counting sort: (starts, members), O(n r)."""
    n, r = labels.shape
    starts = np.zeros(offsets[r] + 1, np.int64)
    for i in range(n):
        for p in range(r):
            if labels[i, p] >= 0:
                starts[offsets[p] + labels[i, p] + 1] += 1
    for c in range(offsets[r]):
        starts[c + 1] += starts[c]
    fill = starts[:-1].copy()
    members = np.empty(starts[-1], np.int32)
    for i in range(n):
        for p in range(r):
            if labels[i, p] >= 0:
                c = offsets[p] + labels[i, p]
                members[fill[c]] = i
                fill[c] += 1
    return starts, members


@njit(cache=True, nogil=True)
def together_with(i, labels, offsets, weights, starts, members, total, touched):
    """Add up the weight of the partitions in which object i is together with each other object.

    ``total`` (n,) must be zero; afterwards ``total[touched[:m]]`` holds the sums, where m is returned. Who calls sets
    these entries back to zero. Object i itself is among them.
    """
    m = 0
    for p in range(labels.shape[1]):
        if labels[i, p] >= 0 and weights[p] > 0:
            c = offsets[p] + labels[i, p]
            for t in range(starts[c], starts[c + 1]):
                j = members[t]
                if total[j] == 0:
                    touched[m] = j
                    m += 1
                total[j] += weights[p]
    return m


@njit(cache=True, nogil=True)
def both_seen(i, j, labels, weights):
    """Weight of the partitions that cover both objects."""
    total = 0.0
    for p in range(labels.shape[1]):
        if labels[i, p] >= 0 and labels[j, p] >= 0:
            total += weights[p]
    return total
