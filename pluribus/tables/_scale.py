"""Numbers whose squares their type cannot hold."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from pluribus.tables.errors import TableError
from pluribus.tables.rows import BLOCK, Rows


def check_scale(X: Any) -> None:
    """Refuse rows whose squared distances, or their sum, are infinite or all zero in their floating point type.

    Parameters
    ----------
    X : array, sparse matrix or Rows of float32 or float64 without gaps, shape (n, d)
        Rows have been looked through; of an array each block is read once.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus.tables._internal import check_scale
    >>> try:
    ...     check_scale(1e300 * np.eye(3))
    ... except ValueError as error:
    ...     print(error)
    X holds numbers of a size of 1e+300, whose squares float64 cannot hold: scale X, for example by its standard
    deviation.
    """
    low, high = _bounds(X)
    n, spread = X.shape[0], float((high / 2 - low / 2).max())  # halved, it is finite
    largest, most = _largest(low, high), _most(X)
    least = np.sqrt(float(np.finfo(X.dtype).tiny))
    if not (largest < most and spread < most / np.sqrt(n) and not 0 < spread < least):
        _refuse(largest, X.dtype)


def check_new_scale(X: Any) -> None:
    """Refuse new rows, for a model that is there already, whose squared distances or their sum are infinite.

    Parameters
    ----------
    X : array or sparse matrix of float32 or float64, shape (n, d)

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus.tables._internal import check_new_scale
    >>> check_new_scale(np.eye(3))
    """
    largest = _largest(*_bounds(X))
    if not largest < _most(X) / np.sqrt(X.shape[0]):
        _refuse(largest, X.dtype)


def _most(X: Any) -> float:
    dtype = X.dtype if X.dtype.kind == "f" else np.float64  # what counts are turned into
    return float(np.sqrt(float(np.finfo(dtype).max) / (8 * X.shape[1])))


def _largest(low: np.ndarray, high: np.ndarray) -> float:
    return max(float(np.abs(low).max()), float(np.abs(high).max()))


def _refuse(largest: float, dtype: np.dtype) -> None:
    raise TableError(
        f"X holds numbers of a size of {largest:.3g}, whose squares {dtype} cannot hold: scale X, for example by its "
        f"standard deviation{', or give it as float64' if dtype == np.float32 else ''}."
    )


def _bounds(X: Any) -> tuple[np.ndarray, np.ndarray]:
    """The least and the largest number of each column; of a sparse matrix, those of all."""
    if isinstance(X, Rows):
        return X.survey.low.astype(np.float64), X.survey.high.astype(np.float64)
    if sparse.issparse(X):
        return np.array([X.data.min(initial=0)], dtype=np.float64), np.array([X.data.max(initial=0)], dtype=np.float64)
    low, high = np.full(X.shape[1], np.inf), np.full(X.shape[1], -np.inf)
    for start in range(0, len(X), BLOCK):
        block = X[start : start + BLOCK]
        low, high = np.minimum(low, block.min(axis=0)), np.maximum(high, block.max(axis=0))
    return low, high
