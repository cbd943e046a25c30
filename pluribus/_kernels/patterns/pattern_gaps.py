"""How many elements of an order are skipped between the members of a set."""

import numpy as np
from numba import njit

NO_GAP = np.iinfo(np.int64).max


@njit(cache=True, nogil=True)
def pattern_gaps(starts, members, kind_at, n_kinds, cyclic):
    """The largest and the smallest number of elements skipped between consecutive members of each set.

    Sets are given by kinds of elements: members[starts[b]:starts[b + 1]]. ``kind_at`` is the kind of each element, in
    their order. On a circle the largest gap of a set is outside of it and does not count as large. Of a set with one
    member or none, the largest gap is 0 and the smallest NO_GAP.
    """
    n_sets, n = len(starts) - 1, len(kind_at)
    largest, smallest = np.zeros(n_sets, np.int64), np.full(n_sets, NO_GAP)
    inside = np.zeros(n_kinds, np.bool_)
    for b in range(n_sets):
        for p in range(starts[b], starts[b + 1]):
            inside[members[p]] = True
        first, last, outside = -1, -1, -1
        for at in range(n):
            if not inside[kind_at[at]]:
                continue
            if first < 0:
                first = at
            else:
                gap = at - last - 1
                smallest[b] = min(smallest[b], gap)
                if cyclic and gap > outside:
                    gap, outside = outside, gap
                largest[b] = max(largest[b], gap)
            last = at
        if cyclic and last > first:
            gap = n - 1 - last + first
            smallest[b] = min(smallest[b], gap)
            largest[b] = max(largest[b], min(gap, outside))
        for p in range(starts[b], starts[b + 1]):
            inside[members[p]] = False
    return largest, smallest
