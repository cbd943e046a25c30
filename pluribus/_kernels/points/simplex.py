"""The probability simplex: projection of rows."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def project_rows(values):
    """Replace each row by the nearest point (Euclidean) whose entries are nonnegative and sum to 1; by sorting.

    The nearest point stays the same if a number is added to the whole row. The largest entry is subtracted first: the
    sums keep their digits however large the entries are.
    """
    n, k = values.shape
    descending = np.empty(k, values.dtype)
    for i in range(n):
        values[i] -= values[i].max()
        descending[:] = values[i]
        descending.sort()
        descending = descending[::-1].copy()
        total, shift = 0.0, 0.0
        for m in range(k):
            total += descending[m]
            candidate = (total - 1) / (m + 1)
            if descending[m] > candidate:
                shift = candidate
        for m in range(k):
            values[i, m] = max(values[i, m] - shift, 0.0)
