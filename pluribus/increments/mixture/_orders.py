"""The order in which pairs of clusters are tested."""

from abc import ABC, abstractmethod

import numpy as np

from pluribus.increments.mixture._closest_pairs import ClosestPairs

_SHRUNK_TO = 0.01  # of the mean variance of a feature: the covariance of a cluster without objects


class Order(ABC):
    """Distances between clusters, which are numbered as in ``ClosestPairs``."""

    @abstractmethod
    def add(self, members: np.ndarray) -> None:
        """The next cluster."""

    @abstractmethod
    def distances(self, cluster: int, others: np.ndarray) -> np.ndarray:
        """The distances of a cluster from some others."""


class SingleLink(Order):
    """The distance of the closest objects."""

    def __init__(self, pairs: ClosestPairs) -> None:
        self.pairs = pairs

    def add(self, members: np.ndarray) -> None:
        """Closest pairs are there already."""

    def distances(self, cluster: int, others: np.ndarray) -> np.ndarray:
        return self.pairs.distance[cluster, others]


class Mahalanobis(Order):
    """The squared distance of the means, by the mean covariance of both clusters.

    Covariances of small clusters are shrunk towards a small round one.
    """

    def __init__(self, X: np.ndarray) -> None:
        self.X, self.least = X, _SHRUNK_TO * float(X.var(axis=0).mean())
        self.means: list[np.ndarray] = []
        self.scatters: list[np.ndarray] = []  # size times covariance
        self.sizes: list[int] = []

    def add(self, members: np.ndarray) -> None:
        rows, d = self.X[members], self.X.shape[1]
        centered = rows - rows.mean(axis=0)
        shrinkage = (d + 1) / (len(members) + d + 1)
        covariance = (1 - shrinkage) * centered.T @ centered / len(members) + shrinkage * self.least * np.eye(d)
        self.means.append(rows.mean(axis=0))
        self.scatters.append(len(members) * covariance)
        self.sizes.append(len(members))

    def distances(self, cluster: int, others: np.ndarray) -> np.ndarray:
        apart = np.array([self.means[other] for other in others]) - self.means[cluster]
        sizes = np.array([self.sizes[other] for other in others]) + self.sizes[cluster]
        scatters = np.array([self.scatters[other] for other in others]) + self.scatters[cluster]
        solved = np.linalg.solve(scatters / sizes[:, None, None], apart[:, :, None])[:, :, 0]
        return np.einsum("ij,ij->i", apart, solved)
