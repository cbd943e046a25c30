"""Soft clusters whose memberships add up to given sizes."""

import warnings
from typing import Any, NamedTuple

import numpy as np
from scipy.special import softmax
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import StrOptions

from pluribus._engine import number_array, run_tasks, seeds
from pluribus.constrained._shared.parameters import POSITIVE, STARTS
from pluribus.constrained._shared.sized_points import SizedPoints
from pluribus.constrained.sizes._center_methods import CentersMixin
from pluribus.constrained.sizes._sinkhorn import Balanced, balance
from pluribus.partitions._internal import normalized_entropy

_FIRST = 10.0  # the first temperature of annealing, times the last
_COOLER = 2.0  # from one temperature to the next
_FEW, _MANY = 3, 200  # iterations of the prices between two steps of the centers, and at the end
_LEAST_UNIT = 1e-12  # of the temperature, over the largest cost: the first centers may be at all rows
_CLOSE, _CLOSEST = 1e-4, 1e-6  # errors of the sizes, relative to n


class SoftRun(NamedTuple):
    """The result of one start."""

    balanced: Balanced
    centers: np.ndarray
    temperature: float
    path: np.ndarray  # the expected cost after each step at the last temperature
    n_iter: int


class SoftBalancedKMeans(CentersMixin):
    """Soft clusters of given sizes: an object belongs to several clusters in part, and the parts add up to the sizes.

    P(h | x) ∝ exp((price_h - cost(x, h)) / T), where the prices are those at which the memberships of all objects add
    up to the size of each cluster (entropic optimal transport); then each center is the mean of its members, and so on.
    The temperature T falls by halves: at first all objects belong to all clusters a little, in the end to nearly one.

    Prefer it if you want probabilities, and if sizes need to hold in the mean only: ``labels_``, the cluster with the
    highest membership of each object, have about these sizes, without a bound. For bounds that must hold, use
    :class:`BalancedKMeans` or :class:`SizeConstrainedKMeans`.

    Parameters
    ----------
    n_clusters : int, default=8
    sizes : sequence of n_clusters positive numbers, optional
        The sizes of the clusters relative to each other, in any order; None: equal sizes.
    metric : {"euclidean", "cosine", "kl"}
        The cost: squared distances to means, one minus cosines to mean directions, or Kullback-Leibler divergences
        from mean shares, for counts.
    temperature : float, default=0.05
        The last temperature, relative to the mean cost of the objects at the nearest of the first centers. The lower
        it is, the harder are the memberships.
    n_init : int, default=10
        Number of starts; the result with the lowest expected cost is kept.
    max_iter : int, default=100
        Steps of the centers at each temperature.
    tol : float, default=1e-4
        They end when the centers move less than this, relative to the variance of the data.
    random_state : int, RandomState or None
    n_jobs : int, optional
        Cores, for the starts; the result does not depend on it.
    verbose : bool, default=True
        Show progress (only on a terminal).

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        The cluster with the highest membership; clusters are numbered from the largest.
    n_clusters_ : int
    membership_ : ndarray of shape (n, n_clusters)
        Rows add up to 1, columns to the sizes.
    uncertainty_ : ndarray of shape (n,)
        Normalized entropy of the memberships, 0 to 1.
    cluster_centers_ : ndarray of shape (n_clusters, d)
    cluster_sizes_ : ndarray of shape (n_clusters,)
        Of ``labels_``.
    prices_ : ndarray of shape (n_clusters,)
        In the unit of the cost; their mean is 0. A cluster with a high price attracts objects from farther away.
    temperature_ : float
        The last temperature, in the unit of the cost.
    objective_ : ndarray
        The expected cost after each step at the last temperature, of the best start.
    n_iter_ : int
        Steps at all temperatures.

    References
    ----------
    A. Banerjee, J. Ghosh, "Clustering with balancing constraints", in *Constrained Clustering*, 2008, section 8.5.
    M. Cuturi, "Sinkhorn distances: lightspeed computation of optimal transport", NIPS 2013.

    Examples
    --------
    >>> from pluribus.constrained import SoftBalancedKMeans
    >>> model = SoftBalancedKMeans(2, random_state=0).fit([[0], [1], [2], [3], [20], [21]])
    >>> model.membership_.sum(axis=0).round(4).tolist(), model.labels_.tolist()
    ([3.0, 3.0], [0, 0, 0, 1, 1, 1])
    """

    known_as = {"soft-balanced": {}}
    suits = "Probabilities of clusters whose expected sizes are given."

    _parameter_constraints: dict = {
        **STARTS,
        "sizes": ["array-like", None],
        "metric": [StrOptions({"euclidean", "cosine", "kl"})],
        "temperature": [POSITIVE],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        sizes: Any = None,
        metric: str = "euclidean",
        temperature: float = 0.05,
        n_init: int = 10,
        max_iter: int = 100,
        tol: float = 1e-4,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = True,
    ) -> None:
        self.n_clusters = n_clusters
        self.sizes = sizes
        self.metric = metric
        self.temperature = temperature
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @property
    def _by_direction(self) -> bool:
        return self.metric == "cosine"

    @property
    def _by_shares(self) -> bool:  # type: ignore[override]
        return self.metric == "kl"

    def fit(self, X: Any, y: Any = None) -> "SoftBalancedKMeans":
        """Cluster X.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
        y : ignored
        """
        X, weights = self._check_rows(X, None)
        sizes = self._check_sizes() * X.shape[0]
        points = self._points_of(X, weights, None)
        constants = points.uncounted()

        def start(seed: int) -> SoftRun:
            return self._anneal(points, constants, points.drawn(self.n_clusters, seed), sizes)

        how: Any = {"n_jobs": self.n_jobs, "description": "soft balanced k-means", "verbose": self.verbose}
        runs = run_tasks(start, seeds(self.random_state, self.n_init), **how)
        best = min(runs, key=lambda run: (run.balanced.error > _CLOSEST, run.path[-1]))
        if best.balanced.error > _CLOSEST:
            warnings.warn(
                f"the sizes are reached up to {best.balanced.error:.1e} of all objects only: raise temperature="
                f"{self.temperature}, at which the prices converge faster.",
                ConvergenceWarning,
                stacklevel=2,
            )
        order = self._number_by_size(best.balanced.membership.argmax(axis=1))
        self.membership_ = best.balanced.membership[:, order]
        self.uncertainty_ = normalized_entropy(self.membership_)
        self.cluster_centers_ = (best.centers + points.shift)[order].astype(X.dtype)
        self.prices_, self.temperature_ = best.balanced.prices[order], best.temperature
        self.objective_, self.n_iter_ = best.path, best.n_iter
        return self

    def predict_membership(self, X: Any) -> np.ndarray:
        """The memberships of new rows at the prices of ``fit``: sizes are then about as they were."""
        rows = self._scaled(self._check_new(X))
        points = self._points_of(rows, np.ones(rows.shape[0]), None)
        cost = np.empty((rows.shape[0], self.n_clusters))
        points.costs(self.cluster_centers_.astype(np.float64) - points.shift, cost)  # without a constant of each row
        gains = self.prices_ - (cost - cost.min(axis=1, keepdims=True))
        with np.errstate(over="ignore"):  # far beyond all others
            return softmax((gains - gains.max(axis=1, keepdims=True)) / self.temperature_, axis=1)

    def _anneal(self, points: SizedPoints, constants: np.ndarray, centers: np.ndarray, sizes: np.ndarray) -> SoftRun:
        """Prices, memberships and centers in turn, while the temperature falls."""
        cost = np.empty((len(constants), self.n_clusters))

        def costs() -> np.ndarray:
            points.costs(centers, cost)
            np.maximum(cost + constants[:, None], 0, out=cost)
            return cost

        nearest = costs()
        unit = max(float(nearest.min(axis=1).mean()), _LEAST_UNIT * float(nearest.max()))
        last = self.temperature * (unit or 1.0)  # all rows are equal
        n_near = np.bincount(nearest.argmin(axis=1), minlength=self.n_clusters)
        centers = centers[np.argsort(n_near, kind="stable")]  # the largest size goes to the center with most objects
        n_cooled = int(np.ceil(np.log(_FIRST) / np.log(_COOLER)))
        prices, n_iter = np.zeros(self.n_clusters), 0
        for temperature in last * _COOLER ** np.arange(n_cooled, -1, -1):
            path = []
            for _ in range(self.max_iter):
                balanced = balance(costs(), sizes, temperature, prices, _FEW, _CLOSE)  # (8.18)
                prices, before = balanced.prices, centers
                path.append(float((balanced.membership * cost).sum()))
                centers = points.centers_of(balanced.membership, centers)
                n_iter += 1
                if ((centers - before) ** 2).sum() <= self.tol * points.variance:
                    break
        balanced = balance(costs(), sizes, temperature, prices, _MANY, _CLOSEST)
        path.append(float((balanced.membership * cost).sum()))
        return SoftRun(balanced, centers, float(temperature), np.array(path), n_iter)

    def _check_sizes(self) -> np.ndarray:
        """The shares of the clusters."""
        if self.sizes is None:
            return np.full(self.n_clusters, 1 / self.n_clusters)
        sizes = number_array("sizes", self.sizes)
        if sizes.shape != (self.n_clusters,) or not np.isfinite(sizes).all() or (sizes <= 0).any():
            raise ValueError(f"sizes={self.sizes!r}: give {self.n_clusters} positive numbers, one for each cluster.")
        return np.sort(sizes / sizes.sum())
