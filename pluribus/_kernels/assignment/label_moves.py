"""Moving units between clusters when some must be apart: a move takes the chain of those in the way along (Kempe).

Units that must avoid each other are the edges of a graph ``hard_ptr``, ``hard_to`` (CSR); preferences are weights
``soft_ptr``, ``soft_to``, ``soft`` that count where both units are in one cluster.
"""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def _chain(u, target, hard_ptr, hard_to, labels, chain, inside):
    """All units that change places if u goes to ``target`` and those in the way come back; returns how many."""
    own = labels[u]
    chain[0] = u
    inside[u] = True
    size, at = 1, 0
    while at < size:
        x = chain[at]
        at += 1
        for e in range(hard_ptr[x], hard_ptr[x + 1]):
            y = hard_to[e]
            if not inside[y] and (labels[y] == own or labels[y] == target):
                inside[y] = True
                chain[size] = y
                size += 1
    return size


@njit(cache=True, nogil=True)
def kick(units, targets, hard_ptr, hard_to, labels):
    """Move each of ``units`` to its target, whatever that costs; labels in place."""
    chain, inside = np.empty(len(labels), np.int64), np.zeros(len(labels), np.bool_)
    for t in range(len(units)):
        own = labels[units[t]]
        if targets[t] != own:
            for x in chain[: _chain(units[t], targets[t], hard_ptr, hard_to, labels, chain, inside)]:
                inside[x] = False
                labels[x] = targets[t] if labels[x] == own else own


@njit(cache=True, nogil=True)
def _soft_gain(chain, size, inside, own, target, labels, soft_ptr, soft_to, soft):
    gain = 0.0
    for t in range(size):
        x = chain[t]
        new = target if labels[x] == own else own
        for e in range(soft_ptr[x], soft_ptr[x + 1]):
            y = soft_to[e]
            after = labels[y]
            if inside[y]:
                after = target if labels[y] == own else own
            change = soft[e] * ((new == after) - (1.0 if labels[x] == labels[y] else 0.0))
            gain += 0.5 * change if inside[y] else change
    return gain


@njit(cache=True, nogil=True)
def improve_labels(U, units, hard_ptr, hard_to, soft_ptr, soft_to, soft, labels, max_sweeps):
    """Move each of ``units`` to where the sum of U and preferences is highest, until none moves; labels in place."""
    n, k = U.shape
    chain, inside = np.empty(n, np.int64), np.zeros(n, np.bool_)
    for _ in range(max_sweeps):
        moved = False
        for u in units:
            own, best, best_gain = labels[u], -1, 1e-12
            for target in range(k):
                if target == own:
                    continue
                size = _chain(u, target, hard_ptr, hard_to, labels, chain, inside)
                gain = _soft_gain(chain, size, inside, own, target, labels, soft_ptr, soft_to, soft)
                for t in range(size):
                    x = chain[t]
                    gain += U[x, target if labels[x] == own else own] - U[x, labels[x]]
                    inside[x] = False
                if gain > best_gain:
                    best, best_gain = target, gain
            if best >= 0:
                size = _chain(u, best, hard_ptr, hard_to, labels, chain, inside)
                for t in range(size):
                    x = chain[t]
                    inside[x] = False
                    labels[x] = best if labels[x] == own else own
                moved = True
        if not moved:
            return


@njit(cache=True, nogil=True)
def consistency(M, s, partition_of, n_seen, weights):
    """Average cluster consistency of a partition with table M (k, q) and cluster sizes s (k, r) in each partition."""
    k, q = M.shape
    out = 0.0
    for c in range(q):
        p = partition_of[c]
        if n_seen[p] == 0:
            continue
        best = 0.0
        for a in range(k):
            if M[a, c] > 0:
                best = max(best, M[a, c] * (1 - s[a, p] / n_seen[p]))
        out += weights[p] * best / n_seen[p]
    return out / weights.sum()


@njit(cache=True, nogil=True)
def climb(
    M, s, partition_of, n_seen, weights, row_ptr, row_to, row, hard_ptr, hard_to, soft_ptr, soft_to, soft, share, labels
):
    """Single moves while they raise (1 - share) × consistency + preferences; labels, M and s in place.

    ``row`` (CSR) counts the objects of each unit in each cluster of the ensemble. Returns the number of moves.
    """
    n, k = len(labels), M.shape[0]
    chain, inside = np.empty(n, np.int64), np.zeros(n, np.bool_)
    now = consistency(M, s, partition_of, n_seen, weights)
    n_moves = 0
    moved = True
    while moved:
        moved = False
        for u in range(n):
            for target in range(k):
                own = labels[u]
                if target == own:
                    continue
                size = _chain(u, target, hard_ptr, hard_to, labels, chain, inside)
                gain = _soft_gain(chain, size, inside, own, target, labels, soft_ptr, soft_to, soft)
                _shift(M, s, partition_of, row_ptr, row_to, row, chain, size, inside, own, target, labels)
                then = consistency(M, s, partition_of, n_seen, weights)
                if gain + (1 - share) * (then - now) > 1e-12:
                    now = then
                    n_moves += 1
                    moved = True
                else:
                    _shift(M, s, partition_of, row_ptr, row_to, row, chain, size, inside, own, target, labels)
    return n_moves


@njit(cache=True, nogil=True)
def _shift(M, s, partition_of, row_ptr, row_to, row, chain, size, inside, own, target, labels):
    """Let the units of a chain change places."""
    for t in range(size):
        x = chain[t]
        inside[x] = False
        old = labels[x]
        new = target if old == own else own
        labels[x] = new
        for e in range(row_ptr[x], row_ptr[x + 1]):
            c = row_to[e]
            M[old, c] -= row[e]
            M[new, c] += row[e]
            s[old, partition_of[c]] -= row[e]
            s[new, partition_of[c]] += row[e]
