"""Contingency tables: all that two hard partitions have to say about each other."""

from typing import Any

import numpy as np
from scipy import sparse as sp

from pluribus.partitions._labels import encode_labels


def contingency(a: Any, b: Any, *, sparse: bool = False) -> np.ndarray | sp.csr_array:
    """Count the objects in each pair of clusters of two partitions, in O(n).

    Objects that either partition leaves out are not counted. Rows and columns follow the first occurrence of each
    label.

    Parameters
    ----------
    a, b : sequences of n labels (any hashables; -1, None and NaN are missing)
    sparse : bool
        Return a sparse table: at most n entries, however many clusters there are.

    Examples
    --------
    >>> from pluribus.partitions import contingency
    >>> contingency(["x", "x", "y", "y"], [0, 1, 1, 1])
    array([[1, 1],
           [0, 2]])
    """
    codes_a, classes_a = encode_labels(a, "a")
    codes_b, classes_b = encode_labels(b, "b")
    if len(codes_a) != len(codes_b):
        raise ValueError(f"The two partitions must label the same objects: a has {len(codes_a)}, b has {len(codes_b)}.")
    return contingency_of_codes(codes_a, codes_b, len(classes_a), len(classes_b), sparse=sparse)


def contingency_of_codes(
    a: np.ndarray, b: np.ndarray, k_a: int, k_b: int, *, sparse: bool = False
) -> np.ndarray | sp.csr_array:
    """The same for labels already coded 0 … k-1 (-1 = missing)."""
    both = (a >= 0) & (b >= 0)
    if not both.all():
        a, b = a[both], b[both]
    if sparse:
        ones = np.ones(len(a), dtype=np.int64)
        return sp.coo_array((ones, (a, b)), shape=(k_a, k_b)).tocsr()
    cell = a.astype(np.int64) * k_b + b
    return np.bincount(cell, minlength=k_a * k_b).reshape(k_a, k_b)
