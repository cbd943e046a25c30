"""The assignment within bounds on sizes of objects that must-links and cannot-links bind."""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse.csgraph import connected_components

from pluribus._kernels.assignment.sized_clusters import place_whole
from pluribus.constrained._shared.errors import NoFeasibleAssignmentError
from pluribus.constrained._shared.pair_network import Costs, PairNetwork, hard_network
from pluribus.constraints import Closure
from pluribus.partitions import SizeError, assign_sizes

_ROUNDS = 5  # of placing what must stay whole, and the others around it
_MOST_SEARCHED = 20_000  # chunklets times clusters
_NODES = 2000  # of the search by branch and bound
_TIGHT = 1e-9  # relative to the costs: no more than rounding


class Found(NamedTuple):
    """An assignment."""

    labels: np.ndarray  # (L,)
    prices: np.ndarray  # (k,)
    cost: float
    is_best: bool  # it was proven that none is cheaper


class SizedChunklets:
    """Chunklets that must stay whole, some of them apart, in clusters of bounded size.

    Chunklets of one object that no cannot-link names are assigned exactly, for whatever place the others have. These
    go where they are cheapest at the prices of the clusters, which are those of the problem in which chunklets may be
    split, then those of the others around them. The price of that freedom is a bound on the cost, so an assignment
    that meets it is the best. Where none does, and the problem is small, it is searched by branch and bound.

    Parameters
    ----------
    lower, upper : ndarray of shape (k,)
    closure : Closure
    witness : ndarray of shape (L,) or None
        Clusters that keep apart what must be.
    """

    def __init__(self, lower: np.ndarray, upper: np.ndarray, closure: Closure, witness: np.ndarray | None) -> None:
        self.lower, self.upper, self.sizes = lower, upper, closure.chunk_sizes
        self.graph = closure.cannot_graph
        linked = np.diff(self.graph.indptr) > 0
        whole = linked | (self.sizes > 1)
        self.held, self.single = np.flatnonzero(whole), np.flatnonzero(~whole)
        self.network: PairNetwork | None = None
        self.pair_costs: Costs | None = None
        self.witness: np.ndarray | None = None
        if linked.any():
            self.network, self.pair_costs = hard_network(closure, len(lower), also=self.held)
            self.witness = None if witness is None else witness[self.held]
        self.held_graph = self.graph[self.held][:, self.held]
        self.is_small = len(self.sizes) * len(lower) <= _MOST_SEARCHED
        self._check()

    def _check(self) -> None:
        """Refuse bounds that what must be together contradicts, as far as that can be told."""
        sizes = self.sizes
        if sizes.max() > self.upper.max():
            raise SizeError(
                f"must-links hold {sizes.max()} objects together, but max_size lets no cluster have more than "
                f"{self.upper.max()}: allow more, or drop some of the links."
            )
        zeros = np.zeros((len(sizes), len(self.lower)))
        if self._placed(zeros[self.held]) is None and self.is_small:
            self._search(zeros)

    def assign(
        self, cost: np.ndarray, prices: np.ndarray | None, previous: np.ndarray | None, thorough: bool = False
    ) -> Found:
        """The cheapest assignment found, never dearer than the previous one.

        Parameters
        ----------
        cost : ndarray of shape (L, k)
            Of each chunklet as a whole.
        prices : ndarray of shape (k,), optional
            To start from.
        previous : ndarray of shape (L,), optional
        thorough : bool
            Search by branch and bound where the best is not proven to be found.
        """
        apiece = cost / self.sizes[:, None].astype(cost.dtype)
        split = assign_sizes(np.repeat(apiece, self.sizes, axis=0), self.lower, self.upper, prices=prices)
        found = None if previous is None else Found(previous, split.prices, _total(cost, previous), False)
        prices = split.prices
        least = self._bound(cost, prices)
        for _ in range(_ROUNDS):
            new = self._around(cost, self._held_labels(cost, prices), prices)
            if new is None or (found is not None and new.cost >= found.cost):
                break
            found, prices = new, new.prices
            least = max(least, self._bound(cost, prices))
        tight = _TIGHT * max(float(np.abs(cost).max()) * len(cost) * 1e-3, abs(least))
        if found is not None and found.cost - least <= tight:
            return found._replace(is_best=True)
        if self.is_small and (thorough or found is None):
            searched = self._around(cost, self._search(cost), prices)
            if searched is not None and (found is None or searched.cost < found.cost):
                found = searched
        if found is None:
            raise NoFeasibleAssignmentError(
                "no assignment was found that keeps the sizes and what must be together or apart, although none was "
                "proven impossible: widen min_size and max_size, or drop some of the constraints."
            )
        return found

    def _held_labels(self, cost: np.ndarray, prices: np.ndarray) -> np.ndarray:
        """Where each chunklet that must stay whole is cheapest at these prices; elsewhere if there is no room."""
        priced = cost[self.held] - self.sizes[self.held, None] * prices
        labels = self._free_of_sizes(priced)
        if self._residual(labels) is None:
            placed = self._placed(priced)
            return labels if placed is None else placed
        return labels

    def _free_of_sizes(self, priced: np.ndarray) -> np.ndarray:
        if self.network is None or self.pair_costs is None:
            return priced.argmin(axis=1)
        random = np.random.RandomState(0)
        return self.network.assign(priced.astype(np.float64), self.pair_costs, witness=self.witness, random=random)

    def _placed(self, priced: np.ndarray) -> np.ndarray | None:
        """A place for each, the largest first; those with most to avoid first if that fails."""
        sizes = self.sizes[self.held]
        graph = self.held_graph.indptr, self.held_graph.indices
        degree = np.diff(self.held_graph.indptr)
        labels = np.empty(len(sizes), np.int64)
        for order in (np.lexsort((-degree, -sizes)), np.lexsort((-sizes, -degree))):
            if place_whole(priced, sizes, order, *graph, self.lower, self.upper, len(self.single), labels):
                return labels
        return None

    def _residual(self, held_labels: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
        """The bounds that are left for the others; None if they cannot be met."""
        filled = np.bincount(held_labels, self.sizes[self.held], minlength=len(self.lower)).astype(np.int64)
        lower, upper = np.maximum(self.lower - filled, 0), self.upper - filled
        fits = (upper >= 0).all() and lower.sum() <= len(self.single) <= np.minimum(upper, len(self.single)).sum()
        return (lower, upper) if fits else None

    def _around(self, cost: np.ndarray, held_labels: np.ndarray, prices: np.ndarray) -> Found | None:
        """The others, exactly, around those that must stay whole."""
        bounds = self._residual(held_labels)
        if bounds is None:
            return None
        labels = np.empty(len(cost), np.int64)
        labels[self.held] = held_labels
        if len(self.single):
            singles = assign_sizes(cost[self.single], *bounds, prices=prices)
            labels[self.single], prices = singles.labels, singles.prices
        return Found(labels, prices, _total(cost, labels), False)

    def _bound(self, cost: np.ndarray, prices: np.ndarray) -> float:
        """No assignment costs less: the dual of the problem at these prices."""
        priced = cost[self.held] - self.sizes[self.held, None] * prices
        at_bounds = np.where(prices > 0, prices * self.lower, prices * self.upper).sum()
        return (
            float(at_bounds)
            + float((cost[self.single] - prices).min(axis=1).sum())
            + _total(priced, self._free_of_sizes(priced))
        )

    def _search(self, cost: np.ndarray) -> np.ndarray:
        """Labels of what must stay whole, by branch and bound; raises if there are none."""
        n, k = cost.shape
        each_once = LinearConstraint(sparse.kron(sparse.eye_array(n), np.ones((1, k))), 1, 1)
        filled = sparse.kron(self.sizes[None, :].astype(float), sparse.eye_array(k))
        constraints: list[Any] = [each_once, LinearConstraint(filled, self.lower, self.upper)]
        groups = _groups_apart(self.graph)
        if groups.shape[0]:
            constraints.append(LinearConstraint(sparse.kron(groups, sparse.eye_array(k)), 0, 1))
        whole = np.zeros((n, k))
        whole[self.held] = 1
        found = milp(
            (cost - cost.min(axis=1, keepdims=True)).ravel().astype(float),
            integrality=whole.ravel(),
            bounds=Bounds(0, 1),
            constraints=constraints,
            options={"node_limit": _NODES, "mip_rel_gap": _TIGHT},
        )
        if found.status == 2:
            raise SizeError(
                "no clusters have these sizes and keep together and apart what must be: it was proven that there are "
                "none. Widen min_size and max_size, or drop some of the constraints."
            )
        if found.x is None:
            raise NoFeasibleAssignmentError(
                "the search for an assignment that keeps the sizes and what must be together or apart was given up: "
                "widen min_size and max_size, or drop some of the constraints."
            )
        return found.x.reshape(n, k)[self.held].argmax(axis=1)


def _total(cost: np.ndarray, labels: np.ndarray) -> float:
    return float(cost[np.arange(len(labels)), labels].sum(dtype=np.float64))


def _groups_apart(graph: sparse.csr_array) -> sparse.csr_array:
    """Sets of which each cluster has one at most: parts that are all apart from each other as one set, else pairs."""
    n_parts, part = connected_components(graph, directed=False)
    n_nodes = np.bincount(part, minlength=n_parts)
    n_pairs = np.bincount(part, np.diff(graph.indptr), minlength=n_parts) / 2
    is_clique = (n_nodes > 1) & (n_pairs == n_nodes * (n_nodes - 1) / 2)
    inside = np.flatnonzero(is_clique[part])
    number = np.cumsum(is_clique) - 1
    upper = sparse.triu(graph, k=1).tocoo()
    loose = ~is_clique[part[upper.row]]
    pairs = np.column_stack([upper.row[loose], upper.col[loose]])
    n_groups = int(is_clique.sum())
    rows = np.concatenate([number[part[inside]], np.repeat(n_groups + np.arange(len(pairs)), 2)])
    columns = np.concatenate([inside, pairs.ravel()])
    shape = n_groups + len(pairs), graph.shape[0]
    return sparse.coo_array((np.ones(len(rows)), (rows, columns)), shape=shape).tocsr()
