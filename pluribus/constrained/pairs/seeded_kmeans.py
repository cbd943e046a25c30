"""k-means from known labels (Seeded-KMeans and Constrained-KMeans)."""

import warnings
from typing import Any

import numpy as np

from pluribus._engine import seeds
from pluribus.constrained._shared.base import STARTS_PARAMETERS
from pluribus.constrained._shared.pair_descent import Problem
from pluribus.constrained._shared.pair_kmeans import ConstrainedKMeans
from pluribus.constrained._shared.pair_network import hard_network
from pluribus.constrained._shared.points import Points
from pluribus.constrained._shared.starts import from_neighborhoods
from pluribus.constraints import Closure, Constraints, Feasibility


class SeededKMeans(ConstrainedKMeans):
    """k-means that starts at the means of objects with known labels (Seeded-KMeans, Constrained-KMeans).

    Each class that is named by ``Constraints(labels=…)`` gets a cluster of its own, which starts at the mean of its
    objects. If there are no known labels, groups and chunklets of must-links serve as seeds, the heaviest and farthest
    from each other first. Clusters without a seed start as in k-means++.

    By default seeds stay in their cluster throughout, and all other hard constraints hold as well: this is
    Constrained-KMeans. With ``fixed=False`` what is known only says where to start, and any object may leave its
    seed, as suits labels with errors: this is Seeded-KMeans, which warns of what it did not keep, and ``violations_``
    tells it.

    Parameters
    ----------
    n_clusters : int, default=8
        At least the number of known classes.
    fixed : bool, default=True
        Whether seeds stay in their clusters.
    n_init : int, default=10
        Number of starts, where some clusters have no seed; else there is one.
    max_iter : int, default=300
        Of one start.
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

    _objective_scale = 2.0
    _parameter_constraints: dict = {
        **STARTS_PARAMETERS,
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

    @property
    def _binding(self) -> bool:
        return self.fixed

    def _check_feasible(self, constraints: Constraints, n_clusters: int | None = None) -> Feasibility:
        """Where constraints only say where to start, each class needs a cluster, and nothing else has to hold."""
        if not self.fixed:
            constraints = Constraints(constraints.n_objects, labels=constraints.labels)
        return super()._check_feasible(constraints, n_clusters)

    def _starts(self, points: Points, constraints: Constraints, closure: Closure) -> list[tuple[int, np.ndarray]]:
        chunks = _of_classes(constraints, closure)
        n_init = 1 if len(chunks) == self.n_clusters else self.n_init
        if not len(chunks):
            chunks = np.flatnonzero(closure.chunk_sizes > 1)
        return [
            (seed, points.centers(from_neighborhoods(points, chunks, self.n_clusters, seed)))
            for seed in seeds(self.random_state, n_init)
        ]

    def _problem(
        self, points: Points, constraints: Constraints, closure: Closure, witness: np.ndarray | None
    ) -> Problem:
        pinned = _of_classes(constraints, closure) if self.fixed else np.empty(0, dtype=np.int64)
        network, costs = hard_network(closure, self.n_clusters, also=pinned)
        barred = np.zeros((len(network.held), self.n_clusters))
        place = np.searchsorted(network.held, pinned)
        barred[place] = np.inf
        barred[place, np.arange(len(pinned))] = 0
        return Problem.of(points, network, costs, witness, barred)

    def _adopt(self, *found: Any) -> "ConstrainedKMeans":
        super()._adopt(*found)
        if self.violations_.n_hard:
            warnings.warn(
                f"{self.violations_.n_hard} hard constraints are broken, since fixed=False takes them as a start only; "
                "violations_ has them. Take fixed=True to make them hold.",
                UserWarning,
                stacklevel=3,
            )
        return self


def _of_classes(constraints: Constraints, closure: Closure) -> np.ndarray:
    """The chunklet of each known class; the cluster of a class has the place of the class."""
    known = np.flatnonzero(constraints.labels >= 0)
    return closure.chunk_of[known[np.unique(constraints.labels[known], return_index=True)[1]]]
