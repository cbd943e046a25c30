"""Pairs that are together, and rightly so, after each merge of a path."""

import numpy as np
from numba import njit

from pluribus._kernels.graphs.cluster_links import drop_link, find_link, move_half, start_links


@njit(cache=True, nogil=True)
def path_counts(n, first, entity, merges):
    """After 0, 1, … merges: pairs in one cluster, and those of them that are of one entity.

    ``first`` is the first cluster of each reference, ``entity`` the true one (-1: does not count), ``merges`` the ids
    of the two clusters; the merged one has the id n + the number of the merge.
    """
    counted = np.flatnonzero(entity >= 0)
    n_entities = entity.max() + 1 if len(counted) else 1
    codes = np.sort(first[counted] * n_entities + entity[counted])
    pairs, times, m = np.empty((len(codes), 2), np.int64), np.zeros(len(codes), np.int64), 0
    for t in range(len(codes)):
        if t == 0 or codes[t] != codes[t - 1]:
            pairs[m, 0], pairs[m, 1] = codes[t] // n_entities, n + codes[t] % n_entities
            m += 1
        times[m - 1] += 1
    links = start_links(pairs[:m], n + n_entities)
    size = np.bincount(first[counted], minlength=n)
    together, right = np.zeros(len(merges) + 1, np.int64), np.zeros(len(merges) + 1, np.int64)
    together[0], right[0] = (size * (size - 1) // 2).sum(), (times * (times - 1) // 2).sum()
    where = np.empty(n + len(merges), np.int64)  # the reference that stands for each id
    where[:n] = np.arange(n)
    for t in range(len(merges)):
        big, small = where[merges[t, 0]], where[merges[t, 1]]
        if links.degree[big] < links.degree[small]:
            big, small = small, big
        together[t + 1], right[t + 1] = together[t] + size[big] * size[small], right[t]
        half = links.head[small]
        while half >= 0:
            following = links.after[half]
            known = find_link(links, big, links.end[half ^ 1])
            if known >= 0:
                right[t + 1] += times[known] * times[half // 2]
                times[known] += times[half // 2]
                drop_link(links, half // 2)
            else:
                move_half(links, half, big)
            half = following
        size[big] += size[small]
        where[n + t] = big
    return together, right
