"""Local search for a partition of a signed graph with few disagreements."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from pluribus._engine import track
from pluribus._kernels.graphs.signed_moves import contract, move_nodes
from pluribus._kernels.graphs.signed_pivot import pivot_clusters
from pluribus.evidence._signed.graph import SignedGraph

_PATIENCE = 2  # cycles without gain before a start ends
_MOST_CYCLES = 50
_FEW_ENTRIES = 200_000  # up to which ten starts to the very end take seconds
_MANY_ENTRIES = 2_000_000  # beyond which one start takes a minute
_SWEEPS, _SWEEPS_OF_MANY = 100, 1  # over all nodes, after the queue of a level is empty
_LEAST_GAIN = 1e-3  # of the cost: less is not worth a cycle, if entries are not few


def default_starts(graph: SignedGraph) -> int:
    """How many random starts are worth their time."""
    if len(graph.data) <= _FEW_ENTRIES:
        return 10
    return 3 if len(graph.data) <= _MANY_ENTRIES else 1


def search(
    graph: SignedGraph,
    seeds: Sequence[int],
    starts: Sequence[np.ndarray] = (),
    *,
    description: str = "local search",
    verbose: bool = True,
) -> tuple[np.ndarray, float]:
    """The best partition of several starts, and its cost.

    The given starts are improved first, then one start from single nodes for each seed. All nodes apart and all nodes
    together are candidates too.
    """
    n = graph.n_nodes
    apart = np.arange(n)
    if n == 0:
        return apart, graph.cost(apart)
    # numba moves nodes within 0 … n - 1
    tasks = [(number_by_appearance(start), seeds[0]) for start in starts] + [(apart, seed) for seed in seeds]
    candidates = [apart] if graph.has_forbidden else [apart, np.zeros(n, np.int64)]
    best = min(candidates, key=graph.cost)
    cost = graph.cost(best)
    for start, seed in track(tasks, description, verbose=verbose):
        labels = improve(graph, start, seed)
        found = graph.cost(labels)
        if found < cost - graph.tolerance:
            best, cost = labels, found
    return number_by_appearance(best), cost


def improve(graph: SignedGraph, labels: np.ndarray, seed: int) -> np.ndarray:
    """Cycles of moves, refinement and aggregation until several in a row gain nothing; never worse than the start."""
    rng = np.random.default_rng(seed)
    best, cost, patience = labels, graph.cost(labels), _PATIENCE
    few = len(graph.data) <= _FEW_ENTRIES
    for number in range(_MOST_CYCLES):
        labels = _cycle(graph, best, rng, refine=number > 0, sweeps=_SWEEPS if few else _SWEEPS_OF_MANY)
        found = graph.cost(labels)
        enough = graph.tolerance if few else _LEAST_GAIN * cost
        patience = _PATIENCE if found < cost - enough else patience - (number > 0)
        if found <= cost + graph.tolerance:  # from another partition of equal cost, the next cycle may find more
            best, cost = labels, min(found, cost)
        if patience == 0:
            break
    return best


def _cycle(
    graph: SignedGraph, labels: np.ndarray, rng: np.random.Generator, *, refine: bool, sweeps: int
) -> np.ndarray:
    """Move nodes, contract clusters, move these, and so on up; then all the way down.

    With ``refine``, clusters are not contracted whole but in parts that are found anew inside of each (as in Leiden):
    parts can then leave a cluster that no single node would leave.
    """
    indptr, indices, data, sizes = graph.indptr, graph.indices, graph.data, graph.sizes
    rules = graph.background, graph.tolerance
    part_of: list[np.ndarray] = []
    labels = labels.copy()
    while True:
        n = len(indptr) - 1
        everywhere = np.zeros(n, np.int64)
        move_nodes(indptr, indices, data, sizes, rules[0], labels, everywhere, rng.permutation(n), rules[1], sweeps)
        labels = number_by_appearance(labels)
        parts = labels
        if refine:
            parts = np.arange(n)
            move_nodes(indptr, indices, data, sizes, rules[0], parts, labels, rng.permutation(n), rules[1], 0)
            parts = number_by_appearance(parts)
        n_parts = int(parts.max()) + 1
        if n_parts == n:
            break
        indptr, indices, data = contract(indptr, indices, data, parts, n_parts)
        sizes = np.bincount(parts, weights=sizes, minlength=n_parts)
        upper = np.empty(n_parts, np.int64)
        upper[parts] = labels
        part_of.append(parts)
        labels = upper
    for parts in reversed(part_of):
        labels = labels[parts]
    return labels


def pivot(
    graph: SignedGraph, seeds: Sequence[int], *, description: str = "pivots", verbose: bool = True
) -> tuple[np.ndarray, np.ndarray]:
    """The best of several runs of CC-Pivot, and the cost of each."""
    n = graph.n_nodes
    best, costs = np.arange(n), np.empty(len(seeds))
    labels = np.empty(n, np.int64)
    for run, seed in enumerate(track(list(seeds), description, verbose=verbose)):
        # In a random order of the objects, not of the nodes: a node of two objects comes first twice as often.
        order = np.argsort(np.random.default_rng(seed).exponential(size=n) / graph.sizes)
        pivot_clusters(
            graph.indptr, graph.indices, graph.data, graph.sizes, graph.background, order, graph.forbidden, labels
        )
        costs[run] = graph.cost(labels)
        if costs[run] == costs[: run + 1].min():
            best = labels.copy()
    return number_by_appearance(best), costs


def number_by_appearance(labels: np.ndarray) -> np.ndarray:
    """The same partition with labels 0 … k - 1."""
    return pd.factorize(labels)[0].astype(np.int64, copy=False)
