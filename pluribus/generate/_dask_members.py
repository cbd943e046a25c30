"""Members and labels made by the workers of a Dask cluster.

Rows of an array are sent with the tasks that need them. Workers read the rows of files. Dask collections stay on the
workers.
"""

from collections.abc import Mapping, Sequence
from contextlib import closing
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from pluribus._engine import DaskCluster, TaskStore, run_tasks, track
from pluribus.generate._base_clusterers import quiet
from pluribus.generate._centers import Assignment
from pluribus.generate._label_matrix import group_size, kept_labels
from pluribus.tables import Rows
from pluribus.tables._internal import BLOCK, taken

if TYPE_CHECKING:
    from pluribus.generate._members import Member
    from pluribus.generate._side_information import SideInformation

PIECE = 2**22  # bytes of an array that are sent with a task


def make_members(
    rows: Rows,
    members: "Sequence[Member]",
    side_information: "SideInformation",
    cluster: DaskCluster,
    *,
    verbose: bool,
    store: TaskStore | None,
) -> list[dict[str, np.ndarray]]:
    """Make all members: the centers of each, or its labels."""
    n = rows.shape[0]
    here = rows.in_memory is not None
    # Members that learn centers need only a sample; the others share the array.
    whole = rows.piece(range(n)) if here and not all(member.learns_centers for member in members) else None
    all_rows = cache(lambda: rows.piece(range(n)))

    def sent(member: "Member") -> tuple["Member", Any]:
        if here and not member.learns_centers:
            return member, None
        needed = member.needed_rows(n)
        return member, all_rows() if needed is None else rows.piece(needed)

    return run_tasks(
        _make,
        members,
        shared=[n, whole, side_information],
        sent=sent,
        engine=cluster,
        description=f"clustering {n:,} rows",
        verbose=verbose,
        store=store,
        expected=lambda member: member.expected(rows),
    )


def assign(
    rows: Rows,
    assignments: Mapping[int, Assignment],
    labels: np.ndarray,
    cluster: DaskCluster,
    *,
    verbose: bool,
    store: TaskStore | None,
) -> None:
    """Assign the rows to the learned centers; a store keeps the labels of each group."""
    if not assignments:
        return
    n = rows.shape[0]
    columns = list(assignments)
    size, step = group_size(rows), _piece_size(rows, cluster)
    tasks: dict[int, tuple[int, int, int]] = {}  # by the first row: that, the last, and the first member
    to_come = {}  # pieces of each group
    for start in range(0, n, size):
        stop = min(start + size, n)
        kept = kept_labels(store, start, stop, list(assignments.values()))
        n_kept = kept.shape[1]
        labels[start:stop, columns[:n_kept]] = kept
        if n_kept < len(columns):
            pieces = {low: (low, min(low + step, stop), n_kept) for low in range(start, stop, step)}
            to_come[start] = len(pieces)
            tasks |= pieces

    def sent(task: tuple[int, int, int]) -> tuple[int, int, Any]:
        low, high, first = task
        return low, first, rows.piece(range(low, high))

    shared = [list(assignments.values()), labels.dtype]
    with closing(cluster.results(_label, tasks, shared, sent)) as finished:
        for low, piece_labels in track(finished, f"assigning {n:,} rows", total=len(tasks), verbose=verbose):
            labels[low : low + len(piece_labels), columns[tasks[low][2] :]] = piece_labels
            group = low // size * size
            to_come[group] -= 1
            if store is not None and not to_come[group]:
                store.put(f"rows-{group}", labels=labels[group : group + size, columns])


def _piece_size(rows: Rows, cluster: DaskCluster) -> int:
    """The number of rows of a task: a multiple of the block, so that labels do not depend on it."""
    n, d = rows.shape
    n_blocks = -(-n // BLOCK)
    fitting = PIECE // (BLOCK * d * rows.dtype.itemsize)
    fair = n_blocks // (3 * cluster.n_threads)  # so that all threads have work
    together = -(-rows.portion // BLOCK)
    return min(max(min(fitting, fair), together, 1) * BLOCK, group_size(rows))


# -- on the workers --------------------------------------------------------------------------------------------------


def _make(task: tuple["Member", Any], n: int, whole: Any, side_information: "SideInformation") -> dict[str, np.ndarray]:
    member, piece = task
    needed = member.needed_rows(n)
    if piece is None:
        piece = whole if needed is None else whole[needed]
    with quiet():
        return member.made_of(taken(piece), n, needed, side_information)


def _label(task: tuple[int, int, Any], assignments: list[Assignment], dtype: np.dtype) -> np.ndarray:
    start, first, piece = task
    rows = taken(piece)
    labels = np.empty((rows.shape[0], len(assignments) - first), dtype)
    for low in range(0, rows.shape[0], BLOCK):
        block = rows[low : low + BLOCK]
        for place, assignment in enumerate(assignments[first:]):
            labels[low : low + BLOCK, place] = assignment.labels(block, start + low)
    return labels
