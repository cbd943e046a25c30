"""Checks of matrices that were not read from a table: features, and distances between objects."""

from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.utils import check_array

from pluribus.tables._annotated import refuse_annotated
from pluribus.tables._scale import check_scale


def check_features(X: Any) -> Any:
    """Finite numbers, dense or CSR, whose squares are finite too."""
    refuse_annotated(X)
    _check_numbers(X)
    X = check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32], input_name="X")
    check_scale(X)
    return X


def without_repeats(X: Any) -> Any:
    """A sparse matrix with one entry for each place, and with indices of 32 bits if they suffice; others stay.

    Loops over entries take each for a value of its own, and scikit-learn's k-means refuses indices of 64 bits. The
    given matrix stays as it is.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import sparse
    >>> from pluribus.tables._internal import without_repeats
    >>> twice = sparse.csr_array((np.array([1.0, 2.0]), np.array([0, 0]), np.array([0, 2])), shape=(1, 1))
    >>> without_repeats(twice).data.tolist(), twice.data.tolist()
    ([3.0], [1.0, 2.0])
    """
    if not sparse.issparse(X):
        return X
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    if X.indices.dtype == np.int64 and max(X.nnz, *X.shape) <= np.iinfo(np.int32).max:
        X = type(X)((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape)
    return X


def _check_numbers(X: Any) -> None:
    """Refuse words, by the columns that hold them."""
    if sparse.issparse(X):
        return
    try:
        frame = X if isinstance(X, pd.DataFrame) else pd.DataFrame(np.asarray(X)) if np.ndim(X) == 2 else pd.DataFrame()
    except ValueError:
        raise ValueError("X has rows of different lengths: give each object a value for every feature.") from None
    words = {}
    for place, name in enumerate(frame.columns):
        column = frame.iloc[:, place]
        if not pd.api.types.is_numeric_dtype(column):
            values = column.astype(object)
            wrong = values[pd.to_numeric(values, errors="coerce").isna() & values.notna()]
            if len(wrong):
                words[str(name)] = str(wrong.iloc[0])
    if words:
        shown = ", ".join(f"{name} (for instance {value!r})" for name, value in list(words.items())[:5])
        more = f" and {len(words) - 5} more" if len(words) > 5 else ""
        raise ValueError(
            f"X must hold numbers, but has words in the column{'s' * (len(words) > 1)} {shown}{more}. Leave out what "
            "is no feature, and code categories as numbers, for instance by pluribus.tables.prepare."
        )


def check_distances(D: Any) -> np.ndarray:
    """A square, symmetric matrix of finite distances that are not negative, 0 on the diagonal."""
    D = check_array(D, dtype=[np.float64, np.float32], input_name="distances")
    if D.shape[0] != D.shape[1]:
        raise ValueError(f"distances must be square, one row for each object; got shape {D.shape}. Features go in X.")
    if D.min() < 0:
        raise ValueError(f"distances must not be negative; the lowest is {D.min():g}.")
    largest = float(D.max())
    if np.abs(D.diagonal()).max() > 1e-8 * largest:
        raise ValueError("distances must be 0 on the diagonal. Similarities go in similarity.")
    for start in range(0, len(D), 256):
        if np.abs(D[start : start + 256] - D[:, start : start + 256].T).max() > 1e-8 * largest:
            raise ValueError("distances must be symmetric. Average the matrix and its transpose if that is meant.")
    return D
