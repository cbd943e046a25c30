"""Cutting graphs and hypergraphs into parts: METIS, Mt-KaHyPar, and spectral relaxation."""

import warnings
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import joblib
import numpy as np
from scipy import sparse

from pluribus.consensus._shared.eigen import inverse_root, leading, unit_rows
from pluribus.consensus._shared.weighted_points import k_means

_MOST_UFACTOR = 2**30  # METIS keeps it in 32 bits
_INSTALL = "pip install 'pluribus[graph]'"
_RESOLUTION = 1_000  # the median of fractional weights after rounding to whole numbers
_SMALL = 100  # vertices per part up to which recursive bisection is tried too


def choose_solver(solver: str, method: str) -> str:
    """ "metis" or "spectral", before any work starts; "auto" falls back to "spectral" with a warning."""
    if solver == "spectral" or find_spec("pymetis") is not None:
        return "spectral" if solver == "spectral" else "metis"
    if solver == "metis":
        _require("pymetis", method)
    warnings.warn(
        f"{method} uses METIS, which is not installed: a spectral cut is used instead, which does not balance the "
        f"sizes of clusters. Run {_INSTALL}, or give solver='spectral' to choose it.",
        UserWarning,
        stacklevel=3,
    )
    return "spectral"


def require_hypergraph_solver(method: str) -> None:
    """Fail before any work starts if Mt-KaHyPar is not installed."""
    _require("mtkahypar", method)


def _require(module: str, method: str) -> Any:
    if find_spec(module) is None:
        raise ImportError(f"{method} needs the package {module}, which is not installed: {_INSTALL}.")
    return import_module(module)


# -- METIS -----------------------------------------------------------------------------------------------------------


def cut_by_metis(
    graph: sparse.csr_array,
    n_parts: int,
    *,
    vertex_weights: np.ndarray | None,
    imbalance: float,
    seed: int,
    n_cuts: int = 1,
    two_hop: bool = True,
) -> np.ndarray:
    """Parts of about equal weight with few and light edges between them. Loops of ``graph`` are removed in place.

    METIS needs positive whole edge weights and no loops. Matching of vertices two hops apart must be off for a
    bipartite graph: two objects that share a single cluster have little in common, and merging them spoils every second
    cut. Recursive bisection, which pymetis chooses for up to 8 parts, is worse than a k-way cut except for small
    graphs, for which a k-way cut may even leave parts empty. For small graphs the better of both is used.
    """
    if graph.shape[0] <= n_parts:
        return np.arange(graph.shape[0])
    pymetis = _require("pymetis", "solver='metis'")
    integer = pymetis.zero_copy_dtype()
    limit = np.iinfo(integer).max // 4
    if graph.diagonal().any():
        graph.setdiag(0)
        graph.eliminate_zeros()  # before the median is taken
    graph = sparse.csr_array((whole_numbers(graph.data, limit), graph.indices, graph.indptr), shape=graph.shape)
    graph.eliminate_zeros()
    equal = graph.nnz == 0 or graph.data.min() == graph.data.max()
    vweights = None
    if vertex_weights is not None:
        vweights = np.maximum(whole_numbers(vertex_weights, limit), 1).astype(integer)
    adjacency = pymetis.CSRAdjacency(graph.indptr.astype(integer), graph.indices.astype(integer))
    eweights = None if equal else graph.data.astype(integer, copy=False)

    def cut(recursive: bool) -> tuple[int, int, np.ndarray]:
        options = pymetis.Options(seed=seed % 2**31, ncuts=n_cuts, no2hop=int(not two_hop))
        if not recursive:  # bisection balances each step by METIS's own factor
            options.ufactor = max(1, round(min(1000 * float(imbalance), _MOST_UFACTOR)))
        weight, part = pymetis.part_graph(
            n_parts, adjacency, vweights=vweights, eweights=eweights, recursive=recursive, options=options
        )
        part = np.asarray(part, dtype=np.int64)
        return n_parts - len(np.unique(part)), weight, part

    cuts = [cut(recursive=False)]
    if graph.shape[0] <= _SMALL * n_parts:
        cuts.append(cut(recursive=True))
    return min(cuts, key=lambda cut: cut[:2])[2]


def whole_numbers(weights: np.ndarray, limit: int) -> np.ndarray:
    """Whole numbers proportional to the weights, with a sum up to ``limit``; counts are not changed.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus.consensus.graph_cuts._solvers import whole_numbers
    >>> whole_numbers(np.array([3.0, 1.0]), 100), whole_numbers(np.array([1.0, 0.25]), 10**9)
    (array([3, 1]), array([1600,  400]))
    """
    weights = np.asarray(weights, dtype=np.float64)
    if not weights.size:
        return weights.astype(np.int64)
    if np.abs(weights - np.rint(weights)).max() > 1e-9 * weights.max():
        weights = weights * (_RESOLUTION / np.median(weights))
    return np.rint(weights * min(1.0, limit / weights.sum())).astype(np.int64)


# -- Mt-KaHyPar ------------------------------------------------------------------------------------------------------


def cut_hypergraph(
    members: sparse.csc_array,
    n_parts: int,
    *,
    vertex_weights: np.ndarray,
    edge_weights: np.ndarray,
    imbalance: float,
    seed: int,
) -> np.ndarray:
    """Parts of about equal weight that cut few hyperedges (the columns of ``members``); the same on any machine."""
    n_vertices = members.shape[0]
    if n_vertices <= n_parts:
        return np.arange(n_vertices)
    mtkahypar = _require("mtkahypar", "The hypergraph cut")
    pins = np.diff(members.indptr)
    cuttable = np.flatnonzero(pins > 1)
    edges = [members.indices[members.indptr[e] : members.indptr[e + 1]].tolist() for e in cuttable]
    solver = _mtkahypar_solver()
    context = solver.context_from_preset(mtkahypar.PresetType.DETERMINISTIC)
    context.set_partitioning_parameters(n_parts, imbalance, mtkahypar.Objective.CUT)
    context.logging = False
    mtkahypar.set_seed(seed % 2**31)
    limit = np.iinfo(np.int32).max // 4
    hypergraph = solver.create_hypergraph(
        context,
        n_vertices,
        len(edges),
        edges,
        np.maximum(whole_numbers(vertex_weights, limit), 1).tolist(),
        np.maximum(whole_numbers(edge_weights[cuttable], limit), 1).tolist(),
    )
    return np.asarray(hypergraph.partition(context).get_partition(), dtype=np.int64)


@cache
def _mtkahypar_solver() -> Any:
    """Mt-KaHyPar starts its threads once in a process."""
    return import_module("mtkahypar").initialize(joblib.cpu_count(), False)


# -- spectral --------------------------------------------------------------------------------------------------------


def cut_by_spectrum(
    graph: sparse.csr_array,
    n_parts: int,
    *,
    vertex_counts: np.ndarray | None,
    random_state: Any,
    n_jobs: int | None,
    verbose: Any,
) -> np.ndarray:
    """The normalized cut: k-means on the leading eigenvectors of D^(-1/2) W D^(-1/2). Parts may have any size."""
    n_vertices = graph.shape[0]
    if n_vertices <= n_parts:
        return np.arange(n_vertices)
    degree = np.asarray(graph.sum(axis=1)).ravel()
    scale = sparse.diags_array(inverse_root(degree))
    normalized = sparse.csr_array(scale @ graph @ scale)
    spectrum = leading(lambda V: normalized @ V, n_vertices, n_parts, seed=0)
    return k_means(
        unit_rows(spectrum.vectors),
        n_parts,
        vertex_counts,
        random_state=random_state,
        n_jobs=n_jobs,
        verbose=bool(verbose),
    )
