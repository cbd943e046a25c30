"""Good labels under pairs that must differ, where the best ones are out of reach: greed, then exchanges.

Symmetric CSR graphs; an edge adds its strength if both ends have the same label, and -inf forbids it.
"""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def label_in_order(order, indptr, indices, strength, U, labels):
    """Give each vertex of `order` (labels -1) its best label that no neighbor forbids; False if none is left to one."""
    for v in order:
        score = U[v].copy()
        for at in range(indptr[v], indptr[v + 1]):
            if labels[indices[at]] >= 0:
                score[labels[indices[at]]] += strength[at]
        best = np.argmax(score)
        if score[best] == -np.inf:
            return False
        labels[v] = best
    return True


@njit(cache=True, nogil=True)
def follow_chain(v, other, longest, indptr, indices, strength, labels, chain, mark, stamp):
    """The vertices that must exchange two labels if `v` takes `other`: those it must differ from, and so on (Kempe).

    They are written to `chain` and marked with the stamp. Returns how many they are; if more than `longest`, the rest
    is not followed.
    """
    one = labels[v]
    chain[0] = v
    mark[v] = stamp
    n_chain, head = 1, 0
    while head < n_chain <= longest:
        u = chain[head]
        head += 1
        wanted = other if labels[u] == one else one
        for at in range(indptr[u], indptr[u + 1]):
            w = indices[at]
            if strength[at] == -np.inf and labels[w] == wanted and mark[w] != stamp:
                mark[w] = stamp
                chain[n_chain] = w
                n_chain += 1
                if n_chain > longest:
                    break
    return n_chain


@njit(cache=True, nogil=True)
def exchange_gain(chain, n_chain, one, other, indptr, indices, strength, U, labels, mark, stamp):
    """What the logarithm of the probability gains if the chain exchanges the two labels."""
    gain = 0.0
    for at_chain in range(n_chain):
        u = chain[at_chain]
        old = labels[u]
        new = other if old == one else one
        gain += U[u, new] - U[u, old]
        for at in range(indptr[u], indptr[u + 1]):
            w = indices[at]
            if mark[w] != stamp and strength[at] > -np.inf:
                if labels[w] == old:
                    gain -= strength[at]
                elif labels[w] == new:
                    gain += strength[at]
    return gain


@njit(cache=True, nogil=True)
def exchange(chain, one, other, labels):
    """Let the vertices of the chain exchange the two labels."""
    for u in chain:
        labels[u] = other if labels[u] == one else one


@njit(cache=True, nogil=True)
def exchange_labels(vertices, indptr, indices, strength, U, labels, longest, max_sweeps):
    """Improve labels that nothing forbids, in place, as long as exchanging two labels along a chain gains something.

    A chain of one vertex is a plain move. Chains of more than `longest` vertices are not followed.
    """
    k = U.shape[1]
    n = indptr.shape[0] - 1
    mark = np.zeros(n, np.int64)
    chain = np.empty(n, np.int64)
    stamp = 0
    for _ in range(max_sweeps):
        moved = False
        for v in vertices:
            for other in range(k):
                one = labels[v]
                if other == one:
                    continue
                stamp += 1
                n_chain = follow_chain(v, other, longest, indptr, indices, strength, labels, chain, mark, stamp)
                if n_chain > longest:
                    continue
                gain = exchange_gain(chain, n_chain, one, other, indptr, indices, strength, U, labels, mark, stamp)
                if gain > 1e-9:
                    moved = True
                    exchange(chain[:n_chain], one, other, labels)
        if not moved:
            break
