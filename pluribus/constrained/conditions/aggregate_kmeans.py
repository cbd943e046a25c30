"""k-means whose clusters all satisfy conditions on counts and aggregates of attributes."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import sklearn
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from pluribus._engine import run_tasks, seeds
from pluribus.constrained._shared.base import checked_rows
from pluribus.constrained._shared.errors import NoFeasibleAssignmentError
from pluribus.constrained._shared.parameters import AT_LEAST_ONE, STARTS
from pluribus.constrained.conditions._admissible import deal, refine
from pluribus.constrained.conditions._aggregate_points import AggregateRun, Points
from pluribus.constrained.conditions._aggregate_starts import Start, drawn_start, given_start
from pluribus.constrained.conditions._conditions import Condition
from pluribus.constrained.conditions._count_classes import Assigns
from pluribus.constrained.conditions._requirements import Requirements
from pluribus.constrained.conditions._solvers import Solver, choose_solver
from pluribus.constraints import InfeasibleError
from pluribus.partitions._internal import order_by_size
from pluribus.tables._internal import check_scale

_NO_VALID_START = (
    "no valid start was found, though the problem may still be feasible: use fewer clusters, relax the conditions, or "
    "give labels that satisfy them (init)"
)


class AggregateConstrainedKMeans(ClusterMixin, BaseEstimator):
    """k-means in which every cluster satisfies conditions on counts, sums or the diversity of attributes.

    "Each territory has at least 50 frequent customers", "each group has at least 5 rows and 2 different diagnoses". It
    minimizes the dispersion Σ_i ‖x_i - r_{z_i}‖², where r_h is the representative of cluster h, subject to the
    conditions in every cluster.

    Conditions on counts (``AtLeast``, and ``Aggregate`` of count, min and max) are satisfied by an exact assignment to
    the representatives, a flow, in each iteration. The source moves single rows instead and resolves deadlocks
    (``solver="pivot"``). For all other conditions, a first clustering is repaired until it satisfies them, and then
    improved by moves and swaps of rows that keep them satisfied.

    Prefer it when every cluster must be useful, or safe to publish. If you only need bounds on the sizes of clusters,
    use ``SizeConstrainedKMeans``: it takes must-links, weights and a bound for each cluster.

    Parameters
    ----------
    n_clusters : int, default=8
    conditions : sequence of conditions, default=()
        ``AtLeast``, ``Aggregate``, ``Distinct``, ``EntropyDiversity``, ``RecursiveDiversity``; all of them hold in
        every cluster. No cluster is empty, whatever the conditions.
    solver : {"flow", "pivot"}, default="flow"
        For conditions on counts: the cheapest assignment, or pivot movement as in the source.
    heuristic : {"random", "look-ahead"}, default="random"
        For ``solver="pivot"``: which row moves next.
    look_ahead : int, default=2
        For ``heuristic="look-ahead"``: how many moves are considered together.
    deadlock : bool, default=True
        For ``solver="pivot"``: whether rows are exchanged in cycles if no cluster can spare one.
    representative : {"mean", "median", "medoid"}, default="mean"
        With the mean, the dispersion sums squared distances; with the geometric median or the medoid (a row of the
        cluster), it sums distances. The latter two support only conditions on counts.
    micro_clusters : int, optional
        Group the rows into about this number of micro-clusters first, for speed; only for conditions on counts.
    init : {"k-means++"}, array of shape (n_clusters, d) or (n,)
        The start: drawn, given centers, or given labels. Given ones make one start.
    n_init : int, default=5
        Number of starts; the result with the lowest dispersion is kept.
    max_iter : int, default=100
        Iterations of one start.
    tol : float, default=1e-10
        A start ends when the dispersion falls by less than this share of its first value.
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
        The sum of squared distances of the rows to their means, or of distances for other representatives.
    slack_ : ndarray of shape (n_clusters, n_conditions)
        By how much each cluster exceeds each condition, in the condition's own unit (values, rows, a sum); inf if every
        clustering satisfies the condition.
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

    known_as: ClassVar[dict[str, dict[str, Any]]] = {"aggregate": {}}
    suits = "Clusters that must each satisfy conditions on counts, sums or the diversity of attributes."

    _parameter_constraints: dict = {
        **STARTS,
        "conditions": ["array-like", tuple, Condition],
        "solver": [StrOptions({"flow", "pivot"})],
        "heuristic": [StrOptions({"random", "look-ahead"})],
        "look_ahead": [AT_LEAST_ONE],
        "deadlock": ["boolean"],
        "representative": [StrOptions({"mean", "median", "medoid"})],
        "micro_clusters": [AT_LEAST_ONE, None],
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
            The features that distances are computed from.
        y : ignored
        attributes : data frame, structured array or dict of columns, optional
            The attributes in the conditions, for the n rows. By default the columns of X.
        """
        table = X if attributes is None else attributes
        X = checked_rows(self, X, sparse=False)
        check_scale(X)
        requirements = Requirements.of(self.conditions, len(X), table)
        requirements.ensure_feasible(self.n_clusters)
        shift = X.mean(axis=0, dtype=np.float64).astype(X.dtype)
        start = None if isinstance(self.init, str) else given_start(self.init, self.n_clusters, requirements, shift)
        is_one = start is not None or self.n_init == 1
        solver = choose_solver(self, X - shift, requirements, self.n_jobs if is_one else None)
        runs = run_tasks(
            lambda seed: self._attempt(solver, requirements, start, seed),
            [0] if start is not None else seeds(self.random_state, self.n_init),
            n_jobs=None if is_one else self.n_jobs,
            description=type(self).__name__,
            verbose=self.verbose,
        )
        valid = [run for run in runs if isinstance(run, AggregateRun)]
        if not valid:
            raise InfeasibleError(str(runs[0]), k=self.n_clusters)
        best = solver.points.decode(min(valid, key=lambda run: run.path[-1]))
        return self._set_result(X, shift, best, requirements)

    def _attempt(
        self, solver: Solver, requirements: Requirements, start: Start | None, seed: int
    ) -> AggregateRun | NoFeasibleAssignmentError:
        """The run from one start, or the error if no labels satisfy the conditions there."""
        points = solver.points
        labels, centers = start or drawn_start(points.rows, points.weights, self.n_clusters, seed)
        try:
            if solver.assignment is None:
                if labels is None:
                    labels = sklearn.metrics.pairwise_distances_argmin(points.rows, centers)
                return self._move_rows(points, requirements, labels)
            return self._alternate(points, solver.assignment(seed), labels, centers)
        except NoFeasibleAssignmentError as error:
            return error

    def _alternate(
        self, points: Points, assignment: Assigns, labels: np.ndarray | None, centers: np.ndarray
    ) -> AggregateRun:
        """Assign to fixed representatives under the conditions, update them, until the dispersion stops falling."""
        cost = np.empty((len(points.rows), self.n_clusters), points.rows.dtype)

        def assign(labels: np.ndarray | None) -> np.ndarray | None:
            points.costs(centers, cost)
            assigned = assignment(cost, labels)
            return None if assigned is None else points.repair(assigned)

        labels = assign(None) if labels is None else points.encode(labels)
        if labels is None:
            raise NoFeasibleAssignmentError(_NO_VALID_START)
        dispersion, centers = points.update(labels, centers)
        path, n_iter = [dispersion], 0
        while n_iter < self.max_iter:
            n_iter += 1
            assigned = assign(labels)  # min Σ_i ‖x_i - r_{z_i}‖² over z, subject to the conditions
            if assigned is None or (assigned == labels).all():
                break
            dispersion, moved = points.update(assigned, centers)  # the same over r
            if dispersion >= path[-1] - self.tol * path[0]:
                break
            labels, centers = assigned, moved
            path.append(dispersion)
        return AggregateRun(labels, centers, np.array(path), n_iter)

    def _move_rows(self, points: Points, requirements: Requirements, labels: np.ndarray) -> AggregateRun:
        """Repair the labels until they satisfy the conditions, then improve them by moves and swaps that keep them."""
        c = self.n_clusters
        valid = points.repair(labels)
        if valid is None:
            valid = points.repair(deal(points.rows, c, requirements))
        if valid is None:
            raise NoFeasibleAssignmentError(_NO_VALID_START)
        refined = refine(points.rows, valid, c, requirements, self.max_iter)
        _, centers = points.update(refined.labels, np.zeros((c, points.rows.shape[1])))
        return AggregateRun(refined.labels, centers, refined.path, max(1, len(refined.path) - 1))

    def predict(self, X: Any) -> np.ndarray:
        """The cluster of new rows: that of the nearest center. Conditions do not apply to new rows."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=[np.float64, np.float32], order="C", reset=False)
        shift = self.cluster_centers_.mean(axis=0).astype(X.dtype)  # far from 0, squares lose digits
        near = sklearn.metrics.pairwise_distances_argmin(X - shift, self.cluster_centers_.astype(X.dtype) - shift)
        return near.astype(np.int32)

    def _set_result(
        self, X: np.ndarray, shift: np.ndarray, best: AggregateRun, requirements: Requirements
    ) -> "AggregateConstrainedKMeans":
        centers = best.centers + shift
        if self.representative == "medoid":  # rows exactly as they were given
            centers = X[sklearn.metrics.pairwise_distances_argmin(best.centers.astype(X.dtype), X - shift)]
        order = order_by_size(best.labels, self.n_clusters)
        number = np.empty(self.n_clusters, np.int32)
        number[order] = np.arange(self.n_clusters)
        self.labels_ = number[best.labels]
        self.n_clusters_ = int(self.n_clusters)
        self.cluster_centers_ = centers[order].astype(X.dtype)
        self.dispersion_ = float(best.path[-1])
        self.slack_ = requirements.slack(self.labels_, self.n_clusters)
        self.objective_ = best.path
        self.n_iter_ = best.n_iter
        return self
