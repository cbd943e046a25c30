"""Consensus by a dyadic aspect model of co-occurrences (PEnCA)."""

import warnings
from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from pluribus._engine import number_array, real_number, run_tasks, seeds
from pluribus.consensus._shared.base import ConsensusMixin, normalize_rows
from pluribus.consensus._shared.cost import Cost
from pluribus.consensus._shared.dendrogram import cut_into
from pluribus.consensus.soft._aspect_model import (
    Aspects,
    aspects_of_labels,
    climb,
    elbow,
    extend,
    ownership,
    random_aspects,
)
from pluribus.consensus.soft._harden_memberships import harden_memberships
from pluribus.consensus.soft._pair_occurrences import (
    Occurrences,
    PairCounts,
    occurrences_of_labels,
    occurrences_of_matrix,
)
from pluribus.evidence import CoAssociation
from pluribus.partitions import as_ensemble

_ARENA = 1_000  # distinct objects up to which all starts use all pairs
_HEAT, _FINALISTS = 20, 3  # iterations of all starts, and the number of starts that continue
_MOST = 10  # clusters tried by default


class DyadicAspect(ConsensusMixin, BaseEstimator):
    """Model each co-occurrence of two objects as a draw from an aspect that they share (dyadic aspect model).

    Each co-occurrence of two objects in a cluster of some partition is a draw from a mixture: first an aspect with
    probability p_a, then both objects independently with the probabilities B_ai of the aspect. EM finds the p and B
    that maximize the likelihood of the observed pairs. Aspects are the consensus clusters, and Bayes' rule gives the
    membership of each object.

    Prefer it for a probabilistic consensus from co-occurrence alone: it does not use that two objects are apart, so
    partitions may cover small sub-samples. For clusters of very different sizes set ``pair_weight="size"``, or use
    ``PairwiseProbabilistic``, which also uses separations. An iteration visits all pairs that are ever together, up to
    n² of them, without storing them: the method is for thousands of objects, not millions.

    Parameters
    ----------
    n_clusters : int, optional
        Number of aspects. The default is the elbow: the number after which the log-likelihood gains least, relative to
        the gain before.
    k_range : (int, int), optional
        The numbers of clusters among which the elbow is sought; by default from 2 to 10, or to the number of clusters
        of the finest partition if that is less.
    pair_weight : {"count", "size"}
        A pair in a cluster counts 1, as in the source, or 1 / (m - 1) in a cluster of m objects. With "size" each
        object counts the same; with "count" large clusters dominate.
    diagonal : bool
        Whether to count an object as together with itself. The model gives some probability to these pairs.
    init : {"auto", "dirichlet", "average"} or aspects (n_clusters, n)
        "dirichlet": ``n_init`` random starts. "average": one start from average link on the evidence. "auto": both.
        Aspects, with rows that sum to 1: a single start.
    n_init : int
        Number of random starts. All run 20 iterations, and the best three continue. With more than 1,000 distinct
        objects they compete on the pairs of 1,000 of them, and only the winner continues with all pairs.
    max_iter : int
    tol : float
        Stop when the log-likelihood rises by less than this share of it.
    random_state : int, RandomState, Generator or None
    n_jobs : int, optional
        Starts that run at a time. The result does not depend on it.
    verbose : bool
        Show progress (only on a terminal).

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        The most probable aspect of each object; clusters are numbered from the largest. -1 for objects that are never
        together with another.
    n_clusters_ : int
        Aspects that are most probable for some object; others are left out, with a warning.
    membership_ : ndarray of shape (n, n_clusters_)
        The probability of each aspect for each object.
    uncertainty_ : ndarray of shape (n,)
        Normalized entropy of the memberships, 0 to 1.
    aspects_ : ndarray of shape (n_clusters_, n)
        The probabilities B of the objects for each aspect; rows sum to 1.
    cluster_prob_ : ndarray of shape (n_clusters_,)
        The probabilities p of the aspects.
    log_likelihood_ : float
    log_likelihoods_ : ndarray
        The best log-likelihood of k aspects at index k, NaN if k was not tried; on the pairs of the competition.
    objective_ : ndarray of shape (n_iter_ + 1,)
        The path of the log-likelihood, on all pairs. It never falls.
    n_pairs_ : float
        Co-occurrences, counting (i, j) and (j, i).
    isolated_objects_ : ndarray
        The objects that are never together with another; their memberships are uniform.
    n_iter_ : int
    converged_ : bool

    References
    ----------
    Lourenço, Fred and Figueiredo, "A generative dyadic aspect model for evidence accumulation clustering", SIMBAD 2011.

    Examples
    --------
    >>> from pluribus.consensus import DyadicAspect
    >>> penca = DyadicAspect(2, random_state=0, tol=1e-12).fit([[0, 0, 1, 1], [0, 0, 0, 1]])
    >>> penca.labels_.tolist()
    [0, 0, 0, 1]
    >>> penca.aspects_.round(3).tolist()
    [[0.375, 0.375, 0.25, 0.0], [0.0, 0.0, 0.5, 0.5]]
    >>> penca.cluster_prob_.round(3).tolist()
    [0.8, 0.2]
    """

    known_as = {"penca": {}}
    suits = "Partitions of small sub-samples, and a few thousand objects."
    cost = Cost(seconds=500, objects=2, pair_bytes=24)

    _parameter_constraints: dict = {
        "n_clusters": [Interval(Integral, 1, None, closed="left"), None],
        "k_range": [tuple, list, None],
        "pair_weight": [StrOptions({"count", "size"})],
        "diagonal": ["boolean"],
        "init": [StrOptions({"auto", "dirichlet", "average"}), "array-like"],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "random_state": ["random_state", np.random.Generator],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        k_range: tuple[int, int] | None = None,
        pair_weight: str = "count",
        diagonal: bool = False,
        init: Any = "auto",
        n_init: int = 10,
        max_iter: int = 500,
        tol: float = 1e-7,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = True,
    ) -> None:
        self.n_clusters = n_clusters
        self.k_range = k_range
        self.pair_weight = pair_weight
        self.diagonal = diagonal
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, ensemble: Any, y: Any = None) -> "DyadicAspect":
        """Find the consensus of an ensemble.

        Parameters
        ----------
        ensemble : Ensemble (hard or soft), n × r labels, list of label sequences, or CoAssociation
            The entries of ``CoAssociation.from_matrix`` are taken as counts; their scale does not matter.
        y : ignored
        """
        self._validate_params()
        given = self._gather(ensemble)
        pairs = given.pairs
        if pairs.total <= 0:
            raise ValueError("No two objects are ever together in a cluster, so there are no pairs to model.")
        low, high = self._numbers_to_try(given)
        arena, index = pairs, np.arange(pairs.n)
        *random, sampling = seeds(self.random_state, self.n_init + 1)
        if pairs.n > _ARENA and isinstance(self.init, str):
            index = np.sort(np.random.default_rng(sampling).choice(pairs.n, _ARENA, replace=False))
            arena = pairs.take(index)
        ends = self._compete(arena, self._starts(given, arena, index, range(low, high + 1), random))
        self.log_likelihoods_ = np.full(high + 1, np.nan)
        for k, end in ends.items():
            self.log_likelihoods_[k] = end.path[-1]
        best = ends[high if self.n_clusters is not None else elbow(self.log_likelihoods_)]
        if arena is not pairs:
            start = extend(pairs, index, ownership(best))
            best = climb(pairs, *start, max_iter=self.max_iter, tol=self.tol, n_jobs=self.n_jobs)
        self._record(pairs, best)
        return self._set_result(given, best)

    def bic(self, effective_n: float | None = None) -> float:
        """Bayesian information criterion, lower is better, with the pairs counting as ``effective_n`` observations.

        Pairs depend on each other. Counted as ``n_pairs_`` observations they favor the largest number of aspects. The
        default counts a pair once, for any number of partitions.
        """
        check_is_fitted(self)
        k, n = self.aspects_.shape
        effective_n = self.n_pairs_ / self._n_partitions if effective_n is None else effective_n
        effective_n = real_number("effective_n", effective_n, 1e-9, 1e300)
        n_parameters = (k - 1) + k * (n - 1)
        return float(-2 * self.log_likelihood_ * effective_n / self.n_pairs_ + n_parameters * np.log(effective_n))

    # -- input -------------------------------------------------------------------------------------------------------

    def _gather(self, ensemble: Any) -> Occurrences:
        if isinstance(ensemble, CoAssociation):
            if ensemble.ensemble is None or ensemble.form == "neighbors":
                return occurrences_of_matrix(ensemble, diagonal=self.diagonal)
            ensemble = ensemble.ensemble
        by_size = self.pair_weight == "size"
        return occurrences_of_labels(as_ensemble(ensemble), by_size=by_size, diagonal=self.diagonal)

    def _numbers_to_try(self, given: Occurrences) -> tuple[int, int]:
        """The smallest and the largest number of aspects to fit: one more on both sides than the range of the elbow."""
        n = len(given.row_of)
        if self.n_clusters is not None:
            if self.n_clusters > n:
                raise ValueError(f"n_clusters={self.n_clusters} is more than the number of objects, {n}.")
            return int(self.n_clusters), int(self.n_clusters)
        if not isinstance(self.init, str):
            raise ValueError("init gives the aspects to start from: give n_clusters, too.")
        if self.k_range is None:
            low, high = 2, max(2, min(_MOST, given.finest))
        else:
            low, high = self.k_range
            if not 2 <= low <= high or low > n:
                raise ValueError(f"k_range={self.k_range} must be two whole numbers 2 <= low <= high, low at most {n}.")
        return low - 1, min(high + 1, n)

    # -- starts ------------------------------------------------------------------------------------------------------

    def _starts(
        self, given: Occurrences, arena: PairCounts, index: np.ndarray, numbers: range, random: list[int]
    ) -> list["_Start"]:
        if not isinstance(self.init, str):
            return [_Start(numbers[0], 0, _check_init(self.init, numbers[0], given))]
        tree = given.link(index) if self.init != "dirichlet" else None
        starts = []
        for k in numbers:
            if k == 1:
                starts.append(_Start(1, 0, arena.of_objects[:, None] / arena.total))
                continue
            if tree is not None:
                linkage, at = tree
                starts.append(_Start(k, 0, aspects_of_labels(arena, cut_into(linkage, min(k, arena.n))[at], k)))
            if self.init != "average":
                starts += [_Start(k, seed, None) for seed in random]
        return starts

    def _compete(self, pairs: PairCounts, starts: Sequence["_Start"]) -> dict[int, Aspects]:
        """The best end for each number of aspects; the first on ties."""
        options: dict[str, Any] = {"n_jobs": self.n_jobs, "verbose": self.verbose}

        def run(start: _Start) -> Aspects:
            B = start.B if start.B is not None else random_aspects(pairs, start.k, start.seed)
            return climb(pairs, np.full(start.k, 1 / start.k), B, max_iter=min(_HEAT, self.max_iter), tol=self.tol)

        def resume(heat: Aspects) -> Aspects:
            rest = self.max_iter - (len(heat.path) - 1)
            if heat.converged or rest == 0:
                return heat
            end = climb(pairs, heat.p, heat.B, max_iter=rest, tol=self.tol)
            return end._replace(path=heat.path + end.path[1:])

        heats = run_tasks(run, starts, description="PEnCA starts", **options)
        finalists = []
        for k in sorted({start.k for start in starts}):
            ends = [heat for start, heat in zip(starts, heats, strict=True) if start.k == k]
            finalists += sorted(ends, key=lambda end: -end.path[-1])[:_FINALISTS]
        best: dict[int, Aspects] = {}
        for end in run_tasks(resume, finalists, description="PEnCA finalists", **options):
            k = len(end.p)
            if k not in best or end.path[-1] > best[k].path[-1]:
                best[k] = end
        return best

    # -- result ------------------------------------------------------------------------------------------------------

    def _record(self, pairs: PairCounts, best: Aspects) -> None:
        self.objective_ = np.array(best.path)
        self.log_likelihood_ = best.path[-1]
        self.n_iter_ = len(best.path) - 1
        self.converged_ = best.converged
        self.n_pairs_ = pairs.total
        if not best.converged:
            warnings.warn(
                f"PEnCA stopped after {self.n_iter_} iterations before it converged; raise max_iter or tol.",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _set_result(self, given: Occurrences, best: Aspects) -> "DyadicAspect":
        """Set the result, without aspects that are most probable for no object."""
        pairs, row_of = given.pairs, given.row_of
        isolated = pairs.of_objects[row_of] <= 0
        self.isolated_objects_ = np.flatnonzero(isolated)
        if isolated.any():
            warnings.warn(
                f"{isolated.sum()} objects are never together with another (the first are rows "
                f"{self.isolated_objects_[:5].tolist()}); they have the label -1 and uniform memberships.",
                UserWarning,
                stacklevel=3,
            )
        membership = ownership(best)
        labels, held = harden_memberships(membership, best.p, np.where(isolated, -1, row_of))
        if len(held) < len(best.p):
            warnings.warn(
                f"{len(best.p) - len(held)} of {len(best.p)} aspects are most probable for no object and left out.",
                UserWarning,
                stacklevel=3,
            )
        self.cluster_prob_ = best.p[held] / best.p[held].sum()
        self.aspects_ = np.ascontiguousarray((best.B[:, held] / pairs.sizes[:, None])[row_of].T)
        self._n_partitions = given.n_partitions
        return self._finish(given.source, labels, normalize_rows(membership[:, held])[row_of])


class _Start(NamedTuple):
    """Aspects to start from, (n, k), or the seed to draw them with."""

    k: int
    seed: int
    B: np.ndarray | None


def _check_init(init: Any, k: int, given: Occurrences) -> np.ndarray:
    """Given aspects, over distinct objects."""
    aspects = number_array("init", init)
    n = len(given.row_of)
    if aspects.shape != (k, n):
        raise ValueError(f"init must have shape ({k}, {n}), aspects by objects; got {aspects.shape}.")
    if not np.isfinite(aspects).all() or (aspects < 0).any() or np.abs(aspects.sum(axis=1) - 1).max() > 1e-6:
        raise ValueError("init: the rows must be probabilities of the objects, non-negative numbers that sum to 1.")
    if len(np.unique(aspects, axis=0)) < k:
        raise ValueError("init has two equal aspects, which EM cannot separate. Draw them at random.")
    B = np.column_stack([np.bincount(given.row_of, row, minlength=given.pairs.n) for row in aspects])
    if not np.isfinite(given.pairs.explain(np.full(k, 1 / k), B)[1]):
        raise ValueError(
            "init gives probability 0 to a pair of objects that are together: no aspect is possible for both. Mix in a "
            "little of the uniform distribution."
        )
    return B
