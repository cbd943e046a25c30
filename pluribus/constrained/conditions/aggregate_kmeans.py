"""k-means whose clusters all satisfy conditions on counts and aggregates of attributes."""

from collections.abc import Sequence
from functools import partial
from numbers import Integral
from typing import Any

import numpy as np
import sklearn
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from pluribus._engine import run_tasks, seeds
from pluribus.constrained._shared.base import STARTS_PARAMETERS, checked_rows
from pluribus.constrained._shared.errors import NoFeasibleAssignmentError
from pluribus.constrained.conditions._aggregate_descent import (
    Descent,
    MeanPoints,
    Problem,
    RowPoints,
    alternate,
    by_moves,
)
from pluribus.constrained.conditions._aggregate_starts import Start, drawn_start, given_start
from pluribus.constrained.conditions._conditions import Condition
from pluribus.constrained.conditions._count_classes import CountClass, Flow, Pivots, Program, separate
from pluribus.constrained.conditions._micro_clusters import MicroClusters
from pluribus.constrained.conditions._micro_moves import MicroFlow, MicroPivots, MicroPoints, identified
from pluribus.constrained.conditions._representatives import DistancePoints
from pluribus.constrained.conditions._requirements import Requirements
from pluribus.constraints import InfeasibleError
from pluribus.partitions._internal import order_by_size
from pluribus.tables._internal import check_scale


class AggregateConstrainedKMeans(ClusterMixin, BaseEstimator):
    """k-means in which every cluster satisfies conditions on counts, sums or the diversity of attributes.

    "Each territory has at least 50 frequent customers", "each group has at least 5 rows and 2 different diagnoses". The
    conditions hold in every cluster, and compactness gives way. Conditions on counts (``AtLeast``, and ``Aggregate`` of
    count, min and max) are met by an exact assignment, a flow, to the centers of each iteration, where the source moves
    single rows and resolves deadlocks (``solver="pivot"``). All other conditions are met by a first clustering that is
    mended until it satisfies them, and then bettered by moves and swaps which keep it so.

    Prefer it when each cluster has to be worth something, or safe to publish. Bounds on the sizes of clusters alone are
    what ``SizeConstrainedKMeans`` is made for: it takes must-links, weights and a bound for each cluster.

    Parameters
    ----------
    n_clusters : int, default=8
    conditions : sequence of conditions, default=()
        ``AtLeast``, ``Aggregate``, ``Distinct``, ``EntropyDiversity``, ``RecursiveDiversity``; all must hold in every
        cluster. No cluster is empty in any case.
    solver : {"flow", "pivot"}, default="flow"
        For conditions on counts: the cheapest assignment, or the source's pivot movement.
    heuristic : {"random", "look-ahead"}, default="random"
        Of ``solver="pivot"``: which row moves next.
    look_ahead : int, default=2
        Of ``heuristic="look-ahead"``: moves that are considered together.
    deadlock : bool, default=True
        Of ``solver="pivot"``: whether rows are exchanged in cycles where no cluster can spare one.
    representative : {"mean", "median", "medoid"}, default="mean"
        What stands for a cluster. With the mean the dispersion is of squared distances, with the geometric median or a
        row of the cluster of distances; these two go with conditions on counts only.
    micro_clusters : int, optional
        Group the rows into about so many micro-clusters first, for speed; for conditions on counts.
    init : {"k-means++"}, array of shape (n_clusters, d) or (n,)
        Where to start: drawn, from given centers, or from given labels (then there is one start).
    n_init : int, default=5
        Number of starts; the result with the least dispersion is kept.
    max_iter : int, default=100
        Of one start.
    tol : float, default=1e-10
        A start ends when the dispersion falls by less than this, relative to where it began.
    random_state : int, RandomState or None
    n_jobs : int, optional
        Cores; the result does not depend on it.
    verbose : bool, default=True
        Show progress (only on a terminal).

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Clusters are numbered from the largest.
    n_clusters_ : int
    cluster_centers_ : ndarray of shape (n_clusters, d)
    dispersion_ : float
        The sum of squared distances of the rows to their means (of distances, if the representative is no mean).
    slack_ : ndarray of shape (n_clusters, n_conditions)
        By how much each cluster exceeds each condition, in the condition's own unit (values, rows, a sum); inf where
        the condition holds for every clustering.
    objective_ : ndarray
        The dispersion at the start and after each iteration of the best start; it falls strictly.
    n_iter_ : int

    References
    ----------
    A. K. H. Tung, R. T. Ng, L. V. S. Lakshmanan, J. Han, "Constraint-based clustering in large databases", ICDT 2001;
    and chapter 16 of *Constrained Clustering*, 2008.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus.constrained import AggregateConstrainedKMeans, AtLeast
    >>> rng = np.random.default_rng(0)
    >>> homes = rng.normal(size=(300, 2))
    >>> customers = {"orders": rng.poisson(3, 300)}
    >>> model = AggregateConstrainedKMeans(4, [AtLeast(20, ("orders", ">=", 4))], random_state=0)
    >>> model.fit(homes, attributes=customers).slack_.min(axis=0) >= 0
    array([ True])
    """

    _parameter_constraints: dict = {
        **STARTS_PARAMETERS,
        "conditions": ["array-like", tuple, Condition],
        "solver": [StrOptions({"flow", "pivot"})],
        "heuristic": [StrOptions({"random", "look-ahead"})],
        "look_ahead": [Interval(Integral, 1, None, closed="left")],
        "deadlock": ["boolean"],
        "representative": [StrOptions({"mean", "median", "medoid"})],
        "micro_clusters": [Interval(Integral, 1, None, closed="left"), None],
        "init": [StrOptions({"k-means++"}), "array-like"],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        conditions: Sequence[Condition] | Condition = (),
        *,
        solver: str = "flow",
        heuristic: str = "random",
        look_ahead: int = 2,
        deadlock: bool = True,
        representative: str = "mean",
        micro_clusters: int | None = None,
        init: Any = "k-means++",
        n_init: int = 5,
        max_iter: int = 100,
        tol: float = 1e-10,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = True,
    ) -> None:
        self.n_clusters = n_clusters
        self.conditions = conditions
        self.solver = solver
        self.heuristic = heuristic
        self.look_ahead = look_ahead
        self.deadlock = deadlock
        self.representative = representative
        self.micro_clusters = micro_clusters
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, *, attributes: Any = None) -> "AggregateConstrainedKMeans":
        """Cluster X.

        Parameters
        ----------
        X : array or data frame of shape (n, d)
            What distances are of.
        y : ignored
        attributes : data frame, structured array or dict of columns, optional
            What the conditions speak of, for the n rows; the columns of X if there is none.
        """
        table = X if attributes is None else attributes
        X = checked_rows(self, X, sparse=False)
        check_scale(X)
        needed = Requirements.of(self.conditions, len(X), table)
        needed.ensure_feasible(self.n_clusters)
        shift = X.mean(axis=0, dtype=np.float64).astype(X.dtype)
        start = None if isinstance(self.init, str) else given_start(self.init, self.n_clusters, needed, shift)
        classes, program = separate(needed), None
        if classes is None and self.solver == "flow":
            program = Program.of(needed, self.n_clusters)
        self._check_solver(classes, program)
        points, micro = self._points(X - shift, needed, classes or [])
        problem = Problem(micro or points, needed, self.n_clusters, self.max_iter, self.tol)
        descend = partial(self._descend, problem, classes, program, start)
        ends = run_tasks(
            lambda seed: _tried(descend, seed),
            [0] if start is not None else seeds(self.random_state, self.n_init),
            n_jobs=None if self._is_one else self.n_jobs,
            description=type(self).__name__,
            verbose=self.verbose,
        )
        valid = [end for end in ends if isinstance(end, Descent)]
        if not valid:
            raise InfeasibleError(str(ends[0]), k=self.n_clusters)
        best = min(valid, key=lambda end: end.path[-1])
        if micro is not None:
            best = identified(micro, best)
        centers = best.centers + shift
        if self.representative == "medoid":  # rows as they were given
            centers = X[sklearn.metrics.pairwise_distances_argmin(best.centers.astype(X.dtype), points.rows)]
        return self._take(X, best, centers, needed)

    def predict(self, X: Any) -> np.ndarray:
        """The cluster of new rows: that of the nearest center. Conditions do not speak of new rows."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=[np.float64, np.float32], order="C", reset=False)
        shift = self.cluster_centers_.mean(axis=0).astype(X.dtype)  # of numbers far from 0, squares lose digits
        near = sklearn.metrics.pairwise_distances_argmin(X - shift, self.cluster_centers_.astype(X.dtype) - shift)
        return near.astype(np.int32)

    @property
    def _is_one(self) -> bool:
        """Whether there is one start only."""
        return not isinstance(self.init, str) or self.n_init == 1

    def _check_solver(self, classes: list[CountClass] | None, program: Program | None) -> None:
        """Refuse what goes with conditions on counts only, where there are others."""
        if classes is None and program is None and self.representative != "mean":
            raise ValueError(
                f"representative={self.representative!r} goes with conditions on counts only (AtLeast, and Aggregate "
                "of count, min, max), and few rows or none that count twice: use the mean."
            )
        if self.micro_clusters is not None and (classes is None or self.representative != "mean"):
            raise ValueError(
                "micro_clusters goes with conditions on counts in which no row counts twice, and with means: leave it "
                "out."
            )
        if self.micro_clusters is not None and self.micro_clusters < self.n_clusters:
            raise ValueError(
                f"micro_clusters={self.micro_clusters} is less than n_clusters={self.n_clusters}: give many times more."
            )
        if self.solver == "pivot" and any(of.high < of.size for of in classes or ()):
            raise ValueError("solver='pivot' knows no upper bounds on counts: use solver='flow'.")

    def _points(
        self, X: np.ndarray, needed: Requirements, classes: list[CountClass]
    ) -> tuple[RowPoints, MicroPoints | None]:
        """Rows, and the micro-clusters of them if there shall be some."""
        if self.representative != "mean":
            return DistancePoints(X, needed, self.n_clusters, self.representative), None
        points = MeanPoints(X, needed, self.n_clusters, self.n_jobs if self._is_one else None)
        if self.micro_clusters is None:
            return points, None
        micro = MicroClusters.of(X, self.micro_clusters, classes, seeds(self.random_state, 1)[0])
        return points, MicroPoints(micro, points)

    def _descend(
        self,
        problem: Problem,
        classes: list[CountClass] | None,
        program: Program | None,
        start: Start | None,
        seed: int,
    ) -> Descent:
        """One start."""
        points = problem.points
        if start is None:
            start = drawn_start(points.rows, points.weights, self.n_clusters, seed)
        labels, centers = start
        if classes is None and program is None:
            near = sklearn.metrics.pairwise_distances_argmin
            return by_moves(problem, near(points.rows, centers) if labels is None else labels)
        assign: Any = program if classes is None else self._assign(classes, points, seed)
        if isinstance(points, MicroPoints) and labels is not None:
            labels = points.micro.numbers(labels, self.n_clusters)
        return alternate(problem, assign, centers, labels)

    def _assign(self, classes: list[CountClass], points: Any, seed: int) -> Any:
        """What assigns rows, or micro-clusters, to centers."""
        is_micro = isinstance(points, MicroPoints)
        if self.solver == "flow":
            return MicroFlow(points.micro, classes) if is_micro else Flow(classes)
        ahead = self.look_ahead if self.heuristic == "look-ahead" else 0
        pivots = Pivots(classes, ahead, self.deadlock, seed)
        return MicroPivots(points.micro, pivots) if is_micro else pivots

    def _take(
        self, X: np.ndarray, best: Descent, centers: np.ndarray, needed: Requirements
    ) -> "AggregateConstrainedKMeans":
        order = order_by_size(best.found, self.n_clusters)
        number = np.empty(self.n_clusters, np.int32)
        number[order] = np.arange(self.n_clusters)
        self.labels_ = number[best.found]
        self.n_clusters_ = self.n_clusters
        self.cluster_centers_ = centers[order].astype(X.dtype)
        self.dispersion_ = float(best.path[-1])
        self.slack_ = needed.slack(self.labels_, self.n_clusters)
        self.objective_ = best.path
        self.n_iter_ = best.n_iter
        return self


def _tried(descend: Any, seed: int) -> Descent | str:
    """Where a start led to, or why it led nowhere."""
    try:
        return descend(seed)
    except NoFeasibleAssignmentError as error:
        return str(error)
