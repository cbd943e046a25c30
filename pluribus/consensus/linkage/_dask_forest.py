"""The maximum spanning forest of the strongest pairs, computed and merged by the workers of a Dask cluster."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from pluribus._engine import DaskCluster, merge_tasks
from pluribus._kernels.linkage.graph_single_link import merge_forests, spanning_forest
from pluribus.evidence._internal import NearestObjects, search_by_dask
from pluribus.partitions import Ensemble


class Forest(NamedTuple):
    """Both ends (the lower first) and the evidence of each edge, sorted by evidence and then by the ends.

    No two edges are equal in this order, so the forest does not depend on how it was merged.
    """

    n_objects: int
    left: np.ndarray
    right: np.ndarray
    value: np.ndarray


def forest_by_dask(ensemble: Ensemble, cluster: DaskCluster, *, verbose: bool) -> Forest:
    """The forest of the strongest pairs of each object."""
    search = search_by_dask(ensemble, cluster, verbose=verbose)
    function = partial(_forest_of_block, search.function, ensemble.n_objects)
    return merge_tasks(
        function,
        search.tasks,
        _merged,
        shared=search.shared,
        engine=cluster,
        description="spanning forest",
        verbose=verbose,
    )


def _forest_of_block(search: Callable[..., NearestObjects], n: int, task: tuple[int, int], *shared: Any) -> Forest:
    """On a worker: search, and keep the pairs that join trees."""
    strongest = search(task, *shared)
    here, place = np.nonzero(strongest.evidence > 0)
    i, j = strongest.objects[here], strongest.nearest[here, place]
    left, right = np.minimum(i, j).astype(np.int32), np.maximum(i, j).astype(np.int32)
    value = strongest.evidence[here, place]
    order = np.lexsort((right, left, -value))
    left, right, value = left[order], right[order], value[order]
    taken = spanning_forest(left, right, np.arange(n))
    return Forest(n, left[taken], right[taken], value[taken])


def _merged(one: Forest, other: Forest) -> Forest:
    return Forest(one.n_objects, *merge_forests(one.n_objects, *one[1:], *other[1:]))
