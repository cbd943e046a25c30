"""The median partition: the one with the fewest disagreements with an ensemble, pair by pair (Mirkin)."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from pluribus._engine import track
from pluribus.constraints import Closure
from pluribus.evidence._signed.bounds import packing_bound, settled
from pluribus.evidence._signed.graph import SignedGraph
from pluribus.evidence._signed.label_counts import Items
from pluribus.evidence._signed.label_descent import MOST_COUNTS, complete, cost_of, descend, with_number
from pluribus.evidence._signed.search import default_starts, number_by_appearance, search
from pluribus.partitions import Ensemble

_DENSE = 1_000  # items up to which all pairs are listed
_CELLS = 1_500  # blocks of objects that are moved as one


class Median(NamedTuple):
    """A partition of the objects, its disagreements, and a bound below which no partition can be."""

    labels: np.ndarray
    cost: float
    lower_bound: float
    total: float
    best_member: float  # the disagreements of the best member


def median_partition(
    ensemble: Ensemble,
    seeds: list[int],
    *,
    n_clusters: int | None = None,
    item_of: np.ndarray | None = None,
    apart: np.ndarray | None = None,
    verbose: bool = True,
) -> Median:
    """Search for the partition with the fewest weighted disagreements with the members.

    Up to 1,000 distinct objects, all pairs are listed, and the search starts once for each seed. Beyond that, no pairs
    are: moves are scored by counts of labels. The result is never worse than the best member.

    Parameters
    ----------
    ensemble : Ensemble
        Soft members count by their labels. Pairs that a member does not cover do not count in it.
    seeds : list of int
        One for each start.
    n_clusters : int, optional
        By default the number with the fewest disagreements.
    item_of : ndarray of shape (n,), optional
        Sets of objects that must stay together, numbered 0 … L - 1; not with n_clusters.
    apart : ndarray of shape (m, 2), optional
        Pairs of these sets that must not be together.

    Examples
    --------
    >>> from pluribus import Ensemble
    >>> from pluribus.evidence._internal import median_partition
    >>> found = median_partition(Ensemble([[0, 0, 1, 1], [0, 0, 0, 1], [0, 1, 1, 1]]), [0], verbose=False)
    >>> found.labels.tolist(), found.cost, found.lower_bound
    ([0, 0, 1, 1], 6.0, 6.0)
    """
    if n_clusters is not None and n_clusters > len(ensemble.unique_rows().counts):
        item_of = np.arange(ensemble.n_objects)  # equal objects have to part
    items = Items(ensemble, item_of, apart)
    rng = np.random.default_rng(seeds[0])
    tolerance = 1e-9 * max(float(items.weights.max()), 1e-300)
    best, member_costs, bound = _members(items, verbose)
    if items.n_items <= _DENSE:
        graph = items.graph(np.arange(items.n_items), items.n_items)
        starts = [] if best is None or graph.has_forbidden else [complete(best)]
        clusters, _ = search(graph, seeds, starts, description="median partition", verbose=verbose)
        bound = max(bound, packing_bound(graph, seeds[0]))
    else:
        start = _from_cells(items, best, member_costs, seeds, verbose)
        clusters = descend(items, start, rng, tolerance, verbose)
    if n_clusters is not None:
        clusters = with_number(items, clusters, n_clusters, rng, tolerance)
    clusters = number_by_appearance(clusters)
    cost = cost_of(items, clusters)
    finite = [cost for cost in member_costs if np.isfinite(cost)]
    return Median(clusters[items.item_of], cost, settled(bound, cost), items.total, min(finite, default=np.inf))


def default_number_of_starts(n_items: int) -> int:
    """10 where all pairs are listed, else 1."""
    return 10 if n_items <= _DENSE else 1


def items_under(ensemble: Ensemble, closure: Closure) -> tuple[np.ndarray, np.ndarray]:
    """The item of each object, and the pairs of items that must not be together.

    What must-links hold together is an item. Of the other objects, those with equal labels are one.
    """
    chunk, equal = closure.chunk_of, ensemble.unique_rows().inverse
    bound = closure.chunk_sizes[chunk] > 1
    bound |= np.isin(chunk, closure.cannot_link)
    item_of = number_by_appearance(np.where(bound, chunk + int(equal.max()) + 1, equal))
    item_of_chunk = np.zeros(closure.n_chunks, np.int64)
    item_of_chunk[chunk] = item_of
    return item_of, item_of_chunk[closure.cannot_link]


def ensemble_graph(ensemble: Ensemble, item_of: np.ndarray, apart: np.ndarray) -> SignedGraph:
    """All pairs of items as a signed graph, for small ensembles."""
    items = Items(ensemble, item_of, apart)
    return items.graph(np.arange(items.n_items), items.n_items)


def _members(items: Items, verbose: bool) -> tuple[np.ndarray | None, list[float], float]:
    """The best member as clusters of items, the cost of each, and the bound that follows from their distances.

    A partition y is at d(y, i) from member i, and d(i, j) ≤ d(y, i) + d(y, j). The weighted sum of this over all pairs
    of members bounds the cost of y. Pairs of objects that a member does not cover only make the right side larger.
    """
    best, least, spread, costs = None, np.inf, 0.0, []
    for p in track(range(len(items.weights)), "members", verbose=verbose):
        k = int(items.labels[:, p].max()) + 1
        if items.weights[p] == 0 or k * items.q > MOST_COUNTS:
            costs.append(np.inf)
            spread = spread if items.weights[p] == 0 else -np.inf  # no bound without all distances
            continue
        clusters = items.member(p)
        tables = items.tabulate(clusters, k)
        spread += items.weights[p] * items.covered_cost(tables)
        costs.append(items.cost(clusters, tables))
        if costs[-1] < least:
            best, least = clusters, costs[-1]
    positive = items.weights[items.weights > 0]
    others = positive.sum() - positive.min(initial=0.0)
    split_items = len(items.rows) > items.n_items  # then a member parts what must stay together
    bound = 0.0 if split_items or others <= 0 else max(spread / 2 / others, 0.0)
    return best, costs, bound


def _from_cells(
    items: Items, best: np.ndarray | None, costs: list[float], seeds: list[int], verbose: bool
) -> np.ndarray:
    """A start that moves whole blocks of objects: those on which the best members agree."""
    if best is None:
        return np.full(items.n_items, -1)
    if len(items.apart_pairs):
        return _feasible(items, best)
    cells, n_cells = number_by_appearance(complete(best)), 0
    if int(cells.max()) + 1 > _CELLS:
        return best
    for p in np.argsort(costs):
        if not np.isfinite(costs[p]):
            break
        member = items.member(int(p))
        finer = pd.factorize(cells * (int(member.max()) + 2) + member + 1)[0].astype(np.int64)
        n_cells = int(finer.max()) + 1
        if n_cells <= _CELLS and n_cells * items.q <= MOST_COUNTS:
            cells = finer
    n_cells = int(cells.max()) + 1
    graph = items.graph(cells, n_cells)
    of_best = np.empty(n_cells, np.int64)
    of_best[cells] = complete(best)
    found, _ = search(graph, seeds[: default_starts(graph)], [of_best], description="blocks", verbose=verbose)
    return found[cells]


def _feasible(items: Items, clusters: np.ndarray) -> np.ndarray:
    """The same clusters, but items that must not be together are alone."""
    clusters = clusters.copy()
    one, other = items.apart_pairs.T
    broken = (clusters[one] == clusters[other]) & (clusters[one] >= 0)
    clusters[one[broken]] = clusters[other[broken]] = -1
    return clusters
