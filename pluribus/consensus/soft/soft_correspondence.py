"""Consensus by soft correspondence (SCEC)."""

import warnings
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions

from pluribus._engine import run_tasks, seeds
from pluribus.consensus._shared.base import ConsensusMixin, normalize_rows
from pluribus.consensus._shared.canonical_order import canonical_order
from pluribus.consensus._shared.cost import Cost
from pluribus.consensus._shared.label_rows import LabelRows
from pluribus.consensus.soft._category_kmeans import CategoryKMeans
from pluribus.consensus.soft._correspondence_fit import (
    CorrespondenceFit,
    FittedCorrespondences,
    Penalty,
    check_bounded,
    choose_penalty,
    descend,
)
from pluribus.consensus.soft._harden_memberships import harden_memberships
from pluribus.partitions import as_ensemble
from pluribus.partitions._internal import check_membership, order_by_size

_SAMPLE = 10_000  # objects for the k-means start, at most
_START_ITER = 20


class SoftCorrespondence(ConsensusMixin, BaseEstimator):
    """Combine partitions by mapping each one softly onto the consensus.

    Each cluster of a partition may correspond to several consensus clusters, with weights that sum to 1: its row in the
    correspondence matrix S of the partition. The memberships M of the consensus and all correspondences are found
    together, such that M ≈ A S for the indicator matrix A of each partition, in least squares. A second term spreads
    the rows of each S; without it all objects would end in one cluster. For fixed S, M is the mean of A S over the
    partitions; for fixed M, the rows of S are updated one by one. The objective never rises, and an iteration takes O(n
    r k) time.

    Prefer it if the partitions have different numbers of clusters or missing labels, if n is large, and if you want to
    see how each partition relates to the result (``correspondences_``). ``n_clusters`` is an upper bound: clusters that
    the partitions do not support vanish. If you need exactly k clusters, or if clusters are chains of small pieces that
    the partitions seldom join, use evidence accumulation.

    Parameters
    ----------
    n_clusters : int
        The largest number of consensus clusters, at least 2.
    solver : {"simplex", "multiplicative"}
        "simplex" keeps the rows of S on the simplex and lowers the objective for any ``alpha``. "multiplicative" is the
        rule of the source, in which a penalty ``beta`` keeps the row sums near 1.
    alpha, beta : float, optional
        The weights of the spread and of the row sums as in the source, equal for all partitions. By default they follow
        the mean cluster size of each partition.
    alpha_rel : float
        alpha relative to the mean cluster size. Smaller values merge more clusters (0.1 and less: all of them), larger
        values keep ``n_clusters``.
    theta : float between 0 and 1
        Tolerance of the row sums, "multiplicative" only: beta = alpha (1 - 1/k_p) / (theta n_clusters).
    init : {"qmi", "member"} or memberships (n, n_clusters)
        The starts: k-means on the one-hot labels (of 10,000 objects, if there are more), random partitions with about
        ``n_clusters`` clusters, or given memberships (a single start).
    missing : {"ignore", "uniform"}
        How an object counts in a partition that has no label for it: not at all, or, as in the source, as an equal
        share of all clusters of that partition.
    n_init : int
        Number of starts; the one with the lowest objective is kept.
    max_iter : int
    tol : float
        Stop when no correspondence changes by more.
    random_state : int, RandomState, Generator or None
    n_jobs : int, optional
        Starts that run at a time. The result does not depend on it.
    verbose : bool
        Show progress (only on a terminal).

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        The cluster of highest membership; clusters are numbered from the largest.
    n_clusters_ : int
        Clusters of the result, at most ``n_clusters``. A cluster that is first for no object is left out, and the
        remaining memberships and correspondences are scaled up.
    membership_ : ndarray of shape (n, n_clusters_)
    uncertainty_ : ndarray of shape (n,)
        Normalized entropy of the memberships, 0 to 1.
    correspondences_ : list of r arrays of shape (k_p, n_clusters_)
        Row c has the consensus clusters that correspond to cluster c of the partition (its label is
        ``ensemble.classes[p][c]``). Rows sum to 1, for "multiplicative" approximately.
    objective_ : ndarray of shape (n_iter_ + 1,)
        The distance to all partitions at the start and after each iteration; it never rises.
    n_iter_ : int
    converged_ : bool

    References
    ----------
    Long, Zhang and Yu, "Combining multiple clusterings by soft correspondence", ICDM 2005.

    Examples
    --------
    >>> from pluribus.consensus import SoftCorrespondence
    >>> labels = [["a", "a", "b", "b", "c", "c"], [2, 2, 0, 0, 1, 1], [0, 0, 0, 0, 1, None]]
    >>> scec = SoftCorrespondence(3, random_state=0).fit(labels)
    >>> scec.labels_.tolist()
    [0, 0, 1, 1, 2, 2]
    >>> scec.correspondences_[2].round(2).tolist()
    [[0.5, 0.5, 0.0], [0.0, 0.0, 1.0]]
    """

    known_as = {"scec": {}}
    suits = "Partitions with different numbers of clusters, and how each relates to the result."
    cost = Cost(seconds=5, objects=1)

    _parameter_constraints: dict = {
        "n_clusters": [Interval(Integral, 2, None, closed="left"), None],
        "solver": [StrOptions({"simplex", "multiplicative"})],
        "alpha": [Interval(Real, 0, None, closed="left"), None],
        "beta": [Interval(Real, 0, None, closed="left"), None],
        "alpha_rel": [Interval(Real, 0, None, closed="left")],
        "theta": [Interval(Real, 0, 1, closed="neither")],
        "init": [StrOptions({"qmi", "member"}), "array-like"],
        "missing": [StrOptions({"ignore", "uniform"})],
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
        solver: str = "simplex",
        alpha: float | None = None,
        beta: float | None = None,
        alpha_rel: float = 1.0,
        theta: float = 0.1,
        init: Any = "qmi",
        missing: str = "ignore",
        n_init: int = 5,
        max_iter: int = 200,
        tol: float = 1e-4,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = True,
    ) -> None:
        self.n_clusters = n_clusters
        self.solver = solver
        self.alpha = alpha
        self.beta = beta
        self.alpha_rel = alpha_rel
        self.theta = theta
        self.init = init
        self.missing = missing
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, ensemble: Any, y: Any = None) -> "SoftCorrespondence":
        """Find the consensus of an ensemble.

        Parameters
        ----------
        ensemble : Ensemble (hard or soft), n × r labels, or list of label sequences
        y : ignored
        """
        self._validate_params()
        ensemble = as_ensemble(ensemble)
        k = self._check_n_clusters(ensemble.n_objects)
        order = canonical_order(ensemble)
        fit = CorrespondenceFit(ensemble.take_objects(order), uniform=self.missing == "uniform")
        penalty = self._penalty(fit, k)
        given = self._given_start(fit, k, order)
        if self._check_partitions(fit, order):
            best = self._descend(fit, penalty, k, given)
        else:  # only partitions with a single cluster
            best = FittedCorrespondences(fit.averaged(np.ones((len(fit.sizes), 1))), [0.0], True)
        self.objective_ = np.array(best.path)
        self.n_iter_ = len(best.path) - 1
        self.converged_ = best.converged
        if not best.converged:
            warnings.warn(
                f"SCEC stopped after {self.n_iter_} iterations before it converged; raise max_iter or tol.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self._set_result(fit, best.S, order)

    def _check_partitions(self, fit: CorrespondenceFit, order: np.ndarray) -> bool:
        """Whether a partition is informative; refuses objects that no informative partition covers."""
        trivial = [name for name, k in zip(fit.ensemble.names, fit.n_present, strict=True) if k <= 1]
        if trivial:
            warnings.warn(
                f"{len(trivial)} partitions have a single cluster and are ignored, because they do not separate the "
                f"objects. The first is {trivial[0]!r}.",
                UserWarning,
                stacklevel=3,
            )
        if not fit.informative.any():
            return False
        unknown = np.sort(order[(fit.covered <= 0).ravel()[fit.rows.inverse]])
        if unknown.size:
            raise ValueError(
                f"Only partitions with a single cluster or of weight 0 cover {unknown.size} objects (the first are "
                f"rows {unknown[:5].tolist()}), so they cannot be clustered. Drop these rows, or add a partition."
            )
        return True

    def _penalty(self, fit: CorrespondenceFit, k: int) -> Penalty:
        if self.solver == "simplex" and self.beta is not None:
            raise ValueError("beta is for solver='multiplicative': with 'simplex' the row sums are always 1.")
        penalty = choose_penalty(fit, k, alpha=self.alpha, beta=self.beta, alpha_rel=self.alpha_rel, theta=self.theta)
        if self.solver == "multiplicative":
            check_bounded(fit, penalty, k)
        return penalty

    # -- starts ------------------------------------------------------------------------------------------------------

    def _given_start(self, fit: CorrespondenceFit, k: int, order: np.ndarray) -> np.ndarray | None:
        if isinstance(self.init, str):
            return None
        membership = check_membership(self.init, "init")
        if membership.shape != (len(order), k):
            raise ValueError(f"init must have shape ({len(order)}, {k}), objects by clusters; got {membership.shape}.")
        sums = np.column_stack([np.bincount(fit.rows.inverse, column) for column in membership[order].T])
        return sums / fit.counts

    def _descend(
        self, fit: CorrespondenceFit, penalty: Penalty, k: int, given: np.ndarray | None
    ) -> FittedCorrespondences:
        """The best end of all starts; the first on ties."""

        def run(seed: int) -> FittedCorrespondences:
            if given is not None:
                start = given
            else:
                draw = _labels_by_k_means if self.init == "qmi" else _labels_of_member
                labels = draw(fit, k, np.random.default_rng(seed))
                start = np.zeros((fit.rows.n, k))
                start[fit.rows.inverse[labels >= 0], labels[labels >= 0]] = 1
            S = fit.averaged(fit.cross(start))
            unknown = ~start.any(axis=1, keepdims=True)
            M = np.where(unknown, fit.consensus(S), normalize_rows(start)) if unknown.any() else normalize_rows(start)
            if self.solver == "multiplicative":
                S = fit.present * (S + 1 / k) / 2  # zeros would stay 0
            return descend(fit, M, S, penalty, solver=self.solver, max_iter=self.max_iter, tol=self.tol)

        starts = seeds(self.random_state, self.n_init if given is None else 1)
        ends = run_tasks(run, starts, n_jobs=self.n_jobs, description="SCEC starts", verbose=self.verbose)
        return min(ends, key=lambda end: end.path[-1])

    # -- result ------------------------------------------------------------------------------------------------------

    def _set_result(self, fit: CorrespondenceFit, S: np.ndarray, order: np.ndarray) -> "SoftCorrespondence":
        """Set the result from the correspondences, without empty clusters."""
        M = fit.consensus(S) if fit.informative.any() else np.ones((fit.rows.n, 1))
        row_of = np.empty_like(order)
        row_of[order] = fit.rows.inverse
        labels, kept = harden_memberships(M, (fit.counts * M).sum(axis=0), row_of)
        membership = normalize_rows(M[:, kept])
        total, left = S.sum(axis=1, keepdims=True), S[:, kept].sum(axis=1, keepdims=True)
        # A cluster that corresponds only to empty ones, or that is empty, takes the mean of its objects.
        average = normalize_rows(fit.cross(membership))
        scaled = np.divide(S[:, kept] * total, left, out=average, where=left > 1e-12)
        self.correspondences_ = np.split(scaled, fit.rows.offsets[1:-1])
        return self._finish(fit.ensemble, labels, membership[row_of])


def _labels_by_k_means(fit: CorrespondenceFit, k: int, rng: np.random.Generator) -> np.ndarray:
    """Labels by one run of k-means on the one-hot labels; -1 for objects outside of the sample."""
    n = fit.ensemble.n_objects
    sample = np.arange(n) if n <= _SAMPLE else np.sort(rng.choice(n, _SAMPLE, replace=False))
    some = fit.ensemble.take_objects(sample)
    rows = LabelRows(some.take_partitions(np.flatnonzero(fit.informative & (some.labels >= 0).any(axis=0))))
    k_means = CategoryKMeans(rows, min(k, rows.n))
    assignment = k_means.assign(k_means.seed_centers(rng))
    for _ in range(_START_ITER):
        assignment = k_means.assign(k_means.centers_of(assignment.sums))
    labels = np.full(n, -1)
    labels[sample] = assignment.labels[rows.inverse]
    return labels


def _labels_of_member(fit: CorrespondenceFit, k: int, rng: np.random.Generator) -> np.ndarray:
    """A random partition among those with a number of clusters nearest to k; clusters beyond k are folded."""
    distance = np.where(fit.informative, np.abs(fit.n_present - k), np.inf)
    chosen = int(rng.choice(np.flatnonzero(distance == distance.min())))
    labels = fit.ensemble.labels[:, chosen]
    rank = np.argsort(order_by_size(labels, int(fit.ensemble.n_clusters[chosen])))  # folding must not depend on labels
    return np.where(labels >= 0, rank[labels] % k, -1)
