"""An ensemble as a graph: objects and clusters as vertices, what clusters share, and what became of them."""

import warnings
from typing import NamedTuple

import numpy as np
from scipy import sparse

from pluribus._engine import over_blocks
from pluribus._kernels.labels.overlaps import add_overlaps
from pluribus.consensus._shared.canonical_order import canonical_order
from pluribus.evidence import MemoryLimitError
from pluribus.partitions import Ensemble
from pluribus.partitions._internal import UniqueRows, order_by_size

_MAX_CLUSTERS = 10_000  # a table of 0.8 GB
_BLOCKS_BYTES = 500_000_000


class ClusterTable(NamedTuple):
    """Which object is in which cluster, for the m clusters that have a say; rows are objects, equal ones collapsed."""

    members: sparse.csr_array
    """(rows, m): 1, or the membership of a soft partition."""
    weights: np.ndarray
    """(m,): the weight of each cluster's partition."""
    partition: np.ndarray
    """(m,): each cluster's partition."""
    position: np.ndarray
    """(m,): where each cluster stands among all clusters of the ensemble."""
    counts: np.ndarray
    """(rows,): how many objects each row stands for."""
    inverse: np.ndarray
    """(n,): the row of each object."""


def informative_partitions(ensemble: Ensemble, n_clusters: int) -> np.ndarray:
    """The positions of the partitions that can tell objects apart.

    Those of weight 0 are left out, and those that put all objects into one cluster, with a warning.
    """
    counted = ensemble.weights > 0
    if n_clusters == 1:
        return np.flatnonzero(counted)
    trivial = counted & (ensemble.n_clusters == 1) & (ensemble.labels >= 0).all(axis=0)
    which = np.flatnonzero(counted & ~trivial)
    if not which.size:
        raise ValueError("Every partition puts all objects into one cluster: they do not say how to divide them.")
    if trivial.any():
        named = ", ".join(repr(ensemble.names[p]) for p in np.flatnonzero(trivial)[:5])
        warnings.warn(
            f"{trivial.sum()} of {len(ensemble)} partitions put all objects into one cluster and are ignored, because "
            f"they do not say how to divide them: {named}.",
            UserWarning,
            stacklevel=3,
        )
    return which


def vertices_of(ensemble: Ensemble, which: np.ndarray, *, collapse: bool) -> UniqueRows:
    """The objects in the partitions ``which``, in an order of their own, those with equal labels as one.

    A cut depends on how vertices are numbered; like this it does not depend on the order of the objects.
    """
    chosen = ensemble.take_partitions(which)
    order = canonical_order(chosen)
    arranged, back = chosen.take_objects(order), np.argsort(order)
    if not collapse:
        return UniqueRows(arranged, np.ones(ensemble.n_objects, np.int64), back)
    rows = arranged.unique_rows()
    return UniqueRows(rows.ensemble, rows.counts, rows.inverse[back])


def tabulate(ensemble: Ensemble, which: np.ndarray, *, collapse: bool = True, soft: bool = True) -> ClusterTable:
    """The clusters of the partitions ``which``, with the memberships of soft ones or (``soft=False``) their labels.

    Objects with equal labels become one row, unless memberships are used. Clusters without objects are left out.
    """
    soft = soft and ensemble.memberships is not None
    rows, counts, inverse = vertices_of(ensemble, which, collapse=collapse and not soft)
    members = rows.soft_one_hot() if soft else rows.one_hot(np.float32)
    partition = np.repeat(which, rows.n_clusters)
    starts = ensemble.offsets
    position = np.concatenate([np.arange(starts[p], starts[p + 1]) for p in which])
    where = members.T @ np.arange(1.0, len(counts) + 1)  # numbers a partition's clusters by their objects
    order = np.lexsort((where, partition))
    order = order[where[order] > 0]
    number = np.zeros(members.shape[1], members.indices.dtype)
    number[order] = np.arange(len(order))
    members = sparse.csr_array((members.data, number[members.indices], members.indptr), (len(counts), len(order)))
    members.sort_indices()
    return ClusterTable(members, ensemble.weights[partition[order]], partition[order], position[order], counts, inverse)


def overlaps(table: ClusterTable, row_weights: np.ndarray, n_jobs: int | None) -> np.ndarray:
    """Hᵀ diag(row_weights) H (m, m): all contingency tables of the ensemble at once."""
    n, m = table.members.shape
    if m > _MAX_CLUSTERS:
        raise MemoryLimitError(
            f"The ensemble has {m} clusters, too many for a table of what each two of them share (the limit is "
            f"{_MAX_CLUSTERS}). Use partitions with fewer clusters, or fewer partitions."
        )
    arrays = table.members.indptr, table.members.indices, table.members.data, row_weights.astype(np.float64)

    def of_block(start: int, stop: int) -> np.ndarray:
        out = np.zeros((m, m))
        add_overlaps(*arrays, start, stop, out)
        return out

    n_blocks = min(8, _BLOCKS_BYTES // (8 * m * m) + 1)
    blocks = over_blocks(of_block, n, n_jobs=n_jobs, block=max(4096, -(-n // n_blocks)))
    shared = sum(blocks[1:], start=blocks[0])
    return np.triu(shared, 1).T + shared


def number_parts(labels: np.ndarray, n_parts: int) -> tuple[np.ndarray, np.ndarray]:
    """The parts that have objects, the largest first; and the new number of each part, -1 if it has none."""
    largest = order_by_size(labels, n_parts)[: len(np.unique(labels))]
    number = np.full(n_parts, -1, np.int64)
    number[largest] = np.arange(len(largest))
    return largest, number


def correspondences(ensemble: Ensemble, table: ClusterTable, part: np.ndarray, n_clusters: int) -> list[np.ndarray]:
    """For each partition a k_p × n_clusters matrix with a 1 where one of its clusters went; ``part`` -1 = nowhere."""
    went = np.zeros((int(ensemble.offsets[-1]), n_clusters))
    placed = part >= 0
    went[table.position[placed], part[placed]] = 1
    return np.split(went, ensemble.offsets[1:-1])
