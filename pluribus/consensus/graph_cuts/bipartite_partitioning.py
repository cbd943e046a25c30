"""Consensus by cutting the bipartite graph of objects and clusters (HBGF)."""

from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval, StrOptions

from pluribus._engine import seeds
from pluribus.consensus._shared.base import ConsensusMixin, normalize_rows, soft_evidence
from pluribus.consensus._shared.bipartite_cut import cut_spectral
from pluribus.consensus._shared.cluster_graph import (
    ClusterTable,
    correspondences,
    informative_partitions,
    number_parts,
    tabulate,
)
from pluribus.consensus._shared.cost import Cost
from pluribus.consensus._shared.label_rows import nonempty_clusters
from pluribus.consensus.graph_cuts._solvers import choose_solver, cut_by_metis
from pluribus.partitions import Ensemble, as_ensemble

_N_CUTS = 4  # of METIS: about one cut in ten merges two clusters, and is then heavier


class BipartitePartitioning(ConsensusMixin, BaseEstimator):
    """Combine partitions by cutting the graph that joins each object with its clusters.

    The vertices are the objects and the clusters, and each object has an edge to each of its clusters. One cut of this
    graph groups both: objects that share clusters, and clusters that share objects. The spectral form solves a small
    eigenproblem of the q clusters of the ensemble and transfers its solution to the objects, so time and memory are
    linear in n.

    Prefer it among the graph methods for large ensembles, and for partitions with any numbers of clusters, missing
    labels or soft memberships. It needs ``n_clusters``.

    Parameters
    ----------
    n_clusters : int
        Must be given.
    solver : {"auto", "spectral", "metis"}
        "spectral" is the normalized cut, for parts of any size; "auto" is the same. "metis" cuts into parts of equal
        size, takes hard partitions only, and needs ``pip install 'pluribus[graph]'``.
    imbalance : float
        The share by which the largest part may exceed the mean; METIS only. 0.3 is better than the usual 0.05 for
        clusters of moderately unequal size.
    n_init : int
        Starts of the k-means step of the spectral form.
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
        Mean evidence of each object for each cluster, normalized.
    uncertainty_ : ndarray of shape (n,)
        Normalized entropy of the memberships, 0 to 1.
    correspondences_ : list of r arrays of shape (k_p, n_clusters_)
        1 for the part of each cluster of partition p; a row of zeros if the partition has weight 0 or the part has no
        objects.
    solver_ : str
        The solver that "auto" chose.

    References
    ----------
    Fern and Brodley, "Solving cluster ensemble problems by bipartite graph partitioning", ICML 2004.
    Li, Wu and Chang, "Segmentation using superpixels: a bipartite graph partitioning approach", CVPR 2012 (the
    transfer cut).

    Examples
    --------
    >>> from pluribus.consensus import BipartitePartitioning
    >>> labels = [["a", "a", "a", "b", "b"], [1, 1, 1, 0, 0], [0, 0, 1, 1, 1]]
    >>> hbgf = BipartitePartitioning(2, random_state=0).fit(labels)
    >>> hbgf.labels_.tolist()
    [0, 0, 0, 1, 1]
    >>> hbgf.correspondences_[0]
    array([[1., 0.],
           [0., 1.]])
    """

    known_as = {"hbgf": {}}
    suits = "Large ensembles, soft partitions and any numbers of clusters."
    cost = Cost(seconds=1.5, objects=1)

    _parameter_constraints: dict = {
        "n_clusters": [Interval(Integral, 1, None, closed="left"), None],
        "solver": [StrOptions({"auto", "spectral", "metis"})],
        "imbalance": [Interval(Real, 0, None, closed="neither")],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state", np.random.Generator],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        solver: str = "auto",
        imbalance: float = 0.05,
        n_init: int = 10,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = True,
    ) -> None:
        self.n_clusters = n_clusters
        self.solver = solver
        self.imbalance = imbalance
        self.n_init = n_init
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, ensemble: Any, y: Any = None) -> "BipartitePartitioning":
        """Find the consensus of an ensemble.

        Parameters
        ----------
        ensemble : Ensemble, n × r labels, or list of label sequences
        y : ignored
        """
        self._validate_params()
        ensemble = as_ensemble(ensemble)
        self._check_solver(ensemble)
        k = self._check_n_clusters(ensemble.n_objects)
        table = tabulate(ensemble, informative_partitions(ensemble, k))
        n_rows, n_vertices = len(table.counts), len(table.counts) + len(table.weights)
        part = np.zeros(n_vertices, np.int64)
        if k > 1:
            part = self._cut_balanced(table, k) if self.solver_ == "metis" else self._cut_spectral(table, k)
        labels, clusters = part[:n_rows][table.inverse], part[n_rows:]
        nonempty_clusters(labels, k)  # warns if there are fewer
        largest, number = number_parts(labels, k)
        labels = number[labels]
        self.correspondences_ = correspondences(ensemble, table, number[clusters], len(largest))
        if ensemble.memberships is None:
            return self._finish(ensemble, labels)
        return self._finish(ensemble, labels, normalize_rows(soft_evidence(ensemble, labels, len(largest))))

    def _check_solver(self, ensemble: Ensemble) -> None:
        self.solver_ = "spectral" if self.solver == "auto" else choose_solver(self.solver, "solver='metis'")
        if self.solver_ == "metis" and ensemble.memberships is not None:
            raise ValueError("solver='metis' takes hard partitions, but these are soft: use solver='spectral'.")

    def _cut_spectral(self, table: ClusterTable, k: int) -> np.ndarray:
        return cut_spectral(
            table,
            k,
            n_init=self.n_init,
            random_state=self.random_state,
            n_jobs=self.n_jobs,
            verbose=self.verbose,
        )

    def _cut_balanced(self, table: ClusterTable, k: int) -> np.ndarray:
        edges = sparse.csr_array(sparse.diags_array(table.counts.astype(float)) @ table.members)
        edges.data *= table.weights[edges.indices]
        graph = sparse.csr_array(sparse.block_array([[None, edges], [edges.T, None]]))
        vertex_weights = np.concatenate([table.counts, np.ones(len(table.weights), np.int64)])
        return cut_by_metis(
            graph,
            k,
            vertex_weights=vertex_weights,
            imbalance=self.imbalance,
            seed=seeds(self.random_state, 1)[0],
            n_cuts=_N_CUTS,
            two_hop=False,
        )
