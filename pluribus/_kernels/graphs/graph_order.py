"""Orders, cliques and colorings of a sparse undirected graph.

A graph is two arrays, ``indptr`` and ``indices``, of a symmetric CSR matrix with sorted indices and an empty diagonal.
"""

import heapq

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def smallest_last_order(indptr, indices):
    """Remove a vertex of least degree again and again: the removal order, and the core number of each vertex.

    The largest core number is the degeneracy. Walked backwards, the order meets each vertex with at most so many
    neighbors before it. Bucket queue of Batagelj and Zaveršnik, O(vertices + edges).
    """
    n = indptr.shape[0] - 1
    degree = np.empty(n, np.int64)
    largest = 0
    for v in range(n):
        degree[v] = indptr[v + 1] - indptr[v]
        largest = max(largest, degree[v])
    first = np.zeros(largest + 2, np.int64)  # where the bucket of each degree begins in `order`
    for v in range(n):
        first[degree[v] + 1] += 1
    for d in range(largest + 1):
        first[d + 1] += first[d]
    order = np.empty(n, np.int64)
    place = np.empty(n, np.int64)
    filled = first.copy()
    for v in range(n):
        place[v] = filled[degree[v]]
        order[place[v]] = v
        filled[degree[v]] += 1
    for position in range(n):
        v = order[position]
        for at in range(indptr[v], indptr[v + 1]):
            u = indices[at]
            if degree[u] > degree[v]:
                # Move u to the front of its bucket, then let the bucket below swallow it.
                front = first[degree[u]]
                w = order[front]
                order[front], order[place[u]] = u, w
                place[w], place[u] = place[u], front
                first[degree[u]] = front + 1
                degree[u] -= 1
    return order, degree


@njit(cache=True, nogil=True)
def _adjacent(indptr, indices, u, v):
    row = indices[indptr[u] : indptr[u + 1]]
    at = np.searchsorted(row, v)
    return at < row.shape[0] and row[at] == v


@njit(cache=True, nogil=True)
def greedy_clique(indptr, indices, order, enough):
    """Return a large clique: from each vertex, grow through its neighbors later in `order`, the last first.

    Stops at the first clique with `enough` vertices. Every clique is found by its earliest vertex if greed is lucky.
    """
    n = indptr.shape[0] - 1
    place = np.empty(n, np.int64)
    for position in range(n):
        place[order[position]] = position
    best = np.empty(0, np.int64)
    for start in order[::-1]:
        row = indices[indptr[start] : indptr[start + 1]]
        where = np.sort(place[row])[::-1]
        clique = np.empty(where.shape[0] + 1, np.int64)
        clique[0] = start
        size = 1
        for position in where:
            if position < place[start]:
                break
            fits = True
            for member in clique[1:size]:
                if not _adjacent(indptr, indices, order[position], member):
                    fits = False
                    break
            if fits:
                clique[size] = order[position]
                size += 1
        if size > best.shape[0]:
            best = clique[:size].copy()
            if size >= enough:
                break
    return best


@njit(cache=True, nogil=True)
def color_along(indptr, indices, order, colors, n_colors):
    """Give each uncolored vertex (-1), in this order, the first color no neighbor has; in place.

    The caller knows that a color is always free.
    """
    taken = np.full(n_colors, -1, np.int64)
    for v in order:
        if colors[v] >= 0:
            continue
        for at in range(indptr[v], indptr[v + 1]):
            if colors[indices[at]] >= 0:
                taken[colors[indices[at]]] = v
        color = 0
        while taken[color] == v:
            color += 1
        colors[v] = color


@njit(cache=True, nogil=True)
def dsatur(indptr, indices, n_colors):
    """Color the vertex with the fewest free colors first (Brélaz); -1 where no color was left."""
    n = indptr.shape[0] - 1
    colors = np.full(n, -1, np.int64)
    taken = np.zeros((n, n_colors), np.bool_)
    saturation = np.zeros(n, np.int64)
    done = np.zeros(n, np.bool_)
    queue = [(0, indptr[v] - indptr[v + 1], v) for v in range(n)]
    heapq.heapify(queue)
    while len(queue) > 0:
        _, _, v = heapq.heappop(queue)
        if done[v]:
            continue  # an older, lower rank of a vertex that was colored since
        done[v] = True
        color = 0
        while color < n_colors and taken[v, color]:
            color += 1
        if color == n_colors:
            continue
        colors[v] = color
        for at in range(indptr[v], indptr[v + 1]):
            u = indices[at]
            if not done[u] and not taken[u, color]:
                taken[u, color] = True
                saturation[u] += 1
                heapq.heappush(queue, (-saturation[u], indptr[u] - indptr[u + 1], u))
    return colors


@njit(cache=True, nogil=True)
def _paint(indptr, indices, v, color, step, n_taken, saturation):
    """Count (step = 1) or forget (-1) that v has this color, with all its neighbors."""
    for at in range(indptr[v], indptr[v + 1]):
        u = indices[at]
        before = n_taken[u, color]
        n_taken[u, color] = before + step
        if before == 0:
            saturation[u] += 1
        elif before + step == 0:
            saturation[u] -= 1


@njit(cache=True, nogil=True)
def _most_saturated(indptr, colors, saturation):
    best = -1
    for v in range(colors.shape[0]):
        if colors[v] < 0 and (
            best < 0
            or saturation[v] > saturation[best]
            or (saturation[v] == saturation[best] and indptr[v + 1] - indptr[v] > indptr[best + 1] - indptr[best])
        ):
            best = v
    return best


@njit(cache=True, nogil=True)
def color_exactly(indptr, indices, n_colors, clique, budget):
    """Search for a coloring with backtracking on the DSATUR order, the clique colored first.

    Returns the verdict (1 found, 0 there is none, -1 the budget ran out), the colors, and what is left of the budget;
    each step of the search costs as many units as there are vertices. New colors are tried one at a time, so no
    coloring is visited twice under other names.
    """
    n = indptr.shape[0] - 1
    colors = np.full(n, -1, np.int64)
    n_taken = np.zeros((n, n_colors), np.int32)
    saturation = np.zeros(n, np.int64)
    for color in range(clique.shape[0]):
        colors[clique[color]] = color
        _paint(indptr, indices, clique[color], color, 1, n_taken, saturation)
    n_free = n - clique.shape[0]
    vertex = np.empty(n_free + 1, np.int64)  # chosen at each depth
    n_used = np.empty(n_free + 1, np.int64)  # colors in use above each depth
    n_used[0] = clique.shape[0]
    depth = 0
    vertex[0] = _most_saturated(indptr, colors, saturation)
    while 0 <= depth < n_free:
        budget -= n
        if budget < 0:
            return -1, colors, 0
        v = vertex[depth]
        color = colors[v]
        if color >= 0:
            _paint(indptr, indices, v, color, -1, n_taken, saturation)
            colors[v] = -1
        limit = min(n_colors, n_used[depth] + 1)
        color += 1
        while color < limit and n_taken[v, color] > 0:
            color += 1
        if color >= limit:
            depth -= 1
            continue
        colors[v] = color
        _paint(indptr, indices, v, color, 1, n_taken, saturation)
        n_used[depth + 1] = max(n_used[depth], color + 1)
        depth += 1
        if depth < n_free:
            vertex[depth] = _most_saturated(indptr, colors, saturation)
    return (1 if depth >= 0 else 0), colors, budget
