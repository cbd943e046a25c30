"""k-means with pairs: assign, take means, repeat, until nothing changes."""

from typing import NamedTuple

import numpy as np

from pluribus.constrained._shared.pair_network import Costs, PairNetwork
from pluribus.constrained._shared.points import Points


class Problem(NamedTuple):
    """What is the same for all starts."""

    points: Points
    network: PairNetwork
    costs: Costs  # of the pairs of the network
    free: np.ndarray  # (L,) the weights, zero for what the network holds
    witness: np.ndarray | None  # (m,) clusters of the held chunklets that break no hard constraint
    barred: np.ndarray | None  # (m, k) infinite where a held chunklet must not be, zero elsewhere

    @classmethod
    def of(
        cls,
        points: Points,
        network: PairNetwork,
        costs: Costs,
        witness: np.ndarray | None,
        barred: np.ndarray | None = None,
    ) -> "Problem":
        """The problem of clustering these points with this network."""
        free = points.weights.copy()
        free[network.held] = 0
        return cls(points, network, costs, free, None if witness is None else witness[network.held], barred)

    def unary(self, centers: np.ndarray) -> np.ndarray:
        """What each held chunklet costs in each cluster."""
        distances = self.points.half_distances(centers, self.network.held)
        return distances if self.barred is None else distances + self.barred


class Descent(NamedTuple):
    """Where a start led to."""

    labels: np.ndarray  # (L,)
    centers: np.ndarray  # (k, d), with the shift of the points subtracted
    path: np.ndarray  # the objective after each assignment
    n_iter: int


def descend(problem: Problem, centers: np.ndarray, max_iter: int, tol: float, seed: int) -> Descent:
    """Lower half the squared distances plus the costs of pairs, from these centers to where nothing changes.

    It stops as scikit-learn's KMeans does: when no label changes, or when the centers move less than `tol`, relative to
    the variance of the data. The labels are those for the final centers.
    """
    points = problem.points
    random = np.random.RandomState(seed)
    labels: np.ndarray | None = None
    path: list[float] = []
    for n_iter in range(1, max_iter + 1):
        before, (labels, value) = labels, _assign(problem, centers, labels, random)
        path.append(value)
        if before is not None and (labels == before).all():
            return Descent(labels, centers, np.array(path), n_iter)
        moved = points.means(labels, centers, problem.free)[0]
        step, centers = ((moved - centers) ** 2).sum(), moved
        if step <= tol * points.variance:
            break
    labels, value = _assign(problem, centers, labels, random)
    return Descent(labels, centers, np.array([*path, value]), n_iter)


def _assign(
    problem: Problem, centers: np.ndarray, previous: np.ndarray | None, random: np.random.RandomState
) -> tuple[np.ndarray, float]:
    """The labels, and the objective."""
    points, network = problem.points, problem.network
    labels, value = points.nearest(centers, problem.free)
    value += 0.5 * points.spread
    if len(network.held):
        unary = problem.unary(centers)
        old = None if previous is None else previous[network.held]
        held = network.assign(unary, problem.costs, previous=old, witness=problem.witness, random=random)
        value += network.cost(unary, problem.costs, held)
        labels[network.held] = held
    return labels, value
