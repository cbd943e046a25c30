"""Consensus by pairwise probabilistic clustering (PPC)."""

import warnings
from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions

from pluribus._engine import number_array, run_tasks, seeds
from pluribus.consensus._shared.base import ConsensusMixin
from pluribus.consensus._shared.cost import Cost
from pluribus.consensus._shared.extend_labels import extend_labels
from pluribus.consensus.soft._membership_starts import average_link, check_init, mean_of_groups, sample, soften
from pluribus.consensus.soft._pair_fit import GroupedFit, fit_to_labels, fit_to_matrix
from pluribus.consensus.soft._simplex_descent import SOLVERS, FittedMemberships
from pluribus.evidence import CoAssociation
from pluribus.partitions import as_ensemble, harden

_MAX_ITER = {"projected_gradient": 500, "baum_eagon": 2000}
_FINISH_ALL_UP_TO = 5_000  # distinct objects; with more, the starts compete on a sample
_FINALISTS = 3
_ROUGH = 1e-3  # change of memberships at which a start on the sample stops
_DIFFERENT = 1e-4  # relative difference of the objectives of two different optima


class PairwiseProbabilistic(ConsensusMixin, BaseEstimator):
    """Find memberships for which the probability that two objects are together fits their evidence.

    If object i is in cluster k with probability y_ik, and objects are independent, then i and j are together with
    probability y_i·y_j. The memberships fit the observed shares c_ij in least squares over all pairs: min ‖C - Y Yᵀ‖².
    If the partitions disagree about an object, its probability is spread over several clusters, so ``uncertainty_``
    shows where the consensus is ambiguous.

    Products with C are computed from the labels: an iteration takes O(n r k) time and builds no n × n matrix, even if
    labels are missing. Equal objects are collapsed. The problem has many local minima, so there are several starts, and
    the best is kept. With more than 5,000 distinct objects the starts compete on a sample of 2,000 objects, because
    descent from random memberships of very many objects stays long near the uniform solution. The best three different
    optima are extended to all objects and refined, and the best is kept.

    Prefer it for a soft consensus, or if the ensemble mixes good and bad clusterings, for which linkage on the evidence
    breaks down. The number of clusters is required. Do not use it if the partitions split clusters into many pieces
    that are seldom joined (rings, long bars): memberships cannot express chains, but evidence accumulation with single
    link can. Soft partitions enter by their labels of highest membership.

    Parameters
    ----------
    n_clusters : int
    solver : {"projected_gradient", "baum_eagon"}
        "baum_eagon" is the multiplicative update of the source with an adaptive constant; it takes more iterations.
    init : {"auto", "dirichlet", "average"}, labels (n,) or memberships (n, n_clusters)
        "dirichlet": ``n_init`` random starts, rows uniform on the simplex. "average": one start from average link on
        the evidence (of at most 2,000 objects; others join the cluster of highest mean evidence). "auto": both. Labels
        or memberships: a single start.
    n_init : int
        Number of random starts.
    max_iter : int, default 500 for "projected_gradient" and 2,000 for "baum_eagon"
    tol : float
        Stop when no membership changes by more and the relative decrease of the objective is less than 1e-7.
    pair_weights : "counts", None, or symmetric array (n, n)
        The weight of a pair in the fit. "counts": the number of partitions that cover both objects, so that pairs that
        no partition covers have weight 0; without missing labels all weights are equal, as in the source. None: equal
        weights even if labels are missing; needs the dense matrix, so it is for small n.
    diagonal : bool
        Whether the pairs (i, i) belong to the fit, as in the source. Their evidence is always 1, which pulls
        memberships towards 0 and 1.
    random_state : int, RandomState, Generator or None
    n_jobs : int, optional
        Starts that run at a time. The result does not depend on it.
    verbose : bool
        Show progress (only on a terminal).

    Attributes
    ----------
    membership_ : ndarray of shape (n, n_clusters)
        Rows sum to 1.
    labels_ : ndarray of shape (n,)
        The cluster of highest membership; clusters are numbered from the largest.
    uncertainty_ : ndarray of shape (n,)
        Normalized entropy of the memberships, 0 to 1.
    n_clusters_ : int
    n_effective_clusters_ : int
        Clusters with some membership.
    objective_ : ndarray of shape (n_iter_ + 1,)
        The sum of squares at the start and after each iteration; it never rises. With missing labels and
        ``pair_weights="counts"`` it is over single observations instead of pairs, which adds a constant.
    n_iter_ : int
    converged_ : bool

    References
    ----------
    Rota Bulò, Lourenço, Fred and Pelillo, "Pairwise probabilistic clustering using evidence accumulation",
    S+SSPR 2010.

    Examples
    --------
    >>> from pluribus.consensus import PairwiseProbabilistic
    >>> ppc = PairwiseProbabilistic(2, random_state=0).fit([[0, 0, 1], [0, 1, 1]])
    >>> ppc.membership_[1].round(3).tolist(), ppc.uncertainty_.round(3).tolist()
    ([0.5, 0.5], [0.0, 1.0, 0.0])
    >>> round(float(ppc.objective_[-1]), 6)
    0.25
    """

    known_as = {"ppc": {}}
    suits = "Memberships of objects between clusters, also if some partitions are poor."
    cost = Cost(seconds=9, objects=1)

    _parameter_constraints: dict = {
        "n_clusters": [Interval(Integral, 1, None, closed="left"), None],
        "solver": [StrOptions(set(SOLVERS))],
        "init": [StrOptions({"auto", "dirichlet", "average"}), "array-like"],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left"), None],
        "tol": [Interval(Real, 0, None, closed="left")],
        "pair_weights": [StrOptions({"counts"}), "array-like", None],
        "diagonal": ["boolean"],
        "random_state": ["random_state", np.random.Generator],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        solver: str = "projected_gradient",
        init: Any = "auto",
        n_init: int = 10,
        max_iter: int | None = None,
        tol: float = 1e-5,
        pair_weights: Any = "counts",
        diagonal: bool = True,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = True,
    ) -> None:
        self.n_clusters = n_clusters
        self.solver = solver
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.pair_weights = pair_weights
        self.diagonal = diagonal
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, ensemble: Any, y: Any = None) -> "PairwiseProbabilistic":
        """Find the consensus of an ensemble.

        Parameters
        ----------
        ensemble : Ensemble, n × r labels, list of label sequences, CoAssociation, or sparse matrix of evidence
            Pass a dense matrix of evidence as ``CoAssociation.from_matrix(C)``, because an array is taken as labels.
            Entries that a sparse matrix does not store are evidence 0. All pairs of a matrix have the same weight,
            unless ``pair_weights`` is an array.
        y : ignored
        """
        self._validate_params()
        evidence = _evidence_of(ensemble)
        k = self._check_n_clusters(evidence.shape[0])
        weight = None
        if self.pair_weights is not None and not isinstance(self.pair_weights, str):
            weight = _check_pair_weights(self.pair_weights, evidence.shape[0])
        problem = self._pose(evidence, weight)
        self._check_known(evidence, problem)
        seed = seeds(self.random_state, 1)[0]
        if len(problem.fit.sizes) > _FINISH_ALL_UP_TO and isinstance(self.init, str) and k > 1:
            starts = self._heats(evidence, problem, weight, k, seed)
        else:
            starts = self._starts(evidence, problem, k, seed)
        best = self._descend(problem, starts, k)[0]
        membership = best.membership[problem.inverse]
        self.objective_ = np.array(best.path)
        self.n_iter_ = len(best.path) - 1
        self.converged_ = best.converged
        self.n_effective_clusters_ = int((membership.max(axis=0) > 1e-6).sum())
        labels = harden(membership)
        self._warn(k, len(np.unique(labels)))
        return self._finish(evidence, labels, membership)

    def _check_known(self, evidence: CoAssociation, problem: GroupedFit) -> None:
        """Refuse objects without a weighted pair; warn if pairs count that no partition covers."""
        unknown = np.flatnonzero(problem.fit.row_weight[problem.inverse] <= 1e-12)
        if unknown.size and evidence.shape[0] > 1:
            raise ValueError(
                f"{unknown.size} objects have no pair of positive weight (the first are {unknown[:5].tolist()}), so "
                "they cannot be clustered. Drop them, or give weight to pairs or partitions that contain them."
            )
        if self.pair_weights is None and evidence.n_unobserved_pairs:
            warnings.warn(
                f"{evidence.n_unobserved_pairs} pairs of objects are covered by no partition; with "
                "pair_weights=None they count as evidence of being apart. Use pair_weights='counts'.",
                UserWarning,
                stacklevel=3,
            )

    def _pose(self, evidence: CoAssociation, weight: np.ndarray | None) -> GroupedFit:
        """The least-squares problem, equal objects collapsed."""
        if evidence.ensemble is None or evidence.form == "neighbors" or weight is not None:
            return fit_to_matrix(evidence, weight=weight, diagonal=self.diagonal)
        by_counts = self.pair_weights is not None
        return fit_to_labels(evidence.ensemble, by_counts=by_counts, diagonal=self.diagonal, n_jobs=self.n_jobs)

    def _starts(self, evidence: CoAssociation, problem: GroupedFit, k: int, seed: int) -> list[Any]:
        """Each start is a seed of random memberships, or the memberships themselves, (groups, k)."""
        n, n_groups = evidence.shape[0], len(problem.fit.sizes)
        if k == 1:
            return [np.ones((n_groups, 1))]
        if not isinstance(self.init, str):
            return [mean_of_groups(check_init(self.init, n, k), problem.inverse, n_groups)]
        *random, sampling = seeds(seed, self.n_init + 1)
        if self.init == "dirichlet":
            return random
        index = sample(n, k, sampling)
        linked = extend_labels(evidence, index, average_link(evidence.submatrix(index), k), k, n_jobs=self.n_jobs)
        start = mean_of_groups(soften(linked, k), problem.inverse, n_groups)
        return [start] if self.init == "average" else [start, *random]

    def _heats(
        self, evidence: CoAssociation, problem: GroupedFit, weight: np.ndarray | None, k: int, seed: int
    ) -> list[Any]:
        """For many objects: run the starts on a sample, and extend the best different ends to all objects."""
        n, n_groups = evidence.shape[0], len(problem.fit.sizes)
        index = sample(n, k, seeds(seed, self.n_init + 2)[-1])
        part = _restrict(evidence, index)
        heat = self._pose(part, None if weight is None else weight[np.ix_(index, index)])
        ends = self._descend(heat, self._starts(part, heat, k, seed), k, rough=True)
        chosen = [ends[0]]
        for end in ends[1:]:
            if len(chosen) < _FINALISTS and end.objective > chosen[-1].objective * (1 + _DIFFERENT):
                chosen.append(end)
        starts = []
        for end in chosen:
            labels = extend_labels(evidence, index, harden(end.membership)[heat.inverse], k, n_jobs=self.n_jobs)
            starts.append(mean_of_groups(soften(labels, k), problem.inverse, n_groups))
        return starts

    def _descend(
        self, problem: GroupedFit, starts: list[Any], k: int, *, rough: bool = False
    ) -> list[FittedMemberships]:
        """The ends of all starts, the lowest first."""
        solve = SOLVERS[self.solver]
        max_iter = self.max_iter if self.max_iter is not None else _MAX_ITER[self.solver]
        tol = max(self.tol, _ROUGH) if rough else self.tol

        def run(start: Any) -> FittedMemberships:
            if not isinstance(start, np.ndarray):
                start = np.random.default_rng(start).dirichlet(np.ones(k), len(problem.fit.sizes))
            return solve(problem.fit, start, max_iter, tol)

        ends = run_tasks(run, starts, n_jobs=self.n_jobs, description="PPC starts", verbose=self.verbose)
        return sorted(ends, key=lambda end: end.objective)

    def _warn(self, k: int, n_used: int) -> None:
        if not self.converged_:
            warnings.warn(
                f"PPC stopped after {self.n_iter_} iterations before it converged; raise max_iter or tol.",
                ConvergenceWarning,
                stacklevel=3,
            )
        if n_used < k:
            warnings.warn(
                f"Only {n_used} of the {k} clusters have objects; the evidence does not support more.",
                ConvergenceWarning,
                stacklevel=3,
            )


def _evidence_of(ensemble: Any) -> CoAssociation:
    """The input as evidence; no matrix is built for an ensemble."""
    if isinstance(ensemble, CoAssociation):
        return ensemble
    if sparse.issparse(ensemble):
        return CoAssociation.from_matrix(ensemble)
    if isinstance(ensemble, np.ndarray) and ensemble.dtype.kind == "f" and (ensemble % 1 > 0).any():
        raise ValueError(
            "The array has fractions, so it does not hold labels. If it is a matrix of evidence, pass "
            "CoAssociation.from_matrix(C)."
        )
    return CoAssociation(as_ensemble(ensemble), form="operator")


def _restrict(evidence: CoAssociation, index: np.ndarray) -> CoAssociation:
    if evidence.ensemble is None or evidence.form == "neighbors":
        return CoAssociation.from_matrix(evidence.submatrix(index))
    return CoAssociation(evidence.ensemble.take_objects(index), form="operator")


def _check_pair_weights(pair_weights: Any, n: int) -> np.ndarray:
    weight = number_array("pair_weights", pair_weights)
    if weight.shape != (n, n):
        raise ValueError(f"pair_weights must be 'counts', None or an array of shape ({n}, {n}); got {weight.shape}.")
    if not np.isfinite(weight).all() or (weight < 0).any() or np.abs(weight - weight.T).max() > 1e-8:
        raise ValueError("pair_weights must be finite, non-negative and symmetric.")
    return weight
