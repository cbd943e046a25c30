"""Consensus by quadratic mutual information (QMI)."""

from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval

from pluribus._engine import seeds, track
from pluribus.consensus._shared.base import ConsensusMixin, normalize_rows
from pluribus.consensus._shared.cost import Cost
from pluribus.consensus._shared.label_rows import LabelRows, nonempty_clusters, reachable
from pluribus.consensus.soft._category_kmeans import CategoryKMeans, canonical_rows
from pluribus.partitions import as_ensemble


class MutualInformationConsensus(ConsensusMixin, BaseEstimator):
    """Find the partition that shares the most (quadratic) mutual information with all partitions of an ensemble.

    The category utility U(C, π) measures how much the clusters in C improve a guess of the labels in π. Twice this is
    the mutual information of the generalized entropy of degree 2. Its sum over the partitions is highest where k-means
    on the one-hot labels has its smallest squared error, so k-means maximizes it, with k-means++ starts on the distinct
    label rows. The distance of a row to a center is a sum of r table look-ups. Missing labels are left out of both
    distances and centers.

    Prefer it for large n, for any number of clusters per partition, and if all partitions should have about the same
    influence. It looks for compact groups of label rows; for many partitions with many small clusters, prefer
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
        Quadratic mutual information 2 U of the consensus with each partition, over the objects that the partition
        covers.
    objective_ : ndarray
        Squared error after each iteration of the best start: the variation of the partitions that the consensus does
        not explain, Σ w n (1 - Σ p² - U) over partitions with n objects and cluster shares p.
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

    known_as = {"qmi": {}}
    suits = "Large ensembles whose partitions have about the clusters sought."
    cost = Cost(seconds=4, objects=1)

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
        best = min((kmeans.descend(seed, self.max_iter, self.tol) for seed in starts), key=lambda end: end[1][-1])
        (labels, sums), objective = best
        held = nonempty_clusters(labels, kmeans.n_clusters)
        labels, sums = np.searchsorted(held, labels), sums[:, held]
        self.objective_ = np.array(objective)
        self.n_iter_ = len(objective)
        self.quadratic_mi_ = 2 * category_utility(rows, sums)
        membership = normalize_rows(_mean_evidence(rows, sums))
        return self._finish(ensemble, labels[rows.inverse], membership[rows.inverse])


def category_utility(rows: LabelRows, sums: np.ndarray) -> np.ndarray:
    """U(C, π) = Σ_c p(c) Σ_j p(j|c)² - Σ_j p(j)² for each partition π, from the objects of each C in each cluster."""
    seen = rows.by_partition(sums)
    n_covered = seen.sum(axis=1)
    squares = rows.by_partition(sums**2)
    within = np.divide(squares, seen, out=np.zeros_like(seen), where=seen > 0).sum(axis=1) / n_covered
    return within - rows.by_partition(sums.sum(axis=1) ** 2) / n_covered**2


def _mean_evidence(rows: LabelRows, sums: np.ndarray) -> np.ndarray:
    """``pluribus.evidence.mean_evidence`` for rows, also of soft partitions."""
    together = rows.look_up(rows.weights[:, None] * sums)
    seen = rows.look_up(rows.weights[:, None] * rows.spread(rows.by_partition(sums)))
    return np.divide(together, seen, out=np.zeros_like(together), where=seen > 0)
