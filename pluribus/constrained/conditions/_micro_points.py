"""Micro-clusters assigned to clusters, in parts if necessary.

Instead of labels there is a table of numbers: how many rows of each group are in each cluster. Single rows matter only
in the last step, and where a cluster would be empty.
"""

import numpy as np

from pluribus.constrained.conditions._aggregate_points import AggregateRun, MeanPoints, Points
from pluribus.constrained.conditions._count_classes import CountClass, Pivots
from pluribus.constrained.conditions._micro_clusters import MicroClusters
from pluribus.partitions._internal import split_weights


class MicroPoints(Points):
    """Micro-clusters as the points that are assigned to clusters; the mean of all rows is 0."""

    def __init__(self, micro: MicroClusters, whole: MeanPoints) -> None:
        self.micro, self.whole = micro, whole
        self.rows, self.weights = micro.means, micro.sizes

    def costs(self, centers: np.ndarray, out: np.ndarray) -> None:
        """Squared distances of the groups to the means, up to a constant of the group."""
        np.matmul(self.rows, (-2 * centers.T).astype(out.dtype), out=out)
        out += (centers**2).sum(axis=1).astype(out.dtype)

    def update(self, numbers: np.ndarray, centers: np.ndarray) -> tuple[float, np.ndarray]:
        """The dispersion of the rows around the means of the clusters, and these."""
        means = (numbers.T @ self.rows.astype(np.float64)) / numbers.sum(axis=0)[:, None]
        groups, clusters = np.nonzero(numbers)
        away = self.rows[groups] - means[clusters]
        return float(numbers[groups, clusters] @ np.einsum("ij,ij->i", away, away)) + self.micro.spread, means

    def repair(self, numbers: np.ndarray) -> np.ndarray | None:
        """The numbers, repaired if a cluster is empty; None if this fails."""
        if numbers.any(axis=0).all():
            return numbers
        labels = self.whole.repair(self.micro.labels(numbers))
        return None if labels is None else self.encode(labels)

    def encode(self, labels: np.ndarray) -> np.ndarray:
        """Labels of rows as numbers of rows."""
        return self.micro.numbers(labels, self.whole.n_clusters)

    def decode(self, run: AggregateRun) -> AggregateRun:
        """The run with labels of rows: each cluster keeps its numbers, and gets the nearest rows."""
        labels = self.micro.identities(self.whole.rows, run.labels, run.centers)
        value, centers = self.whole.update(labels, run.centers)
        path = np.r_[run.path, value] if value < run.path[-1] else run.path  # it rises by rounding only
        return AggregateRun(labels, centers, path, run.n_iter)


class MicroFlow:
    """The cheapest numbers that satisfy the conditions, exactly."""

    def __init__(self, micro: MicroClusters, classes: list[CountClass]) -> None:
        self.micro, self.classes = micro, classes
        self._prices: list[np.ndarray | None] = [None] * len(classes)

    def __call__(self, cost: np.ndarray, numbers: np.ndarray | None) -> np.ndarray:
        """The cheapest numbers."""
        assigned = _nearest(self.micro, cost)
        c = cost.shape[1]
        for at, counted in enumerate(self.classes):
            groups = np.flatnonzero(self.micro.kind == at + 1)
            bounds = np.full(c, float(counted.low)), np.full(c, float(counted.high))
            pieces = split_weights(cost[groups], self.micro.sizes[groups], *bounds, self._prices[at])
            self._prices[at] = pieces.prices
            assigned[groups] = 0
            assigned[groups[pieces.owner], pieces.labels] = np.rint(pieces.amounts).astype(np.int64)
        return assigned


class MicroPivots:
    """Pivot movement, as in the source: rows that count move to nearer centers if their cluster can spare them."""

    def __init__(self, micro: MicroClusters, pivots: Pivots) -> None:
        self.micro, self.pivots = micro, pivots

    def __call__(self, cost: np.ndarray, numbers: np.ndarray | None) -> np.ndarray:
        """Numbers after pivot movement; without numbers, those of the flow."""
        if numbers is None:
            return MicroFlow(self.micro, self.pivots.classes)(cost, None)
        assigned = _nearest(self.micro, cost)
        c = cost.shape[1]
        for at, counted in enumerate(self.pivots.classes):
            groups = np.flatnonzero(self.micro.kind == at + 1)
            place, own = np.nonzero(numbers[groups])
            each = np.repeat(np.arange(len(place)), numbers[groups][place, own])  # the cell of each row
            some = cost[groups]
            gains, labels = some[place, own] - some.min(axis=1)[place], own[each]
            self.pivots.move(gains[each], some.argmin(axis=1)[place][each], labels, counted.low, c)
            cells = np.bincount(place[each] * c + labels, minlength=len(groups) * c)
            assigned[groups] = cells.reshape(-1, c)
        return assigned


def _nearest(micro: MicroClusters, cost: np.ndarray) -> np.ndarray:
    """All rows of a group at its nearest center."""
    numbers: np.ndarray = np.zeros(cost.shape, np.int64)
    numbers[np.arange(len(cost)), cost.argmin(axis=1)] = micro.sizes
    return numbers
