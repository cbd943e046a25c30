"""Consensus by evidence accumulation (EAC)."""

import warnings
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from pluribus._engine import DaskCluster, EngineMixin, as_cluster, given_limit, in_bytes
from pluribus.consensus._shared import dendrogram, evidence_linkages
from pluribus.consensus._shared.base import ConsensusMixin
from pluribus.consensus._shared.cost import Cost
from pluribus.consensus._shared.features import check_features
from pluribus.consensus._shared.separate_groups import merge_separate, separate_groups
from pluribus.consensus._shared.tied_merges import is_tied, warn_of_ties
from pluribus.consensus.linkage import _neighbor_linkages
from pluribus.evidence import CoAssociation, MemoryLimitError
from pluribus.evidence._internal import normalized
from pluribus.partitions import Ensemble, as_ensemble
from pluribus.partitions._internal import number_by_size

_LINKAGES = {"auto", "single", "average", "complete", "weighted", "genie", *evidence_linkages.GEOMETRIC}


class EvidenceAccumulation(EngineMixin, ConsensusMixin, BaseEstimator):
    """Combine partitions by the votes of each partition on each pair of objects, and link the pairs with most votes.

    The evidence for a pair is the share of the partitions that put both into one cluster, among those that cover both.
    A hierarchical clustering of this similarity is the consensus. Clusters of different partitions need not correspond,
    and clusters may have any shape: fine partitions split the data into small pieces, and linking merges the pieces of
    one cluster.

    Prefer it if the partitions disagree on the number of clusters, if clusters are not round, or if only labels are
    known. Single link follows chains and finds the number of clusters, but a few ambiguous objects can bridge two
    clusters. Average link is the robust choice for a given number of clusters. The other linkages need all pairs at
    once and are for small n.

    With missing labels, average link weights each pair of objects by the partitions that cover it, so that every vote
    counts the same. This is not average link on the matrix of shares: ``pair_weight="equal"`` is.

    Parameters
    ----------
    n_clusters : int, optional
        Number of clusters; by default the one with the highest lifetime in the dendrogram.
    linkage : {"auto", "single", "average", "genie", "complete", "weighted", "ward", "centroid", "median"}
        "auto" is "average" if ``n_clusters`` is given and otherwise "single", for which lifetimes were designed. The
        lifetimes of average link depend on the granularity of the ensemble: give ``k_range`` with it.
    gini_threshold : float
        For "genie", which is single link as long as the Gini index of the sizes of clusters does not exceed this; then
        one of the smallest clusters is merged. 1 is single link.
    threshold : float, optional
        Cut at this dissimilarity instead; 0.5 with single link is the majority vote.
    k_range : (int, int), optional
        The numbers of clusters among which the highest lifetime is sought; all numbers, if none of these has one.
    lifetime_scale : {"share", "log"}
        Lifetimes are differences of the share of votes between successive merges (as in the source), or ratios. Average
        link merges the pieces of one cluster at small shares, because fine partitions seldom put them together; ratios
        distinguish small shares from none. Shares below 1/1000 count as none.
    allow_single_cluster : bool
        Whether one cluster may win by lifetime.
    evidence : {"auto", "operator", "sparse", "neighbors", "dense"}
        How the evidence is stored; see ``pluribus.evidence.CoAssociation``. "auto" never builds an n × n matrix for
        single and average link: it is "operator", which is exact, if that takes about a minute at most, and otherwise
        "neighbors", with a warning. "neighbors" uses the 30 strongest pairs of each distinct object, in time linear in
        n. Single link connects what these pairs leave apart by the strongest pairs that it finds in between. Average
        link takes the mean over all pairs of two groups, but merges only groups with a strong pair until few are left;
        a merge below the heights of its groups is raised to their height.
    pair_weight : {"coverage", "equal"}
        What a pair counts in the mean of average link if labels are missing. "coverage" is the weight of the partitions
        that cover it: the evidence of two groups is the share of the votes on all their pairs. "equal" is the mean of
        the shares of the pairs, the textbook's average link, which needs the n × n matrix.
    normalize : {"pairs", "count", "total"}
        The denominator of the evidence; see ``pluribus.evidence.CoAssociation``.
    missing : {"warn", "error", "zero"}
        What to do if missing labels leave pairs of objects that no partition covers. "zero" counts them as evidence 0,
        "warn" does the same with a warning, and "error" refuses the ensemble.
    metric : {"sqrt", "raw"}
        Ward, centroid and median linkage on the Euclidean distance of the one-hot rows, sqrt(2 (1 - c)), or on 1 - c as
        in the source.
    engine : "dask", the address of a scheduler, or a distributed.Client, optional
        A Dask cluster whose workers search for the strongest pairs if ``evidence`` is "neighbors", and compute single
        link on them; "dask" is the client in scope. The result is the same.
    n_jobs : int, optional
        Threads for the strongest pairs and the linkage of them. The result does not depend on it.
    verbose : bool
        Show progress (only on a terminal).

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Clusters are numbered from the largest.
    n_clusters_ : int
    membership_ : ndarray of shape (n, n_clusters_)
        Mean evidence of each object for each cluster, normalized.
    uncertainty_ : ndarray of shape (n,)
        Normalized entropy of the memberships, 0 to 1.
    linkage_ : ndarray of shape (n - 1, 4)
        The dendrogram, in scipy's format. ``cut`` makes other cuts of it without refitting.
    lifetimes_ : ndarray of shape (n + 1,)
        Lifetime of k clusters at index k.
    threshold_ : (float, float)
        The dissimilarities between which the dendrogram has ``n_clusters_`` clusters.
    linkage_method_ : str
        The linkage that "auto" chose.
    evidence_ : str
        The form of evidence that was used.
    n_separate_ : int
        Number of groups that no partition links. With fewer clusters than that, the evidence does not decide which
        groups are merged: ``uncertainty_`` says so, unless features were given.

    References
    ----------
    Fred and Jain, "Combining multiple clusterings using evidence accumulation", IEEE TPAMI 27, 2005.
    Lourenço, Fred and Jain, "On the scalability of evidence accumulation clustering", ICPR 2010.

    Examples
    --------
    >>> from pluribus.consensus import EvidenceAccumulation
    >>> labels = [[0, 0, 0, 1, 1, 2], [0, 0, 1, 2, 2, 2], [0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 0, 1]]
    >>> eac = EvidenceAccumulation().fit(labels)
    >>> eac.labels_.tolist()
    [0, 0, 0, 1, 1, 1]
    >>> eac.lifetimes_[1:].tolist()
    [0.25, 0.5, 0.0, 0.0, 0.25, 0.0]
    >>> eac.cut(n_clusters=5).tolist()
    [0, 0, 1, 2, 3, 4]
    """

    known_as = {"eac": {}}
    suits = "Partitions finer than the result, clusters of any shape, and an unknown number of clusters."
    cost = Cost(seconds=17, objects=2, shortcut=1e-6, label_bytes=48, neighbor_label_bytes=34)
    finds_n_clusters = True

    _parameter_constraints: dict = {
        "n_clusters": [Interval(Integral, 1, None, closed="left"), None],
        "linkage": [StrOptions(_LINKAGES)],
        "gini_threshold": [Interval(Real, 0, 1, closed="both")],
        "threshold": [Interval(Real, 0, None, closed="left"), None],
        "k_range": [tuple, list, None],
        "lifetime_scale": [StrOptions({"share", "log"})],
        "allow_single_cluster": ["boolean"],
        "evidence": [StrOptions({"auto", "operator", "sparse", "neighbors", "dense"})],
        "pair_weight": [StrOptions({"coverage", "equal"})],
        "normalize": [StrOptions({"pairs", "count", "total"})],
        "missing": [StrOptions({"warn", "error", "zero"})],
        "metric": [StrOptions({"sqrt", "raw"})],
        "engine": "no_validation",
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        linkage: str = "auto",
        gini_threshold: float = 0.3,
        threshold: float | None = None,
        k_range: tuple[int, int] | None = None,
        lifetime_scale: str = "share",
        allow_single_cluster: bool = False,
        evidence: str = "auto",
        pair_weight: str = "coverage",
        normalize: str = "pairs",
        missing: str = "warn",
        metric: str = "sqrt",
        engine: Any = None,
        n_jobs: int | None = None,
        verbose: bool = True,
    ) -> None:
        self.n_clusters = n_clusters
        self.linkage = linkage
        self.gini_threshold = gini_threshold
        self.threshold = threshold
        self.k_range = k_range
        self.lifetime_scale = lifetime_scale
        self.allow_single_cluster = allow_single_cluster
        self.evidence = evidence
        self.pair_weight = pair_weight
        self.normalize = normalize
        self.missing = missing
        self.metric = metric
        self.engine = engine
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, ensemble: Any, y: Any = None, *, X: Any = None) -> "EvidenceAccumulation":
        """Find the consensus of an ensemble.

        Parameters
        ----------
        ensemble : Ensemble, n × r labels, list of label sequences, or CoAssociation
        y : ignored
        X : array, csr matrix or Rows of n rows, optional
            Features of the objects: groups that no partition links are merged by their distance, if fewer clusters
            are asked for than there are such groups.
        """
        self._validate_params()
        cluster = as_cluster(self.engine)
        self.linkage_method_ = self._choose_linkage()
        evidence = self._gather(ensemble)
        self._check_cut(evidence.shape[0])
        X = None if X is None else check_features(X, evidence.shape[0])
        self._check_missing(evidence)
        self.linkage_ = self._link(evidence, cluster)
        top = None if self.linkage_method_ in evidence_linkages.GEOMETRIC else 1.0
        self.lifetimes_ = dendrogram.lifetimes(self.linkage_, top, self.lifetime_scale)
        self._groups = separate_groups(evidence)
        self.n_separate_ = 1 if self._groups is None else int(self._groups.max()) + 1
        labels, by_data = self._decide(self._n_clusters_to_cut(), evidence, X)
        self._finish(evidence, labels, by_data=by_data)
        self.threshold_ = dendrogram.interval_of(self.linkage_, self.n_clusters_, top)
        return self

    def cut(self, n_clusters: int | None = None, *, threshold: float | None = None) -> np.ndarray:
        """Labels for another number of clusters, or another threshold, from the same dendrogram."""
        check_is_fitted(self)
        if (n_clusters is None) == (threshold is None):
            raise ValueError("cut takes either n_clusters or threshold.")
        if n_clusters is not None and not isinstance(n_clusters, Integral):
            raise ValueError(f"n_clusters={n_clusters!r} is not a whole number.")
        if threshold is not None and not (isinstance(threshold, Real) and np.isfinite(float(threshold))):
            raise ValueError(f"threshold={threshold!r} is not a number.")
        if n_clusters is not None:
            labels = dendrogram.cut_into(self.linkage_, int(n_clusters))
        else:
            labels = dendrogram.cut_at(self.linkage_, float(threshold))  # type: ignore[arg-type]
        k = int(labels.max()) + 1
        return number_by_size(labels, k)

    def _choose_linkage(self) -> str:
        if self.linkage != "auto":
            return self.linkage
        return "average" if self.n_clusters is not None else "single"

    def _check_cut(self, n: int) -> None:
        if self.n_clusters is not None and self.threshold is not None:
            raise ValueError("n_clusters and threshold are both given: give one of them to cut the dendrogram.")
        if self.linkage in evidence_linkages.GEOMETRIC and self.lifetime_scale == "log":
            raise ValueError(
                f"lifetime_scale='log' needs heights between 0 and 1, which {self.linkage} linkage does not have."
            )
        if self.n_clusters is not None and self.n_clusters > n:
            raise ValueError(f"n_clusters={self.n_clusters} is more than the number of objects, {n}.")
        if self.k_range is not None:
            whole = len(self.k_range) == 2 and all(isinstance(k, Integral) for k in self.k_range)
            if not whole or not 1 <= self.k_range[0] <= self.k_range[1] or self.k_range[0] > n:
                raise ValueError(f"k_range={self.k_range} must be two whole numbers 1 <= low <= high, low at most {n}.")

    def _check_missing(self, evidence: CoAssociation) -> None:
        if self.missing == "zero" or not evidence.n_unobserved_pairs:
            return
        message = (
            f"{evidence.n_unobserved_pairs:,} pairs of objects are covered by no partition, so they count as evidence "
            "0. Add partitions that cover more objects, or give missing='zero' to accept it."
        )
        if self.missing == "error":
            raise ValueError(message)
        warnings.warn(message, UserWarning, stacklevel=3)

    def _gather(self, ensemble: Any) -> CoAssociation:
        if isinstance(ensemble, CoAssociation):
            if self.normalize != "pairs":
                raise ValueError("A CoAssociation has its own denominator: give normalize to it, not to the consensus.")
            self.evidence_ = ensemble.form
            return ensemble
        # Linkages start from the labels, except for the sparse form; the dense matrix is made where it is used.
        ensemble = normalized(as_ensemble(ensemble), self.normalize)
        if not ensemble.weights.all():  # a partition of weight 0 does not even say which objects it covers
            ensemble = ensemble.take_partitions(np.flatnonzero(ensemble.weights))
        self.evidence_ = self._choose_evidence(ensemble)
        return CoAssociation(ensemble, form="sparse" if self.evidence_ == "sparse" else "operator")

    def _choose_evidence(self, ensemble: Ensemble) -> str:
        method = self.linkage_method_
        if method == "genie":
            return "operator" if self.evidence != "neighbors" else "neighbors"
        if self._needs_all_pairs(ensemble):
            return self.evidence if self.evidence in ("sparse", "neighbors") else "dense"
        if self.evidence != "auto":
            return self.evidence
        limit = given_limit() or np.inf  # the memory that happens to be free must not change the result
        seconds, needed = evidence_linkages.predict_seconds(ensemble, method), self._bytes_needed(ensemble)
        if seconds > evidence_linkages.EXACT_SECONDS or needed > limit:  # or less, if many rows of labels are equal
            distinct = ensemble.unique_rows().ensemble
            seconds, needed = evidence_linkages.predict_seconds(distinct, method), self._bytes_needed(distinct)
        if seconds <= evidence_linkages.EXACT_SECONDS and needed <= limit:
            return "operator"
        what = f"take about {seconds / 60:,.0f} minutes"
        if seconds <= evidence_linkages.EXACT_SECONDS:
            what = f"need {in_bytes(needed)}, more than the {in_bytes(limit)} allowed"
        warnings.warn(
            f"{method} link on all pairs of these {ensemble.n_objects:,} objects would {what}; only the strongest "
            "pairs of each object are used. Give evidence='operator' to use all pairs.",
            UserWarning,
            stacklevel=4,
        )
        return "neighbors"

    def _bytes_needed(self, ensemble: Ensemble) -> float:
        return self.cost.bytes_needed(ensemble.n_objects, len(ensemble))

    def _link(self, evidence: CoAssociation, cluster: DaskCluster | None) -> np.ndarray:
        method = self.linkage_method_
        if evidence.shape[0] == 1:
            return np.empty((0, 4))
        if self.evidence_ == "neighbors":
            return self._link_neighbors(evidence, cluster)
        if method == "genie":
            return evidence_linkages.genie_link(evidence, self.gini_threshold, verbose=self.verbose)
        if method == "single" and evidence.form == "sparse":
            return _neighbor_linkages.spanning_tree_link(evidence)
        ensemble = evidence.ensemble
        if ensemble is not None and not self._needs_all_pairs(
            ensemble, dense="dense" in (evidence.form, self.evidence)
        ):
            link = evidence_linkages.single_link if method == "single" else evidence_linkages.average_link
            return link(ensemble, verbose=self.verbose)
        try:
            return evidence_linkages.dense_link(evidence, method, metric=self.metric)
        except MemoryLimitError as error:
            raise MemoryLimitError(
                f"{method} link on a dense matrix needs all pairs of the {evidence.shape[0]:,} objects at once, more "
                "than the memory limit allows. Use linkage='average' or 'single' with evidence='auto', or pass "
                "CoAssociation(ensemble, form='operator', memory_limit=...) with a higher limit."
            ) from error

    def _needs_all_pairs(self, ensemble: Ensemble | None, *, dense: bool = False) -> bool:
        """Whether linkage needs the matrix of all pairs; ``dense`` asks for it where it makes no difference."""
        missing = ensemble is not None and ensemble.has_missing
        if self.linkage_method_ == "average" and missing:
            return self.pair_weight == "equal"
        return dense or self.linkage_method_ not in ("single", "average")

    def _link_neighbors(self, evidence: CoAssociation, cluster: DaskCluster | None) -> np.ndarray:
        method = self.linkage_method_
        if self._needs_all_pairs(evidence.ensemble):
            equal = " with pair_weight='equal'" if method == "average" else ""
            raise ValueError(
                f"{method} link{equal} needs all pairs, but evidence='neighbors' has only a few for each object. Use "
                "evidence='auto', or single link, or average link with pair_weight='coverage'."
            )
        if evidence.form == "neighbors":  # given by the user
            if method == "single":
                return _neighbor_linkages.spanning_tree_link(evidence)
            return _neighbor_linkages.graph_average_link(evidence, verbose=self.verbose)
        ensemble = as_ensemble(evidence.ensemble)
        link = (
            _neighbor_linkages.neighbor_single_link if method == "single" else _neighbor_linkages.neighbor_average_link
        )
        return link(ensemble, n_jobs=self.n_jobs, engine=cluster, verbose=self.verbose)

    @property
    def takes_data(self) -> bool:
        """Features decide where the evidence does not."""
        return True

    def _n_clusters_to_cut(self) -> int | None:
        """The number of clusters, given or of the longest lifetime; None if a threshold is given."""
        if self.threshold is not None or self.n_clusters is not None:
            return None if self.n_clusters is None else int(self.n_clusters)
        if self.linkage_method_ in (*evidence_linkages.GEOMETRIC, "genie"):
            warnings.warn(
                f"Lifetimes of {self.linkage_method_} linkage favor few clusters; give n_clusters, or use single or "
                "average link.",
                UserWarning,
                stacklevel=3,
            )
        return dendrogram.longest_lived(self.lifetimes_, self.k_range, self.allow_single_cluster)

    def _decide(self, n_clusters: int | None, evidence: CoAssociation, X: Any) -> tuple[np.ndarray, bool]:
        """The labels of this many clusters, and whether features decided about them."""
        if n_clusters is None:
            return dendrogram.cut_at(self.linkage_, float(self.threshold or 0)), False
        if self._groups is None or n_clusters == 1 or n_clusters > self._groups.max():
            exact = None if self.evidence_ == "neighbors" else evidence.ensemble
            if is_tied(exact, self.linkage_, n_clusters, self.linkage_method_):
                warn_of_ties(n_clusters)
            return dendrogram.cut_into(self.linkage_, n_clusters), False
        ensemble = as_ensemble(evidence.ensemble)
        return merge_separate(ensemble, self._groups, n_clusters, X), X is not None
