"""k-means with bounds on sizes: assign within them, take means, repeat, until nothing changes."""

from typing import NamedTuple, Protocol

import numpy as np

from pluribus.constrained._shared.sized_points import SizedPoints
from pluribus.constrained.sizes._sized_assignment import Found
from pluribus.partitions import assign_sizes
from pluribus.partitions._internal import assign_weights


class Assigns(Protocol):
    """What assigns points within bounds."""

    def assign(
        self, cost: np.ndarray, prices: np.ndarray | None, previous: np.ndarray | None, thorough: bool = False
    ) -> Found:
        """The cheapest assignment found, never dearer than the previous one."""


class SizedObjects:
    """Objects in clusters of bounded size: the assignment is exact."""

    def __init__(self, lower: np.ndarray, upper: np.ndarray) -> None:
        self.lower, self.upper = lower, upper

    def assign(
        self, cost: np.ndarray, prices: np.ndarray | None, previous: np.ndarray | None, thorough: bool = False
    ) -> Found:
        """The cheapest assignment."""
        found = assign_sizes(cost, self.lower, self.upper, prices=prices)
        return Found(found.labels, found.prices, found.cost, True)


class WeighedObjects:
    """Objects in clusters of bounded weight: the assignment is rounded."""

    def __init__(self, lower: np.ndarray, upper: np.ndarray, weight: np.ndarray) -> None:
        self.lower, self.upper, self.weight = lower, upper, weight

    def assign(
        self, cost: np.ndarray, prices: np.ndarray | None, previous: np.ndarray | None, thorough: bool = False
    ) -> Found:
        """A cheap assignment."""
        found = assign_weights(cost, self.weight, self.lower, self.upper, prices=prices)
        return Found(found.labels, found.prices, found.cost, True)


class SizedDescent(NamedTuple):
    """Where a start led to."""

    labels: np.ndarray  # (L,)
    centers: np.ndarray  # (k, d), with the shift of the points subtracted
    prices: np.ndarray  # (k,)
    path: np.ndarray  # the inertia after each assignment
    n_iter: int


def descend_within(
    points: SizedPoints,
    sizes: Assigns,
    centers: np.ndarray,
    max_iter: int,
    tol: float,
    reached: SizedDescent | None = None,
) -> SizedDescent:
    """Lower the inertia from these centers to where nothing changes; it never rises.

    It stops as scikit-learn's KMeans does: when no label changes, or when the centers move less than `tol`, relative to
    the variance of the data. The labels are those for the final centers. From what was `reached` before it goes on with
    a thorough search wherever no label changes.
    """
    cost = np.empty((len(points.weights), len(centers)), points.rows.dtype)
    found: Found | None = None
    path: list[float] = []
    n_before, thorough = 0, reached is not None
    if reached is not None:
        found = Found(reached.labels, reached.prices, np.inf, False)
        path, n_before = reached.path.tolist(), reached.n_iter

    def assigned() -> tuple[Found, np.ndarray]:
        points.costs(centers, cost)
        prices, labels = (None, None) if found is None else (found.prices, found.labels)
        new = sizes.assign(cost, prices, labels, thorough)
        value, means = points.step(new.labels, centers)
        if found is not None and value > path[-1]:  # by rounding
            new = new._replace(labels=found.labels)
            value, means = points.step(new.labels, centers)
        path.append(value)
        return new, means

    for n_iter in range(1, max_iter + 1):
        before, (found, means) = found, assigned()
        stays = before is not None and bool((found.labels == before.labels).all())
        if stays and (found.is_best or thorough or reached is None):
            return SizedDescent(found.labels, centers, found.prices, np.array(path), n_before + n_iter)
        thorough = stays
        step, centers = ((means - centers) ** 2).sum(), means
        if step <= tol * points.variance and not thorough:
            break
    thorough = reached is not None
    found, _ = assigned()
    return SizedDescent(found.labels, centers, found.prices, np.array(path), n_before + n_iter)
