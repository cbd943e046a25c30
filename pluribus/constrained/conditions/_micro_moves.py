"""Micro-clusters assigned to clusters, in parts if need be.

In place of labels there is a table of numbers: how many rows of each group are in each cluster. Nothing but the last
step, and clusters that were left empty, looks at single rows.
"""

import numpy as np

from pluribus.constrained.conditions._aggregate_descent import Descent, MeanPoints
from pluribus.constrained.conditions._count_classes import CountClass, Pivots
from pluribus.constrained.conditions._micro_clusters import MicroClusters
from pluribus.partitions._internal import split_weights


class MicroPoints:
    """Micro-clusters as what is assigned to clusters, in parts if need be; the mean of all rows is 0."""

    def __init__(self, micro: MicroClusters, whole: MeanPoints) -> None:
        self.micro, self.whole = micro, whole
        self.rows, self.weights = micro.means, micro.sizes

    def costs(self, centers: np.ndarray, out: np.ndarray) -> None:
        """Squared distances of the groups to the means, up to what is the same for all clusters."""
        np.matmul(self.rows, (-2 * centers.T).astype(out.dtype), out=out)
        out += (centers**2).sum(axis=1).astype(out.dtype)

    def settled(self, numbers: np.ndarray, centers: np.ndarray) -> tuple[float, np.ndarray]:
        """The dispersion of the rows around the means of the clusters, and these."""
        means = (numbers.T @ self.rows.astype(np.float64)) / numbers.sum(axis=0)[:, None]
        groups, clusters = np.nonzero(numbers)
        away = self.rows[groups] - means[clusters]
        return float(numbers[groups, clusters] @ np.einsum("ij,ij->i", away, away)) + self.micro.spread, means

    def valid(self, numbers: np.ndarray) -> np.ndarray | None:
        """The numbers, mended where a cluster is empty."""
        if numbers.any(axis=0).all():
            return numbers
        labels = self.whole.valid(self.micro.labels(numbers))
        return None if labels is None else self.micro.numbers(labels, numbers.shape[1])


class MicroFlow:
    """The cheapest numbers that satisfy the conditions, exactly."""

    def __init__(self, micro: MicroClusters, classes: list[CountClass]) -> None:
        self.micro, self.classes = micro, classes
        self._prices: list[np.ndarray | None] = [None] * len(classes)

    def __call__(self, cost: np.ndarray, numbers: np.ndarray | None) -> np.ndarray:
        """The cheapest numbers."""
        found = _nearest(self.micro, cost)
        c = cost.shape[1]
        for at, of in enumerate(self.classes):
            groups = np.flatnonzero(self.micro.kind == at + 1)
            bounds = np.full(c, float(of.low)), np.full(c, float(of.high))
            pieces = split_weights(cost[groups], self.micro.sizes[groups], *bounds, self._prices[at])
            self._prices[at] = pieces.prices
            found[groups] = 0
            found[groups[pieces.owner], pieces.labels] = np.rint(pieces.amounts).astype(np.int64)
        return found


class MicroPivots:
    """The source's way: rows that count move from group to group as far as their clusters can spare them."""

    def __init__(self, micro: MicroClusters, pivots: Pivots) -> None:
        self.micro, self.pivots = micro, pivots

    def __call__(self, cost: np.ndarray, numbers: np.ndarray | None) -> np.ndarray:
        """Numbers after pivot movement; without numbers, those of the flow."""
        if numbers is None:
            return MicroFlow(self.micro, self.pivots.classes)(cost, None)
        found = _nearest(self.micro, cost)
        c = cost.shape[1]
        for at, of in enumerate(self.pivots.classes):
            groups = np.flatnonzero(self.micro.kind == at + 1)
            place, own = np.nonzero(numbers[groups])
            each = np.repeat(np.arange(len(place)), numbers[groups][place, own])  # the cell of each row
            some = cost[groups]
            gains, labels = some[place, own] - some.min(axis=1)[place], own[each]
            self.pivots.move(gains[each], some.argmin(axis=1)[place][each], labels, of.low, c)
            cells = np.bincount(place[each] * c + labels, minlength=len(groups) * c)
            found[groups] = cells.reshape(-1, c)
        return found


def _nearest(micro: MicroClusters, cost: np.ndarray) -> np.ndarray:
    """All rows of a group at its nearest center."""
    found: np.ndarray = np.zeros(cost.shape, np.int64)
    found[np.arange(len(cost)), cost.argmin(axis=1)] = micro.sizes
    return found


def identified(points: MicroPoints, found: Descent) -> Descent:
    """The rows behind a result on micro-clusters: each cluster keeps its numbers, and gets the nearest rows."""
    labels = points.micro.identities(points.whole.rows, found.found, found.centers)
    value, centers = points.whole.settled(labels, found.centers)
    path = np.r_[found.path, value] if value < found.path[-1] else found.path  # it rises by rounding only
    return Descent(labels, centers, path, found.n_iter)
