"""The two steps of k-means within bounds on the sizes of clusters, in turn."""

from typing import NamedTuple, Protocol

import numpy as np

from pluribus.constrained._shared.sized_points import SizedPoints
from pluribus.constrained.sizes._sized_assignment import BoundedAssignment
from pluribus.partitions import assign_sizes
from pluribus.partitions._internal import assign_weights


class AssignsWithinBounds(Protocol):
    """An assignment step that keeps the sizes of clusters within bounds."""

    def assign(
        self, cost: np.ndarray, prices: np.ndarray | None, previous: np.ndarray | None, thorough: bool = False
    ) -> BoundedAssignment:
        """The cheapest assignment found, never more expensive than the previous one."""


class SizedObjects:
    """Assign objects to clusters with bounded numbers of them: exact, as a minimum-cost flow."""

    def __init__(self, lower: np.ndarray, upper: np.ndarray) -> None:
        self.lower, self.upper = lower, upper

    def assign(
        self, cost: np.ndarray, prices: np.ndarray | None, previous: np.ndarray | None, thorough: bool = False
    ) -> BoundedAssignment:
        """The cheapest assignment."""
        cheapest = assign_sizes(cost, self.lower, self.upper, prices=prices)
        return BoundedAssignment(cheapest.labels, cheapest.prices, cheapest.cost, True)


class WeighedObjects:
    """Assign objects to clusters with bounded sums of weights: a rounded linear program."""

    def __init__(self, lower: np.ndarray, upper: np.ndarray, weight: np.ndarray) -> None:
        self.lower, self.upper, self.weight = lower, upper, weight

    def assign(
        self, cost: np.ndarray, prices: np.ndarray | None, previous: np.ndarray | None, thorough: bool = False
    ) -> BoundedAssignment:
        """A cheap assignment."""
        rounded = assign_weights(cost, self.weight, self.lower, self.upper, prices=prices)
        return BoundedAssignment(rounded.labels, rounded.prices, rounded.cost, True)


class SizedRun(NamedTuple):
    """The result of k-means within bounds from one start."""

    labels: np.ndarray  # (L,)
    centers: np.ndarray  # (k, d), with the shift of the points subtracted
    prices: np.ndarray  # (k,)
    path: np.ndarray  # the inertia after each assignment
    n_iter: int


def alternate_within(
    points: SizedPoints,
    bounds: AssignsWithinBounds,
    centers: np.ndarray,
    max_iter: int,
    tol: float,
    reached: SizedRun | None = None,
) -> SizedRun:
    """Assign within the bounds and take the means, in turn, from these centers; the inertia never rises.

    It stops as scikit-learn's KMeans does: when no label changes, or when the centers move less than `tol`, relative to
    the variance of the data. The labels are those for the final centers. If a run was `reached` before, it continues
    from there, with a thorough search whenever no label changes.
    """
    cost = np.empty((len(points.weights), len(centers)), points.rows.dtype)
    assignment: BoundedAssignment | None = None
    path: list[float] = []
    n_before, thorough = 0, reached is not None
    if reached is not None:
        assignment = BoundedAssignment(reached.labels, reached.prices, np.inf, False)
        path, n_before = reached.path.tolist(), reached.n_iter

    def assign() -> tuple[BoundedAssignment, np.ndarray]:
        """The assignment to the centers, and the means of its clusters."""
        points.costs(centers, cost)
        prices, labels = (None, None) if assignment is None else (assignment.prices, assignment.labels)
        new = bounds.assign(cost, prices, labels, thorough)
        inertia, means = points.step(new.labels, centers)
        if assignment is not None and inertia > path[-1]:  # by rounding
            new = new._replace(labels=assignment.labels)
            inertia, means = points.step(new.labels, centers)
        path.append(inertia)
        return new, means

    for n_iter in range(1, max_iter + 1):
        before, (assignment, means) = assignment, assign()
        is_same = before is not None and bool((assignment.labels == before.labels).all())
        if is_same and (assignment.is_best or thorough or reached is None):
            return SizedRun(assignment.labels, centers, assignment.prices, np.array(path), n_before + n_iter)
        thorough = is_same
        step, centers = ((means - centers) ** 2).sum(), means
        if step <= tol * points.variance and not thorough:
            break
    thorough = reached is not None
    assignment, _ = assign()
    return SizedRun(assignment.labels, centers, assignment.prices, np.array(path), n_before + n_iter)
