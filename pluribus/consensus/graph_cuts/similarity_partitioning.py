"""Consensus by cutting the graph of similarities (CSPA)."""

from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval, StrOptions

from pluribus._engine import seeds
from pluribus.consensus._shared.base import ConsensusMixin
from pluribus.consensus._shared.cluster_graph import informative_partitions, vertices_of
from pluribus.consensus._shared.cost import Cost
from pluribus.consensus._shared.label_rows import nonempty_clusters
from pluribus.consensus.graph_cuts._solvers import choose_solver, cut_by_metis, cut_by_spectrum
from pluribus.evidence import CoAssociation
from pluribus.partitions import Ensemble, as_ensemble

_MAX_VERTICES = 20_000


class SimilarityPartitioning(ConsensusMixin, BaseEstimator):
    """Combine partitions by cutting the graph of pairwise evidence into parts of about equal size.

    The weight of the edge between two objects is the number of partitions that put both into one cluster. METIS cuts
    this graph into ``n_clusters`` parts of about the same size, so that the weight of the edges between parts is small.

    Prefer it for a few thousand objects in clusters of about the same size, where it is accurate. It enforces equal
    sizes up to ``imbalance``. If the true clusters have very different sizes, it splits them even if all partitions
    agree; use ``BipartitePartitioning`` or ``EvidenceAccumulation`` then. The graph has an edge for nearly every pair
    of distinct objects (3 GB for 10,000); beyond 20,000 give ``n_neighbors``.

    Parameters
    ----------
    n_clusters : int
        Must be given.
    solver : {"auto", "metis", "spectral"}
        "metis" is the method as published and needs ``pip install 'pluribus[graph]'``. "spectral" cuts the same graph
        by the normalized cut, and does not balance sizes. "auto" is "metis" where it is installed, and otherwise
        "spectral" with a warning.
    imbalance : float
        The share by which the largest cluster may exceed n / n_clusters. 0.05 is the published choice; 0.3 is better
        for clusters of moderately unequal size. Above 0.5 METIS tends to cut off fragments.
    n_neighbors : int, optional
        The number of edges of each object that are kept, those with the highest evidence. By default all.
    collapse : bool
        Treat objects with the same labels as one heavier vertex, so that they stay together and the graph is smaller.
        The published method does not, and splits equal objects to balance sizes.
    missing : {"ignore", "zero"}
        How missing labels enter the similarity of two objects, which is the number of partitions that put them together
        divided by a number of partitions: those that cover both ("ignore"), or all of them ("zero", as published).
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
    solver_ : str
        The solver that "auto" chose.

    Notes
    -----
    Soft partitions enter by their clusters of highest membership.

    References
    ----------
    Strehl and Ghosh, "Cluster ensembles: a knowledge reuse framework for combining multiple partitions", JMLR 3, 2002.
    Karypis and Kumar, "A fast and high quality multilevel scheme for partitioning irregular graphs", SIAM Journal on
    Scientific Computing 20, 1998.

    Examples
    --------
    >>> from pluribus.consensus import SimilarityPartitioning
    >>> labels = [[0, 0, 0, 1, 1, 2, 2], [1, 1, 1, 2, 2, 0, 0], [0, 0, 1, 1, 2, 2, 2], [0, 1, -1, 0, 1, -1, -1]]
    >>> SimilarityPartitioning(3, random_state=0, imbalance=0.3).fit(labels).labels_.tolist()
    [0, 0, 0, 1, 1, 2, 2]
    """

    known_as = {"cspa": {}}
    suits = "A few thousand objects in clusters of about the same size."
    cost = Cost(seconds=49, objects=2, pair_bytes=26)

    _parameter_constraints: dict = {
        "n_clusters": [Interval(Integral, 1, None, closed="left"), None],
        "solver": [StrOptions({"auto", "metis", "spectral"})],
        "imbalance": [Interval(Real, 0, None, closed="neither")],
        "n_neighbors": [Interval(Integral, 1, None, closed="left"), None],
        "collapse": ["boolean"],
        "missing": [StrOptions({"ignore", "zero"})],
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
        n_neighbors: int | None = None,
        collapse: bool = True,
        missing: str = "ignore",
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = True,
    ) -> None:
        self.n_clusters = n_clusters
        self.solver = solver
        self.imbalance = imbalance
        self.n_neighbors = n_neighbors
        self.collapse = collapse
        self.missing = missing
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, ensemble: Any, y: Any = None) -> "SimilarityPartitioning":
        """Find the consensus of an ensemble.

        Parameters
        ----------
        ensemble : Ensemble, n × r labels, or list of label sequences
        y : ignored
        """
        self._validate_params()
        self.solver_ = choose_solver(self.solver, "SimilarityPartitioning (CSPA)")
        ensemble = as_ensemble(ensemble)
        k = self._check_n_clusters(ensemble.n_objects)
        if k == 1:
            return self._finish(ensemble, np.zeros(ensemble.n_objects, np.int64))
        which = informative_partitions(ensemble, k)
        vertices, counts, vertex = vertices_of(ensemble, which, collapse=self.collapse)
        self._check_size(vertices.n_objects)
        graph = similarity_graph(vertices, counts, self.missing, self.n_neighbors, self.n_jobs)
        part = self._cut(graph, counts, k)
        held = nonempty_clusters(part, k)
        return self._finish(ensemble, np.searchsorted(held, part)[vertex])

    def _check_size(self, n_vertices: int) -> None:
        if self.n_neighbors is None and n_vertices > _MAX_VERTICES:
            vertices = "distinct label rows" if self.collapse else "objects"
            raise ValueError(
                f"The graph of {n_vertices} {vertices} has an edge for nearly every pair, which is too large (the "
                f"limit is {_MAX_VERTICES}). Give n_neighbors=50 to keep the strongest edges of each, or use "
                "BipartitePartitioning, which needs no such graph."
            )

    def _cut(self, graph: sparse.csr_array, counts: np.ndarray, k: int) -> np.ndarray:
        if self.solver_ == "metis":
            seed = seeds(self.random_state, 1)[0]
            return cut_by_metis(graph, k, vertex_weights=counts, imbalance=self.imbalance, seed=seed)
        return cut_by_spectrum(
            graph,
            k,
            vertex_counts=counts,
            random_state=self.random_state,
            n_jobs=self.n_jobs,
            verbose=self.verbose,
        )


def similarity_graph(
    vertices: Ensemble, counts: np.ndarray, missing: str, n_neighbors: int | None, n_jobs: int | None
) -> sparse.csr_array:
    """The number of partitions that put two objects together, summed over the objects of two vertices; with loops."""
    if missing == "zero" and vertices.has_missing:
        vertices = _alone_where_missing(vertices)
    if n_neighbors is None:
        all_pairs = 32 * vertices.n_objects**2  # bytes; the number of vertices was checked
        evidence = CoAssociation(vertices, form="sparse", n_jobs=n_jobs, memory_limit=all_pairs)
    else:
        evidence = CoAssociation(vertices, form="neighbors", n_neighbors=n_neighbors, n_jobs=n_jobs)
    graph = evidence.to_sparse()
    graph.data *= vertices.weights.sum()
    if (counts > 1).any():
        graph.data *= np.repeat(counts, np.diff(graph.indptr))
        graph.data *= counts[graph.indices]
    return graph


def _alone_where_missing(ensemble: Ensemble) -> Ensemble:
    """Every missing label becomes a cluster of its own, so that all partitions count for all pairs."""
    labels = ensemble.labels.astype(np.int64)
    missing = labels < 0
    labels[missing] = labels.max() + 1 + np.arange(missing.sum())
    return Ensemble(labels, weights=ensemble.weights)
