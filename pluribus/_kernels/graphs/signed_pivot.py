"""Pivots on a signed graph: a node and all unassigned nodes that belong together with it are a cluster."""

from numba import njit


@njit(cache=True, nogil=True)
def pivot_clusters(indptr, indices, data, sizes, background, order, forbidden, labels):
    """CC-Pivot of Ailon, Charikar and Newman along an order of the nodes; in place, labels by first pivot.

    An unassigned node u of the order becomes a cluster, with all unassigned v of positive score
    entry(u, v) - background · size(u) · size(v). A node that has an entry at or below ``forbidden`` to one of the
    cluster is left for later. Returns the number of clusters. O(nodes + entries).
    """
    labels[:] = -1
    n_clusters = 0
    for u in order:
        if labels[u] >= 0:
            continue
        labels[u] = n_clusters
        for e in range(indptr[u], indptr[u + 1]):
            v = indices[e]
            if labels[v] < 0 and data[e] > background * sizes[u] * sizes[v]:
                fits = True
                if forbidden > -1e300:
                    for f in range(indptr[v], indptr[v + 1]):
                        if data[f] <= forbidden and labels[indices[f]] == n_clusters:
                            fits = False
                            break
                if fits:
                    labels[v] = n_clusters
        n_clusters += 1
    return n_clusters
