"""Clusters of dissimilarities with constraints, by an annealed mean field (Lange et al.)."""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.spatial.distance import pdist, squareform
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import StrOptions

from pluribus._engine import MemoryLimitError, in_bytes, memory_limit, run_tasks, seeds
from pluribus._kernels.assignment.pairwise_mean_field import sweep_memberships
from pluribus.constrained._shared.base import ConstrainedMixin
from pluribus.constrained._shared.pair_network import hard_network
from pluribus.constrained._shared.parameters import STARTS
from pluribus.constraints import Constraints
from pluribus.tables._internal import check_scale

_HARD = 1000.0  # the coupling of a hard pair, as in the source
_FIRST, _LAST, _FASTER = 0.5, 500.0, 1.25  # inverse temperatures, over the mean dissimilarity
_JITTER = 1e-2
_NEGLIGIBLE = 1e-290  # a mean dissimilarity by which others cannot be divided


class PairwiseMeanField(ConstrainedMixin, BaseEstimator):
    """Cluster objects of which only dissimilarities are known, under must-links and cannot-links.

    It minimizes Σ_h Σ_{i,j in h} d_ij / (2 n_h), which is the inertia of k-means if d is the squared distance, and the
    weights of broken pairs. The memberships are a mean field of the Gibbs distribution of this cost: each object
    is assigned in part, given the memberships of all others, while the temperature falls.

    Prefer it if there are no features: similarities of strings, of graphs, or from experts. It takes memory for n × n
    numbers and n² k time in a pass, so it is for a few thousand objects. With features, :class:`CopKMeans` or
    :class:`MeanFieldMixture` are faster, and label new objects.

    Parameters
    ----------
    n_clusters : int, default=8
    metric : {"sqeuclidean", "precomputed"}
        "precomputed": X is the n × n matrix of dissimilarities. Otherwise they are squared distances of the rows of X.
    n_init : int, default=5
        Number of starts; the result with the lowest cost is kept.
    max_iter : int, default=50
        Passes at each temperature.
    tol : float, default=1e-3
        A temperature ends when no membership changes by more than this.
    random_state : int, RandomState, Generator or None
    n_jobs : int, optional
        Cores for the starts; the result does not depend on it.
    verbose : bool, default=True
        Show progress (only on a terminal).

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Clusters are numbered from the largest. No hard constraint is broken.
    n_clusters_ : int
    membership_ : ndarray of shape (n, n_clusters)
        At the last temperature, at which they are nearly 0 or 1.
    uncertainty_ : ndarray of shape (n,)
    violations_ : Violations
        The soft pairs that ``labels_`` breaks.
    cost_ : float
        Of ``labels_``: the sum of dissimilarities within clusters over twice their sizes.
    n_iter_ : int
        Passes of the best start.

    References
    ----------
    Lange, Law, Jain and Buhmann, "Learning with constrained and unlabelled data", CVPR 2005; and chapter 5 of
    *Constrained Clustering*, 2008, whose formula lacks a factor 1 / (S + 1).
    T. Hofmann, J. M. Buhmann, "Pairwise data clustering by deterministic annealing", IEEE PAMI 19, 1997.

    Examples
    --------
    >>> from pluribus import Constraints
    >>> from pluribus.constrained import PairwiseMeanField
    >>> D = [[0, 1, 8, 9], [1, 0, 7, 8], [8, 7, 0, 1], [9, 8, 1, 0]]
    >>> PairwiseMeanField(2, metric="precomputed", random_state=0).fit(D).labels_.tolist()
    [0, 0, 1, 1]
    >>> known = Constraints(4, cannot_link=[(0, 1)])
    >>> PairwiseMeanField(2, metric="precomputed", random_state=0).fit(D, constraints=known).labels_.tolist()
    [1, 0, 0, 0]
    """

    known_as = {"pairwise-mean-field": {}}
    suits = "Objects without features, of which dissimilarities are known."
    takes_sparse = False

    _parameter_constraints: dict = {**STARTS, "metric": [StrOptions({"sqeuclidean", "precomputed"})]}

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        metric: str = "sqeuclidean",
        n_init: int = 5,
        max_iter: int = 50,
        tol: float = 1e-3,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = True,
    ) -> None:
        self.n_clusters = n_clusters
        self.metric = metric
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, *, constraints: Constraints | None = None) -> "PairwiseMeanField":
        """Cluster the objects.

        Parameters
        ----------
        X : array of shape (n, n) or (n, d)
            Dissimilarities, symmetric and 0 or more; or features.
        y : ignored
        constraints : Constraints, optional
        """
        given = self._check_given(X, constraints, None)
        witness = self._check_feasible(given.constraints).witness
        D = self._dissimilarities(given.X)
        mean = float(D.mean())
        relative = D / mean if mean > _NEGLIGIBLE else np.zeros_like(D)
        couplings = _couplings(given.constraints)

        def start(seed: int) -> _Annealed:
            found = self._anneal(relative, couplings, np.random.default_rng(seed))
            labels = _decoded(given.constraints, found.membership, witness)
            return found._replace(labels=labels, cost=_LAST * _cost(relative, labels) - _held(couplings, labels))

        how: Any = {"n_jobs": self.n_jobs, "description": "pairwise mean field", "verbose": self.verbose}
        runs = run_tasks(start, seeds(self.random_state, self.n_init), **how)
        best = min(runs, key=lambda run: run.cost)
        self._finish(given.constraints, best.labels, self.n_clusters, best.membership)
        self.cost_, self.n_iter_ = _cost(D, best.labels), best.n_iter
        return self

    def fit_predict(self, X: Any, y: Any = None, **given: Any) -> np.ndarray:
        """Cluster the objects, and return the cluster of each; the parameters are those of ``fit``."""
        return self.fit(X, **given).labels_

    def _anneal(self, D: np.ndarray, couplings: sparse.csr_array, random: np.random.Generator) -> "_Annealed":
        """Memberships, object by object, while the temperature falls."""
        n, k = len(D), self.n_clusters
        q = 1 / k + _JITTER * random.uniform(-1, 1, (n, k)) / k
        q /= q.sum(axis=1, keepdims=True)
        n_cooled = int(np.ceil(np.log(_LAST / _FIRST) / np.log(_FASTER)))
        n_iter = 0
        for beta in _FIRST * _FASTER ** np.arange(n_cooled + 1):
            Dq, sizes = D @ q, q.sum(axis=0)  # anew, so that rounding does not add up
            within = np.einsum("ij,ij->j", q, Dq)
            for _ in range(self.max_iter):
                n_iter += 1
                order = random.permutation(n)
                links = couplings.indptr, couplings.indices, couplings.data
                if sweep_memberships(D, *links, beta, order, q, Dq, sizes, within) <= self.tol:
                    break
        return _Annealed(q, n_iter)

    def _dissimilarities(self, X: np.ndarray) -> np.ndarray:
        n = X.shape[0]
        if (needed := 16 * n * n) > memory_limit():
            raise MemoryLimitError(
                f"The dissimilarities of {n:,} objects take {in_bytes(needed)} of memory, more than the "
                f"{in_bytes(memory_limit())} allowed: use a sample, or a method for features."
            )
        if self.metric == "sqeuclidean":
            check_scale(X)
            return squareform(pdist(X.astype(np.float64), "sqeuclidean"))
        if X.shape[0] != X.shape[1]:
            raise ValueError(f"X has shape {X.shape}: with metric='precomputed', give the n × n dissimilarities.")
        D = X.astype(np.float64)
        largest = float(np.abs(D).max())
        if D.min() < 0 or not np.allclose(D, D.T, atol=1e-8 * largest) or np.diagonal(D).any():
            raise ValueError(
                "X is no matrix of dissimilarities: with metric='precomputed' it must be symmetric, 0 or more, and 0 "
                "on the diagonal. Use (X + X.T) / 2, and subtract what is on the diagonal."
            )
        return D

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.metric == "precomputed"
        return tags


class _Annealed(NamedTuple):
    membership: np.ndarray
    n_iter: int
    labels: np.ndarray = np.empty(0, np.int64)
    cost: float = np.inf


def _couplings(constraints: Constraints) -> sparse.csr_array:
    """The weights of soft pairs, and of all hard pairs of first objects of chunklets, which are strong."""
    closure, n = constraints.closure(), constraints.n_objects
    first = closure.representatives
    linked = np.flatnonzero(first[closure.chunk_of] != np.arange(n))
    together = np.column_stack([first[closure.chunk_of[linked]], linked])
    apart = first[closure.cannot_link].reshape(-1, 2)
    pairs = np.concatenate([together, apart])
    weights = np.repeat([_HARD, -_HARD], [len(together), len(apart)])
    upper = sparse.coo_array((weights, (pairs[:, 0], pairs[:, 1])), shape=(n, n))
    return sparse.csr_array(upper + upper.T + constraints.coupling)


def _decoded(constraints: Constraints, membership: np.ndarray, witness: np.ndarray | None) -> np.ndarray:
    """The labels with the highest memberships that satisfy the hard constraints."""
    closure = constraints.closure()
    cost = -(closure.chunk_indicator @ np.log(np.maximum(membership, 1e-300)))
    labels = cost.argmin(axis=1)
    if len(closure.cannot_link):
        network, apart = hard_network(closure, membership.shape[1])
        of_nodes = None if witness is None else witness[closure.representatives][network.nodes]
        labels[network.nodes] = network.assign(cost[network.nodes], apart, witness=of_nodes)
    return labels[closure.chunk_of]


def _cost(D: np.ndarray, labels: np.ndarray) -> float:
    """Σ_h Σ_{i,j in h} d_ij / (2 n_h)."""
    return sum(
        float(D[np.ix_(inside, inside)].sum() / (2 * len(inside)))
        for inside in (np.flatnonzero(labels == h) for h in np.unique(labels))
    )


def _held(couplings: sparse.csr_array, labels: np.ndarray) -> float:
    """The weights of the pairs that are together."""
    pairs = couplings.tocoo()
    same = labels[pairs.row] == labels[pairs.col]
    return float(pairs.data[same].sum()) / 2
