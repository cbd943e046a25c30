"""Consensus in which each cluster counts by how sure the ensemble is of it (LWEA, LWSM, LWGP)."""

from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_array
from sklearn.utils._param_validation import Interval, StrOptions

from pluribus._engine import over_blocks, seeds
from pluribus._kernels.labels.co_association import count_by_label
from pluribus.compare import adjusted_rand_index
from pluribus.consensus._shared.base import ConsensusMixin, normalize_rows
from pluribus.consensus._shared.bipartite_cut import cut_spectral
from pluribus.consensus._shared.cluster_graph import tabulate, with_a_say
from pluribus.consensus._shared.cost import Cost
from pluribus.consensus._shared.dendrogram import cut_into
from pluribus.consensus._shared.evidence_linkages import average_link
from pluribus.consensus._shared.label_rows import held_clusters
from pluribus.consensus.linkage._k_stability import reproduced
from pluribus.consensus.linkage._last_merges import merged
from pluribus.evidence import mean_evidence
from pluribus.partitions import Ensemble, as_ensemble
from pluribus.tables import Rows

LINKED = 20_000  # objects that are linked: all pairs of more would take long
_FEWEST = 3  # objects among which a number of clusters is sought
_LARGEST_EXPONENT = 60  # beyond, an object might be left without any weight in single precision


class LocallyWeightedConsensus(ConsensusMixin, BaseEstimator):
    """Combine partitions by letting each of their clusters count by how far the other partitions keep it together.

    A cluster that the others scatter is probably none. How much they do is the entropy of its objects' labels in each
    of them, H_m(C) = -Σ p log₂ p, and a cluster counts by its ensemble-driven index exp(-mean of H_m(C) / theta): 1 if
    all partitions keep it whole, nearly 0 if it is scattered. So a partition may be right about one cluster and wrong
    about the next, which a weight for the whole partition cannot say.

    The weights enter evidence accumulation ("linkage", known as LWEA): being together in a cluster is evidence of its
    weight, and average link merges the objects; of more than 20,000, a sample, and the others go where their evidence
    is greatest. Or they enter the graph of objects and clusters ("graph", known as LWGP): an edge has the weight of its
    cluster, and a spectral cut divides the graph, in time linear in n.

    Average link favors clusters of like sizes. With "stable" (LWSM) its last 60 groups are merged in two other ways,
    too, and one of these is taken if halves of the ensemble agree on its result clearly more. This is not from the
    source.

    Prefer it when some partitions are poor in some places: clusterings of subspaces, with very different numbers of
    clusters, or with scattered junk clusters. Where all are about equally good its result is near that of
    ``EvidenceAccumulation`` and ``BipartitePartitioning``.

    Parameters
    ----------
    n_clusters : int, optional
        By default, for "linkage" and "stable": the number with the longest lifetime that halves of the ensemble find
        again (see ``reproduced_``). "graph" must be told.
    extraction : {"linkage", "stable", "graph"}
    theta : float
        The mean entropy, in bits, at which the weight of a cluster has fallen to 1/e. The source found 0.2 to 1 good.
    n_init : int
        Starts of the k-means that ends "graph".
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
        What each cluster of each partition counts, 0 to 1.
    linkage_ : ndarray of shape (n - 1, 4)
        The dendrogram of average link of all objects, in scipy's format, if ``labels_`` is a cut of it.
    merging_ : Merging
        For "stable": the ``rule`` that was taken, the ``stability`` of each, and a ``sentence``.
    reproduced_ : Reproduced
        If the number of clusters was found: its ``lifetimes`` and ``stability`` for each number from 2, and a
        ``sentence``.

    Notes
    -----
    Partitions count by their weights too, in the mean of the entropies and as factors of the clusters' weights. Where
    labels are missing, the entropy is that of the objects which the other partition covers, the mean is over the
    partitions that cover any, and evidence is divided by the weight of the partitions that cover both objects; two
    objects that none covers have no evidence for each other. Soft partitions enter by their clusters of highest
    membership.

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
            For "stable": where there is only faint evidence left between groups, the nearest are merged. Without X
            they are merged by what evidence there is, which may be chance or none.
        """
        self._validate_params()
        ensemble = as_ensemble(ensemble)
        if X is not None:
            X = _checked(X, ensemble.n_objects)
        if self.n_clusters is not None or not self.finds_n_clusters:
            self._check_n_clusters(ensemble.n_objects)
        for name in ("linkage_", "merging_", "reproduced_"):  # of an earlier fit
            self.__dict__.pop(name, None)
        weights = self._weights(ensemble)
        self.cluster_weights_ = np.split(weights, ensemble.offsets[1:-1])
        weights = weights * np.repeat(ensemble.weights, ensemble.n_clusters)
        labels = self._cut(ensemble, weights) if self.extraction == "graph" else self._link(ensemble, weights, X)
        affinity = mean_evidence(ensemble, labels, int(labels.max()) + 1, cluster_weights=weights, n_jobs=self.n_jobs)
        return self._finish(ensemble, labels, normalize_rows(affinity))

    @property
    def takes_data(self) -> bool:
        """Whether fit(ensemble, X=X) does better with the features."""
        return self.extraction == "stable"

    @property
    def finds_n_clusters(self) -> bool:
        """Whether n_clusters=None is best left to it."""
        return self.extraction != "graph"

    def _weights(self, ensemble: Ensemble) -> np.ndarray:
        """What each cluster counts by the others' view of it."""
        uncertainty = mean_entropies(ensemble, self.n_jobs)
        return np.exp(-np.minimum(uncertainty / self.theta, _LARGEST_EXPONENT))

    def _link(self, ensemble: Ensemble, weights: np.ndarray, X: Any) -> np.ndarray:
        counted = np.flatnonzero(ensemble.weights)
        if len(counted) < len(ensemble):  # a partition of weight 0 does not even say that it covers an object
            weights = weights[np.repeat(ensemble.weights > 0, ensemble.n_clusters)]
            ensemble = ensemble.take_partitions(counted)
        rng, splits = (np.random.default_rng(seed) for seed in seeds(self.random_state, 2))
        n = ensemble.n_objects
        if n <= LINKED:
            tree = average_link(ensemble, weights, verbose=self.verbose)
            labels = self._parted(ensemble, tree, rng)
            if self.extraction == "stable":
                cut = labels
                labels, self.merging_ = merged(ensemble, weights, tree, cut.max() + 1, splits, X)
                if adjusted_rand_index(labels, cut) < 1:
                    return labels
            self.linkage_ = tree
            return labels
        some = np.sort(rng.choice(n, LINKED, replace=False, shuffle=False))
        labels = np.full(n, -1)
        few = ensemble.take_objects(some)
        tree = average_link(few, weights, verbose=self.verbose)
        labels[some] = self._parted(few, tree, rng)
        if self.extraction == "stable":
            labels[some], self.merging_ = merged(few, weights, tree, labels.max() + 1, splits, X, some)
        evidence = mean_evidence(ensemble, labels, labels.max() + 1, cluster_weights=weights, n_jobs=self.n_jobs)
        return np.where(labels < 0, evidence.argmax(axis=1), labels)

    def _parted(self, ensemble: Ensemble, tree: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """A tree of objects, cut into the number of clusters that is asked for or found."""
        if self.n_clusters is not None or ensemble.n_objects < _FEWEST:
            return cut_into(tree, self.n_clusters or 1)
        self.reproduced_ = reproduced(ensemble, tree, self._tree, rng, verbose=self.verbose)
        return cut_into(tree, self.reproduced_.n_clusters)

    def _tree(self, ensemble: Ensemble) -> np.ndarray:
        weights = self._weights(ensemble) * np.repeat(ensemble.weights, ensemble.n_clusters)
        return average_link(ensemble, weights, verbose=False)

    def _cut(self, ensemble: Ensemble, weights: np.ndarray) -> np.ndarray:
        k = int(self.n_clusters or 1)
        if k == 1:
            return np.zeros(ensemble.n_objects, np.int64)
        table = tabulate(ensemble, with_a_say(ensemble, k), soft=False)
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
        return np.searchsorted(held_clusters(labels, k), labels)


def _checked(X: Any, n: int) -> Any:
    """Features as they can be averaged."""
    X = X if isinstance(X, Rows) else check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32])
    if X.shape[0] != n:
        raise ValueError(f"X has {X.shape[0]} rows, but the ensemble is of {n} objects: give one row for each.")
    return X


def mean_entropies(ensemble: Ensemble, n_jobs: int | None = None) -> np.ndarray:
    """For each of the q clusters, the mean entropy in bits of its objects' labels in each partition, by their weights.

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
