"""The components of a sparse table that candidates are made from."""

from typing import Any

import numpy as np
from sklearn.decomposition import TruncatedSVD
from sklearn.preprocessing import normalize
from sklearn.utils.extmath import row_norms

_COMPONENTS = 50  # of rows of any length; a table with no more columns is taken as it is
# Of rows of length 1, such as tf-idf. On texts with classes, candidates are better by 15 or 20 components than by 30 or
# 50. It is 20 because 15 tell fewer topics apart.
_OF_DIRECTIONS = 20
_LENGTH_ERROR = 1e-3  # of rows whose length was rounded
_NO_DIRECTION = 1e-4  # a shorter rest of a row is rounding


def components(rows: Any, seed: int) -> np.ndarray:
    """A csr matrix as components, dense; as it is if it has few columns.

    Few columns are not turned: values that occur many times, such as counts, can be recognized in the columns only, and
    no direction is lost.

    Distances between rows of length 1 tell angles. Components keep only a part of each row, a small one of a text with
    rare words. So such rows are centered, because all texts share much of the first component, and get length 1 again.
    """
    n_components = min(rows.shape) - 1
    if rows.shape[1] <= _COMPONENTS or n_components < 2:
        return rows.toarray()
    if n_components >= _OF_DIRECTIONS and _are_directions(rows):
        # Singular values of texts fall slowly: random sketches mix the last components, differently for each seed.
        exact = TruncatedSVD(_OF_DIRECTIONS, algorithm="arpack", random_state=seed)
        return _centered_directions(_transformed(exact, rows))
    return _transformed(TruncatedSVD(min(n_components, _COMPONENTS), random_state=seed), rows)


def _transformed(svd: TruncatedSVD, rows: Any) -> np.ndarray:
    with np.errstate(divide="ignore", invalid="ignore"):  # shares of a variance of 0
        return svd.fit_transform(rows)


def _are_directions(rows: Any) -> bool:
    """Whether rows have length 1. Those that are 0 everywhere, such as empty texts, may be among them."""
    lengths = row_norms(rows)
    return bool(lengths.any() and (np.abs(lengths - 1) <= _LENGTH_ERROR)[lengths > 0].all())


def _centered_directions(rows: np.ndarray) -> np.ndarray:
    """Rows less their mean, with length 1; those at the mean are 0."""
    centered = rows - rows.mean(axis=0)
    centered[row_norms(centered) <= _NO_DIRECTION] = 0
    return normalize(centered)
