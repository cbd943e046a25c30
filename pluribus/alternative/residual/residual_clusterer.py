"""Another partition by clustering what the known one leaves unexplained (residual k-means)."""

from numbers import Integral
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.cluster import KMeans
from sklearn.utils._param_validation import Interval, StrOptions

from pluribus._engine import one_blas_thread, seeds
from pluribus.alternative._shared.base import AlternativeMixin
from pluribus.alternative._shared.clusterers import check_clusterer, configured_clusterer, gaussian_mixture
from pluribus.alternative._shared.residuals import ProjectedResiduals, Residuals
from pluribus.alternative.residual._residual_kmeans import residual_kmeans

_BASES = ("kmeans", "em-gaussian")
_NOTHING = 1e-20  # of the total variance: what is left by rounding


class ResidualClusterer(AlternativeMixin, BaseEstimator):
    """Remove what the known partition explains, and cluster the rest.

    The mean of its known group is subtracted from each row: this is the residual of a regression on the known labels.
    With ``remove="subspace"``, all directions in which the means of the groups differ are removed from the features,
    too: differences along them are also lost within the groups. Then any clusterer finds the partition.

    It is the simplest method of its kind, fast, and hard to beat if the known partition shifts the features and the
    wanted one does not depend on it. If clusters are unevenly spread over the known groups, the mean of a group takes
    some of their difference along; :class:`ConditionalEnsemble` without centering, or ``ConditionalBottleneck``, can
    then do better. Counts become negative numbers: for them use a base that takes such numbers.

    Parameters
    ----------
    n_clusters : int
    base : {"kmeans", "em-gaussian"} or clusterer
        What clusters the residuals: k-means, a mixture of Gaussians with full covariances, or any object with ``fit``,
        and ``predict`` or ``labels_``.
    remove : {"means", "subspace"}
        Subtract the means of the known groups, or also remove all directions in which they differ.
    n_init : int
        Starts of k-means or of the mixture, of which the best is kept.
    random_state : int, RandomState, Generator or None

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Clusters are numbered from the largest; -1 if the base finds noise.
    n_clusters_ : int
    model_ : object
        The fitted clusterer of the residuals.
    explained_by_known_ : float
        The share of the variance of X that was removed, 0 to 1.
    nmi_with_known_ : float
        Normalized mutual information with the known partition; 0 says that the result is all new.

    References
    ----------
    Gondek, "Non-redundant data clustering", in Constrained Clustering, CRC Press 2008, chapter 11. Cui, Fern and Dy,
    "Non-redundant multi-view clustering via orthogonalization", ICDM 2007.

    Examples
    --------
    >>> from pluribus.alternative import ResidualClusterer
    >>> X = [[0, 0], [0, 1], [10, 0], [10, 1]]  # plain 2-means finds the known partition again
    >>> model = ResidualClusterer(2, random_state=0).fit(X, known=["a", "a", "b", "b"])
    >>> model.labels_.tolist(), round(model.explained_by_known_, 2)
    ([0, 1, 0, 1], 0.99)
    """

    known_as = {"residual-kmeans": {}, "orthogonal-kmeans": {"remove": "subspace"}}
    suits = "A known partition that shifts the features; the simplest and fastest."

    _parameter_constraints: dict = {
        "n_clusters": [Interval(Integral, 2, None, closed="left")],
        "remove": [StrOptions({"means", "subspace"})],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state", np.random.Generator],
    }

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        base: Any = "kmeans",
        remove: str = "means",
        n_init: int = 10,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.base = base
        self.remove = remove
        self.n_init = n_init
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, *, known: Any = None) -> "ResidualClusterer":
        """Find another partition than the known one; the parameters are those of :class:`ConditionalEnsemble`."""
        X, groups = self._check_given(X, known)
        self._check_base(X)
        removing = Residuals if self.remove == "means" else ProjectedResiduals
        residuals = removing(X, groups.codes, groups.n_groups)
        total = float(Residuals(X, np.zeros(X.shape[0], dtype=np.int64), 1).squared_norms().sum())
        left = float(residuals.squared_norms().sum())
        if left <= max(_NOTHING * total, _rounding(X)):
            raise ValueError(
                "known explains all differences between the rows: nothing is left to cluster. Give a coarser partition"
                + (", or remove='means'." if self.remove == "subspace" else ".")
            )
        self.explained_by_known_ = 1 - left / total
        with one_blas_thread():
            labels = self._clustered(residuals, seeds(self.random_state, 1)[0])
        self._finish(groups, labels)
        return self

    def _check_base(self, X: Any) -> None:
        check_clusterer(self.base, _BASES)
        if sparse.issparse(X) and self.base != "kmeans":
            raise ValueError(
                "The residuals of a sparse X are dense: use base='kmeans', which does not need them, or give a dense X."
            )

    def _clustered(self, residuals: Residuals, seed: int) -> np.ndarray:
        k = int(self.n_clusters)
        if sparse.issparse(residuals.X):
            self.model_: Any = residual_kmeans(residuals, k, self.n_init, seed)
            return self.model_.labels_
        rows = residuals.matrix()
        if isinstance(self.base, str) and self.base == "kmeans":
            self.model_ = KMeans(k, n_init=self.n_init, random_state=seed)
        elif isinstance(self.base, str):
            self.model_ = gaussian_mixture(rows, k, seed, n_init=self.n_init)
        else:
            self.model_ = configured_clusterer(self.base, k, seed)
        self.model_.fit(rows)
        return np.asarray(self.model_.labels_ if hasattr(self.model_, "labels_") else self.model_.predict(rows))


def _rounding(X: Any) -> float:
    """What subtracting means leaves of equal rows, as a sum of squares."""
    values = X.data if sparse.issparse(X) else X
    largest = float(max(values.max(initial=0), -values.min(initial=0)))
    return X.shape[0] * X.shape[1] * (8 * np.finfo(np.float64).eps * largest) ** 2
