"""What k-means under conditions assigns to clusters: rows, with the costs and representatives of the clusters."""

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np

from pluribus.constrained._shared.base import Given
from pluribus.constrained._shared.sized_points import SizedPoints
from pluribus.constrained.conditions._admissible import repair
from pluribus.constrained.conditions._requirements import Requirements
from pluribus.constraints import Constraints


class AggregateRun(NamedTuple):
    """The result of k-means under conditions from one start."""

    labels: np.ndarray  # of rows, or in the form of the points that were assigned
    centers: np.ndarray  # (c, d) the representatives
    path: np.ndarray  # the dispersion, from the start on
    n_iter: int


class Points(ABC):
    """What is assigned to clusters: rows, or micro-clusters of them, whose "labels" are numbers of rows."""

    rows: np.ndarray  # (m, d)
    weights: np.ndarray | None = None  # (m,) of rows behind each

    @abstractmethod
    def costs(self, centers: np.ndarray, out: np.ndarray) -> None:
        """What one row costs at each center, up to a constant of the row."""

    @abstractmethod
    def update(self, labels: np.ndarray, centers: np.ndarray) -> tuple[float, np.ndarray]:
        """The dispersion around the best representatives of the clusters, and these."""

    @abstractmethod
    def repair(self, labels: np.ndarray) -> np.ndarray | None:
        """Nearby labels that satisfy the conditions; None if none are found."""

    def encode(self, labels: np.ndarray) -> np.ndarray:
        """Labels of rows in the form of these points."""
        return labels

    def decode(self, run: AggregateRun) -> AggregateRun:
        """The run with labels of rows."""
        return run


class RowPoints(Points):
    """Rows by themselves."""

    def __init__(self, X: np.ndarray, requirements: Requirements, n_clusters: int) -> None:
        self.rows, self.requirements, self.n_clusters = X, requirements, n_clusters

    def repair(self, labels: np.ndarray) -> np.ndarray | None:
        """Nearby labels that satisfy the conditions; None if none are found."""
        if self.requirements.satisfied(labels, self.n_clusters):
            return labels
        return repair(self.rows, labels, self.n_clusters, self.requirements)


class MeanPoints(RowPoints):
    """Rows that cost their squared distance to the mean of their cluster; the mean of all rows is 0."""

    def __init__(self, X: np.ndarray, requirements: Requirements, n_clusters: int, n_jobs: int | None) -> None:
        super().__init__(X, requirements, n_clusters)
        unconstrained = Constraints(len(X))
        given = Given(X, unconstrained, np.ones(len(X), X.dtype))
        points = SizedPoints.of(given, unconstrained.closure(), n_jobs)
        self._points = points._replace(shift=np.zeros_like(points.shift))

    def costs(self, centers: np.ndarray, out: np.ndarray) -> None:
        """Squared distances of the rows to the means, up to a constant of the row."""
        self._points.costs(centers, out)

    def update(self, labels: np.ndarray, centers: np.ndarray) -> tuple[float, np.ndarray]:
        """The dispersion around the means of the clusters, and these."""
        value, means = self._points.step(labels, centers)
        sizes = np.bincount(labels, minlength=len(centers))
        around = value - float(sizes @ ((means - centers) ** 2).sum(axis=1))
        if around < 0.5 * value:  # the difference of large numbers
            around, _ = self._points.step(labels, means)
        return max(around, 0.0), means
