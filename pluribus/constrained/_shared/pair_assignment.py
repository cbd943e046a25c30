"""The assignment step and the update step of k-means with pairs."""

from typing import NamedTuple

import numpy as np

from pluribus.constrained._shared.pair_network import Costs, PairNetwork
from pluribus.constrained._shared.points import Points
from pluribus.constraints import Closure


class PairAssignment(NamedTuple):
    """Points to assign to centers: the nodes of a network of pairs jointly, the others to their nearest center."""

    points: Points
    network: PairNetwork
    costs: Costs  # of the pairs of the network
    free_weights: np.ndarray  # (L,) the weights, zero for the nodes of the network
    witness: np.ndarray | None  # (m,) clusters of the nodes that break no hard constraint
    barred: np.ndarray | None  # (m, k) infinite where a node must not be, zero elsewhere

    @classmethod
    def of(
        cls,
        points: Points,
        network: PairNetwork,
        costs: Costs,
        closure: Closure,
        witness: np.ndarray | None,
        barred: np.ndarray | None = None,
    ) -> "PairAssignment":
        """The points of a closure; the witness is a cluster for each object that breaks no hard constraint."""
        free_weights = points.weights.copy()
        free_weights[network.nodes] = 0
        of_nodes = None if witness is None else witness[closure.representatives][network.nodes]
        return cls(points, network, costs, free_weights, of_nodes, barred)

    def cheapest(
        self, centers: np.ndarray, before: np.ndarray | None, random: np.random.RandomState
    ) -> tuple[np.ndarray, float]:
        """Labels that minimize half the squared distances plus the costs of pairs, and this sum.

        It is never more than for the labels before. The random state is for dead ends of hard pairs.
        """
        labels, value = self.points.nearest(centers, self.free_weights)
        value += 0.5 * self.points.spread
        nodes = self.network.nodes
        if len(nodes):
            distances = self.points.half_distances(centers, nodes)
            if self.barred is not None:
                distances = distances + self.barred
            previous = None if before is None else before[nodes]
            of_nodes = self.network.assign(
                distances, self.costs, previous=previous, witness=self.witness, random=random
            )
            value += self.network.cost(distances, self.costs, of_nodes)
            labels[nodes] = of_nodes
        return labels, value

    def means(self, labels: np.ndarray, centers: np.ndarray) -> np.ndarray:
        """The mean of each cluster; an empty one gets the point that is farthest from its center."""
        return self.points.means(labels, centers, self.free_weights)[0]

    def penalty(self, labels: np.ndarray) -> float:
        """What the pairs cost."""
        return self.network.penalty(self.costs, labels[self.network.nodes])
