"""Gaussian mixture with constraints by mean field, in which constrained objects count more (Lange et al.)."""

import warnings
from numbers import Real
from typing import Any

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from pluribus.constrained._shared.base import Given
from pluribus.constrained.mixtures._constraint_weight import choose_eta, constrained_objects
from pluribus.constrained.mixtures._gaussians import log_densities
from pluribus.constrained.mixtures._linked_data import Inference, LinkedData
from pluribus.constrained.mixtures._linked_mixture import LinkedMixture, Run


class MeanFieldMixture(LinkedMixture):
    """Fit a Gaussian mixture in which the constraints shape the clusters, and not only the objects they speak of.

    With few constraints in much data, a mixture gives the constrained objects the right labels and lets the clusters
    lie where they were; objects beside them, about which nothing is known, get other labels. Here constrained objects
    count ``eta`` times: as if each were there so often, with its constraints. With ``eta="auto"`` it is the least that
    makes the clusters by themselves keep constraints they have not seen.

    Prefer it when constraints are few, 1 to 10 % of the objects, and new objects are to be labeled. Labels that depend
    on each other are summed over exactly where that can be done, and by a mean field elsewhere. Without constraints it
    is scikit-learn's ``GaussianMixture``.

    Parameters
    ----------
    n_clusters : int
    covariance_type : {"full", "tied", "diag", "spherical"}
    eta : "auto" or float
        How often a constrained object counts. 1 is the plain mixture; 0 leaves them out of the clusters.
    eta_grid : sequence of float
        What "auto" chooses from.
    weights : {"joint", "conditional", "uniform"}
        How the weights of the clusters are estimated: so that data and constraints together are likeliest; so that the
        data are, given the constraints (slower); or not at all, as in the source's experiments.
    inference : {"auto", "mean-field"}
        Exact sums over the labels where they can be had, or a mean field for all, as in the source. It is too sure of
        itself, and near hard constraints its result depends on the order of the objects.
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
        What "auto" tried, and the number of violations it saw.
    weights_ : ndarray of shape (n_clusters_,)
    means_ : ndarray of shape (n_clusters_, d)
    covariances_, precisions_cholesky_ : ndarray
        Of a shape that depends on ``covariance_type``, as in ``GaussianMixture``.
    objective_ : ndarray of shape (n_iter_ + 1,)
        Log-likelihood (where a mean field is used, its lower bound) at the best start and after each of its iterations;
        constrained objects count ``eta_`` times.
    n_iter_ : int
    converged_ : bool
    inference_ : dict
        How many chunklets depend on no other (``"alone"``), could be summed over exactly (``"exact"``), and could not
        (``"loopy"``).

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
    """

    _parameter_constraints: dict = {
        **LinkedMixture._parameter_constraints,
        "eta": [StrOptions({"auto"}), Interval(Real, 0, None, closed="left")],
        "eta_grid": ["array-like"],
        "inference": [StrOptions({"auto", "mean-field"})],
    }

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        covariance_type: str = "full",
        eta: Any = "auto",
        eta_grid: Any = (1, 2, 5, 10, 20, 50, 100),
        weights: str = "joint",
        inference: str = "auto",
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
        self.eta = eta
        self.eta_grid = eta_grid
        self.weights = weights
        self.inference = inference
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
        grid = self._check_eta(given)
        self.eta_, self.eta_path_ = grid[0], np.empty((0, 2))
        if len(grid) > 1:
            self.eta_, self.eta_path_ = choose_eta(
                given.constraints,
                grid,
                lambda rows, eta: self._label_by_clusters(given, witness, rows, eta),
                n_features=given.X.shape[1],
            )
        data, run = self._fit_rows(given, witness, self.eta_)
        self._adopt(given, data, run)

    @property
    def _inference(self) -> Inference:
        return Inference("mean-field", exact=self.inference == "auto")

    def _check_eta(self, given: Given) -> tuple[float, ...]:
        if self.eta != "auto":
            if self.eta == 0 and constrained_objects(given.constraints.closure()).all():
                raise ValueError(
                    "eta=0 leaves constrained objects out of the clusters, and all objects are constrained."
                )
            return (float(self.eta),)
        grid = np.asarray(self.eta_grid, dtype=np.float64)
        if grid.ndim != 1 or not len(grid) or not np.all(np.isfinite(grid) & (grid > 0)):
            raise ValueError(f"eta_grid must hold positive numbers, got {self.eta_grid!r}.")
        return tuple(np.unique(grid).tolist())

    def _fit_rows(self, given: Given, witness: np.ndarray | None, eta: float) -> tuple[LinkedData, Run]:
        weight = np.where(constrained_objects(given.constraints.closure()), eta, 1.0) * given.weights
        data = LinkedData(given.X, given.constraints, weight, self.n_clusters, witness)
        return data, self._climb_from_all(data)

    def _label_by_clusters(self, given: Given, witness: np.ndarray | None, rows: np.ndarray, eta: float) -> np.ndarray:
        """The most probable cluster of all rows, by clusters fitted to some."""
        part = Given(given.X[rows], given.constraints.restrict(rows), given.weights[rows])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # the fit that counts says it
            _, run = self._fit_rows(part, None if witness is None else witness[rows], eta)
        return (log_densities(given.X, run.mixture.gaussians) + np.log(run.mixture.weights)).argmax(axis=1)
