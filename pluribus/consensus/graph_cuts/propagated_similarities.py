"""Consensus by similarities of clusters that are propagated along random walks (ECPCS)."""

from numbers import Integral
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval, StrOptions

from pluribus._engine import given_limit, in_bytes, seeds
from pluribus.consensus._shared.base import ConsensusMixin, normalize_rows
from pluribus.consensus._shared.cluster_graph import (
    ClusterTable,
    informative_partitions,
    number_parts,
    overlaps,
    tabulate,
)
from pluribus.consensus._shared.cost import Cost
from pluribus.consensus._shared.dendrogram import cut_into
from pluribus.consensus._shared.evidence_linkages import dense_link
from pluribus.consensus._shared.label_rows import nonempty_clusters
from pluribus.consensus.graph_cuts._meta_clusters import associate, first_at_random, jaccard_graph
from pluribus.consensus.graph_cuts._solvers import cut_by_spectrum
from pluribus.evidence import CoAssociation, MemoryLimitError
from pluribus.partitions import as_ensemble

_MOST_BYTES = 2 * 2**30  # of the matrix of all pairs, unless a limit is given


class PropagatedSimilarities(ConsensusMixin, BaseEstimator):
    """Combine partitions by clusters that are similar because random walks from them pass through the same clusters.

    The clusters of all partitions are the vertices of a graph, weighted by the Jaccard index of their objects. A random
    walk starts at each cluster. Two clusters are as similar as the cosine of where their walks are after 1, 2, …,
    ``n_steps`` steps, so that clusters without a common object are similar if they overlap with the same others.

    "meta" groups the clusters by a normalized cut, and each object joins the group that contains the largest share of
    its clusters (ECPCS-MC). It needs no pairs of objects. "average" takes the mean similarity of the clusters of two
    objects over the partitions, and links by it (ECPCS-HC); it needs all pairs and is for small n.

    Prefer it if partitions are few or fine, so that many pairs of objects that belong together are never together.

    Parameters
    ----------
    n_clusters : int
        Must be given.
    extraction : {"meta", "average"}
    n_steps : int, default=20
        Length of the random walks, as in the source.
    random_state : int, RandomState, Generator or None
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
        The share of each group's clusters that contain the object, normalized; for "average", the mean evidence.
    uncertainty_ : ndarray of shape (n,)
        Normalized entropy of the memberships, 0 to 1.
    similarities_ : ndarray of shape (m, m)
        The similarity of the clusters of the ensemble, without partitions that have one cluster or weight 0.

    References
    ----------
    Huang, Wang, Peng, Lai and Kwoh, "Enhanced ensemble clustering via fast propagation of cluster-wise similarities",
    IEEE Transactions on Systems, Man, and Cybernetics: Systems 51, 2021.

    Examples
    --------
    >>> from pluribus.consensus import PropagatedSimilarities
    >>> labels = [[0, 0, 0, 1, 1, 1], [0, 0, 1, 2, 2, 2], [0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 2, 1]]
    >>> PropagatedSimilarities(2, random_state=0).fit(labels).labels_.tolist()
    [0, 0, 0, 1, 1, 1]
    """

    known_as = {"ecpcs-mc": {"extraction": "meta"}, "ecpcs-hc": {"extraction": "average"}}
    suits = "Few or fine partitions, in which objects of one cluster are seldom together."
    cost = {"ecpcs-mc": Cost(seconds=0.5, objects=1), "ecpcs-hc": Cost(seconds=130, objects=2, pair_bytes=40)}

    _parameter_constraints: dict = {
        "n_clusters": [Interval(Integral, 1, None, closed="left"), None],
        "extraction": [StrOptions({"meta", "average"})],
        "n_steps": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state", np.random.Generator],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        extraction: str = "meta",
        n_steps: int = 20,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = True,
    ) -> None:
        self.n_clusters = n_clusters
        self.extraction = extraction
        self.n_steps = n_steps
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, ensemble: Any, y: Any = None) -> "PropagatedSimilarities":
        """Find the consensus of an ensemble.

        Parameters
        ----------
        ensemble : Ensemble, n × r labels, or list of label sequences
        y : ignored
        """
        self._validate_params()
        ensemble = as_ensemble(ensemble)
        k = self._check_n_clusters(ensemble.n_objects)
        if self.extraction == "average":
            _check_size(ensemble.n_objects)
        table = tabulate(ensemble, informative_partitions(ensemble, k), soft=False)
        if self.extraction == "meta" and k > len(table.weights):
            raise ValueError(
                f"The ensemble has only {len(table.weights)} clusters, too few to group them into n_clusters={k}. Add "
                "partitions, or ask for fewer clusters."
            )
        graph = jaccard_graph(overlaps(table, table.counts, self.n_jobs), table)
        similar = walked_similarities(graph, self.n_steps)
        order = np.argsort(table.position)
        self.similarities_ = similar[np.ix_(order, order)]
        if self.extraction == "average":
            evidence = CoAssociation.from_matrix(_enhanced_evidence(table, similar))
            tree = dense_link(evidence, "average") if ensemble.n_objects > 1 else np.empty((0, 4))
            return self._finish(ensemble, cut_into(tree, k))
        return self._vote(ensemble, table, similar, k)

    def _vote(self, ensemble: Any, table: ClusterTable, similar: np.ndarray, k: int) -> "PropagatedSimilarities":
        """Group the clusters, and let the clusters of an object vote for its group."""
        cut_seed, tie_seed = seeds(self.random_state, 2)
        meta = np.zeros(len(table.weights), np.int64)
        if k > 1:
            meta = cut_by_spectrum(
                sparse.csr_array(similar),
                k,
                vertex_counts=None,
                random_state=cut_seed,
                n_jobs=self.n_jobs,
                verbose=self.verbose,
            )
        association = associate(table, meta, k)
        winner = first_at_random(association, np.random.default_rng(tie_seed))[table.inverse]
        nonempty_clusters(winner, k)  # warns if there are fewer
        largest, number = number_parts(winner, k)
        return self._finish(ensemble, number[winner], normalize_rows(association[:, largest][table.inverse]))


def walked_similarities(graph: sparse.csr_array, n_steps: int) -> np.ndarray:
    """The cosine of the trajectories of random walks from each two vertices; a vertex without edges is like none."""
    weights = graph.toarray()
    total = weights.sum(axis=1, keepdims=True)
    step = np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)
    here, products = step, step @ step.T
    for _ in range(n_steps - 1):
        here = here @ step
        products += here @ here.T
    length = np.sqrt(products.diagonal())
    both = length[:, None] * length
    similar = np.divide(products, both, out=np.zeros_like(products), where=both > 0)
    np.fill_diagonal(similar, 1)
    return np.clip((similar + similar.T) / 2, 0, 1)


def _enhanced_evidence(table: ClusterTable, similar: np.ndarray) -> np.ndarray:
    """The mean similarity of the clusters of two objects over the partitions that cover both (n, n)."""
    n_rows = len(table.counts)
    together, both = np.zeros((n_rows, n_rows)), np.zeros((n_rows, n_rows))
    for p in np.unique(table.partition):
        own = np.flatnonzero(table.partition == p)
        members = table.members[:, own].toarray().astype(np.float64)
        weight = table.weights[own[0]]
        together += weight * (members @ similar[np.ix_(own, own)] @ members.T)
        covered = members.sum(axis=1)
        both += weight * np.outer(covered, covered)
    evidence = np.divide(together, both, out=together, where=both > 0)
    return np.clip(evidence, 0, 1)[table.inverse][:, table.inverse]


def _check_size(n: int) -> None:
    limit = given_limit() or _MOST_BYTES
    if 8 * n * n > limit:
        raise MemoryLimitError(
            f"extraction='average' needs all pairs of the {n:,} objects, {in_bytes(8 * n * n)}, more than the "
            f"{in_bytes(limit)} allowed. Use extraction='meta'."
        )
