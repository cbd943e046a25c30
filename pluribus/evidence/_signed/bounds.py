"""Lower bounds on the disagreements of all partitions of a signed graph."""

from typing import Any

import numpy as np
import pandas as pd

from pluribus._kernels.graphs import bad_cycles
from pluribus.evidence._signed.graph import SignedGraph

_LENGTHS = (3, 4, 8)  # pairs that belong together in a cycle; longer ones hardly add to the bound
_SEARCHED = 20_000  # nodes that the search for one cycle visits at most
_FEW_ENTRIES = 500_000  # up to which cycles longer than triangles are sought, in seconds
_TRIES = 16  # partners for each pair, where triangles are so many that not all are looked at


_ROUNDING = 1e-6  # relative, as exact as the linear programs are
_KERNELS: Any = bad_cycles


def forced_cost(graph: SignedGraph) -> float:
    """The cost if each pair could be decided alone."""
    rows = np.repeat(np.arange(graph.n_nodes), np.diff(graph.indptr))
    product = graph.background * graph.sizes[rows] * graph.sizes[graph.indices]
    scores = graph.data - product
    free = graph.data > graph.forbidden
    return graph.apart_cost - float(scores[free & (scores > 0)].sum()) / 2


def packing_bound(graph: SignedGraph, seed: int) -> float:
    """The forced cost, and the weight of a packing of bad cycles on top of it."""
    n = graph.n_nodes
    if n == 0:
        return graph.apart_cost
    rows = np.repeat(np.arange(n), np.diff(graph.indptr))
    scores = graph.data - graph.background * graph.sizes[rows] * graph.sizes[graph.indices]
    together = scores > 0
    mirror = _KERNELS.mirror_entries(graph.indptr, graph.indices)
    order = np.random.default_rng(seed).permutation(n)
    residual = np.abs(scores)
    arrays = graph.indptr, graph.indices, mirror, residual, together
    packed = _KERNELS.pack_triangles(*arrays, order)
    if graph.background > 0:
        packed += _pack_wedges(graph, arrays, order)
    elif len(graph.data) <= _FEW_ENTRIES:
        for length in _LENGTHS:
            packed += _KERNELS.pack_cycles(*arrays, order, length, _SEARCHED)
    return forced_cost(graph) + packed


def settled(bound: float, cost: float) -> float:
    """The bound, or the cost if they differ by rounding errors only."""
    return cost if abs(bound - cost) <= _ROUNDING * max(abs(cost), 1.0) else bound


def _pack_wedges(graph: SignedGraph, arrays: tuple[np.ndarray, ...], order: np.ndarray) -> float:
    one, other, weight = _KERNELS.pack_wedges(*arrays, graph.sizes, graph.background, order, _TRIES)
    pairs = pd.Series(one * graph.n_nodes + other)
    return float(weight[~pairs.duplicated().to_numpy()].sum())
