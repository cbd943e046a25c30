"""Labels numbered by first occurrence."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def number_by_first_occurrence(labels, n_labels):
    """Labels 0 … n_labels - 1 renumbered in the order in which they first occur: the same for equal partitions."""
    number = np.full(n_labels, -1, np.int64)
    out = np.empty(len(labels), np.int64)
    found = 0
    for i in range(len(labels)):
        if number[labels[i]] < 0:
            number[labels[i]] = found
            found += 1
        out[i] = number[labels[i]]
    return out
