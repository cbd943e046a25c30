"""k-means with hard must-links and cannot-links (COP-KMeans)."""

from typing import Any

import numpy as np
from sklearn.utils._param_validation import StrOptions

from pluribus.constrained._shared.errors import NoFeasibleAssignmentError
from pluribus.constrained._shared.kmeans import ConstrainedKMeans, KMeansRun
from pluribus.constrained._shared.label_centers import in_order_of_labels
from pluribus.constrained._shared.pair_assignment import PairAssignment
from pluribus.constrained._shared.pair_network import hard_network
from pluribus.constrained._shared.parameters import FIRST_CENTERS, STARTS
from pluribus.constrained._shared.points import Points
from pluribus.constrained._shared.starts import Start, starts
from pluribus.constrained.pairs._in_order import VisitInOrder
from pluribus.constraints import ConstraintError, Constraints
from pluribus.constraints._internal import allowed_clusters


class CopKMeans(ConstrainedKMeans):
    """k-means whose result satisfies every must-link and every cannot-link (COP-KMeans).

    It minimizes the inertia Σ_i ‖x_i - μ_{z_i}‖² over the labels z and the centers μ, subject to z_i = z_j for every
    must-link and z_i ≠ z_j for every cannot-link.

    Must-links make chunklets, and each chunklet is one weighted point: this is exact, and only changes the speed.
    Chunklets that cannot-links join are assigned jointly. Where the cannot-links form trees, or small components with
    cycles, the assignment is the cheapest one for the given centers. Elsewhere it is greedy along a safe order and then
    improved by exchanges; if the greedy assignment reaches a dead end, other orders are tried, and then an assignment
    known to be feasible, matched to the centers. The objective never rises. The exact assignments do not depend on the
    order of the rows.

    Prefer it when the constraints are certain and the clusters are roughly round. All constraints are enforced: if some
    may be wrong, see :class:`PairwiseKMeans`. Without constraints it is k-means.

    Parameters
    ----------
    n_clusters : int, default=8
    assignment : {"joint", "in-order"}
        How objects are assigned to centers. "in-order" is the published algorithm: row by row, each object joins the
        nearest cluster that breaks no constraint with the objects before it. It may end in a dead end although an
        assignment exists; the start is then lost, and an error is raised if all are. The objective may rise, and the
        result depends on the order of the rows.
    init : {"k-means++"} or array of shape (n_clusters, d)
        The first centers: drawn, or given. Given ones make one start.
    n_init : int, default=10
        Number of starts; the result with the lowest inertia is kept.
    max_iter : int, default=300
        Iterations of one start.
    tol : float, default=1e-4
        A start ends when its centers move less than this, relative to the variance of the data.
    random_state : int, RandomState, Generator or None
    n_jobs : int, optional
        Cores for the starts; the result does not depend on it.
    verbose : bool, default=True
        Show progress (only on a terminal).

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Clusters are numbered from the largest, or like the ``classes`` of the constraints if these state allowed
        labels.
    n_clusters_ : int
    cluster_centers_ : ndarray of shape (n_clusters, d)
    inertia_ : float
        Weighted sum of squared distances of the rows to their centers.
    objective_ : ndarray
        The inertia after each assignment of the best start.
    n_iter_ : int
    n_dead_ends_ : int
        Starts that were lost; 0 unless objects are assigned in order.
    violations_ : Violations
        None: all constraints hold.

    References
    ----------
    Wagstaff, Cardie, Rogers and Schrödl (2001), Constrained k-means clustering with background knowledge, ICML.

    Examples
    --------
    >>> from pluribus import Constraints
    >>> from pluribus.constrained import CopKMeans
    >>> X = [[0, 0], [1, 0], [0, 3], [1, 3]]
    >>> CopKMeans(2, random_state=0).fit(X).inertia_
    1.0
    >>> known = Constraints(4, must_link=[(0, 2), (1, 3)])
    >>> model = CopKMeans(2, random_state=0).fit(X, constraints=known)
    >>> model.labels_.tolist(), model.inertia_
    ([0, 1, 0, 1], 9.0)
    """

    known_as = {"cop-kmeans": {}}
    keeps = ("pairs", "allowed labels")
    suits = "Pairs that must hold, and roughly round clusters."

    _parameter_constraints: dict = {
        **STARTS,
        "assignment": [StrOptions({"joint", "in-order"})],
        **FIRST_CENTERS,
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        assignment: str = "joint",
        init: Any = "k-means++",
        n_init: int = 10,
        max_iter: int = 300,
        tol: float = 1e-4,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = True,
    ) -> None:
        self.n_clusters = n_clusters
        self.assignment = assignment
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(
        self, X: Any, y: Any = None, *, constraints: Constraints | None = None, sample_weight: Any = None
    ) -> "CopKMeans":
        """Cluster X.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
        y : ignored
        constraints : Constraints, optional
            Hard must-links and cannot-links, groups, known and allowed labels of the n rows. If there are allowed
            labels, each label is a cluster.
        sample_weight : array of shape (n,), optional
            How much each row counts.
        """
        given = self._check_given(X, constraints, sample_weight)
        self._refuse_soft_pairs(given.constraints)
        witness = self._check_feasible(given.constraints).witness
        in_order = self.assignment == "in-order"
        closure = given.constraints.closure(None if in_order else self.n_clusters)
        points = Points.of(given, closure)  # must-links: a chunklet is one weighted point
        first = starts(self.init, points, self.n_clusters, self.random_state, self.n_init)
        may = allowed_clusters(given.constraints, closure, self.n_clusters)
        bound = np.empty(0, np.int64) if may is None else np.flatnonzero(~may.all(axis=1))
        cannot_links, costs = hard_network(closure, self.n_clusters, also=bound)
        barred = None if may is None else np.where(may[cannot_links.nodes], 0, np.inf)
        assignment = PairAssignment.of(points, cannot_links, costs, closure, witness, barred)
        if may is not None:
            first = self._by_label(first, points, bound, may[bound])
        self.n_dead_ends_ = 0
        if in_order:
            best = self._best_in_order(first, VisitInOrder.of(points, closure, given.X))
        else:
            best = self._best_run(
                first,
                assign=assignment.cheapest,  # nearest centers, subject to the cannot-links
                update=assignment.means,
                variance=points.variance,
            )
        self._set_kmeans_result(given, closure, assignment, best, by_label=may is not None)
        self.objective_ = 2 * best.path
        return self

    def _by_label(self, first: list[Start], points: Points, bound: np.ndarray, may: np.ndarray) -> list[Start]:
        """The starts, with the centers in the order of the labels; given ones are in this order."""
        if self.assignment == "in-order":
            raise ConstraintError("assignment='in-order' does not keep allowed labels: use assignment='joint'.")
        if not isinstance(self.init, str):
            return first
        return [
            Start(seed, in_order_of_labels(centers, points.half_distances(centers, bound), may))
            for seed, centers in first
        ]

    def _best_in_order(self, first: list[Start], visit: VisitInOrder) -> KMeansRun:
        """Table 1.1 in the book from each start; the run with the lowest objective among those without a dead end."""
        runs = []
        for start in first:
            try:
                how: Any = {"assign": visit.assign, "update": visit.means, "variance": visit.points.variance}
                runs.append(self._best_run([start], **how))
            except NoFeasibleAssignmentError as error:
                self.n_dead_ends_ += 1
                dead_end = error
        if not runs:
            raise NoFeasibleAssignmentError(f"all {len(first)} starts failed: {dead_end}")
        return min(runs, key=lambda run: run.path[-1])
