"""Rows as directions, compared by the angle between them, as in spherical k-means."""

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.preprocessing import normalize
from sklearn.utils.extmath import row_norms

from pluribus.constrained._shared.points import dense
from pluribus.constrained._shared.sized_points import SizedPoints

_SHOWN = 5


def unit_rows(X: Any) -> Any:
    """The rows scaled to length 1; raises if a row has length 0."""
    lengths = row_norms(X)
    if not np.isfinite(lengths).all():
        raise ValueError("X has numbers whose squares overflow when added: scale X, or give it as float64.")
    zero = np.flatnonzero(lengths == 0)
    if len(zero):
        some = ", ".join(map(str, zero[:_SHOWN])) + (", …" if len(zero) > _SHOWN else "")
        raise ValueError(
            f"{len(zero)} rows of X have length 0 in {X.dtype} (rows {some}) and therefore no direction: leave them "
            "out, or do not compare by cosine."
        )
    return normalize(X)


class UnitPoints(SizedPoints):
    """Rows and centers of length 1; a row costs one minus its cosine to the center."""

    @classmethod
    def of_rows(cls, rows: Any, weights: np.ndarray, n_jobs: int | None) -> "UnitPoints":
        """Rows that already have length 1."""
        mean = np.asarray(rows.mean(axis=0)).ravel()
        variance = max(1 - float(mean.astype(float) @ mean), 0.0) / rows.shape[1]
        return cls(rows, np.zeros(rows.shape[1], rows.dtype), weights, 0.0, variance, n_jobs)

    def costs(self, centers: np.ndarray, out: np.ndarray) -> None:
        """One minus the cosines to the centers, times the weights."""
        turned = centers.T.astype(self.rows.dtype)
        weights = self.cost_weights(out.dtype)

        def fill(start: int, stop: int) -> None:
            out[start:stop] = weights[start:stop, None] * (1 - self.rows[start:stop] @ turned)

        self._over_blocks(fill)

    def uncounted(self) -> np.ndarray:
        """What ``costs`` leaves out for each row: nothing."""
        return np.zeros(len(self.weights))

    def centers_of(self, membership: np.ndarray, centers: np.ndarray) -> np.ndarray:
        """The directions of clusters to which rows belong in part."""
        sums = dense(membership.T @ self.rows).astype(float)
        lengths = np.linalg.norm(sums, axis=1, keepdims=True)
        has_direction = lengths > 1e-9 * membership.sum(axis=0)[:, None]
        return np.where(has_direction, sums / np.where(has_direction, lengths, 1), centers)

    def step(self, labels: np.ndarray, centers: np.ndarray) -> tuple[float, np.ndarray]:
        """The weighted sum of one minus cosine of all rows to their centers, and the directions of the clusters.

        A cluster whose rows cancel, or that has none, keeps its center.
        """
        k = len(centers)
        indicator = sparse.csr_array((self.weights, labels, np.arange(len(labels) + 1)), shape=(len(labels), k))
        sums = indicator.T @ self.rows
        sums = sums.toarray() if sparse.issparse(sums) else sums
        lengths = np.linalg.norm(sums, axis=1, keepdims=True)
        has_direction = lengths > 1e-9 * np.bincount(labels, self.weights, minlength=k)[:, None]
        value = float(self.weights.sum() - (sums * centers).sum())
        return max(value, 0.0), np.where(has_direction, sums / np.where(has_direction, lengths, 1), centers)
