"""What the k-means methods share: the two steps in turn, several starts, and the nearest center of new rows."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.metrics import pairwise_distances_argmin_min

from pluribus._engine import run_tasks
from pluribus.constrained._shared.base import ConstrainedMixin, Given, checked_weights
from pluribus.constrained._shared.pair_assignment import PairAssignment
from pluribus.constrained._shared.starts import Start
from pluribus.constraints import Closure, ConstraintError, Constraints

Assign = Callable[[np.ndarray, np.ndarray | None, np.random.RandomState], tuple[np.ndarray, float]]
Update = Callable[[np.ndarray, np.ndarray], np.ndarray]


class KMeansRun(NamedTuple):
    """The result of k-means from one start."""

    labels: np.ndarray  # (L,)
    centers: np.ndarray  # (k, d), with the shift of the points subtracted
    path: np.ndarray  # the objective after each assignment
    n_iter: int


def alternate(
    centers: np.ndarray,
    assign: Callable[[np.ndarray, np.ndarray | None], tuple[np.ndarray, float]],
    update: Update,
    *,
    max_iter: int,
    least_step: float,
) -> KMeansRun:
    """Assign objects to centers and move centers to their objects, in turn, from these centers.

    It stops as scikit-learn's KMeans does: when no label changes, or when the centers move no farther than
    `least_step`. The labels are those for the final centers.

    Parameters
    ----------
    centers : ndarray of shape (k, d)
    assign : callable
        ``assign(centers, labels before)`` gives labels and the objective.
    update : callable
        ``update(labels, centers)`` gives new centers.
    max_iter : int
    least_step : float
        Sum of squared moves of the centers.
    """
    labels: np.ndarray | None = None
    path: list[float] = []
    for n_iter in range(1, max_iter + 1):
        before, (labels, objective) = labels, assign(centers, labels)
        path.append(objective)
        if before is not None and (labels == before).all():
            return KMeansRun(labels, centers, np.array(path), n_iter)
        moved = update(labels, centers)
        step, centers = ((moved - centers) ** 2).sum(), moved
        if step <= least_step:
            break
    labels, objective = assign(centers, labels)
    return KMeansRun(labels, centers, np.array([*path, objective]), n_iter)


class ConstrainedKMeans(ConstrainedMixin, BaseEstimator):
    """Base class of k-means methods with constraints; ``fit`` is theirs."""

    n_clusters: int
    n_init: int
    max_iter: int
    tol: float
    random_state: Any
    n_jobs: int | None
    verbose: bool
    cluster_centers_: np.ndarray
    inertia_: float
    objective_: np.ndarray
    n_iter_: int

    def predict(self, X: Any) -> np.ndarray:
        """The cluster of new rows: that of the nearest center. Constraints do not apply to new rows."""
        X = self._check_new(X)
        return pairwise_distances_argmin_min(X, self.cluster_centers_.astype(X.dtype))[0].astype(np.int32)

    def score(self, X: Any, y: Any = None, *, sample_weight: Any = None) -> float:
        """Minus the sum of squared distances of rows to their nearest centers: the higher, the better."""
        X = self._check_new(X)
        weights = checked_weights(sample_weight, X)
        distances = pairwise_distances_argmin_min(X, self.cluster_centers_.astype(X.dtype))[1]
        return -float(weights @ distances**2)

    def _refuse_soft_pairs(self, constraints: Constraints) -> None:
        n_soft = int(np.isfinite(constraints.must_weight).sum() + np.isfinite(constraints.cannot_weight).sum())
        if n_soft:
            raise ConstraintError(
                f"{n_soft} pairs have a finite weight, but {type(self).__name__} takes hard constraints only: leave "
                "the weights out to make the pairs hard, or use PairwiseKMeans, which takes soft pairs."
            )

    def _best_run(self, starts: list[Start], *, assign: Assign, update: Update, variance: float) -> KMeansRun:
        """k-means from each start; the run with the lowest objective."""

        def descend(start: Start) -> KMeansRun:
            random = np.random.RandomState(start.seed)
            how: Any = {"max_iter": self.max_iter, "least_step": self.tol * variance}
            return alternate(start.centers, lambda centers, labels: assign(centers, labels, random), update, **how)

        runs = run_tasks(descend, starts, n_jobs=self.n_jobs, description=type(self).__name__, verbose=self.verbose)
        return min(runs, key=lambda run: run.path[-1])

    def _set_kmeans_result(
        self, given: Given, closure: Closure, assignment: PairAssignment, best: KMeansRun, *, by_label: bool = False
    ) -> None:
        """Set all but the objective, which each method scales in its own way.

        Clusters are numbered from the largest, or stay as they are if each one is a label.
        """
        labels, k = best.labels[closure.chunk_of], int(self.n_clusters)
        if by_label:
            order = np.arange(k)
            self._set_result(given.constraints, labels.astype(np.int32), k, None)
        else:
            order = self._finish(given.constraints, labels, k)
        self.cluster_centers_ = (best.centers + assignment.points.shift)[order].astype(given.X.dtype)
        self.inertia_ = max(0.0, 2 * (float(best.path[-1]) - assignment.penalty(best.labels)))
        self.n_iter_ = best.n_iter
