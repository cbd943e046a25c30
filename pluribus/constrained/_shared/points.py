"""Chunklets as weighted points, and the steps of k-means on them."""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils.extmath import row_norms
from sklearn.utils.sparsefuncs import mean_variance_axis

from pluribus._kernels.points.centers import add_rows, nearest_by_product
from pluribus.constrained._shared.base import Given
from pluribus.constraints import Closure
from pluribus.tables._internal import check_scale

_BLOCK = 16_384  # rows whose products with the centers are held at once


class Points(NamedTuple):
    """Each chunklet as its mean and its weight, which is exact for k-means.

    The squared distances of a chunklet's objects to a center sum to the weight times the squared distance of the mean,
    plus the chunklet's spread, which does not depend on the center.
    """

    rows: Any  # (L, d), dense or csr; dense ones have the mean of the data subtracted
    weights: np.ndarray  # (L,) float64
    norms: np.ndarray  # (L,) squared norms of the rows
    shift: np.ndarray  # (d,) what was subtracted
    spread: float  # weighted squared distances of objects to the means of their chunklets
    variance: float  # mean variance of a feature

    @classmethod
    def of(cls, given: Given, closure: Closure) -> "Points":
        """The chunklets of the closure as points."""
        X, weights = given.X, given.weights.astype(np.float64)
        thin = sparse.issparse(X)
        shift = np.zeros(X.shape[1]) if thin else X.mean(axis=0, dtype=np.float64)
        X = X if thin else X - shift.astype(X.dtype)
        check_scale(X)
        variance = (mean_variance_axis(X, axis=0)[1] if thin else X.var(axis=0)).mean()
        if closure.n_chunks == len(weights):
            return cls(X, weights, row_norms(X, squared=True).astype(np.float64), shift, 0.0, float(variance))
        rows, total = chunk_means(X, weights, closure)
        several = np.flatnonzero(closure.chunk_sizes[closure.chunk_of] > 1)
        away = X[several] - rows[closure.chunk_of[several]]
        spread = float(weights[several] @ row_norms(away, squared=True))
        return cls(rows, total, row_norms(rows, squared=True).astype(np.float64), shift, spread, float(variance))

    def centers(self, rows: np.ndarray) -> np.ndarray:
        """These rows as centers."""
        return dense(self.rows[rows]).astype(np.float64)

    def products(self, centers: np.ndarray, rows: Any = slice(None)) -> np.ndarray:
        """Inner products of the rows with the centers."""
        return np.ascontiguousarray(self.rows[rows] @ centers.T.astype(self.rows.dtype))

    def half_distances(self, centers: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Half the squared distances of these rows to each center, times their weights."""
        half = 0.5 * (centers**2).sum(axis=1) - self.products(centers, rows) + 0.5 * self.norms[rows, None]
        return self.weights[rows, None] * np.maximum(half, 0)

    def nearest(self, centers: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, float]:
        """The nearest center of each row, and half the sum of squared distances of all rows, with these weights."""
        n = len(self.weights)
        labels = np.empty(n, dtype=np.int32)
        offsets = 0.5 * (centers**2).sum(axis=1)
        total = 0.5 * float(weights @ self.norms)
        for start in range(0, n, _BLOCK):
            block = slice(start, min(start + _BLOCK, n))
            total += nearest_by_product(self.products(centers, block), offsets, weights[block], labels[block])
        return labels, total

    def means(self, labels: np.ndarray, centers: np.ndarray, free_weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The mean of each cluster, and the labels of which these are the means.

        An empty cluster gets the row that is farthest from its center, among those with a weight in `free_weights`.
        """
        k = len(centers)
        sums: np.ndarray = np.zeros(centers.shape)
        sizes: np.ndarray = np.zeros(k)
        if sparse.issparse(self.rows):
            indicator = sparse.csr_array((self.weights, labels, np.arange(len(labels) + 1)), shape=(len(labels), k))
            sums, sizes = (indicator.T @ self.rows).toarray(), np.bincount(labels, self.weights, minlength=k)
        else:
            add_rows(self.rows, self.weights, labels, sums, sizes)
        empty = np.flatnonzero(sizes == 0)
        if len(empty):
            labels = labels.copy()
            self._fill(empty, labels, centers, free_weights, sums, sizes)
        return np.where(sizes[:, None] > 0, sums / np.maximum(sizes, np.finfo(float).tiny)[:, None], centers), labels

    def _fill(
        self,
        empty: np.ndarray,
        labels: np.ndarray,
        centers: np.ndarray,
        free_weights: np.ndarray,
        sums: np.ndarray,
        sizes: np.ndarray,
    ) -> None:
        distances = np.empty(len(labels))
        for start in range(0, len(labels), _BLOCK):
            block = slice(start, start + _BLOCK)
            own = labels[block]
            inner = np.take_along_axis(self.products(centers, block), own[:, None].astype(np.intp), axis=1)[:, 0]
            distances[block] = self.norms[block] - 2 * inner + (centers**2).sum(axis=1)[own]
        distances[free_weights == 0] = -np.inf  # pairs may not let the others move
        n_inside = np.bincount(labels[self.weights > 0], minlength=len(centers))
        distances[n_inside[labels] == 1] = -np.inf  # its cluster would be empty instead
        farthest = np.argsort(distances, kind="stable")[::-1][: len(empty)]
        for row, cluster in zip(farthest, empty, strict=True):
            if distances[row] <= 0:
                break  # all others are at their centers, or alone in their clusters
            weight, values = self.weights[row], dense(self.rows[[row]])[0]
            sums[cluster], sizes[cluster] = weight * values, weight
            sums[labels[row]] -= weight * values
            sizes[labels[row]] -= weight
            labels[row] = cluster


def chunk_means(X: Any, weights: np.ndarray, closure: Closure) -> tuple[Any, np.ndarray]:
    """The weighted mean of each chunklet, and its weight; the plain mean where all weights are zero."""
    indicator = closure.chunk_indicator
    total = indicator @ weights
    shares = np.where(total[closure.chunk_of] > 0, weights, 1.0)
    shares = shares / (indicator @ shares)[closure.chunk_of]
    averaging = sparse.csr_array((shares[indicator.indices], indicator.indices, indicator.indptr), indicator.shape)
    means = averaging @ X
    if sparse.issparse(means):
        return sparse.csr_array(means).astype(X.dtype), total
    return np.ascontiguousarray(means, dtype=X.dtype), total


def dense(rows: Any) -> np.ndarray:
    """Dense or sparse rows as an array."""
    return rows.toarray() if sparse.issparse(rows) else np.asarray(rows)
