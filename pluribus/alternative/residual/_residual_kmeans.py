"""k-means on residuals of a sparse matrix, which stays sparse."""

from typing import NamedTuple

import numpy as np

from pluribus._engine import seeds
from pluribus.alternative._shared.residuals import Residuals

MAX_ITER = 300


class ResidualKMeans(NamedTuple):
    """Clusters of one start."""

    labels_: np.ndarray
    cluster_centers_: np.ndarray
    inertia_: float


def residual_kmeans(residuals: Residuals, k: int, n_init: int, seed: int) -> ResidualKMeans:
    """The best of several starts.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import sparse
    >>> from pluribus.alternative._shared.residuals import Residuals
    >>> from pluribus.alternative.residual._residual_kmeans import residual_kmeans
    >>> X = sparse.csr_array([[0.0, 0], [0, 1], [10, 0], [10, 1]])
    >>> found = residual_kmeans(Residuals(X, np.array([0, 0, 1, 1]), 2), 2, 3, seed=0)
    >>> found.labels_[[0, 1]].tolist() == found.labels_[[2, 3]].tolist(), round(found.inertia_, 6)
    (True, 0.0)
    """
    norms = residuals.squared_norms()
    starts = (_lloyd(residuals, norms, k, np.random.default_rng(s)) for s in seeds(seed, n_init))
    return min(starts, key=lambda start: start.inertia_)


def _lloyd(residuals: Residuals, norms: np.ndarray, k: int, rng: np.random.Generator) -> ResidualKMeans:
    centers = _seed_centers(residuals, norms, k, rng)
    labels = np.full(len(norms), -1)
    for _ in range(MAX_ITER):
        distances = _squared_distances(residuals, norms, centers)
        before, labels = labels, distances.argmin(axis=1)
        nearest = distances[np.arange(len(labels)), labels]
        sizes = np.bincount(labels, minlength=k)
        for empty in np.flatnonzero(sizes == 0):  # takes the row that is farthest from its center
            labels[nearest.argmax()], nearest[nearest.argmax()] = empty, -1.0
        if np.array_equal(labels, before):
            break
        sizes = np.bincount(labels, minlength=k)
        centers = residuals.sums(labels, k) / np.maximum(sizes, 1)[:, None]
    return ResidualKMeans(labels, centers, float(np.maximum(nearest, 0).sum()))


def _seed_centers(residuals: Residuals, norms: np.ndarray, k: int, rng: np.random.Generator) -> np.ndarray:
    """k-means++: rows drawn by their squared distance to the nearest center so far, the best of a few each time."""
    n_trials = 2 + int(np.log(k))
    centers = residuals.rows(rng.integers(len(norms), size=1))
    closest = _squared_distances(residuals, norms, centers)[:, 0]
    while len(centers) < k:
        total = closest.sum()
        chances = closest / total if total > 0 else None
        tried = residuals.rows(rng.choice(len(norms), n_trials, p=chances))
        distances = np.minimum(_squared_distances(residuals, norms, tried), closest[:, None])
        best = int(distances.sum(axis=0).argmin())
        centers, closest = np.vstack([centers, tried[best]]), distances[:, best]
    return centers


def _squared_distances(residuals: Residuals, norms: np.ndarray, centers: np.ndarray) -> np.ndarray:
    centers = centers.astype(np.float64)
    toward = residuals.dot(centers).astype(np.float64)
    return np.maximum(norms[:, None] - 2 * toward + (centers**2).sum(axis=1), 0)
