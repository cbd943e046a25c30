"""Lower bounds on disagreements: bad cycles that share no weight.

A bad cycle has exactly one pair that belongs apart. However its nodes are clustered, one of its pairs disagrees, so a
packing of bad cycles, in which no pair is used for more than its weight, is a lower bound. It is a feasible solution of
the dual of the linear relaxation.
"""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def mirror_entries(indptr, indices):
    """For each entry (u, v) of a symmetric CSR matrix with sorted indices, the place of (v, u)."""
    n = indptr.shape[0] - 1
    mirror = np.empty(indices.shape[0], np.int64)
    place = indptr[:-1].copy()
    for u in range(n):  # the entries of column u come in the order of their rows
        for e in range(indptr[u], indptr[u + 1]):
            v = indices[e]
            mirror[e] = place[v]
            place[v] += 1
    return mirror


@njit(cache=True, nogil=True)
def pack_triangles(indptr, indices, mirror, residual, together, order):
    """Pack bad triangles greedily, along an order of the nodes; ``residual`` has what is left of each weight, in place.

    ``together`` says of each entry whether its pair belongs together. Returns the total weight of the packing.
    """
    total = 0.0
    for u in order:
        for edge in range(indptr[u], indptr[u + 1]):
            v = indices[edge]
            if v < u or together[edge]:
                continue
            e, f = indptr[u], indptr[v]
            while e < indptr[u + 1] and f < indptr[v + 1] and residual[edge] > 0.0:
                if indices[e] < indices[f]:
                    e += 1
                elif indices[e] > indices[f]:
                    f += 1
                else:
                    if together[e] and together[f]:
                        least = min(residual[edge], residual[e], residual[f])
                        if least > 0.0:
                            residual[edge] -= least
                            residual[e] -= least
                            residual[mirror[e]] -= least
                            residual[f] -= least
                            residual[mirror[f]] -= least
                            total += least
                    e += 1
                    f += 1
            residual[mirror[edge]] = residual[edge]
    return total


@njit(cache=True, nogil=True)
def pack_cycles(indptr, indices, mirror, residual, together, order, length, budget):
    """The same for bad cycles with at most ``length`` pairs that belong together.

    For each pair that belongs apart, a breadth-first search along weights that are left finds a shortest path; again,
    until there is none. ``budget`` is the number of nodes that a search visits at most.
    """
    n = indptr.shape[0] - 1
    total = 0.0
    seen = np.full(n, -1, np.int64)
    came_by = np.empty(n, np.int64)  # the entry that leads to a node
    depth = np.empty(n, np.int64)
    queue = np.empty(n, np.int64)
    search = -1
    for u in order:
        for edge in range(indptr[u], indptr[u + 1]):
            v = indices[edge]
            if v < u or together[edge]:
                continue
            while residual[edge] > 0.0:
                search += 1
                seen[u] = search
                depth[u] = 0
                queue[0] = u
                head, tail = 0, 1
                found, exhausted = False, True
                while head < tail and not found:
                    x = queue[head]
                    head += 1
                    if depth[x] == length or tail >= budget:
                        exhausted = False
                        break
                    for e in range(indptr[x], indptr[x + 1]):
                        y = indices[e]
                        if together[e] and residual[e] > 0.0 and seen[y] != search:
                            seen[y] = search
                            came_by[y] = e
                            depth[y] = depth[x] + 1
                            if y == v:
                                found = True
                                break
                            queue[tail] = y
                            tail += 1
                if not found:
                    if exhausted:  # no longer path either, now or later
                        residual[edge] = residual[mirror[edge]] = 0.0
                    break
                least = residual[edge]
                x = v
                while x != u:
                    least = min(least, residual[came_by[x]])
                    x = indices[mirror[came_by[x]]]
                residual[edge] -= least
                residual[mirror[edge]] -= least
                x = v
                while x != u:
                    e = came_by[x]
                    residual[e] -= least
                    residual[mirror[e]] -= least
                    x = indices[mirror[e]]
                total += least
    return total


@njit(cache=True, nogil=True)
def pack_wedges(indptr, indices, mirror, residual, together, sizes, background, order, tries):
    """Pack bad triangles whose pair that belongs apart is not listed; ``residual`` is changed in place.

    From each node u of the order, neighbors v and w that belong together with u, have weight left and are not linked.
    Each pair (u, v) tries at most ``tries`` partners w. Returns the ends v < w and the weights of the triangles. A pair
    (v, w) may come up from several u; only one of them counts.
    """
    n_most = np.int64(0)
    for e in range(indices.shape[0]):
        n_most += together[e]
    n_most = n_most // 4 + 1  # two pairs for each triangle, each with two entries
    one, other = np.empty(n_most, np.int64), np.empty(n_most, np.int64)
    weight = np.empty(n_most)
    n_found = 0
    for u in order:
        for e in range(indptr[u], indptr[u + 1]):
            if not together[e] or residual[e] <= 0.0:
                continue
            v = indices[e]
            n_tried = 0
            for f in range(e + 1, indptr[u + 1]):
                if n_tried == tries or residual[e] <= 0.0 or n_found == n_most:
                    break
                if not together[f] or residual[f] <= 0.0:
                    continue
                w = indices[f]
                n_tried += 1
                row = indices[indptr[v] : indptr[v + 1]]
                at = np.searchsorted(row, w)
                if at < row.shape[0] and row[at] == w:
                    continue
                least = min(residual[e], residual[f], background * sizes[v] * sizes[w])
                residual[e] -= least
                residual[mirror[e]] -= least
                residual[f] -= least
                residual[mirror[f]] -= least
                one[n_found], other[n_found], weight[n_found] = v, w, least
                n_found += 1
    return one[:n_found], other[:n_found], weight[:n_found]
