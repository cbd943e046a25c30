"""k-means from known labels (Seeded-KMeans and Constrained-KMeans)."""

import warnings
from typing import Any

import numpy as np

from pluribus._engine import seeds
from pluribus.constrained._shared.kmeans import ConstrainedKMeans
from pluribus.constrained._shared.pair_assignment import PairAssignment
from pluribus.constrained._shared.pair_network import hard_network
from pluribus.constrained._shared.parameters import STARTS
from pluribus.constrained._shared.points import Points
from pluribus.constrained._shared.starts import Start, from_neighborhoods
from pluribus.constraints import Closure, Constraints


class SeededKMeans(ConstrainedKMeans):
    """k-means that starts at the means of objects with known labels (Seeded-KMeans, Constrained-KMeans).

    Each class in ``Constraints(labels=…)`` gets a cluster of its own, which starts at the mean of its objects. If there
    are no known labels, groups and chunklets of must-links are the seeds, heavy and distant ones first. Clusters
    without a seed start as in k-means++. The inertia Σ_i ‖x_i - μ_{z_i}‖² is then minimized as in k-means.

    By default seeds stay in their cluster, and all other hard constraints hold as well: this is Constrained-KMeans.
    With ``fixed=False`` constraints only determine the start, and any object may leave its seed, which suits labels
    with errors: this is Seeded-KMeans. It warns if the result breaks constraints; see ``violations_``.

    Parameters
    ----------
    n_clusters : int, default=8
        At least the number of known classes.
    fixed : bool, default=True
        Whether seeds stay in their clusters.
    n_init : int, default=10
        Number of starts if some clusters have no seed; otherwise there is one start.
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
        Clusters are numbered from the largest.
    n_clusters_ : int
    cluster_centers_ : ndarray of shape (n_clusters, d)
    inertia_ : float
        Weighted sum of squared distances of the rows to their centers.
    objective_ : ndarray
        The inertia after each assignment of the best start.
    n_iter_ : int
    violations_ : Violations

    References
    ----------
    Basu, Banerjee and Mooney (2002), Semi-supervised clustering by seeding, ICML.

    Examples
    --------
    >>> from pluribus import Constraints
    >>> from pluribus.constrained import SeededKMeans
    >>> X = [[0], [1], [2], [8], [9], [5.5]]
    >>> known = Constraints(6, labels=["low", None, None, "high", None, "low"])
    >>> SeededKMeans(2).fit(X, constraints=known).labels_.tolist()
    [0, 0, 0, 1, 1, 0]
    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     SeededKMeans(2, fixed=False).fit(X, constraints=known).violations_.split_labels
    ('low',)
    """

    known_as = {"constrained-kmeans": {"fixed": True}, "seeded-kmeans": {"fixed": False}}
    suits = "Known labels of some objects: enforced, or only as a start."

    _parameter_constraints: dict = {
        **STARTS,
        "fixed": ["boolean"],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        fixed: bool = True,
        n_init: int = 10,
        max_iter: int = 300,
        tol: float = 1e-4,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = True,
    ) -> None:
        self.n_clusters = n_clusters
        self.fixed = fixed
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(
        self, X: Any, y: Any = None, *, constraints: Constraints | None = None, sample_weight: Any = None
    ) -> "SeededKMeans":
        """Cluster X.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
        y : ignored
        constraints : Constraints, optional
            Labels of some of the n rows, or other hard constraints.
        sample_weight : array of shape (n,), optional
            How much each row counts.
        """
        given = self._check_given(X, constraints, sample_weight)
        self._refuse_soft_pairs(given.constraints)
        # With fixed=False each class needs a cluster, and no other constraint has to hold.
        enforced = given.constraints if self.fixed else Constraints(len(given.weights), labels=given.constraints.labels)
        witness = self._check_feasible(enforced).witness
        closure = given.constraints.closure(self.n_clusters if self.fixed else None)
        points = Points.of(given, closure)
        classes = _chunklets_of_classes(given.constraints, closure)
        starts = self._starts(points, classes, closure)
        if not self.fixed:  # Seeded-KMeans is plain k-means from these starts
            closure, classes = Constraints(len(given.weights)).closure(), classes[:0]
            points = Points.of(given, closure)
        cannot_links, costs = hard_network(closure, self.n_clusters, also=classes)
        seeds_stay = _seeds_stay(cannot_links.nodes, classes, self.n_clusters)
        assignment = PairAssignment.of(points, cannot_links, costs, closure, witness, seeds_stay)
        best = self._best_run(
            starts,
            assign=assignment.cheapest,  # nearest centers; Constrained-KMeans: seeds stay
            update=assignment.means,
            variance=points.variance,
        )
        self._set_kmeans_result(given, closure, assignment, best)
        self.objective_ = 2 * best.path
        self._warn_of_violations()
        return self

    def _starts(self, points: Points, classes: np.ndarray, closure: Closure) -> list[Start]:
        """The means of the seeds, and drawn centers for clusters without a seed."""
        n_init = 1 if len(classes) == self.n_clusters else self.n_init
        neighborhoods = classes if len(classes) else np.flatnonzero(closure.chunk_sizes > 1)
        return [
            Start(seed, points.centers(from_neighborhoods(points, neighborhoods, self.n_clusters, seed)))
            for seed in seeds(self.random_state, n_init)
        ]

    def _warn_of_violations(self) -> None:
        if self.violations_.n_hard:
            warnings.warn(
                f"{self.violations_.n_hard} hard constraints are broken, because fixed=False uses them only as a "
                "start; see violations_. Use fixed=True to enforce them.",
                UserWarning,
                stacklevel=3,
            )


def _chunklets_of_classes(constraints: Constraints, closure: Closure) -> np.ndarray:
    """The chunklet of each known class; class h starts cluster h."""
    known = np.flatnonzero(constraints.labels >= 0)
    return closure.chunk_of[known[np.unique(constraints.labels[known], return_index=True)[1]]]


def _seeds_stay(nodes: np.ndarray, classes: np.ndarray, n_clusters: int) -> np.ndarray:
    """Infinite costs for the chunklet of class h in all clusters but h, for each node (rows) and cluster."""
    barred = np.zeros((len(nodes), n_clusters))
    place = np.searchsorted(nodes, classes)
    barred[place] = np.inf
    barred[place, np.arange(len(classes))] = 0
    return barred
