"""Spectral partitions of a few thousand rows at many widths: one eigen-decomposition serves all cuts of a width."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.linalg import eigh
from scipy.spatial.distance import pdist, squareform
from sklearn.base import BaseEstimator

from pluribus._engine import fingerprint
from pluribus._kernels.points.small_kmeans import small_kmeans, spread_starts
from pluribus.generate._latest import Latest

CUTS = ("njw", "ncut")
MAX_ROWS = 5_000  # an eigen-decomposition takes 0.6 s at 2,000 rows, and grows with the cube
# Similarity of any two rows at least: without it, a row that is far from all others would have no links at all.
_FLOOR = 1e-12
_STEPS = 50  # iterations of k-means
_KEPT = 64  # bases of eigenvectors, n × k numbers each


def squared_distances(X: np.ndarray) -> np.ndarray:
    """Squared distances of all rows, in units of the median squared distance to the nearest other row."""
    squared = squareform(pdist(np.asarray(X, dtype=np.float64), "sqeuclidean"), checks=False)
    np.fill_diagonal(squared, np.inf)
    nearest = squared.min(axis=1)
    np.fill_diagonal(squared, 0.0)
    positive = nearest[(nearest > 0) & np.isfinite(nearest)]
    if len(positive):
        squared /= np.median(positive)
    return squared


def n_distinct(squared: np.ndarray) -> int:
    """How many rows differ from all rows before them."""
    return len(squared) - int(np.count_nonzero(np.tril(squared == 0, -1).any(axis=1)))


def basis_of(squared: np.ndarray, width: float, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The k leading eigenvectors of the normalized similarities, in columns, and 1 / sqrt(degree) of each row.

    More eigenvectors than there are distinct rows would tell equal rows apart: k is at most `n_distinct`.
    """
    n = len(squared)
    similarity = np.exp(squared / (-2.0 * width * width))
    similarity += _FLOOR
    np.fill_diagonal(similarity, 0.0)
    scale = 1 / np.sqrt(np.maximum(similarity.sum(axis=1), _FLOOR))  # of a single row, the sum is 0
    similarity *= scale[:, None]
    similarity *= scale
    _, vectors = eigh(similarity, subset_by_index=[max(n - k, 0), n - 1], overwrite_a=True, check_finite=False)
    return np.ascontiguousarray(vectors[:, ::-1]), scale


def cut_basis(vectors: np.ndarray, scale: np.ndarray, k: int, cut: str, draws: np.ndarray) -> np.ndarray:
    """k clusters of the rows: by direction of the eigenvectors' rows (NJW), or as the k-way normalized cut.

    There are at most as many clusters as eigenvectors.
    """
    k = min(k, vectors.shape[1])
    rows = vectors[:, :k]
    if cut == "njw":
        rows = rows / np.maximum(np.sqrt(np.einsum("ij,ij->i", rows, rows)), 1e-300)[:, None]
    else:
        rows = rows * scale[:, None]
    points = np.ascontiguousarray(rows)
    return small_kmeans(points, spread_starts(points, k, draws), _STEPS)


def grid_partitions(
    squared: np.ndarray, widths: Sequence[float], ks: Sequence[int], cuts: Sequence[str], seed: int
) -> np.ndarray:
    """A partition for each width, cut and k, in this order, in columns."""
    highest = max(ks)
    draws = np.random.default_rng(seed).random((len(widths), len(cuts), len(ks), highest))
    n_vectors = min(highest, n_distinct(squared))
    labels = np.empty((len(squared), len(widths) * len(cuts) * len(ks)), dtype=np.int32)
    column = 0
    for w, width in enumerate(widths):
        vectors, scale = basis_of(squared, width, n_vectors)
        for c, cut in enumerate(cuts):
            for i, k in enumerate(ks):
                labels[:, column] = cut_basis(vectors, scale, k, cut, draws[w, c, i])
                column += 1
    return labels


class WidthCut(BaseEstimator):
    """A clusterer for members of `SpectralGrid`: members of the same rows and width share their eigenvectors."""

    def __init__(
        self, width: float = 1.0, cut: str = "njw", highest: int = 2, n_clusters: int = 2, random_state: int = 0
    ) -> None:
        self.width = width
        self.cut = cut
        self.highest = highest
        self.n_clusters = n_clusters
        self.random_state = random_state

    @property
    def algorithm(self) -> str:
        """The name of members."""
        return self.cut

    def fit_predict(self, X: Any) -> np.ndarray:
        """Return the cluster of each row."""
        width, k = float(self.width), max(self.highest, self.n_clusters)
        vectors, scale = _BASES.get((fingerprint(X), width, k), lambda: _basis(X, width, k))
        draws = np.random.default_rng(self.random_state).random(self.n_clusters)
        return cut_basis(vectors, scale, self.n_clusters, self.cut, draws)


def _basis(X: np.ndarray, width: float, k: int) -> tuple[np.ndarray, np.ndarray]:
    squared = squared_distances(X)
    return basis_of(squared, width, min(k, n_distinct(squared)))


_BASES: Latest[tuple[np.ndarray, np.ndarray]] = Latest(_KEPT)
