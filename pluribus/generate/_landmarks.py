"""Spectral clustering of many rows by links to their nearest landmarks (U-SPEC)."""

from typing import Any

import numpy as np
import sklearn
from scipy import sparse
from scipy.linalg import eigh

from pluribus._kernels.points.landmarks import add_shared_links, distances_to, nearest_columns

# As published: 1,000 landmarks from 10 candidates each. With fewer rows there are fewer landmarks, at most one for 10
# rows: with one for two or three rows the graph falls apart, and members follow single rows. In between, their number
# grows with √n: with 5 √n, consensus on optdigits and PenDigits is about as good as with 7 or 8 √n, and faster.
LANDMARKS = 1_000
CANDIDATES = 10
PER_ROOT = 5
# Links of a row. 5 are published; on seven data sets (without PenDigits) 3 gave a mean NMI of 0.734, and 5 of 0.724.
LINKS = 3

_CENTER_STEPS = 5  # iterations of k-means for the landmarks, which need not be optimal
_PER_CLUSTER = 2  # landmarks at least, for members with very many clusters
_MAX_COORDINATES = 64  # of a row; with one for each of k clusters, time and memory would grow with k²
_ROWS_PER_CENTER, _MIN_SAMPLE = 20, 1_000  # rows from which k-means learns in these coordinates; all are then assigned
_STEPS = 50  # iterations of this k-means; members may be rough
_BACKGROUND = 1e-3  # share of the links that is spread over all pairs of landmarks
_FEW = 50  # landmarks for the median distance between landmarks
_BLOCK, _LINKED_BLOCK = 4_096, 1_024  # rows that are assigned, and linked to landmarks, at a time


def cluster_by_landmarks(X: Any, k: int, seed: int) -> np.ndarray:
    """Return the label of each row: the normalized cut of the graph that links rows with landmarks.

    Time and memory are linear in the number of rows: distances to all landmarks are stored only for a block of rows,
    and the eigenproblem is that of the landmarks (transfer cut).
    """
    rng = np.random.default_rng([4, seed])
    landmarks = _choose_landmarks(X, k, rng)
    nearest, squared = _nearest_landmarks(X, landmarks)
    if len(landmarks) <= k:  # at most as many distinct rows as clusters
        return nearest[:, 0]
    links, shared = _link(nearest, squared, len(landmarks))
    return _k_means(links, _coordinates(shared + _background_links(shared, landmarks), k), k, rng)


def _choose_landmarks(X: Any, k: int, rng: np.random.Generator) -> np.ndarray:
    """Distinct means of rows; all distinct rows, if there are few."""
    n = X.shape[0]
    p = max(min(LANDMARKS, n // CANDIDATES, int(PER_ROOT * n**0.5)), _PER_CLUSTER * k)
    n_candidates = min(n, CANDIDATES * p)
    rows = np.sort(rng.choice(n, n_candidates, replace=False, shuffle=False)) if n_candidates < n else slice(None)
    candidates = X[rows]
    if n <= p:
        chosen = candidates.toarray() if sparse.issparse(X) else candidates
    elif sparse.issparse(X):
        chosen = _sparse_means(candidates, p, rng)
    else:
        learner = sklearn.cluster.KMeans(
            p, init="random", n_init=1, max_iter=_CENTER_STEPS, random_state=int(rng.integers(2**31))
        )
        chosen = learner.fit(candidates).cluster_centers_
    different = {row.tobytes(): place for place, row in enumerate(chosen + 0.0)}  # -0.0 is 0.0
    return chosen[list(different.values())]


def _sparse_means(rows: Any, p: int, rng: np.random.Generator) -> np.ndarray:
    """A few iterations of k-means on sparse rows, ten times as fast as scikit-learn's."""
    n = rows.shape[0]
    rows = rows.astype(np.result_type(rows.dtype, np.float32))
    means = rows[np.sort(rng.choice(n, p, replace=False))].toarray()
    nearest = np.empty(n, dtype=np.int64)
    for _ in range(_CENTER_STEPS):
        norms, doubled = np.einsum("ij,ij->i", means, means), np.ascontiguousarray(2 * means.T)  # scipy would copy it
        for start in range(0, n, _LINKED_BLOCK):
            here = slice(start, start + _LINKED_BLOCK)
            nearest[here] = (norms - rows[here] @ doubled).argmin(axis=1)
        sizes = np.bincount(nearest, minlength=p)
        sums = sparse.csr_array((np.ones(n, rows.dtype), (nearest, np.arange(n))), shape=(p, n)) @ rows
        some = sizes > 0  # a mean without rows does not move
        means[some] = sums[some].toarray() / sizes[some, None]
    return means


def _nearest_landmarks(X: Any, landmarks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The nearest landmarks of each row, the nearest first, and their squared distances."""
    n, p = X.shape[0], len(landmarks)
    nearest = np.empty((n, min(LINKS, p)), dtype=np.int32)
    squared = np.empty(nearest.shape, dtype=landmarks.dtype)
    is_sparse = sparse.issparse(X)
    center = np.zeros_like(landmarks[0]) if is_sparse else landmarks.mean(axis=0)
    points = landmarks - center
    doubled, norms = -2 * points.T, np.einsum("ij,ij->i", points, points)
    if is_sparse:
        doubled = np.ascontiguousarray(doubled)  # scipy would copy it for each block
    for start in range(0, n, _LINKED_BLOCK):
        here = slice(start, start + _LINKED_BLOCK)
        rows = X[here] if is_sparse else X[here] - center
        values = np.asarray(rows @ doubled)
        values += norms
        nearest_columns(values, nearest[here], squared[here])
        if is_sparse:
            squared[here] += np.asarray(rows.multiply(rows).sum(axis=1)).reshape(-1, 1)
        else:
            distances_to(rows, points, nearest[here], squared[here])
    return nearest, np.maximum(squared, 0, out=squared)


def _link(nearest: np.ndarray, squared: np.ndarray, p: int) -> tuple[sparse.csr_array, np.ndarray]:
    """Links of rows with landmarks, and for each pair of landmarks the links that they share.

    Weights are Gaussian, relative to that of the nearest landmark, which has 1. The width of the Gaussian is the mean
    distance of a row to its nearest landmarks. Only the relative weights of a row matter; with absolute weights,
    outliers would have no links.
    """
    width = np.sqrt(squared).mean(dtype=np.float64)
    links = np.empty(nearest.shape, dtype=np.float32)
    shared = np.zeros((p, p))
    for start in range(0, len(nearest), _BLOCK):
        here = slice(start, start + _BLOCK)
        weights = np.exp((squared[here] - squared[here, :1]) / -(2 * width**2 or 1.0))
        add_shared_links(nearest[here], weights, shared)
        links[here] = weights
    starts = np.arange(0, nearest.size + 1, nearest.shape[1])
    return sparse.csr_array((links.ravel(), nearest.ravel(), starts), shape=(len(nearest), p)), shared


def _background_links(shared: np.ndarray, landmarks: np.ndarray) -> np.ndarray:
    """A thousandth of all links, spread over all pairs of landmarks, with more weight for near ones.

    Without them, disconnected parts of the graph would have no position relative to each other, and a member with fewer
    clusters than parts would merge most of them into one cluster.
    """
    centered = landmarks - landmarks.mean(axis=0)
    squared = sklearn.metrics.pairwise.euclidean_distances(centered, squared=True).astype(np.float64)
    nearness = np.exp(-squared / (np.median(squared[:_FEW]) or 1.0))
    return _BACKGROUND * shared.sum() / nearness.sum() * nearness


def _coordinates(shared: np.ndarray, k: int) -> np.ndarray:
    """The contribution of each landmark to the coordinates of a row linked to it: (landmarks, coordinates)."""
    scale = 1 / np.sqrt(shared.sum(axis=1))
    p = len(shared)
    values, vectors = eigh(
        scale[:, None] * shared * scale,
        subset_by_index=[p - min(k, _MAX_COORDINATES), p - 1],
        overwrite_a=True,
        check_finite=False,
    )
    real = values > 1e-10
    return (scale[:, None] * vectors[:, real] / values[real]).astype(np.float32)


def _k_means(links: sparse.csr_array, coordinates: np.ndarray, k: int, rng: np.random.Generator) -> np.ndarray:
    """Clusters of the directions of the rows, learned from a sample."""
    n = links.shape[0]

    def directions(rows: Any) -> np.ndarray:
        places = links[rows] @ coordinates
        return places / np.maximum(np.linalg.norm(places, axis=1, keepdims=True), 1e-30)

    n_seen = max(_MIN_SAMPLE, _ROWS_PER_CENTER * k)
    rows = np.sort(rng.choice(n, n_seen, replace=False, shuffle=False)) if n_seen < n else slice(None)
    learner = sklearn.cluster.KMeans(k, n_init=1, max_iter=_STEPS, random_state=int(rng.integers(2**31)))
    learner.fit(directions(rows))
    labels = np.empty(n, dtype=np.int32)
    for start in range(0, n, _BLOCK):
        here = slice(start, start + _BLOCK)
        labels[here] = learner.predict(directions(here))
    return labels
