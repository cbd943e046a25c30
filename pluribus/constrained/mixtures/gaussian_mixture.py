"""Gaussian mixture with equivalence constraints (constrained EM)."""

from typing import Any

import numpy as np
from sklearn.utils._param_validation import StrOptions

from pluribus.constrained._shared.base import Given
from pluribus.constrained.mixtures._linked_data import LinkedData
from pluribus.constrained.mixtures._linked_mixture import LinkedMixture


class ConstrainedGaussianMixture(LinkedMixture):
    """Fit a Gaussian mixture by EM that sums only over the labelings that the constraints allow.

    Objects that must be together form a chunklet, which has one label: its posterior is that of all its objects at
    once, in closed form. Cannot-links make chunklets depend on each other. Where those that hang together are few, or
    hang together like a tree, the sum over all allowed labelings is exact; elsewhere it is approximated by passing
    messages (``inference_`` says for how many). The likelihood of the data and the constraints rises in each iteration.

    Soft pairs, which the source does not know, are weighed as log-odds: the model is then that of
    ``PenalizedMixture``, so that a few doubtful pairs among reliable ones need no other method. What that one has
    more: other ways to sum over labels, annealing, and which pairs are probably wrong.

    Prefer it when constraints are reliable, clusters are ellipsoids, and a density is wanted: memberships, and clusters
    for new objects. Without constraints it is scikit-learn's ``GaussianMixture``. With few constraints in much data the
    mixture may ignore them but for the objects they name; ``MeanFieldMixture`` gives these more weight. For constraints
    that may be wrong, see ``PenalizedMixture``.

    Parameters
    ----------
    n_clusters : int
    covariance_type : {"full", "tied", "diag", "spherical"}
    prior : {"point", "chunklet"}
        Whether objects were drawn and then linked, or each chunklet was drawn from a cluster as a whole.
    weights : {"joint", "conditional", "uniform"}
        How the weights of the clusters are estimated: so that data and constraints together are likeliest; so that the
        data are, given the constraints (slower, and may make a cluster vanish whose objects the constraints explain;
        components that are approximated count as in "joint"); or not at all.
    reg_covar : float
        Added to the variances.
    tol : float
        Stop when the objective changes by less than this for each object.
    max_iter : int
        Iterations of one start.
    n_init : int
        Number of starts, in turn from k-means of the chunklets and from chunklets far from each other; the likeliest is
        kept.
    weights_init, means_init, precisions_init : array-like, optional
        Where to start from, as in ``GaussianMixture``. With all three there is one start.
    random_state : int, RandomState, Generator or None
    n_jobs : int, optional
        Threads over the starts. The result does not depend on it.
    verbose : bool
        Show progress (only on a terminal).

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Clusters are numbered from the largest. No hard constraint is broken: where the most probable labels would,
        they are the most probable joint labels (in components too large for that, good ones that hold).
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
        How many chunklets depend on no other (``"alone"``), are summed over exactly (``"exact"``), and approximately
        (``"loopy"``).

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

    def _fit(self, given: Given, witness: np.ndarray | None) -> None:
        data = LinkedData(
            given.X, given.constraints, given.weights, self.n_clusters, witness, per_chunklet=self.prior == "chunklet"
        )
        self._adopt(given, data, self._climb_from_all(data))
