"""Single link that isolates clusters by their increments (SL-DID, SL-AGLO)."""

from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
import pandas as pd
from scipy.stats import chi2
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import validate_data

from pluribus._engine import track
from pluribus._kernels.linkage.dendrogram import groups_after
from pluribus._kernels.linkage.isolation import BIC, LRT, MML, NO_CRITERION, Rules
from pluribus.increments._shared.description import Unit, describe
from pluribus.increments._shared.dissimilarities import Dissimilarities, FeatureDissimilarities, GivenDissimilarities
from pluribus.increments._shared.errors import DegenerateIncrementsError
from pluribus.increments._shared.ties import warn_of_ties
from pluribus.increments.hierarchy._agglomeration import Agglomeration, Outcome
from pluribus.partitions._internal import number_by_size
from pluribus.tables._internal import check_distances, check_scale

_MOST_EXACT = 10_000  # objects for which "auto" tests all pairs
_ISOLATIONS = np.arange(1, 10.5, 0.5)
_FLOOR = 1e-9  # of the median distance to the nearest neighbor: the least mean increment
_CRITERIA = {None: NO_CRITERION, "lrt": LRT, "bic": BIC, "mml": MML}
_OUTCOMES = ("merge", "small-merge", "small-reject", "isolate-first", "isolate-second", "isolate-both", "reject")


class IncrementsHierarchy(ClusterMixin, BaseEstimator):
    """Merge the closest clusters, and stop at gaps that are unlikely for the increments of a cluster.

    Inside a cluster the distances from one neighbor to the next change little; across a gap they jump. Starting from
    single objects, the two closest clusters are tested again and again. They merge, or one of them is isolated, which
    means that it is final, or the pair is rejected until one of the two has changed. So clusters of any shape, size and
    density are found, and their number too.

    SL-DID (``rule="did"``) has no parameter that must be chosen. It isolates a cluster if its gap is more than
    ``tail_factor`` times its mean increment, and rejects a pair if one distribution of increments does not describe
    both. SL-AGLO (``rule="aglo"``) compares the gap with the gaps of earlier merges, and has one parameter, the
    isolation parameter, which can be found by the description length of the result.

    Use it for clusters with gaps between them. Touching or overlapping classes come out in one piece, or in several
    pure ones, which ``linkage_`` puts together. A mixture, or k-means, suits compact overlapping classes better.

    Parameters
    ----------
    rule : {"did", "aglo"}
        SL-DID or SL-AGLO.
    n_clusters : int, optional
        Cut the complete dendrogram to this number of clusters. By default the clusters are those that the rule leaves.
    min_size : int, default=6
        Clusters with fewer objects are small. SL-DID merges small clusters with each other without a test.
    tail_factor : float, default=7
        SL-DID: a gap is too large beyond so many mean increments. 7 is a chance of 1.2e-7 under the distribution of
        increments, and of 9e-4 under the exponential one.
    criterion : {"lrt", "bic", "mml"} or None
        SL-DID: when two large clusters without a gap merge. "lrt" rejects them by a likelihood ratio test of level
        ``alpha``, "bic" if two distributions describe their increments better at a penalty of ½ log n each, and "mml"
        by the message length of the source, which leaves many small pieces. None merges all.
    alpha : float, default=0.001
        Level of "lrt".
    small_rule : {"gap", "mean"}
        SL-DID: what a large cluster compares with its mean increment before it takes in one or two objects, which have
        no increments. "gap" is its gap; "mean" takes them in however far they are, as in the source.
    isolation : "auto" or float
        SL-AGLO: a cluster is isolated if its gap is at least so many times the mean of its earlier gaps. "auto" tries
        1, 1.5, …, 10 and keeps the result with the least description length (``validate.description_length_cost``).
    small_clusters : {"width", "min_size"}
        SL-AGLO: a mean of few gaps is unreliable. "width" raises the threshold for small clusters, by a factor of 20
        for single objects and 11 for ten; "min_size" isolates no cluster smaller than ``min_size``.
    model : {"did", "exponential"}
        The distribution of increments in ``criterion`` and ``isolation="auto"``.
    neighbors : {"auto", "all", "tree"}
        Which clusters can merge. "all" tests the closest of all pairs and is exact, in O(n²) time and 4 n² bytes, for
        up to 32,768 objects. "tree" only tests clusters that an edge of the minimum spanning tree joins, and tests
        rejected ones again only when one of the two has grown by a tenth, and at the end. "auto" is "all" for up to
        10,000 objects.
    metric : {"euclidean", "precomputed"}
        "precomputed" takes any symmetric dissimilarities in place of features. Infinite ones never merge clusters.
    verbose : bool
        Show progress (only on a terminal).

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Clusters are numbered from the largest. Objects that nothing took in are clusters of their own.
    n_clusters_ : int
    isolated_ : ndarray of shape (n_clusters_,)
        Whether the cluster was isolated by a test; others are what was left over.
    mean_increments_ : ndarray of shape (n_clusters_,)
        Mean nearest-neighbor increment inside each cluster; nan for one or two objects.
    merges_ : ndarray of shape (m, 4)
        The merges in the order they were made, in scipy's format. It is a forest, with a tree for each cluster that the
        rule leaves. The distances are those of single link. They need not increase, since a pair can be rejected first
        and merge later.
    linkage_ : ndarray of shape (n - 1, 4)
        ``merges_``, completed by single link of the clusters that are left. A height below the one before is raised to
        it, and the heights that complete the tree strictly increase, by rounding errors if they have to. So
        ``scipy.cluster.hierarchy.fcluster`` with "maxclust" undoes what completes the tree first.
    tests_ : DataFrame
        All tests: the nodes of both clusters (numbered as in ``merges_``), their distance, the outcome ("merge",
        "small-merge", "small-reject", "isolate-first", "isolate-second", "isolate-both" or "reject"), and the
        statistic. It is a multiple of the mean for gaps and small clusters, twice the difference of log-likelihoods for
        "lrt" and "bic", the difference of message lengths for "mml", and nan if nothing was compared.
    isolation_ : float
        The isolation parameter (only for "aglo").
    isolation_scores_ : DataFrame
        For "auto", the description length and the number of clusters for each value.
    neighbors_ : str
        "all" or "tree".

    References
    ----------
    Aidos and Fred, "Hierarchical clustering with high order dissimilarities", MLDM 2011.
    Fred and Leitão, "A new cluster isolation criterion based on dissimilarity increments", TPAMI 2003.

    Examples
    --------
    >>> from pluribus.increments import IncrementsHierarchy
    >>> X = [[0], [1], [2.2], [3.1], [4.3], [5.2], [20], [21.1], [22], [23.2], [24.1], [25.3]]
    >>> model = IncrementsHierarchy().fit(X)
    >>> model.labels_.tolist(), model.isolated_.tolist()
    ([0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1], [True, False])
    >>> model.mean_increments_.round(4).tolist()
    [0.5833, 0.2667]
    >>> model.tests_.tail(1).round(2)
        first  second  distance         outcome  statistic
    10     19      21      14.8  isolate-second      23.83
    """

    known_as = {"sl-did": {"rule": "did"}, "sl-aglo": {"rule": "aglo"}}
    finds_k_by = "clusters are final where the next gap is too large for their increments"
    suits = (
        "Clusters of any shape and density with gaps between them, an unknown number of clusters, any dissimilarity."
    )

    _parameter_constraints: dict = {
        "rule": [StrOptions({"did", "aglo"})],
        "n_clusters": [Interval(Integral, 1, None, closed="left"), None],
        "min_size": [Interval(Integral, 3, None, closed="left")],
        "tail_factor": [Interval(Real, 0, None, closed="right")],
        "criterion": [StrOptions({"lrt", "bic", "mml"}), None],
        "alpha": [Interval(Real, 0, 1, closed="neither")],
        "small_rule": [StrOptions({"gap", "mean"})],
        "isolation": [StrOptions({"auto"}), Interval(Real, 0, None, closed="neither")],
        "small_clusters": [StrOptions({"width", "min_size"})],
        "model": [StrOptions({"did", "exponential"})],
        "neighbors": [StrOptions({"auto", "all", "tree"})],
        "metric": [StrOptions({"euclidean", "precomputed"})],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        rule: Literal["did", "aglo"] = "did",
        *,
        n_clusters: int | None = None,
        min_size: int = 6,
        tail_factor: float = 7.0,
        criterion: Literal["lrt", "bic", "mml"] | None = "lrt",
        alpha: float = 1e-3,
        small_rule: Literal["gap", "mean"] = "gap",
        isolation: float | Literal["auto"] = "auto",
        small_clusters: Literal["width", "min_size"] = "width",
        model: Literal["did", "exponential"] = "did",
        neighbors: Literal["auto", "all", "tree"] = "auto",
        metric: Literal["euclidean", "precomputed"] = "euclidean",
        verbose: bool = True,
    ) -> None:
        self.rule = rule
        self.n_clusters = n_clusters
        self.min_size = min_size
        self.tail_factor = tail_factor
        self.criterion = criterion
        self.alpha = alpha
        self.small_rule = small_rule
        self.isolation = isolation
        self.small_clusters = small_clusters
        self.model = model
        self.neighbors = neighbors
        self.metric = metric
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None) -> "IncrementsHierarchy":
        """Cluster the rows of X, or the objects whose distances X holds."""
        self._validate_params()
        objects = self._checked(X)
        agglomeration, floor = self._prepared(objects)
        if self.rule == "did":
            outcome = agglomeration.run(self._rules(floor), verbose=self.verbose)
        elif self.isolation == "auto" and objects.n >= 3:
            outcome = self._choose_isolation(objects, agglomeration, floor)
        else:  # two objects merge, whatever the parameter is
            self.isolation_ = 1.0 if self.isolation == "auto" else float(self.isolation)
            outcome = agglomeration.run(self._rules(floor, self.isolation_), verbose=self.verbose)
        self.merges_, self.linkage_ = agglomeration.forest(outcome), agglomeration.dendrogram(outcome)
        self._set_clusters(objects, outcome)
        self.tests_ = _table(outcome)
        return self

    def _checked(self, X: Any) -> Dissimilarities:
        """Features or distances, which are checked."""
        if self.n_clusters is not None and isinstance(self.n_clusters, bool):
            raise ValueError(f"n_clusters={self.n_clusters} is not a number: give the number of clusters.")
        given = self.metric == "precomputed"
        X = validate_data(
            self, X, dtype=np.float64, order="C", ensure_min_samples=2, ensure_all_finite=not given, copy=False
        )
        X = np.require(X, requirements="W")  # kernels are compiled once, for arrays that can be written
        n = len(X)
        if self.n_clusters is not None and self.n_clusters > n:
            raise ValueError(
                f"n_clusters={self.n_clusters} is more than the n_samples={n} objects: use fewer clusters."
            )
        if given:
            return GivenDissimilarities(_checked_distances(X))
        check_scale(X)
        return FeatureDissimilarities(X)

    def _prepared(self, objects: Dissimilarities) -> tuple[Agglomeration, float]:
        """The objects with their neighbors, and the least mean increment."""
        self.neighbors_ = self.neighbors
        if self.neighbors == "auto":
            self.neighbors_ = "all" if objects.n <= _MOST_EXACT else "tree"
        agglomeration = Agglomeration(objects, exact=self.neighbors_ == "all")
        if objects.n >= 3:
            warn_of_ties(objects.nearest_increments().value)
        return agglomeration, _least_mean(agglomeration.lists.distances[:, 0])

    def _rules(self, floor: float, isolation: float = 1.0) -> Rules:
        return Rules(
            by_gaps=self.rule == "aglo",
            min_size=int(min(self.min_size, 2**31)),
            tail_factor=float(self.tail_factor),
            criterion=_CRITERIA[self.criterion],
            critical=float(chi2.isf(self.alpha, 1)),
            small_gap=self.small_rule == "gap",
            isolation=float(isolation),
            by_width=self.small_clusters == "width",
            exponential=self.model == "exponential",
            floor=floor,
        )

    def _choose_isolation(self, objects: Dissimilarities, agglomeration: Agglomeration, floor: float) -> Outcome:
        """The result whose description is the shortest, over a range of isolation parameters."""
        if np.isinf(objects.diameter()):
            raise ValueError("isolation='auto' needs finite distances: give a number for isolation.")
        try:
            unit = Unit.of(objects)
        except DegenerateIncrementsError as error:
            raise DegenerateIncrementsError(f"{error} Give a number for isolation, in place of 'auto'.") from None
        scores: list[tuple[float, float, int]] = []
        best: Outcome | None = None
        for isolation in track(_ISOLATIONS.tolist(), "isolation parameters", verbose=self.verbose):
            outcome = agglomeration.run(self._rules(floor, isolation))
            length = describe(objects, outcome.labels, self.model, unit=unit).length
            if not scores or length < min(score[1] for score in scores):
                self.isolation_, best = isolation, outcome
            scores.append((isolation, length, len(outcome.isolated)))
        self.isolation_scores_ = pd.DataFrame(scores, columns=["isolation", "description_length", "n_clusters"])
        assert best is not None
        return best

    def _set_clusters(self, objects: Dissimilarities, outcome: Outcome) -> None:
        n, k = objects.n, len(outcome.isolated)
        labels = outcome.labels
        if self.n_clusters is not None:
            k = int(self.n_clusters)
            if k < n and np.isinf(self.linkage_[n - k - 1, 2]):
                least = n - int(np.isfinite(self.linkage_[:, 2]).sum())
                raise ValueError(
                    f"n_clusters={k}, but infinite distances separate {least} groups: use {least} or more."
                )
            labels = groups_after(self.linkage_, n, n - k)
        self.labels_ = number_by_size(labels, k)
        self.n_clusters_ = k
        # Clusters of a cut contain those that the rule leaves, or are parts of them: the same size means the same.
        sizes, left = np.bincount(self.labels_), np.bincount(outcome.labels)
        self.isolated_ = np.zeros(k, dtype=bool)
        self.isolated_[self.labels_] = outcome.isolated[outcome.labels] & (left[outcome.labels] == sizes[self.labels_])
        self.mean_increments_ = np.full(k, np.nan)
        members = np.split(np.argsort(self.labels_, kind="stable"), np.cumsum(sizes)[:-1])
        for cluster in range(int((sizes >= 3).sum())):
            increments = objects.take(members[cluster]).nearest_increments().value
            self.mean_increments_[cluster] = increments[np.isfinite(increments)].mean()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.metric == "precomputed"
        return tags


def _checked_distances(D: np.ndarray) -> np.ndarray:
    """Symmetric distances that are not negative; they may be infinite."""
    infinite = np.isposinf(D)
    if infinite.any():
        if D.shape[0] == D.shape[1] and (infinite != infinite.T).any():
            raise ValueError("distances must be symmetric: some are infinite in one direction only.")
        if infinite.diagonal().any():
            raise ValueError("distances must be 0 on the diagonal; some are infinite.")
    finite = check_distances(np.where(infinite, 0, D) if infinite.any() else D)
    check_scale(finite)
    if infinite.any():
        finite = np.where(infinite, np.inf, finite)
    return finite if np.array_equal(finite, finite.T) else (finite + finite.T) / 2


def _least_mean(nearest: np.ndarray) -> float:
    """The floor for mean increments, positive even for duplicates."""
    nearest = nearest[np.isfinite(nearest)]
    if len(nearest) and (middle := float(np.median(nearest))) > 0:
        return _FLOOR * middle
    apart = nearest[nearest > 0]
    return _FLOOR * float(np.median(apart)) if len(apart) else _FLOOR


def _table(outcome: Outcome) -> pd.DataFrame:
    tests = outcome.tests
    return pd.DataFrame(
        {
            "first": tests.first,
            "second": tests.second,
            "distance": tests.distance,
            "outcome": pd.Categorical.from_codes(tests.outcome, categories=list(_OUTCOMES)),
            "statistic": tests.statistic,
        }
    )
