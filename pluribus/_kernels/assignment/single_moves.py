"""Moves of single points to their nearest center, as long as clusters keep enough of them."""

from numba import njit


@njit(cache=True, nogil=True)
def move_singly(gains, targets, starts, sizes, lower, moved):
    """Move candidates, the largest gain first, out of clusters that have more points than they must keep.

    Parameters
    ----------
    gains : (c,)
        Of the candidates, ordered by source, then by gain, the largest first.
    targets : (c,)
        The clusters that they enter.
    starts : (k + 1,)
        Where the candidates of each source begin.
    sizes : (k,)
        Of the clusters; changed in place.
    lower : (k,)
        What they must keep.
    moved : (c,) bool
        To be filled.
    """
    k = len(sizes)
    following = starts[:k].copy()
    while True:
        best = -1
        for h in range(k):
            may_leave = following[h] < starts[h + 1] and sizes[h] > lower[h]
            if may_leave and (best < 0 or gains[following[h]] > gains[following[best]]):
                best = h
        if best < 0:
            return
        candidate = following[best]
        following[best] += 1
        moved[candidate] = True
        sizes[best] -= 1
        sizes[targets[candidate]] += 1
