"""What k-means methods with pairs share: their starts, their result, new objects."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.metrics import pairwise_distances_argmin_min
from sklearn.utils.validation import _check_sample_weight

from pluribus._engine import run_tasks, seeds
from pluribus.constrained._shared.base import ConstrainedMixin, Given, warn_of_empty_clusters
from pluribus.constrained._shared.pair_descent import Descent, Problem, descend
from pluribus.constrained._shared.pair_network import hard_network
from pluribus.constrained._shared.points import Points
from pluribus.constrained._shared.starts import given_centers, spread_out
from pluribus.constraints import Closure, ConstraintError, Constraints


class ConstrainedKMeans(ConstrainedMixin, BaseEstimator):
    """k-means on chunklets; a method says which pairs bind them, what these cost, and where to start."""

    n_clusters: int
    init: Any
    n_init: int
    max_iter: int
    tol: float
    random_state: Any
    n_jobs: int | None
    verbose: bool
    _objective_scale = 1.0  # of half the squared distances and what pairs cost, for objective_
    cluster_centers_: np.ndarray
    inertia_: float
    objective_: np.ndarray
    n_iter_: int

    def fit(
        self, X: Any, y: Any = None, *, constraints: Constraints | None = None, sample_weight: Any = None
    ) -> "ConstrainedKMeans":
        """Cluster X.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
        y : ignored
        constraints : Constraints, optional
            What is known about the n rows.
        sample_weight : array of shape (n,), optional
            How much each row counts.
        """
        given = self._check_given(X, constraints, sample_weight)
        self._check_constraints(given.constraints)
        found = self._check_feasible(given.constraints)
        closure = given.constraints.closure(self.n_clusters if self._binding else None)
        points = Points.of(given, closure)
        starts = self._starts(points, given.constraints, closure)
        if not self._binding:
            closure = Constraints(given.constraints.n_objects).closure()
            points = Points.of(given, closure)
        witness = None if found.witness is None else found.witness[closure.representatives]
        problem = self._problem(points, given.constraints, closure, witness)
        ends = run_tasks(
            lambda start: descend(problem, start[1], self.max_iter, self.tol, start[0]),
            starts,
            n_jobs=self.n_jobs,
            description=type(self).__name__,
            verbose=self.verbose,
        )
        return self._adopt(given, closure, problem, min(ends, key=lambda end: end.path[-1]))

    def predict(self, X: Any) -> np.ndarray:
        """The cluster of new rows: that of the nearest center. Constraints do not speak of new rows."""
        X = self._check_new(X)
        return pairwise_distances_argmin_min(X, self.cluster_centers_.astype(X.dtype))[0].astype(np.int32)

    def score(self, X: Any, y: Any = None, *, sample_weight: Any = None) -> float:
        """Minus the sum of squared distances of rows to their nearest centers: the higher, the better."""
        X = self._check_new(X)
        weights = _check_sample_weight(sample_weight, X)
        distances = pairwise_distances_argmin_min(X, self.cluster_centers_.astype(X.dtype))[1]
        return -float(weights @ distances**2)

    @property
    def _binding(self) -> bool:
        """Whether constraints bind the result, and do not only say where to start."""
        return True

    def _check_constraints(self, constraints: Constraints) -> None:
        """Refuse preferences; a method that weighs them says otherwise."""
        n_soft = int(np.isfinite(constraints.must_weight).sum() + np.isfinite(constraints.cannot_weight).sum())
        if n_soft:
            raise ConstraintError(
                f"{n_soft} pairs have a finite weight, and {type(self).__name__} knows hard constraints only: leave "
                "the weights out to make them hard, or use PairwiseKMeans, which weighs preferences."
            )

    def _problem(
        self, points: Points, constraints: Constraints, closure: Closure, witness: np.ndarray | None
    ) -> Problem:
        return Problem.of(points, *hard_network(closure, self.n_clusters), witness)

    def _starts(self, points: Points, constraints: Constraints, closure: Closure) -> list[tuple[int, np.ndarray]]:
        """A seed and centers for each start."""
        if not isinstance(self.init, str):
            return [(0, given_centers(self.init, points, self.n_clusters))]
        return [
            (seed, points.centers(self._first_rows(number, seed, points, closure)))
            for number, seed in enumerate(seeds(self.random_state, self.n_init))
        ]

    def _first_rows(self, number: int, seed: int, points: Points, closure: Closure) -> np.ndarray:
        """The points at which the centers of one start are put."""
        return spread_out(points, self.n_clusters, seed)

    def _adopt(self, given: Given, closure: Closure, problem: Problem, best: Descent) -> "ConstrainedKMeans":
        order = self._finish(given.constraints, best.labels[closure.chunk_of], self.n_clusters)
        warn_of_empty_clusters(self.labels_, self.n_clusters)
        self.cluster_centers_ = (best.centers + problem.points.shift)[order].astype(given.X.dtype)
        penalty = problem.network.penalty(problem.costs, best.labels[problem.network.held])
        self.inertia_ = max(0.0, 2 * (float(best.path[-1]) - penalty))
        self.n_iter_ = best.n_iter
        # What preferences cost whose fate the hard constraints decide is the same on the whole path.
        self.objective_ = self._objective_scale * (best.path + self.violations_.weight - penalty)
        return self
