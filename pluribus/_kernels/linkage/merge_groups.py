"""Merging groups of objects, by the evidence between them, until few are left."""

import numpy as np
from numba import njit

AVERAGE, PER_OBJECT, RELATIVE = 0, 1, 2


@njit(cache=True, nogil=True)
def merge_groups(together, seen, faint, apart, sizes, n_clusters, rule):
    """The cluster of each group, numbered in order of their first groups.

    The mean evidence between two groups is together / seen, of all pairs of their objects; both are added up when
    groups are merged. If none is more than `faint`, relative to that within the groups, those are merged which are
    least `apart`, by the increase of the sum of squares (Ward). Of equal pairs the first counts.
    """
    together, seen, apart, sizes = together.copy(), seen.copy(), apart.copy(), sizes.copy()
    n = len(sizes)
    labels = np.arange(n)
    scores = np.empty((n, n))  # of a < b
    for a in range(n):
        for b in range(a + 1, n):
            scores[a, b] = _score(together, seen, faint, apart, sizes, a, b, rule)
    for _ in range(n - n_clusters):
        best, keep, gone = -np.inf, 0, 0
        for a in range(n):
            for b in range(a + 1, n):
                if labels[a] == a and labels[b] == b and (gone == 0 or scores[a, b] > best):
                    best, keep, gone = scores[a, b], a, b
        together[keep, keep] += together[gone, gone] + 2 * together[keep, gone]
        seen[keep, keep] += seen[gone, gone] + 2 * seen[keep, gone]
        labels[labels == gone] = keep
        for other in range(n):
            if labels[other] == other and other != keep:
                together[keep, other] += together[gone, other]
                together[other, keep] = together[keep, other]
                seen[keep, other] += seen[gone, other]
                seen[other, keep] = seen[keep, other]
                to_both = (sizes[keep] + sizes[other]) * apart[keep, other]
                to_both += (sizes[gone] + sizes[other]) * apart[gone, other] - sizes[other] * apart[keep, gone]
                apart[keep, other] = to_both / (sizes[keep] + sizes[gone] + sizes[other])
                apart[other, keep] = apart[keep, other]
        sizes[keep] += sizes[gone]
        for other in range(n):
            if labels[other] == other and other != keep:
                a, b = min(keep, other), max(keep, other)
                scores[a, b] = _score(together, seen, faint, apart, sizes, a, b, rule)
    return np.searchsorted(np.unique(labels), labels)


@njit(cache=True, nogil=True)
def _score(together, seen, faint, apart, sizes, a, b, rule):
    mean = _ratio(together[a, b], seen[a, b])
    within = np.sqrt(_ratio(together[a, a], seen[a, a]) * _ratio(together[b, b], seen[b, b]))
    if mean <= faint * within:
        return -apart[a, b]
    if rule == PER_OBJECT:
        return mean * (sizes[a] + sizes[b])
    if rule == RELATIVE:
        return mean / within if within > 0 else mean
    return mean


@njit(cache=True, nogil=True)
def _ratio(above, below):
    return above / below if below > 0 else 0.0
