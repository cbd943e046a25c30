"""Balanced clustering: sample, cluster, populate, refine."""

import math
import warnings
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions

from pluribus._engine import one_blas_thread, run_tasks, seeds
from pluribus.constrained._shared.parameters import AT_LEAST_ONE, NOT_NEGATIVE, SHARE, STARTS
from pluribus.constrained._shared.sized_points import SizedPoints
from pluribus.constrained.sizes._balanced_steps import cluster_sample, drawn_sample, populate, sample_size
from pluribus.constrained.sizes._center_methods import CentersMixin
from pluribus.constrained.sizes._cycle_moves import CycleMoves
from pluribus.constrained.sizes._sized_kmeans import AssignsWithinBounds, SizedObjects, SizedRun, alternate_within
from pluribus.constraints import ConstraintError, Constraints
from pluribus.constraints._internal import as_constraints
from pluribus.partitions._internal import size_bounds

_BALANCE = 0.8
_SAMPLED_ABOVE = 20_000  # rows
_STARTS = 10


class BalancedKMeans(CentersMixin):
    """Clusters of at least a given size, from any clusterer: sample, cluster, populate, refine.

    It minimizes Σ_i ‖x_i - μ_{z_i}‖² (or Σ_i (1 - cos(x_i, μ_{z_i}))) subject to a minimum size of every cluster, in
    four steps. Draw a sample. Cluster it with any clusterer. Populate: each cluster gets the objects it lacks by a
    stable matching, in which no object and no cluster would both prefer each other; all remaining objects go to the
    nearest center. Refine: objects move and centers are updated until nothing changes, while every cluster keeps its
    minimum size. The bound holds throughout, and only the last step looks at all objects more than once.

    Prefer it for documents and other directions (``metric="cosine"``), for very many objects, and if another clusterer
    should make the clusters. For upper bounds, weights as sizes, or pairs, use ``SizeConstrainedKMeans``; for streams,
    ``FrequencySensitiveKMeans``.

    Parameters
    ----------
    n_clusters : int, default=8
    balance : float from 0 to 1, or None
        The size of the smallest cluster relative to the mean size: each cluster has at least
        ``floor(balance * n / n_clusters)`` objects. 1 means equal sizes. None: 0.8, unless ``min_size`` is given.
    min_size : int, float or None
        Instead of ``balance``, the minimum number of objects in a cluster, or a share of all objects (a float).
    metric : {"euclidean", "cosine", "kl"}
        Squared distances to means, cosines to mean directions (spherical k-means), or Kullback-Leibler divergences from
        mean shares, for counts: rows are scaled to the sum 1.
    base : clusterer or None
        The clusterer of the sample: a scikit-learn clusterer, or a name that ``generate.Generator`` knows. Its number
        of clusters and its seed are set; for cosine it gets rows of length 1, for kl of sum 1. None: k-means with
        the metric.
    sample : "auto", int or float
        The number of rows in the sample, or a share of all rows (a float). "auto": all rows if there are at most
        20,000; otherwise a number that most probably includes 10 rows of each cluster (20 with many features).
    populate : {"stable", "flow"}
        How clusters are filled to the minimum size: by a stable matching, or at the least total cost.
    refine : {"flow", "cycles"} or None
        How objects move: to the cheapest assignment ("flow"), or, as in the source, by moves of single objects and of
        several objects along a cycle of clusters, each of which is a gain by itself ("cycles"). None: no refinement.
    n_init : int or "auto"
        Number of starts; the result with the lowest objective is kept. "auto": 10 if k-means clusters all rows,
        otherwise 1, from the best of 10 runs of k-means on the sample.
    max_iter : int, default=300
        Iterations of k-means on the sample, and of the refinement.
    tol : float, default=1e-4
        They end when the centers move less than this, relative to the variance of the data.
    random_state : int, RandomState or None
    n_jobs : int, optional
        Cores, for the starts, or within the start if there is one; the result does not depend on it.
    verbose : bool, default=True
        Show progress (only on a terminal).

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Clusters are numbered from the largest.
    n_clusters_ : int
    cluster_centers_ : ndarray of shape (n_clusters, d)
        Of length 1 for cosine, of sum 1 for kl.
    cluster_sizes_ : ndarray of shape (n_clusters,)
    balance_ : float
        The size of the smallest cluster relative to the mean size.
    objective_ : ndarray
        The weighted sum of squared distances to the centers, of one minus the cosine, or of the divergences (with one
        row of equal shares more in each cluster), after populating and after each iteration of the refinement, of the
        best start.
    n_iter_ : int
        Iterations of the refinement.

    References
    ----------
    A. Banerjee, J. Ghosh, "Scalable clustering algorithms with balancing constraints", Data Mining and Knowledge
    Discovery 13, 2006.

    Examples
    --------
    >>> from pluribus.constrained import BalancedKMeans
    >>> X = [[0], [1], [2], [3], [20], [21]]
    >>> model = BalancedKMeans(2, balance=1, random_state=0).fit(X)
    >>> model.labels_.tolist(), model.balance_
    ([0, 0, 0, 1, 1, 1], 1.0)
    >>> BalancedKMeans(2, min_size=2, base="agglomerative", random_state=0).fit(X).cluster_sizes_.tolist()
    [4, 2]
    """

    known_as = {"balanced": {}}
    keeps = ("sizes",)
    suits = "A minimum size of clusters, for documents, very many objects, or a clusterer of your choice."

    _parameter_constraints: dict = {
        **STARTS,
        "balance": [SHARE, None],
        "min_size": [NOT_NEGATIVE, None],
        "metric": [StrOptions({"euclidean", "cosine", "kl"})],
        "base": [str, HasMethods(["fit_predict", "get_params", "set_params"]), None],
        "sample": [
            StrOptions({"auto"}),
            AT_LEAST_ONE,
            Interval(Real, 0, 1, closed="right"),
        ],
        "populate": [StrOptions({"stable", "flow"})],
        "refine": [StrOptions({"flow", "cycles"}), None],
        "n_init": [StrOptions({"auto"}), AT_LEAST_ONE],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        balance: float | None = None,
        min_size: int | float | None = None,
        metric: str = "euclidean",
        base: Any = None,
        sample: str | int | float = "auto",
        populate: str = "stable",
        refine: str | None = "flow",
        n_init: int | str = "auto",
        max_iter: int = 300,
        tol: float = 1e-4,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = True,
    ) -> None:
        self.n_clusters = n_clusters
        self.balance = balance
        self.min_size = min_size
        self.metric = metric
        self.base = base
        self.sample = sample
        self.populate = populate
        self.refine = refine
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @property
    def _by_direction(self) -> bool:
        return self.metric == "cosine"

    @property
    def _by_shares(self) -> bool:  # type: ignore[override]
        return self.metric == "kl"

    def fit(
        self, X: Any, y: Any = None, *, constraints: Constraints | None = None, sample_weight: Any = None
    ) -> "BalancedKMeans":
        """Cluster X.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
        y : ignored
        constraints : Constraints, optional
            A minimum size of every cluster, in place of ``balance`` and ``min_size``.
        sample_weight : array of shape (n,), optional
            How much each row counts in the objective and in the centers, not in the sizes.
        """
        X, weights = self._check_rows(X, sample_weight)
        n, d = X.shape
        lower = self._least_size(n, as_constraints(constraints, n, self.keeps))
        size = self._sample_size(n, d)
        n_init = self._n_starts(size < n)
        points = self._points_of(X, weights, (self.n_jobs or 1) if n_init == 1 else None)

        def start(seed: int) -> SizedRun:
            sampled = drawn_sample(weights, size, self.n_clusters, np.random.RandomState(seed))
            sample = points if size >= n else points._replace(rows=X[sampled], weights=weights[sampled])
            several = size < n and n_init == 1
            of_sample, centers = cluster_sample(
                sample, self.n_clusters, self.base, seed, several, self.max_iter, self.tol
            )
            labels = populate(points, sampled, of_sample, centers, lower, self.populate)
            return self._refine(points, labels, centers, lower)

        drawn = seeds(self.random_state, n_init)
        if n_init == 1:
            with one_blas_thread():
                best = start(drawn[0])
        else:
            runs = run_tasks(start, drawn, n_jobs=self.n_jobs, description="balanced k-means", verbose=self.verbose)
            best = min(runs, key=lambda run: run.path[-1])
        order = self._number_by_size(best.labels)
        self.cluster_centers_ = (best.centers + points.shift)[order].astype(X.dtype)
        self.balance_ = float(self.cluster_sizes_.min() * self.n_clusters / n)
        self.objective_ = best.path
        self.n_iter_ = best.n_iter
        return self

    def _refine(self, points: SizedPoints, labels: np.ndarray, centers: np.ndarray, lower: int) -> SizedRun:
        """Move objects and update centers, in turn, until nothing changes."""
        k = int(self.n_clusters)
        centers = points.step(labels, centers)[1]
        populated = SizedRun(labels, centers, np.zeros(k), np.array([points.step(labels, centers)[0]]), 0)
        if self.refine is None:
            return populated
        least, unbounded = np.full(k, lower), np.full(k, len(labels))
        bounds: AssignsWithinBounds = CycleMoves(least) if self.refine == "cycles" else SizedObjects(least, unbounded)
        return alternate_within(points, bounds, centers, self.max_iter, self.tol, populated)

    def _least_size(self, n: int, constraints: Constraints) -> int:
        """The fewest objects that a cluster may have."""
        if said := constraints.min_size:
            if constraints.max_size or set(said) != {None} or self.balance is not None or self.min_size is not None:
                raise ConstraintError(
                    "BalancedKMeans keeps one minimum size of every cluster: state no other sizes, and leave out "
                    "balance and min_size, or use SizeConstrainedKMeans."
                )
            return int(size_bounds(n, self.n_clusters, said[None])[0][0])
        if constraints.max_size:
            raise ConstraintError("BalancedKMeans keeps no max_size: use SizeConstrainedKMeans.")
        if self.min_size is not None:
            if self.balance is not None:
                raise ValueError(
                    f"balance={self.balance!r} and min_size={self.min_size!r} both bound the sizes of clusters: give "
                    "only one of them."
                )
            return int(size_bounds(n, self.n_clusters, self.min_size)[0][0])
        balance = _BALANCE if self.balance is None else self.balance
        return math.floor(balance * n / self.n_clusters * (1 + 1e-12))

    def _sample_size(self, n: int, d: int) -> int:
        if self.sample == "auto":
            return min(sample_size(self.n_clusters, d), n) if n > _SAMPLED_ABOVE else n
        size = int(self.sample) if isinstance(self.sample, Integral) else math.ceil(float(self.sample) * n)
        k = int(self.n_clusters)
        if size < k:
            raise ValueError(f"sample={self.sample!r} means {size} rows, fewer than n_clusters={k}: give more.")
        if size > n:
            warnings.warn(f"sample={self.sample} is more than the {n} rows of X: all rows are used.", stacklevel=3)
        return min(size, n)

    def _n_starts(self, is_sampled: bool) -> int:
        if self.n_init == "auto":
            return 1 if is_sampled or self.base is not None else _STARTS
        return int(self.n_init)
