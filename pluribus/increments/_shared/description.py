"""The description length of a partition by dissimilarity increments (G-DID).

-log f(P) + ½ k log n, where f is the likelihood of the growth increments of each cluster's spanning tree under the
cluster's own distribution, in units of the diameter of the data. The unit matters: partitions with more clusters have
fewer increments, and in units of the diameter the edges between clusters cost as much as under a uniform distribution.
Increments along nearest neighbors can take the place of those along the tree; they do not see gaps between groups.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from pluribus._kernels.points.increment_density import log_likelihood
from pluribus.increments._shared.dissimilarities import Dissimilarities, Kind
from pluribus.increments._shared.errors import DegenerateIncrementsError

Model = Literal["did", "exponential"]
FLOOR = 1e-3  # of the mean increment of all objects: the least mean of a cluster


@dataclass(frozen=True)
class Unit:
    """What the clusters of any partition of the same objects are measured by."""

    diameter: float
    floor: float  # the least mean increment
    n: int

    @classmethod
    def of(cls, objects: Dissimilarities, increments: Kind = "tree") -> "Unit":
        """The unit of some objects; raises if they are all equal, or on a lattice."""
        diameter = objects.diameter()
        if diameter == 0:
            raise DegenerateIncrementsError(
                "All objects are equal, so that no partition describes them better than another."
            )
        mean = float(objects.increments(increments).mean())
        if mean == 0:
            raise DegenerateIncrementsError(
                "All increments are 0, as for objects on a regular lattice: neighbors are equally far apart everywhere."
            )
        return cls(diameter, FLOOR * mean, objects.n)

    def mean(self, increments: np.ndarray) -> float:
        """The mean increment of a cluster, at least the floor."""
        return max(float(increments.mean()), self.floor)

    def cost(self, increments: np.ndarray, model: Model = "did") -> float:
        """The negative log-likelihood of the increments of one cluster, in nats; 0 if it has none."""
        if len(increments) == 0:
            return 0.0
        scaled = increments / self.diameter
        return -float(log_likelihood(scaled, self.mean(increments) / self.diameter, model == "exponential"))

    def penalty(self) -> float:
        """½ log n, the cost of the parameter of a cluster."""
        return 0.5 * float(np.log(self.n))


@dataclass(frozen=True)
class Description:
    """What each cluster adds to the description length."""

    sizes: np.ndarray
    means: np.ndarray  # nan for clusters of one or two objects, which have no increments
    costs: np.ndarray
    penalty: float  # of each cluster

    @property
    def length(self) -> float:
        """The description length, in nats."""
        return float(self.costs.sum() + len(self.sizes) * self.penalty)


def describe(
    objects: Dissimilarities,
    codes: np.ndarray,
    model: Model = "did",
    penalty: float = 1.0,
    unit: Unit | None = None,
    *,
    increments: Kind = "tree",
) -> Description:
    """The description of a partition with clusters 0 … k - 1. ``unit`` is that of the objects, if it is known."""
    unit = Unit.of(objects, increments) if unit is None else unit
    sizes = np.bincount(codes)
    means, costs = np.full(len(sizes), np.nan), np.zeros(len(sizes))
    for cluster, members in enumerate(np.split(np.argsort(codes, kind="stable"), np.cumsum(sizes)[:-1])):
        if len(members) >= 3:
            own = objects.take(members).increments(increments)
            means[cluster], costs[cluster] = unit.mean(own), unit.cost(own, model)
    return Description(sizes, means, costs, penalty * unit.penalty())
