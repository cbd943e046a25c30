"""Consensus by quadratic mutual information (QMI)."""

from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval

from pluribus._engine import seeds, track
from pluribus.consensus._base import ConsensusMixin, normalize_rows
from pluribus.consensus._canonical_order import canonical_order
from pluribus.consensus._label_rows import LabelRows, held_clusters, reachable
from pluribus.partitions import Ensemble, as_ensemble


class MutualInformationConsensus(ConsensusMixin, BaseEstimator):
    """Find the partition that shares the most (quadratic) mutual information with all partitions of an ensemble.

    The category utility U(C, π) says how much better the labels of π are guessed by who knows the cluster in C. Twice
    this is the mutual information of generalized entropy of degree 2. Its sum over the partitions is highest where
    k-means on the one-hot labels has its smallest squared error, so k-means finds it: with k-means++ starts, on the
    distinct label rows, the distance of a row to a center being a sum of r table look-ups. A missing label is left out
    of distances and centers alike.

    Prefer it for large n, any number of clusters per partition, and when about equal say of all partitions is wanted.
    It looks for compact groups of label rows, so many partitions of many small clusters are better linked by
    ``EvidenceAccumulation``.

    Parameters
    ----------
    n_clusters : int
    n_init : int
        Number of starts; the best is kept.
    max_iter : int
        Iterations of one start.
    tol : float
        Stop when the objective falls by less than this share.
    random_state : int, RandomState, Generator or None
    n_jobs : int, optional
        Threads. The result does not depend on it.
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
    quadratic_mi_ : ndarray of shape (r,)
        Quadratic mutual information 2 U of the consensus with each partition, over the objects that it covers.
    objective_ : ndarray
        Squared error after each iteration of the best start. It is the part of the partitions' spread that the
        consensus leaves unexplained: Σ w n (1 - Σ p² - U) over partitions with n objects and cluster shares p.
    n_iter_ : int

    References
    ----------
    Topchy, Jain and Punch, "Combining multiple weak clusterings", ICDM 2003.

    Examples
    --------
    >>> from pluribus.consensus import MutualInformationConsensus
    >>> labels = [[0, 0, 0, 1, 1, 2, 2], [1, 1, 1, 2, 2, 0, 0], [0, 0, 1, 1, 2, 2, 2]]
    >>> qmi = MutualInformationConsensus(3, random_state=0).fit(labels)
    >>> qmi.labels_.tolist()
    [0, 0, 0, 1, 1, 2, 2]
    >>> qmi.quadratic_mi_.round(3).tolist()
    [1.306, 1.306, 0.639]
    >>> round(float(qmi.objective_[-1]), 4)
    2.3333
    """

    _parameter_constraints: dict = {
        "n_clusters": [Interval(Integral, 1, None, closed="left"), None],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, 1, closed="left")],
        "random_state": ["random_state", np.random.Generator],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        n_init: int = 10,
        max_iter: int = 100,
        tol: float = 1e-6,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = True,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, ensemble: Any, y: Any = None) -> "MutualInformationConsensus":
        """Find the consensus of an ensemble.

        Parameters
        ----------
        ensemble : Ensemble, n × r labels, or list of label sequences
        y : ignored
        """
        self._validate_params()
        ensemble = as_ensemble(ensemble)
        rows = canonical_rows(ensemble, self.n_jobs)
        kmeans = CategoryKMeans(rows, reachable(self._check_n_clusters(ensemble.n_objects), rows))
        starts = track(seeds(self.random_state, self.n_init), "quadratic mutual information", verbose=self.verbose)
        best = min((self._descend(kmeans, seed) for seed in starts), key=lambda found: found[1][-1])
        (labels, sums), objective = best
        held = held_clusters(labels, kmeans.n_clusters)
        labels, sums = np.searchsorted(held, labels), sums[:, held]
        self.objective_ = np.array(objective)
        self.n_iter_ = len(objective)
        self.quadratic_mi_ = 2 * category_utility(rows, sums)
        membership = normalize_rows(_mean_evidence(rows, sums))
        return self._finish(ensemble, labels[rows.inverse], membership[rows.inverse])

    def _descend(self, kmeans: "CategoryKMeans", seed: int) -> tuple["Assignment", list[float]]:
        """One start: the partition and the squared error after each iteration."""
        centers = kmeans.seed_centers(np.random.default_rng(seed))
        found = kmeans.assign(centers)
        objective = [kmeans.squared_error(found.sums)]
        while len(objective) < self.max_iter:
            following = kmeans.assign(kmeans.centers_of(found.sums))
            error = kmeans.squared_error(following.sums)
            if error >= objective[-1]:
                break
            found = following
            objective.append(error)
            if objective[-2] - error <= self.tol * objective[-2]:
                break
        return found, objective


def canonical_rows(ensemble: Ensemble, n_jobs: int | None) -> LabelRows:
    """The label rows in an order of their own, so that random draws do not depend on the order of the objects."""
    order = canonical_order(ensemble)
    rows = LabelRows(ensemble.take_objects(order), n_jobs)
    rows.inverse = rows.inverse[np.argsort(order)]
    return rows


class Assignment(NamedTuple):
    """The cluster of each row, and how many members of each cluster are in each of the q clusters of the ensemble."""

    labels: np.ndarray
    sums: np.ndarray


class CategoryKMeans:
    """Weighted k-means on the one-hot label rows of an ensemble, missing labels masked.

    A center holds, for each partition, the shares of its clusters: a column of q numbers. The squared distance is
    ‖h‖² - Σ (2 c_j - ‖c‖²) over the clusters j of a row, a constant minus a look-up.
    """

    def __init__(self, rows: LabelRows, n_clusters: int) -> None:
        self.rows, self.n_clusters = rows, n_clusters
        self.norms = rows.squared_norms()
        self._spread = (rows.counts * self.norms).sum()
        total = rows.over_blocks(lambda a, b: (rows.sum_by(rows.counts[a:b, None], a, b),), 1)[0]
        self.grand_mean = total / rows.spread(rows.by_partition(total))

    def centers_of(self, sums: np.ndarray) -> np.ndarray:
        """Shares of the labels that are there. Where a cluster has none, the shares in the whole ensemble: whatever
        stands there leaves the objective as it is."""
        seen = self.rows.spread(self.rows.by_partition(sums))
        grand_mean = np.broadcast_to(self.grand_mean, sums.shape)
        return np.divide(sums, seen, out=grand_mean.copy(), where=seen > 0)

    def seed_centers(self, rng: np.random.Generator) -> np.ndarray:
        """k-means++: rows drawn by their squared distance to the centers there are, the best of a few each time."""
        counts = self.rows.counts
        n_trials = 2 + int(np.log(self.n_clusters))
        centers = self._centers_at(_draw(counts, 1, rng))
        closest = self._distances(centers)[:, 0]
        while centers.shape[1] < self.n_clusters:
            potential = counts * closest
            if not potential.sum() > 0:  # the centers there are explain every row
                spare = self.n_clusters - centers.shape[1]
                return np.hstack([centers, np.repeat(self.grand_mean, spare, axis=1)])
            candidates = self._centers_at(_draw(potential, n_trials, rng))
            distances = np.minimum(self._distances(candidates), closest[:, None])
            best = int(np.argmin((counts[:, None] * distances).sum(axis=0)))
            centers = np.hstack([centers, candidates[:, best : best + 1]])
            closest = distances[:, best]
        return centers

    def assign(self, centers: np.ndarray) -> Assignment:
        """Each row to its nearest center; a center that gets none takes the row that costs the most."""
        rows, k = self.rows, self.n_clusters
        table = self._table(centers)
        labels, cost = np.empty(rows.n, dtype=np.int64), np.empty(rows.n)

        def nearest(start: int, stop: int) -> tuple[np.ndarray]:
            score = rows.look_up(table, start, stop)
            labels[start:stop] = best = score.argmax(axis=1)
            each = np.arange(stop - start)
            cost[start:stop] = rows.counts[start:stop] * (self.norms[start:stop] - score[each, best])
            chosen = np.zeros_like(score)
            chosen[each, best] = rows.counts[start:stop]
            return (rows.sum_by(chosen, start, stop),)

        (sums,) = rows.over_blocks(nearest, k)
        for empty in np.flatnonzero(np.bincount(labels, minlength=k) == 0):
            worst = int(cost.argmax())
            if cost[worst] <= 1e-12 * rows.counts[worst]:
                break
            moved = rows.counts[worst] * rows.sum_by(np.ones((1, 1)), worst, worst + 1)[:, 0]
            sums[:, labels[worst]] -= moved
            sums[:, empty] += moved
            labels[worst], cost[worst] = empty, 0.0
        return Assignment(labels, sums)

    def squared_error(self, sums: np.ndarray) -> float:
        """Σ ‖h - c‖² = Σ ‖h‖² - Σ (members of j in c)² / (members seen in c)."""
        explained = (self.rows.weights[:, None] * sums * self.centers_of(sums)).sum()
        return float(max(self._spread - explained, 0.0))

    def _table(self, centers: np.ndarray) -> np.ndarray:
        length = self.rows.spread(self.rows.by_partition(centers**2))
        return self.rows.weights[:, None] * (2 * centers - length)

    def _centers_at(self, index: np.ndarray) -> np.ndarray:
        return self.centers_of(np.hstack([self.rows.sum_by(np.ones((1, 1)), i, i + 1) for i in index]))

    def _distances(self, centers: np.ndarray) -> np.ndarray:
        table = self._table(centers)
        out = np.empty((self.rows.n, centers.shape[1]))

        def measure(start: int, stop: int) -> tuple[()]:
            score = self.rows.look_up(table, start, stop)
            out[start:stop] = np.maximum(self.norms[start:stop, None] - score, 0)
            return ()

        self.rows.over_blocks(measure, 1)
        return out


def category_utility(rows: LabelRows, sums: np.ndarray) -> np.ndarray:
    """U(C, π) = Σ_c p(c) Σ_j p(j|c)² - Σ_j p(j)² for each partition π, from the members of each C in each cluster."""
    seen = rows.by_partition(sums)
    n_covered = seen.sum(axis=1)
    squares = rows.by_partition(sums**2)
    within = np.divide(squares, seen, out=np.zeros_like(seen), where=seen > 0).sum(axis=1) / n_covered
    return within - rows.by_partition(sums.sum(axis=1) ** 2) / n_covered**2


def _mean_evidence(rows: LabelRows, sums: np.ndarray) -> np.ndarray:
    """As ``pluribus.evidence.mean_evidence``, for rows, and for soft partitions too."""
    together = rows.look_up(rows.weights[:, None] * sums)
    seen = rows.look_up(rows.weights[:, None] * rows.spread(rows.by_partition(sums)))
    return np.divide(together, seen, out=np.zeros_like(together), where=seen > 0)


def _draw(weights: np.ndarray, size: int, rng: np.random.Generator) -> np.ndarray:
    """Indices drawn with probability proportional to the weights."""
    cumulative = np.cumsum(weights)
    drawn = np.searchsorted(cumulative, rng.random(size) * cumulative[-1], side="right")
    return np.minimum(drawn, len(weights) - 1)
