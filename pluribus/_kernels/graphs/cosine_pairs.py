"""Pairs of sparse rows with a cosine of at least ``least``, by prefix filtering (Bayardo, Ma and Srikant, WWW 2007).

Features are numbered from the rarest. The last entries of a row whose squares sum to less than ``least`` squared are
its suffix, the others its prefix. The product of a suffix with a unit vector is at most the suffix's length, so rows
with a cosine of ``least`` have their rarest common feature in both prefixes. Only such rows are compared.
"""

import numpy as np
from numba import njit

_SLACK = 1e-9  # of sums that are compared with a limit


@njit(cache=True, nogil=True)
def prefix_ends(indptr, data, least):
    """Where the prefix of each row ends; entries of a row are sorted from the rarest feature."""
    ends = np.empty(len(indptr) - 1, np.int64)
    for i in range(len(ends)):
        end, rest = indptr[i + 1], 0.0
        while end > indptr[i] and rest + data[end - 1] ** 2 < least**2 - _SLACK:
            rest += data[end - 1] ** 2
            end -= 1
        ends[i] = end
    return ends


@njit(cache=True, nogil=True)
def postings(indptr, indices, ends, n_features):
    """The rows that have each feature in their prefix, in order."""
    ptr = np.zeros(n_features + 1, np.int64)
    for i in range(len(ends)):
        for p in range(indptr[i], ends[i]):
            ptr[indices[p] + 1] += 1
    ptr = np.cumsum(ptr)
    place = ptr[:-1].copy()
    rows = np.empty(ptr[-1], np.int64)
    for i in range(len(ends)):
        for p in range(indptr[i], ends[i]):
            rows[place[indices[p]]] = i
            place[indices[p]] += 1
    return ptr, rows


@njit(cache=True, nogil=True)
def cosine_pairs(indptr, indices, data, ends, ptr, rows, queries, earlier, least, most):
    """Pairs (query, other) with their cosines; of each query, only with rows before it if ``earlier``.

    Stops after ``most`` pairs: their number is then above ``most``.
    """
    n = len(ends)
    weight = np.zeros(len(ptr) - 1)
    stamp = np.full(n, -1, np.int64)
    pairs, cosines, count = np.empty((1024, 2), np.int64), np.empty(1024), 0
    for x in queries:
        for p in range(indptr[x], indptr[x + 1]):
            weight[indices[p]] = data[p]
        for p in range(indptr[x], ends[x]):
            for q in range(ptr[indices[p]], ptr[indices[p] + 1]):
                y = rows[q]
                if earlier and y >= x:
                    break
                if y == x or stamp[y] == x:
                    continue
                stamp[y] = x
                cosine = 0.0
                for r in range(indptr[y], indptr[y + 1]):
                    cosine += weight[indices[r]] * data[r]
                if cosine < least - _SLACK:
                    continue
                if count == len(pairs):
                    more_pairs, more_cosines = np.empty((2 * count, 2), np.int64), np.empty(2 * count)
                    more_pairs[:count], more_cosines[:count] = pairs, cosines
                    pairs, cosines = more_pairs, more_cosines
                pairs[count, 0], pairs[count, 1], cosines[count] = x, y, min(cosine, 1.0)
                count += 1
        for p in range(indptr[x], indptr[x + 1]):
            weight[indices[p]] = 0.0
        if count > most:
            break
    return pairs[:count], cosines[:count]
