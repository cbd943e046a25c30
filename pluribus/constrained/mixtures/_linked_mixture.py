"""What the Gaussian mixtures with constraints share: starts, their result, and new rows."""

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.cluster import KMeans, kmeans_plusplus
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import normalize
from sklearn.utils._param_validation import StrOptions

from pluribus._engine import is_one_of, run_tasks, seeds
from pluribus.constrained._shared.base import ConstrainedMixin, Given
from pluribus.constrained._shared.parameters import NOT_NEGATIVE, STARTS
from pluribus.constrained.mixtures._chunklet_network import softmax
from pluribus.constrained.mixtures._expectation_maximization import (
    EMRun,
    Expect,
    Maximize,
    expectation_maximization,
)
from pluribus.constrained.mixtures._gaussians import (
    CollapsedError,
    Gaussians,
    from_precisions,
    log_densities,
    multinomials,
)
from pluribus.constrained.mixtures._given_start import GivenStart
from pluribus.constrained.mixtures._linked_data import Estimates, Inference, LinkedData, Mixture
from pluribus.constrained.mixtures._multinomials import KIND as MULTINOMIAL

Climb = Callable[[Mixture, np.random.Generator], EMRun]


class LinkedMixture(ConstrainedMixin, BaseEstimator, ABC):
    """Base class of Gaussian mixtures in which the labels of some objects depend on each other; ``_fit`` is theirs."""

    _most_weight = 1e303  # the weights are relative, and only the objective grows with them

    membership_: np.ndarray
    uncertainty_: np.ndarray

    _parameter_constraints: dict = {
        **STARTS,
        "covariance_type": [StrOptions({"full", "tied", "diag", "spherical"})],
        "weights": [StrOptions({"joint", "conditional", "uniform", "fixed"})],
        "reg_covar": [NOT_NEGATIVE],
        "weights_init": ["array-like", None],
        "means_init": ["array-like", None],
        "precisions_init": ["array-like", None],
    }

    covariance_type: str
    weights: str
    reg_covar: float
    tol: float
    max_iter: int
    n_init: int
    weights_init: Any
    means_init: Any
    precisions_init: Any
    random_state: Any
    n_jobs: int | None
    verbose: bool

    def fit(self, X: Any, y: Any = None, *, constraints: Any = None, sample_weight: Any = None) -> Self:
        """Fit the mixture.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, d)
            Sparse only with ``covariance_type`` "diag" or "spherical".
        y : ignored
        constraints : Constraints, optional
        sample_weight : array-like of shape (n,), optional
            Linked objects count as often as their mean weight; among them, heavier ones have more influence.
        """
        given = self._check_given(X, constraints, sample_weight)
        return self._fit(given, self._check_feasible(given.constraints).witness)

    @abstractmethod
    def _fit(self, given: Given, witness: np.ndarray | None) -> Self:
        """EM on checked input; the witness is a cluster for each object that satisfies all hard constraints."""

    def predict(self, X: Any) -> np.ndarray:
        """The most probable cluster of each row of X, without constraints."""
        return self._log_joint(X).argmax(axis=1).astype(np.int32)

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each cluster for each row of X, without constraints."""
        return softmax(self._log_joint(X))[0].astype(self.means_.dtype)

    def score_samples(self, X: Any) -> np.ndarray:
        """Logarithm of the density of each row of X."""
        return softmax(self._log_joint(X))[1].astype(self.means_.dtype)

    def score(self, X: Any, y: Any = None) -> float:
        """Mean logarithm of the density of the rows of X."""
        return float(self.score_samples(X).mean())

    @property
    def takes_sparse(self) -> bool:  # type: ignore[override]
        """Whether X may be sparse: only if the covariances have no more entries than the means."""
        return is_one_of(self._kind, ("diag", "spherical", MULTINOMIAL))

    @property
    def _kind(self) -> str:
        """The kind of the densities."""
        return self.covariance_type

    def _check_given(self, X: Any, constraints: Any, sample_weight: Any) -> Given:
        self._check_kind(X)
        given = super()._check_given(X, constraints, sample_weight)
        _check_size(given.X)
        self._check_counts(given.X)
        return given

    def _check_new(self, X: Any) -> Any:
        self._check_kind(X)
        X = super()._check_new(X)
        _check_size(X)
        self._check_counts(X)
        return X

    def _check_counts(self, X: Any) -> None:
        if self._kind == MULTINOMIAL and X.min() < 0:
            raise ValueError(f"model='multinomial' is for counts, but X has negative numbers, such as {X.min():g}.")

    def _check_kind(self, X: Any) -> None:
        if sparse.issparse(X) and is_one_of(self._kind, ("full", "tied")):
            raise ValueError(
                f"X is sparse, and covariance_type={self.covariance_type!r} would make it dense: use covariance_type="
                "'diag' or 'spherical', or reduce the dimensions with sklearn.decomposition.TruncatedSVD."
            )

    def _log_joint(self, X: Any) -> np.ndarray:
        X = self._check_new(X)
        model = Gaussians(self._kind, self.means_, self.covariances_, self.precisions_cholesky_)
        joint = log_densities(X, model) + np.log(self.weights_)
        impossible = np.flatnonzero(np.isneginf(joint).all(axis=1))
        if self._kind == MULTINOMIAL and len(impossible):
            raise ValueError(
                f"row {impossible[0]} of X is impossible in all clusters, because it has features of which they have "
                "no share: fit with a positive smoothing."
            )
        return joint

    @property
    def _estimates(self) -> Estimates:
        return Estimates(self.covariance_type, self.reg_covar, self.weights)

    def _climb(self, data: LinkedData, start: Mixture, *, expect: Expect, maximize: Maximize) -> EMRun:
        """EM from one start."""
        tol = float(self.tol) * float(data.total)
        return expectation_maximization(start, expect, maximize, max_iter=self.max_iter, tol=tol)

    def _best_run(self, data: LinkedData, inference: Inference, climb: Climb) -> EMRun:
        """EM from each start; the run with the highest objective."""
        _warn_of_loops(data, inference, self.weights)
        given = GivenStart.of(self, data.X.shape[1])
        if self.weights == "fixed" and given.weights is None:
            raise ValueError("weights='fixed' needs the weights of the clusters: give weights_init.")
        n_starts = self.n_init if any(part is None for part in given) else 1

        def run(task: tuple[int, int]) -> EMRun | CollapsedError:
            number, seed = task
            try:
                return climb(self._start(data, given, number, seed), np.random.default_rng(seed))
            except CollapsedError as error:  # another start may succeed
                return error

        name = type(self).__name__
        tasks = enumerate(seeds(self.random_state, n_starts))
        ends = run_tasks(run, tasks, n_jobs=self.n_jobs, description=name, verbose=bool(self.verbose))
        runs = [end for end in ends if isinstance(end, EMRun)]
        errors = [end for end in ends if isinstance(end, CollapsedError)]
        if not runs:
            raise errors[0]
        if errors:
            warnings.warn(
                f"{len(errors)} of {n_starts} starts collapsed and are ignored: {errors[0]}",
                ConvergenceWarning,
                stacklevel=4,
            )
        return max(runs, key=lambda run: run.path[-1])

    def _start(self, data: LinkedData, given: GivenStart, number: int, seed: int) -> Mixture:
        """k-means of the chunklets, or wide clusters at k distant chunklets; given parts of the start replace these.

        k-means often ends in the same place, from where EM may not find clusters that suit the constraints.
        """
        if given.weights is not None and given.means is not None and given.precisions is not None:
            return Mixture(given.weights, from_precisions(given.means, given.precisions, self.covariance_type))
        mixture = self._near_kmeans(data, seed) if number % 2 == 0 else self._far_apart(data, seed)
        gaussians, weights = mixture.gaussians, mixture.weights
        if given.means is not None:
            gaussians = gaussians._replace(means=given.means)
        if given.precisions is not None:
            gaussians = from_precisions(gaussians.means, given.precisions, self.covariance_type)
        return Mixture(weights if given.weights is None else given.weights, gaussians)

    def _near_kmeans(self, data: LinkedData, seed: int) -> Mixture:
        k = int(self.n_clusters)
        centers, weight = self._comparable(data)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # fewer distinct chunklets than clusters
            labels = KMeans(k, n_init=1, random_state=seed).fit(centers, sample_weight=weight).labels_
        marginals = np.eye(k)[labels]
        if len(np.unique(labels)) < k:
            marginals = 0.9 * marginals + 0.1 / k  # no cluster starts empty
        return data.maximize(marginals, self._estimates)

    def _far_apart(self, data: LinkedData, seed: int) -> Mixture:
        k = int(self.n_clusters)
        centers, weight = self._comparable(data)
        means, _ = kmeans_plusplus(centers, k, sample_weight=weight, random_state=seed)
        equal = np.full((len(weight), k), 1 / k)
        if self._kind == MULTINOMIAL:  # half of each is the whole
            shares = means.toarray() if sparse.issparse(means) else means
            whole = data.maximize(equal, self._estimates).gaussians.means
            shares = (whole + shares / np.maximum(shares.sum(axis=1, keepdims=True), np.finfo(float).tiny)) / 2
            return Mixture(np.full(k, 1 / k), multinomials(shares / shares.sum(axis=1, keepdims=True)))
        kind, _, covariances, whitening = data.maximize(equal, self._estimates._replace(weights="uniform")).gaussians
        return Mixture(np.full(k, 1 / k), Gaussians(kind, means, covariances / k, whitening * np.sqrt(k)))

    def _comparable(self, data: LinkedData) -> tuple[Any, np.ndarray]:
        """The mean and the weight of each chunklet; counts as directions, which do not depend on their number."""
        centers, weight = data.chunklet_means()
        return (normalize(centers), weight) if self._kind == MULTINOMIAL else (centers, weight)

    def _set_mixture_result(self, given: Given, data: LinkedData, run: EMRun) -> Self:
        """Decode the labels and set the result."""
        closure, network = data.closure, data.network
        if not run.converged:
            warnings.warn(
                f"the best start did not converge in max_iter={self.max_iter} iterations: raise max_iter or tol",
                ConvergenceWarning,
                stacklevel=4,
            )
        U = data.potentials(run.mixture)
        dtype = given.X.dtype
        labels = network.decode(U, run.beliefs.marginals)[closure.chunk_of]
        membership = run.beliefs.marginals.astype(dtype)[closure.chunk_of]
        order = self._finish(given.constraints, labels, self.n_clusters, membership)
        self.uncertainty_ = self.uncertainty_.astype(dtype)
        kind, means, covariances, whitening = run.mixture.gaussians
        tied = kind == "tied"
        self.weights_ = run.mixture.weights[order].astype(dtype)
        self.means_ = means[order].astype(dtype)
        self.covariances_ = (covariances if tied else covariances[order]).astype(dtype)
        self.precisions_cholesky_ = (whitening if tied else whitening[order]).astype(dtype)
        self.objective_ = np.array(run.path)
        self.n_iter_ = len(run.path) - 1
        self.converged_ = run.converged
        self.inference_ = network.report()
        return self


def _check_size(X: Any) -> None:
    """Raise if sums of squares would overflow."""
    values = X.data if sparse.issparse(X) else X
    largest = max(float(values.max(initial=0)), -float(values.min(initial=0)))
    if largest > np.sqrt(float(np.finfo(X.dtype).max) / X.shape[0] / X.shape[1]) / 2:
        raise ValueError(
            f"X has values as large as {largest:.3g}, whose squares overflow when summed as {X.dtype}: scale X, for "
            "example divide it by its largest value."
        )


def _warn_of_loops(data: LinkedData, inference: Inference, weights: str) -> None:
    n_loopy = data.network.report()["loopy"]
    if not n_loopy:
        return
    loopy = f"{n_loopy} chunklets are in linked components too large for exact sums over their labels: "
    if inference.exact:
        how = {"messages": "message passing", "mean-field": "a mean field", "gibbs": "sampling"}[inference.loopy]
        warnings.warn(
            f"{loopy}they are approximated by {how}, and the objective may fall in some iterations", stacklevel=5
        )
    if weights == "conditional":
        warnings.warn(f"{loopy}for them, the weights of the clusters are those of weights='joint'", stacklevel=5)
