"""Rows as shares of a whole, such as words of a document, compared by the Kullback-Leibler divergence."""

from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import xlogy
from sklearn.preprocessing import normalize

from pluribus.constrained._shared.points import dense
from pluribus.constrained._shared.sized_points import SizedPoints

_PRIOR = 1.0  # rows of equal shares that each center starts from, so that no share is 0
_BLOCK = 4096


def share_rows(X: Any) -> Any:
    """The rows scaled to the sum 1; raises if a number is negative or a row has only zeros."""
    least = X.min() if X.shape[0] else 0
    if least < 0:
        raise ValueError(f"X has negative numbers, such as {least:g}, but metric='kl' compares shares: give counts.")
    totals = np.asarray(X.sum(axis=1), dtype=np.float64).ravel()
    if not np.isfinite(totals).all():
        raise ValueError("X has numbers whose sums overflow: scale X, or give it as float64.")
    if (totals == 0).any():
        rows = np.flatnonzero(totals == 0)
        some = ", ".join(map(str, rows[:5])) + (", …" if len(rows) > 5 else "")
        raise ValueError(
            f"{len(rows)} rows of X have only zeros (rows {some}) and therefore no shares: leave them out, or use "
            "another metric."
        )
    return normalize(X, norm="l1")


def divergences(rows: Any, centers: np.ndarray) -> np.ndarray:
    """KL(row ‖ center) of all rows to all centers; shares that no center has count as next to nothing."""
    logarithms = np.log(np.maximum(centers, np.finfo(np.float64).tiny))
    return np.maximum(negentropies(rows)[:, None] - rows @ logarithms.T.astype(rows.dtype), 0)


class SharePoints(SizedPoints):
    """Rows and centers of sum 1; a row costs its divergence from the center.

    The objective adds the divergence of equal shares from each center, as one more row in each cluster. Its minimum is
    the mean of the cluster with that row, which has no zeros, so that all divergences are finite.
    """

    @classmethod
    def of_rows(cls, rows: Any, weights: np.ndarray, n_jobs: int | None) -> "SharePoints":
        """Rows that already have the sum 1."""
        mean = np.asarray(rows.mean(axis=0)).ravel().astype(float)
        squares = float((rows.data**2).sum() if sparse.issparse(rows) else np.einsum("ij,ij->", rows, rows))
        variance = max(squares / rows.shape[0] - float(mean @ mean), 0.0) / rows.shape[1]
        return cls(rows, np.zeros(rows.shape[1], rows.dtype), weights, 0.0, variance, n_jobs)

    def drawn(self, n_clusters: int, seed: int) -> np.ndarray:
        """Rows by k-means++, with equal shares added to each."""
        return self._with_prior(super().drawn(n_clusters, seed), np.ones(n_clusters))

    def distances(self, rows: np.ndarray, centers: np.ndarray) -> np.ndarray:
        """Divergences of these rows from the centers."""
        return divergences(self.rows[rows], centers)

    def costs(self, centers: np.ndarray, out: np.ndarray) -> None:
        """Divergences from the centers, times the weights, without the part that is the same for all centers."""
        logarithms = np.log(centers).T.astype(self.rows.dtype)
        weights = self.cost_weights(out.dtype)

        def fill(start: int, stop: int) -> None:
            out[start:stop] = -weights[start:stop, None] * (self.rows[start:stop] @ logarithms)

        self._over_blocks(fill)

    def uncounted(self) -> np.ndarray:
        """What ``costs`` leaves out for each row: Σ x log x, times the weight."""
        return negentropies(self.rows) * self.cost_weights(np.float64)

    def step(self, labels: np.ndarray, centers: np.ndarray) -> tuple[float, np.ndarray]:
        """The weighted sum of the divergences of all rows, and of the prior, from their centers, and the means."""
        k, d = centers.shape
        indicator = sparse.csr_array((self.weights, labels, np.arange(len(labels) + 1)), shape=(len(labels), k))
        sums, totals = dense(indicator.T @ self.rows).astype(float), np.bincount(labels, self.weights, minlength=k)
        logarithms = np.log(centers)
        of_prior = -_PRIOR * (k * np.log(d) + logarithms.sum() / d)
        value = float(self.weights @ negentropies(self.rows)) - float((sums * logarithms).sum()) + of_prior
        return max(value, 0.0), self._with_prior(sums, totals)

    def centers_of(self, membership: np.ndarray, centers: np.ndarray) -> np.ndarray:
        """The means of clusters to which rows belong in part."""
        return self._with_prior(dense(membership.T @ self.rows).astype(float), membership.sum(axis=0))

    def _with_prior(self, sums: np.ndarray, totals: np.ndarray) -> np.ndarray:
        return (sums + _PRIOR / sums.shape[1]) / (totals[:, None] + _PRIOR)


def negentropies(rows: Any) -> np.ndarray:
    """Σ x log x of each row."""
    if sparse.issparse(rows):
        terms = sparse.csr_array((xlogy(rows.data, rows.data), rows.indices, rows.indptr), shape=rows.shape)
        return np.asarray(terms.sum(axis=1)).ravel()
    blocks = (rows[start : start + _BLOCK] for start in range(0, len(rows), _BLOCK))
    return np.concatenate([xlogy(block, block).sum(axis=1) for block in blocks])
