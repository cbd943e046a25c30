"""Rows for k-means with bounds on sizes: read block by block, never copied."""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numpy as np
from scipy import sparse
from sklearn.cluster import kmeans_plusplus
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils.extmath import row_norms
from sklearn.utils.sparsefuncs import mean_variance_axis

from pluribus._engine import over_blocks
from pluribus._kernels.assignment.sized_clusters import add_to_clusters
from pluribus.constrained._shared.base import Given
from pluribus.constrained._shared.points import chunk_means, dense
from pluribus.constraints import Closure
from pluribus.tables._internal import check_scale

_BLOCK = 16_384
_NEGLIGIBLE = 1e-9  # of the smallest weight
_MOST_DRAWN = 200_000  # rows among which k-means++ draws its centers

R = TypeVar("R")


class SizedPoints(NamedTuple):
    """Each chunklet as its mean and its weight; X itself if there are no must-links."""

    rows: Any  # (L, d), dense or csr, as given
    shift: np.ndarray  # (d,) of the type of the rows: what is subtracted from each block, the mean of dense rows
    weights: np.ndarray  # (L,) float64
    spread: float  # weighted squared distances of objects to the means of their chunklets
    variance: float  # mean variance of a feature
    n_jobs: int | None  # threads over blocks

    @classmethod
    def of(cls, given: Given, closure: Closure, n_jobs: int | None) -> "SizedPoints":
        """The chunklets of the closure as points."""
        X, weights = given.X, given.weights.astype(np.float64)
        if not weights.any():
            raise ValueError("sample_weight is zero for every row: give at least one row a positive weight.")
        check_scale(X)
        mean, variances = mean_variance_axis(X, axis=0) if sparse.issparse(X) else _mean_and_variance(X)
        shift = np.zeros(X.shape[1], X.dtype) if sparse.issparse(X) else mean.astype(X.dtype)
        variance = float(variances.mean())
        if closure.n_chunks == len(weights):
            return cls(X, shift, weights, 0.0, variance, n_jobs)
        rows, sums = chunk_means(X, weights, closure)
        several = np.flatnonzero(closure.chunk_sizes[closure.chunk_of] > 1)
        away = X[several] - rows[closure.chunk_of[several]]
        spread = float(weights[several] @ row_norms(away, squared=True))
        return cls(rows, shift, sums, spread, variance, n_jobs)

    @property
    def _far_off(self) -> bool:
        """Whether products with rows lose digits unless the shift is subtracted first."""
        return bool((self.shift.astype(float) ** 2).sum() > self.variance * self.rows.shape[1])

    def drawn(self, n_clusters: int, seed: int) -> np.ndarray:
        """Centers by k-means++, among all rows or, if there are very many, among a sample of them."""
        random = np.random.RandomState(seed)
        n = len(self.weights)
        some: Any = np.flatnonzero(self.weights > 0)
        if len(some) < n_clusters:
            some = np.arange(n)
        if len(some) > _MOST_DRAWN:
            some = np.sort(random.choice(some, _MOST_DRAWN, replace=False))
        rows = self._block(some)
        weights = self.weights[some].astype(rows.dtype)
        return dense(kmeans_plusplus(rows, n_clusters, sample_weight=weights, random_state=random)[0]).astype(float)

    def cost_weights(self, dtype: Any) -> np.ndarray:
        """The weights in ``costs``."""
        return weights_of_costs(self.weights).astype(dtype)

    def uncounted(self) -> np.ndarray:
        """What ``costs`` leaves out for each row: the weighted squared norm."""
        norms = [
            row_norms(self._block(slice(start, start + _BLOCK)), squared=True)
            for start in range(0, len(self.weights), _BLOCK)
        ]
        return np.concatenate(norms) * self.cost_weights(np.float64)

    def distances(self, rows: np.ndarray, centers: np.ndarray) -> np.ndarray:
        """Squared distances of these rows to the centers."""
        block = self._block(rows)
        return euclidean_distances(block, centers.astype(block.dtype), squared=True)

    def centers_of(self, membership: np.ndarray, centers: np.ndarray) -> np.ndarray:
        """The means of clusters to which rows belong in part; a cluster without members keeps its center."""
        totals = membership.sum(axis=0)[:, None]
        sums = dense(membership.T @ self.rows).astype(float) - totals * self.shift
        return np.where(totals > 0, sums / np.where(totals > 0, totals, 1), centers)

    def leaving_out(self, outside: np.ndarray) -> "SizedPoints":
        """The same, where these rows have no weight."""
        return self._replace(weights=np.where(outside, 0.0, self.weights))

    def costs(self, centers: np.ndarray, out: np.ndarray) -> None:
        """Weighted squared distances to the centers, minus the squared norm of the row, which is the same for all."""
        offsets = (centers**2).sum(axis=1)
        doubled = np.asarray(-2 * centers.T, dtype=self.rows.dtype)
        weighted, of_cost = (self.weights != 1).any(), self.cost_weights(out.dtype)
        far_off = sparse.issparse(self.rows) or self._far_off
        if not far_off:
            offsets = offsets + 2 * centers @ self.shift
        offsets = offsets.astype(out.dtype)

        def fill(start: int, stop: int) -> None:
            block = out[start:stop]
            if far_off:
                block[:] = self._block(slice(start, stop)) @ doubled
            else:
                np.matmul(self.rows[start:stop], doubled, out=block)
            block += offsets
            if weighted:
                block *= of_cost[start:stop, None]

        self._over_blocks(fill)

    def step(self, labels: np.ndarray, centers: np.ndarray) -> tuple[float, np.ndarray]:
        """The weighted sum of squared distances of all objects to their centers, and the means of the clusters.

        A cluster without weight keeps its center.
        """

        def add(start: int, stop: int) -> tuple[float, np.ndarray, np.ndarray]:
            return self._sums(slice(start, stop), labels[start:stop], centers)

        parts = self._over_blocks(add)
        value = sum(part[0] for part in parts) + self.spread
        sums = np.sum([part[1] for part in parts], axis=0)
        totals = np.sum([part[2] for part in parts], axis=0)
        means = np.where(totals[:, None] > 0, sums / np.where(totals > 0, totals, 1)[:, None], centers)
        return max(value, 0.0), means

    def _sums(self, block: slice, labels: np.ndarray, centers: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        k, weights = len(centers), self.weights[block]
        sums: np.ndarray = np.zeros(centers.shape)
        totals: np.ndarray = np.zeros(k)
        if not sparse.issparse(self.rows):
            value = add_to_clusters(self.rows[block], self.shift, weights, labels, centers, sums, totals)
            return value, sums, totals
        rows = self.rows[block]
        indicator = sparse.csr_array((weights, labels, np.arange(len(labels) + 1)), shape=(len(labels), k))
        sums, totals = (indicator.T @ rows).toarray(), np.bincount(labels, weights, minlength=k)
        value = float(weights @ row_norms(rows, squared=True))
        value += float((totals * (centers**2).sum(axis=1)).sum() - 2 * (sums * centers).sum())
        return value, sums, totals

    def _block(self, rows: Any) -> Any:
        return self.rows[rows] if sparse.issparse(self.rows) else self.rows[rows] - self.shift

    def _over_blocks(self, function: Callable[[int, int], R]) -> list[R]:
        n = len(self.weights)
        if self.n_jobs is not None and n > _BLOCK:
            return over_blocks(function, n, n_jobs=self.n_jobs, block=_BLOCK)
        return [function(start, min(start + _BLOCK, n)) for start in range(0, n, _BLOCK)]


def weights_of_costs(weights: np.ndarray) -> np.ndarray:
    """The weights, but next to nothing instead of 0: a row without weight goes to a near cluster if it can."""
    return np.maximum(weights, _NEGLIGIBLE * weights[weights > 0].min(initial=1.0))


def _mean_and_variance(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of each feature, in double precision and without a copy of X."""
    mean = X.mean(axis=0, dtype=np.float64)
    squares = np.zeros(X.shape[1])
    for start in range(0, len(X), _BLOCK):
        away = X[start : start + _BLOCK] - mean
        squares += np.einsum("ij,ij->j", away, away)
    return mean, squares / len(X)
