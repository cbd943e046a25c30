"""The rows of a transition, whose removal leaves clean states."""

import os
import warnings
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import validate_data

from pluribus._engine import TaskStore, fingerprint, seeds
from pluribus.temporal._blocks import Block, Limits, segments_of
from pluribus.temporal._evaluation import Evaluation, Goal
from pluribus.temporal._fitness import Fitness
from pluribus.temporal._majority import majority
from pluribus.temporal._members import GivenMembers, MakeMembers
from pluribus.temporal._rows import OrderedRows
from pluribus.temporal._searches import Evolution, genetic_search, grid_search
from pluribus.temporal.extract_partitions import LINKAGES
from pluribus.temporal.temporal_ensemble import TemporalEnsemble

_SHARE = Interval(Real, 0, 1, closed="both")


class TransitionSearch(BaseEstimator):
    """Find the block of rows between two states, and the states that its removal leaves.

    A series that drifts smoothly from one state to the next has no clean clusters: the rows in between belong to
    neither. For each block of rows to remove, the ensemble is made again from the kept rows, and partitions are
    extracted from its evidence by five linkages. The fitness of the block is F = alpha F1 + (1 - alpha) F2: F1 is the
    share of pairs of linkages that agree exactly, and F2 the share of kept rows with the most frequent label of their
    segment (before, or after the block).

    Removing the middle of *any* drifting series leaves two clean groups, so a high F alone is not evidence of states:
    use ``null_test``.

    Parameters
    ----------
    ensemble : TemporalEnsemble or callable, optional
        The ensemble, by default ``TemporalEnsemble(["kmeans"])``: 40 members by k-means. ``TemporalEnsemble()`` is that
        of the source, for some hundreds of rows. A function gets some of the rows of X, in the order of time, and a
        seed, and returns labels of shape (n_partitions, n_rows).
    search : {"auto", "grid", "ga"}, default="auto"
        "grid" is for one gap: first nothing is removed, then blocks of a coarse grid, from the shortest on, until one
        reaches the threshold; then its ends are moved by smaller steps. "ga" is the genetic algorithm of the source,
        for any number of gaps. "auto" is the grid for one gap.
    n_gaps : int, default=1
        Blocks to remove; there is one segment more.
    threshold : float, default=0.95
        The fitness at which states count as clean, and the search ends. Among blocks that reach it, the shortest is
        taken.
    alpha : float, default=0.1
        The weight of the agreement of the linkages.
    penalty : float, default=0
        If above 0, the search maximizes F - penalty * (share of removed rows) instead; 0.1 is a good value.
    min_segment : float, default=0.1
        The fewest rows of a segment, as a share of all rows; 3 at least.
    max_removed : float, default=0.6
        The most rows to remove, as a share of all rows.
    population, generations : int, default=20
        Size and number of generations of the genetic algorithm.
    p_recomb, p_mut : float, default=0.9 and 0.1
        The probabilities that two parents are recombined, and that a limit is shifted.
    n_mut : int, default=5
        The most rows by which a limit is shifted.
    elitism : bool, default=True
        Keep the best solution in the next generation.
    checkpoint : path, optional
        A directory for the fitness of blocks: a search that was stopped continues from there, with the same result. It
        needs an integer `random_state`, and no function as ``ensemble``.
    random_state : int, RandomState, numpy Generator or None, default=None
    n_jobs : int, optional
        Threads. The result does not depend on it.
    verbose : bool, default=True
        Show progress (only on a terminal).

    Attributes
    ----------
    intervals_ : ndarray of shape (n_gaps, 2)
        The first and the last row of each removed block, from 0. If nothing was removed at a change, the last row is
        the one before the first. There are none if all rows are equal.
    kept_ : ndarray of bool, shape (n,)
    fitness_ : Fitness
        ``total`` (F), ``agreement`` (F1) and ``purity`` (F2).
    partitions_ : ndarray of shape (5, n_kept)
        The partitions of the kept rows by single, complete, average, Ward and centroid link.
    labels_ : ndarray of shape (n,)
        The partition that most linkages agree on; -1 for removed rows.
    converged_ : bool
        Whether the threshold was reached.
    history_ : list of float
        The best fitness after each generation, or each length of the grid.
    n_evaluations_ : int
        Blocks for which an ensemble was made.
    n_features_in_ : int

    References
    ----------
    Medina and Fred, "Clustering data with temporal evolution: application to electrophysiological signals", CCIS 129,
    2011.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus.temporal import TransitionSearch
    >>> level = np.concatenate([np.zeros(25), np.linspace(0, 6, 12), np.full(25, 6.0)])
    >>> X = level[:, None] + 0.3 * np.random.default_rng(0).normal(size=(62, 2))
    >>> model = TransitionSearch(random_state=0, verbose=False).fit(X)
    >>> model.converged_, bool(25 <= model.intervals_[0, 0] <= model.intervals_[0, 1] < 37)
    (True, True)
    >>> np.unique(model.labels_).tolist()
    [-1, 0, 1]
    """

    _parameter_constraints: dict = {
        "ensemble": [TemporalEnsemble, callable, None],
        "search": [StrOptions({"auto", "grid", "ga"})],
        "n_gaps": [Interval(Integral, 1, None, closed="left")],
        "threshold": [_SHARE],
        "alpha": [_SHARE],
        "penalty": [_SHARE],
        "min_segment": [_SHARE],
        "max_removed": [_SHARE],
        "population": [Interval(Integral, 2, None, closed="left")],
        "generations": [Interval(Integral, 1, None, closed="left")],
        "p_recomb": [_SHARE],
        "p_mut": [_SHARE],
        "n_mut": [Interval(Integral, 0, 2**31, closed="both")],
        "elitism": ["boolean"],
        "checkpoint": [str, os.PathLike, None],
        "random_state": ["random_state", np.random.Generator],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        ensemble: TemporalEnsemble | Callable[..., Any] | None = None,
        *,
        search: str = "auto",
        n_gaps: int = 1,
        threshold: float = 0.95,
        alpha: float = 0.1,
        penalty: float = 0.0,
        min_segment: float = 0.1,
        max_removed: float = 0.6,
        population: int = 20,
        generations: int = 20,
        p_recomb: float = 0.9,
        p_mut: float = 0.1,
        n_mut: int = 5,
        elitism: bool = True,
        checkpoint: str | os.PathLike[str] | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = True,
    ) -> None:
        self.ensemble = ensemble
        self.search = search
        self.n_gaps = n_gaps
        self.threshold = threshold
        self.alpha = alpha
        self.penalty = penalty
        self.min_segment = min_segment
        self.max_removed = max_removed
        self.population = population
        self.generations = generations
        self.p_recomb = p_recomb
        self.p_mut = p_mut
        self.n_mut = n_mut
        self.elitism = elitism
        self.checkpoint = checkpoint
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None) -> "TransitionSearch":
        """Search for the blocks to remove.

        Parameters
        ----------
        X : array of shape (n, p)
            Rows in the order of time; numbers without gaps.
        y : ignored
        """
        self._validate_params()
        if self.search == "grid" and self.n_gaps > 1:
            raise ValueError(f"search='grid' is for one gap, but n_gaps={self.n_gaps}: give search='ga'.")
        X = validate_data(self, X, dtype=[np.float64, np.float32], ensure_min_samples=2)
        limits = Limits.of(len(X), self.n_gaps, self.min_segment, self.max_removed)
        rows = OrderedRows(X, standardize=self._standardize())
        if rows.all_equal:
            return self._one_state(len(X))
        of_members, of_search = seeds(self.random_state, 2)
        evaluation = Evaluation(
            rows,
            self._make(rows, X, limits, of_members),
            Goal(float(self.alpha), float(self.threshold), float(self.penalty)),
            n_jobs=self.n_jobs,
            store=self._store(X),
        )
        if self.n_gaps == 1 and self.search != "ga":
            self.history_ = grid_search(evaluation, limits, verbose=bool(self.verbose))
        else:
            evolution = Evolution(
                self.population, self.generations, self.p_recomb, self.p_mut, self.n_mut, self.elitism
            )
            self.history_ = genetic_search(evaluation, limits, evolution, of_search, verbose=bool(self.verbose))
        return self._finish(evaluation)

    def _standardize(self) -> bool:
        return self.ensemble.standardize if isinstance(self.ensemble, TemporalEnsemble) else True

    def _make(self, rows: OrderedRows, X: np.ndarray, limits: Limits, seed: int) -> MakeMembers:
        """What makes the members of the kept rows."""
        if self.ensemble is not None and not isinstance(self.ensemble, TemporalEnsemble):
            return GivenMembers(rows, X, self.ensemble, seed)
        ensemble = TemporalEnsemble(("kmeans",)) if self.ensemble is None else self.ensemble
        ensemble._validate_params()
        make = ensemble._members(rows, limits.n - limits.most_removed)
        if ensemble.random_state is None:
            make.seed = seed
        return make

    def _store(self, X: np.ndarray) -> TaskStore | None:
        if self.checkpoint is None:
            return None
        if not isinstance(self.random_state, Integral) or callable(self.ensemble):
            raise ValueError(
                "checkpoint needs an integer random_state, and no function as ensemble: the search could not be "
                "continued with the same result."
            )
        left_out = {"checkpoint", "n_jobs", "verbose", "threshold", "penalty", "population", "generations"}
        parameters = {name: value for name, value in self.get_params(deep=False).items() if name not in left_out}
        if isinstance(self.ensemble, TemporalEnsemble):
            own = self.ensemble.get_params()
            parameters["ensemble"] = {**own, "k_range": list(own["k_range"])}
        return TaskStore(self.checkpoint, fingerprint("transition 1", X, parameters))

    def _one_state(self, n: int) -> "TransitionSearch":
        warnings.warn("All rows of X are equal: there is one state, and nothing to search for.", stacklevel=3)
        self.history_ = []
        self.n_evaluations_ = 0
        self.converged_ = False
        self.fitness_ = Fitness(self.alpha, 1.0, 0.0)
        self.partitions_ = np.zeros((len(LINKAGES), n), dtype=np.int64)
        self._keep((), n)
        return self

    def _finish(self, evaluation: Evaluation) -> "TransitionSearch":
        best = evaluation.best()
        self.n_evaluations_ = len(evaluation.scores)
        self.converged_ = evaluation.goal.reached(best)
        self.fitness_ = best.fitness
        self.partitions_ = evaluation.partitions(best.block)
        self._keep(best.block, evaluation.n)
        return self

    def _keep(self, block: Block, n: int) -> None:
        self.intervals_ = np.array(block, dtype=np.int64).reshape(-1, 2)
        self.kept_ = segments_of(block, n) >= 0
        self.labels_ = np.full(n, -1)
        self.labels_[self.kept_] = majority(self.partitions_)[0]
