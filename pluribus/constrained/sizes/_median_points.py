"""Rows for k-median with bounds on sizes: costs are city-block distances, and centers are medians."""

from copy import copy
from typing import Any

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.cluster import kmeans_plusplus

from pluribus._engine import over_blocks
from pluribus.constrained._shared.base import Given
from pluribus.constrained._shared.sized_points import weights_of_costs
from pluribus.constraints import Closure
from pluribus.tables._internal import check_scale

_BLOCK = 4096


class MedianPoints:
    """Objects, and the chunklets that are assigned as a whole: a chunklet costs what its objects cost together.

    It has the interface of ``SizedPoints``: ``weights`` has one number for each chunklet.
    """

    def __init__(self, given: Given, closure: Closure, n_jobs: int | None) -> None:
        if sparse.issparse(given.X):
            raise ValueError("X is sparse, but the medians of metric='cityblock' need a dense array: use X.toarray().")
        check_scale(given.X)
        self.rows, self.object_weights, self.closure = given.X, given.weights.astype(np.float64), closure
        self.weights = closure.chunk_indicator @ self.object_weights
        self.shift = np.zeros(self.rows.shape[1], self.rows.dtype)
        self.variance = float(self.rows.var(axis=0, dtype=np.float64).mean())
        self.n_jobs = n_jobs

    def drawn(self, n_clusters: int, seed: int) -> np.ndarray:
        """Centers by k-means++."""
        weights = self.object_weights if (self.object_weights > 0).sum() >= n_clusters else None
        random = np.random.RandomState(seed)
        return kmeans_plusplus(self.rows, n_clusters, sample_weight=weights, random_state=random)[0].astype(float)

    def cost_weights(self, dtype: Any) -> np.ndarray:
        """The weights of the chunklets in ``costs``."""
        return weights_of_costs(self.weights).astype(dtype)

    def uncounted(self) -> np.ndarray:
        """What ``costs`` leaves out for each chunklet: nothing."""
        return np.zeros(len(self.weights))

    def leaving_out(self, outside: np.ndarray) -> "MedianPoints":
        """The same, where these chunklets have no weight."""
        other = copy(self)
        other.weights = np.where(outside, 0.0, self.weights)
        other.object_weights = np.where(outside[self.closure.chunk_of], 0.0, self.object_weights)
        return other

    def costs(self, centers: np.ndarray, out: np.ndarray) -> None:
        """Weighted sums of the city-block distances to the centers."""
        several, weights = len(out) < len(self.rows), weights_of_costs(self.object_weights)
        of_objects = np.empty((len(self.rows), len(centers)), out.dtype) if several else out

        def fill(start: int, stop: int) -> None:
            distances = cdist(self.rows[start:stop], centers, "cityblock")
            of_objects[start:stop] = distances * weights[start:stop, None]

        over_blocks(fill, len(self.rows), n_jobs=self.n_jobs or 1, block=_BLOCK)
        if several:
            out[:] = self.closure.chunk_indicator @ of_objects

    def step(self, labels: np.ndarray, centers: np.ndarray) -> tuple[float, np.ndarray]:
        """The weighted sum of distances of all objects to their centers, and the medians of the clusters.

        A cluster without weight keeps its center.
        """
        of_objects = labels[self.closure.chunk_of]
        value, medians = 0.0, centers.copy()
        for h in range(len(centers)):
            inside = np.flatnonzero(of_objects == h)
            rows, weights = self.rows[inside], self.object_weights[inside]
            value += float(weights @ np.abs(rows - centers[h]).sum(axis=1))
            if weights.sum() > 0:
                medians[h] = _weighted_medians(rows, weights)
        return value, medians


def _weighted_medians(rows: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The middle of the values of each column with half of the weight on both sides."""
    rows, weights = rows[weights > 0], weights[weights > 0]
    if (weights == weights[0]).all():
        return np.median(rows, axis=0)
    order = np.argsort(rows, axis=0, kind="stable")
    below = np.cumsum(weights[order], axis=0)
    ordered, half = np.take_along_axis(rows, order, axis=0), below[-1] / 2
    last = len(rows) - 1
    lower = np.minimum((below < half).sum(axis=0), last)
    upper = np.minimum((below <= half).sum(axis=0), last)
    columns = np.arange(rows.shape[1])
    return (ordered[lower, columns].astype(float) + ordered[upper, columns]) / 2
