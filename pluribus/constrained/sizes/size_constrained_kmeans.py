"""k-means with bounds on the sizes of the clusters."""

from numbers import Real
from typing import Any

import numpy as np
from sklearn.utils.validation import _num_samples, check_array

from pluribus._engine import one_blas_thread, run_tasks, seeds
from pluribus.constrained._shared.base import Given
from pluribus.constrained._shared.kmeans import ConstrainedKMeans
from pluribus.constrained._shared.parameters import FIRST_CENTERS, STARTS
from pluribus.constrained._shared.sized_points import SizedPoints
from pluribus.constrained._shared.starts import given_centers
from pluribus.constrained.sizes._sized_assignment import SizedChunklets
from pluribus.constrained.sizes._sized_kmeans import (
    AssignsWithinBounds,
    SizedObjects,
    SizedRun,
    WeighedObjects,
    alternate_within,
)
from pluribus.constraints import Closure, ConstraintError, Constraints
from pluribus.partitions import assign_sizes
from pluribus.partitions._internal import assign_weights, size_bounds, weight_bounds


class SizeConstrainedKMeans(ConstrainedKMeans):
    """k-means whose clusters have a minimum and a maximum size.

    It minimizes the inertia Σ_i ‖x_i - μ_{z_i}‖² subject to bounds on the number of objects in each cluster. Each
    assignment is the cheapest one within the bounds, a minimum-cost flow that is solved exactly on a graph of the
    clusters; each center is the mean of its objects. The inertia never rises, and the sizes are within the bounds
    throughout. Without bounds it is k-means, and no cluster is empty. Bounds of moderate width often lead to a *lower*
    inertia than plain k-means from the same start, which loses clusters to outliers.

    Bounds may also be on the sum of a quantity, such as inhabitants or orders: ``fit(X, size_weight=inhabitants)``.
    Objects are not split, so these bounds hold up to rounding: at most n_clusters - 1 objects are rounded.

    Prefer it when sizes are part of the task: workloads, territories, batches, segments for a campaign. If clusters are
    small because they are outliers, bounds fill them with objects that do not belong there.

    Parameters
    ----------
    n_clusters : int, default=8
    min_size, max_size : int, float, sequence of n_clusters of them, or None
        The minimum and the maximum number of objects in a cluster, or shares of all objects up to 1.0 (floats); one
        for all clusters, or one for each. None: at least 1, and no maximum.
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
        Clusters are numbered from the largest, or like the bounds if each cluster has bounds of its own.
    n_clusters_ : int
    cluster_centers_ : ndarray of shape (n_clusters, d)
    cluster_sizes_ : ndarray of shape (n_clusters,)
        Numbers of objects, or sums of ``size_weight``.
    prices_ : ndarray of shape (n_clusters,)
        The cost of one more object that a cluster must have (positive), or the saving of one more that it may have
        (negative). Each object is in the cluster with the least weighted squared distance minus price, except objects
        with must-links or cannot-links.
    inertia_ : float
        Weighted sum of squared distances of the rows to their centers.
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
    """

    known_as = {"size-constrained": {}}
    suits = "Minimum and maximum sizes that must hold: workloads, territories, batches."

    _parameter_constraints: dict = {
        **STARTS,
        "min_size": ["array-like", Real, None],
        "max_size": ["array-like", Real, None],
        **FIRST_CENTERS,
    }

    def __init__(
        self,
        n_clusters: int = 8,
        min_size: Any = None,
        max_size: Any = None,
        *,
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
    ) -> "SizeConstrainedKMeans":
        """Cluster X.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
        y : ignored
        constraints : Constraints, optional
            Hard constraints on the n rows. Objects that must be together are not split, and count one by one.
        sample_weight : array of shape (n,), optional
            How much each row counts in the inertia and in the centers, not in the sizes.
        size_weight : array of shape (n,), optional
            How much each row counts in the sizes, in place of one; not in the inertia.
        """
        given = self._check_given(X, constraints, sample_weight)
        self._refuse_soft_pairs(given.constraints)
        mass = None if size_weight is None else _check_size_weight(size_weight, given.X)
        bounds, closure = self._bounds(given, mass)
        is_one = not isinstance(self.init, str) or self.n_init == 1
        points = SizedPoints.of(given, closure, (self.n_jobs or 1) if is_one else None)
        starts = self._first_centers(points, bounds)

        def descend(centers: np.ndarray, reached: SizedRun | None = None) -> SizedRun:
            """The cheapest assignment within the bounds, then the means, in turn (problem (9.3) in the book)."""
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
        return self._set_sized_result(given, closure, points, best, mass)

    def fit_predict(self, X: Any, y: Any = None, **given: Any) -> np.ndarray:
        """Cluster X, and return the cluster of each row; the parameters are those of ``fit``."""
        return self.fit(X, **given).labels_

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
            return super().predict(X)
        X = self._check_new(X)
        if use_prices and enforce_sizes:
            raise ValueError("use_prices=True and enforce_sizes=True are two ways to assign new rows: choose one.")
        if (size_weight is not None) != self._is_weighed:
            if self._is_weighed:
                raise ValueError("fit had a size_weight: give the size_weight of the new rows too.")
            raise ValueError("fit had no size_weight: leave it out here too.")
        given = Given(X, Constraints(X.shape[0]), np.ones(X.shape[0], X.dtype))
        points = SizedPoints.of(given, given.constraints.closure(), None)
        cost = np.empty((X.shape[0], self.n_clusters_), X.dtype)
        points.costs(self.cluster_centers_.astype(np.float64) - points.shift, cost)
        mass = None if size_weight is None else _check_size_weight(size_weight, X)
        if not enforce_sizes:
            priced = cost - self.prices_ * (1.0 if mass is None else mass[:, None])
            return priced.argmin(axis=1).astype(np.int32)
        if mass is None:
            return assign_sizes(cost, *self._counted_bounds(X.shape[0])).labels.astype(np.int32)
        bounds = weight_bounds(mass, self.n_clusters, self.min_size, self.max_size)
        return assign_weights(cost, mass, *bounds).labels.astype(np.int32)

    def _bounds(self, given: Given, mass: np.ndarray | None) -> tuple[AssignsWithinBounds, Closure]:
        """The assignment step within the checked bounds, and the chunklets that it assigns."""
        n = given.X.shape[0]
        if mass is None:
            lower, upper = self._counted_bounds(n)
            allow_empty = bool((lower == 0).any())
        else:
            lower, upper = weight_bounds(mass, self.n_clusters, self.min_size, self.max_size)
            allow_empty = True
        closure = given.constraints.closure(self.n_clusters)
        if closure.n_chunks == n and not len(closure.class_chunks) and not len(closure.told_apart):
            return SizedObjects(lower, upper) if mass is None else WeighedObjects(lower, upper, mass), closure
        feasibility = given.constraints.check(self.n_clusters, allow_empty=allow_empty)
        if feasibility.status != "feasible":
            given.constraints.ensure_feasible(self.n_clusters, allow_empty=allow_empty)  # raises, or warns
        if mass is not None:
            if len(closure.told_apart) or len(closure.class_chunks) > 1:
                raise ConstraintError(
                    "size_weight supports must-links only: leave out the cannot-links and known labels, or bound the "
                    "number of objects instead."
                )
            return WeighedObjects(lower, upper, closure.chunk_indicator @ mass), closure
        witness = None if feasibility.witness is None else feasibility.witness[closure.representatives]
        return SizedChunklets(lower, upper, closure, witness), closure

    def _counted_bounds(self, n: int) -> tuple[np.ndarray, np.ndarray]:
        lower, upper = size_bounds(n, self.n_clusters, self.min_size, self.max_size)
        return (np.minimum(upper, 1) if self.min_size is None and n >= self.n_clusters else lower), upper

    @property
    def _numbered_by_bounds(self) -> bool:
        return bool(np.ndim(self.min_size) or np.ndim(self.max_size))

    def _first_centers(self, points: Any, bounds: Any) -> list[np.ndarray]:
        """The first centers of each start; if each cluster has bounds of its own, in the order of the bounds."""
        if not isinstance(self.init, str):
            return [given_centers(self.init, points, self.n_clusters)]
        starts = [points.drawn(self.n_clusters, seed) for seed in seeds(self.random_state, self.n_init)]
        if not self._numbered_by_bounds:
            return starts
        cost = np.empty((len(points.weights), self.n_clusters), points.rows.dtype)
        for centers in starts:
            points.costs(centers, cost)
            near = np.bincount(cost.argmin(axis=1), minlength=self.n_clusters)
            centers[np.lexsort((bounds.upper, bounds.lower))] = centers[np.argsort(near, kind="stable")]
        return starts

    def _set_sized_result(
        self, given: Given, closure: Closure, points: SizedPoints, best: SizedRun, mass: np.ndarray | None
    ) -> "SizeConstrainedKMeans":
        labels = best.labels[closure.chunk_of]
        if self._numbered_by_bounds:
            order = np.arange(self.n_clusters)
            self._set_result(given.constraints, labels.astype(np.int32), self.n_clusters, None)
        else:
            order = self._finish(given.constraints, labels, self.n_clusters)
        self.cluster_centers_ = (best.centers + points.shift)[order].astype(given.X.dtype)
        self._is_weighed = mass is not None
        self.cluster_sizes_ = np.bincount(self.labels_, mass, minlength=self.n_clusters)
        self.prices_ = best.prices[order]
        self.inertia_ = float(best.path[-1])
        self.objective_ = best.path
        self.n_iter_ = best.n_iter
        return self


def _check_size_weight(size_weight: Any, X: Any) -> np.ndarray:
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
