"""Objects that clusters link: connected components, by union-find over the clusters."""

import numpy as np
from numba import njit

from pluribus._kernels.linkage.dendrogram import find


@njit(cache=True, nogil=True)
def linked_by_clusters(labels, offsets, counted):
    """The component of each object, numbered by first occurrence; two objects in one cluster are linked.

    Only partitions with ``counted`` link; an object in none of them is alone.
    """
    n, r = labels.shape
    parent = np.arange(offsets[r])
    for i in range(n):
        root = -1
        for p in range(r):
            if counted[p] and labels[i, p] >= 0:
                other = find(parent, offsets[p] + labels[i, p])
                if root < 0:
                    root = other
                else:
                    parent[other] = root
    number = np.full(offsets[r], -1, np.int64)
    component = np.empty(n, np.int64)
    n_found = 0
    for i in range(n):
        component[i] = -1
        for p in range(r):
            if counted[p] and labels[i, p] >= 0:
                root = find(parent, offsets[p] + labels[i, p])
                if number[root] < 0:
                    number[root] = n_found
                    n_found += 1
                component[i] = number[root]
                break
        if component[i] < 0:
            component[i] = n_found
            n_found += 1
    return component
