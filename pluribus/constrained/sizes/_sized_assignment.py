"""The assignment within bounds on sizes, of chunklets that must not be split and of chunklets with cannot-links."""

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

_ROUNDS = 5  # of assigning whole chunklets, then single objects around them
_MOST_SEARCHED = 20_000  # chunklets times clusters, for branch and bound
_NODES = 2000  # of branch and bound
_TIGHT = 1e-9  # relative to the costs: no more than rounding


class BoundedAssignment(NamedTuple):
    """Labels within bounds on the sizes of clusters, and what they cost."""

    labels: np.ndarray  # (L,)
    prices: np.ndarray  # (k,)
    cost: float
    is_best: bool  # it was proven that none is cheaper


class SizedChunklets:
    """Assign chunklets that must stay whole, some of them apart, to clusters of bounded size.

    Single objects without cannot-links are assigned exactly, given the clusters of the others. The others, the *whole*
    chunklets, go where they are cheapest at the prices of the clusters. These prices are first those of the relaxed
    problem, in which chunklets may be split, and then those of the single objects. The relaxed problem is a lower bound
    on the cost, so an assignment that attains it is optimal. If none does and the problem is small, branch and bound
    searches for one.

    Parameters
    ----------
    lower, upper : ndarray of shape (k,)
    closure : Closure
    witness : ndarray of shape (L,) or None
        Clusters that satisfy the cannot-links.
    """

    def __init__(self, lower: np.ndarray, upper: np.ndarray, closure: Closure, witness: np.ndarray | None) -> None:
        self.lower, self.upper, self.sizes = lower, upper, closure.chunk_sizes
        self.graph = closure.cannot_graph
        linked = np.diff(self.graph.indptr) > 0
        is_whole = linked | (self.sizes > 1)
        self.whole, self.single = np.flatnonzero(is_whole), np.flatnonzero(~is_whole)
        self.network: PairNetwork | None = None
        self.pair_costs: Costs | None = None
        self.witness: np.ndarray | None = None
        if linked.any():
            self.network, self.pair_costs = hard_network(closure, len(lower), also=self.whole)
            self.witness = None if witness is None else witness[self.whole]
        self.whole_graph = self.graph[self.whole][:, self.whole]
        self.is_small = len(self.sizes) * len(lower) <= _MOST_SEARCHED
        self._check()

    def _check(self) -> None:
        """Refuse bounds that contradict the must-links and cannot-links, as far as this can be proven."""
        sizes = self.sizes
        if sizes.max() > self.upper.max():
            raise SizeError(
                f"must-links keep {sizes.max()} objects together, but max_size allows at most {self.upper.max()} in a "
                "cluster: raise max_size, or drop some of the must-links."
            )
        zeros = np.zeros((len(sizes), len(self.lower)))
        if self._place(zeros[self.whole]) is None and self.is_small:
            self._search(zeros)

    def assign(
        self, cost: np.ndarray, prices: np.ndarray | None, previous: np.ndarray | None, thorough: bool = False
    ) -> BoundedAssignment:
        """The cheapest assignment found, never more expensive than the previous one.

        Parameters
        ----------
        cost : ndarray of shape (L, k)
            Of each chunklet as a whole.
        prices : ndarray of shape (k,), optional
            To start from.
        previous : ndarray of shape (L,), optional
        thorough : bool
            Use branch and bound if the assignment is not proven to be optimal.
        """
        apiece = cost / self.sizes[:, None].astype(cost.dtype)
        split = assign_sizes(np.repeat(apiece, self.sizes, axis=0), self.lower, self.upper, prices=prices)
        prices = split.prices
        best = None if previous is None else BoundedAssignment(previous, prices, _total(cost, previous), False)
        least = self._bound(cost, prices)
        for _ in range(_ROUNDS):
            new = self._assign_singles(cost, self._labels_at(cost, prices), prices)
            if new is None or (best is not None and new.cost >= best.cost):
                break
            best, prices = new, new.prices
            least = max(least, self._bound(cost, prices))
        tight = _TIGHT * max(float(np.abs(cost).max()) * len(cost) * 1e-3, abs(least))
        if best is not None and best.cost - least <= tight:
            return best._replace(is_best=True)
        if self.is_small and (thorough or best is None):
            searched = self._assign_singles(cost, self._search(cost), prices)
            if searched is not None and (best is None or searched.cost < best.cost):
                best = searched
        if best is None:
            raise NoFeasibleAssignmentError(
                "no assignment within the sizes was found that satisfies the must-links and cannot-links, although one "
                "may exist: widen min_size and max_size, or drop some of the constraints."
            )
        return best

    def _labels_at(self, cost: np.ndarray, prices: np.ndarray) -> np.ndarray:
        """The cluster where each whole chunklet is cheapest at these prices; another one if there is no room."""
        priced = cost[self.whole] - self.sizes[self.whole, None] * prices
        labels = self._cheapest(priced)
        if self._bounds_left(labels) is None:
            placed = self._place(priced)
            return labels if placed is None else placed
        return labels

    def _cheapest(self, priced: np.ndarray) -> np.ndarray:
        """The cheapest clusters that satisfy the cannot-links, whatever the sizes."""
        if self.network is None or self.pair_costs is None:
            return priced.argmin(axis=1)
        random = np.random.RandomState(0)
        return self.network.assign(priced.astype(np.float64), self.pair_costs, witness=self.witness, random=random)

    def _place(self, priced: np.ndarray) -> np.ndarray | None:
        """A cluster with room for each whole chunklet, largest first; most cannot-links first if that fails."""
        sizes = self.sizes[self.whole]
        graph = self.whole_graph.indptr, self.whole_graph.indices
        degree = np.diff(self.whole_graph.indptr)
        labels = np.empty(len(sizes), np.int64)
        for order in (np.lexsort((-degree, -sizes)), np.lexsort((-sizes, -degree))):
            if place_whole(priced, sizes, order, *graph, self.lower, self.upper, len(self.single), labels):
                return labels
        return None

    def _bounds_left(self, whole_labels: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
        """The bounds that are left for the single objects; None if they cannot hold."""
        filled = np.bincount(whole_labels, self.sizes[self.whole], minlength=len(self.lower)).astype(np.int64)
        lower, upper = np.maximum(self.lower - filled, 0), self.upper - filled
        fits = (upper >= 0).all() and lower.sum() <= len(self.single) <= np.minimum(upper, len(self.single)).sum()
        return (lower, upper) if fits else None

    def _assign_singles(
        self, cost: np.ndarray, whole_labels: np.ndarray, prices: np.ndarray
    ) -> BoundedAssignment | None:
        """Single objects assigned exactly, given the clusters of the whole chunklets."""
        bounds = self._bounds_left(whole_labels)
        if bounds is None:
            return None
        labels = np.empty(len(cost), np.int64)
        labels[self.whole] = whole_labels
        if len(self.single):
            singles = assign_sizes(cost[self.single], *bounds, prices=prices)
            labels[self.single], prices = singles.labels, singles.prices
        return BoundedAssignment(labels, prices, _total(cost, labels), False)

    def _bound(self, cost: np.ndarray, prices: np.ndarray) -> float:
        """A lower bound on the cost: the dual of the problem at these prices."""
        priced = cost[self.whole] - self.sizes[self.whole, None] * prices
        at_bounds = np.where(prices > 0, prices * self.lower, prices * self.upper).sum()
        return (
            float(at_bounds)
            + float((cost[self.single] - prices).min(axis=1).sum())
            + _total(priced, self._cheapest(priced))
        )

    def _search(self, cost: np.ndarray) -> np.ndarray:
        """Labels of the whole chunklets, by branch and bound; raises if there are none."""
        n, k = cost.shape
        each_once = LinearConstraint(sparse.kron(sparse.eye_array(n), np.ones((1, k))), 1, 1)
        filled = sparse.kron(self.sizes[None, :].astype(float), sparse.eye_array(k))
        constraints: list[Any] = [each_once, LinearConstraint(filled, self.lower, self.upper)]
        groups = _groups_apart(self.graph)
        if groups.shape[0]:
            constraints.append(LinearConstraint(sparse.kron(groups, sparse.eye_array(k)), 0, 1))
        integral = np.zeros((n, k))
        integral[self.whole] = 1
        solution = milp(
            (cost - cost.min(axis=1, keepdims=True)).ravel().astype(float),
            integrality=integral.ravel(),
            bounds=Bounds(0, 1),
            constraints=constraints,
            options={"node_limit": _NODES, "mip_rel_gap": _TIGHT},
        )
        if solution.status == 2:
            raise SizeError(
                "no clusters of these sizes satisfy the must-links and cannot-links: this was proven. Widen min_size "
                "and max_size, or drop some of the constraints."
            )
        if solution.x is None:
            raise NoFeasibleAssignmentError(
                f"no assignment within the sizes that satisfies the must-links and cannot-links was found in {_NODES} "
                "nodes of branch and bound: widen min_size and max_size, or drop some of the constraints."
            )
        return solution.x.reshape(n, k)[self.whole].argmax(axis=1)


def _total(cost: np.ndarray, labels: np.ndarray) -> float:
    return float(cost[np.arange(len(labels)), labels].sum(dtype=np.float64))


def _groups_apart(graph: sparse.csr_array) -> sparse.csr_array:
    """Sets of which a cluster has at most one member (rows): cliques of cannot-links, and pairs of other components."""
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
