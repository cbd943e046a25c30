"""k-means with bounds on the sizes of the clusters."""

from numbers import Real
from typing import Any

import numpy as np
from sklearn.utils._param_validation import StrOptions

from pluribus._engine import one_blas_thread, run_tasks, seeds
from pluribus.constrained._shared.base import Given
from pluribus.constrained._shared.errors import NoFeasibleAssignmentError
from pluribus.constrained._shared.kmeans import ConstrainedKMeans
from pluribus.constrained._shared.label_centers import in_order_of_labels
from pluribus.constrained._shared.parameters import FIRST_CENTERS, POSITIVE, STARTS
from pluribus.constrained._shared.sized_points import SizedPoints
from pluribus.constrained._shared.starts import given_centers
from pluribus.constrained.sizes._allowed_points import AllowedPoints
from pluribus.constrained.sizes._labeled_objects import LabeledObjects, kinds_and_minima
from pluribus.constrained.sizes._median_points import MedianPoints
from pluribus.constrained.sizes._noise_points import NoisePoints
from pluribus.constrained.sizes._sized_assignment import SizedChunklets
from pluribus.constrained.sizes._sized_kmeans import (
    AssignsWithinBounds,
    SizedObjects,
    SizedRun,
    WeighedObjects,
    alternate_within,
)
from pluribus.constrained.sizes._sized_predictions import SizedPredictions, check_size_weight
from pluribus.constraints import Closure, ConstraintError, Constraints
from pluribus.constraints._internal import allowed_clusters
from pluribus.partitions._internal import size_bounds, weight_bounds


class SizeConstrainedKMeans(SizedPredictions, ConstrainedKMeans):
    """k-means whose clusters have a minimum and a maximum size.

    It minimizes the inertia Σ_i ‖x_i - μ_{z_i}‖² subject to bounds on the number of objects in each cluster. Each
    assignment is the cheapest one within the bounds, a minimum-cost flow that is solved exactly on a graph of the
    clusters; each center is the mean of its objects. The inertia never rises, and the sizes are within the bounds
    throughout. Without bounds it is k-means, and no cluster is empty. Bounds of moderate width often lead to a *lower*
    inertia than plain k-means from the same start, which loses clusters to outliers.

    Bounds may also be on the sum of a quantity, such as inhabitants or orders: ``fit(X, size_weight=inhabitants)``.
    Objects are not split, so these bounds hold up to rounding: at most n_clusters - 1 objects are rounded.

    It also keeps sizes and allowed labels that constraints state. If these name labels, each label is a cluster.

    Prefer it when sizes are part of the task: workloads, territories, batches, segments for a campaign. If clusters are
    small because they are outliers, bounds fill them with objects that do not belong there: use ``outlier_cost``, or
    medians (``metric="cityblock"``), on which a few distant objects have little influence.

    Parameters
    ----------
    n_clusters : int, default=8
    min_size, max_size : int, float, sequence of n_clusters of them, or None
        The minimum and the maximum number of objects in a cluster, or shares of all objects up to 1.0 (floats); one
        for all clusters, or one for each. None: at least 1, and no maximum.
    metric : {"euclidean", "cityblock"}
        Squared distances to means (k-means), or sums of absolute differences to medians of each feature (k-median,
        for dense X).
    min_labeled : int, float, sequence of n_clusters of them, dict of these by label, or None
        The minimum number of labeled objects of each label in a cluster, or a share of them; the labels are the
        ``labeled`` of ``fit``.
    outlier_cost : float, optional
        An object whose cost would be higher stays outside of all clusters, with the label -1, and costs this much.
        It is in the unit of the cost: a squared distance, or for "cityblock" a distance. None: no outliers.
    init : {"k-means++"} or array of shape (n_clusters, d)
        The first centers: drawn, or given. Given ones make one start. If each cluster has bounds of its own, they are
        in the order of given centers; with drawn centers, larger bounds go to centers that are nearest to more objects.
    n_init : int, default=10
        Number of starts; the result with the lowest inertia is kept.
    max_iter : int, default=300
        Iterations of one start.
    tol : float, default=1e-4
        A start ends when its centers move less than this, relative to the variance of the data.
    random_state : int, RandomState or None
    n_jobs : int, optional
        Cores, for the starts, or within the start if there is one; the result does not depend on it.
    verbose : bool, default=True
        Show progress (only on a terminal).

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Clusters are numbered from the largest, or like the bounds if each cluster has bounds of its own, or like the
        ``classes`` of the constraints if these state allowed labels or sizes of labels. -1 is an outlier.
    n_clusters_ : int
    cluster_centers_ : ndarray of shape (n_clusters, d)
    cluster_sizes_ : ndarray of shape (n_clusters,)
        Numbers of objects, or sums of ``size_weight``.
    prices_ : ndarray of shape (n_clusters,)
        The cost of one more object that a cluster must have (positive), or the saving of one more that it may have
        (negative). Each object is in the cluster with the least weighted squared distance minus price, except objects
        with must-links or cannot-links, and labeled objects that a cluster needs.
    inertia_ : float
        Weighted sum of squared distances (or distances, for "cityblock") of the rows to their centers, and of the cost
        of outliers.
    objective_ : ndarray
        The inertia after each assignment of the best start.
    n_iter_ : int
    violations_ : Violations
        None: all constraints hold.

    References
    ----------
    P. S. Bradley, K. P. Bennett, A. Demiriz, "Constrained k-means clustering", MSR-TR-2000-65, 2000; and chapter 9 of
    *Constrained Clustering*, 2008.

    Examples
    --------
    >>> from pluribus.constrained import SizeConstrainedKMeans
    >>> X = [[0], [1], [2], [10]]
    >>> model = SizeConstrainedKMeans(2, min_size=2, init=[[1], [10]]).fit(X)
    >>> model.labels_.tolist(), model.inertia_
    ([0, 0, 1, 1], 32.5)
    >>> SizeConstrainedKMeans(2, max_size=0.5, random_state=0).fit(X).cluster_sizes_.tolist()
    [2, 2]
    >>> SizeConstrainedKMeans(2, 2, outlier_cost=9, random_state=0).fit([*X, [1], [10], [90]]).labels_.tolist()
    [0, 0, 0, 1, 0, 1, -1]
    """

    known_as = {"size-constrained": {}}
    keeps = ("pairs", "allowed labels", "sizes")
    suits = "Minimum and maximum sizes that must hold: workloads, territories, batches."

    _parameter_constraints: dict = {
        **STARTS,
        "min_size": ["array-like", Real, None],
        "max_size": ["array-like", Real, None],
        "metric": [StrOptions({"euclidean", "cityblock"})],
        "min_labeled": ["array-like", Real, dict, None],
        "outlier_cost": [POSITIVE, None],
        **FIRST_CENTERS,
    }

    def __init__(
        self,
        n_clusters: int = 8,
        min_size: Any = None,
        max_size: Any = None,
        *,
        metric: str = "euclidean",
        min_labeled: Any = None,
        outlier_cost: float | None = None,
        init: Any = "k-means++",
        n_init: int = 10,
        max_iter: int = 300,
        tol: float = 1e-4,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = True,
    ) -> None:
        self.n_clusters = n_clusters
        self.min_size = min_size
        self.max_size = max_size
        self.metric = metric
        self.min_labeled = min_labeled
        self.outlier_cost = outlier_cost
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        constraints: Constraints | None = None,
        sample_weight: Any = None,
        size_weight: Any = None,
        labeled: Any = None,
    ) -> "SizeConstrainedKMeans":
        """Cluster X.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
        y : ignored
        constraints : Constraints, optional
            Hard constraints on the n rows, also sizes and allowed labels. Objects that must be together are not split,
            and count one by one. Of two bounds on a size the tighter one holds.
        sample_weight : array of shape (n,), optional
            How much each row counts in the inertia and in the centers, not in the sizes.
        size_weight : array of shape (n,), optional
            How much each row counts in the sizes, in place of one; not in the inertia.
        labeled : array of shape (n,), optional
            For ``min_labeled``: which rows are labeled (booleans), or the label of each, with -1, None or NaN where
            there is none.
        """
        given = self._check_given(X, constraints, sample_weight)
        self._refuse_soft_pairs(given.constraints)
        mass = None if size_weight is None else check_size_weight(size_weight, given.X)
        bounds, closure = self._bounds(given, mass, labeled)
        is_one = not isinstance(self.init, str) or self.n_init == 1
        points: Any = self._points(given, closure, (self.n_jobs or 1) if is_one else None)
        may = allowed_clusters(given.constraints, closure, self.n_clusters)
        starts = self._first_centers(points, bounds, may)
        if may is not None:
            points = AllowedPoints(points, may)
        if self.outlier_cost is not None:
            points = NoisePoints(points, self.outlier_cost)
            starts = [np.vstack([centers, np.zeros_like(centers[:1])]) for centers in starts]

        def descend(centers: np.ndarray, reached: SizedRun | None = None) -> SizedRun:
            """The cheapest assignment within the bounds, then the centers, in turn (problem (9.3) in the book)."""
            return alternate_within(points, bounds, centers, self.max_iter, self.tol, reached)

        if is_one:
            with one_blas_thread():
                best = descend(starts[0])
        else:
            how: Any = {"description": type(self).__name__, "verbose": self.verbose}
            runs = run_tasks(descend, starts, n_jobs=self.n_jobs, **how)
            best = min(runs, key=lambda run: run.path[-1])
        if isinstance(bounds, SizedChunklets) and bounds.is_small:
            with one_blas_thread():
                best = descend(best.centers, best)
        if may is not None and not may[np.arange(len(best.labels)), best.labels].all():
            raise NoFeasibleAssignmentError(
                "no assignment within the sizes was found in which all objects have an allowed label, although one may "
                "exist: widen min_size and max_size, or allow more labels."
            )
        return self._set_sized_result(given, closure, points, best, mass, by_label=may is not None)

    def fit_predict(self, X: Any, y: Any = None, **given: Any) -> np.ndarray:
        """Cluster X, and return the cluster of each row; the parameters are those of ``fit``."""
        return self.fit(X, **given).labels_

    def _points(self, given: Given, closure: Closure, n_jobs: int | None) -> Any:
        if self.metric == "cityblock":
            return MedianPoints(given, closure, n_jobs)
        return SizedPoints.of(given, closure, n_jobs)

    def _bounds(self, given: Given, mass: np.ndarray | None, labeled: Any) -> tuple[AssignsWithinBounds, Closure]:
        """The assignment step within the checked bounds, and the chunklets that it assigns."""
        n = given.X.shape[0]
        if (labeled is None) != (self.min_labeled is None):
            raise ValueError("labeled is for min_labeled, which bounds the numbers of labeled rows: give both or none.")
        lower, upper = self._counted_bounds(n) if mass is None else self._weighed_bounds(mass)
        lower, upper = self._within_said(given.constraints, lower, upper, mass)
        allow_empty = mass is not None or bool((lower == 0).any())
        feasibility = (
            given.constraints.check(self.n_clusters, allow_empty=allow_empty) if given.constraints.kinds else None
        )
        if feasibility is not None and feasibility.status != "feasible":
            given.constraints.ensure_feasible(self.n_clusters, allow_empty=allow_empty)  # raises, or warns
        closure = given.constraints.closure(self.n_clusters)
        if closure.n_chunks == n and not len(closure.class_chunks) and not len(closure.told_apart):
            if self.min_labeled is not None:
                if mass is not None:
                    raise ValueError("min_labeled counts objects, and size_weight weighs them: leave out one of them.")
                kinds, least = kinds_and_minima(labeled, self.min_labeled, n, self.n_clusters)
                least = np.pad(least, ((0, 0), (0, len(lower) - self.n_clusters)))  # outliers need none
                return LabeledObjects(lower, upper, kinds, least), closure
            return SizedObjects(lower, upper) if mass is None else WeighedObjects(lower, upper, mass), closure
        if self.min_labeled is not None or self.outlier_cost is not None:
            name = "outlier_cost" if self.min_labeled is None else "min_labeled"
            raise ConstraintError(f"{name} does not support constraints: leave out one of them.")
        if mass is not None:
            if len(closure.told_apart) or len(closure.class_chunks) > 1:
                raise ConstraintError(
                    "size_weight supports must-links only: leave out the cannot-links and known labels, or bound the "
                    "number of objects instead."
                )
            return WeighedObjects(lower, upper, closure.chunk_indicator @ mass), closure
        witness = (
            None if feasibility is None or feasibility.witness is None else feasibility.witness[closure.representatives]
        )
        return SizedChunklets(lower, upper, closure, witness), closure

    def _within_said(
        self, constraints: Constraints, lower: np.ndarray, upper: np.ndarray, mass: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray]:
        """The bounds, and those that the constraints state."""
        if set(constraints.kinds) <= {"pairs"}:
            return lower, upper
        if mass is not None or self.outlier_cost is not None or self.min_labeled is not None:
            raise ConstraintError(
                "size_weight, outlier_cost and min_labeled do not support the sizes and allowed labels of constraints: "
                "leave out one or the other."
            )
        said_lower, said_upper = constraints.size_bounds(self.n_clusters)
        lower, upper = np.maximum(lower, said_lower), np.minimum(upper, said_upper)
        return size_bounds(constraints.n_objects, self.n_clusters, lower, upper)

    def _counted_bounds(self, n: int) -> tuple[np.ndarray, np.ndarray]:
        """Of the numbers of objects, and of outliers, which may be any number."""
        outliers = self.outlier_cost is not None
        lower, upper = size_bounds(n, self.n_clusters, self.min_size, self.max_size, room_for_all=not outliers)
        if self.min_size is None and n >= self.n_clusters:
            lower = np.minimum(upper, 1)
        return (np.append(lower, 0), np.append(upper, n)) if outliers else (lower, upper)

    def _weighed_bounds(self, mass: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if self.outlier_cost is not None:
            raise ValueError("outlier_cost counts objects, and size_weight weighs them: leave out one of them.")
        return weight_bounds(mass, self.n_clusters, self.min_size, self.max_size)

    @property
    def _numbered_by_bounds(self) -> bool:
        minima = self.min_labeled.values() if isinstance(self.min_labeled, dict) else [self.min_labeled]
        return any(np.ndim(bound) for bound in (self.min_size, self.max_size, *minima))

    def _first_centers(self, points: Any, bounds: Any, may: np.ndarray | None) -> list[np.ndarray]:
        """The first centers of each start; if clusters have bounds or labels of their own, in the order of these."""
        if not isinstance(self.init, str):
            return [given_centers(self.init, points, self.n_clusters)]
        starts = [points.drawn(self.n_clusters, seed) for seed in seeds(self.random_state, self.n_init)]
        if not self._numbered_by_bounds and may is None:
            return starts
        cost = np.empty((len(points.weights), self.n_clusters), points.rows.dtype)
        if may is not None and not may.all():
            for at, centers in enumerate(starts):
                points.costs(centers, cost)
                starts[at] = in_order_of_labels(centers, cost, may)
            return starts
        for centers in starts:
            points.costs(centers, cost)
            near = np.bincount(cost.argmin(axis=1), minlength=self.n_clusters)
            lower, upper = bounds.lower[: self.n_clusters], bounds.upper[: self.n_clusters]
            centers[np.lexsort((upper, lower))] = centers[np.argsort(near, kind="stable")]
        return starts

    def _set_sized_result(
        self,
        given: Given,
        closure: Closure,
        points: SizedPoints,
        best: SizedRun,
        mass: np.ndarray | None,
        *,
        by_label: bool,
    ) -> "SizeConstrainedKMeans":
        k = int(self.n_clusters)
        labels = best.labels[closure.chunk_of]
        labels = np.where(labels < k, labels, -1)
        if self._numbered_by_bounds or by_label:
            order = np.arange(k)
            self._set_result(given.constraints, labels.astype(np.int32), k, None)
        else:
            order = self._finish(given.constraints, labels, k)
        self.cluster_centers_ = (best.centers[:k] + points.shift)[order].astype(given.X.dtype)
        self._is_weighed = mass is not None
        inside = self.labels_ >= 0
        weights = None if mass is None else mass[inside]
        self.cluster_sizes_ = np.bincount(self.labels_[inside], weights, minlength=k)
        self.prices_ = best.prices[:k][order]
        self.inertia_ = float(best.path[-1])
        self.objective_ = best.path
        self.n_iter_ = best.n_iter
        return self
