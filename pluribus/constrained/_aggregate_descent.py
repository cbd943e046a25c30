"""k-means under conditions on clusters: from one start to where nothing gets better."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from pluribus.constraints import Constraints

from ._admissible import deal, refine, repair
from ._base import Given
from ._count_classes import Assigns
from ._errors import NoFeasibleAssignmentError
from ._micro_clusters import MicroClusters
from ._requirements import Requirements
from ._sized_points import SizedPoints


class Descent(NamedTuple):
    """Where a start led to."""

    labels: np.ndarray  # (n,)
    centers: np.ndarray  # (c, d), with the shift of the points subtracted
    path: np.ndarray  # the dispersion, from the start on
    n_iter: int


class MeanPoints:
    """Rows that cost their squared distance to the mean of their cluster; those of a micro-cluster cost the same."""

    def __init__(self, X: np.ndarray, micro: MicroClusters | None, n_jobs: int | None) -> None:
        self.micro = micro
        rows = X if micro is None else micro.means[micro.group_of]
        self.points = _points(rows, n_jobs)
        self.groups = self.points if micro is None else _points(micro.means, n_jobs)
        self.shift = self.points.shift
        self.rows = rows
        self.spread = 0.0 if micro is None else micro.spread

    def costs(self, centers: np.ndarray, out: np.ndarray) -> None:
        """Squared distances of the rows to the means, up to what is the same for all clusters."""
        if self.micro is None:
            self.points.costs(centers, out)
            return
        few = np.empty((len(self.micro.means), len(centers)), out.dtype)
        self.groups.costs(centers + self.shift - self.groups.shift, few)
        np.take(few, self.micro.group_of, axis=0, out=out)

    def settled(self, labels: np.ndarray, centers: np.ndarray) -> tuple[float, np.ndarray]:
        """The dispersion around the means of the clusters, and these."""
        value, means = self.points.step(labels, centers)
        sizes = np.bincount(labels, minlength=len(centers))
        around = value - float(sizes @ ((means - centers) ** 2).sum(axis=1))
        if around < 0.5 * value:  # the difference of large numbers
            around, _ = self.points.step(labels, means)
        return max(around, 0.0) + self.spread, means


def _points(rows: np.ndarray, n_jobs: int | None) -> SizedPoints:
    plain = Constraints(len(rows))
    return SizedPoints.of(Given(rows, plain, np.ones(len(rows), rows.dtype)), plain.closure(), n_jobs)


class Problem(NamedTuple):
    """What is the same for all starts."""

    X: np.ndarray
    points: Any  # MeanPoints or DistancePoints
    needed: Requirements
    n_clusters: int
    max_iter: int
    tol: float  # what the dispersion must fall by, relative to that of the start


def alternate(problem: Problem, assign: Assigns, centers: np.ndarray, labels: np.ndarray | None) -> Descent:
    """Assign rows to the centers, take new centers, until the dispersion falls no more."""
    points, dtype = problem.points, problem.X.dtype
    cost = np.empty((len(problem.X), problem.n_clusters), dtype)
    if labels is None:
        points.costs(centers, cost)
        labels = _valid(problem, assign(cost, None))
        if labels is None:
            raise NoFeasibleAssignmentError(_NOT_FOUND)
    value, centers = points.settled(labels, centers)
    path = [value]
    n_iter = 0
    while n_iter < problem.max_iter:
        n_iter += 1
        points.costs(centers, cost)
        found = _valid(problem, assign(cost, labels))
        if found is None or (found == labels).all():
            break
        value, means = points.settled(found, centers)
        if value >= path[-1] - problem.tol * path[0]:
            break
        labels, centers = found, means
        path.append(value)
    return Descent(labels, centers, np.array(path), n_iter)


_NOT_FOUND = (
    "no valid start was found, though the problem may still be feasible: ask for fewer clusters, relax the conditions, "
    "or give labels that satisfy them (init)"
)


def _valid(problem: Problem, labels: np.ndarray | None) -> np.ndarray | None:
    """The labels, mended where a cluster is empty."""
    if labels is None or problem.needed.satisfied(labels, problem.n_clusters):
        return labels
    return repair(problem.X, labels, problem.n_clusters, problem.needed)


def by_moves(problem: Problem, first: Callable[[], np.ndarray]) -> Descent:
    """Any conditions: a valid start, then moves and swaps that keep it valid."""
    labels = first()
    c, X, needed = problem.n_clusters, problem.X, problem.needed
    valid = labels if needed.satisfied(labels, c) else repair(X, labels, c, needed)
    if valid is None:
        valid = deal(X, c, needed)
        valid = valid if needed.satisfied(valid, c) else repair(X, valid, c, needed)
    if valid is None:
        raise NoFeasibleAssignmentError(_NOT_FOUND)
    found = refine(X, valid, c, needed, problem.max_iter)
    _, centers = problem.points.settled(found.labels, np.zeros((c, X.shape[1])))
    return Descent(found.labels, centers, found.path, max(1, len(found.path) - 1))


def identified(problem: Problem, X: np.ndarray, found: Descent, micro: MicroClusters) -> Descent:
    """The rows behind a result on micro-clusters: each cluster keeps its numbers, and gets the nearest rows."""
    whole = MeanPoints(X, None, None)
    labels = micro.identities(X, found.labels, found.centers + problem.points.shift)
    value, centers = whole.settled(labels, found.centers + problem.points.shift - whole.shift)
    path = np.r_[found.path, min(value, found.path[-1])]  # it can rise by rounding only
    return Descent(labels, centers + whole.shift - problem.points.shift, path, found.n_iter)
