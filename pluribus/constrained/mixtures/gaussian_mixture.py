"""Gaussian mixture with equivalence constraints (constrained EM)."""

from typing import Any, Self

import numpy as np
from sklearn.utils._param_validation import StrOptions

from pluribus.constrained._shared.base import Given
from pluribus.constrained.mixtures._expectation_maximization import EMRun
from pluribus.constrained.mixtures._linked_data import Inference, LinkedData, Mixture
from pluribus.constrained.mixtures._linked_mixture import LinkedMixture


class ConstrainedGaussianMixture(LinkedMixture):
    """Gaussian mixture fitted by an EM that sums only over the labelings that the constraints allow.

    It maximizes the log-likelihood of the data and the constraints,

        log Σ_z Π_j α_{z_j} Π_{i in chunklet j} N(x_i; μ_{z_j}, Σ_{z_j}),

    where the sum is over all labels z of the chunklets that satisfy the cannot-links (with ``prior="point"``, α counts
    once for each object). Objects that must be together form a chunklet with one label, whose posterior has a closed
    form. Cannot-links make the labels of chunklets depend on each other. Where the linked chunklets are few, or form a
    tree, the sum over all allowed labelings is exact; elsewhere it is approximated by message passing (``inference_``
    counts both). If all sums are exact, the objective rises in each iteration.

    Soft pairs, which are not in the source, are weighted as log-odds, as in ``PenalizedMixture``. A few doubtful pairs
    among reliable ones therefore need no other method. ``PenalizedMixture`` also has other kinds of inference,
    annealing, and the probability that each pair is wrong.

    Prefer it when constraints are reliable, clusters are ellipsoids, and you want a density: memberships, and clusters
    for new objects. Without constraints it is scikit-learn's ``GaussianMixture``. With few constraints in much data the
    mixture may ignore them except for the constrained objects; ``MeanFieldMixture`` gives these more weight. For
    constraints that may be wrong, see ``PenalizedMixture``.

    Parameters
    ----------
    n_clusters : int
    covariance_type : {"full", "tied", "diag", "spherical"}
    prior : {"point", "chunklet"}
        Whether the cluster is drawn for each object ("point") or once for each chunklet.
    weights : {"joint", "conditional", "uniform", "fixed"}
        The estimate of the weights of the clusters. "joint" maximizes the likelihood of data and constraints;
        "conditional" that of the data, given the constraints. The latter is slower and may make a cluster vanish whose
        objects the constraints explain; approximated components count as in "joint". "uniform" weights are equal,
        and "fixed" ones are ``weights_init``.
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
        Clusters are numbered from the largest. No hard constraint is broken: if the most probable label of each object
        would break one, the most probable joint labels are used (an approximation of them in large components).
    n_clusters_ : int
    membership_ : ndarray of shape (n, n_clusters_)
        Posteriors, given the data and the constraints.
    uncertainty_ : ndarray of shape (n,)
        Normalized entropy of the memberships, 0 to 1.
    violations_ : Violations
        The soft constraints that ``labels_`` breaks.
    weights_ : ndarray of shape (n_clusters_,)
    means_ : ndarray of shape (n_clusters_, d)
    covariances_, precisions_cholesky_ : ndarray
        Of a shape that depends on ``covariance_type``, as in ``GaussianMixture``.
    objective_ : ndarray of shape (n_iter_ + 1,)
        Log-likelihood at the best start and after each of its iterations.
    n_iter_ : int
    converged_ : bool
    inference_ : dict
        The number of chunklets that depend on no other (``"alone"``), are summed over exactly
        (``"exact"``), and approximately (``"loopy"``).

    References
    ----------
    Shental, Bar-Hillel, Hertz and Weinshall, "Computing Gaussian mixture models with EM using equivalence constraints",
    NIPS 2003.

    Examples
    --------
    Four clouds, and we want left and right, though up and down are farther apart:

    >>> import numpy as np
    >>> from pluribus import Constraints
    >>> from pluribus.constrained import ConstrainedGaussianMixture
    >>> rng = np.random.default_rng(0)
    >>> X = np.repeat([[-1, -1.5], [-1, 1.5], [1, -1.5], [1, 1.5]], 25, axis=0) + rng.normal(0, 0.3, (100, 2))
    >>> known = Constraints(100, must_link=[(0, 30), (1, 31), (50, 80), (51, 81)], cannot_link=[(0, 50), (30, 80)])
    >>> gmm = ConstrainedGaussianMixture(2, random_state=0).fit(X, constraints=known)
    >>> gmm.means_[:, 0].round(1)
    array([-1.,  1.])
    >>> gmm.predict([[-1.2, 1.4], [0.9, 1.6]])
    array([0, 1], dtype=int32)
    """

    known_as = {"gmm": {}}
    suits = "Pairs that are reliable, ellipsoidal clusters, and memberships or a density."

    _parameter_constraints: dict = {
        **LinkedMixture._parameter_constraints,
        "prior": [StrOptions({"point", "chunklet"})],
    }

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        covariance_type: str = "full",
        prior: str = "point",
        weights: str = "joint",
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
        self.prior = prior
        self.weights = weights
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
        """EM over the labelings that the constraints allow."""
        per_chunklet = self.prior == "chunklet"
        data = LinkedData(
            given.X, given.constraints, given.weights, self.n_clusters, witness, per_chunklet=per_chunklet
        )
        inference, estimates = Inference("messages"), self._estimates

        def climb(start: Mixture, rng: np.random.Generator) -> EMRun:
            return self._climb(
                data,
                start,
                # E step: p(z_j | X, constraints) of each chunklet, over the allowed labelings only
                expect=lambda mixture, before: data.expect(mixture, inference, estimates, before),
                # M step: the weights α, means μ and covariances Σ
                maximize=lambda beliefs, before: data.maximize(beliefs.marginals, estimates, before.weights),
            )

        return self._set_mixture_result(given, data, self._best_run(data, inference, climb))
