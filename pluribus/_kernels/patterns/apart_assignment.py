"""The nearest cluster of each set that holds nothing which a member of the set must be apart from."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def apart_assignment(distance, starts, members, apart_starts, apart):
    """The cluster of each set, one after another; -1 if none is left for it.

    ``distance`` (N, k). The members of set b that have to be apart from something are members[starts[b]:starts[b + 1]],
    and what member x has to be apart from is apart[apart_starts[x]:apart_starts[x + 1]]. Equal distances: the first.
    """
    n_sets, k = distance.shape
    holds = np.zeros((k, len(apart_starts) - 1), np.bool_)
    labels = np.full(n_sets, -1, np.int32)
    for b in range(n_sets):
        for cluster in np.argsort(distance[b], kind="mergesort"):
            free = True
            for p in range(starts[b], starts[b + 1]):
                for q in range(apart_starts[members[p]], apart_starts[members[p] + 1]):
                    if holds[cluster, apart[q]]:
                        free = False
                        break
                if not free:
                    break
            if free:
                labels[b] = cluster
                for p in range(starts[b], starts[b + 1]):
                    holds[cluster, members[p]] = True
                break
    return labels
