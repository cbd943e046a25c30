"""How well the other references in the hyper-edges of two references match (naive relational resolution)."""

import numpy as np
from numba import njit

from pluribus._kernels.graphs.cluster_links import find_link, start_links


@njit(cache=True, nogil=True)
def hyperedge_match(n, pairs, similarity, of_ptr, of, in_ptr, members):
    """For each pair of references: the best mean match of two of their hyper-edges, 0 to 1.

    ``of`` lists the hyper-edges of each reference, ``members`` the references in each hyper-edge. From one edge to the
    other, each co-reference counts by its best match; both directions are averaged.
    """
    links = start_links(pairs, n)
    out = np.zeros(len(pairs))
    for t in range(len(pairs)):
        a, b = pairs[t]
        for p in range(of_ptr[a], of_ptr[a + 1]):
            for q in range(of_ptr[b], of_ptr[b + 1]):
                e, f = of[p], of[q]
                if e != f:  # an edge matches itself, which says nothing
                    there = _one_way(links, similarity, in_ptr, members, e, f, a, b)
                    back = _one_way(links, similarity, in_ptr, members, f, e, b, a)
                    out[t] = max(out[t], (there + back) / 2)
    return out


@njit(cache=True, nogil=True)
def _one_way(links, similarity, in_ptr, members, e, f, a, b):
    total, count = 0.0, 0
    for p in range(in_ptr[e], in_ptr[e + 1]):
        x = members[p]
        if x == a:
            continue
        best = 0.0
        for q in range(in_ptr[f], in_ptr[f + 1]):
            y = members[q]
            if y == b:
                continue
            if x == y:
                best = 1.0
            else:
                link = find_link(links, x, y)
                if link >= 0:
                    best = max(best, similarity[link])
        total += best
        count += 1
    return total / count if count else 0.0
