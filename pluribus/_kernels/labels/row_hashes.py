"""Rows of label arrays: hashing, so that equal rows can be found in one pass."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def hash_rows(labels):
    """64-bit hash of each row of an integer array; equal rows have equal hashes."""
    n, r = labels.shape
    out = np.empty(n, np.uint64)
    for i in range(n):
        h = np.uint64(0x9E3779B97F4A7C15)
        for p in range(r):
            # One round of splitmix64 per label.
            h ^= np.uint64(labels[i, p] + 2)
            h = (h ^ (h >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            h = (h ^ (h >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            h ^= h >> np.uint64(31)
        out[i] = h
    return out


@njit(cache=True, nogil=True)
def rows_differ(labels, inverse, first):
    """Whether any row differs from the representative of its group (a hash collision)."""
    n, r = labels.shape
    for i in range(n):
        k = first[inverse[i]]
        for p in range(r):
            if labels[i, p] != labels[k, p]:
                return True
    return False
