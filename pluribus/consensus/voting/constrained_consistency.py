"""Consensus by average cluster consistency and constraint satisfaction (ACCCS)."""

from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval, StrOptions

from pluribus._engine import run_tasks, seeds
from pluribus.consensus._shared.base import ConsensusMixin
from pluribus.consensus._shared.constrained_linkages import Goal
from pluribus.consensus._shared.cost import Cost
from pluribus.consensus._shared.features import check_features
from pluribus.consensus._shared.repair_moves import link_and_repair
from pluribus.consensus.voting._consistency_problem import Problem
from pluribus.consensus.voting._genetic import evolve
from pluribus.constraints import Constraints
from pluribus.constraints._internal import as_constraints
from pluribus.partitions import as_ensemble
from pluribus.partitions._internal import number_by_size
from pluribus.tables import Rows


class ConstrainedConsistency(ConsensusMixin, BaseEstimator):
    """Find the partition into which the clusters of the ensemble fit best while it breaks few constraints (ACCCS).

    It maximizes J = (1 - beta) ACC + beta CS. The average cluster consistency ACC is the share of each cluster of the
    ensemble that lies inside one cluster of the result, where large clusters of the result count less. CS is the
    weighted share of the preferences that are satisfied. Preferences (pairs with a finite weight) may be wrong or
    contradict each other. Hard constraints always hold.

    There are several starts: CEAC, k-means on the labels, and random ones. From each, all objects move to the clusters
    that most of their clusters fit into, given their preferences, while J rises; then single objects move. On small
    ensembles this is repeated after a few random moves. ``solver="genetic"`` and ``init="features"`` are the source's
    search and its starts.

    Prefer it if constraints may be wrong and clusters have about the same size. For elongated clusters and constraints
    that are right, see :class:`~pluribus.consensus.ConstrainedEvidenceAccumulation`.

    Parameters
    ----------
    n_clusters : int
        The largest number of clusters; empty ones are left out.
    beta : float, default=0.5
        The weight of the preferences, 0 to 1. ACC is at most 1 - 1/k: at 0.5 preferences outweigh the ensemble.
    normalize_acc : bool
        Divide ACC by 1 - 1/k in J, so that both parts reach 1.
    solver : {"ascent", "genetic"}
        "genetic" is the search of the source: parents are drawn by J and exchange the ends of their labels with
        probability 0.8, labels change with probability 0.01, and the best of parents and children remain. "ascent"
        finds higher J.
    init : {"labels", "features"}
        Starts by k-means on the labels, and random ones; or all by k-means on the features, as in the source, which
        ``fit`` then needs.
    n_init : int, default=20
        Number of starts; the size of the population.
    max_iter : int, default=100
        Generations of "genetic".
    random_state : int, RandomState or None
    n_jobs : int, optional
        Cores for the starts; the result does not depend on it.
    verbose : bool
        Show progress (only on a terminal).

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Clusters are numbered from the largest.
    n_clusters_ : int
    membership_ : ndarray of shape (n, n_clusters_)
        Mean evidence of each object for each cluster, normalized.
    uncertainty_ : ndarray of shape (n,)
        Normalized entropy of the memberships, 0 to 1.
    violations_ : Violations
        Broken constraints: soft ones only.
    acc_, cs_ : float
        Both parts of J; without preferences CS is 1, and J is ACC.
    objective_ : ndarray of shape (n_iter_ + 1,)
        J of the best start, at its beginning and after each round.
    n_iter_ : int
        Rounds that changed the partition. A round moves all objects at once, or single objects until no move helps, or
        single objects after random moves; for "genetic", the number of generations.

    References
    ----------
    Duarte, Fred and Duarte, "Combining data clusterings with instance level constraints", PRIS 2009.

    Examples
    --------
    >>> from pluribus import Constraints
    >>> from pluribus.consensus import ConstrainedConsistency
    >>> labels = [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1, 2]]
    >>> wanted = Constraints(6, must_link=[(0, 1)], cannot_link=[(2, 3), (0, 2)], must_weight=1, cannot_weight=1)
    >>> acccs = ConstrainedConsistency(2, random_state=0).fit(labels, constraints=wanted)
    >>> print(round(acccs.objective_[-1] * 72, 6), acccs.cs_)
    49.0 1.0
    """

    known_as = {"acccs": {}}
    suits = "Constraints that may be wrong, and clusters of about the same size."
    cost = Cost(seconds=100, objects=2)
    takes_constraints = True

    _parameter_constraints: dict = {
        "n_clusters": [Interval(Integral, 1, None, closed="left"), None],
        "beta": [Interval(Real, 0, 1, closed="both")],
        "normalize_acc": ["boolean"],
        "solver": [StrOptions({"ascent", "genetic"})],
        "init": [StrOptions({"labels", "features"})],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 0, None, closed="left")],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        beta: float = 0.5,
        normalize_acc: bool = False,
        solver: str = "ascent",
        init: str = "labels",
        n_init: int = 20,
        max_iter: int = 100,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = True,
    ) -> None:
        self.n_clusters = n_clusters
        self.beta = beta
        self.normalize_acc = normalize_acc
        self.solver = solver
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @property
    def takes_data(self) -> bool:
        """Whether it starts from the features."""
        return self.init == "features"

    def fit(
        self, ensemble: Any, y: Any = None, *, constraints: Constraints | None = None, X: Any = None
    ) -> "ConstrainedConsistency":
        """Find the consensus of an ensemble.

        Parameters
        ----------
        ensemble : Ensemble, n × r labels, or list of label sequences
        y : ignored
        constraints : Constraints, optional
            Constraints on the n objects.
        X : array or csr matrix of n rows, optional
            Features, for ``init="features"``.
        """
        self._validate_params()
        ensemble = as_ensemble(ensemble)
        constraints = as_constraints(constraints, ensemble.n_objects)
        k = self._check_n_clusters(ensemble.n_objects)
        feasibility = constraints.check(k, allow_empty=False)
        if feasibility.status != "feasible":
            constraints.ensure_feasible(k, allow_empty=False)  # raises with the proof, or warns
        X = self._check_features(X, ensemble.n_objects)
        problem = Problem.of(ensemble, constraints, k, self.beta, normalize_acc=self.normalize_acc)
        counted = ensemble.take_partitions(np.flatnonzero(ensemble.weights))  # partitions of weight 0 are ignored
        first = link_and_repair(counted, constraints, Goal(k, 0.0, feasibility.witness), verbose=False).labels
        if first.max() >= k:
            raise ValueError(
                f"No partition into {k} clusters was found that satisfies the hard constraints. Ask for more clusters, "
                "or give weights to some of the pairs."
            )
        own_seeds = seeds(self.random_state, self.n_init + 1)
        starts = self._starts(problem, number_by_size(first, k), X, own_seeds)
        search = self._evolve if self.solver == "genetic" else self._ascend
        units, path = search(problem, starts, own_seeds)
        labels = np.unique(units[problem.closure.chunk_of], return_inverse=True)[1]
        self.acc_, self.cs_ = problem.parts(units)
        self.objective_ = np.array(path)
        self.n_iter_ = len(path) - 1
        self._finish(ensemble, labels)
        self.violations_ = constraints.violations(self.labels_)
        return self

    def _check_features(self, X: Any, n: int) -> Any:
        if self.init == "labels":
            return None
        if X is None or isinstance(X, Rows):
            raise ValueError(
                "init='features' needs the features in memory: fit(ensemble, X=X). Without them use init='labels'."
            )
        return check_features(X, n)

    def _starts(self, problem: Problem, first: np.ndarray, X: Any, own_seeds: list[int]) -> list[np.ndarray]:
        """Partitions that satisfy all hard constraints."""

        def start(t: int) -> np.ndarray:
            if X is None and t == 0:
                return first
            return problem.start(own_seeds[t], first, X, random=X is None and t % 2 == 0)

        return run_tasks(start, list(range(self.n_init)), n_jobs=self.n_jobs, verbose=False)

    def _ascend(
        self, problem: Problem, starts: list[np.ndarray], own_seeds: list[int]
    ) -> tuple[np.ndarray, list[float]]:
        ends = run_tasks(
            lambda t: problem.ascend(starts[t], own_seeds[t]),
            list(range(self.n_init)),
            n_jobs=self.n_jobs,
            description="consistency",
            verbose=self.verbose,
        )
        return max(ends, key=lambda end: end[1][-1])

    def _evolve(
        self, problem: Problem, starts: list[np.ndarray], own_seeds: list[int]
    ) -> tuple[np.ndarray, list[float]]:
        population = np.array([problem.units_of(labels) for labels in starts])
        return evolve(population, problem, self.max_iter, np.random.default_rng(own_seeds[-1]), verbose=self.verbose)
