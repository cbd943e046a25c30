"""Nonnegative tables without their empty rows and columns, and spectral partitions of both sides."""

import warnings
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.cluster import SpectralCoclustering
from sklearn.exceptions import ConvergenceWarning

_LEAST_SHARE = 1e-100  # of the largest value: the inverse of its square is finite


class Filled(NamedTuple):
    """A table, and its part without the rows and columns that are all zero."""

    whole: sparse.csr_array
    X: sparse.csr_array
    rows: np.ndarray  # where it has a row
    columns: np.ndarray

    @classmethod
    def of(cls, X: Any, estimator: Any) -> "Filled":
        """A checked table; raises if it has negative values, or none above 0."""
        name = type(estimator).__name__
        whole = sparse.csr_array(X, dtype=np.float64)
        if whole.data.min(initial=0) < 0:
            raise ValueError(
                f"Negative values in data passed to {name}: it is for counts and for 0/1 tables, so X must be "
                "nonnegative."
            )
        largest = whole.data.max(initial=0)
        if largest == 0:
            raise ValueError(f"X has only zeros, and {name} clusters by what is not zero: give counts or a 0/1 table.")
        smallest = whole.data[whole.data > 0].min()
        if smallest < _LEAST_SHARE * largest:
            raise ValueError(
                f"X has values from {smallest:.3g} to {largest:.3g}, too far apart for shares of their sums: set those "
                "that do not count to 0, or check the largest."
            )
        whole.data = whole.data / largest  # sums stay finite, and shares are the same
        rows, columns = (np.asarray(whole.sum(axis=axis) > 0) for axis in (1, 0))
        return cls(whole, sparse.csr_array(whole[rows][:, columns]), rows, columns)

    def all_rows(self, labels: np.ndarray) -> np.ndarray:
        """Labels of the rows of the whole table: -1 for empty ones."""
        return _spread(labels, self.rows)

    def all_columns(self, labels: np.ndarray) -> np.ndarray:
        """Labels of the columns of the whole table: -1 for empty ones."""
        return _spread(labels, self.columns)


def _spread(labels: np.ndarray, where: np.ndarray) -> np.ndarray:
    spread = np.full(len(where), -1, dtype=np.int32)
    spread[where] = labels
    return spread


def spectral_labels(X: sparse.csr_array, k: int, seed: int, n_init: int = 10) -> tuple[np.ndarray, np.ndarray]:
    """Spectral co-clusters of a table without empty rows and columns: labels of its rows and of its columns."""
    if k == 1 or min(X.shape) == 1:  # no singular vector is left to tell them apart
        return np.zeros(X.shape[0], np.int32), np.zeros(X.shape[1], np.int32)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer groups than clusters: said by the caller
        model = SpectralCoclustering(k, n_init=n_init, random_state=seed).fit(X)
    return model.row_labels_, model.column_labels_
