"""Nearest neighbors inside one class, and the increments of new objects that join it."""

from abc import ABC, abstractmethod

import numpy as np
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist
from sklearn.metrics import pairwise_distances_argmin

from pluribus._engine import over_blocks
from pluribus._kernels.points.increment_density import log_densities
from pluribus._kernels.points.inserted_increments import log_mean_densities
from pluribus.increments._shared.nearest import FEW_FEATURES, Nearest, two_nearest, two_nearest_by_distances

_NUMBERS_IN_BLOCK = 2**21


class Neighborhood(ABC):
    """The objects of one class.

    Attributes
    ----------
    partner, gap : the nearest neighbor of each object, and its distance
    beyond : the distance from there to its nearest neighbor other than the object
    increments : |gap - beyond|, one for each object
    """

    def __init__(self, nearest: Nearest) -> None:
        self.partner, self.gap = np.ascontiguousarray(nearest.places[:, 0]), nearest.distances[:, 0].copy()
        mutual = nearest.places[self.partner, 0] == np.arange(len(self.partner))
        self.beyond = np.where(mutual, nearest.distances[self.partner, 1], self.gap[self.partner])
        self.increments = np.abs(self.gap - self.beyond)

    @abstractmethod
    def distances(self, X: np.ndarray) -> np.ndarray:
        """The distances of new objects to those of the class, as an array in C order."""

    @abstractmethod
    def nearest(self, X: np.ndarray, n_jobs: int | None) -> tuple[np.ndarray, np.ndarray]:
        """The nearest object of the class for each new one, and its distance."""

    def log_densities(self, X: np.ndarray, mean: float, n_jobs: int | None) -> np.ndarray:
        """log p(w; mean) of w = |d(x, a) - d(a, b)|: a is nearest to the new object, and b is nearest to a."""
        place, distance = self.nearest(X, n_jobs)
        return log_densities(np.abs(distance - self.gap[place]) / mean) - np.log(mean)

    def log_mean_densities(self, X: np.ndarray, mean: float, n_jobs: int | None) -> np.ndarray:
        """The logarithm of the mean of p(w; mean) over all triplets that a new object is part of."""
        out = np.empty(len(X))

        def fill(start: int, stop: int) -> None:
            distances = self.distances(X[start:stop])
            log_mean_densities(distances, self.partner, self.gap, self.beyond, mean, out[start:stop])

        over_blocks(fill, len(X), n_jobs=n_jobs, block=max(1, _NUMBERS_IN_BLOCK // len(self.gap)))
        return out


class FeatureNeighborhood(Neighborhood):
    """A class of rows with features; distances are Euclidean."""

    def __init__(self, rows: np.ndarray, n_jobs: int | None) -> None:
        super().__init__(two_nearest(rows, n_jobs))
        self.rows = rows
        self.tree = cKDTree(rows) if rows.shape[1] <= FEW_FEATURES else None

    def distances(self, X: np.ndarray) -> np.ndarray:
        return cdist(X, self.rows)

    def nearest(self, X: np.ndarray, n_jobs: int | None) -> tuple[np.ndarray, np.ndarray]:
        if self.tree is not None:
            distance, place = self.tree.query(X, workers=n_jobs or 1)
            return place, distance
        place = np.concatenate(
            over_blocks(lambda start, stop: pairwise_distances_argmin(X[start:stop], self.rows), len(X), n_jobs=n_jobs)
        )
        # Matrix products find the neighbor, and are inexact if it is near; differences are not.
        return place, np.sqrt(((X - self.rows[place]) ** 2).sum(axis=1))


class GivenNeighborhood(Neighborhood):
    """A class of objects whose dissimilarities to all objects were given; new objects are rows of dissimilarities."""

    def __init__(self, D: np.ndarray, members: np.ndarray, n_jobs: int | None) -> None:
        super().__init__(two_nearest_by_distances(D[np.ix_(members, members)], n_jobs))
        self.members = members

    def distances(self, X: np.ndarray) -> np.ndarray:
        return X[:, self.members].astype(np.float64)

    def nearest(self, X: np.ndarray, n_jobs: int | None) -> tuple[np.ndarray, np.ndarray]:
        distances = self.distances(X)
        place = distances.argmin(axis=1)
        return place, distances[np.arange(len(X)), place]
