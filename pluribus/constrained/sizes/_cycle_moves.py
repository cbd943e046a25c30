"""Assignment by moves that each lower the cost: of single points, and of points along cycles of clusters."""

import numpy as np
from scipy.sparse.csgraph import shortest_path

from pluribus._kernels.assignment.single_moves import move_singly
from pluribus.constrained.sizes._sized_assignment import BoundedAssignment

_STRICTLY = 1e-12  # relative: what is nearer by less is not nearer


class CycleMoves:
    """Move points between clusters of a minimum size: one at a time where this is allowed, then along cycles."""

    def __init__(self, lower: np.ndarray) -> None:
        self.lower = lower

    def assign(
        self, cost: np.ndarray, prices: np.ndarray | None, previous: np.ndarray | None, thorough: bool = False
    ) -> BoundedAssignment:
        """Labels that no single move and no cycle of moves, each of which is a gain by itself, can improve."""
        assert previous is not None
        labels = self._move_singly(cost, previous)
        n_better = self._numbers_better(cost, labels)
        while (cycle := _shortest_cycle(n_better > 0)) is not None:
            labels = _move_along(cycle, n_better, cost, labels)
            n_better = self._numbers_better(cost, labels)
        own = np.take_along_axis(cost, labels[:, None], axis=1)
        return BoundedAssignment(labels, np.zeros(len(self.lower)), float(own.sum(dtype=np.float64)), False)

    def _move_singly(self, cost: np.ndarray, labels: np.ndarray) -> np.ndarray:
        k = len(self.lower)
        gains = np.take_along_axis(cost, labels[:, None], axis=1)[:, 0] - cost.min(axis=1)
        candidates = np.flatnonzero(_nearer(cost, labels).any(axis=1))
        candidates = candidates[np.lexsort((-gains[candidates], labels[candidates]))]
        starts = np.searchsorted(labels[candidates], np.arange(k + 1))
        targets = cost[candidates].argmin(axis=1)
        moved = np.zeros(len(candidates), bool)
        move_singly(gains[candidates], targets, starts, np.bincount(labels, minlength=k), self.lower, moved)
        labels = labels.copy()
        labels[candidates[moved]] = targets[moved]
        return labels

    def _numbers_better(self, cost: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """How many points of each cluster (row) are strictly nearer to each other center (column)."""
        k = len(self.lower)
        rows, columns = np.nonzero(_nearer(cost, labels))
        return np.bincount(labels[rows] * k + columns, minlength=k * k).reshape(k, k)


def _nearer(cost: np.ndarray, labels: np.ndarray) -> np.ndarray:
    own = np.take_along_axis(cost, labels[:, None], axis=1)
    return cost < own - _STRICTLY * np.abs(own)


def _shortest_cycle(graph: np.ndarray) -> np.ndarray | None:
    """The nodes of a shortest cycle, in order; None if there is no cycle."""
    steps, before = shortest_path(graph, unweighted=True, return_predecessors=True)
    around = np.where(graph, steps.T, np.inf)  # from a to b, and back
    a, b = np.unravel_index(around.argmin(), around.shape)
    if np.isinf(around[a, b]):
        return None
    cycle = [int(a)]
    while cycle[-1] != b:
        cycle.append(int(before[b, cycle[-1]]))
    return np.array(cycle[::-1])  # b … a


def _move_along(cycle: np.ndarray, n_better: np.ndarray, cost: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Labels after the same number of points moved along each arc, those with the largest gains.

    The number is that of the arc with the fewest points.
    """
    arcs = list(zip(cycle, np.roll(cycle, -1), strict=True))
    n_moved = min(n_better[arc] for arc in arcs)
    moved = labels.copy()
    for source, target in arcs:
        inside = np.flatnonzero(labels == source)
        gains = cost[inside, source] - cost[inside, target]
        moved[inside[np.argsort(-gains, kind="stable")[:n_moved]]] = target
    return moved
