"""An ensemble as a graph: its clusters as vertices or hyperedges, what they share, and what became of them."""

import warnings
from typing import NamedTuple

import numpy as np
from scipy import sparse

from pluribus._engine import over_blocks
from pluribus.evidence import MemoryLimitError
from pluribus.partitions import Ensemble

_OVERLAP_LIMIT = 4 * 2**30
_BYTES_PER_OVERLAP = 24  # an entry of the sparse sum, and what adding a block to it takes


class ClusterTable(NamedTuple):
    """Which object is in which cluster, for the m clusters that have a say, with equal objects collapsed."""

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


def with_a_say(ensemble: Ensemble) -> tuple[Ensemble, np.ndarray]:
    """The partitions that can tell objects apart, and their positions.

    Those of weight 0 are left out, and those that put all objects into one cluster, with a warning.
    """
    trivial = (ensemble.n_clusters == 1) & (ensemble.labels >= 0).all(axis=0)
    counted = ensemble.weights > 0
    if (trivial & counted).any():
        named = ", ".join(repr(ensemble.names[p]) for p in np.flatnonzero(trivial & counted)[:5])
        warnings.warn(
            f"{int((trivial & counted).sum())} partitions put all objects into one cluster and say nothing about how "
            f"to divide them ({named}); they are ignored.",
            UserWarning,
            stacklevel=4,
        )
    which = np.flatnonzero(counted & ~trivial)
    if not which.size:
        raise ValueError("Every partition puts all objects into one cluster: they do not say how to divide them.")
    return (ensemble if len(which) == len(ensemble) else ensemble.take_partitions(which)), which


def check_n_clusters(n_clusters: int, ensemble: Ensemble) -> None:
    """No more clusters than objects."""
    if n_clusters > ensemble.n_objects:
        raise ValueError(f"n_clusters={n_clusters} is more than the {ensemble.n_objects} objects there are.")


def tabulate(ensemble: Ensemble, *, collapse: bool = True, soft: bool = True) -> ClusterTable:
    """The clusters of an ensemble, with the memberships of soft partitions or (``soft=False``) their labels.

    Objects with equal labels become one row, unless memberships are used.
    """
    chosen, which = with_a_say(ensemble)
    soft = soft and chosen.memberships is not None
    if collapse and not soft:
        rows = chosen.unique_rows()
        chosen, counts, inverse = rows.ensemble, rows.counts, rows.inverse
    else:
        counts, inverse = np.ones(ensemble.n_objects, np.int64), np.arange(ensemble.n_objects)
    members = chosen.soft_one_hot() if soft else chosen.one_hot(np.float32)
    partition = np.repeat(which, chosen.n_clusters)
    position = (
        ensemble.offsets[partition] + np.arange(len(partition)) - np.repeat(chosen.offsets[:-1], chosen.n_clusters)
    )
    present = np.bincount(members.indices, members.data, minlength=members.shape[1]) > 0
    if not present.all():
        members, partition, position = members[:, present], partition[present], position[present]
    return ClusterTable(members, ensemble.weights[partition], partition, position, counts, inverse)


def overlaps(table: ClusterTable, row_weights: np.ndarray, n_jobs: int | None) -> sparse.csr_array:
    """Hᵀ diag(row_weights) H (m, m): all contingency tables of the ensemble at once, in blocks of rows."""
    m = len(table.weights)
    per_partition = np.bincount(table.partition)
    cells = np.minimum(np.outer(per_partition, per_partition), table.members.nnz).sum()
    if cells * _BYTES_PER_OVERLAP > _OVERLAP_LIMIT:
        raise MemoryLimitError(
            f"The ensemble has {m} clusters, and the table of what each two of them share would take more than "
            f"{_OVERLAP_LIMIT / 1e9:.0f} GB. Use partitions with fewer clusters, or fewer partitions."
        )

    def of_block(start: int, stop: int) -> sparse.csr_array:
        block = table.members[start:stop]
        weighted = sparse.diags_array(row_weights[start:stop].astype(np.float64)) @ block
        return sparse.csr_array(block.T @ weighted)

    n = table.members.shape[0]
    blocks = over_blocks(of_block, n, n_jobs=n_jobs, block=max(16_384, n // 8))
    return sparse.csr_array(sum(blocks[1:], start=blocks[0]))


def correspondences(ensemble: Ensemble, table: ClusterTable, part: np.ndarray, n_clusters: int) -> list[np.ndarray]:
    """For each partition a k_p × n_clusters matrix with a 1 where one of its clusters went; ``part`` -1 = nowhere."""
    went = np.zeros((int(ensemble.offsets[-1]), n_clusters))
    placed = part >= 0
    went[table.position[placed], part[placed]] = 1
    return np.split(went, ensemble.offsets[1:-1])


def without_empty(labels: np.ndarray, others: np.ndarray, n_asked: int) -> tuple[np.ndarray, np.ndarray, int]:
    """Number the parts that have objects 0, 1, …; ``others`` (clusters) in a part without objects get -1."""
    used, compact = np.unique(labels, return_inverse=True)
    number = np.full(n_asked, -1, np.int64)
    number[used] = np.arange(len(used))
    warn_if_fewer(len(used), n_asked)
    return compact.ravel(), number[others], len(used)


def warn_if_fewer(n_found: int, n_asked: int) -> None:
    """Say so when some clusters stay empty."""
    if n_found < n_asked:
        warnings.warn(
            f"{n_asked} clusters were asked for, but only {n_found} have objects; n_clusters_ is {n_found}.",
            UserWarning,
            stacklevel=4,
        )
