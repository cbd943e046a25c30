"""Rows for members that learn from files or Dask, gathered in waves that fit into memory."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pluribus._engine import MemoryLimitError, in_bytes, memory_limit
from pluribus.tables import Rows
from pluribus.tables._internal import ArrayRows

if TYPE_CHECKING:
    from pluribus.generate._base import BaseGenerator
    from pluribus.generate._members import Member

SHARE = 0.15  # share of the memory limit for the rows of one wave


class Pool:
    """Some of the rows of a table, held in memory and taken by their numbers in the table."""

    in_memory = None  # not all rows are

    def __init__(self, rows: Rows, numbers: np.ndarray) -> None:
        self.numbers = numbers
        self.held = rows.take(numbers)

    def take(self, rows: np.ndarray) -> np.ndarray:
        """Return some of the rows."""
        return self.held[np.searchsorted(self.numbers, rows)]


def waves(rows: Rows, members: "Mapping[int, Member]") -> "Iterator[tuple[dict[int, Member], np.ndarray]]":
    """Yield members by their numbers, with the numbers of the rows that they learn from (see `gathered`).

    A wave has as many members, in order, as have rows that fit into a share of the memory. Rows in memory make one
    wave.
    """
    if not members:
        return
    if rows.in_memory is not None:
        yield dict(members), np.empty(0, dtype=np.int64)
        return
    n = rows.shape[0]
    most = int(SHARE * memory_limit() / _width(rows))
    _check_fits(rows, list(members.values()))
    wave: dict[int, Member] = {}
    wanted, n_wanted = np.zeros(n, dtype=bool), 0
    for index, member in members.items():
        needed = member.needed_rows(n)
        more = n - n_wanted if needed is None else len(needed) - int(np.count_nonzero(wanted[needed]))
        if n_wanted and n_wanted + more > most:
            yield wave, np.flatnonzero(wanted)
            wave = {}
            wanted[:], n_wanted, more = False, 0, member.n_needed
        wanted[slice(None) if needed is None else needed] = True
        n_wanted += more
        wave[index] = member
    yield wave, np.flatnonzero(wanted)


def gathered(rows: Rows, numbers: np.ndarray) -> Rows | Pool:
    """Some of the rows, read into memory in one pass."""
    if rows.in_memory is not None:
        return rows
    return ArrayRows(rows.take(numbers)) if len(numbers) == rows.shape[0] else Pool(rows, numbers)


def pool_bytes(X: Any, generator: "BaseGenerator", limit: float | str | None = None) -> int:
    """The bytes of the rows for one wave of members; 0 if X is in memory.

    Parameters
    ----------
    X : array, sparse matrix or Rows
    generator : Generator or Mix
    limit : number of bytes, or text such as "4GB" or "50%"; by default 70 % of the free memory

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus.generate import Generator
    >>> from pluribus.generate._internal import pool_bytes
    >>> pool_bytes(np.zeros((1000, 4)), Generator())
    0
    """
    if not isinstance(X, Rows) or X.in_memory is not None:
        return 0
    n, d = X.shape
    needed = [member.n_needed for member in generator._plan(n, d, sparse=False, random_state=0)]
    fitting = int(SHARE * memory_limit(limit) / _width(X))
    return min(sum(needed), n, max(fitting, *needed)) * _width(X)


def _width(rows: Rows) -> int:
    """The bytes of a row and its number."""
    return rows.shape[1] * rows.dtype.itemsize + 8


def _check_fits(rows: Rows, members: "Sequence[Member]") -> None:
    """Refuse members whose rows do not fit into memory."""
    n = rows.shape[0]
    most = max(members, key=lambda member: member.n_needed)
    size, limit = most.n_needed * _width(rows), memory_limit()
    if size <= limit:
        return
    advice = (
        "give fewer clusters"
        if most.learns_centers
        else f"{most.algorithm} needs all rows of a member at once: give a smaller subsample, or clusterer='kmeans', "
        "which learns from a sample"
    )
    raise MemoryLimitError(
        f"a member learns from {most.n_needed:,} of the {n:,} rows, which take {in_bytes(size)}, more than the memory "
        f"limit of {in_bytes(limit)}. For rows that are not in memory, {advice}."
    )
