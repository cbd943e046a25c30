"""Vertices that must all have different labels: exact sums over the sets of labels in use."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def _log_add(a, b):
    if a < b:
        a, b = b, a
    return a if b == -np.inf else a + np.log1p(np.exp(b - a))


@njit(cache=True, nogil=True)
def _n_bits(sets, k):
    bits = np.zeros(sets, np.int64)
    for used in range(1, sets):
        bits[used] = bits[used >> 1] + (used & 1)
    return bits


@njit(cache=True, nogil=True)
def sum_all_different(vertices, U, marginals):
    """Marginals of vertices that all differ, written into `marginals`; returns the log-sum over all such labelings.

    The first m vertices use some set of m labels: forward, the sum over the ways to do that, and backward, over the
    ways to go on. There are 2^k sets.
    """
    k, m = U.shape[1], vertices.shape[0]
    n_sets = 1 << k
    size = _n_bits(n_sets, k)
    forward = np.full(n_sets, -np.inf)
    backward = np.full(n_sets, -np.inf)
    forward[0] = 0.0
    for used in range(n_sets):  # a set comes after all its subsets
        if size[used] < m:
            for label in range(k):
                if not used >> label & 1:
                    more = used | 1 << label
                    forward[more] = _log_add(forward[more], forward[used] + U[vertices[size[used]], label])
    for used in range(n_sets - 1, -1, -1):
        if size[used] == m:
            backward[used] = 0.0
        elif size[used] < m:
            for label in range(k):
                if not used >> label & 1:
                    rest = U[vertices[size[used]], label] + backward[used | 1 << label]
                    backward[used] = _log_add(backward[used], rest)
    for v in vertices:
        marginals[v] = 0.0
    for used in range(n_sets):
        if size[used] < m:
            v = vertices[size[used]]
            for label in range(k):
                if not used >> label & 1:
                    here = forward[used] + U[v, label] + backward[used | 1 << label]
                    marginals[v, label] += np.exp(here - backward[0])
    return backward[0]
