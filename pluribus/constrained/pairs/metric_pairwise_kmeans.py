"""k-means with pairs and a metric learned from both (MPCKMeans)."""

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import _check_sample_weight

from pluribus._engine import run_tasks, seeds
from pluribus.constrained._shared.base import STARTS_PARAMETERS, ConstrainedMixin, warn_of_empty_clusters
from pluribus.constrained._shared.starts import from_neighborhoods, given_centers, spread_out
from pluribus.constrained.pairs._metric_descent import MetricProblem, metric_descend
from pluribus.constrained.pairs._metrics import Metrics, squared_lengths
from pluribus.constraints import Constraints


class MetricPairwiseKMeans(ConstrainedMixin, BaseEstimator):
    """k-means with pairs that may be broken at a price, in a metric learned on the way (MPCKMeans).

    Distances are (x - μ)·A (x - μ) - log det A, and A is learned: the inverse scatter of the clusters, to which broken
    must-links add the directions in which their objects differ, while broken cannot-links take theirs away. A broken
    must-link costs its weight times the squared distance of its objects, relative to the mean of all pairs of objects;
    a broken cannot-link its weight times what that lacks to one: the weights have no unit. A pair without a weight is
    hard and never broken. Where a cluster has few objects, its metric is kept from collapsing by one more object, so to
    say, that has the variance of the data.

    The paper takes squared distances as they are, and the widest in the data in place of the mean. Then one pair counts
    as much as dozens of objects, cannot-links before all, and a few wrong ones spoil everything; to trust pairs as much
    as that, give weights of ten and more, or none.

    Prefer it to :class:`PairwiseKMeans` when features differ in scale or in worth. One metric for all clusters is
    robust; one for each fits clusters of different shapes and needs more objects. The metric starts from the scatter
    within chunklets of hard must-links, groups and labels, and the variance of the data, so the units of the features
    do not matter.

    Parameters
    ----------
    n_clusters : int, default=8
    metric : {"diagonal", "full"}, default="diagonal"
        Whether the metric weighs features, or also turns them (needs dense X).
    per_cluster : bool, default=False
        Whether each cluster has a metric of its own.
    init : {"neighborhoods", "k-means++"} or array of shape (n_clusters, d)
        Where to start, as in :class:`PairwiseKMeans`.
    n_init : int, default=10
        Number of starts; the result with the lowest objective is kept.
    max_iter : int, default=100
        Of one start.
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
        After each round of the best start, and for the final labels; it never rises.
    n_iter_ : int
    violations_ : Violations
        The pairs that are broken; none of them hard.

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

    _parameter_constraints: dict = {
        **STARTS_PARAMETERS,
        "metric": [StrOptions({"diagonal", "full"})],
        "per_cluster": ["boolean"],
        "init": [StrOptions({"neighborhoods", "k-means++"}), "array-like", "sparse matrix"],
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
        return self.metric == "diagonal"

    def fit(
        self, X: Any, y: Any = None, *, constraints: Constraints | None = None, sample_weight: Any = None
    ) -> "MetricPairwiseKMeans":
        """Cluster X.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
        y : ignored
        constraints : Constraints, optional
            What is known about the n rows.
        sample_weight : array of shape (n,), optional
            How much each row counts.
        """
        given = self._check_given(X, constraints, sample_weight)
        found = self._check_feasible(given.constraints)
        closure = given.constraints.closure(self.n_clusters)
        witness = None if found.witness is None else found.witness[closure.representatives]
        problem = MetricProblem.of(
            given,
            closure,
            witness,
            self.n_clusters,
            diagonal=self.metric == "diagonal",
            per_cluster=self.per_cluster,
        )
        ends = run_tasks(
            lambda start: metric_descend(problem, start[1], self.max_iter, self.tol, start[0]),
            self._starts(problem, np.flatnonzero(closure.chunk_sizes > 1)),
            n_jobs=self.n_jobs,
            description=type(self).__name__,
            verbose=self.verbose,
        )
        best = min(ends, key=lambda end: end.path[-1])
        order = self._finish(given.constraints, best.labels[closure.chunk_of], self.n_clusters)
        warn_of_empty_clusters(self.labels_, self.n_clusters)
        self.cluster_centers_ = (best.centers + problem.points.shift)[order].astype(given.X.dtype)
        self._metrics = (
            Metrics(best.metrics.roots[order], best.metrics.log_dets[order]) if self.per_cluster else best.metrics
        )
        self.metric_ = self._metrics.matrices if self.per_cluster else self._metrics.matrices[0]
        self.inertia_ = problem.inertia(best.labels, best.centers, best.metrics)
        self.objective_ = best.path
        self.n_iter_ = best.n_iter
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The cluster of new rows: that of the nearest center in the learned metric."""
        return np.argmin(self._distances(self._check_new(X)), axis=1).astype(np.int32)

    def score(self, X: Any, y: Any = None, *, sample_weight: Any = None) -> float:
        """Minus the sum of distances (less log-determinants) of rows to their nearest centers: higher is better."""
        X = self._check_new(X)
        return -float(_check_sample_weight(sample_weight, X) @ self._distances(X).min(axis=1))

    def _distances(self, X: Any) -> np.ndarray:
        """Squared lengths of rows from centers, minus log-determinants, (n, k)."""
        # Away from the origin squares would cancel; what is sparse stays as it is.
        shift = self.cluster_centers_.mean(axis=0, dtype=np.float64) * (not sparse.issparse(X))
        rows = X if sparse.issparse(X) else X - shift
        lengths = squared_lengths(rows, self.cluster_centers_.astype(np.float64) - shift, self._metrics)
        return lengths - self._metrics.log_dets

    def _starts(self, problem: MetricProblem, several: np.ndarray) -> list[tuple[int, np.ndarray]]:
        """A seed and centers for each start, drawn in the first metric."""
        points = problem.points
        if not isinstance(self.init, str):
            return [(0, given_centers(self.init, points, self.n_clusters))]
        turned = problem.turned_points()
        first, *others = seeds(self.random_state, self.n_init)
        neighborhoods = several if self.init == "neighborhoods" else several[:0]
        return [
            (first, points.centers(from_neighborhoods(turned, neighborhoods, self.n_clusters, first))),
            *((seed, points.centers(spread_out(turned, self.n_clusters, seed))) for seed in others),
        ]
