"""Which terms tell classes apart: the normalized Gini index, and the choice of terms by it."""

from typing import Any

import numpy as np

from pluribus._kernels.points.sparse_sums import column_counts, share_moments


def by_group(groups: np.ndarray, n_groups: int) -> tuple[np.ndarray, np.ndarray]:
    """The objects sorted by their group, and where each group starts; objects of group -1 are left out."""
    order = np.argsort(groups, kind="stable")
    starts = np.searchsorted(groups[order], np.arange(n_groups + 1))
    return order, starts


def gini_index(X: Any, classes: np.ndarray, n_classes: int) -> np.ndarray:
    """1 - √Σ p² of each term: p is its share among the words of a class, divided by the sum of these shares.

    It is 0 for a term of one class, and 1 - 1/√K for a term that is equally frequent in K classes; NaN for a term that
    no document with a class has.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import sparse
    >>> from pluribus.constrained.categories._terms import gini_index
    >>> gini_index(sparse.csr_array([[4.0, 0, 1], [0, 4, 4]]), np.array([0, 1]), 2).round(3).tolist()
    [0.0, 0.0, 0.231]
    """
    shares, squares = share_moments(*by_group(classes, n_classes), X.indptr, X.indices, X.data, X.shape[1])
    with np.errstate(invalid="ignore"):
        return np.maximum(1 - np.sqrt(squares) / shares, 0)


def select_terms(gini: np.ndarray, frequency: np.ndarray, min_df: int, drop: float, most: float | None) -> np.ndarray:
    """Which terms to use: in ``min_df`` documents or more, and not among the share ``drop`` with the largest index.

    If ``most`` is given, those with a larger index are dropped instead.
    """
    known = np.flatnonzero((frequency >= min_df) & ~np.isnan(gini))
    if most is None:
        kept = known[np.argsort(gini[known], kind="stable")][: len(known) - int(drop * len(known))]
    else:
        kept = known[gini[known] <= most]
    mask = np.zeros(len(gini), dtype=bool)
    mask[kept] = True
    return mask


def weighted_terms(
    X: Any, gini: np.ndarray, min_df: int, drop: float, most: float | None, *, idf: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Which terms to use, and the weight of each, 0 for the others; raises if none is left."""
    frequency = document_frequency(X)
    mask = select_terms(gini, frequency, min_df, drop, most)
    with np.errstate(divide="ignore"):
        weights = np.where(mask, np.log(X.shape[0] / frequency) if idf else 1.0, 0.0)
    if not weights.any():
        raise ValueError(
            f"min_df={min_df} and the Gini index removed every word: lower min_df, or gini_drop, or raise gini_max."
        )
    return mask, weights


def document_frequency(X: Any) -> np.ndarray:
    """In how many documents each term is."""
    return column_counts(X.indices, X.data, X.shape[1])
