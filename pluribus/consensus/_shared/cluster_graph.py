"""An ensemble as a graph of objects and clusters: its vertices, their overlaps, and the parts they went to."""

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
    """Memberships of the distinct objects in the m clusters of the informative partitions."""

    members: sparse.csr_array
    """(rows, m): 1, or the membership of a soft partition."""
    weights: np.ndarray
    """(m,): the weight of each cluster's partition."""
    partition: np.ndarray
    """(m,): each cluster's partition."""
    position: np.ndarray
    """(m,): the position of each cluster among all clusters of the ensemble."""
    counts: np.ndarray
    """(rows,): the number of objects of each row."""
    inverse: np.ndarray
    """(n,): the row of each object."""


def informative_partitions(ensemble: Ensemble, n_clusters: int) -> np.ndarray:
    """The positions of the partitions that separate objects.

    Partitions of weight 0 are left out. So are partitions with a single cluster, with a warning.
    """
    counted = ensemble.weights > 0
    if n_clusters == 1:
        return np.flatnonzero(counted)
    trivial = counted & (ensemble.n_clusters == 1) & (ensemble.labels >= 0).all(axis=0)
    which = np.flatnonzero(counted & ~trivial)
    if not which.size:
        raise ValueError("Every partition has a single cluster, so the ensemble does not separate the objects.")
    if trivial.any():
        named = ", ".join(repr(ensemble.names[p]) for p in np.flatnonzero(trivial)[:5])
        warnings.warn(
            f"{trivial.sum()} of {len(ensemble)} partitions have a single cluster and are ignored, because they do not "
            f"separate the objects: {named}.",
            UserWarning,
            stacklevel=3,
        )
    return which


def vertices_of(ensemble: Ensemble, which: np.ndarray, *, collapse: bool) -> UniqueRows:
    """The distinct objects of the partitions ``which``, in canonical order.

    A cut depends on the numbering of the vertices. In canonical order it does not depend on the order of the input.
    """
    chosen = ensemble.take_partitions(which)
    order = canonical_order(chosen)
    arranged, back = chosen.take_objects(order), np.argsort(order)
    if not collapse:
        return UniqueRows(arranged, np.ones(ensemble.n_objects, np.int64), back)
    rows = arranged.unique_rows()
    return UniqueRows(rows.ensemble, rows.counts, rows.inverse[back])


def tabulate(ensemble: Ensemble, which: np.ndarray, *, collapse: bool = True, soft: bool = True) -> ClusterTable:
    """The clusters of the partitions ``which``, with soft memberships or (``soft=False``) with labels only.

    Objects with equal labels become one row, unless soft memberships are used. Empty clusters are left out.
    """
    soft = soft and ensemble.memberships is not None
    rows, counts, inverse = vertices_of(ensemble, which, collapse=collapse and not soft)
    members = rows.soft_one_hot() if soft else rows.one_hot(np.float32)
    partition = np.repeat(which, rows.n_clusters)
    starts = ensemble.offsets
    position = np.concatenate([np.arange(starts[p], starts[p + 1]) for p in which])
    where = members.T @ np.arange(1.0, len(counts) + 1)  # orders the clusters of a partition by their objects
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
            f"The ensemble has {m} clusters, too many for a table of their pairwise overlaps (the limit is "
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
    """The nonempty parts, the largest first; and the new number of each part, -1 if it is empty."""
    largest = order_by_size(labels, n_parts)[: len(np.unique(labels))]
    number = np.full(n_parts, -1, np.int64)
    number[largest] = np.arange(len(largest))
    return largest, number


def correspondences(ensemble: Ensemble, table: ClusterTable, part: np.ndarray, n_clusters: int) -> list[np.ndarray]:
    """For each partition a k_p × n_clusters matrix with a 1 for the part of each cluster; ``part`` -1 = none."""
    went = np.zeros((int(ensemble.offsets[-1]), n_clusters))
    placed = part >= 0
    went[table.position[placed], part[placed]] = 1
    return np.split(went, ensemble.offsets[1:-1])
