"""The n × r labels of all members, filled in one pass over the rows."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pluribus._engine import ArraySpec, TaskStore, memory_limit, over_blocks, scratch_file, track
from pluribus.generate._centers import Assignment
from pluribus.tables import Rows
from pluribus.tables._internal import BLOCK

MAPPED_ABOVE = 0.35  # share of the memory limit; larger labels are in a file
GROUP = 64  # blocks that are read, assigned and stored together, at most
READ_AT_ONCE = 2**26  # bytes


def new_matrix(n: int, r: int, dtype: np.dtype, store: TaskStore | None) -> np.ndarray:
    """An empty matrix for the labels: in memory, or in a temporary file in the folder of the store."""
    if n * r * dtype.itemsize <= MAPPED_ABOVE * memory_limit():
        return np.empty((n, r), dtype=dtype)
    with scratch_file("labels", None if store is None else store.directory) as file:  # lives until the map is closed
        return np.memmap(file, dtype=dtype, mode="w+", shape=(n, r))


def narrowed(labels: np.ndarray, columns: Sequence[int], dtype: np.dtype) -> np.ndarray:
    """Some of the columns in a smaller type, in the same memory or file; the given labels are overwritten."""
    if len(columns) == labels.shape[1] and dtype == labels.dtype:
        return labels
    n = len(labels)
    narrow = labels.reshape(-1).view(dtype)[: n * len(columns)].reshape(n, len(columns))
    for start in range(0, n, BLOCK):  # writing never overtakes reading
        narrow[start : start + BLOCK] = labels[start : start + BLOCK, columns].astype(dtype)
    return narrow


def assign(
    rows: Rows,
    assignments: Mapping[int, Assignment],
    labels: np.ndarray,
    *,
    n_jobs: int | None,
    verbose: bool,
    store: TaskStore | None,
) -> None:
    """Write the labels of members with learned centers into their columns, in one pass over the rows.

    Blocks are assigned on `n_jobs` threads. A store keeps the labels of each group of blocks.
    """
    if not assignments:
        return
    size = group_size(rows)
    columns = list(assignments)
    groups = -(-rows.shape[0] // size)
    alone = len(columns) == labels.shape[1]  # then labels are written in place
    for start, group in track(rows.blocks(size), f"assigning {rows.shape[0]:,} rows", total=groups, verbose=verbose):
        here = labels[start : start + group.shape[0]]
        group_labels = here if alone else np.empty((group.shape[0], len(columns)), dtype=labels.dtype)
        kept = kept_labels(store, start, start + len(group_labels), list(assignments.values()))
        n_kept = kept.shape[1]
        group_labels[:, :n_kept] = kept
        missing = {place: assignments[columns[place]] for place in range(n_kept, len(columns))}
        if missing:
            over_blocks(_assigner(group, start, missing, group_labels), group.shape[0], n_jobs=n_jobs, block=BLOCK)
            if store is not None:
                store.put(f"rows-{start}", labels=group_labels)
        if not alone:
            here[:, columns] = group_labels


def kept_labels(store: TaskStore | None, start: int, stop: int, assignments: Sequence[Assignment]) -> np.ndarray:
    """The labels of a group in the store: those of the first members, or none."""
    none = np.empty((stop - start, 0), dtype=np.int8)
    kept = None if store is None else store.get(f"rows-{start}", {"labels": ArraySpec("i", (stop - start, None))})
    if kept is None:
        return none
    labels = kept["labels"][:, : len(assignments)]
    members = assignments[: labels.shape[1]]
    least = [0 if member.rows is None else -1 for member in members]
    below = [len(member.centers) for member in members]
    return labels if (labels.min(axis=0) >= least).all() and (labels.max(axis=0) < below).all() else none


def group_size(rows: Rows) -> int:
    """The number of rows that are read, assigned and stored together: a multiple of the block.

    It does not depend on where the rows are or how much memory is free, so that a store can be reused.
    """
    fitting = READ_AT_ONCE // (BLOCK * rows.shape[1] * rows.dtype.itemsize)
    return min(max(fitting, 1), GROUP) * BLOCK


def _assigner(group: Any, start: int, assignments: Mapping[int, Assignment], out: np.ndarray) -> Any:
    def assign_block(low: int, high: int) -> None:
        block = group[low:high]
        for place, assignment in assignments.items():
            out[low:high, place] = assignment.labels(block, start + low)

    return assign_block
