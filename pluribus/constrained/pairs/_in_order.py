"""The assignment of COP-KMeans as it was published: one object after the other, and no way back."""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils.extmath import row_norms

from pluribus._kernels.assignment.in_order import assign_in_order
from pluribus.constrained._shared.errors import NoFeasibleAssignmentError
from pluribus.constrained._shared.points import Points, dense
from pluribus.constraints import Closure


class VisitInOrder(NamedTuple):
    """Visit the objects row by row: each joins the nearest cluster that breaks no constraint with those before it.

    Must-links bind the other objects of a chunklet to the cluster of the first one, which is chosen by the distance of
    that first object alone.
    """

    points: Points
    closure: Closure
    first: Any  # (L, d) the first object of each chunklet, with the shift of the points subtracted

    @classmethod
    def of(cls, points: Points, closure: Closure, X: Any) -> "VisitInOrder":
        """The chunklets of a closure, which are numbered by their first objects."""
        rows = dense(X[closure.representatives]).astype(np.float64) - points.shift
        return cls(points, closure, rows)

    def assign(
        self, centers: np.ndarray, before: np.ndarray | None, random: np.random.RandomState
    ) -> tuple[np.ndarray, float]:
        """Labels of the chunklets, and half the sum of squared distances of all objects; raises at a dead end."""
        graph = self.closure.cannot_graph
        distances = (centers**2).sum(axis=1) - 2 * self.first @ centers.T + row_norms(self.first, squared=True)[:, None]
        labels = np.empty(len(self.first), np.int64)
        stuck = assign_in_order(distances, graph.indptr, graph.indices, labels)
        if stuck >= 0:
            row = int(self.closure.representatives[stuck])
            raise NoFeasibleAssignmentError(
                f"object {row} cannot join any cluster after the objects before it: a dead end, although an assignment "
                "may exist. Use more starts (n_init), another order of the rows, or assignment='joint'."
            )
        costs = self.points.half_distances(centers, np.arange(len(labels)))
        return labels, float(costs[np.arange(len(labels)), labels].sum()) + 0.5 * self.points.spread

    def means(self, labels: np.ndarray, centers: np.ndarray) -> np.ndarray:
        """The mean of each cluster; an empty one keeps its center."""
        rows, weights = self.points.rows, self.points.weights
        indicator = sparse.csr_array((weights, labels, np.arange(len(labels) + 1)), shape=(len(labels), len(centers)))
        sums, totals = dense(indicator.T @ rows), np.bincount(labels, weights, minlength=len(centers))[:, None]
        return np.where(totals > 0, sums / np.where(totals > 0, totals, 1), centers)
