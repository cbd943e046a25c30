"""Consensus by average cluster consistency and constraint satisfaction (ACCCS)."""

import warnings
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
import sklearn
from scipy import sparse
from scipy.optimize import linear_sum_assignment
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval

from pluribus._engine import run_tasks, seeds
from pluribus._kernels.assignment.label_moves import climb, consistency, improve_labels, kick
from pluribus.consensus._shared.base import ConsensusMixin
from pluribus.consensus._shared.constrained_linkages import Goal
from pluribus.consensus._shared.cost import Cost
from pluribus.consensus._shared.repair_moves import link_and_repair
from pluribus.constraints import Closure, Constraints
from pluribus.constraints._internal import as_constraints
from pluribus.partitions import Ensemble, as_ensemble
from pluribus.partitions._internal import number_by_size

_SWEEPS, _ROUNDS = 5, 50
_CLIMB = 2e9  # operations of one sweep of single moves; larger problems have none
_KICKS, _KICKED = 10, 3  # random disturbances of a start at most, and moves of each
_KICKING = 1e7  # operations of one sweep of single moves, times the number of disturbances


class ConstrainedConsistency(ConsensusMixin, BaseEstimator):
    """Find the partition into which the clusters of the ensemble fit best while it breaks few constraints (ACCCS).

    It maximizes J = (1 - beta) ACC + beta CS. The average cluster consistency ACC is the share of each cluster of the
    ensemble that lies inside one cluster of the result, where large clusters of the result count less. CS is the
    weighted share of the preferences that are satisfied. Preferences (pairs with a finite weight) may be wrong or
    contradict each other. Hard constraints always hold.

    There are several starts: CEAC, k-means on the labels, and random ones. From each, all objects move to the clusters
    that most of their clusters fit into, given their preferences, while J rises; then single objects move. On small
    ensembles this is repeated after a few random moves.

    Prefer it if constraints may be wrong and clusters have about the same size. For elongated clusters and constraints
    that are right, see :class:`~pluribus.consensus.ConstrainedEvidenceAccumulation`.

    Parameters
    ----------
    n_clusters : int
        The largest number of clusters; empty ones are left out.
    beta : float, default=0.5
        The weight of the preferences, 0 to 1. ACC is at most 1 - 1/k: at 0.5 preferences outweigh the ensemble.
    n_init : int, default=20
        Number of starts.
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
        single objects after random moves.

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
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        beta: float = 0.5,
        n_init: int = 20,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = True,
    ) -> None:
        self.n_clusters = n_clusters
        self.beta = beta
        self.n_init = n_init
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, ensemble: Any, y: Any = None, *, constraints: Constraints | None = None) -> "ConstrainedConsistency":
        """Find the consensus of an ensemble.

        Parameters
        ----------
        ensemble : Ensemble, n × r labels, or list of label sequences
        y : ignored
        constraints : Constraints, optional
            Constraints on the n objects.
        """
        self._validate_params()
        ensemble = as_ensemble(ensemble)
        constraints = as_constraints(constraints, ensemble.n_objects)
        k = self._check_n_clusters(ensemble.n_objects)
        feasibility = constraints.check(k, allow_empty=False)
        if feasibility.status != "feasible":
            constraints.ensure_feasible(k, allow_empty=False)  # raises with the proof, or warns
        problem = _Problem.of(ensemble, constraints, k, self.beta)
        counted = ensemble.take_partitions(np.flatnonzero(ensemble.weights))  # partitions of weight 0 are ignored
        first = link_and_repair(counted, constraints, Goal(k, 0.0, feasibility.witness), verbose=False).labels
        if first.max() >= k:
            raise ValueError(
                f"No partition into {k} clusters was found that satisfies the hard constraints. Ask for more clusters, "
                "or give weights to some of the pairs."
            )
        first = number_by_size(first, k)
        own_seeds = seeds(self.random_state, self.n_init)
        ends = run_tasks(
            lambda t: problem.ascend(
                first if t == 0 else problem.start(own_seeds[t], first, random=t % 2 == 0),
                own_seeds[t],
            ),
            list(range(self.n_init)),
            n_jobs=self.n_jobs,
            description="consistency",
            verbose=self.verbose,
        )
        units, path = max(ends, key=lambda end: end[1][-1])
        labels = np.unique(units[problem.closure.chunk_of], return_inverse=True)[1]
        self.acc_, self.cs_ = problem.parts(units)
        self.objective_ = np.array(path)
        self.n_iter_ = len(path) - 1
        self._finish(ensemble, labels)
        self.violations_ = constraints.violations(self.labels_)
        return self


class _Problem(NamedTuple):
    """J as a function of the clusters of the L chunklets."""

    closure: Closure
    k: int
    share: float  # beta, or 0 without preferences
    preferences: sparse.csr_array  # (L, L) the gain of each pair if together
    constant: float  # of CS
    one_hot: sparse.csr_array  # (n, q)
    rows: sparse.csr_array  # (L, q) objects of each chunklet in each cluster
    partition_of: np.ndarray  # (q,)
    n_seen: np.ndarray  # (r,)
    weights: np.ndarray  # (r,)

    @classmethod
    def of(cls, ensemble: Ensemble, constraints: Constraints, k: int, beta: float) -> "_Problem":
        closure = constraints.closure()
        must, cannot = constraints.must_weight, constraints.cannot_weight
        total = must[np.isfinite(must)].sum() + cannot[np.isfinite(cannot)].sum()
        share = beta if total > 0 else 0.0
        scale = share / total if total > 0 else 0.0
        one_hot = sparse.csr_array(ensemble.one_hot())
        together = closure.chunk_of[constraints.must_link[np.isfinite(must)]].reshape(-1, 2)
        soft_must, soft_cannot = must[np.isfinite(must)], cannot[np.isfinite(cannot)]
        apart = closure.chunk_of[constraints.cannot_link[np.isfinite(cannot)]].reshape(-1, 2)
        # satisfied weight = must-links that are together + all cannot-links - those that are together
        inside = soft_must[together[:, 0] == together[:, 1]].sum() - soft_cannot[apart[:, 0] == apart[:, 1]].sum()
        return cls(
            closure,
            k,
            share,
            sparse.csr_array(closure.coupling * scale),
            float(scale * (inside + soft_cannot.sum())),
            one_hot,
            sparse.csr_array(closure.chunk_indicator @ one_hot),
            np.repeat(np.arange(ensemble.n_partitions), ensemble.n_clusters),
            (ensemble.labels >= 0).sum(axis=0).astype(np.float64),
            ensemble.weights,
        )

    def start(self, seed: int, feasible: np.ndarray, *, random: bool) -> np.ndarray:
        """k-means on the labels, or random labels; objects with cannot-links follow a feasible partition."""
        if random:
            drawn = np.random.default_rng(seed).integers(0, self.k, len(feasible))
        else:
            scaled = self.one_hot @ sparse.diags_array(np.sqrt(self.weights)[self.partition_of])
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                drawn = sklearn.cluster.KMeans(self.k, n_init=1, init="random", random_state=seed).fit_predict(scaled)
        table = np.zeros((self.k, self.k))
        np.add.at(table, (feasible, drawn), 1)
        renamed = linear_sum_assignment(-table)[1][feasible]
        bound = np.diff(self.closure.cannot_graph.indptr)[self.closure.chunk_of] > 0
        return np.where(bound, renamed, drawn)

    def ascend(self, labels: np.ndarray, seed: int) -> tuple[np.ndarray, list[float]]:
        """Labels of the chunklets that no step improves, and the path of J."""
        votes = self.closure.chunk_indicator @ np.eye(self.k)[labels]
        units = votes.argmax(axis=1)
        path = [self.objective(units)]
        hard, soft = self.closure.cannot_graph, self.preferences
        bound = np.flatnonzero((np.diff(hard.indptr) > 0) | (np.diff(soft.indptr) > 0))
        hard_ptr, hard_to, soft_ptr, soft_to = map(_long, (hard.indptr, hard.indices, soft.indptr, soft.indices))
        for _ in range(_ROUNDS):
            U = self._fit_of(units)
            new = U.argmax(axis=1)
            new[bound] = units[bound]
            improve_labels(U, bound, hard_ptr, hard_to, soft_ptr, soft_to, soft.data, new, _SWEEPS)
            value = self.objective(new)
            if value <= path[-1] + 1e-12:
                break
            units = new
            path.append(value)
        work = len(units) * self.k**2 * self.rows.shape[1]
        if work <= _CLIMB:
            new = self._climbed(units)
            if (new != units).any():
                units = new
                path.append(self.objective(units))
        rng = np.random.default_rng(seed)
        for _ in range(min(_KICKS, int(_KICKING / work))):
            new = units.copy()
            kick(rng.integers(0, len(new), _KICKED), rng.integers(0, self.k, _KICKED), hard_ptr, hard_to, new)
            new = self._climbed(new)
            value = self.objective(new)
            if value > path[-1] + 1e-12:
                units = new
                path.append(value)
        return units, path

    def _climbed(self, units: np.ndarray) -> np.ndarray:
        """The labels after all single moves that raise J."""
        hard, soft = self.closure.cannot_graph, self.preferences
        M, s = self._tables(units)
        units = units.copy()
        climb(
            M,
            s,
            self.partition_of,
            self.n_seen,
            self.weights,
            _long(self.rows.indptr),
            _long(self.rows.indices),
            self.rows.data,
            _long(hard.indptr),
            _long(hard.indices),
            _long(soft.indptr),
            _long(soft.indices),
            soft.data,
            self.share,
            units,
        )
        return units

    def parts(self, units: np.ndarray) -> tuple[float, float]:
        """ACC and CS."""
        M, s = self._tables(units)
        acc = consistency(M, s, self.partition_of, self.n_seen, self.weights)
        return acc, self._preferred(units) / self.share if self.share else 1.0

    def objective(self, units: np.ndarray) -> float:
        """J."""
        M, s = self._tables(units)
        acc = consistency(M, s, self.partition_of, self.n_seen, self.weights)
        return float((1 - self.share) * acc + (self._preferred(units) if self.share else 0.0))

    def _preferred(self, units: np.ndarray) -> float:
        pairs = self.preferences.tocoo()
        return self.constant + float(pairs.data[units[pairs.row] == units[pairs.col]].sum() / 2)

    def _tables(self, units: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Objects of each cluster in each cluster of the ensemble, and in each partition."""
        L = len(units)
        placed = sparse.csr_array((np.ones(L), (units, np.arange(L))), shape=(self.k, L))
        M = (placed @ self.rows).toarray()
        s = np.column_stack([np.bincount(self.partition_of, row, minlength=len(self.weights)) for row in M]).T
        return M, np.ascontiguousarray(s)

    def _fit_of(self, units: np.ndarray) -> np.ndarray:
        """The share of each chunklet in ACC for each cluster, with the clusters of the ensemble where they fit best."""
        M, s = self._tables(units)
        room = (1 - s / np.maximum(self.n_seen, 1))[:, self.partition_of]
        owner = (M * room).argmax(axis=0)
        q = len(owner)
        each = (self.weights / self.weights.sum() / np.maximum(self.n_seen, 1))[self.partition_of]
        value = (1 - self.share) * each * room[owner, np.arange(q)]
        return self.rows @ sparse.csr_array((value, (np.arange(q), owner)), shape=(q, self.k)).toarray()


def _long(array: np.ndarray) -> np.ndarray:
    return array.astype(np.int64)
