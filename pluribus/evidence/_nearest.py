"""The objects with the highest evidence for each object: from all pairs if that is fast, or by near-linear search."""

from collections.abc import Iterator

import numpy as np

from pluribus._engine import over_blocks
from pluribus._kernels.labels.co_association import nearest_rows
from pluribus._kernels.labels.label_neighbors import compare_adjacent, compare_neighbors, sort_by_column
from pluribus.evidence._label_lists import Lists, rows_per_block

NEIGHBORS = 30  # of each object, unless another number is given
EXACT_UP_TO = 2e8  # pairs in one cluster, summed over the clusters: a few seconds
_N_ORDERS = 8
WIDTH = 8  # positions to either side that are compared in a sorted order
N_ROUNDS = 2  # rounds of neighbors of neighbors
N_FOLLOWED = 12
ROWS_IN_BLOCK = 65_536


def nearest_by_labels(lists: Lists, n_neighbors: int, n_jobs: int | None) -> np.ndarray:
    """The objects with the highest evidence for each object, (n, p); -1 = no more."""
    p = min(n_neighbors, len(lists.labels) - 1)
    search = nearest_of_all if pairs_in_clusters(lists) <= EXACT_UP_TO else nearest_of_sorted
    return search(lists, p, n_jobs)


def pairs_in_clusters(lists: Lists) -> float:
    """The number of pairs, counted once for each cluster that contains both objects."""
    return float((np.diff(lists.starts).astype(np.float64) ** 2).sum())


def nearest_of_all(lists: Lists, p: int, n_jobs: int | None) -> np.ndarray:
    """The ``p`` nearest, exactly; ties go to the lowest number."""
    n = len(lists.labels)
    parts = over_blocks(
        lambda start, stop: nearest_rows(*lists, p, start, stop), n, n_jobs=n_jobs, block=rows_per_block(n)
    )
    return np.concatenate(parts)


def nearest_of_sorted(lists: Lists, p: int, n_jobs: int | None) -> np.ndarray:
    """Approximately the ``p`` nearest, among objects that are close in one of several sorted orders of the label rows.

    Ties go to the first in the first order. The orders are drawn with a fixed seed. Time O(n r) for any cluster sizes.
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
    """The first order, the labels in this order, and all orders of these, one by one.

    Objects are numbered in the first order, so that objects to be compared are close in memory.
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
    """Sort by enough random partitions to separate all objects; ties stay in the given order."""
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
