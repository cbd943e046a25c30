"""The two steps of EM for a mixture in which the labels of some objects depend on each other."""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.optimize import minimize

from pluribus.constrained.mixtures._chunklet_network import Beliefs, Network, Sampling
from pluribus.constrained.mixtures._gaussians import CollapsedError, Gaussians, estimate, log_densities
from pluribus.constrained.mixtures._multinomials import KIND as MULTINOMIAL
from pluribus.constrained.mixtures._multinomials import log_prior
from pluribus.constraints import Constraints

_LEAST_SHARE = 1e-6  # of a cluster that conditional weights would make vanish


class Mixture(NamedTuple):
    """Shares of the k components, and their Gaussians."""

    weights: np.ndarray
    gaussians: Gaussians


class Estimates(NamedTuple):
    """How the parameters of a mixture are estimated."""

    covariance_type: str
    reg_covar: float
    weights: str  # "joint", "conditional", "uniform", "unlabeled" or "fixed"


class Inference(NamedTuple):
    """How labels that depend on each other are summed over; see :meth:`Network.infer`."""

    loopy: str
    exact: bool = True


class LinkedData:
    """Rows of X, the chunklets they form, and the network of these.

    Objects that are linked, directly or through others, are one component. A component counts as often as the mean
    weight of its objects: doubling the weights has the same effect as a second copy of all its objects with their
    links. Within a component, objects are weighted relative to its mean. Equal weights therefore have no effect within
    a component, and posteriors do not depend on how much the component counts.

    Parameters
    ----------
    X : ndarray or csr matrix of shape (n, d)
    constraints : Constraints
    sample_weight : ndarray of shape (n,)
    n_clusters : int
    witness : ndarray of shape (n,) or None
        Labels that satisfy all hard constraints; None if none are known.
    per_chunklet : bool
        Whether the cluster of a chunklet is drawn once, or once for each of its objects.
    factor : float
        Multiplies the strength of the soft pairs.
    sharpness : float
        Multiplies the logarithms of the densities; below 1 all labels look more alike.
    """

    def __init__(
        self,
        X: Any,
        constraints: Constraints,
        sample_weight: np.ndarray,
        n_clusters: int,
        witness: np.ndarray | None,
        *,
        per_chunklet: bool = False,
        factor: float = 1.0,
        sharpness: float = 1.0,
    ):
        closure = constraints.closure(2) if n_clusters == 2 else constraints.closure()
        self.X = X
        self.closure = closure
        self.sharpness = sharpness
        self.network = Network(closure, n_clusters, witness, factor)
        weight = sample_weight.astype(np.float64)
        self.scale = weight.max() * (weight / weight.max()).mean()  # of all weights; it only affects the objective
        self.weight = weight / self.scale
        self.total = self.scale * len(weight)
        component = self.network.component[closure.chunk_of]
        mean = np.bincount(component, weights=self.weight) / np.bincount(component)
        self.component_weight = mean
        relative = np.divide(self.weight, mean[component], out=np.ones_like(self.weight), where=mean[component] > 0)
        indicator = closure.chunk_indicator
        self.sum_chunklets = sparse.csr_array(
            (relative[indicator.indices], indicator.indices, indicator.indptr), indicator.shape
        )
        if per_chunklet:
            draws = closure.chunk_of[constraints.closure().representatives]
            self.n_draws = np.bincount(draws, minlength=closure.n_chunks).astype(np.float64)
        else:
            self.n_draws = self.sum_chunklets.sum(axis=1)
        self.draw_weight = mean[self.network.component] * self.n_draws

    def chunklet_means(self) -> tuple[Any, np.ndarray]:
        """The mean and the weight of each chunklet."""
        indicator = self.closure.chunk_indicator
        shares = np.repeat(1 / self.closure.chunk_sizes, self.closure.chunk_sizes)
        means = sparse.csr_array((shares, indicator.indices, indicator.indptr), indicator.shape) @ self.X
        if sparse.issparse(means):  # KMeans takes 32-bit indices only
            means.indices, means.indptr = means.indices.astype(np.int32), means.indptr.astype(np.int32)
        return means, indicator @ self.weight

    def potentials(self, mixture: Mixture) -> np.ndarray:
        """Logarithm of the joint density of each chunklet and each label, (L, k)."""
        densities = self.sum_chunklets @ log_densities(self.X, mixture.gaussians)
        return self.sharpness * densities + self.n_draws[:, None] * np.log(mixture.weights)

    def expect(
        self,
        mixture: Mixture,
        inference: Inference,
        estimates: Estimates,
        before: Beliefs | None = None,
        sampling: Sampling | None = None,
    ) -> tuple[Beliefs, float]:
        """E step: the posteriors of the labels, and the objective.

        The objective is log p(X, constraints), or log p(X | constraints) for "conditional" weights.
        """
        U = self.potentials(mixture)
        beliefs = self.network.infer(U, inference.loopy, exact=inference.exact, start=before, sampling=sampling)
        objective = self._log_sum(beliefs)
        if estimates.weights == "conditional":
            objective -= self.log_normalizer(mixture.weights)
        if estimates.covariance_type == MULTINOMIAL:
            objective += self.scale * log_prior(mixture.gaussians.means, estimates.reg_covar)
            if not np.isfinite(objective):
                raise CollapsedError(
                    "no labels that keep the constraints are possible, because some clusters have no share of some "
                    "features: give a positive smoothing."
                )
        return beliefs, objective

    def maximize(self, marginals: np.ndarray, estimates: Estimates, before: np.ndarray | None = None) -> Mixture:
        """M step: weighted means and covariances, and the weights of the clusters.

        The search for "conditional" weights starts from the weights before; "fixed" ones stay as they were.
        """
        resp = marginals[self.closure.chunk_of] * self.weight[:, None]
        gaussians = estimate(self.X, resp, estimates.covariance_type, estimates.reg_covar)
        k = marginals.shape[1]
        if estimates.weights == "fixed" and before is not None:
            return Mixture(before, gaussians)
        if estimates.weights in ("uniform", "fixed"):
            return Mixture(np.full(k, 1 / k), gaussians)
        counting = self.draw_weight * self._is_alone if estimates.weights == "unlabeled" else self.draw_weight
        counts = counting @ marginals + 10 * np.finfo(np.float64).eps
        if estimates.weights == "conditional":
            return Mixture(self._match_counts(counts, before), gaussians)
        return Mixture(counts / counts.sum(), gaussians)

    @property
    def _is_alone(self) -> np.ndarray:
        """Which chunklets are single objects without links."""
        size = np.bincount(self.network.component, weights=self.closure.chunk_sizes)
        return size[self.network.component] == 1

    def log_normalizer(self, weights: np.ndarray) -> float:
        """log Z: of the probability that labels drawn with these weights satisfy the constraints.

        The links of loopy components, which cannot be summed over exactly, are left out: without the data all labels
        look the same, and messages often do not converge.
        """
        return self._log_sum(self._prior(np.log(weights)))

    def _prior(self, log_weights: np.ndarray) -> Beliefs:
        """The beliefs without the data."""
        return self.network.infer(self.n_draws[:, None] * log_weights, "ignore")

    def _log_sum(self, beliefs: Beliefs) -> float:
        return float(self.scale * (self.component_weight @ beliefs.log_sums))

    def _match_counts(self, counts: np.ndarray, before: np.ndarray | None = None) -> np.ndarray:
        """Weights under which the expected counts of labels without the data equal those with the data.

        They maximize counts·log(w) - log Z(w), which is concave in log(w).
        """

        def loss(log_weights: np.ndarray) -> tuple[float, np.ndarray]:
            beliefs = self._prior(log_weights)
            log_z, expected = self.component_weight @ beliefs.log_sums, self.draw_weight @ beliefs.marginals
            return (log_z - counts @ log_weights) / counts.sum(), (expected - counts) / counts.sum()

        first = counts if before is None else before
        start = np.clip(np.log(first / first.max()), np.log(_LEAST_SHARE), 0)
        bounds = [(np.log(_LEAST_SHARE), 0)] * len(counts)
        options = {"maxiter": 200, "ftol": 1e-12, "gtol": 1e-7}
        solution = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
        weights = np.exp(solution.x)
        return weights / weights.sum()
