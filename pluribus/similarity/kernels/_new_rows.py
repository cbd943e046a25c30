"""Kernels at new rows: the scores of classes, and the weighted sum of all kernels."""

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import gen_batches

from pluribus.similarity.kernels._kernel_set import KernelSet

_AT_ONCE = 2**23  # kernel values


def class_scores(kernels: KernelSet, X: Any, coefficients: list[np.ndarray], diagonals: Any) -> np.ndarray:
    """Σ_m Φ_m W_m for features or kernel values Φ_m of new rows, a block of rows at a time.

    `coefficients` has W_m, of shape (d_m or n, classes); kernels whose W_m is 0 are not evaluated.
    """
    new = kernels.read_new(X)
    n_rows = new[0].shape[0]
    diagonals = _checked_diagonals(kernels, diagonals, n_rows)
    used = [(m, weights) for m, weights in enumerate(coefficients) if weights.any()]
    scores = np.zeros((n_rows, coefficients[0].shape[1]))
    for rows in gen_batches(n_rows, max(1, _AT_ONCE // kernels.n)):
        for m, weights in used:
            diagonal = None if diagonals[m] is None else diagonals[m][rows]
            scores[rows] += kernels.between(m, new[m][rows], diagonal=diagonal) @ weights
    return scores


def combine(kernels: KernelSet, weights: np.ndarray, X: Any, Y: Any, diagonals: Any) -> np.ndarray:
    """Σ β_m k_m between X and Y, by default X; kernels of weight 0 are not evaluated."""
    new = kernels.read_new(X)
    diagonals = _checked_diagonals(kernels, diagonals, new[0].shape[0])
    given = [kernel.name for kernel in kernels.kernels if kernel.form == "precomputed"]
    if Y is not None and given:
        raise ValueError("precomputed kernels hold the values already: give X, without Y.")
    if given and any(kernel.form != "precomputed" for kernel in kernels.kernels) and new[0].shape[0] != kernels.n:
        raise ValueError("with precomputed kernels among others, kernel() is for the objects of fit only.")
    others = new if Y is None else kernels.read_new(Y)
    columns = kernels.n if given else others[0].shape[0]
    total = np.zeros((new[0].shape[0], columns))
    for m in np.flatnonzero(weights):
        K = kernels.between(int(m), new[m], others[m], diagonals[m])
        total += weights[m] * (K.toarray() if sparse.issparse(K) else K)
    return total


def _checked_diagonals(kernels: KernelSet, diagonals: Any, n_rows: int) -> list[np.ndarray | None]:
    """One entry for each kernel, None where it is not needed."""
    if diagonals is None:
        return [None] * len(kernels)
    if not isinstance(diagonals, list | tuple) or len(diagonals) != len(kernels):
        raise ValueError(f"diagonals must be a list with an entry for each of the {len(kernels)} kernels.")
    return [None if own is None else _checked_diagonal(m, own, n_rows) for m, own in enumerate(diagonals)]


def _checked_diagonal(m: int, own: Any, n_rows: int) -> np.ndarray:
    try:
        numbers = np.asarray(own, dtype=np.float64)
    except (ValueError, TypeError):
        numbers = np.empty(0)
    if numbers.shape != (n_rows,) or not np.isfinite(numbers).all() or not (numbers >= 0).all():
        raise ValueError(f"diagonals[{m}] must hold {n_rows} numbers of 0 or more, k(x, x) of each row.")
    return numbers
