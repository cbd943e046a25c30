"""Mixture with constraints by mean field, in which constrained objects count more (Lange et al.)."""

import warnings
from typing import Any, Self

import numpy as np
from sklearn.utils._param_validation import StrOptions

from pluribus._engine import is_one_of, number_array
from pluribus.constrained._shared.base import Given
from pluribus.constrained._shared.parameters import NOT_NEGATIVE
from pluribus.constrained.mixtures._constraint_weight import choose_weight, constrained_objects
from pluribus.constrained.mixtures._expectation_maximization import EMRun
from pluribus.constrained.mixtures._gaussians import log_densities
from pluribus.constrained.mixtures._given_start import checked_factors
from pluribus.constrained.mixtures._linked_data import Estimates, Inference, LinkedData, Mixture
from pluribus.constrained.mixtures._linked_mixture import LinkedMixture
from pluribus.constrained.mixtures._multinomials import KIND as MULTINOMIAL


class MeanFieldMixture(LinkedMixture):
    """Mixture in which constrained objects have more weight, so that constraints shape the clusters.

    With few constraints in much data, a mixture gives the constrained objects the right labels but leaves the clusters
    where they were, and similar objects without constraints get other labels. Here constrained objects have the weight
    η (``eta``), as if each were there η times with its constraints: the objective is
    L(unconstrained objects) + η L(constrained objects). With ``eta="auto"`` it is the least weight with which the
    clusters alone satisfy held-out constraints.

    Prefer it when constraints are few, 1 to 10 % of the objects, and new objects should be labeled. Labels that depend
    on each other are summed over exactly where this is possible, and by a mean field elsewhere. Without constraints it
    is scikit-learn's ``GaussianMixture``. For counts, such as the words of documents, use ``model="multinomial"``:
    sparse counts stay sparse.

    Parameters
    ----------
    n_clusters : int
    model : {"gaussian", "multinomial"}
        The density of a cluster: for numbers, or for counts.
    covariance_type : {"full", "tied", "diag", "spherical"}
        For "gaussian".
    smoothing : float
        For "multinomial": added to the count of each feature in each cluster.
    eta : "auto" or float
        The weight η of constrained objects. 1 is the plain mixture; 0 leaves them out of the clusters.
    eta_grid : sequence of float
        The weights that "auto" chooses from.
    weights : {"joint", "conditional", "uniform", "unlabeled", "fixed"}
        The estimate of the weights of the clusters. "joint" maximizes the likelihood of data and constraints;
        "conditional" that of the data, given the constraints (slower). "uniform" weights are equal, as in the source's
        experiments. "unlabeled" ones are those of the objects without constraints, for constraints that are more
        frequent in some clusters than in others. "fixed" ones are ``weights_init``.
    inference : {"auto", "mean-field"}
        Exact sums over the labels where they are possible, or a mean field for all labels, as in the source. The mean
        field is overconfident, and with hard constraints its result depends on the order of the objects.
    anneal : sequence of float, optional
        Multipliers of the log-densities, such as (0.1, 0.2, 0.4, 0.7), for runs of EM before the final one: at first
        all labels look alike, and constraints decide. Each run starts from the result of the one before. Several starts
        (``n_init``) often end at a higher likelihood.
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
        The start, as in ``GaussianMixture``. With all three there is one start. For "multinomial" the means are
        positive shares with the sum 1, and there are no precisions.
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
    eta_ : float
    eta_path_ : ndarray of shape (tried, 2)
        The weights that "auto" tried, and their numbers of violations.
    weights_ : ndarray of shape (n_clusters_,)
    means_ : ndarray of shape (n_clusters_, d)
        For "multinomial" the shares of the features in the counts of each cluster; their sum is 1.
    covariances_, precisions_cholesky_ : ndarray
        Of a shape that depends on ``covariance_type``, as in ``GaussianMixture``; without entries for "multinomial".
    objective_ : ndarray of shape (n_iter_ + 1,)
        Log-likelihood (its lower bound where a mean field is used) at the best start and after each of its iterations;
        constrained objects count ``eta_`` times. For "multinomial" with the logarithm of the prior that
        ``smoothing`` stands for.
    n_iter_ : int
    converged_ : bool
    inference_ : dict
        The number of chunklets that depend on no other (``"alone"``), can be summed over exactly
        (``"exact"``), and cannot (``"loopy"``).

    References
    ----------
    Lange, Law, Jain and Buhmann, "Learning with constrained and unlabelled data", CVPR 2005.

    Examples
    --------
    Four clouds, of which we want left and right, though up and down are farther apart, and few links:

    >>> import numpy as np
    >>> from pluribus import Constraints
    >>> from pluribus.constrained import ConstrainedGaussianMixture, MeanFieldMixture
    >>> rng = np.random.default_rng(0)
    >>> X = np.repeat([[-1, -1.5], [-1, 1.5], [1, -1.5], [1, 1.5]], 50, axis=0) + rng.normal(0, 0.4, (200, 2))
    >>> known = Constraints(200, must_link=[(0, 50), (101, 151), (102, 152)], cannot_link=[(1, 152)])
    >>> gmm = ConstrainedGaussianMixture(2, random_state=0).fit(X, constraints=known)
    >>> bool(abs(gmm.means_[:, 0]).max() < 0.2)  # one is up, one is down
    True
    >>> lange = MeanFieldMixture(2, random_state=0).fit(X, constraints=known)
    >>> lange.means_[:, 0].round(1), lange.eta_  # left and right
    (array([-1.,  1.]), 2.0)

    Counts of two words in four documents:

    >>> counts = [[9, 1], [8, 0], [1, 9], [5, 5]]
    >>> together = Constraints(4, must_link=[(0, 3)])
    >>> MeanFieldMixture(2, model="multinomial", random_state=0).fit(counts, constraints=together).labels_.tolist()
    [0, 0, 1, 0]
    """

    known_as = {"mean-field": {}}
    suits = "Few constraints in much data, and new objects to label."

    _parameter_constraints: dict = {
        **LinkedMixture._parameter_constraints,
        "model": [StrOptions({"gaussian", "multinomial"})],
        "smoothing": [NOT_NEGATIVE],
        "eta": [StrOptions({"auto"}), NOT_NEGATIVE],
        "eta_grid": ["array-like"],
        "weights": [StrOptions({"joint", "conditional", "uniform", "unlabeled", "fixed"})],
        "inference": [StrOptions({"auto", "mean-field"})],
        "anneal": ["array-like", None],
    }

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        model: str = "gaussian",
        covariance_type: str = "full",
        smoothing: float = 0.01,
        eta: Any = "auto",
        eta_grid: Any = (1, 2, 5, 10, 20, 50, 100),
        weights: str = "joint",
        inference: str = "auto",
        anneal: Any = None,
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
        self.model = model
        self.covariance_type = covariance_type
        self.smoothing = smoothing
        self.eta = eta
        self.eta_grid = eta_grid
        self.weights = weights
        self.inference = inference
        self.anneal = anneal
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
        """Choose the weight η of the constrained objects, then EM."""
        factors = checked_factors(self.anneal, above=0)
        if self._kind == MULTINOMIAL:
            self._check_shares()
        if self.weights == "unlabeled" and constrained_objects(given.constraints.closure()).all():
            raise ValueError("weights='unlabeled' needs objects without constraints, but there are none.")
        grid = self._check_eta(given)
        self.eta_, self.eta_path_ = grid[0], np.empty((0, 2))
        if len(grid) > 1:
            self.eta_, self.eta_path_ = choose_weight(
                given.constraints,
                grid,
                lambda rows, eta: self._label_by_clusters(given, witness, rows, eta, factors),
                n_features=given.X.shape[1],
            )
        return self._set_mixture_result(given, *self._fit_rows(given, witness, self.eta_, factors))

    def _check_shares(self) -> None:
        """A start for counts: shares."""
        if self.precisions_init is not None:
            raise ValueError("model='multinomial' has no precisions: leave out precisions_init.")
        if self.means_init is not None:
            shares = number_array("means_init", self.means_init)
            if not (shares > 0).all() or not np.allclose(shares.sum(axis=-1), 1):
                raise ValueError("means_init of model='multinomial' must be positive shares with the sum 1.")

    def _fit_rows(
        self, given: Given, witness: np.ndarray | None, eta: float, factors: tuple[float, ...]
    ) -> tuple[LinkedData, EMRun]:
        """EM in which constrained objects have the weight η: L = L(unconstrained) + η L(constrained)."""
        is_constrained = constrained_objects(given.constraints.closure())
        weights = np.where(is_constrained, eta, 1.0) * given.weights
        *stages, data = [
            LinkedData(given.X, given.constraints, weights, self.n_clusters, witness, sharpness=factor)
            for factor in (*factors, 1.0)
        ]
        inference, estimates = Inference("mean-field", exact=self.inference == "auto"), self._estimates

        def climb(start: Mixture, data: LinkedData) -> EMRun:
            return self._climb(
                data,
                start,
                # E step: exact sums, or q_i(ν) ∝ γ_ν p(x_i; θ_ν) exp(Σ_j ρ_ij q_j(ν)); η does not change it
                expect=lambda mixture, before: data.expect(mixture, inference, estimates, before),
                # M step: the weights γ, means and covariances, from η times the constrained objects
                maximize=lambda beliefs, before: data.maximize(beliefs.marginals, estimates, before.weights),
            )

        def anneal(mixture: Mixture, rng: np.random.Generator) -> EMRun:
            for stage in stages:  # labels that look alike first
                mixture = climb(mixture, stage).mixture
            return climb(mixture, data)

        return data, self._best_run(data, inference, anneal)

    def _label_by_clusters(
        self,
        given: Given,
        witness: np.ndarray | None,
        rows: np.ndarray,
        eta: float,
        factors: tuple[float, ...],
    ) -> np.ndarray:
        """The most probable cluster of all rows, without their constraints, by a mixture fitted to some rows."""
        part = Given(given.X[rows], given.constraints.restrict(rows), given.weights[rows])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # the final fit repeats them
            _, run = self._fit_rows(part, None if witness is None else witness[rows], eta, factors)
        return (log_densities(given.X, run.mixture.gaussians) + np.log(run.mixture.weights)).argmax(axis=1)

    @property
    def _kind(self) -> str:
        return MULTINOMIAL if is_one_of(self.model, ("multinomial",)) else self.covariance_type

    @property
    def _estimates(self) -> Estimates:
        regularized = self.smoothing if self._kind == MULTINOMIAL else self.reg_covar
        return Estimates(self._kind, regularized, self.weights)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = is_one_of(self.model, ("multinomial",))
        return tags

    def _check_eta(self, given: Given) -> tuple[float, ...]:
        if self.eta != "auto":
            if self.eta == 0 and constrained_objects(given.constraints.closure()).all():
                raise ValueError(
                    "eta=0 leaves constrained objects out of the clusters, but all objects are constrained: give a "
                    "positive eta."
                )
            return (float(self.eta),)
        grid = number_array("eta_grid", self.eta_grid)
        if grid.ndim != 1 or not len(grid) or not np.all(np.isfinite(grid) & (grid > 0)):
            raise ValueError(f"eta_grid must hold positive numbers, got {self.eta_grid!r}.")
        return tuple(np.unique(grid).tolist())
