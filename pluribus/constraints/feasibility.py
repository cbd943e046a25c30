"""Can hard constraints be satisfied with k clusters? Coloring the graph of cannot-links between chunklets."""

from dataclasses import dataclass, field
from numbers import Integral
from typing import Literal

import numpy as np
import pandas as pd
from scipy import sparse
from scipy.sparse.csgraph import breadth_first_order, connected_components

from pluribus._kernels.graphs.graph_order import color_along, color_exactly, dsatur, greedy_clique, smallest_last_order
from pluribus.constraints._statements import Indices
from pluribus.constraints.closure import Closure
from pluribus.constraints.errors import ConstraintError


@dataclass(frozen=True)
class Feasibility:
    """Whether hard constraints fit into k clusters, and the proof.

    Made by :meth:`Constraints.check`.

    Attributes
    ----------
    status : {"feasible", "infeasible", "unknown"}
    k : int
    reason : str
        Why, in words. For "unknown", the name of the hard case and what to do.
    witness : ndarray of int or None
        If feasible, labels for all n objects that satisfy every hard constraint. If infeasible, objects that prove it:
        a set of which all must be apart, an odd cycle of objects each apart from the next, or a set that an exhaustive
        search could not place. Otherwise None.

    Examples
    --------
    >>> from pluribus.constraints import Constraints
    >>> ring = Constraints(5, cannot_link=[(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)])
    >>> ring.check(2)
    Feasibility(status='infeasible', k=2, reason='an odd cycle of 5 objects, each apart from the next, ...')
    >>> ring.check(3).status
    'feasible'
    """

    status: Literal["feasible", "infeasible", "unknown"]
    k: int
    reason: str
    witness: Indices | None = field(default=None, repr=False, compare=False)


def check(closure: Closure, k: int, *, one_of_each_class: Indices, allow_empty: bool, budget: int) -> Feasibility:
    """Try the cheap certificates, cheapest first, and search only what they leave open."""
    if not isinstance(k, Integral) or isinstance(k, bool) or not 1 <= k <= len(closure.chunk_of):
        raise ConstraintError(f"k={k}: the number of clusters goes from 1 to the {len(closure.chunk_of)} objects")
    k = int(k)  # a short type overflows
    if not allow_empty and k > closure.n_chunks:
        reason = f"what must be together leaves {closure.n_chunks} chunklets, too few to fill {k} clusters"
        return Feasibility("infeasible", k, reason, closure.representatives)
    if len(one_of_each_class) > k:
        reason = f"the known labels name {len(one_of_each_class)} classes, more than k = {k} clusters can keep apart"
        return Feasibility("infeasible", k, reason, one_of_each_class)
    if closure.degeneracy < k:
        return _feasible(
            closure,
            k,
            np.full(closure.n_chunks, -1),
            f"taken in the right order, each chunklet avoids at most {closure.degeneracy} earlier ones",
        )
    if k == 1:
        return _infeasible(
            closure, k, closure.cannot_link[0], "one cluster holds all objects, and a pair must be apart"
        )
    if k == 2:
        return _check_two(closure)
    return _check_core(closure, k, budget)


def sides(graph: sparse.csr_array) -> tuple[Indices, Indices]:
    """Color with two colors: vertices with equal side are together in every 2-coloring.

    Returns the side of each vertex and its opposite side; where they are equal there is an odd cycle. These are the
    components of the double cover, in which an edge leads from one copy of the graph to the other.
    """
    n = graph.shape[0]
    _, side = connected_components(_double_cover(graph), directed=False)
    return side[:n], side[n:]


def odd_cycle(graph: sparse.csr_array, start: int) -> Indices:
    """Return an odd cycle in the component of `start`, which has one."""
    n = graph.shape[0]
    _, before = breadth_first_order(_double_cover(graph), start, directed=False, return_predecessors=True)
    # Back along a shortest way from one copy of `start` to the other. No vertex of the cover comes twice on it, so the
    # first vertex of the graph that does is met in both copies: an odd number of steps apart.
    walk: list[int] = []
    place: dict[int, int] = {}
    at = start + n
    while at % n not in place:
        place[at % n] = len(walk)
        walk.append(at % n)
        at = int(before[at])
    return np.array(walk[place[at % n] :])


def _double_cover(graph: sparse.csr_array) -> sparse.csr_array:
    return sparse.block_array([[None, graph], [graph.T, None]], format="csr")


def _check_two(closure: Closure) -> Feasibility:
    side, opposite = sides(closure.cannot_graph)
    if (side == opposite).any():
        cycle = odd_cycle(closure.cannot_graph, int(np.flatnonzero(side == opposite)[0]))
        return _infeasible(
            closure,
            2,
            cycle,
            f"an odd cycle of {len(cycle)} objects, each apart from the next, does not fit into two clusters",
        )
    # The smaller of its two side numbers belongs to the whole component: it tells one end from the other.
    return _feasible(closure, 2, (side > opposite).astype(np.int64), "the cannot-links have no odd cycle")


def _check_core(closure: Closure, k: int, budget: int) -> Feasibility:
    """Color the k-core, where each chunklet avoids k others or more; the rest can always follow."""
    members = np.flatnonzero(closure.core_numbers >= k)
    core = closure.cannot_graph[members][:, members]
    core.sort_indices()
    clique = _clique(core, k + 1)
    if len(clique) > k:
        return _infeasible(
            closure, k, members[np.sort(clique)], f"{k + 1} objects must all be apart, more than k = {k} clusters"
        )
    colors = dsatur(core.indptr, core.indices, k)
    _, component = connected_components(core, directed=False)
    parts = np.split(np.argsort(component, kind="stable"), np.cumsum(np.bincount(component))[:-1])
    stuck = [parts[c] for c in np.unique(component[colors < 0])]
    n_open = 0
    for part in sorted(stuck, key=len):  # the budget goes first to what is easy
        graph = core[part][:, part]
        graph.sort_indices()
        verdict, colors[part], budget = color_exactly(graph.indptr, graph.indices, k, _clique(graph, k), budget)
        if verdict == 0:
            return _infeasible(
                closure, k, members[part], f"an exhaustive search found no way to place {len(part)} objects"
            )
        n_open += len(part) if verdict < 0 else 0
    if n_open:
        return Feasibility(
            "unknown",
            k,
            f"placing {n_open} chunklets that avoid {k} others or more is graph k-coloring with k = {k}, which is "
            f"NP-complete from k = 3 on, and the search ran out of budget. Raise budget, or take k = "
            f"{closure.degeneracy + 1} or more, which is surely feasible",
        )
    everyone = np.full(closure.n_chunks, -1)
    everyone[members] = colors
    return _feasible(closure, k, everyone, "a coloring of the cannot-links was found")


def _clique(graph: sparse.csr_array, enough: int) -> Indices:
    order, _ = smallest_last_order(graph.indptr, graph.indices)
    return greedy_clique(graph.indptr, graph.indices, order, enough)


def _feasible(closure: Closure, k: int, colors: Indices, reason: str) -> Feasibility:
    """Color what is open, then split clusters until min(k, n_chunks) are in use."""
    graph = closure.cannot_graph
    color_along(graph.indptr, graph.indices, closure.order, colors, k)
    colors, used = pd.factorize(colors)  # numbered by first appearance
    _, first = np.unique(colors, return_index=True)
    movable = np.delete(np.arange(closure.n_chunks), first)[: k - len(used)]
    colors[movable] = len(used) + np.arange(len(movable))
    return Feasibility("feasible", k, reason, colors[closure.chunk_of])


def _infeasible(closure: Closure, k: int, chunks: Indices, reason: str) -> Feasibility:
    return Feasibility("infeasible", k, reason, closure.representatives[chunks])
