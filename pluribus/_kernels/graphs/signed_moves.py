"""Local search on a signed graph: which nodes belong together.

A signed graph is a symmetric CSR matrix without a diagonal, a size for each node and a number, the background. The
score of a pair of nodes is s(u, v) = entry(u, v) - background · size(u) · size(v): positive if they belong together.
The objective is the sum of s over all pairs that are together. It is additive, so clusters can be contracted to nodes:
their entries and sizes are added. With background 0, pairs that are not listed say nothing; with a positive background
they are apart. O(nodes + entries) for a sweep in either case.
"""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def move_nodes(indptr, indices, data, sizes, background, labels, within, order, tolerance, max_sweeps):
    """Move single nodes to the cluster of best gain, or to a new one, until no move gains; in place.

    Nodes wait in a queue, in the given order at first. A node that moves calls back those neighbors that are not in its
    new cluster. When the queue is empty, all nodes are asked once more, until none moves. A node only joins clusters of
    nodes with its own value of ``within``. Labels are in 0 … n - 1. Returns the number of moves.
    """
    n = indptr.shape[0] - 1
    total_size = np.zeros(n)
    n_members = np.zeros(n, np.int64)
    for v in range(n):
        total_size[labels[v]] += sizes[v]
        n_members[labels[v]] += 1
    empty = np.empty(n + 1, np.int64)  # a stack of labels without nodes
    n_empty = 0
    for c in range(n - 1, -1, -1):
        if n_members[c] == 0:
            empty[n_empty] = c
            n_empty += 1
    queue = order.copy()
    waiting = np.ones(n, np.bool_)
    weight_to = np.zeros(n)
    is_met = np.zeros(n, np.bool_)
    met = np.empty(n, np.int64)
    n_moves, n_moves_before, n_sweeps = 0, 0, 0
    head, n_waiting = 0, n
    while n_waiting > 0:
        v = queue[head]
        head = head + 1 if head + 1 < n else 0
        n_waiting -= 1
        waiting[v] = False
        own = labels[v]
        n_met = 0
        for e in range(indptr[v], indptr[v + 1]):
            u = indices[e]
            if within[u] == within[v]:
                c = labels[u]
                if not is_met[c]:
                    is_met[c] = True
                    met[n_met] = c
                    n_met += 1
                weight_to[c] += data[e]
        pull = background * sizes[v]
        stay = weight_to[own] - pull * (total_size[own] - sizes[v])
        best, best_gain = own, stay + tolerance
        if n_members[own] > 1 and best_gain < 0.0:
            best, best_gain = empty[n_empty - 1], 0.0
        for t in range(n_met):
            c = met[t]
            if c != own:
                gain = weight_to[c] - pull * total_size[c]
                if gain > best_gain:
                    best, best_gain = c, gain
            weight_to[c] = 0.0
            is_met[c] = False
        if best != own:
            if n_members[best] == 0:
                n_empty -= 1
            total_size[own] -= sizes[v]
            n_members[own] -= 1
            if n_members[own] == 0:
                total_size[own] = 0.0
                empty[n_empty] = own
                n_empty += 1
            labels[v] = best
            total_size[best] += sizes[v]
            n_members[best] += 1
            n_moves += 1
            for e in range(indptr[v], indptr[v + 1]):
                u = indices[e]
                if not waiting[u] and labels[u] != best and within[u] == within[v]:
                    waiting[u] = True
                    queue[(head + n_waiting) % n] = u
                    n_waiting += 1
        if n_waiting == 0 and n_moves > n_moves_before and n_sweeps < max_sweeps:
            n_moves_before = n_moves
            n_sweeps += 1
            queue[:] = order
            waiting[:] = True
            head, n_waiting = 0, n
    return n_moves


@njit(cache=True, nogil=True)
def contract(indptr, indices, data, labels, n_clusters):
    """The graph whose nodes are the clusters: CSR arrays with added entries, sorted, without a diagonal."""
    n = indptr.shape[0] - 1
    first = np.zeros(n_clusters + 1, np.int64)
    for v in range(n):
        first[labels[v] + 1] += 1
    for c in range(n_clusters):
        first[c + 1] += first[c]
    filled = first[:-1].copy()
    members = np.empty(n, np.int64)
    for v in range(n):
        members[filled[labels[v]]] = v
        filled[labels[v]] += 1
    sums = np.zeros(n_clusters)
    met_by = np.full(n_clusters, -1, np.int64)
    new_indptr = np.zeros(n_clusters + 1, np.int64)
    new_indices = np.empty(indices.shape[0], indices.dtype)
    new_data = np.empty(data.shape[0])
    filled_to = 0
    for c in range(n_clusters):
        start = filled_to
        for at in range(first[c], first[c + 1]):
            v = members[at]
            for e in range(indptr[v], indptr[v + 1]):
                d = labels[indices[e]]
                if d == c:
                    continue
                if met_by[d] != c:
                    met_by[d] = c
                    sums[d] = 0.0
                    new_indices[filled_to] = d
                    filled_to += 1
                sums[d] += data[e]
        row = np.sort(new_indices[start:filled_to])
        for t in range(row.shape[0]):
            new_indices[start + t] = row[t]
            new_data[start + t] = sums[row[t]]
        new_indptr[c + 1] = filled_to
    return new_indptr, new_indices[:filled_to].copy(), new_data[:filled_to].copy()


@njit(cache=True, nogil=True)
def sum_inside(indptr, indices, data, labels):
    """The sum of the entries of all pairs that are together, each pair once."""
    total = 0.0
    for v in range(indptr.shape[0] - 1):
        for e in range(indptr[v], indptr[v + 1]):
            if indices[e] > v and labels[indices[e]] == labels[v]:
                total += data[e]
    return total
