"""What the Gaussian mixtures with constraints share: starts, EM, and the model that is left."""

import warnings
from abc import ABC, abstractmethod
from numbers import Real
from typing import Any, NamedTuple, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.cluster import KMeans, kmeans_plusplus
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions

from pluribus._engine import run_tasks, seeds
from pluribus.constrained._shared.base import STARTS_PARAMETERS, ConstrainedMixin, Given
from pluribus.constrained.mixtures._chunklet_network import Beliefs, Sampling, softmax
from pluribus.constrained.mixtures._gaussians import CollapsedError, Gaussians, from_precisions, log_densities
from pluribus.constrained.mixtures._given_start import GivenStart
from pluribus.constrained.mixtures._linked_data import Inference, LinkedData, Mixture


class Run(NamedTuple):
    """Where one start of EM ended."""

    mixture: Mixture
    beliefs: Beliefs
    path: list[float]
    converged: bool


class LinkedMixture(ConstrainedMixin, BaseEstimator, ABC):
    """A Gaussian mixture in which the labels of some objects depend on each other.

    What differs between the methods: how labels are summed over (``_inference``), how the weights of the clusters are
    estimated (``weights``), and what is fitted around EM (``_fit``).
    """

    membership_: np.ndarray
    uncertainty_: np.ndarray

    _parameter_constraints: dict = {
        **STARTS_PARAMETERS,
        "covariance_type": [StrOptions({"full", "tied", "diag", "spherical"})],
        "weights": [StrOptions({"joint", "conditional", "uniform"})],
        "reg_covar": [Interval(Real, 0, None, closed="left")],
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
            Objects that are linked count as often as they weigh on the mean; within them, a heavier one has more say.
        """
        given = self._check_given(X, constraints, sample_weight)
        self._fit(given, self._check_feasible(given.constraints).witness)
        return self

    @abstractmethod
    def _fit(self, given: Given, witness: np.ndarray | None) -> None:
        """What the method does with input that was checked; the witness satisfies all hard constraints, if known."""

    def predict(self, X: Any) -> np.ndarray:
        """The most probable cluster of each row of X, about which no constraints are known."""
        return self._log_joint(X).argmax(axis=1).astype(np.int32)

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each cluster for each row of X, about which no constraints are known."""
        return softmax(self._log_joint(X))[0].astype(self.means_.dtype)

    def score_samples(self, X: Any) -> np.ndarray:
        """Logarithm of the density of each row of X."""
        return softmax(self._log_joint(X))[1].astype(self.means_.dtype)

    def score(self, X: Any, y: Any = None) -> float:
        """Mean logarithm of the density of the rows of X."""
        return float(self.score_samples(X).mean())

    @property
    def takes_sparse(self) -> bool:  # type: ignore[override]
        """Whether X may be sparse: where the covariances have no more entries than the means."""
        return self.covariance_type in ("diag", "spherical")

    def _check_given(self, X: Any, constraints: Any, sample_weight: Any) -> Given:
        self._check_kind(X)
        given = super()._check_given(X, constraints, sample_weight)
        _check_size(given.X)
        return given

    def _check_new(self, X: Any) -> Any:
        self._check_kind(X)
        X = super()._check_new(X)
        _check_size(X)
        return X

    def _check_kind(self, X: Any) -> None:
        if sparse.issparse(X) and self.covariance_type in ("full", "tied"):
            raise ValueError(
                f"X is sparse, and covariance_type={self.covariance_type!r} would make it dense: take "
                "covariance_type='diag' or 'spherical', or reduce dimensions by sklearn.decomposition.TruncatedSVD."
            )

    def _log_joint(self, X: Any) -> np.ndarray:
        X = self._check_new(X)
        model = Gaussians(self.covariance_type, self.means_, self.covariances_, self.precisions_cholesky_)
        return log_densities(X, model) + np.log(self.weights_)

    def _climb_from_all(self, data: LinkedData, **options: Any) -> Run:
        """The best of several starts."""
        _warn_of_loops(data, self._inference, self.weights)
        given = GivenStart.of(self, data.X.shape[1])
        n_starts = self.n_init if any(part is None for part in given) else 1

        def climb(task: tuple[int, int]) -> Run | CollapsedError:
            number, seed = task
            try:
                start = self._start(data, given, number, seed)
                return self._climb(data, start, np.random.default_rng(seed), **options)
            except CollapsedError as error:  # another start may not
                return error

        name = type(self).__name__
        tasks = enumerate(seeds(self.random_state, n_starts))
        ends = run_tasks(climb, tasks, n_jobs=self.n_jobs, description=name, verbose=bool(self.verbose))
        runs = [end for end in ends if isinstance(end, Run)]
        errors = [end for end in ends if isinstance(end, CollapsedError)]
        if not runs:
            raise errors[0]
        if errors:
            warnings.warn(
                f"{len(errors)} of {n_starts} starts collapsed, and count for nothing: {errors[0]}",
                ConvergenceWarning,
                stacklevel=4,
            )
        return max(runs, key=lambda run: run.path[-1])

    def _climb(self, data: LinkedData, mixture: Mixture, rng: np.random.Generator) -> Run:
        """EM from one start. The path is the objective at the start and after each iteration."""
        sampling = self._sampling(rng)
        beliefs, objective = self._expect(data, mixture, None, sampling)
        path, converged = [objective], False
        while len(path) <= self.max_iter and not converged:
            # Settled before this iteration, which is then the last: what scikit-learn does.
            converged = len(path) > 1 and abs(path[-1] - path[-2]) < self.tol * data.total
            how = self.covariance_type, self.reg_covar, self.weights
            mixture = data.maximize(beliefs.marginals, *how, before=mixture.weights)
            beliefs, objective = self._expect(data, mixture, beliefs, sampling)
            path.append(objective)
        return Run(mixture, beliefs, path, converged)

    @property
    def _inference(self) -> Inference:
        return Inference("messages")

    def _sampling(self, rng: np.random.Generator) -> Sampling | None:
        return None

    def _expect(self, data: LinkedData, mixture: Mixture, start: Beliefs | None, sampling: Sampling | None) -> tuple:
        beliefs, objective = data.expect(mixture, self._inference, start, sampling)
        if self.weights == "conditional":
            objective -= data.log_normalizer(mixture.weights)
        return beliefs, objective

    def _start(self, data: LinkedData, given: GivenStart, number: int, seed: int) -> Mixture:
        """K-means of the chunklets, or wide clusters at k chunklets far from each other; what was given replaces it.

        K-means often ends in the same place, from where EM does not find what the constraints want.
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
        k = self.n_clusters
        centers, weight = data.chunklet_means()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # fewer distinct chunklets than clusters
            labels = KMeans(k, n_init=1, random_state=seed).fit(centers, sample_weight=weight).labels_
        marginals = np.eye(k)[labels]
        if len(np.unique(labels)) < k:
            marginals = 0.9 * marginals + 0.1 / k  # no cluster starts from nothing
        return data.maximize(marginals, self.covariance_type, self.reg_covar, self.weights)

    def _far_apart(self, data: LinkedData, seed: int) -> Mixture:
        k = self.n_clusters
        centers, weight = data.chunklet_means()
        means, _ = kmeans_plusplus(centers, k, sample_weight=weight, random_state=seed)
        equal = np.full((len(weight), k), 1 / k)
        kind, _, covariances, whitening = data.maximize(
            equal, self.covariance_type, self.reg_covar, "uniform"
        ).gaussians
        return Mixture(np.full(k, 1 / k), Gaussians(kind, means, covariances / k, whitening * np.sqrt(k)))

    def _adopt(self, given: Given, data: LinkedData, run: Run) -> None:
        """Decode the labels and set the result."""
        closure, network = data.closure, data.network
        if not run.converged:
            warnings.warn(
                f"the best start was still moving after max_iter={self.max_iter} iterations: raise max_iter or tol",
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


def _check_size(X: Any) -> None:
    """ValueError if sums of squares would overflow."""
    values = X.data if sparse.issparse(X) else X
    largest = max(float(values.max(initial=0)), -float(values.min(initial=0)))
    if largest > np.sqrt(float(np.finfo(X.dtype).max) / X.shape[0] / X.shape[1]) / 2:
        raise ValueError(
            f"X holds values as large as {largest:.3g}, too large to square and sum as {X.dtype}: scale X, as by "
            "dividing it by its largest value."
        )


def _warn_of_loops(data: LinkedData, inference: Inference, weights: str) -> None:
    n_loopy = data.network.report()["loopy"]
    if not n_loopy:
        return
    which = f"{n_loopy} chunklets are linked in components too large for exact sums over their labels: "
    if inference.exact:
        how = {"messages": "passing messages", "mean-field": "a mean field", "gibbs": "sampling"}[inference.loopy]
        said = f"these are approximated by {how}, and the objective need not rise in each iteration"
        warnings.warn(which + said, stacklevel=5)
    if weights == "conditional":
        said = "for these, the weights of the clusters are those of weights='joint'"
        warnings.warn(which + said, stacklevel=5)
