"""Consensus by clustering clusters (MCLA)."""

from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval, StrOptions

from pluribus._engine import seeds
from pluribus.consensus._shared.base import ConsensusMixin, normalize_rows
from pluribus.consensus._shared.cluster_graph import (
    ClusterTable,
    correspondences,
    informative_partitions,
    number_parts,
    overlaps,
    tabulate,
)
from pluribus.consensus._shared.cost import Cost
from pluribus.consensus._shared.label_rows import nonempty_clusters
from pluribus.consensus.graph_cuts._meta_clusters import associate, first_at_random, jaccard_graph
from pluribus.consensus.graph_cuts._solvers import choose_solver, cut_by_metis, cut_by_spectrum
from pluribus.partitions import as_ensemble

_N_CUTS = 10  # the graph is small


class MetaClustering(ConsensusMixin, BaseEstimator):
    """Combine partitions by grouping their clusters, and assign each object to the group that contains it most often.

    The clusters of all partitions are the vertices of a graph. The weight of the edge between two clusters of different
    partitions is their Jaccard similarity. This small graph is cut into ``n_clusters`` meta-clusters. The association
    of an object with a meta-cluster is the share of its clusters that contain the object, and the highest wins.

    Prefer it if the partitions have about as many clusters as the result: it is fast at any n, robust, and shows which
    cluster of each partition corresponds to which cluster of the result (``correspondences_``). If partitions have far
    more clusters, two clusters of one group may share no object; use ``BipartitePartitioning`` then.

    Parameters
    ----------
    n_clusters : int
        Must be given. The result has fewer clusters if a meta-cluster wins no object.
    solver : {"auto", "metis", "spectral"}
        "metis" needs ``pip install 'pluribus[graph]'``. "spectral" cuts the same graph by the normalized cut and does
        not balance. "auto" is "metis" where it is installed, and otherwise "spectral" with a warning.
    balance : {"clusters", "objects"}
        What METIS balances between meta-clusters. The published method balances the objects in their clusters, which
        splits groups of large clusters: if one cluster has 90 % of the objects, it is split even if all partitions
        agree.
    imbalance : float
        The share by which a meta-cluster may exceed the mean; METIS only.
    random_state : int, RandomState, Generator or None
        Also breaks ties between meta-clusters.
    n_jobs : int, optional
        Threads. The result does not depend on it.
    verbose : bool
        Show progress (only on a terminal).

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Clusters are numbered from the largest.
    n_clusters_ : int
    association_ : ndarray of shape (n, n_clusters_)
        Share of each meta-cluster's clusters that contain the object (by partition weight).
    membership_ : ndarray of shape (n, n_clusters_)
        The associations, normalized.
    uncertainty_ : ndarray of shape (n,)
        Normalized entropy of the memberships, 0 to 1.
    correspondences_ : list of r arrays of shape (k_p, n_clusters_)
        1 for the meta-cluster of each cluster of partition p; a row of zeros if the partition has weight 0 or the
        meta-cluster wins no object.
    solver_ : str
        The solver that "auto" chose.

    References
    ----------
    Strehl and Ghosh, "Cluster ensembles: a knowledge reuse framework for combining multiple partitions", JMLR 3, 2002.

    Examples
    --------
    >>> from pluribus.consensus import MetaClustering
    >>> labels = [["a", "a", "a", "b", "b"], [1, 1, 1, 0, 0], [0, 0, 1, 1, 1]]
    >>> mcla = MetaClustering(2, random_state=0).fit(labels)
    >>> mcla.labels_.tolist()
    [0, 0, 0, 1, 1]
    >>> mcla.association_[2]
    array([0.66666667, 0.33333333])
    >>> mcla.correspondences_[2]
    array([[1., 0.],
           [0., 1.]])
    """

    known_as = {"mcla": {}}
    suits = "Partitions with about as many clusters as the result, at any size."
    cost = Cost(seconds=4, objects=1)

    _parameter_constraints: dict = {
        "n_clusters": [Interval(Integral, 1, None, closed="left"), None],
        "solver": [StrOptions({"auto", "metis", "spectral"})],
        "balance": [StrOptions({"clusters", "objects"})],
        "imbalance": [Interval(Real, 0, None, closed="neither")],
        "random_state": ["random_state", np.random.Generator],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        solver: str = "auto",
        balance: str = "clusters",
        imbalance: float = 0.3,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = True,
    ) -> None:
        self.n_clusters = n_clusters
        self.solver = solver
        self.balance = balance
        self.imbalance = imbalance
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, ensemble: Any, y: Any = None) -> "MetaClustering":
        """Find the consensus of an ensemble.

        Parameters
        ----------
        ensemble : Ensemble, n × r labels, or list of label sequences
        y : ignored
        """
        self._validate_params()
        self.solver_ = choose_solver(self.solver, "MetaClustering (MCLA)")
        ensemble = as_ensemble(ensemble)
        k = self._check_n_clusters(ensemble.n_objects)
        table = tabulate(ensemble, informative_partitions(ensemble, k))
        self._check_clusters(table, k)
        cut_seed, tie_seed = seeds(self.random_state, 2)
        meta = self._group_clusters(table, k, cut_seed)
        association = associate(table, meta, k)
        winner = first_at_random(association, np.random.default_rng(tie_seed))[table.inverse]
        nonempty_clusters(winner, k)  # warns if there are fewer
        largest, number = number_parts(winner, k)
        self.association_ = association[:, largest][table.inverse]
        self.correspondences_ = correspondences(ensemble, table, number[meta], len(largest))
        return self._finish(ensemble, number[winner], normalize_rows(self.association_))

    def _check_clusters(self, table: ClusterTable, k: int) -> None:
        n_vertices = len(table.weights)
        alone = len(np.unique(table.partition)) == 1  # each of its clusters may be a group of its own
        if k > 1 and (n_vertices < k or (n_vertices == k and not alone)):
            raise ValueError(
                f"The ensemble has only {n_vertices} clusters, too few to group them into n_clusters={k}. Add "
                "partitions, or ask for fewer clusters."
            )

    def _group_clusters(self, table: ClusterTable, k: int, seed: int) -> np.ndarray:
        """The meta-cluster of each cluster."""
        if k == 1:
            return np.zeros(len(table.weights), np.int64)
        shared = overlaps(table, table.counts, self.n_jobs)
        sizes = shared.diagonal()
        graph = jaccard_graph(shared, table)
        if self.solver_ == "metis":
            weights = sizes if self.balance == "objects" else None
            return cut_by_metis(graph, k, vertex_weights=weights, imbalance=self.imbalance, seed=seed, n_cuts=_N_CUTS)
        return cut_by_spectrum(
            graph, k, vertex_counts=None, random_state=seed, n_jobs=self.n_jobs, verbose=self.verbose
        )
