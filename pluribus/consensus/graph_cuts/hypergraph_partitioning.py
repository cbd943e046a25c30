"""Consensus by cutting the hypergraph of clusters (HGPA)."""

from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval

from pluribus._engine import seeds
from pluribus.consensus._shared.base import ConsensusMixin
from pluribus.consensus._shared.cluster_graph import informative_partitions, tabulate
from pluribus.consensus._shared.cost import Cost
from pluribus.consensus._shared.label_rows import nonempty_clusters
from pluribus.consensus.graph_cuts._solvers import cut_hypergraph, require_hypergraph_solver
from pluribus.partitions import as_ensemble


class HypergraphPartitioning(ConsensusMixin, BaseEstimator):
    """Combine partitions by dividing the objects into parts of equal size that cut as few clusters as possible.

    Each cluster of each partition is a hyperedge over its objects. Mt-KaHyPar divides the objects into ``n_clusters``
    parts of about the same size and minimizes the weight of the hyperedges that lie in several parts.

    It is included for comparison. A cluster counts as cut whether it loses one object or half of them; with large,
    noisy clusters every division cuts all of them, and the objective is not informative. It does well with many small
    clusters that are seldom wrong. Otherwise prefer ``MetaClustering`` or ``BipartitePartitioning``.

    Parameters
    ----------
    n_clusters : int
        Must be given.
    imbalance : float
        The share by which the largest cluster may exceed n / n_clusters; 0.05 is the published choice.
    collapse : bool
        Treat objects with the same labels as one heavier vertex, so that they stay together and the hypergraph is
        smaller. The published method does not, and splits equal objects to balance sizes.
    random_state : int, RandomState, Generator or None

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Clusters are numbered from the largest.
    n_clusters_ : int
    membership_ : ndarray of shape (n, n_clusters_)
        Mean evidence of each object for each cluster, normalized.
    uncertainty_ : ndarray of shape (n,)
        Normalized entropy of the memberships, 0 to 1.
    n_cut_ : int
        The number of clusters of the ensemble that lie in several clusters of the consensus.

    Notes
    -----
    Needs ``pip install 'pluribus[graph]'``. Soft partitions enter by their clusters of highest membership.

    References
    ----------
    Strehl and Ghosh, "Cluster ensembles: a knowledge reuse framework for combining multiple partitions", JMLR 3, 2002.
    Gottesbüren et al., "Scalable high-quality hypergraph partitioning", ACM Transactions on Algorithms 20, 2024.

    Examples
    --------
    >>> from pluribus.consensus import HypergraphPartitioning
    >>> labels = [[0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 2], [0, 1, 1, 2, 2, 2]]
    >>> hgpa = HypergraphPartitioning(2, random_state=0).fit(labels)
    >>> hgpa.labels_.tolist(), hgpa.n_cut_
    ([0, 0, 0, 1, 1, 1], 0)
    """

    known_as = {"hgpa": {}}
    suits = "Comparison with published results; many small clusters with few errors."
    cost = Cost(seconds=36, objects=1.5)

    _parameter_constraints: dict = {
        "n_clusters": [Interval(Integral, 1, None, closed="left"), None],
        "imbalance": [Interval(Real, 0, None, closed="neither")],
        "collapse": ["boolean"],
        "random_state": ["random_state", np.random.Generator],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        imbalance: float = 0.05,
        collapse: bool = True,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.imbalance = imbalance
        self.collapse = collapse
        self.random_state = random_state

    def fit(self, ensemble: Any, y: Any = None) -> "HypergraphPartitioning":
        """Find the consensus of an ensemble.

        Parameters
        ----------
        ensemble : Ensemble, n × r labels, or list of label sequences
        y : ignored
        """
        self._validate_params()
        self._check_installed()
        ensemble = as_ensemble(ensemble)
        k = self._check_n_clusters(ensemble.n_objects)
        if k == 1:
            self.n_cut_ = 0
            return self._finish(ensemble, np.zeros(ensemble.n_objects, np.int64))
        table = tabulate(ensemble, informative_partitions(ensemble, k), collapse=self.collapse, soft=False)
        part = cut_hypergraph(
            sparse.csc_array(table.members),
            k,
            vertex_weights=table.counts,
            edge_weights=table.weights,
            imbalance=self.imbalance,
            seed=seeds(self.random_state, 1)[0],
        )
        part = np.searchsorted(nonempty_clusters(part, k), part)
        self.n_cut_ = _count_cut(table.members, part)
        return self._finish(ensemble, part[table.inverse])

    def _check_installed(self) -> None:
        require_hypergraph_solver("HypergraphPartitioning (HGPA)")


def _count_cut(members: sparse.csr_array, part: np.ndarray) -> int:
    """The clusters with objects in more than one part."""
    in_part = sparse.csr_array((np.ones(len(part)), (np.arange(len(part)), part)))
    return int((np.diff(sparse.csr_array(members.T @ in_part).indptr) > 1).sum())
