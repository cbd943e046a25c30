"""Consensus by spectral ensemble clustering (SEC)."""

from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval

from pluribus._engine import seeds, track
from pluribus.consensus._shared.base import ConsensusMixin
from pluribus.consensus._shared.cost import Cost
from pluribus.consensus._shared.label_rows import LabelRows, nonempty_clusters, reachable
from pluribus.consensus.soft._category_kmeans import CategoryKMeans, canonical_rows
from pluribus.partitions import as_ensemble


class SpectralEnsemble(ConsensusMixin, BaseEstimator):
    """Cut the graph of co-associations into clusters with few votes between them, by k-means on the labels.

    Two objects are linked by the votes of the partitions that put them together, and the degree of an object is the sum
    of its links. The normalized cut of a partition is the sum over its clusters of the share of their links that leave
    them. The spectral clustering of this graph needs an n × n matrix. But the same cut is the squared error of a
    weighted k-means, up to a constant: a point is the one-hot label row of an object divided by its degree, and its
    weight is the degree. So k-means minimizes the cut itself, without the matrix and without eigenvectors.

    Prefer it for large n and for clusters that have about the same number of links. It differs from
    :class:`MutualInformationConsensus`, which is k-means on the same rows without degrees, in that objects in large
    clusters count more. For many partitions with many small clusters, prefer ``EvidenceAccumulation``.

    Parameters
    ----------
    n_clusters : int
    n_init : int
        Number of starts; the best is kept.
    max_iter : int
        Iterations of one start.
    tol : float
        Stop when the squared error falls by less than this share.
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
    objective_ : ndarray
        Normalized cut after each iteration of the best start, 0 to n_clusters_ - 1.
    n_iter_ : int

    References
    ----------
    Liu, Liu, Wu, Tao and Fu, "Spectral ensemble clustering", KDD 2015.

    Examples
    --------
    >>> from pluribus.consensus import SpectralEnsemble
    >>> labels = [[0, 0, 0, 1, 1, 2, 2], [1, 1, 1, 2, 2, 0, 0], [0, 0, 1, 1, 2, 2, 2]]
    >>> sec = SpectralEnsemble(3, random_state=0).fit(labels)
    >>> sec.labels_.tolist()
    [0, 0, 0, 1, 1, 2, 2]
    >>> round(float(sec.objective_[-1]), 4)
    0.4153
    """

    known_as = {"sec": {}}
    suits = "Large ensembles, and clusters with about the same number of votes inside."
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

    def fit(self, ensemble: Any, y: Any = None) -> "SpectralEnsemble":
        """Find the consensus of an ensemble.

        Parameters
        ----------
        ensemble : Ensemble, n × r labels, or list of label sequences
        y : ignored
        """
        self._validate_params()
        ensemble = as_ensemble(ensemble)
        rows = canonical_rows(ensemble, self.n_jobs, ensemble.weights / ensemble.weights.max())
        kmeans = _RowsByDegree(rows, reachable(self._check_n_clusters(ensemble.n_objects), rows))
        starts = track(seeds(self.random_state, self.n_init), "spectral ensemble clustering", verbose=self.verbose)
        ends = (kmeans.descend(seed, self.max_iter, self.tol) for seed in starts)
        (labels, _), errors = min(ends, key=lambda end: end[1][-1])
        held = nonempty_clusters(labels, kmeans.n_clusters)
        self.objective_ = np.maximum(len(held) - kmeans.spread + np.array(errors), 0)
        self.n_iter_ = len(errors)
        return self._finish(ensemble, np.searchsorted(held, labels)[rows.inverse])


class _RowsByDegree(CategoryKMeans):
    """Weighted k-means of the points h / d with the weights d, where h is a label row and d its degree.

    The degrees are d = H t, with the (weighted) sizes t of all clusters, so the weight of a point times its squared
    distance to a center c is ‖h‖² / d - Σ (2 c_j - t_j ‖c‖²) over the clusters j of a row: again a constant minus a
    look-up. Nothing is masked: a missing label is no vote.
    """

    def __init__(self, rows: LabelRows, n_clusters: int) -> None:
        super().__init__(rows, n_clusters)
        degrees = rows.look_up(rows.weights[:, None] * self.total)[:, 0]
        self.norms = self.norms / degrees
        self.spread = (rows.counts * self.norms).sum()
        self.grand_mean = self.total / (rows.counts * degrees).sum()

    def centers_of(self, sums: np.ndarray) -> np.ndarray:
        """Σ h / Σ d over the members of each cluster; the mean of all rows if it is empty."""
        volumes = (self.rows.weights[:, None] * self.total * sums).sum(axis=0)
        grand_mean = np.broadcast_to(self.grand_mean, sums.shape)
        return np.divide(sums, volumes, out=grand_mean.copy(), where=volumes > 0)

    def _table(self, centers: np.ndarray) -> np.ndarray:
        lengths = (self.rows.weights[:, None] * centers**2).sum(axis=0)
        return self.rows.weights[:, None] * (2 * centers - self.total * lengths)
