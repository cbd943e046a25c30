"""Ward and average link of points with weights, by nearest-neighbor chains on a matrix of distances."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def merge_weighted(distance, weight, ward):
    """Merges of a hierarchy over weighted points: (left, right, height), in the order the chain finds them.

    ``distance`` (m, m) is used up; for Ward it holds 2 w_i w_j / (w_i + w_j) times the squared distance, and so do the
    heights. ``left`` and ``right`` are objects that stand for the two groups. Both linkages are reducible: sorted by
    height, these are the merges of the greedy algorithm.
    """
    m = len(weight)
    weight = weight.copy()
    alive = np.ones(m, np.bool_)
    left, right, height = np.empty(m - 1, np.int64), np.empty(m - 1, np.int64), np.empty(m - 1)
    chain = np.empty(m + 1, np.int64)
    length = first = 0
    for t in range(m - 1):
        if length == 0:
            while not alive[first]:
                first += 1
            chain[0] = first
            length = 1
        while True:
            a = chain[length - 1]
            # On ties the one before in the chain, so that the chain ends; then the lowest index.
            b, best = -1, np.inf
            if length > 1:
                b = chain[length - 2]
                best = distance[a, b]
            for j in range(m):
                if alive[j] and j != a and distance[a, j] < best:
                    b, best = j, distance[a, j]
            if length > 1 and b == chain[length - 2]:
                break
            chain[length] = b
            length += 1
        length -= 2
        a, b = min(a, b), max(a, b)
        left[t], right[t], height[t] = a, b, best
        alive[b] = False
        wa, wb = weight[a], weight[b]
        for j in range(m):
            if alive[j] and j != a:
                da, db = distance[a, j], distance[b, j]
                if ward:
                    wj = weight[j]
                    merged = ((wa + wj) * da + (wb + wj) * db - wj * best) / (wa + wb + wj)
                else:
                    merged = (wa * da + wb * db) / (wa + wb)
                distance[a, j] = distance[j, a] = merged
        weight[a] = wa + wb
    return left, right, height
