"""How unsure a classifier is of rows, and which row stands for a track."""

from typing import Any

import numpy as np
from scipy import sparse

from pluribus.similarity.pairwise._bases import gaussian


def ambiguity(scores: np.ndarray, loss: str) -> np.ndarray:
    """The loss of the best class of each row: min_s L(f_s), of two classes L(|f|)."""
    best = np.abs(scores) if scores.ndim == 1 else scores.max(axis=1)
    return np.logaddexp(0, -best) if loss == "logistic" else np.maximum(0, 1 - best)


def representatives(X: Any, track: np.ndarray, precomputed: bool) -> np.ndarray:
    """The row of each track that is nearest to the mean of the track's rows."""
    n, n_tracks = len(track), int(track.max()) + 1
    size = np.bincount(track)
    member = sparse.csr_array((1 / size[track], (track, np.arange(n))), shape=(n_tracks, n))
    if precomputed:
        mean_kernel = member @ X  # K between the mean of each track and each row
        distance = np.diag(X) - 2 * mean_kernel[track, np.arange(n)]
    else:
        mean = member @ X
        distance = _squared_distances(X, mean, track)
    order = np.lexsort((np.arange(n), distance, track))
    return order[np.unique(track[order], return_index=True)[1]]


def _squared_distances(X: Any, mean: Any, track: np.ndarray) -> np.ndarray:
    if sparse.issparse(X):
        apart = X - mean[track]
        return np.asarray(apart.multiply(apart).sum(axis=1)).ravel()
    return np.square(X - mean[track]).sum(axis=1)


def kernel_between(X: Any, one: np.ndarray, other: np.ndarray, model: Any) -> np.ndarray:
    """The kernel of a fitted model between rows of X."""
    if model.kernel == "precomputed":
        return X[np.ix_(one, other)]
    if model.kernel == "rbf":
        return gaussian(X[one], X[other], model.gamma_)
    product = X[one] @ X[other].T
    return product.toarray() if sparse.issparse(product) else product


def squared_norms(X: Any, rows: np.ndarray, model: Any) -> np.ndarray:
    """The kernel of each of these rows with itself."""
    if model.kernel == "precomputed":
        return X[rows, rows]
    if model.kernel == "rbf":
        return np.ones(len(rows))
    points = X[rows]
    return np.asarray((points.multiply(points) if sparse.issparse(points) else points**2).sum(axis=1)).ravel()
