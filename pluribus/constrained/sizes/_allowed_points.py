"""Points that may be in some of the clusters only."""

from typing import Any

import numpy as np


class AllowedPoints:
    """Points with a cost, in each cluster in which they may not be, that no assignment pays if there is another one.

    Parameters
    ----------
    points : SizedPoints or MedianPoints
    may : ndarray of shape (L, k)
        Whether a point may be in a cluster.
    """

    def __init__(self, points: Any, may: np.ndarray) -> None:
        self.points, self.barred = points, ~may
        self.rows, self.weights, self.shift, self.variance = points.rows, points.weights, points.shift, points.variance

    def costs(self, centers: np.ndarray, out: np.ndarray) -> None:
        """The costs of the points, and far more where they are barred."""
        self.points.costs(centers, out)
        # More than all that a cycle through the clusters can gain, so that it never pays.
        out[self.barred] = out.max() + 2 * out.shape[1] * (np.ptp(out) + 1)

    def step(self, labels: np.ndarray, centers: np.ndarray) -> tuple[float, np.ndarray]:
        """The cost of all points, and the centers."""
        return self.points.step(labels, centers)
