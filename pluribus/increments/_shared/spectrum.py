"""Eigenvalues and eigenvectors of B = -½ J D² J: centered inner products, as dissimilarities D imply them.

B has negative eigenvalues if no points have these Euclidean distances. Up to 5,000 objects all eigenvalues are
computed. Beyond, only those of the largest magnitude are, and B is a linear operator: there is no second n × n array.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.linalg import eigh
from scipy.sparse.linalg import LinearOperator, eigsh

from pluribus._engine import one_blas_thread, over_blocks

DENSE = 5000  # objects up to which all eigenvalues are computed
LEADING = 100  # eigenvalues that are computed beyond
_PRECISION = 1e-7  # of the eigenvalues beyond, of the largest one
_NUMBERS_IN_BLOCK = 2**22


class Spectrum(NamedTuple):
    """Eigenvalues from the largest magnitude to the smallest; those that differ from 0 by rounding alone are 0."""

    values: np.ndarray
    vectors: np.ndarray  # (n, number of eigenvalues), all centered; the entry of the largest magnitude is positive
    column_means: np.ndarray  # of the squared dissimilarities
    lowest: float  # the lowest eigenvalue, at most 0
    complete: bool  # whether all eigenvalues are there


def spectrum_of(D: np.ndarray, at_least: int = 0) -> Spectrum:
    """The spectrum of symmetric dissimilarities that are not all 0; of many objects, ``at_least`` some eigenvalues."""
    n = len(D)
    means = np.concatenate(_over_rows(D, lambda block: np.square(block, dtype=np.float64).mean(axis=1)))
    if n <= DENSE:
        with one_blas_thread():  # the work is bound by memory: more threads win little, and lose much on a busy machine
            values, vectors = eigh(_centered(D, means), overwrite_a=True, check_finite=False)
        lowest, rounding = values[0], 0.0
    else:
        operator, start = _operator(D), np.random.default_rng(0).normal(size=n)
        k = min(max(LEADING, at_least), n - 2)
        values, vectors = eigsh(operator, k=k, which="LM", v0=start, tol=_PRECISION)
        lowest, rounding = values.min(), _PRECISION
        if lowest >= 0:
            lowest = eigsh(operator, k=1, which="SA", v0=start, tol=_PRECISION, return_eigenvectors=False)[0]
    zero = max(rounding, 10 * n * float(np.finfo(D.dtype).eps)) * np.abs(values).max()
    order = np.argsort(-np.abs(values), kind="stable")
    proper = order[np.abs(values[order]) > zero]
    flat = _without_constant(vectors[:, order[len(proper) :]])
    vectors = np.hstack([vectors[:, proper], flat])
    vectors *= np.sign(vectors[np.abs(vectors).argmax(axis=0), np.arange(vectors.shape[1])])
    values = np.concatenate([values[proper], np.zeros(flat.shape[1])])
    return Spectrum(values, vectors, means, float(lowest) if lowest < -zero else 0.0, n <= DENSE)


def _without_constant(flat: np.ndarray) -> np.ndarray:
    """A basis of what eigenvectors with eigenvalue 0 span, but for the constant vector, which is one of them."""
    if flat.shape[1] < 2:
        return flat[:, :0]
    left, scale, _ = np.linalg.svd(flat - flat.mean(axis=0), full_matrices=False)
    return left[:, scale > 0.5]


def _centered(D: np.ndarray, means: np.ndarray) -> np.ndarray:
    B = np.square(D, dtype=np.float64)
    B -= means
    B -= means[:, None]
    B += means.mean()
    B *= -0.5
    return B


def _operator(D: np.ndarray) -> LinearOperator:
    """B v = J (-½ D² (J v)), over blocks of rows."""

    def product(v: np.ndarray) -> np.ndarray:
        v = v.reshape(len(D), -1)
        v = v - v.mean(axis=0)
        out = np.concatenate(_over_rows(D, lambda block: np.square(block, dtype=np.float64) @ v))
        return -0.5 * (out - out.mean(axis=0))

    return LinearOperator(D.shape, matvec=product, matmat=product, dtype=np.float64)


def _over_rows(D: np.ndarray, function: Callable[[np.ndarray], np.ndarray]) -> list[np.ndarray]:
    """A function of blocks of rows."""
    block = max(1, _NUMBERS_IN_BLOCK // len(D))
    return over_blocks(lambda start, stop: function(D[start:stop]), len(D), n_jobs=-1, block=block)
