"""Representatives of clusters other than means: the point, or the row, with the least sum of distances."""

from typing import Any

import numpy as np
import sklearn

from pluribus.constrained.conditions._aggregate_points import RowPoints
from pluribus.constrained.conditions._requirements import Requirements

_PASSES = 100
_STILL = 1e-9  # relative to the sum of distances


class DistancePoints(RowPoints):
    """Rows that cost their plain distance to the representative of their cluster; the mean of all rows is 0."""

    def __init__(self, X: np.ndarray, requirements: Requirements, n_clusters: int, representative: str) -> None:
        super().__init__(X, requirements, n_clusters)
        self.representative = representative

    def costs(self, centers: np.ndarray, out: np.ndarray) -> None:
        """Distances of the rows to the representatives."""
        out[:] = sklearn.metrics.pairwise_distances(self.rows, centers.astype(self.rows.dtype))

    def update(self, labels: np.ndarray, centers: np.ndarray) -> tuple[float, np.ndarray]:
        """The sum of distances to the best representatives, and these."""
        centers = centers.copy()
        total = 0.0
        for h in range(len(centers)):
            members = self.rows[labels == h].astype(np.float64)
            if len(members):
                centers[h], value = self._best(members)
                total += value
        return total, centers

    def _best(self, members: np.ndarray) -> tuple[np.ndarray, float]:
        if self.representative == "median":
            return geometric_median(members)
        sums = sklearn.metrics.pairwise_distances_chunked(members, reduce_func=_sums)
        each = np.concatenate(list(sums))
        return members[each.argmin()], float(each.min())


def geometric_median(members: np.ndarray) -> tuple[np.ndarray, float]:
    """The point with the least sum of distances, by Weiszfeld's iteration as corrected by Vardi and Zhang."""
    point = members.mean(axis=0)
    value = np.inf
    for _ in range(_PASSES):
        distances = np.linalg.norm(members - point, axis=1)
        if distances.sum() >= value * (1 - _STILL):
            break
        value, best = float(distances.sum()), point
        apart = distances > 1e-12 * max(value / len(members), np.finfo(float).tiny)
        if not apart.any():
            break
        weights = 1 / distances[apart]
        target = weights @ members[apart] / weights.sum()
        pull = np.linalg.norm((target - point) * weights.sum())
        stay = min(1.0, (~apart).sum() / pull) if pull > 0 else 1.0
        point = (1 - stay) * target + stay * point
    return best, value


def _sums(block: np.ndarray, start: int) -> Any:
    return block.sum(axis=1)
