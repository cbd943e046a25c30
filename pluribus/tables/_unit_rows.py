"""Rows of length 1, for which distances order pairs as the cosine does; and floats of half precision."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from pluribus._engine import is_one_of
from pluribus.tables.errors import TableError, counted, listing
from pluribus.tables.rows import BLOCK, Rows

METRICS = ("euclidean", "cosine")
_NAMED = 5  # rows that an error names


def check_metric(metric: Any) -> str:
    """The name of a metric.

    Examples
    --------
    >>> from pluribus.tables._internal import check_metric
    >>> check_metric("cosine")
    'cosine'
    """
    if not is_one_of(metric, METRICS):
        raise ValueError(f"metric={metric!r:.100}: give {' or '.join(map(repr, METRICS))}.")
    return str(metric)


def single_floats(X: Any) -> Any:
    """Arrays, sparse matrices and pandas frames of float16 as float32, which computes on them; anything else as it is.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus.tables._internal import single_floats
    >>> single_floats(np.ones((2, 2), np.float16)).dtype, single_floats(np.ones((2, 2))).dtype
    (dtype('float32'), dtype('float64'))
    """
    kinds = set(X.dtypes) if hasattr(X, "iloc") and hasattr(X, "dtypes") else {getattr(X, "dtype", None)}
    half = np.dtype(np.float16)
    if half in kinds and kinds <= {half, np.dtype(np.float32)}:
        return X.astype(np.float32)
    return X


def unit_rows(X: Any, names: Sequence[Any] | np.ndarray | None = None) -> Any:
    """Rows divided by their Euclidean length, in their own type: then the nearest rows are those of highest cosine.

    The squared Euclidean distance of two such rows is 2 - 2 cos, so clustering them is clustering by the cosine.

    Parameters
    ----------
    X : array or csr matrix of float32 or float64, shape (n, d)
    names : sequence of length n, optional
        The rows in an error; by default their numbers.

    Raises
    ------
    TableError
        If rows are 0 everywhere, and have no direction.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus.tables._internal import unit_rows
    >>> unit_rows(np.array([[3.0, 4.0], [0.0, -2.0]])).tolist()
    [[0.6, 0.8], [0.0, -1.0]]
    """
    if isinstance(X, Rows):
        raise TableError(
            "metric='cosine' needs the rows in memory, and these are read in parts. Divide each row by its length "
            "before you write the file, and use metric='euclidean': the clusters are the same."
        )
    if sparse.issparse(X):
        return _sparse_unit_rows(X, names)
    if not X.size:
        return X  # refused elsewhere
    out = np.empty(X.shape, X.dtype)
    without = []
    for start in range(0, X.shape[0], BLOCK):
        block = np.asarray(X[start : start + BLOCK])
        largest = np.abs(block).max(axis=1, keepdims=True).astype(np.float64)
        without.append(start + np.flatnonzero(largest == 0))
        part = np.divide(block, largest, where=largest > 0, out=np.zeros(block.shape))  # its squares are finite
        length = np.sqrt(np.einsum("ij,ij->i", part, part))[:, None]
        out[start : start + BLOCK] = np.divide(part, length, where=length > 0, out=part)
    _refuse(np.concatenate(without), names)
    return out


def _sparse_unit_rows(X: Any, names: Sequence[Any] | np.ndarray | None) -> Any:
    X = X.tocsr()
    largest = abs(X).max(axis=1).toarray().ravel().astype(np.float64)
    _refuse(np.flatnonzero(largest == 0), names)
    row = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    part = X.data / largest[row]
    length = np.sqrt(np.bincount(row, weights=part**2, minlength=X.shape[0]))
    return type(X)(((part / length[row]).astype(X.dtype), X.indices, X.indptr), shape=X.shape)


def _refuse(rows: np.ndarray, names: Sequence[Any] | np.ndarray | None) -> None:
    """Refuse rows without a direction."""
    if not len(rows):
        return
    named = rows if names is None else np.asarray(names)[rows]
    raise TableError(
        f"The cosine needs rows with a direction, but {counted(len(rows), 'row')} of X hold 0 in every column: "
        f"{listing(named.tolist(), _NAMED)}. Leave them out, or use metric='euclidean'."
    )
