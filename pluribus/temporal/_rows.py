"""Ordered rows: their checks, and the order in which they are clustered."""

from typing import Any

import numpy as np

from pluribus._engine import MemoryLimitError, in_bytes, memory_limit
from pluribus.tables._internal import check_scale

_MATRICES = 5  # n × n arrays of float64 that are held at a time


def check_size(n: int) -> None:
    """Refuse more rows than the evidence of all pairs fits into memory for."""
    needed = 8 * _MATRICES * n * n
    if needed > memory_limit():
        raise MemoryLimitError(
            f"X has {n:,} rows, and the evidence for all pairs of them would take {in_bytes(needed)}, more than the "
            f"{in_bytes(memory_limit())} allowed: give means of consecutive rows (the states of a long signal last for "
            "many rows), or raise the memory limit."
        )


class OrderedRows:
    """Rows without constant columns, scaled to variance 1, and sorted by their values.

    What is made of the sorted rows does not depend on their order in time: a series and its reverse get the same
    partitions, bit by bit.

    Attributes
    ----------
    order : ndarray of shape (n,)
        The place in time of each sorted row.
    rows : ndarray of shape (n, p)
        The sorted rows.
    """

    def __init__(self, X: np.ndarray, *, standardize: bool) -> None:
        check_scale(X)
        check_size(len(X))
        self.order = np.lexsort(X.T[::-1])
        rows = np.asarray(X, dtype=np.float64)[self.order]
        rows = rows[:, np.ptp(rows, axis=0) > 0]
        if standardize and rows.size:
            rows = rows / np.abs(rows).max(axis=0)  # so that variances neither overflow nor vanish
            rows = rows - rows.mean(axis=0)
            spread = rows.std(axis=0)
            rows = rows[:, spread > 0] / spread[spread > 0]
        self.rows = rows

    def __len__(self) -> int:
        return len(self.order)

    @property
    def all_equal(self) -> bool:
        """Whether no two rows differ."""
        return self.rows.shape[1] == 0

    def in_time(self, values: np.ndarray) -> np.ndarray:
        """Values of the sorted rows (the first axis) in the order of time."""
        ordered = np.empty_like(values)
        ordered[self.order] = values
        return ordered


def numbers_of_clusters(name: str, given: Any) -> tuple[int, ...]:
    """Numbers of clusters, each once, in ascending order: from a range, a sequence of whole numbers, or one."""
    try:
        numbers = sorted({int(k) for k in np.atleast_1d(np.asarray(given, dtype=object)) if _is_count(k)})
        complete = len(numbers) and all(_is_count(k) for k in np.atleast_1d(np.asarray(given, dtype=object)))
    except (TypeError, ValueError, OverflowError):
        complete = False
    if not complete:
        raise ValueError(f"{name}={given!r}: give one or more numbers of clusters of at least 2, such as range(2, 7).")
    return tuple(numbers)


def _is_count(k: Any) -> bool:
    return isinstance(k, int | np.integer) and not isinstance(k, bool) and int(k) >= 2
