"""Products of given pairs of sparse rows."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def row_products(indptr, indices, data, pairs):
    """The dot product of the two rows of each pair; entries of a row are sorted by their column."""
    found = np.zeros(len(pairs))
    for t in range(len(pairs)):
        p, q = indptr[pairs[t, 0]], indptr[pairs[t, 1]]
        p_end, q_end = indptr[pairs[t, 0] + 1], indptr[pairs[t, 1] + 1]
        while p < p_end and q < q_end:
            if indices[p] == indices[q]:
                found[t] += data[p] * data[q]
                p += 1
                q += 1
            elif indices[p] < indices[q]:
                p += 1
            else:
                q += 1
    return found
