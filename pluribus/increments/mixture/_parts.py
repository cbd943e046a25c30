"""Clusters and their increments, and the increments of two clusters together.

Most pairs of clusters are so far apart that their union has no increments but those of both and of the bridge between
them. Only where clusters are near are the increments of a union computed from its objects.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from pluribus._kernels.points.increment_density import log_likelihood
from pluribus._kernels.points.two_nearest import increments_of
from pluribus.increments._shared.description import Model, Unit
from pluribus.increments._shared.dissimilarities import Dissimilarities
from pluribus.increments._shared.errors import DegenerateIncrementsError

_FLOOR = 1e-9  # of the median distance to the nearest neighbor: the least mean of nearest-neighbor increments


@dataclass(frozen=True)
class Part:
    """A cluster: its objects in order, and what its increments say."""

    members: np.ndarray
    nearest: np.ndarray  # the distance of each member to the nearest other one; inf if there is none
    reach: float  # objects farther than this change no increments
    increments: np.ndarray
    mean: float  # nan without increments
    log_likelihood: float  # 0 without increments

    def __len__(self) -> int:
        return len(self.members)

    def nearest_to(self, member: int) -> float:
        """The distance of a member to the nearest other one."""
        return float(self.nearest[np.searchsorted(self.members, member)])

    def gap(self, member: int, distance: float) -> float:
        """How much farther another object is from a member than its nearest fellow, in mean increments."""
        return abs(distance - self.nearest_to(member)) / self.mean


@dataclass(frozen=True)
class Link:
    """The closest objects of two parts, and their distance."""

    distance: float
    first: int
    second: int


class Increments(ABC):
    """One of the two kinds of increments."""

    def __init__(self, objects: Dissimilarities, model: Model) -> None:
        self.objects, self.model = objects, model

    @abstractmethod
    def part(self, members: np.ndarray) -> Part:
        """A cluster of these objects, which are in order."""

    @abstractmethod
    def mean(self, increments: np.ndarray) -> float:
        """The mean, at least the floor."""

    @abstractmethod
    def log_likelihood(self, increments: np.ndarray) -> float:
        """Of increments under the distribution that has their mean."""

    @abstractmethod
    def bridged(self, one: Part, other: Part, link: Link) -> np.ndarray | None:
        """The increments of the union of two parts that are far apart; None if they are near."""

    def of_union(self, one: Part, other: Part, link: Link) -> np.ndarray:
        """The increments of the union of two parts."""
        increments = self.bridged(one, other, link)
        return self.part(united(one, other)).increments if increments is None else increments

    def _part(self, members: np.ndarray, nearest: np.ndarray, reach: float, increments: np.ndarray) -> Part:
        if len(increments) == 0:
            return Part(members, nearest, reach, increments, np.nan, 0.0)
        return Part(members, nearest, reach, increments, self.mean(increments), self.log_likelihood(increments))


class TreeIncrements(Increments):
    """Growth increments of spanning trees, in units of the diameter of the data."""

    def __init__(self, objects: Dissimilarities, model: Model, unit: Unit) -> None:
        super().__init__(objects, model)
        self.unit = unit

    def part(self, members: np.ndarray) -> Part:
        tree = self.objects.take(members).tree()
        nearest = np.full(len(members), np.inf)
        np.minimum.at(nearest, tree.first, tree.length)
        np.minimum.at(nearest, tree.second, tree.length)
        return self._part(members, nearest, tree.length.max(initial=0.0), tree.increments())

    def mean(self, increments: np.ndarray) -> float:
        return self.unit.mean(increments)

    def log_likelihood(self, increments: np.ndarray) -> float:
        return -self.unit.cost(increments, self.model)

    def bridged(self, one: Part, other: Part, link: Link) -> np.ndarray | None:
        """If no edge is longer than the shortest link, the tree of the union is both trees and this link."""
        if link.distance < max(one.reach, other.reach):
            return None
        ends = [(one, link.first), (other, link.second)]
        steps = [link.distance - part.nearest_to(end) for part, end in ends if len(part) > 1]
        return np.concatenate([one.increments, other.increments, steps])


class NearestIncrements(Increments):
    """Increments of nearest neighbors, of clusters of three objects or more."""

    def __init__(self, objects: Dissimilarities, model: Model) -> None:
        super().__init__(objects, model)
        distances = objects.two_nearest().distances[:, 0]
        distances = distances[distances > 0]
        if len(distances) == 0:
            raise DegenerateIncrementsError("Every object has a duplicate, so that all distances to neighbors are 0.")
        self.floor = _FLOOR * float(np.median(distances))

    def part(self, members: np.ndarray) -> Part:
        if len(members) < 3:
            nearest = np.full(len(members), np.inf)
            if len(members) == 2:
                nearest[:] = self.objects.between(members[:1], members[1:])[0, 0]
            return self._part(members, nearest, np.inf, np.empty(0))
        near = self.objects.take(members).two_nearest()
        increments = np.empty(len(members))
        increments_of(*near, np.empty((len(members), 3), dtype=np.int64), increments)
        return self._part(members, near.distances[:, 0], near.distances[:, 1].max(), increments)

    def mean(self, increments: np.ndarray) -> float:
        return max(float(increments.mean()), self.floor)

    def log_likelihood(self, increments: np.ndarray) -> float:
        return float(log_likelihood(increments, self.mean(increments), self.model == "exponential"))

    def bridged(self, one: Part, other: Part, link: Link) -> np.ndarray | None:
        """If no object has one of its two nearest in the other part, the union has the increments of both."""
        if link.distance <= max(one.reach, other.reach):
            return None
        return np.concatenate([one.increments, other.increments])


def united(one: Part, other: Part) -> np.ndarray:
    """The objects of both parts, in order."""
    return np.sort(np.concatenate([one.members, other.members]))
