"""Solvers that list all pairs, each component of the pairs that belong together on its own.

Nothing speaks for putting two components together, so some best partition keeps them apart.
"""

import time
import warnings
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from pluribus.evidence._internal import SignedGraph
from pluribus.relational.signed._relaxation import Relaxation, relax, solve_exactly
from pluribus.relational.signed._rounding import grow_regions, round_by_balls, round_by_curve, round_by_pivots


class Solution(NamedTuple):
    """A partition of the nodes, a bound below which no partition costs less, and whether the solver finished."""

    labels: np.ndarray
    lower_bound: float
    finished: bool


class Component(NamedTuple):
    """The nodes of a component, and their scores."""

    nodes: np.ndarray
    scores: np.ndarray


def components(graph: SignedGraph, most: int, solver: str) -> list[Component]:
    """Components of two nodes and more; raises if one is too large to list its pairs."""
    n = graph.n_nodes
    rows = np.repeat(np.arange(n), np.diff(graph.indptr))
    together = graph.data > graph.background * graph.sizes[rows] * graph.sizes[graph.indices]
    links = sparse.csr_array((np.ones(int(together.sum()), np.int8), (rows[together], graph.indices[together])), (n, n))
    n_components, component_of = connected_components(links, directed=False)
    sizes = np.bincount(component_of, minlength=n_components)
    if sizes.max(initial=0) > most:
        raise ValueError(
            f"solver={solver!r} lists all pairs of the {sizes.max():,} nodes that positive pairs connect, and "
            f"max_lp_n={most} is the most it takes. Use solver='local_search', or raise max_lp_n if you can wait."
        )
    matrix = sparse.csr_array((graph.data, graph.indices, graph.indptr), shape=(n, n))
    members = np.split(np.argsort(component_of, kind="stable"), np.cumsum(sizes)[:-1]) if n else []
    return [Component(nodes, _scores(graph, matrix, nodes)) for nodes in members if len(nodes) > 1]


def _scores(graph: SignedGraph, matrix: sparse.csr_array, nodes: np.ndarray) -> np.ndarray:
    part = SignedGraph.of(matrix[nodes][:, nodes], graph.sizes[nodes], graph.background, 0.0, 0.0)
    scores = part.scores()
    scores[scores <= graph.forbidden] = -np.inf
    return scores


def relax_and_round(
    graph: SignedGraph, most: int, seconds: float, seeds: list[int], verbose: bool
) -> tuple[Solution, list[np.ndarray]]:
    """The relaxation's bound, the best rounding, and all roundings, best first."""
    parts, relaxed, solution = _relaxed(graph, most, seconds, "lp", verbose)
    roundings = []
    for seed in seeds:
        rng = np.random.default_rng(seed)
        for kind in ("balls", "pivots", "curve"):
            labels = np.arange(graph.n_nodes)
            for (nodes, scores), (x, *_) in zip(parts, relaxed, strict=True):
                walls, order = np.isneginf(scores), rng.permutation(len(nodes))
                if kind == "balls":
                    found = round_by_balls(x, walls, order)
                elif kind == "pivots":
                    found = round_by_pivots(x, walls, order, rng)
                else:
                    found = round_by_curve(x, scores, walls, order, rng)
                labels[nodes] = nodes[_first_of(found)]
            roundings.append(labels)
    roundings.sort(key=graph.cost)
    return solution._replace(labels=roundings[0]), roundings


def grow_all_regions(graph: SignedGraph, most: int, seconds: float, seeds: list[int], verbose: bool) -> Solution:
    """Region growing from random orders, the best of them."""
    parts, relaxed, solution = _relaxed(graph, most, seconds, "region_growing", verbose)
    found = []
    for seed in seeds:
        rng = np.random.default_rng(seed)
        labels = np.arange(graph.n_nodes)
        for (nodes, scores), (x, *_) in zip(parts, relaxed, strict=True):
            regions, _ = grow_regions(x, scores, rng.permutation(len(nodes)))
            labels[nodes] = nodes[_first_of(regions)]
        found.append(labels)
    return solution._replace(labels=min(found, key=graph.cost))


def solve_all_exactly(graph: SignedGraph, most: int, seconds: float, verbose: bool) -> Solution:
    """The best partition; where the time is not enough, all nodes of a component stay apart."""
    deadline = time.monotonic() + seconds
    labels, value, finished = np.arange(graph.n_nodes), 0.0, True
    for nodes, scores in components(graph, most, "exact"):
        relaxed = relax(scores, deadline - time.monotonic(), verbose=verbose)
        x, proven = solve_exactly(scores, relaxed, deadline - time.monotonic(), verbose=verbose)
        value += proven - _sum_of_pairs(scores)
        if x is None:
            finished = False
        else:
            labels[nodes] = nodes[(x < 0.5).argmax(axis=1)]
    return Solution(labels, graph.apart_cost + value, finished)


def _relaxed(
    graph: SignedGraph, most: int, seconds: float, solver: str, verbose: bool
) -> tuple[list[Component], list[Relaxation], Solution]:
    deadline = time.monotonic() + seconds
    parts = components(graph, most, solver)
    relaxed = [relax(scores, deadline - time.monotonic(), verbose=verbose) for _, scores in parts]
    value = sum(found.value - _sum_of_pairs(scores) for found, (_, scores) in zip(relaxed, parts, strict=True))
    finished = all(found.solved for found in relaxed)
    if not finished:
        warnings.warn(
            f"The linear relaxation was not solved within time_limit={seconds:g} seconds. The lower bound is that of "
            "the part that was solved, and the roundings have no guarantee.",
            UserWarning,
            stacklevel=4,
        )
    return parts, relaxed, Solution(np.arange(graph.n_nodes), graph.apart_cost + value, finished)


def _sum_of_pairs(scores: np.ndarray) -> float:
    return float(scores[np.triu(np.isfinite(scores), k=1)].sum())


def _first_of(labels: np.ndarray) -> np.ndarray:
    """The position of the first node of each node's cluster."""
    return np.unique(labels, return_index=True)[1][np.unique(labels, return_inverse=True)[1]]
