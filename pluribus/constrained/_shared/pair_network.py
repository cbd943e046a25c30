"""The objects that share pairs, as a graph, and the cheapest way to assign them."""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.optimize import linear_sum_assignment
from scipy.sparse.csgraph import connected_components

from pluribus._kernels.assignment.pair_costs import (
    assign_components,
    assign_exactly,
    assign_greedily,
    assign_trees,
    forest_order,
    improve,
    scratch,
)
from pluribus._kernels.graphs.graph_order import smallest_last_order
from pluribus.constrained._shared.errors import NoFeasibleAssignmentError
from pluribus.constraints import Closure

_SWEEPS = 10  # of exchanges along chains
_LARGEST = 40  # component with cycles that is searched exactly
_BUDGET = 50_000  # nodes of that search in one pass: some tens of milliseconds
_ORDERS = 20  # random ones, after a dead end


class Costs(NamedTuple):
    """What pairs cost: ``together[e, h]`` both in cluster h, ``apart[e, g] + apart[e, h]`` in clusters g and h."""

    together: np.ndarray  # (E, k)
    apart: np.ndarray  # (E, k)


class PairNetwork:
    """Chunklets that share a pair with another, and those pairs.

    Components that are trees, as most are, are assigned exactly; so are small components with cycles, by branch and
    bound. Larger ones are assigned greedily along a safe order and improved by exchanges along chains.

    Parameters
    ----------
    pairs : ndarray of shape (E, 2)
        Distinct unordered pairs of chunklets.
    also : ndarray of int, optional
        Further nodes, which need not share a pair with any other.

    Attributes
    ----------
    nodes : ndarray of shape (m,)
        The chunklets of the pairs and the further ones, sorted. All other arrays number them 0 to m - 1.
    pairs : ndarray of shape (E, 2)
    """

    def __init__(self, pairs: np.ndarray, also: np.ndarray | None = None) -> None:
        self.nodes = np.unique(pairs if also is None else np.concatenate([pairs.ravel(), also]))
        self.pairs = np.searchsorted(self.nodes, pairs)
        m, e = len(self.nodes), len(pairs)
        ends, others = np.concatenate([self.pairs, self.pairs[:, ::-1]]).T
        # Numbered from one: zeros would be taken for no entry.
        graph = sparse.coo_array((np.tile(np.arange(1, e + 1), 2), (ends, others)), shape=(m, m)).tocsr()
        graph.sort_indices()
        self._graph = graph.indptr.astype(np.int64), graph.indices.astype(np.int64), graph.data - 1
        n_components, self._component = connected_components(graph, directed=False)
        component = self._component
        n_nodes = np.bincount(component, minlength=n_components)
        n_pairs = np.bincount(component[self.pairs[:, 0]], minlength=n_components)
        has_cycle = n_pairs >= n_nodes
        self._trees = forest_order(*self._graph, np.flatnonzero(~has_cycle[component]))
        safe = smallest_last_order(*self._graph[:2])[0][::-1]
        safe = safe[has_cycle[component[safe]]]
        self._loops = safe[np.argsort(component[safe], kind="stable")]  # component by component
        self._starts = np.concatenate([[0], np.cumsum(n_nodes[has_cycle])])

    def assign(
        self,
        unary: np.ndarray,
        costs: Costs,
        *,
        previous: np.ndarray | None = None,
        witness: np.ndarray | None = None,
        random: np.random.RandomState | None = None,
    ) -> np.ndarray:
        """The cluster of each node; components that would not get cheaper keep their previous clusters.

        Parameters
        ----------
        unary : ndarray of shape (m, k)
            What each node costs in each cluster.
        costs : Costs
        previous : ndarray of shape (m,), optional
        witness : ndarray of shape (m,), optional
            An assignment that breaks no hard constraint, to leave a dead end without previous labels.
        random : RandomState, optional
            For other orders at a dead end.
        """
        labels = np.full(len(self.nodes), -1, dtype=np.int64)
        order, parent, link = self._trees
        assign_trees(order, parent, link, unary, *costs, labels)
        if len(self._loops):
            before = np.full(len(labels), -1, dtype=np.int64) if previous is None else previous.astype(np.int64)
            loops: Any = self._loops, self._starts, before, labels, _SWEEPS, _LARGEST, _BUDGET
            assign_components(*self._graph, unary, *costs, *loops)
            stuck = np.flatnonzero(labels[self._loops[self._starts[:-1]]] < 0)
            for start, stop in zip(self._starts[stuck], self._starts[stuck + 1], strict=True):
                self._leave_dead_end(self._loops[start:stop], unary, costs, labels, witness, random)
        if previous is not None:
            new, old = (self._component_costs(unary, costs, each) for each in (labels, previous))
            stays = new >= old - 1e-14 * np.abs(old)
            labels = np.where(stays[self._component], previous, labels)
        if np.isinf(self.cost(unary, costs, labels)):
            raise NoFeasibleAssignmentError("the fixed objects leave no permitted cluster to some others")
        return labels

    def cost(self, unary: np.ndarray, costs: Costs, labels: np.ndarray) -> float:
        """Of all nodes and pairs."""
        return float(unary[np.arange(len(labels)), labels].sum()) + self.penalty(costs, labels)

    def penalty(self, costs: Costs, labels: np.ndarray) -> float:
        """Of all pairs."""
        return float(self._pair_costs(costs, labels).sum())

    def _pair_costs(self, costs: Costs, labels: np.ndarray) -> np.ndarray:
        one, other = labels[self.pairs].T
        each = np.arange(len(one))
        apart = costs.apart[each, one] + costs.apart[each, other]
        return np.where(one == other, costs.together[each, one], apart)

    def _component_costs(self, unary: np.ndarray, costs: Costs, labels: np.ndarray) -> np.ndarray:
        own = np.bincount(self._component, unary[np.arange(len(labels)), labels])
        of_pair = self._component[self.pairs[:, 0]]
        return own + np.bincount(of_pair, self._pair_costs(costs, labels), minlength=len(own))

    def _leave_dead_end(
        self,
        nodes: np.ndarray,
        unary: np.ndarray,
        costs: Costs,
        labels: np.ndarray,
        witness: np.ndarray | None,
        random: np.random.RandomState | None,
    ) -> None:
        """Try other orders; then start from the witness, its clusters matched to the centers."""
        rng = random or np.random.RandomState(0)
        is_placed = any(
            assign_greedily(*self._graph, unary, *costs, rng.permutation(nodes), labels) for _ in range(_ORDERS)
        )
        if not is_placed:
            if witness is None:
                raise NoFeasibleAssignmentError(
                    f"{len(nodes)} chunklets with cannot-links could not be assigned to {unary.shape[1]} clusters in "
                    f"{_ORDERS + 1} attempts; a feasible assignment may still exist. Use more clusters, or give some "
                    "cannot-links a finite weight and use PairwiseKMeans"
                )
            labels[nodes] = _match_to_centers(witness[nodes], unary[nodes])
        improve(*self._graph, unary, *costs, nodes, labels, _SWEEPS, scratch(*unary.shape))
        if len(nodes) <= _LARGEST:
            assign_exactly(*self._graph, unary, *costs, nodes, labels, _BUDGET, np.empty_like(labels))


def _match_to_centers(colors: np.ndarray, unary: np.ndarray) -> np.ndarray:
    """The colors, renamed to clusters so that their total cost is least."""
    k = unary.shape[1]
    total = np.zeros((k, k))
    np.add.at(total, colors, unary)
    finite = total[np.isfinite(total)]
    # What is forbidden costs more than all the rest, so that the matching avoids it wherever it can.
    forbidden = 1 + 2 * k * np.abs(finite).max(initial=1)
    _, cluster = linear_sum_assignment(np.where(np.isfinite(total), total, forbidden))
    return cluster[colors]


def hard_network(closure: Closure, n_clusters: int, also: np.ndarray | None = None) -> tuple[PairNetwork, Costs]:
    """The cannot-links between chunklets: an infinite cost in the same cluster."""
    shape = len(closure.cannot_link), n_clusters
    return PairNetwork(closure.cannot_link, also), Costs(np.full(shape, np.inf), np.zeros(shape))


def soft_network(closure: Closure, n_clusters: int) -> tuple[PairNetwork, Costs]:
    """The cannot-links and the soft pairs between chunklets: each costs its weight when it is broken."""
    soft = sparse.triu(closure.coupling, k=1).tocoo()
    pairs = np.concatenate([closure.cannot_link, np.column_stack([soft.row, soft.col])])
    together = np.concatenate([np.full(len(closure.cannot_link), np.inf), np.maximum(-soft.data, 0)])
    apart = np.concatenate([np.zeros(len(closure.cannot_link)), np.maximum(soft.data, 0)])
    return PairNetwork(pairs), Costs(
        np.repeat(together[:, None], n_clusters, axis=1), np.repeat(apart[:, None] / 2, n_clusters, axis=1)
    )
