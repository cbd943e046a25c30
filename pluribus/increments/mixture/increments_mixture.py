"""A Gaussian mixture whose components are merged by the distribution of dissimilarity increments (GMDID)."""

from functools import cached_property
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.neighbors import NearestNeighbors
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from pluribus._engine import run_tasks, seeds
from pluribus.increments._shared.description import Unit
from pluribus.increments._shared.dissimilarities import FeatureDissimilarities
from pluribus.increments.mixture._kmeans_start import Clusters, best_kmeans
from pluribus.increments.mixture._merging import merge_clusters
from pluribus.increments.mixture._message_length import Mixture, fit_mixture
from pluribus.increments.mixture._rules import CONSTRAINTS, Rules, checked_start, warn_of_few
from pluribus.increments.mixture._starts import check_components, possible_components, start_means
from pluribus.partitions._internal import normalized_entropy
from pluribus.tables._internal import check_scale

_STARTS = {"fj": ["random"], "fj-kmeans": ["kmeans"], "best": ["random", "kmeans"]}  # of mixtures


class Start(NamedTuple):
    """A partition to merge, with clusters 0 … k - 1, and the mixture that it comes from, if there is one."""

    codes: np.ndarray
    mixture: Mixture | None = None

    @classmethod
    def of(cls, mixture: Mixture, X: np.ndarray) -> "Start":
        """The components that are the most likely ones of some row of X."""
        codes = mixture.posteriors(X).argmax(axis=1)
        used, codes = np.unique(codes, return_inverse=True)
        return cls(codes, mixture.take(used))


class IncrementsMixture(ClusterMixin, BaseEstimator):
    """Fit a Gaussian mixture, and merge components whose dissimilarity increments say that they are one cluster.

    A mixture covers a ring, a bar or a spiral by several components. Inside one cluster, distances from neighbor to
    neighbor change by small increments that follow one distribution; across a gap, or where the density changes, they
    do not. Pairs of components are merged if one distribution describes their increments better than two.

    With the criterion "gdid", the default, these are the increments of spanning trees, which contain the gap between
    two components, and merging descends on the description length that ``validate.description_length_cost`` computes.
    The criteria of the source, "mdl" and "lrt", compare nearest-neighbor increments. They do not see where clusters
    are: two clusters of equal density are merged, however far apart, unless ``isolation`` forbids it.

    Choose it for clusters of any shape and different densities, whose number is unknown. It never splits: a component
    that covers two clusters stays one. For compact clusters that overlap, use ``MessageLengthMixture``.

    Parameters
    ----------
    criterion : {"gdid", "mdl", "lrt"}
        When two clusters are merged: if the description of the partition becomes shorter ("gdid"; the pair with the
        largest gain first), if that of the nearest-neighbor increments does ("mdl"), or if a likelihood-ratio test does
        not reject that they have one distribution ("lrt").
    n_clusters : int, optional
        Merge until this many clusters are left, whatever the tests say: after the pairs that pass, those that fail by
        the least.
    min_clusters : int
        Merging stops at this number of clusters. A mixture starts with at least as many components.
    alpha : float or "auto"
        The level of the likelihood-ratio test; "auto" takes the one of 0.01, 0.05, 0.1 and 0.15 that leads to the
        shortest description.
    init : {"fj", "fj-kmeans", "kmeans", "best"} or sequence of n labels
        The start: a ``MessageLengthMixture`` from random rows ("fj") or from centers of k-means ("fj-kmeans"), or the
        one of the two with the shorter message ("best"); clusters of k-means ("kmeans"); or a given partition. The
        number of clusters of k-means is ``n_clusters`` or ``min_clusters``; if neither is above 1, the one from 2 to
        ``max_components`` whose partition has the shortest description.
    max_components : int
        Components of the mixture at its start, or the most clusters of k-means.
    order : {"mahalanobis", "single-link"}
        The order in which "mdl" and "lrt" test pairs: by the squared Mahalanobis distance of the means, or by the
        distance of the closest objects.
    isolation : float, optional
        Never merge clusters with a gap of more than this many mean increments: by so much the distance of the closest
        objects exceeds that of one of them to its nearest neighbor in its own cluster. 7 is a good value for "mdl" and
        "lrt".
    model : {"did", "exponential"}
        The distribution of the increments; see ``IncrementsDistribution``.
    random_state : int, RandomState, Generator or None
    verbose : bool
        Show progress (only on a terminal).

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Clusters are numbered from the largest. Each is a union of clusters of the start.
    n_clusters_ : int
    start_labels_ : ndarray of shape (n,)
        The partition before merging.
    n_start_components_ : int
        Its clusters.
    mean_increments_ : ndarray of shape (n_clusters_,)
        The mean increment of each cluster, of its spanning tree ("gdid") or of nearest neighbors; nan if it has fewer
        than three objects.
    merges_ : DataFrame
        Every test that was made, in order: the two clusters (``first``, ``second``: those of the start are numbered as
        in ``start_labels_``, unions get the next numbers) and their sizes, their ``distance`` by ``order``, the
        ``statistic`` and its ``threshold``, the ``gap`` in mean increments if ``isolation`` is given, whether they were
        merged (``accepted``), whether against the test (``forced``), and the number of the union (``cluster``, -1 if
        there is none). The statistic is the gain in nats, which must be above 0 ("gdid"), or twice the loss in
        log-likelihood, which must be below the threshold. Clusters of one or two objects have no nearest-neighbor
        increments: "mdl" and "lrt" merge two of them, and compare the gap with a larger cluster to 7 (or
        ``isolation``).
    alpha_ : float or None
        The level of the likelihood-ratio tests.
    membership_ : ndarray of shape (n, n_clusters_)
        If the start is a mixture, the posteriors of the components of each cluster, summed. A row may have its largest
        sum in another cluster than that of its most likely component, which ``labels_`` is by.
    uncertainty_ : ndarray of shape (n,)
        Normalized entropy of the memberships, 0 to 1.

    References
    ----------
    Aidos and Fred, "On the distribution of dissimilarity increments", IbPRIA 2011.
    Aidos and Fred, "Statistical modeling of dissimilarity increments for d-dimensional data: application in partitional
    clustering", Pattern Recognition 2012.
    Figueiredo and Jain, "Unsupervised learning of finite mixture models", TPAMI 2002.

    Examples
    --------
    >>> from pluribus.increments import IncrementsMixture
    >>> from sklearn.datasets import make_circles
    >>> X, circle = make_circles(400, factor=0.45, noise=0.05, random_state=0)
    >>> model = IncrementsMixture(random_state=0).fit(X)
    >>> model.n_start_components_, model.n_clusters_, sum(model.labels_ == circle)
    (20, 2, np.int64(400))
    >>> merges = model.merges_[model.merges_.accepted]
    >>> merges[["first", "second", "statistic", "cluster"]].tail(2).round(1)
         first  second  statistic  cluster
    348     28      33        8.3       34
    357     34      35       13.5       36
    """

    known_as = {"gmdid": {}, "gmdid-best": {"init": "best", "criterion": "mdl"}, "kmdid": {"init": "kmeans"}}
    finds_k_by = "components merge as long as one distribution describes the increments of both"
    suits = "Clusters of any shape and different densities, whose number is unknown."

    _parameter_constraints: dict = {
        **CONSTRAINTS,
        "init": [StrOptions({*_STARTS, "kmeans"}), "array-like"],
        "max_components": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state", np.random.Generator],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        criterion: str = "gdid",
        *,
        n_clusters: int | None = None,
        min_clusters: int = 1,
        alpha: Any = 0.05,
        init: Any = "fj",
        max_components: int = 50,
        order: str = "mahalanobis",
        isolation: float | None = None,
        model: str = "did",
        random_state: Any = None,
        verbose: bool = True,
    ) -> None:
        self.criterion = criterion
        self.n_clusters = n_clusters
        self.min_clusters = min_clusters
        self.alpha = alpha
        self.init = init
        self.max_components = max_components
        self.order = order
        self.isolation = isolation
        self.model = model
        self.random_state = random_state
        self.verbose = verbose

    @property
    def has_random_starts(self) -> bool:
        """Whether the result may depend on ``random_state``: only mixtures start from random rows."""
        return isinstance(self.init, str) and self.init != "kmeans"

    def fit(self, X: Any, y: Any = None) -> "IncrementsMixture":
        """Cluster X.

        Parameters
        ----------
        X : array of shape (n, d)
            At least 6 rows.
        y : ignored
        """
        self._validate_params()
        rules = Rules.checked(type(self).__name__, **{name: getattr(self, name) for name in CONSTRAINTS})
        least_name = "min_clusters" if rules.n_clusters is None else "n_clusters"
        least = rules.least if isinstance(self.init, str) else 1  # given labels need no components
        _, most = check_components(least, least_name, self.max_components)
        X = validate_data(self, X, dtype=np.float64, order="C", ensure_min_samples=6)
        check_scale(X)
        data = _Data(X, rules, most, bool(self.verbose))
        start = self._start(data)
        n_start = int(start.codes.max()) + 1
        warn_of_few(n_start, rules)
        unit = data.unit if rules.criterion == "gdid" or rules.chooses_alpha else None
        merged = merge_clusters(data.objects, start.codes, rules, unit=unit, verbose=data.verbose)
        self.labels_, self.n_clusters_ = merged.labels, merged.n_clusters
        self.start_labels_, self.n_start_components_ = start.codes, n_start
        self.mean_increments_, self.merges_, self.alpha_ = merged.mean_increments, merged.merges, merged.alpha
        self._mixture, self._cluster_of = start.mixture, merged.cluster_of
        if start.mixture is not None:
            of_cluster = np.eye(merged.n_clusters)[merged.cluster_of]
            self.membership_ = start.mixture.posteriors(X) @ of_cluster
            self.uncertainty_ = normalized_entropy(self.membership_)
        else:
            self._neighbors = NearestNeighbors(n_neighbors=1).fit(X)
        return self

    def _start(self, data: "_Data") -> Start:
        if not isinstance(self.init, str):
            return Start(checked_start(self.init, len(data.X), "init"))
        if self.init == "kmeans":
            return Start(data.clusters.codes)
        names = _STARTS[self.init]
        tasks = list(zip(names, seeds(self.random_state, len(names)), strict=True))
        mixtures = run_tasks(lambda task: data.mixture(*task), tasks, verbose=False)
        return Start.of(min(mixtures, key=lambda mixture: mixture.message_length), data.X)

    def predict(self, X: Any) -> np.ndarray:
        """The cluster of each row of X: that of its most likely component, or without a mixture of the nearest object.

        Parameters
        ----------
        X : array of shape (n, d)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, order="C", reset=False)
        check_scale(X)
        if self._mixture is not None:
            return self._cluster_of[self._mixture.posteriors(X).argmax(axis=1)]
        return self.labels_[self._neighbors.kneighbors(X, return_distance=False)[:, 0]]


class _Data:
    """The data, and the starts that can be made of them."""

    def __init__(self, X: np.ndarray, rules: Rules, max_components: int, verbose: bool) -> None:
        self.X, self.objects = X, FeatureDissimilarities(X)
        self.rules, self.max_components, self.verbose = rules, max_components, verbose

    @cached_property
    def unit(self) -> Unit:
        return Unit.of(self.objects)

    @cached_property
    def most(self) -> int:
        return possible_components(self.X, self.max_components)

    @cached_property
    def clusters(self) -> Clusters:
        """k-means, with the number of clusters that is known, or that of the shortest description."""
        least, most = (self.rules.least, self.rules.least) if self.rules.least > 1 else (2, self.most)
        return best_kmeans(
            self.X, self.objects, self.unit, least, min(most, self.most), model=self.rules.model, verbose=self.verbose
        )

    def mixture(self, start: str, seed: int) -> Mixture:
        """A mixture that starts from random rows, or from the centers of k-means and random rows."""
        centers = self.clusters.centers if start == "kmeans" else np.empty((0, self.X.shape[1]))
        means = start_means(self.X, centers, self.most, seed)
        return fit_mixture(self.X, means, min_components=min(self.rules.least, self.most), verbose=self.verbose)
