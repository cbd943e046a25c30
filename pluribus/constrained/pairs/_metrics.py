"""Metrics learned for clusters: one for each or one for all, with weights of features or full matrices."""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse


class Metrics(NamedTuple):
    """The matrices A of squared lengths x·A x, as roots: A = G Gᵀ."""

    roots: np.ndarray  # (m, d) diagonals or (m, d, d), m = k or 1
    log_dets: np.ndarray  # (m,) of A

    @property
    def diagonal(self) -> bool:
        """Whether features only have weights."""
        return self.roots.ndim == 2

    @property
    def matrices(self) -> np.ndarray:
        """The diagonals or matrices A."""
        return self.roots**2 if self.diagonal else self.roots @ self.roots.transpose(0, 2, 1)

    def take(self, clusters: np.ndarray) -> "Metrics":
        """The metrics of these clusters, in this order."""
        return Metrics(self.roots[clusters], self.log_dets[clusters])


def inverse_of(scatter: np.ndarray, sizes: np.ndarray, prior: np.ndarray) -> Metrics:
    """The metric under which scatter of this many objects, and one more with the variances `prior`, is cheapest.

    Directions in which the scatter is negative (pairs that should be apart took too much from it) count as zero.
    """
    if scatter.ndim == 2:
        variances = (np.maximum(scatter, 0) + prior) / (sizes[:, None] + 1)
        return Metrics(1 / np.sqrt(variances), -np.log(variances).sum(axis=1))
    # In units of the prior, so that the result does not depend on the units of the features.
    unit = np.sqrt(prior)
    values, vectors = np.linalg.eigh(scatter / (unit[:, None] * unit))
    variances = (np.maximum(values, 0) + 1) / (sizes[:, None] + 1)
    roots = vectors / np.sqrt(variances)[:, None, :] / unit[:, None]
    return Metrics(roots, -np.log(variances).sum(axis=1) - 2 * np.log(unit).sum())


def squared_lengths(rows: Any, centers: np.ndarray, metrics: Metrics) -> np.ndarray:
    """Of each row minus each center h in metric h, (r, k)."""
    if metrics.diagonal:
        weights = metrics.matrices
        weighted = weights * centers
        squares = rows.power(2) if sparse.issparse(rows) else rows**2
        lengths = squares @ weights.T - 2 * (rows @ weighted.T) + (weighted * centers).sum(axis=1)
        return np.maximum(lengths, 0)
    if len(metrics.roots) == 1:
        turned, ends = rows @ metrics.roots[0], centers @ metrics.roots[0]
        lengths = (turned**2).sum(axis=1)[:, None] - 2 * turned @ ends.T + (ends**2).sum(axis=1)
        return np.maximum(lengths, 0)
    return np.column_stack(
        [(((rows - center) @ root) ** 2).sum(axis=1) for center, root in zip(centers, metrics.roots, strict=True)]
    )


def scatter_of(
    rows: Any, weights: np.ndarray, labels: np.ndarray, centers: np.ndarray, *, diagonal: bool
) -> np.ndarray:
    """Weighted sums of squared deviations from the centers, (k, d), or of their outer products, (k, d, d)."""
    k, d = centers.shape
    if sparse.issparse(rows):
        indicator = sparse.csr_array((weights, labels, np.arange(len(labels) + 1)), shape=(len(labels), k))
        sums, sizes = indicator.T @ rows, indicator.sum(axis=0)
        squares = (indicator.T @ rows.power(2)).toarray()
        return np.maximum(squares - 2 * centers * sums.toarray() + sizes[:, None] * centers**2, 0)
    scatter = np.zeros((k, d) if diagonal else (k, d, d))
    for h in range(k):
        inside = np.flatnonzero(labels == h)
        away = rows[inside] - centers[h]
        scatter[h] = weights[inside] @ away**2 if diagonal else (weights[inside, None] * away).T @ away
    return scatter


def outer(differences: np.ndarray, weights: np.ndarray, *, diagonal: bool) -> np.ndarray:
    """The weighted sum of squares, (d,), or of outer products, (d, d), of differences."""
    return weights @ differences**2 if diagonal else (weights[:, None] * differences).T @ differences
