"""What methods with centers and without pairs share: checks of their input, and new rows."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.metrics import pairwise_distances_argmin_min
from sklearn.utils.validation import check_is_fitted, validate_data

from pluribus.constrained._shared.base import Given, checked_rows, checked_weights, warn_of_empty_clusters
from pluribus.constrained._shared.sized_points import SizedPoints
from pluribus.constrained.sizes._share_points import SharePoints, divergences, share_rows
from pluribus.constrained.sizes._unit_points import UnitPoints, unit_rows
from pluribus.constraints import Constraints
from pluribus.partitions._internal import order_by_size
from pluribus.tables._internal import check_new_scale, refuse_annotated

_FLOATS = [np.float64, np.float32]


class CentersMixin(ClusterMixin, BaseEstimator, ABC):
    """Clusterers that keep a center for each cluster."""

    known_as: ClassVar[dict[str, dict[str, Any]]]  # the names of the method, and the parameters that each presets
    suits: ClassVar[str]  # what the method is for
    n_clusters: int
    labels_: np.ndarray
    cluster_centers_: np.ndarray
    cluster_sizes_: np.ndarray

    _by_shares = False  # whether rows are compared by divergence

    @property
    @abstractmethod
    def _by_direction(self) -> bool:
        """Whether rows are compared by cosine, and not by distance."""

    def predict(self, X: Any) -> np.ndarray:
        """The cluster of new rows: that of the nearest center, whatever the resulting sizes."""
        return self._nearest(X)[0]

    def score(self, X: Any, y: Any = None, *, sample_weight: Any = None) -> float:
        """Minus the total cost of rows at their nearest centers, as in ``objective_``: the higher, the better."""
        costs = self._nearest(X)[1]
        return -float(checked_weights(sample_weight, costs[:, None]) @ costs)

    def _nearest(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """The nearest center of each new row, and its squared distance, one minus its cosine, or its divergence."""
        X = self._check_new(X)
        centers = self.cluster_centers_.astype(X.dtype)
        if self._by_direction:
            cosines = unit_rows(X) @ centers.T
            return cosines.argmax(axis=1).astype(np.int32), 1 - cosines.max(axis=1)
        if self._by_shares:
            costs = divergences(share_rows(X), self.cluster_centers_)
            return costs.argmin(axis=1).astype(np.int32), costs.min(axis=1)
        labels, distances = pairwise_distances_argmin_min(X, centers)
        return labels.astype(np.int32), distances**2

    def _check_new(self, X: Any) -> Any:
        """New rows, as they are given."""
        check_is_fitted(self)
        refuse_annotated(X)
        X = validate_data(self, X, accept_sparse="csr", dtype=_FLOATS, order="C", reset=False)
        check_new_scale(X)
        return X

    def _check_rows(self, X: Any, sample_weight: Any, *, reset: bool = True) -> tuple[Any, np.ndarray]:
        """The rows, scaled to length or sum 1 if the metric needs it, and their weights; raises on bad input."""
        X = checked_rows(self, X, sparse=True, reset=reset)
        weights = checked_weights(sample_weight, X)
        if not weights.any():
            raise ValueError("sample_weight is zero for every row: give at least one row a positive weight.")
        return self._scaled(X), weights

    def _scaled(self, X: Any) -> Any:
        return unit_rows(X) if self._by_direction else share_rows(X) if self._by_shares else X

    def _points_of(self, rows: Any, weights: np.ndarray, n_jobs: int | None) -> SizedPoints:
        """Checked rows in the form in which they are compared."""
        if self._by_direction:
            return UnitPoints.of_rows(rows, weights, n_jobs)
        if self._by_shares:
            return SharePoints.of_rows(rows, weights, n_jobs)
        unconstrained = Constraints(rows.shape[0])
        return SizedPoints.of(Given(rows, unconstrained, weights), unconstrained.closure(), n_jobs)

    def _number_by_size(self, labels: np.ndarray) -> np.ndarray:
        """Set the labels, clusters numbered from the largest, and their sizes; ``order[new] = old``."""
        order = order_by_size(labels, self.n_clusters)
        number = np.empty(self.n_clusters, dtype=np.int32)
        number[order] = np.arange(self.n_clusters)
        self.labels_ = number[labels]
        self.n_clusters_ = int(self.n_clusters)
        self.cluster_sizes_ = np.bincount(self.labels_, minlength=self.n_clusters)
        warn_of_empty_clusters(self.labels_, self.n_clusters)
        return order

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
