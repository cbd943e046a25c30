"""Consensus by a mixture of multinomials (MMEC)."""

from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval, StrOptions

from pluribus._engine import real_number, seeds, track
from pluribus.consensus._shared.base import ConsensusMixin, normalize_rows
from pluribus.consensus._shared.cost import Cost
from pluribus.consensus._shared.label_rows import LabelRows, nonempty_clusters, reachable
from pluribus.consensus.soft._category_kmeans import CategoryKMeans, canonical_rows
from pluribus.partitions import as_ensemble
from pluribus.partitions._internal import order_by_size


class MixtureConsensus(ConsensusMixin, BaseEstimator):
    """Model the labels of all partitions by a mixture of multinomials, with label rates for each cluster and partition.

    The row of labels of an object is drawn from a component of the mixture; given the component, its labels are
    independent. EM finds the components, and the posterior of an object is its membership. Missing labels are ignored.
    Weights are relative: those above 0 are scaled to a mean of 1. Soft partitions count fractions of labels.

    Prefer it if labels are missing, if partitions differ in their number of clusters, and if you want posteriors and
    label rates (``theta_``). With many partitions the posteriors are overconfident, because partitions of one data set
    are not independent. With one or two they are arbitrary, because many mixtures explain the labels equally well. EM
    has local optima, so keep ``n_init`` high.

    Parameters
    ----------
    n_clusters : int
    init : {"k-means++", "random"}
        Start from rows far from each other, or from random posteriors as in the source.
    n_init : int
        Number of starts; the best is kept.
    max_iter : int
        Iterations of one start.
    tol : float
        Stop when the log-likelihood grows by less than this share.
    epsilon : float
        Added to the count of each label in each cluster, so that every label has a positive probability.
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
        Posterior of each cluster.
    uncertainty_ : ndarray of shape (n,)
        Normalized entropy of the memberships, 0 to 1.
    pi_ : ndarray of shape (n_clusters_,)
        Share of each cluster.
    theta_ : tuple of r arrays of shape (n_clusters_, k_p)
        Rates of the labels of each partition in each cluster; columns as in the ensemble's ``classes``.
    objective_ : ndarray
        The log-likelihood after each iteration of the best start.
    n_iter_ : int

    References
    ----------
    Topchy, Jain and Punch, "A mixture model for clustering ensembles", SDM 2004.

    Examples
    --------
    >>> from pluribus.consensus import MixtureConsensus
    >>> labels = [[0, 0, 0, 1, 1, 2, 2], [1, 1, 1, 2, 2, 0, 0], [0, 0, 1, 1, 2, 2, 2], [0, 1, -1, 0, 1, -1, -1]]
    >>> mmec = MixtureConsensus(3, random_state=0).fit(labels)
    >>> mmec.labels_.tolist()
    [0, 0, 0, 1, 1, 2, 2]
    >>> round(float(mmec.objective_[-1]), 3)
    -13.621
    >>> mmec.theta_[2].round(2).tolist()
    [[0.67, 0.33, 0.0], [0.0, 0.5, 0.5], [0.0, 0.0, 1.0]]
    """

    known_as = {"mmec": {}}
    suits = "Missing labels, and posteriors with the label rates of each partition."
    cost = Cost(seconds=7, objects=1)

    _parameter_constraints: dict = {
        "n_clusters": [Interval(Integral, 1, None, closed="left"), None],
        "init": [StrOptions({"k-means++", "random"})],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, 1, closed="left")],
        "epsilon": [Interval(Real, 0, None, closed="neither")],
        "random_state": ["random_state", np.random.Generator],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        init: str = "k-means++",
        n_init: int = 10,
        max_iter: int = 200,
        tol: float = 1e-6,
        epsilon: float = 1e-6,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = True,
    ) -> None:
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.epsilon = epsilon
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, ensemble: Any, y: Any = None) -> "MixtureConsensus":
        """Find the consensus of an ensemble.

        Parameters
        ----------
        ensemble : Ensemble, n × r labels, or list of label sequences
        y : ignored
        """
        self._validate_params()
        ensemble = as_ensemble(ensemble)
        rows = canonical_rows(ensemble, self.n_jobs, weights=_relative(ensemble.weights))
        k = reachable(self._check_n_clusters(ensemble.n_objects), rows)
        kmeans = CategoryKMeans(rows, k)
        starts = track(seeds(self.random_state, self.n_init), "mixture of multinomials", verbose=self.verbose)
        mixture, path = max((self._climb(kmeans, seed) for seed in starts), key=lambda end: end[1][-1])
        self.objective_ = np.array(path)
        self.n_iter_ = len(path)
        membership, labels = _posterior(rows, mixture)
        membership, labels = membership[rows.inverse], labels[rows.inverse]
        held = nonempty_clusters(labels, k)
        membership, labels = normalize_rows(membership[:, held]), np.searchsorted(held, labels)
        components = held[order_by_size(labels, len(held))]
        self.pi_ = mixture.pi[components] / mixture.pi[components].sum()
        self.theta_ = tuple(np.split(mixture.theta[:, components].T, rows.offsets[1:-1], axis=1))
        return self._finish(ensemble, labels, membership)

    def _climb(self, kmeans: CategoryKMeans, seed: int) -> tuple["Mixture", list[float]]:
        """One start of EM: the mixture and its log-likelihood after each iteration."""
        rows, rng = kmeans.rows, np.random.default_rng(seed)
        start = _far_apart(kmeans, rng) if self.init == "k-means++" else _at_random(rows, kmeans.n_clusters, rng)
        mixture = _maximize(rows, *start, self.epsilon)
        sums, sizes, log_likelihood = _expect(rows, mixture)
        path = [float(log_likelihood)]
        while len(path) < self.max_iter:
            mixture = _maximize(rows, sums, sizes, self.epsilon)
            sums, sizes, log_likelihood = _expect(rows, mixture)
            path.append(float(log_likelihood))
            if path[-1] - path[-2] <= self.tol * abs(path[-2]):
                break
        return mixture, path


def _relative(weights: np.ndarray) -> np.ndarray:
    """Weights scaled to a mean of 1 among those above 0, since the likelihood depends on their size."""
    shares = weights / weights.max()
    return shares / shares[shares > 0].mean()


class Mixture(NamedTuple):
    """Shares of the k components, and the label rates (q, k) of each."""

    pi: np.ndarray
    theta: np.ndarray


def _maximize(rows: LabelRows, sums: np.ndarray, sizes: np.ndarray, epsilon: float) -> Mixture:
    """M step, from the posteriors summed over each cluster of the ensemble (q, k) and over all objects (k,)."""
    epsilon = real_number("epsilon", epsilon, 0, 1e100)
    seen = rows.spread(rows.by_partition(sums) + epsilon * rows.n_clusters[:, None])
    return Mixture(sizes / sizes.sum(), (sums + epsilon) / seen)


def _log_joint(mixture: Mixture, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    with np.errstate(divide="ignore"):
        return np.log(mixture.pi), weights[:, None] * np.log(mixture.theta)


def _expect(rows: LabelRows, mixture: Mixture) -> tuple:
    """E step: the sums for ``_maximize``, and the log-likelihood. No n × k array is kept."""
    log_pi, log_theta = _log_joint(mixture, rows.weights)

    def block(start: int, stop: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        counts = rows.counts[start:stop]
        posterior, log_likelihood = _softmax(rows.look_up(log_theta, start, stop) + log_pi)
        posterior[posterior < 1e-16] = 0  # negligible in sums, and ``sum_by`` skips zeros
        posterior *= counts[:, None]
        return rows.sum_by(posterior, start, stop), posterior.sum(axis=0), (counts * log_likelihood).sum()

    return rows.over_blocks(block, len(mixture.pi))


def _posterior(rows: LabelRows, mixture: Mixture) -> tuple[np.ndarray, np.ndarray]:
    log_pi, log_theta = _log_joint(mixture, rows.weights)
    posterior = np.empty((rows.n, len(mixture.pi)))

    def block(start: int, stop: int) -> tuple[()]:
        posterior[start:stop] = _softmax(rows.look_up(log_theta, start, stop) + log_pi)[0]
        return ()

    rows.over_blocks(block, 1)
    return posterior, posterior.argmax(axis=1)


def _softmax(log_joint: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """exp(rows), normalized in place, and the logarithm of their sums."""
    top = log_joint.max(axis=1, keepdims=True)
    log_joint -= top
    np.exp(log_joint, out=log_joint)
    total = log_joint.sum(axis=1, keepdims=True)
    log_joint /= total
    return log_joint, (top + np.log(total))[:, 0]


def _far_apart(kmeans: CategoryKMeans, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Assign each row to the nearest of k rows far from each other, softened by half so that EM can move it."""
    labels, sums = kmeans.assign(kmeans.seed_centers(rng))
    sizes = np.bincount(labels, weights=kmeans.rows.counts, minlength=kmeans.n_clusters)
    return (sums + sums.mean(axis=1, keepdims=True)) / 2, (sizes + sizes.mean()) / 2


def _at_random(rows: LabelRows, k: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Posteriors drawn uniformly from the simplex."""
    posterior = rng.standard_exponential((rows.n, k))
    posterior *= (rows.counts / posterior.sum(axis=1))[:, None]
    return rows.sum_by(posterior), posterior.sum(axis=0)
