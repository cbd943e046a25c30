"""k-means under conditions on clusters: from one start to where nothing gets better."""

from typing import Any, NamedTuple, Protocol

import numpy as np

from pluribus.constrained._shared.base import Given
from pluribus.constrained._shared.errors import NoFeasibleAssignmentError
from pluribus.constrained._shared.sized_points import SizedPoints
from pluribus.constrained.conditions._admissible import deal, refine, repair
from pluribus.constrained.conditions._count_classes import Assigns
from pluribus.constrained.conditions._requirements import Requirements
from pluribus.constraints import Constraints

_NOT_FOUND = (
    "no valid start was found, though the problem may still be feasible: ask for fewer clusters, relax the conditions, "
    "or give labels that satisfy them (init)"
)


class Descent(NamedTuple):
    """Where a start led to."""

    found: np.ndarray  # what the points take for labels
    centers: np.ndarray  # (c, d)
    path: np.ndarray  # the dispersion, from the start on
    n_iter: int


class Points(Protocol):
    """What is assigned to clusters: rows, or micro-clusters of them, whose labels are numbers of rows."""

    rows: np.ndarray  # (m, d)
    weights: np.ndarray | None  # (m,) of rows behind each

    def costs(self, centers: np.ndarray, out: np.ndarray) -> None:
        """What one row costs at each center, up to what is the same for all."""

    def settled(self, labels: np.ndarray, centers: np.ndarray) -> tuple[float, np.ndarray]:
        """The dispersion around the best centers of the clusters, and these."""

    def valid(self, labels: np.ndarray) -> np.ndarray | None:
        """The labels, mended where a cluster is empty."""


class RowPoints:
    """Rows by themselves."""

    weights = None

    def __init__(self, X: np.ndarray, needed: Requirements, n_clusters: int) -> None:
        self.rows, self.needed, self.n_clusters = X, needed, n_clusters

    def valid(self, labels: np.ndarray) -> np.ndarray | None:
        """The labels, mended where a cluster is empty."""
        if self.needed.satisfied(labels, self.n_clusters):
            return labels
        return repair(self.rows, labels, self.n_clusters, self.needed)


class MeanPoints(RowPoints):
    """Rows that cost their squared distance to the mean of their cluster; the mean of all rows is 0."""

    def __init__(self, X: np.ndarray, needed: Requirements, n_clusters: int, n_jobs: int | None) -> None:
        super().__init__(X, needed, n_clusters)
        plain = Constraints(len(X))
        points = SizedPoints.of(Given(X, plain, np.ones(len(X), X.dtype)), plain.closure(), n_jobs)
        self._points = points._replace(shift=np.zeros_like(points.shift))

    def costs(self, centers: np.ndarray, out: np.ndarray) -> None:
        """Squared distances of the rows to the means, up to what is the same for all clusters."""
        self._points.costs(centers, out)

    def settled(self, labels: np.ndarray, centers: np.ndarray) -> tuple[float, np.ndarray]:
        """The dispersion around the means of the clusters, and these."""
        value, means = self._points.step(labels, centers)
        sizes = np.bincount(labels, minlength=len(centers))
        around = value - float(sizes @ ((means - centers) ** 2).sum(axis=1))
        if around < 0.5 * value:  # the difference of large numbers
            around, _ = self._points.step(labels, means)
        return max(around, 0.0), means


class Problem(NamedTuple):
    """What is the same for all starts."""

    points: Any  # Points
    needed: Requirements
    n_clusters: int
    max_iter: int
    tol: float  # what the dispersion must fall by, relative to that of the start


def alternate(problem: Problem, assign: Assigns, centers: np.ndarray, labels: np.ndarray | None) -> Descent:
    """Assign rows to the centers, take new centers, until the dispersion falls no more."""
    points: Points = problem.points
    cost = np.empty((len(points.rows), problem.n_clusters), points.rows.dtype)

    def assigned() -> np.ndarray | None:
        points.costs(centers, cost)
        found = assign(cost, labels)
        return None if found is None else points.valid(found)

    if labels is None:
        labels = assigned()
        if labels is None:
            raise NoFeasibleAssignmentError(_NOT_FOUND)
    value, centers = points.settled(labels, centers)
    path = [value]
    n_iter = 0
    while n_iter < problem.max_iter:
        n_iter += 1
        found = assigned()
        if found is None or (found == labels).all():
            break
        value, means = points.settled(found, centers)
        if value >= path[-1] - problem.tol * path[0]:
            break
        labels, centers = found, means
        path.append(value)
    return Descent(labels, centers, np.array(path), n_iter)


def by_moves(problem: Problem, labels: np.ndarray) -> Descent:
    """Any conditions: a valid start, then moves and swaps that keep it valid."""
    points, c, needed = problem.points, problem.n_clusters, problem.needed
    valid = points.valid(labels)
    if valid is None:
        valid = points.valid(deal(points.rows, c, needed))
    if valid is None:
        raise NoFeasibleAssignmentError(_NOT_FOUND)
    found = refine(points.rows, valid, c, needed, problem.max_iter)
    _, centers = points.settled(found.labels, np.zeros((c, points.rows.shape[1])))
    return Descent(found.labels, centers, found.path, max(1, len(found.path) - 1))
