"""The objects with the highest evidence for each object, found by the workers of a Dask cluster, with the same result.

All workers have all labels. Each step runs on blocks of objects. Between the steps of the near-linear search, the lists
of all objects are gathered and sent to the workers.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from pluribus._engine import DaskCluster, run_tasks
from pluribus._kernels.labels.co_association import nearest_rows
from pluribus._kernels.labels.label_neighbors import compare_around, compare_neighbors, evidence_of_neighbors
from pluribus.evidence import _nearest
from pluribus.evidence._label_lists import Lists, lists_of, rows_per_block
from pluribus.partitions import Ensemble


class NearestObjects(NamedTuple):
    """Some objects, the nearest objects of each (-1 = no more) and their evidence."""

    objects: np.ndarray
    nearest: np.ndarray
    evidence: np.ndarray


class Search(NamedTuple):
    """A search without its last step: ``function(task, *shared)`` returns the result for some objects."""

    function: Callable[..., NearestObjects]
    tasks: list[tuple[int, int]]
    shared: list[Any]


class _Sorted(NamedTuple):
    """The labels in the first of several sorted orders."""

    labels: np.ndarray
    weights: np.ndarray
    everywhere: float
    is_count: bool
    first: np.ndarray  # the number of each object before sorting

    @property
    def rule(self) -> tuple[np.ndarray, float, bool]:
        """The arguments by which kernels compute evidence."""
        return self.weights, self.everywhere, self.is_count


def nearest_by_dask(lists: Lists, n_neighbors: int, cluster: DaskCluster) -> np.ndarray:
    """The objects with the highest evidence for each object, (n, p); -1 = no more."""
    search = _search(lists, n_neighbors, cluster, verbose=False)
    nearest: np.ndarray | None = None
    for objects, some in run_tasks(
        _without_evidence(search.function), search.tasks, shared=search.shared, engine=cluster, verbose=False
    ):
        if nearest is None:
            nearest = np.empty((len(lists.labels), some.shape[1]), some.dtype)
        nearest[objects] = some
    assert nearest is not None
    return nearest


def search_by_dask(ensemble: Ensemble, cluster: DaskCluster, *, verbose: bool) -> Search:
    """Search for the objects with the highest evidence, without the last step."""
    return _search(lists_of(ensemble), _nearest.NEIGHBORS, cluster, verbose=verbose)


def _search(lists: Lists, n_neighbors: int, cluster: DaskCluster, *, verbose: bool) -> Search:
    n = len(lists.labels)
    p = min(n_neighbors, n - 1)
    if _nearest.pairs_in_clusters(lists) <= _nearest.EXACT_UP_TO:
        return Search(_of_all, _blocks(n, rows_per_block(n)), cluster.share([lists, p]))
    first, labels, orders = _nearest.sorted_orders(lists)
    blocks = _blocks(n, _nearest.ROWS_IN_BLOCK)
    known = cluster.share([_Sorted(labels, lists.weights, lists.everywhere, lists.is_count, first)])

    def searched(step: Callable[..., np.ndarray], *more: Any) -> np.ndarray:
        blocks_found = run_tasks(
            step, blocks, shared=[*known, *more], engine=cluster, description="strongest pairs", verbose=verbose
        )
        return np.concatenate(blocks_found)

    old = searched(_in_orders, np.stack(list(orders)), p)
    for _ in range(_nearest.N_ROUNDS - 1):
        old = searched(_follow, old)
    return Search(_of_sorted, blocks, cluster.share([*known, old]))


def _blocks(n: int, size: int) -> list[tuple[int, int]]:
    return [(start, min(start + size, n)) for start in range(0, n, size)]


# -- on the workers --------------------------------------------------------------------------------------------------


def _without_evidence(function: Callable[..., NearestObjects]) -> Callable[..., tuple[np.ndarray, np.ndarray]]:
    return lambda *arguments: function(*arguments)[:2]


def _of_all(task: tuple[int, int], lists: Lists, p: int) -> NearestObjects:
    start, stop = task
    nearest = nearest_rows(*lists, p, start, stop)
    evidence = np.empty(nearest.shape)
    evidence_of_neighbors(lists.labels, lists.weights, lists.everywhere, lists.is_count, start, nearest, evidence)
    return NearestObjects(np.arange(start, stop), nearest, evidence)


def _of_sorted(task: tuple[int, int], known: _Sorted, old: np.ndarray) -> NearestObjects:
    start, stop = task
    neighbors = _follow(task, known, old)
    evidence = np.empty(neighbors.shape)
    evidence_of_neighbors(known.labels, *known.rule, start, neighbors, evidence)
    return NearestObjects(known.first[start:stop], np.where(neighbors >= 0, known.first[neighbors], -1), evidence)


def _in_orders(task: tuple[int, int], known: _Sorted, orders: np.ndarray, p: int) -> np.ndarray:
    start, stop = task
    n = len(known.labels)
    neighbors, evidence = np.full((stop - start, p), -1, np.int32), np.zeros((stop - start, p), np.float32)
    place = np.empty(n, np.int32)
    for order in orders:
        place[order] = np.arange(n, dtype=np.int32)
        compare_around(known.labels, order, place, *known.rule, _nearest.WIDTH, start, stop, neighbors, evidence)
    return neighbors


def _follow(task: tuple[int, int], known: _Sorted, old: np.ndarray) -> np.ndarray:
    start, stop = task
    neighbors, evidence = old[start:stop].copy(), np.empty((stop - start, old.shape[1]), np.float32)
    evidence_of_neighbors(known.labels, *known.rule, start, neighbors, evidence)
    compare_neighbors(known.labels, *known.rule, _nearest.N_FOLLOWED, old, start, stop, neighbors, evidence)
    return neighbors
