"""Points that may stay outside of all clusters, at a fixed cost."""

from typing import Any

import numpy as np


class NoisePoints:
    """Points with one column more than clusters: the last one, without a center, costs the same for every point.

    The centers have a last row of zeros, which stands for that column.
    """

    def __init__(self, points: Any, outlier_cost: float) -> None:
        self.points, self.outlier_cost = points, outlier_cost
        self.rows, self.weights, self.shift, self.variance = points.rows, points.weights, points.shift, points.variance
        self.uncounted = points.uncounted()

    def costs(self, centers: np.ndarray, out: np.ndarray) -> None:
        """The costs of the points, then the cost of an outlier."""
        to_centers = np.empty((len(out), len(centers) - 1), out.dtype)
        self.points.costs(centers[:-1], to_centers)
        out[:, :-1] = to_centers
        out[:, -1] = self.outlier_cost * self.points.cost_weights(np.float64) - self.uncounted

    def step(self, labels: np.ndarray, centers: np.ndarray) -> tuple[float, np.ndarray]:
        """The cost of all points, and the centers of those that are in a cluster."""
        outside = labels == len(centers) - 1
        value, moved = self.points.leaving_out(outside).step(np.where(outside, 0, labels), centers[:-1])
        return value + self.outlier_cost * float(self.weights[outside].sum()), np.vstack([moved, centers[-1:]])
