"""How narrowly each object came into its cluster along a path of merges, and how close its cluster came to more."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def path_margins(first, size, ids, similarity, n_made):
    """For each object: the lowest similarity at which it joined others, and the one at which its cluster would go on.

    An object joins with the smaller part of a merge, or with both if they are of equal size. Infinite if it never did;
    minus infinite if its cluster merges no more. ``size`` is that of the first clusters; the sizes of all follow.
    """
    n = len(first)
    count = np.zeros(n + len(ids), np.int64)
    count[:n] = size
    for t in range(len(ids)):
        count[n + t] = count[ids[t, 0]] + count[ids[t, 1]]
    joined, further = np.full(n + len(ids), np.inf), np.full(n + len(ids), -np.inf)
    for t in range(n_made, len(ids)):
        for side in range(2):
            if ids[t, side] < n + n_made:
                further[ids[t, side]] = similarity[t]
    for t in range(n_made - 1, -1, -1):  # from each cluster down to its parts
        for side in range(2):
            part, other = ids[t, side], ids[t, 1 - side]
            joined[part] = joined[n + t]
            if count[part] <= count[other]:
                joined[part] = min(joined[part], similarity[t])
            further[part] = further[n + t]
    return joined[first], further[first], count
