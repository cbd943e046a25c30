"""Leading and smallest eigenvectors of symmetric operators."""

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.linalg import eigh
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh
from sklearn.exceptions import ConvergenceWarning

from pluribus._engine import one_blas_thread

Product = Callable[[np.ndarray], np.ndarray]
_DENSE_UP_TO = 1_000
_TOLERANCE = 1e-8


class Spectrum(NamedTuple):
    """Eigenvalues, the largest first, their vectors as columns, and the share of negative ones if all were computed."""

    values: np.ndarray
    vectors: np.ndarray
    negative_share: float | None


def leading(product: Product, n: int, n_vectors: int, seed: int, known: Any = None) -> Spectrum:
    """The largest eigenvalues of a symmetric operator.

    ``known`` orthonormal eigenvectors (n, c) are left out; all eigenvalues must then be between -1 and 1. Most repeated
    eigenvalues, which Lanczos iterations find poorly, belong to these vectors.
    """

    def deflated(V: np.ndarray) -> np.ndarray:
        if known is None:
            return product(V)
        along = known.T @ V
        V = product(V - known @ along)
        return V - known @ (known.T @ V + 2 * along)  # their eigenvalue is now -2

    n_vectors = min(n_vectors, n - (0 if known is None else known.shape[1]))
    if n_vectors <= 0:
        return Spectrum(np.empty(0), np.empty((n, 0)), 0.0)
    if n <= _DENSE_UP_TO or n_vectors >= n - 1:
        matrix = deflated(np.eye(n))
        with one_blas_thread():
            values, vectors = eigh((matrix + matrix.T) / 2)
        others = values if known is None else values[known.shape[1] :]
        negative = float(np.abs(others[others < 0]).sum() / max(np.abs(others).sum(), 1e-300))
        return _oriented(values, vectors, n_vectors, negative if negative > 1e-9 else 0.0)
    start = np.random.default_rng(seed).standard_normal(n)
    operator = LinearOperator((n, n), matvec=lambda v: deflated(v.ravel()), matmat=deflated, dtype=float)
    n_lanczos = min(n, max(2 * n_vectors + 1, 40))
    try:
        values, vectors = eigsh(
            operator, n_vectors, which="LA", v0=deflated(start), ncv=n_lanczos, tol=_TOLERANCE, maxiter=50 * n_vectors
        )
    except ArpackNoConvergence as stopped:
        values, vectors = stopped.eigenvalues, stopped.eigenvectors
        warnings.warn(
            f"Only {len(values)} of {n_vectors} eigenvectors converged, because the evidence has no clear direction "
            "for the others. They are set to 0. Use fewer components.",
            ConvergenceWarning,
            stacklevel=2,
        )
    return _oriented(values, vectors, n_vectors, None)


def smallest(matrix: sparse.csr_array, n_vectors: int) -> tuple[np.ndarray, np.ndarray]:
    """The smallest eigenvalues of a sparse positive semi-definite matrix, and their vectors."""
    n = matrix.shape[0]
    if n <= _DENSE_UP_TO or n_vectors >= n - 1:
        with one_blas_thread():
            values, vectors = eigh(matrix.toarray(), subset_by_index=[0, min(n_vectors, n) - 1])
    else:
        start = np.random.default_rng(0).standard_normal(n)
        shift = -1e-6 * matrix.diagonal().mean()
        values, vectors = eigsh(matrix.tocsc(), n_vectors, sigma=shift, which="LM", v0=start)
        order = np.argsort(values)
        values, vectors = values[order], vectors[:, order]
    return np.clip(values, 0, None), vectors


def _oriented(values: np.ndarray, vectors: np.ndarray, n_vectors: int, negative_share: float | None) -> Spectrum:
    """The largest first; signs are arbitrary, so the largest entry of each vector is made positive."""
    order = np.argsort(values)[::-1][:n_vectors]
    return Spectrum(values[order], orient(vectors[:, order]), negative_share)


def orient(vectors: np.ndarray) -> np.ndarray:
    """Columns with signs such that the largest entry, the first of equal ones, is positive."""
    if not vectors.size:
        return vectors
    size = np.abs(vectors)
    first = (size >= size.max(axis=0) * (1 - 1e-6)).argmax(axis=0)
    sign = np.sign(vectors[first, np.arange(vectors.shape[1])])
    return vectors * np.where(sign == 0, 1, sign)


def unit_rows(rows: np.ndarray) -> np.ndarray:
    """Rows of length 1; those of length 0 stay."""
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.divide(rows, length, out=np.zeros_like(rows), where=length > 0)


def inverse_root(degree: np.ndarray) -> np.ndarray:
    """1 / sqrt(d), and 0 where d = 0."""
    return np.divide(1, np.sqrt(degree), out=np.zeros(len(degree)), where=degree > 0)
