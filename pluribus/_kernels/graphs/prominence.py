"""Heights of groups of objects on a density, and the saddles between them."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def group_heights(order, density, groups, n_groups, n_top, least):
    """The mean of the ``n_top`` largest densities in each group; what a small group lacks counts as ``least``.

    ``order`` lists the objects from the highest density.
    """
    total = np.zeros(n_groups)
    count = np.zeros(n_groups, np.int64)
    for i in order:
        g = groups[i]
        if count[g] < n_top:
            total[g] += density[i]
            count[g] += 1
    return (total + (n_top - count) * least) / n_top


@njit(cache=True, nogil=True)
def group_saddles(one, other, level, groups, heights, n_top):
    """For each group: the mean level of its highest edges to all higher groups, how many, and where most of them lead.

    ``level`` falls; an edge belongs to the lower of its two groups, of equally high ones to that of the higher number.
    At most ``n_top`` edges count; a group without any has the level 0.
    """
    n_groups = len(heights)
    total = np.zeros(n_groups)
    count = np.zeros(n_groups, np.int64)
    leads = np.zeros((n_groups, n_groups), np.int64)
    for e in range(len(level)):
        a, b = groups[one[e]], groups[other[e]]
        if a == b:
            continue
        if heights[a] > heights[b] or (heights[a] == heights[b] and a < b):
            a, b = b, a
        if count[a] < n_top:
            total[a] += level[e]
            count[a] += 1
            leads[a, b] += 1
    target = np.zeros(n_groups, np.int64)
    for g in range(n_groups):
        target[g] = np.argmax(leads[g])
    return total / np.maximum(count, 1), count, target
