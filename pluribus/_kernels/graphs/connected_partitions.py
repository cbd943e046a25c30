"""The best partition of a small graph into k connected parts, by dynamic programming over sets of objects: O(k 3^n)."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def best_connected_partition(adjacent, D, k):
    """The part of each object, and the largest radius: the least that k connected parts can have.

    ``adjacent[v]`` is the set of neighbors of v as bits; a radius is the largest distance to the best center inside the
    part. The parts are -1 if there is no such partition.
    """
    n = len(D)
    full = (1 << n) - 1
    radius = _radii(adjacent, D)
    best = np.full((k + 1, full + 1), np.inf)
    choice = np.zeros((k + 1, full + 1), np.int64)
    best[0, 0] = 0.0
    for parts in range(1, k + 1):
        for mask in range(1, full + 1):
            lowest = mask & -mask
            rest = mask ^ lowest
            sub = rest
            while True:  # all parts that hold the lowest object of the mask
                part = sub | lowest
                cost = max(radius[part], best[parts - 1, mask ^ part])
                if cost < best[parts, mask]:
                    best[parts, mask], choice[parts, mask] = cost, part
                if sub == 0:
                    break
                sub = (sub - 1) & rest
    labels = np.full(n, -1)
    mask = full
    if best[k, full] < np.inf:
        for parts in range(k, 0, -1):
            for v in range(n):
                if choice[parts, mask] >> v & 1:
                    labels[v] = k - parts
            mask ^= choice[parts, mask]
    return labels, best[k, full]


@njit(cache=True, nogil=True)
def _radii(adjacent, D):
    """The radius of each set of objects; inf if it is empty or not connected."""
    n = len(D)
    out = np.full(1 << n, np.inf)
    for mask in range(1, 1 << n):
        if not _is_connected(adjacent, mask):
            continue
        for c in range(n):
            if mask >> c & 1:
                far = 0.0
                for v in range(n):
                    if mask >> v & 1:
                        far = max(far, D[c, v])
                out[mask] = min(out[mask], far)
    return out


@njit(cache=True, nogil=True)
def _is_connected(adjacent, mask):
    seen = mask & -mask
    border = seen
    while border:
        reached = 0
        for v in range(len(adjacent)):
            if border >> v & 1:
                reached |= adjacent[v]
        border = reached & mask & ~seen
        seen |= border
    return seen == mask
