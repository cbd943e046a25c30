"""What members need of rows that are not in memory, gathered in one pass."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pluribus._engine import MemoryLimitError, TaskStore, in_bytes, memory_limit
from pluribus.tables._rows import ArrayRows, Rows

if TYPE_CHECKING:
    from ._members import Member


class Pool(Rows):
    """Some of the rows of a table, held in memory and taken by their numbers in the table."""

    def __init__(self, rows: Rows, numbers: np.ndarray) -> None:
        self.shape, self.dtype, self.names = rows.shape, rows.dtype, rows.names
        self.numbers = numbers
        self.held = rows.take(numbers)

    def take(self, rows: np.ndarray) -> np.ndarray:
        """Return some of the rows that are held."""
        return self.held[np.searchsorted(self.numbers, rows)]

    def blocks(self, size: int) -> Iterator[tuple[int, Any]]:
        """A pool does not have all rows."""
        raise NotImplementedError


def pool(rows: Rows, members: "Sequence[Member]", store: TaskStore | None) -> Rows:
    """Gather in one pass the rows that members learn from, but for finished ones; refuse more than fits."""
    n, d = rows.shape
    wanted = np.zeros(n, dtype=bool)
    for index, member in enumerate(members):
        if store is not None and store.get(str(index)) is not None:
            continue
        needed = member.needed_rows(n)
        wanted[slice(None) if needed is None else needed] = True
    n_wanted = int(np.count_nonzero(wanted))
    size, limit = n_wanted * d * rows.dtype.itemsize, memory_limit()
    if size > limit:
        whole = sorted({member.algorithm for member in members if not member.learns_centers})
        advice = (
            f"members by {', '.join(whole)} need all the rows they see at once: give a smaller subsample, or "
            "clusterer='kmeans', which learns from a sample"
            if whole
            else "give fewer clusters or members"
        )
        raise MemoryLimitError(
            f"the members learn from {n_wanted:,} of the {n:,} rows, which take {in_bytes(size)}; {in_bytes(limit)} "
            f"of memory may be used. Of rows that are not in memory, {advice}."
        )
    numbers = np.flatnonzero(wanted)
    if n_wanted == n:
        return ArrayRows(rows.take(numbers))
    return Pool(rows, numbers)
