"""Mean field of pairwise clustering: memberships that follow from dissimilarities and couplings."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def sweep_memberships(D, indptr, indices, strength, beta, order, q, Dq, sizes, within):
    """Update the memberships of all objects in this order, and return the largest change.

    The cost of object i in cluster h is by how much the sum of dissimilarities within h over twice its size would rise:
    (Σ_j q_jh d_ij - W / (2 S)) / (S + 1), where S and W are the size of h and the sum of q q d over its ordered pairs,
    both without i. Couplings of pairs add Σ_j strength_ij q_jh.

    Parameters
    ----------
    D : (n, n)
        Symmetric, with zeros on the diagonal.
    indptr, indices, strength : arrays
        Of the symmetric matrix of couplings.
    beta : float
    order : (n,)
    q : (n, k)
        Memberships, updated.
    Dq, sizes, within : (n, k), (k,), (k,)
        D @ q, the sums of q, and the sums of q q d over all ordered pairs; updated.
    """
    n, k = q.shape
    new = np.empty(k)
    largest = 0.0
    for i in order:
        for h in range(k):
            size = sizes[h] - q[i, h]
            cost = 0.0
            if size > 1e-12:
                others = within[h] - 2 * q[i, h] * Dq[i, h]
                cost = (Dq[i, h] - others / (2 * size)) / (size + 1)
            new[h] = -beta * cost
        for e in range(indptr[i], indptr[i + 1]):
            for h in range(k):
                new[h] += strength[e] * q[indices[e], h]
        new -= new.max()
        new[:] = np.exp(new)
        new /= new.sum()
        for h in range(k):
            change = new[h] - q[i, h]
            if abs(change) < 1e-12:
                continue
            largest = max(largest, abs(change))
            within[h] += 2 * change * Dq[i, h]
            for j in range(n):
                Dq[j, h] += change * D[j, i]
            sizes[h] += change
            q[i, h] = new[h]
    return largest
