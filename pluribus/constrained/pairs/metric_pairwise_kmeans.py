"""k-means with pairs and a metric learned from both (MPCKMeans)."""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import StrOptions

from pluribus._engine import is_one_of, run_tasks
from pluribus.constrained._shared.base import ConstrainedMixin, checked_weights
from pluribus.constrained._shared.parameters import FIRST_CENTERS_WITH_PAIRS, STARTS
from pluribus.constrained._shared.starts import Start, starts
from pluribus.constrained.pairs._metric_problem import MetricProblem
from pluribus.constrained.pairs._metrics import Metrics, squared_lengths
from pluribus.constraints import Constraints


class MetricRun(NamedTuple):
    """The result of k-means with a learned metric from one start."""

    labels: np.ndarray  # (L,)
    centers: np.ndarray
    metrics: Metrics
    path: np.ndarray  # the objective after each iteration, and for the final labels
    n_iter: int


class MetricPairwiseKMeans(ConstrainedMixin, BaseEstimator):
    """k-means with pairs that may be broken at a price, in a metric that is learned as well (MPCKMeans).

    It minimizes, over the labels z, the centers μ and the metrics A_h of the clusters,

        J(z, μ, A) = Σ_i (‖x_i - μ_h‖²_A - log det A_h)  +  Σ_broken must-links w_ij L²_ij
                     +  Σ_broken cannot-links w_ij max(1 - L²_ij, 0)  +  the prior of A,

    where h = z_i, and L²_ij is the squared length of the pair in the metric, relative to the mean of all pairs of
    objects. So the weights have no unit. A pair without a weight is hard and never broken. A is the inverse scatter of
    the clusters: broken must-links add the directions in which their objects differ, and broken cannot-links subtract
    theirs. The prior acts like one more object with the variance of the data, which keeps the metric of a small cluster
    from collapsing.

    The paper uses squared lengths as they are, and the longest pair in the data in place of the mean. One pair then
    counts as much as dozens of objects, above all cannot-links, and a few wrong ones spoil the result. To trust pairs
    that much, give weights of ten or more, or none.

    Prefer it to :class:`PairwiseKMeans` when features differ in scale or relevance. One metric for all clusters is
    robust; one for each cluster fits clusters of different shapes and needs more objects. The metric starts from the
    scatter within chunklets of hard must-links, groups and labels, and from the variance of the data, so the units of
    the features do not matter.

    Parameters
    ----------
    n_clusters : int, default=8
    metric : {"diagonal", "full"}, default="diagonal"
        Whether A is diagonal (weights of features) or a full matrix (needs dense X).
    per_cluster : bool, default=False
        Whether each cluster has a metric of its own.
    init : {"neighborhoods", "k-means++"} or array of shape (n_clusters, d)
        The first centers, as in :class:`PairwiseKMeans`.
    n_init : int, default=10
        Number of starts; the result with the lowest objective is kept.
    max_iter : int, default=100
        Iterations of one start.
    tol : float, default=1e-4
        A start ends when its objective falls by less than this for each object.
    random_state : int, RandomState, Generator or None
    n_jobs : int, optional
        Cores for the starts; the result does not depend on it.
    verbose : bool, default=True
        Show progress (only on a terminal).

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Clusters are numbered from the largest.
    n_clusters_ : int
    cluster_centers_ : ndarray of shape (n_clusters, d)
    metric_ : ndarray of shape (d,), (d, d), (n_clusters, d) or (n_clusters, d, d)
        The diagonal of A or A itself, for all clusters or for each.
    inertia_ : float
        Weighted sum of squared distances of the rows to their centers, in the learned metric.
    objective_ : ndarray
        J after each iteration of the best start, and for the final labels; it never rises.
    n_iter_ : int
    violations_ : Violations
        The broken pairs; none of them is hard.

    References
    ----------
    Bilenko, Basu and Mooney (2004), Integrating constraints and metric learning in semi-supervised clustering, ICML.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus import Constraints
    >>> from pluribus.constrained import MetricPairwiseKMeans
    >>> rng = np.random.default_rng(0)
    >>> group = np.repeat([0, 1], 50)
    >>> X = np.column_stack([group + 0.1 * rng.normal(size=100), 3 * rng.normal(size=100)])  # the second is noise
    >>> known = Constraints.from_labels(np.where(np.arange(100) % 10 == 0, group, -1))
    >>> model = MetricPairwiseKMeans(2, random_state=0).fit(X, constraints=known)
    >>> bool(model.metric_[0] > 100 * model.metric_[1])
    True
    >>> len(set(zip(model.labels_.tolist(), group.tolist())))
    2
    """

    known_as = {"mpckmeans": {}}
    suits = "Pairs that may be wrong, and features that differ in scale or relevance."

    _parameter_constraints: dict = {
        **STARTS,
        "metric": [StrOptions({"diagonal", "full"})],
        "per_cluster": ["boolean"],
        **FIRST_CENTERS_WITH_PAIRS,
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        metric: str = "diagonal",
        per_cluster: bool = False,
        init: Any = "neighborhoods",
        n_init: int = 10,
        max_iter: int = 100,
        tol: float = 1e-4,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = True,
    ) -> None:
        self.n_clusters = n_clusters
        self.metric = metric
        self.per_cluster = per_cluster
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @property
    def takes_sparse(self) -> bool:  # type: ignore[override]
        """Whether X may be sparse: a full metric would fill it."""
        return is_one_of(self.metric, ("diagonal",))

    def fit(
        self, X: Any, y: Any = None, *, constraints: Constraints | None = None, sample_weight: Any = None
    ) -> "MetricPairwiseKMeans":
        """Cluster X.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
        y : ignored
        constraints : Constraints, optional
            Hard and soft pairs, groups and labels of the n rows.
        sample_weight : array of shape (n,), optional
            How much each row counts.
        """
        given = self._check_given(X, constraints, sample_weight)
        witness = self._check_feasible(given.constraints).witness
        closure = given.constraints.closure(self.n_clusters)
        shape: Any = {"diagonal": self.metric == "diagonal", "per_cluster": self.per_cluster}
        problem = MetricProblem.of(given, closure, witness, n_clusters=self.n_clusters, **shape)
        runs = run_tasks(
            lambda start: self._descend(problem, start),
            starts(
                self.init,
                problem.points,
                self.n_clusters,
                self.random_state,
                self.n_init,
                neighborhoods=np.flatnonzero(closure.chunk_sizes > 1),
                drawn_from=problem.turned_points(),
            ),
            n_jobs=self.n_jobs,
            description=type(self).__name__,
            verbose=self.verbose,
        )
        best = min(runs, key=lambda run: run.path[-1])
        order = self._finish(given.constraints, best.labels[closure.chunk_of], self.n_clusters)
        self.cluster_centers_ = (best.centers + problem.points.shift)[order].astype(given.X.dtype)
        self._metrics = best.metrics.take(order) if self.per_cluster else best.metrics
        self.metric_ = self._metrics.matrices if self.per_cluster else self._metrics.matrices[0]
        self.inertia_ = problem.inertia(best.labels, best.centers, best.metrics)
        self.objective_ = best.path
        self.n_iter_ = best.n_iter
        return self

    def _descend(self, problem: MetricProblem, start: Start) -> MetricRun:
        """Labels, centers and metric in turn; each step lowers J.

        It ends when no label changes, or when J falls by less than ``tol`` for each object.
        """
        random = np.random.RandomState(start.seed)
        centers, metrics = start.centers, problem.first_metrics()
        least_fall = self.tol * float(problem.weights.sum())
        labels: np.ndarray | None = None
        path: list[float] = []
        for _ in range(self.max_iter):
            assigned = problem.assign(centers, metrics, labels, random)  # argmin_z J
            is_same = labels is not None and bool((assigned == labels).all())
            centers, labels = problem.means(assigned, centers)  # argmin_μ J
            metrics, objective = problem.better_metric(labels, centers, metrics)  # A, eq. (9)
            path.append(objective)
            if is_same or (len(path) > 1 and path[-2] - objective <= least_fall):
                break
        assert labels is not None  # max_iter is at least 1
        n_iter = len(path)
        assigned = problem.assign(centers, metrics, labels, random)  # in the final metric
        if len(np.unique(assigned)) == len(np.unique(labels)):  # else a cluster filled by `means` is empty again
            labels = assigned
            path.append(problem.objective(labels, centers, metrics))
        return MetricRun(labels, centers, metrics, np.array(path), n_iter)

    def predict(self, X: Any) -> np.ndarray:
        """The cluster of new rows: that of the nearest center in the learned metric."""
        return np.argmin(self._distances(self._check_new(X)), axis=1).astype(np.int32)

    def score(self, X: Any, y: Any = None, *, sample_weight: Any = None) -> float:
        """Minus the sum of distances (less log-determinants) of rows to their nearest centers: higher is better."""
        X = self._check_new(X)
        return -float(checked_weights(sample_weight, X) @ self._distances(X).min(axis=1))

    def _distances(self, X: Any) -> np.ndarray:
        """Squared lengths of rows from centers, minus log-determinants, (n, k)."""
        # Far from the origin squares lose digits; sparse rows are not centered, which would make them dense.
        shift = self.cluster_centers_.mean(axis=0, dtype=np.float64) * (not sparse.issparse(X))
        rows = X if sparse.issparse(X) else X - shift
        with np.errstate(over="ignore", invalid="ignore"):
            lengths = squared_lengths(rows, self.cluster_centers_.astype(np.float64) - shift, self._metrics)
        if not np.isfinite(lengths).all():
            raise ValueError("X has rows so far from the centers that distances in the learned metric are infinite.")
        return lengths - self._metrics.log_dets
