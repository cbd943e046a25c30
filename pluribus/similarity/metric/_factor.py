"""Rows whose inner products of columns are a given matrix."""

import numpy as np
from scipy.linalg import lapack


def factor_of(A: np.ndarray) -> np.ndarray:
    """The r × d array U with UᵀU = A, for A of rank r without negative eigenvalues: a Cholesky factor with pivots."""
    upper, pivots, rank, _ = lapack.dpstrf(A)
    rows = np.zeros((max(rank, 1), len(A)))  # a metric of rank 0 has one column of zeros
    rows[:rank, pivots - 1] = np.triu(upper)[:rank]
    return rows
