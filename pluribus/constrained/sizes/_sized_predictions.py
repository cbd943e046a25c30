"""The clusters of new rows, where clusters have bounded sizes."""

from typing import Any

import numpy as np
from sklearn.metrics import pairwise_distances_argmin_min
from sklearn.utils.validation import _num_samples, check_array

from pluribus.constrained._shared.base import Given, checked_weights
from pluribus.constrained.sizes._noise_points import NoisePoints
from pluribus.constraints import Constraints
from pluribus.partitions import assign_sizes
from pluribus.partitions._internal import assign_weights


class SizedPredictions:
    """``predict`` and ``score`` of ``SizeConstrainedKMeans``."""

    n_clusters: int
    metric: str
    outlier_cost: float | None
    cluster_centers_: np.ndarray
    prices_: np.ndarray
    _is_weighed: bool
    _check_new: Any
    _points: Any
    _counted_bounds: Any
    _weighed_bounds: Any

    def predict(
        self, X: Any, *, use_prices: bool = False, enforce_sizes: bool = False, size_weight: Any = None
    ) -> np.ndarray:
        """The cluster of new rows.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (m, d)
        use_prices : bool, default=False
            By squared distance minus price, as rows like those of ``fit`` were assigned, rather than the nearest
            center: the sizes are then about as they were.
        enforce_sizes : bool, default=False
            Assign the new rows within the bounds: shares refer to the new rows, numbers stay as they are.
        size_weight : array of shape (m,), optional
            How much each row counts in the sizes: for both of these, if it was given to ``fit``.
        """
        if not use_prices and not enforce_sizes:
            if size_weight is not None:
                raise ValueError("size_weight is for use_prices or enforce_sizes: set one to True, or leave it out.")
            return self._nearest(self._check_new(X))[0]
        X = self._check_new(X)
        if use_prices and enforce_sizes:
            raise ValueError("use_prices=True and enforce_sizes=True are two ways to assign new rows: choose one.")
        if (size_weight is not None) != self._is_weighed:
            if self._is_weighed:
                raise ValueError("fit had a size_weight: give the size_weight of the new rows too.")
            raise ValueError("fit had no size_weight: leave it out here too.")
        cost = self._new_costs(X)
        mass = None if size_weight is None else check_size_weight(size_weight, X)
        if not enforce_sizes:
            prices = np.append(self.prices_, 0.0)[: cost.shape[1]]  # an outlier has none
            labels = (cost - prices * (1.0 if mass is None else mass[:, None])).argmin(axis=1)
        elif mass is None:
            labels = assign_sizes(cost, *self._counted_bounds(X.shape[0])).labels
        else:
            labels = assign_weights(cost, mass, *self._weighed_bounds(mass)).labels
        return np.where(labels < self.n_clusters, labels, -1).astype(np.int32)

    def score(self, X: Any, y: Any = None, *, sample_weight: Any = None) -> float:
        """Minus the total cost of rows at their nearest centers, as in ``inertia_``: the higher, the better."""
        X = self._check_new(X)
        return -float(checked_weights(sample_weight, X) @ self._nearest(X)[1])

    def _nearest(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """The nearest center of each new row, -1 if it is too far, and what the row costs there."""
        by_median = self.metric == "cityblock"
        how = {"metric": "manhattan"} if by_median else {}
        labels, distances = pairwise_distances_argmin_min(X, self.cluster_centers_.astype(X.dtype), **how)
        costs = distances if by_median else distances**2
        if self.outlier_cost is not None:
            labels, costs = np.where(costs > self.outlier_cost, -1, labels), np.minimum(costs, self.outlier_cost)
        return labels.astype(np.int32), costs

    def _new_costs(self, X: Any) -> np.ndarray:
        """Of new rows at the centers, and as outliers."""
        given = Given(X, Constraints(X.shape[0]), np.ones(X.shape[0], X.dtype))
        points: Any = self._points(given, given.constraints.closure(), None)
        centers = self.cluster_centers_.astype(np.float64) - points.shift
        if self.outlier_cost is not None:
            points, centers = NoisePoints(points, self.outlier_cost), np.vstack([centers, np.zeros_like(centers[:1])])
        cost = np.empty((X.shape[0], len(centers)), X.dtype)
        points.costs(centers, cost)
        return cost


def check_size_weight(size_weight: Any, X: Any) -> np.ndarray:
    """One finite amount of 0 or more for each row, and not only zeros."""
    if _num_samples(size_weight) != X.shape[0]:
        raise ValueError(f"size_weight has {_num_samples(size_weight)} numbers, but X has {X.shape[0]} rows.")
    mass = check_array(size_weight, ensure_2d=False, dtype=np.float64, input_name="size_weight")
    if mass.ndim > 1:
        raise ValueError(f"size_weight has shape {mass.shape}: give one number for each row.")
    if mass.min() < 0:
        raise ValueError(f"size_weight has negative numbers, such as {mass.min():g}: give amounts of 0 or more.")
    with np.errstate(over="ignore"):
        total = mass.sum()
    if not 0 < total < np.inf:
        what = "zero for every row" if total == 0 else "too large to add"
        raise ValueError(f"size_weight is {what}: give amounts with a sum above 0, and finite.")
    return mass
