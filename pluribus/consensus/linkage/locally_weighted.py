"""Consensus in which each cluster counts by how sure the ensemble is of it (LWEA, LWSM, LWGP)."""

from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval, StrOptions

from pluribus._engine import over_blocks, seeds
from pluribus._kernels.labels.co_association import count_by_label
from pluribus.compare import adjusted_rand_index
from pluribus.consensus._shared.base import ConsensusMixin, normalize_rows
from pluribus.consensus._shared.bipartite_cut import cut_spectral
from pluribus.consensus._shared.cluster_graph import informative_partitions, tabulate
from pluribus.consensus._shared.cost import Cost
from pluribus.consensus._shared.dendrogram import cut_into
from pluribus.consensus._shared.evidence_linkages import average_link
from pluribus.consensus._shared.extend_labels import extend_labels
from pluribus.consensus._shared.features import check_features
from pluribus.consensus._shared.label_rows import nonempty_clusters
from pluribus.consensus._shared.separate_groups import merge_separate, separate_groups
from pluribus.consensus.linkage._k_stability import k_stability
from pluribus.consensus.linkage._last_merges import LastMerges, last_groups
from pluribus.evidence import mean_evidence
from pluribus.partitions import Ensemble, as_ensemble
from pluribus.partitions._internal import number_by_size

LINKED = 20_000  # objects that are linked: all pairs of more would take long
_FEWEST = 3  # objects among which a number of clusters is sought
_LARGEST_EXPONENT = 60  # beyond, an object might be left without any weight in single precision


class LocallyWeightedConsensus(ConsensusMixin, BaseEstimator):
    """Combine partitions with a weight for each cluster: how consistently the other partitions reproduce it.

    A cluster that the other partitions scatter is probably not real. The entropy of its objects' labels in partition m,
    H_m(C) = -Σ p log₂ p, measures how much m scatters it. The weight of a cluster is its ensemble-driven index
    exp(-mean of H_m(C) / theta): 1 if all partitions keep it together, nearly 0 if it is scattered. A partition can
    therefore be trusted in one cluster and not in the next, which a weight for the whole partition cannot express.

    "linkage" (LWEA) uses the weights in evidence accumulation: two objects in one cluster get its weight as evidence,
    and average link merges the objects. With more than 20,000 objects it links a sample, and the others join the
    cluster of highest mean evidence. "graph" (LWGP) uses them in the graph of objects and clusters: an edge has the
    weight of its cluster, and a spectral cut divides the graph in time linear in n.

    Average link favors clusters of similar size. "stable" (LWSM) also merges the last 60 groups of average link by two
    other rules, and chooses one of these if halves of the ensemble agree clearly more on its result. This is not from
    the source.

    Prefer it when some partitions are poor in some places: clusterings of subspaces, with very different numbers of
    clusters, or with scattered clusters. If all partitions are about equally good, its result is close to those of
    ``EvidenceAccumulation`` and ``BipartitePartitioning``.

    Parameters
    ----------
    n_clusters : int, optional
        The default of "linkage" and "stable" is the number with the longest lifetime that halves of the ensemble
        reproduce (see ``k_stability_``). "graph" needs a number.
    extraction : {"linkage", "stable", "graph"}
    theta : float
        The mean entropy, in bits, at which the weight of a cluster has fallen to 1/e. The source found 0.2 to 1 good.
    n_init : int
        Starts of the k-means step of "graph".
    random_state : int, RandomState, Generator or None
        For "graph", for the sample of objects, and for the halves.
    n_jobs : int, optional
        Threads. The result does not depend on it.
    verbose : bool
        Show progress (only on a terminal).

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Clusters are numbered from the largest.
    n_clusters_ : int
    membership_ : ndarray of shape (n, n_clusters_)
        Mean locally weighted evidence of each object for each cluster, normalized.
    uncertainty_ : ndarray of shape (n,)
        Normalized entropy of the memberships, 0 to 1.
    cluster_weights_ : list of r arrays of shape (k_p,)
        The weight of each cluster of each partition, 0 to 1.
    linkage_ : ndarray of shape (n - 1, 4)
        The dendrogram of average link of all objects, in scipy's format, if ``labels_`` is a cut of it.
    tree_ : ndarray of shape (m - 1, 4)
        For "linkage" and "stable": the dendrogram of average link of the m objects that were linked, in scipy's format.
    linked_ : ndarray of shape (m,)
        Which objects were linked: all, or a sample of 20,000.
    last_groups_ : LastGroups or None
        For "stable": the groups of the linked objects before the last merges; ``merge(k)`` merges them to another
        number of clusters.
    last_merges_ : LastMerges
        For "stable": the ``rule`` that was chosen, the ``stability`` of each rule, and a ``sentence``.
    k_stability_ : KStability
        If no number of clusters was given: ``lifetimes`` and ``stability`` of each number from 2, and a ``sentence``.

    Notes
    -----
    Weights of partitions enter the mean of the entropies and multiply the weights of their clusters. If labels are
    missing, the entropy is taken over the objects that the other partition covers, the mean over the partitions that
    cover any of them, and evidence is divided by the weight of the partitions that cover both objects; pairs that no
    partition covers have evidence 0. Soft partitions enter by their clusters of highest membership.

    References
    ----------
    Huang, Wang and Lai, "Locally weighted ensemble clustering", IEEE Transactions on Cybernetics 48, 2018.

    Examples
    --------
    >>> from pluribus.consensus import LocallyWeightedConsensus
    >>> labels = [[0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 2], [0, 0, 0, 1, 2, 2], [0, 1, 0, 1, 0, 1]]
    >>> lwea = LocallyWeightedConsensus(2).fit(labels)
    >>> lwea.labels_.tolist()
    [0, 0, 0, 1, 1, 1]
    >>> [weights.round(2).tolist() for weights in lwea.cluster_weights_]
    [[0.56, 0.18], [0.56, 0.29, 1.0], [0.56, 1.0, 0.29], [0.18, 0.08]]
    """

    known_as = {
        "lwea": {"extraction": "linkage"},
        "lwsm": {"extraction": "stable"},
        "lwgp": {"extraction": "graph"},
    }
    suits = "Partitions that are poor in some places: subspaces, mixed numbers of clusters, scattered clusters."
    cost = {
        "lwea": Cost(seconds=40, objects=2, sample=LINKED, label_bytes=48),
        "lwsm": Cost(seconds=40, objects=2, sample=LINKED, label_bytes=48),
        "lwgp": Cost(seconds=3, objects=1),
    }

    _parameter_constraints: dict = {
        "n_clusters": [Interval(Integral, 1, None, closed="left"), None],
        "extraction": [StrOptions({"linkage", "stable", "graph"})],
        "theta": [Interval(Real, 0, None, closed="neither")],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state", np.random.Generator],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        extraction: str = "linkage",
        theta: float = 0.4,
        n_init: int = 10,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = True,
    ) -> None:
        self.n_clusters = n_clusters
        self.extraction = extraction
        self.theta = theta
        self.n_init = n_init
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, ensemble: Any, y: Any = None, *, X: Any = None) -> "LocallyWeightedConsensus":
        """Find the consensus of an ensemble.

        Parameters
        ----------
        ensemble : Ensemble, n × r labels, or list of label sequences
        y : ignored
        X : array, csr matrix or Rows of shape (n, d), optional
            For "stable": groups with hardly any evidence between them are merged by their distance in X. Without X
            they are merged by the evidence that is left, even if that is chance or none.
        """
        self._validate_params()
        ensemble = as_ensemble(ensemble)
        if X is not None:
            X = check_features(X, ensemble.n_objects)
        if self.n_clusters is not None or not self.finds_n_clusters:
            self._check_n_clusters(ensemble.n_objects)
        for name in (
            "linkage_",
            "tree_",
            "linked_",
            "last_groups_",
            "last_merges_",
            "k_stability_",
        ):  # of an earlier fit
            self.__dict__.pop(name, None)
        index = self._ensemble_driven_index(ensemble)
        self.cluster_weights_ = np.split(index, ensemble.offsets[1:-1])
        weights = index * np.repeat(ensemble.weights, ensemble.n_clusters)
        if self.extraction == "graph":
            labels = self._cut_graph(ensemble, weights)
        else:
            labels = self._link_objects(ensemble, weights, X)
            groups, k = separate_groups(ensemble), int(labels.max()) + 1
            if X is None and groups is not None and 1 < k <= groups.max():
                labels = merge_separate(ensemble, groups, k)
        k = int(labels.max()) + 1
        labels = number_by_size(labels, k)  # as in the result: memberships need not be copied
        affinity = mean_evidence(ensemble, labels, k, cluster_weights=weights, n_jobs=self.n_jobs)
        membership = normalize_rows(affinity, in_place=True)
        by_data = X is not None and self.extraction == "stable"
        return self._finish(ensemble, labels, membership, by_evidence=True, by_data=by_data)

    @property
    def takes_data(self) -> bool:
        """Whether fit(ensemble, X=X) can use the features."""
        return self.extraction == "stable"

    @property
    def finds_n_clusters(self) -> bool:
        """Whether it finds the number of clusters if n_clusters is None."""
        return self.extraction != "graph"

    def _ensemble_driven_index(self, ensemble: Ensemble) -> np.ndarray:
        """ECI(C) = exp(-H(C) / theta) of each cluster, with H the mean entropy over the partitions."""
        uncertainty = mean_entropies(ensemble, self.n_jobs)
        return np.exp(-np.minimum(uncertainty / self.theta, _LARGEST_EXPONENT))

    # -- LWEA and LWSM -----------------------------------------------------------------------------------------------

    def _link_objects(self, ensemble: Ensemble, weights: np.ndarray, X: Any) -> np.ndarray:
        """Link the objects, or a sample of them; cut the tree; merge the last groups; extend the labels to all."""
        if not ensemble.weights.all():  # a partition of weight 0 does not even say which objects it covers
            weights = weights[np.repeat(ensemble.weights > 0, ensemble.n_clusters)]
            ensemble = ensemble.take_partitions(np.flatnonzero(ensemble.weights))
        n = ensemble.n_objects
        rng, splits = (np.random.default_rng(seed) for seed in seeds(self.random_state, 2))
        sample = np.arange(n) if n <= LINKED else np.sort(rng.choice(n, LINKED, replace=False, shuffle=False))
        linked = ensemble if n <= LINKED else ensemble.take_objects(sample)
        tree = average_link(linked, weights, verbose=self.verbose)
        self.tree_, self.linked_ = tree, sample
        labels = cut = self._cut_tree(linked, tree, rng)
        if self.extraction == "stable":
            self.last_groups_ = last_groups(linked, weights, tree, cut.max() + 1, splits, X, sample)
            if self.last_groups_ is None:
                self.last_merges_ = LastMerges("average", {})
            else:
                self.last_merges_ = self.last_groups_.merge(cut.max() + 1)
                labels = self.last_merges_.labels
        if n <= LINKED and (labels is cut or adjusted_rand_index(labels, cut) >= 1):
            self.linkage_ = tree
        k = int(labels.max()) + 1
        return extend_labels(ensemble, sample, labels, k, cluster_weights=weights, n_jobs=self.n_jobs)

    def _cut_tree(self, ensemble: Ensemble, tree: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Cut into ``n_clusters``, or into the number that halves of the ensemble reproduce."""
        if self.n_clusters is not None or ensemble.n_objects < _FEWEST:
            return cut_into(tree, int(self.n_clusters or 1))
        self.k_stability_ = k_stability(ensemble, tree, self._link_half, rng, verbose=self.verbose)
        return cut_into(tree, self.k_stability_.n_clusters)

    def _link_half(self, half: Ensemble) -> np.ndarray:
        """The tree of some of the partitions, with cluster weights of their own."""
        weights = self._ensemble_driven_index(half) * np.repeat(half.weights, half.n_clusters)
        return average_link(half, weights, verbose=False)

    # -- LWGP --------------------------------------------------------------------------------------------------------

    def _cut_graph(self, ensemble: Ensemble, weights: np.ndarray) -> np.ndarray:
        """Cut the graph of objects and clusters, whose edges have the weights of the clusters."""
        k = int(self.n_clusters or 1)
        if k == 1:
            return np.zeros(ensemble.n_objects, np.int64)
        table = tabulate(ensemble, informative_partitions(ensemble, k), soft=False)
        table = table._replace(weights=weights[table.position])
        part = cut_spectral(
            table,
            k,
            n_init=self.n_init,
            random_state=self.random_state,
            n_jobs=self.n_jobs,
            verbose=self.verbose,
        )
        labels = part[: len(table.counts)][table.inverse]
        return np.searchsorted(nonempty_clusters(labels, k), labels)


def mean_entropies(ensemble: Ensemble, n_jobs: int | None = None) -> np.ndarray:
    """H(C) of each of the q clusters: the weighted mean over the partitions of the entropy of its objects' labels.

    Entropies are in bits.

    Examples
    --------
    >>> from pluribus import Ensemble
    >>> from pluribus.consensus.linkage.locally_weighted import mean_entropies
    >>> mean_entropies(Ensemble([[0, 0, 1, 1], [0, 1, 2, 2]]))
    array([0.5, 0. , 0. , 0. , 0. ])
    """
    labels, offsets = ensemble.labels, ensemble.offsets

    def of_partition(m: int, _: int) -> tuple[np.ndarray, np.ndarray]:
        shared, _ = count_by_label(labels, offsets, labels[:, m].astype(np.int64), int(ensemble.n_clusters[m]))
        size = shared.sum(axis=1, keepdims=True)
        share = np.divide(shared, size, out=np.zeros_like(shared), where=size > 0)
        entropy = -(share * np.log2(share, out=np.zeros_like(share), where=share > 0)).sum(axis=1)
        return ensemble.weights[m] * entropy, ensemble.weights[m] * (size[:, 0] > 0)

    total, seen = np.sum(over_blocks(of_partition, len(ensemble), n_jobs=n_jobs, block=1), axis=0)
    return np.divide(total, seen, out=np.zeros_like(total), where=seen > 0)
