"""The objects with the highest evidence for each object: all pairs while that is quick, near-linear search beyond."""

from collections.abc import Iterator

import numpy as np

from pluribus._engine import over_blocks
from pluribus._kernels.labels.co_association import nearest_rows
from pluribus._kernels.labels.label_neighbors import compare_adjacent, compare_neighbors, sort_by_column
from pluribus.evidence._label_lists import Lists, rows_per_block

NEIGHBORS = 30  # of each object, unless another number is given
EXACT_UP_TO = 2e8  # pairs in one cluster, summed over the clusters: some seconds
_N_ORDERS = 8
WIDTH = 8  # places to either side that are compared in a sorted order
N_ROUNDS = 2  # of neighbors of neighbors
N_FOLLOWED = 12
ROWS_IN_BLOCK = 65_536


def nearest_by_labels(lists: Lists, n_neighbors: int, n_jobs: int | None) -> np.ndarray:
    """The objects with the highest evidence for each object, (n, p); -1 = no more."""
    p = min(n_neighbors, len(lists.labels) - 1)
    search = nearest_of_all if pairs_in_clusters(lists) <= EXACT_UP_TO else nearest_of_sorted
    return search(lists, p, n_jobs)


def pairs_in_clusters(lists: Lists) -> float:
    """What it takes to look at each pair once for each cluster that holds both."""
    return float((np.diff(lists.starts).astype(np.float64) ** 2).sum())


def nearest_of_all(lists: Lists, p: int, n_jobs: int | None) -> np.ndarray:
    """The ``p`` nearest, exactly; on ties those with the lowest number."""
    n = len(lists.labels)
    parts = over_blocks(
        lambda start, stop: nearest_rows(*lists, p, start, stop), n, n_jobs=n_jobs, block=rows_per_block(n)
    )
    return np.concatenate(parts)


def nearest_of_sorted(lists: Lists, p: int, n_jobs: int | None) -> np.ndarray:
    """Nearly the ``p`` nearest, among those that several sorted orders of the label rows bring together.

    On ties those that come first in the first order. The orders are drawn with a fixed seed. Time O(n r), whatever the
    sizes of the clusters.
    """
    n = len(lists.labels)
    first, labels, orders = sorted_orders(lists)
    neighbors, evidence = np.full((n, p), -1, np.int32), np.zeros((n, p), np.float32)
    for order in orders:
        _compare_in_order(labels, lists, order, neighbors, evidence, n_jobs)
    for _ in range(N_ROUNDS):
        _compare_neighbors(labels, lists, neighbors, evidence, n_jobs)
    nearest = np.empty_like(neighbors)
    nearest[first] = np.where(neighbors >= 0, first[neighbors], -1)
    return nearest


def sorted_orders(lists: Lists) -> tuple[np.ndarray, np.ndarray, Iterator[np.ndarray]]:
    """The first order, the labels in it, and all orders of these, one by one.

    Objects are numbered in the first order: what is compared then lies close in memory.
    """
    rng = np.random.default_rng(0)
    n = len(lists.labels)
    first = _sort(lists.labels, lists, np.arange(n, dtype=np.int32), rng)
    labels = lists.labels[first]

    def orders() -> Iterator[np.ndarray]:
        order = np.arange(n, dtype=np.int32)
        yield order
        for _ in range(_N_ORDERS - 1):
            order = _sort(labels, lists, order, rng)
            yield order

    return first, labels, orders()


def _sort(labels: np.ndarray, lists: Lists, order: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Sort by so many partitions, drawn at random, as could tell all objects apart; ties stay in the order given."""
    n_clusters = np.diff(lists.offsets)
    drawn = rng.permutation(np.flatnonzero(lists.weights > 0))
    cells = np.cumsum(np.log(np.maximum(n_clusters[drawn], 1)))
    depth = min(len(drawn), 1 + int(np.searchsorted(cells, 2 * np.log(len(labels)))))
    for column in drawn[:depth][::-1]:  # the last key first: each sort is stable
        out = np.empty_like(order)
        sort_by_column(order, np.ascontiguousarray(labels[:, column]), n_clusters[column], out)
        order = out
    return order


def _compare_in_order(
    labels: np.ndarray,
    lists: Lists,
    order: np.ndarray,
    neighbors: np.ndarray,
    evidence: np.ndarray,
    n_jobs: int | None,
) -> None:
    rows = labels[order]
    how = (lists.weights, lists.everywhere, lists.is_count, WIDTH)
    over_blocks(
        lambda start, stop: compare_adjacent(rows, order, *how, start, stop, neighbors, evidence),
        len(order),
        n_jobs=n_jobs,
        block=ROWS_IN_BLOCK,
    )


def _compare_neighbors(
    labels: np.ndarray, lists: Lists, neighbors: np.ndarray, evidence: np.ndarray, n_jobs: int | None
) -> None:
    old = neighbors.copy()
    how = (lists.weights, lists.everywhere, lists.is_count, N_FOLLOWED)
    over_blocks(
        lambda a, b: compare_neighbors(labels, *how, old, a, b, neighbors[a:b], evidence[a:b]),
        len(labels),
        n_jobs=n_jobs,
        block=ROWS_IN_BLOCK,
    )
