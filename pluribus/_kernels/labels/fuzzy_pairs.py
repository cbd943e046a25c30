"""Pairs of objects in two soft partitions: to what degree each pair is together."""

from numba import njit


@njit(cache=True, nogil=True)
def togetherness(membership, x, y):
    """1 minus half the difference of two rows: 1 for equal rows, 0 for rows that have no cluster in common."""
    difference = 0.0
    for c in range(membership.shape[1]):
        difference += abs(membership[x, c] - membership[y, c])
    return max(1 - difference / 2, 0.0)


@njit(cache=True, nogil=True)
def add_fuzzy_pairs(u, v, counts, start, stop, sums, binned):
    """Add the pairs x < y, x in start … stop, of rows that stand for ``counts`` objects each.

    ``sums`` takes the degrees to which they are together in both, only in the first, only in the second and in none;
    ``binned[0]`` and ``binned[1]`` (each count, sum) the degrees in the first and the second partition by size: the
    first bin is for those that are exactly 0, the last for those that are exactly 1.
    """
    last = binned.shape[2] - 1
    for x in range(start, stop):
        for y in range(x + 1, len(u)):
            weight = counts[x] * counts[y]
            e, f = togetherness(u, x, y), togetherness(v, x, y)
            sums[0] += weight * min(e, f)
            sums[1] += weight * max(e - f, 0.0)
            sums[2] += weight * max(f - e, 0.0)
            sums[3] += weight * (1 - max(e, f))
            for p, degree in ((0, e), (1, f)):
                place = 0 if degree <= 0 else last if degree >= 1 else 1 + int(degree * (last - 1))
                binned[p, 0, place] += weight
                binned[p, 1, place] += weight * degree
