"""What all methods for data and constraints share: checks of their input, and the shape of their result."""

import warnings
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.base import ClusterMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from pluribus._engine import check_summable
from pluribus.constraints import Constraints, Feasibility, Violations
from pluribus.constraints._internal import as_constraints
from pluribus.partitions._internal import normalized_entropy, order_by_size
from pluribus.tables._internal import check_new_scale, refuse_annotated, without_repeats

_FLOATS = [np.float64, np.float32]
_MOST_WEIGHT = 1.8e19  # in all: sums of products are finite in single precision, too


class Given(NamedTuple):
    """The input of ``fit``, checked."""

    X: Any  # (n, d), dense or csr, float64 or float32
    constraints: Constraints
    weights: np.ndarray  # (n,), of the type of X


def checked_rows(estimator: Any, X: Any, *, sparse: bool, reset: bool = True) -> Any:
    """Rows for an estimator to cluster; raises if they or its parameters are wrong.

    Without ``reset`` they are a further batch, which may have fewer rows than clusters.
    """
    estimator._validate_params()
    refuse_annotated(X)
    k = getattr(estimator, "n_clusters", 1)  # some find the number of clusters
    if isinstance(k, bool | np.bool_):
        raise ValueError(f"n_clusters={k} is not a number: give the number of clusters.")
    X = validate_data(estimator, X, accept_sparse="csr" if sparse else False, dtype=_FLOATS, order="C", reset=reset)
    if reset and k > X.shape[0]:
        raise ValueError(f"n_clusters={k} is more than the n_samples={X.shape[0]} rows of X: use fewer clusters.")
    return without_repeats(X)


def checked_weights(sample_weight: Any, X: Any, dtype: Any = np.float64, most: float = _MOST_WEIGHT) -> np.ndarray:
    """The weight of each row, by default 1; raises if they are none, or if their sums overflow."""
    weights = _check_sample_weight(sample_weight, X, dtype=dtype, ensure_non_negative=True)
    check_summable("sample_weight", weights, most)
    return weights


class ConstrainedMixin(ClusterMixin):
    """Mixin for estimators that cluster data under constraints: ``fit(X, constraints=known)``, then ``labels_``.

    Examples
    --------
    >>> from pluribus.constrained import ConstrainedMixin, CopKMeans
    >>> issubclass(CopKMeans, ConstrainedMixin)
    True
    """

    known_as: ClassVar[dict[str, dict[str, Any]]]  # the names of the method, and the parameters that each presets
    suits: ClassVar[str]  # what the method is for
    _most_weight = _MOST_WEIGHT
    keeps: ClassVar[tuple[str, ...]] = ("pairs",)  # the kinds of statements that ``fit`` keeps, as Constraints.kinds
    takes_sparse = True  # whether X may be a scipy sparse matrix
    n_clusters: int
    labels_: np.ndarray
    n_clusters_: int
    violations_: Violations

    def fit_predict(self, X: Any, y: Any = None, *, constraints: Any = None, sample_weight: Any = None) -> np.ndarray:
        """Cluster X, and return the cluster of each row; the parameters are those of ``fit``."""
        return self.fit(X, constraints=constraints, sample_weight=sample_weight).labels_

    def _check_given(self, X: Any, constraints: Any, sample_weight: Any) -> Given:
        """The input of ``fit``; raises if it or a parameter is wrong."""
        X = checked_rows(self, X, sparse=self.takes_sparse)
        constraints = as_constraints(constraints, X.shape[0], self.keeps)
        weights = checked_weights(sample_weight, X, _FLOATS, self._most_weight)
        return Given(X, constraints, weights)

    def _check_feasible(self, constraints: Constraints, n_clusters: int | None = None) -> Feasibility:
        """Whether the hard constraints can hold with k nonempty clusters; raises if this is proven impossible."""
        k = int(self.n_clusters if n_clusters is None else n_clusters)
        feasibility = constraints.check(k, allow_empty=False)
        if feasibility.status != "feasible":
            constraints.ensure_feasible(k, allow_empty=False)  # raises with the proof, or warns
        return feasibility

    def _check_new(self, X: Any) -> Any:
        """New rows for ``predict``."""
        check_is_fitted(self)
        refuse_annotated(X)
        accepted = "csr" if self.takes_sparse else False
        X = validate_data(self, X, accept_sparse=accepted, dtype=_FLOATS, order="C", reset=False)
        check_new_scale(X)
        return X

    def _finish(
        self, constraints: Constraints, labels: np.ndarray, n_clusters: int, membership: np.ndarray | None = None
    ) -> np.ndarray:
        """Set the result, clusters numbered from the largest, and return the order: ``order[new] = old``.

        Other results for each cluster (centers, covariances, …) must follow this order:
        ``self.cluster_centers_ = centers[order]``.
        """
        order = order_by_size(labels, n_clusters)
        number = np.full(n_clusters + 1, -1, dtype=np.int32)  # the last one is that of outliers, label -1
        number[order] = np.arange(n_clusters)
        self._set_result(constraints, number[labels], n_clusters, None if membership is None else membership[:, order])
        return order

    def _set_result(
        self, constraints: Constraints, labels: np.ndarray, n_clusters: int, membership: np.ndarray | None
    ) -> None:
        """Set the result, with the clusters numbered as given; warns if some are empty."""
        warn_of_empty_clusters(labels, n_clusters)
        self.labels_ = labels
        self.n_clusters_ = int(n_clusters)
        self.violations_ = constraints.violations(labels)
        if membership is not None:
            self.membership_ = np.ascontiguousarray(membership)
            self.uncertainty_ = normalized_entropy(self.membership_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.takes_sparse
        return tags


def warn_of_empty_clusters(labels: np.ndarray, n_clusters: int) -> None:
    """As scikit-learn's KMeans does. The result keeps all clusters, since each has a center or a density of its own."""
    n_used = len(np.unique(labels[labels >= 0]))
    if n_used < n_clusters:
        warnings.warn(
            f"only {n_used} of {n_clusters} clusters have objects: there may be too few groups or distinct rows, or "
            f"constraints may leave too few objects to fill the others. Try n_clusters={n_used}.",
            ConvergenceWarning,
            stacklevel=5,
        )
