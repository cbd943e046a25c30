"""Assignment by moves that each lower the cost: of single points, and along cycles of clusters."""

import numpy as np
from scipy.sparse.csgraph import shortest_path

from pluribus._kernels.assignment.single_moves import move_singly
from pluribus.constrained.sizes._sized_assignment import Found

_STRICTLY = 1e-12  # relative: what is nearer by less is not nearer


class CycleMoves:
    """Points in clusters with at least so many: moved singly where that is allowed, then in turn along cycles."""

    def __init__(self, lower: np.ndarray) -> None:
        self.lower = lower

    def assign(
        self, cost: np.ndarray, prices: np.ndarray | None, previous: np.ndarray | None, thorough: bool = False
    ) -> Found:
        """Labels from which no single move and no cycle of moves, each a gain by itself, leads on."""
        assert previous is not None
        labels = self._moved_singly(cost, previous)
        n_better = self._numbers_better(cost, labels)
        while (cycle := _shortest_cycle(n_better > 0)) is not None:
            labels = _moved_along(cycle, n_better, cost, labels)
            n_better = self._numbers_better(cost, labels)
        own = np.take_along_axis(cost, labels[:, None], axis=1)
        return Found(labels, np.zeros(len(self.lower)), float(own.sum(dtype=np.float64)), False)

    def _moved_singly(self, cost: np.ndarray, labels: np.ndarray) -> np.ndarray:
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
    """Nodes of a cycle with the fewest, in order; None if there is no cycle."""
    steps, before = shortest_path(graph, unweighted=True, return_predecessors=True)
    around = np.where(graph, steps.T, np.inf)  # from a to b, and back
    a, b = np.unravel_index(around.argmin(), around.shape)
    if np.isinf(around[a, b]):
        return None
    cycle = [int(a)]
    while cycle[-1] != b:
        cycle.append(int(before[b, cycle[-1]]))
    return np.array(cycle[::-1])  # b … a


def _moved_along(cycle: np.ndarray, n_better: np.ndarray, cost: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """As many points along each arc as the arc with the fewest has, those with the largest gains."""
    arcs = list(zip(cycle, np.roll(cycle, -1), strict=True))
    n_moved = min(n_better[arc] for arc in arcs)
    found = labels.copy()
    for source, target in arcs:
        inside = np.flatnonzero(labels == source)
        gains = cost[inside, source] - cost[inside, target]
        found[inside[np.argsort(-gains, kind="stable")[:n_moved]]] = target
    return found
