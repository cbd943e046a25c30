"""Clusters that grow along the edges of a graph, nearest objects first, and how far a center reaches.

A graph is a symmetric pattern in CSR form (``indptr``, ``indices``) without loops. Distances to centers come from
``values``: those of points (n, d) to ``centers`` (k, d), or, if ``centers`` has no columns, ``values[v, j]`` itself.
"""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def distance(values, centers, v, j):
    """Of object v to center j."""
    if centers.shape[1] == 0:
        return values[v, j]
    total = 0.0
    for f in range(centers.shape[1]):
        total += (values[v, f] - centers[j, f]) ** 2
    return np.sqrt(total)


@njit(cache=True, nogil=True)
def grow(indptr, indices, values, centers, seeds, labels, absorbed):
    """Grow cluster j from the object ``seeds[j]`` until all objects that can be reached are assigned.

    The object that is absorbed next is the one with the least radius: the largest distance to the center on the way to
    it (then the least distance, then the lowest numbers). It goes to the cluster that reaches it. Bridges are an
    exception: objects between several clusters that are within that radius, with neighbors to come. A bridge goes where
    it and those neighbors that have no other link are nearest to the center. ``labels`` and ``absorbed`` (the radius
    at which an object was absorbed) are filled in.
    """
    labels[:] = -1
    absorbed[:] = 0.0
    heap = new_heap(max(len(indices), len(seeds)) + 1)
    seen = np.full(len(seeds), -1)  # the last object whose neighbors were looked at, by the cluster of the neighbor
    size = 0
    for j in range(len(seeds)):
        labels[seeds[j]] = j
    for j in range(len(seeds)):
        absorbed[seeds[j]] = distance(values, centers, seeds[j], j)
        size = _push_neighbors(heap, size, indptr, indices, values, centers, labels, seeds[j], j, absorbed[seeds[j]])
    while size > 0:
        radius, v, j = heap[0][0], heap[2][0], heap[3][0]
        size = pop(heap, size)
        if labels[v] >= 0:
            continue
        j = _bridged(indptr, indices, values, centers, labels, seen, v, j, radius)
        labels[v] = j
        absorbed[v] = radius
        size = _push_neighbors(heap, size, indptr, indices, values, centers, labels, v, j, radius)


@njit(cache=True, nogil=True)
def _push_neighbors(heap, size, indptr, indices, values, centers, labels, v, j, radius):
    for place in range(indptr[v], indptr[v + 1]):
        w = indices[place]
        if labels[w] < 0:
            d = distance(values, centers, w, j)
            size = push(heap, size, max(radius, d), d, w, j)
    return size


@njit(cache=True, nogil=True)
def _bridged(indptr, indices, values, centers, labels, seen, v, j, radius):
    """The cluster that v goes to; j, unless v is a bridge. Each cluster next to v is looked at once."""
    waiting = False
    several = False
    n_behind = 0
    for place in range(indptr[v], indptr[v + 1]):
        w = indices[place]
        if labels[w] < 0:
            waiting = True
            n_behind += indptr[w + 1] - indptr[w] == 1
        elif labels[w] != j:
            several = True
    if not (waiting and several):
        return j
    best, best_far, best_own = j, np.inf, np.inf
    for place in range(indptr[v], indptr[v + 1]):
        i = labels[indices[place]]
        if i < 0 or seen[i] == v:
            continue
        seen[i] = v
        own = distance(values, centers, v, i)
        if own > radius:
            continue
        far = own
        if n_behind:
            for other in range(indptr[v], indptr[v + 1]):
                w = indices[other]
                if labels[w] < 0 and indptr[w + 1] - indptr[w] == 1:
                    far = max(far, distance(values, centers, w, i))
        if far < best_far or (far == best_far and (own < best_own or (own == best_own and i < best))):
            best, best_far, best_own = i, far, own
    return best


@njit(cache=True, nogil=True)
def reach(indptr, indices, far, start, reached):
    """The least radius around ``start`` within which each object is connected to it: ρ(start → v), in ``reached``.

    ``far`` are the distances of all objects to ``start``; what cannot be reached has inf.
    """
    reached[:] = np.inf
    done = np.zeros(len(far), np.bool_)
    heap = new_heap(len(indices) + 1)
    size = push(heap, 0, far[start], 0.0, start, 0)
    while size > 0:
        radius, v = heap[0][0], heap[2][0]
        size = pop(heap, size)
        if done[v]:
            continue
        done[v] = True
        reached[v] = radius
        for place in range(indptr[v], indptr[v + 1]):
            w = indices[place]
            if not done[w]:
                size = push(heap, size, max(radius, far[w]), 0.0, w, 0)


@njit(cache=True, nogil=True)
def new_heap(room):
    """An empty binary heap of (radius, distance, object, cluster), the least first, for at most ``room`` entries."""
    return np.empty(room), np.empty(room), np.empty(room, np.int64), np.empty(room, np.int32)


@njit(cache=True, nogil=True)
def _less(heap, a, b):
    if heap[0][a] != heap[0][b]:
        return heap[0][a] < heap[0][b]
    if heap[1][a] != heap[1][b]:
        return heap[1][a] < heap[1][b]
    if heap[2][a] != heap[2][b]:
        return heap[2][a] < heap[2][b]
    return heap[3][a] < heap[3][b]


@njit(cache=True, nogil=True)
def _swap(heap, a, b):
    heap[0][a], heap[0][b] = heap[0][b], heap[0][a]
    heap[1][a], heap[1][b] = heap[1][b], heap[1][a]
    heap[2][a], heap[2][b] = heap[2][b], heap[2][a]
    heap[3][a], heap[3][b] = heap[3][b], heap[3][a]


@njit(cache=True, nogil=True)
def push(heap, size, radius, d, v, j):
    """Add an entry, and return the new size."""
    heap[0][size], heap[1][size], heap[2][size], heap[3][size] = radius, d, v, j
    place = size
    while place > 0 and _less(heap, place, (place - 1) // 2):
        _swap(heap, place, (place - 1) // 2)
        place = (place - 1) // 2
    return size + 1


@njit(cache=True, nogil=True)
def pop(heap, size):
    """Remove the first entry, and return the new size."""
    size -= 1
    _swap(heap, 0, size)
    place = 0
    while True:
        child = 2 * place + 1
        if child >= size:
            return size
        if child + 1 < size and _less(heap, child + 1, child):
            child += 1
        if not _less(heap, child, place):
            return size
        _swap(heap, place, child)
        place = child
