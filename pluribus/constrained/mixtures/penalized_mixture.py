"""Gaussian mixture with pairwise preferences of any strength (penalized probabilistic clustering)."""

import warnings
from numbers import Integral
from typing import Any, Self

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from pluribus.constrained._shared.base import Given
from pluribus.constrained._shared.parameters import AT_LEAST_ONE
from pluribus.constrained.mixtures._chunklet_network import Beliefs, Sampling
from pluribus.constrained.mixtures._expectation_maximization import EMRun
from pluribus.constrained.mixtures._given_start import checked_factors
from pluribus.constrained.mixtures._linked_data import Inference, LinkedData, Mixture
from pluribus.constrained.mixtures._linked_mixture import LinkedMixture
from pluribus.constraints import Constraints


class PenalizedMixture(LinkedMixture):
    """Gaussian mixture whose labels have preferences: pairs together or apart, each with a weight.

    The prior of the labels is P(z) ∝ Π_i π_{z_i} · exp(Σ_ij S_ij [z_i = z_j]), where S_ij is the weight of a must-link
    and minus the weight of a cannot-link. A weight is the log-odds that the pair is right
    (:func:`pluribus.constraints.log_odds`): a pair that is right in nine of ten cases multiplies the probability of
    the labelings that satisfy it by nine. EM weighs this against the data. If pairs disagree with the data and with
    each other, ``violation_prob_`` says which ones are probably wrong.

    Prefer it when constraints may be wrong: wrong hard constraints can be worse than none. It also suits preferences
    between all neighbors, such as the pixels of an image; then use ``weights="uniform"`` and ``anneal``. Without
    constraints it is scikit-learn's ``GaussianMixture``. Hard pairs are enforced as in
    ``ConstrainedGaussianMixture``, which also takes soft pairs and is then this model with ``inference="auto"``.

    Parameters
    ----------
    n_clusters : int
    covariance_type : {"full", "tied", "diag", "spherical"}
    weights : {"joint", "conditional", "uniform", "fixed"}
        The estimate of the weights of the clusters. "joint" maximizes the likelihood of data and pairs; "conditional"
        that of the data, given the pairs (slower; approximated components count as in "joint"). "uniform" weights are
        equal, which is necessary if most objects are linked to several others: otherwise a single cluster of all
        objects would be the most likely result. "fixed" ones are ``weights_init``.
    inference : {"auto", "mean-field", "gibbs"}
        How labels that depend on each other are summed over. "auto" is exact where this is possible and passes messages
        elsewhere. "gibbs" samples labels there; its objective is that of "auto", which may fall. "mean-field", for all
        labels, is fast on large networks but overconfident.
    anneal : sequence of float, optional
        Multipliers of the soft weights, such as (0, 0.25, 0.5, 0.75), for runs of EM before the final one. Each run
        starts from the result of the one before.
    n_gibbs, burn_in : int
        Passes of sampling in each iteration that count, and passes before them.
    reg_covar : float
        Added to the variances.
    tol : float
        Stop when the objective changes by less than this for each object.
    max_iter : int
        Iterations of one start.
    n_init : int
        Number of starts, alternately from k-means of the chunklets and from distant chunklets; the most likely result
        is kept.
    weights_init, means_init, precisions_init : array-like, optional
        The start, as in ``GaussianMixture``. With all three there is one start.
    random_state : int, RandomState, Generator or None
    n_jobs : int, optional
        Threads over the starts. The result does not depend on it.
    verbose : bool
        Show progress (only on a terminal).

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Clusters are numbered from the largest. No hard constraint is broken.
    n_clusters_ : int
    membership_ : ndarray of shape (n, n_clusters_)
        Posteriors, given the data and the constraints.
    uncertainty_ : ndarray of shape (n,)
        Normalized entropy of the memberships, 0 to 1.
    violations_ : Violations
        The soft constraints that ``labels_`` breaks.
    violation_pairs_ : ndarray of shape (m + c, 2)
        The must-links, then the cannot-links, each pair once and both kinds sorted, as the constraints list them.
    violation_prob_ : ndarray of shape (m + c,)
        The probability that each of these pairs does not hold.
    weights_ : ndarray of shape (n_clusters_,)
    means_ : ndarray of shape (n_clusters_, d)
    covariances_, precisions_cholesky_ : ndarray
        Of a shape that depends on ``covariance_type``, as in ``GaussianMixture``.
    objective_ : ndarray of shape (n_iter_ + 1,)
        Log-likelihood (its lower bound for "mean-field") at the best start and after each of its iterations, at full
        weights.
    n_iter_ : int
    converged_ : bool
    inference_ : dict
        The number of chunklets that depend on no other (``"alone"``), can be summed over exactly
        (``"exact"``), and cannot (``"loopy"``).

    References
    ----------
    Lu and Leen, "Semi-supervised learning with penalized probabilistic clustering", NIPS 2004.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus import Constraints
    >>> from pluribus.constrained import PenalizedMixture
    >>> from pluribus.constraints import log_odds
    >>> X = np.array([[0.0], [0.2], [0.1], [3.0], [3.1], [2.8], [1.4]])
    >>> sure = float(log_odds(0.9))
    >>> known = Constraints(7, must_link=[(5, 6), (0, 3)], must_weight=sure)
    >>> ppc = PenalizedMixture(2, covariance_type="tied", random_state=0).fit(X, constraints=known)
    >>> ppc.labels_
    array([1, 1, 1, 0, 0, 0, 0], dtype=int32)
    >>> for pair, probability in zip(ppc.violation_pairs_.tolist(), ppc.violation_prob_.round(2).tolist()):
    ...     print(pair, probability)
    [0, 3] 1.0
    [5, 6] 0.06
    """

    known_as = {"penalized": {}, "ppc-mixture": {}}
    suits = "Pairs that may be wrong, with a degree of certainty for each."

    _parameter_constraints: dict = {
        **LinkedMixture._parameter_constraints,
        "inference": [StrOptions({"auto", "mean-field", "gibbs"})],
        "anneal": ["array-like", None],
        "n_gibbs": [AT_LEAST_ONE],
        "burn_in": [Interval(Integral, 0, None, closed="left")],
    }

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        covariance_type: str = "full",
        weights: str = "joint",
        inference: str = "auto",
        anneal: Any = None,
        n_gibbs: int = 200,
        burn_in: int = 50,
        reg_covar: float = 1e-6,
        tol: float = 1e-4,
        max_iter: int = 200,
        n_init: int = 10,
        weights_init: Any = None,
        means_init: Any = None,
        precisions_init: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = True,
    ) -> None:
        self.n_clusters = n_clusters
        self.covariance_type = covariance_type
        self.weights = weights
        self.inference = inference
        self.anneal = anneal
        self.n_gibbs = n_gibbs
        self.burn_in = burn_in
        self.reg_covar = reg_covar
        self.tol = tol
        self.max_iter = max_iter
        self.n_init = n_init
        self.weights_init = weights_init
        self.means_init = means_init
        self.precisions_init = precisions_init
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _fit(self, given: Given, witness: np.ndarray | None) -> Self:
        """EM with preferences between labels, weaker ones first if they are annealed."""
        *stages, data = [
            LinkedData(given.X, given.constraints, given.weights, self.n_clusters, witness, factor=factor)
            for factor in (*checked_factors(self.anneal), 1.0)
        ]
        self._warn_of_collapse(data)
        loopy = "messages" if self.inference == "auto" else self.inference
        inference, estimates = Inference(loopy, exact=self.inference != "mean-field"), self._estimates

        def climb(mixture: Mixture, rng: np.random.Generator, data: LinkedData = data) -> EMRun:
            sampling = Sampling(self.burn_in, self.n_gibbs, rng)
            return self._climb(
                data,
                mixture,
                # E step: the marginals of p(z) ∝ Π_i π_{z_i} p(x_i | z_i) · exp(Σ_ij S_ij [z_i = z_j])
                expect=lambda mixture, before: data.expect(mixture, inference, estimates, before, sampling),
                # M step: the weights π, means μ and covariances Σ
                maximize=lambda beliefs, before: data.maximize(beliefs.marginals, estimates, before.weights),
            )

        def anneal(mixture: Mixture, rng: np.random.Generator) -> EMRun:
            for stage in stages:  # weaker pairs first
                mixture = climb(mixture, rng, stage).mixture
            return climb(mixture, rng)

        run = self._best_run(data, inference, anneal)
        self._set_mixture_result(given, data, run)
        self.violation_pairs_ = np.concatenate([given.constraints.must_link, given.constraints.cannot_link])
        self.violation_prob_ = violation_probabilities(given.constraints, data, run.beliefs)
        return self

    def _warn_of_collapse(self, data: LinkedData) -> None:
        together = (data.network.strength > 0).sum()
        if self.weights not in ("uniform", "fixed") and together > len(data.network.component):
            warnings.warn(
                "soft must-links link objects to more than two others on average: a single cluster of all objects may "
                "be the most likely result. Use weights='uniform', and perhaps anneal=(0, 0.25, 0.5, 0.75)",
                stacklevel=4,
            )


def violation_probabilities(constraints: Constraints, data: LinkedData, beliefs: Beliefs) -> np.ndarray:
    """The probability that each must-link, then each cannot-link, does not hold."""
    network, n_chunks = data.network, data.closure.n_chunks
    pairs = np.sort(data.closure.chunk_of[np.concatenate([constraints.must_link, constraints.cannot_link])], axis=1)
    one, other = pairs.T
    same = np.einsum("ij,ij->i", beliefs.marginals[one], beliefs.marginals[other])
    codes, known = one * n_chunks + other, network.edges[:, 0] * n_chunks + network.edges[:, 1]
    order = np.argsort(known)
    if len(known):
        at = order[np.minimum(np.searchsorted(known, codes, sorter=order), len(known) - 1)]
        same = np.where(known[at] == codes, beliefs.same[at], same)
    same[one == other] = 1.0
    n_must = len(constraints.must_link)
    return np.clip(np.where(np.arange(len(pairs)) < n_must, 1 - same, same), 0, 1)
