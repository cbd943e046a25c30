"""The labels of all members, n × r, filled in one pass over the rows."""

import tempfile
from collections.abc import Mapping
from typing import Any

import numpy as np

from pluribus._engine import TaskStore, memory_limit, over_blocks, track
from pluribus.tables._rows import ArrayRows, Rows

from ._centers import BLOCK, Assignment

MAPPED_ABOVE = 0.35  # of the memory allowed: labels that take more are kept in a file
GROUP = 64  # blocks that are read, assigned and kept together
READ_AT_ONCE = 2**27  # bytes, if rows are read from a file


def new_matrix(n: int, r: int, dtype: np.dtype, store: TaskStore | None) -> np.ndarray:
    """Make room for the labels: in memory, or in a file of the store (or a nameless one), mapped into memory."""
    if n * r * dtype.itemsize <= MAPPED_ABOVE * memory_limit():
        return np.empty((n, r), dtype=dtype)
    if store is not None:
        return np.lib.format.open_memmap(store.directory / "labels.npy", mode="w+", dtype=dtype, shape=(n, r))
    with tempfile.TemporaryFile(prefix="pluribus-labels-") as file:  # lives on until the map is closed
        return np.memmap(file, dtype=dtype, mode="w+", shape=(n, r))


def assign(
    rows: Rows,
    assignments: Mapping[int, Assignment],
    labels: np.ndarray,
    *,
    n_jobs: int | None,
    verbose: bool,
    store: TaskStore | None,
) -> None:
    """Write the labels of the members that have learned their centers into their columns, in one pass over the rows.

    Blocks are assigned on `n_jobs` threads. A store keeps the labels of each group of blocks.
    """
    if not assignments:
        return
    size = group_size(rows)
    columns = list(assignments)
    groups = -(-rows.shape[0] // size)
    for start, group in track(rows.blocks(size), f"assigning {rows.shape[0]:,} rows", total=groups, verbose=verbose):
        found = np.empty((group.shape[0], len(columns)), dtype=labels.dtype)
        kept = kept_labels(store, start, start + len(found), len(columns))
        n_kept = kept.shape[1]
        found[:, :n_kept] = kept
        missing = {place: assignments[columns[place]] for place in range(n_kept, len(columns))}
        if missing:
            over_blocks(_assigner(group, start, missing, found), group.shape[0], n_jobs=n_jobs, block=BLOCK)
            if store is not None:
                store.put(f"rows-{start}", labels=found)
        labels[start : start + len(found), columns] = found


def kept_labels(store: TaskStore | None, start: int, stop: int, n_columns: int) -> np.ndarray:
    """What a store has of the labels of a group: its first columns, or none."""
    kept = None if store is None else store.get(f"rows-{start}")
    if kept is None or len(kept["labels"]) != stop - start:
        return np.empty((stop - start, 0), dtype=np.int8)
    return kept["labels"][:, :n_columns]


def group_size(rows: Rows) -> int:
    """How many rows are read, assigned and kept together: a multiple of the block."""
    if isinstance(rows, ArrayRows):
        return GROUP * BLOCK
    at_once = min(READ_AT_ONCE, memory_limit() // 16)
    fitting = at_once // (BLOCK * rows.shape[1] * rows.dtype.itemsize)
    return min(max(fitting, 1), GROUP) * BLOCK


def _assigner(group: Any, start: int, assignments: Mapping[int, Assignment], found: np.ndarray) -> Any:
    def assign_block(low: int, high: int) -> None:
        block = group[low:high]
        for place, assignment in assignments.items():
            found[low:high, place] = assignment.labels(block, start + low)

    return assign_block
