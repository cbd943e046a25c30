"""A Gaussian mixture that finds its number of components (Figueiredo and Jain)."""

import warnings
from numbers import Integral, Real
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from pluribus._engine import number_array, real_number, run_tasks, seeds
from pluribus.increments.mixture._kmeans_start import kmeans_centers
from pluribus.increments.mixture._message_length import Mixture, fit_mixture
from pluribus.increments.mixture._starts import check_components, possible_components, start_means
from pluribus.partitions._internal import normalized_entropy, order_by_size
from pluribus.tables._internal import check_scale


class MessageLengthMixture(ClusterMixin, BaseEstimator):
    """Fit a Gaussian mixture that finds its number of components by the minimum message length.

    The mixture starts with many components. EM changes one component at a time and removes it if it explains too few
    objects, fewer than half as many as it has parameters. When the message length no longer changes, the component with
    the smallest weight is removed and EM goes on, down to ``min_components``. The mixture with the shortest message of
    the whole run is kept: the shortest description of the data and of the parameters.

    Components have full covariances. Clusters that are not ellipsoids get several components each, which
    ``IncrementsMixture`` merges. With d features a component needs more than d (d + 3) / 4 objects. The result depends
    on the start, so use ``n_init`` if the message length matters.

    Parameters
    ----------
    max_components : int
        Components at the start.
    min_components : int
        The least number of components that is tried.
    init : {"random", "kmeans"} or array of shape (m, d)
        The means at the start: random rows of X; centers of k-means, ``min_components`` of them if that is above 1 and
        ``max_components`` if not; or given means. Random rows are added up to ``max_components``.
    ridge : float
        Added to the variances, times the mean variance of a feature of X. With less, components of a few objects that
        are almost on a line shorten the message.
    tol : float
        EM stops when a sweep over all components changes the message length by less than this share.
    max_iter : int
        Sweeps for one number of components.
    n_init : int
        Starts, of which the one with the shortest message is kept.
    random_state : int, RandomState, Generator or None
    verbose : bool
        Show progress (only on a terminal).

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        The component of the largest posterior. Components are numbered from the one with the most objects.
    n_clusters_ : int
        The number of components.
    weights_ : ndarray of shape (n_clusters_,)
    means_ : ndarray of shape (n_clusters_, d)
    covariances_ : ndarray of shape (n_clusters_, d, d)
    membership_ : ndarray of shape (n, n_clusters_)
        Posteriors.
    uncertainty_ : ndarray of shape (n,)
        Normalized entropy of the posteriors, 0 to 1.
    message_length_ : float
        In nats.
    path_ : DataFrame
        The message length (``message_length``) for each number of components (``n_components``) at which EM converged,
        and its sweeps (``n_iter``).
    n_iter_ : int
        All sweeps of the best start.

    References
    ----------
    Figueiredo and Jain, "Unsupervised learning of finite mixture models", TPAMI 2002.
    Su and Dy, "In search of deterministic methods for initializing k-means and Gaussian mixture clustering",
    Intelligent Data Analysis 2007.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus.increments import MessageLengthMixture
    >>> X = np.random.default_rng(1).normal(size=(300, 2)) + np.repeat([[0, 0], [10, 0], [0, 10]], 100, axis=0)
    >>> mixture = MessageLengthMixture(10, random_state=0).fit(X)
    >>> mixture.n_clusters_, np.abs(mixture.means_.round()).tolist()
    (3, [[0.0, 0.0], [10.0, 0.0], [0.0, 10.0]])
    >>> mixture.path_.round(1)
       n_components  message_length  n_iter
    0             3          1171.6      94
    1             2          1361.5       4
    2             1          1766.2       2
    """

    known_as: dict = {"fj": {}}
    finds_k_by = "least message length"
    suits = "Ellipsoidal clusters of unknown number, memberships or a density."

    _parameter_constraints: dict = {
        "max_components": [Interval(Integral, 1, None, closed="left")],
        "min_components": [Interval(Integral, 1, None, closed="left")],
        "init": [StrOptions({"random", "kmeans"}), "array-like"],
        "ridge": [Interval(Real, 0, None, closed="neither")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state", np.random.Generator],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        max_components: int = 50,
        *,
        min_components: int = 1,
        init: Any = "random",
        ridge: float = 1e-3,
        tol: float = 1e-5,
        max_iter: int = 1000,
        n_init: int = 1,
        random_state: Any = None,
        verbose: bool = True,
    ) -> None:
        self.max_components = max_components
        self.min_components = min_components
        self.init = init
        self.ridge = ridge
        self.tol = tol
        self.max_iter = max_iter
        self.n_init = n_init
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None) -> "MessageLengthMixture":
        """Fit the mixture to X.

        Parameters
        ----------
        X : array of shape (n, d)
            At least 6 rows.
        y : ignored
        """
        self._validate_params()
        least, most = check_components(self.min_components, "min_components", self.max_components)
        X = validate_data(self, X, dtype=np.float64, order="C", ensure_min_samples=6)
        check_scale(X)
        most = possible_components(X, most)
        least = min(least, most)
        centers = self._centers(X, least, most)

        def fitted(seed: int) -> Mixture:
            return fit_mixture(
                X,
                start_means(X, centers, most, seed),
                min_components=least,
                ridge=real_number("ridge", self.ridge, 0, 1e100),
                tol=self.tol,
                max_iter=self.max_iter,
                verbose=self.verbose,
            )

        starts = run_tasks(fitted, seeds(self.random_state, self.n_init), verbose=False)
        mixture = min(starts, key=lambda start: start.message_length)
        if any(n_iter == self.max_iter for _, _, n_iter in mixture.path) and self.tol > 0:
            warnings.warn(
                f"EM did not converge in max_iter={self.max_iter} sweeps for some number of components.",
                ConvergenceWarning,
                stacklevel=2,
            )
        self._set_result(mixture, X)
        n_used = len(np.unique(self.labels_))
        if n_used < self.n_clusters_:
            warnings.warn(
                f"Only {n_used} of {self.n_clusters_} components are the most likely one of some object.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def _centers(self, X: np.ndarray, least: int, most: int) -> np.ndarray:
        """The means at the start that are not random."""
        if isinstance(self.init, str):
            if self.init == "random":
                return np.empty((0, X.shape[1]))
            return kmeans_centers(X, least if least > 1 else most)
        centers = number_array("init", self.init)
        if centers.ndim != 2 or centers.shape[1] != X.shape[1] or not 1 <= len(centers) <= most:
            raise ValueError(
                f"init has shape {centers.shape}: give up to {most} means, rows of {X.shape[1]} features each."
            )
        if not np.isfinite(centers).all():
            raise ValueError("init has values that are not finite.")
        return centers

    def _set_result(self, mixture: Mixture, X: np.ndarray) -> None:
        posteriors = mixture.posteriors(X)
        order = order_by_size(posteriors.argmax(axis=1), len(mixture.weights))
        mixture, self.membership_ = mixture.take(order), posteriors[:, order]
        self.labels_ = self.membership_.argmax(axis=1)
        self.n_clusters_ = len(mixture.weights)
        self.uncertainty_ = normalized_entropy(self.membership_)
        self.weights_, self.means_, self.covariances_ = mixture.weights, mixture.means, mixture.covariances
        self.message_length_ = mixture.message_length
        self.path_ = pd.DataFrame(mixture.path, columns=["n_components", "message_length", "n_iter"])
        self.n_iter_ = int(self.path_["n_iter"].sum())
        self._mixture = mixture

    def predict(self, X: Any) -> np.ndarray:
        """The component of the largest posterior for each row of X.

        Parameters
        ----------
        X : array of shape (n, d)
        """
        return self.predict_proba(X).argmax(axis=1)

    def predict_proba(self, X: Any) -> np.ndarray:
        """The posterior of each component for each row of X, (n, n_clusters_).

        Parameters
        ----------
        X : array of shape (n, d)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, order="C", reset=False)
        check_scale(X)
        return self._mixture.posteriors(X)
