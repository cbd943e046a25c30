"""One pass over rows: what is missing, means and variances, and a digest; block by block, here or by a cluster."""

from __future__ import annotations

import hashlib
import socket
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pluribus._engine import DaskCluster, run_tasks
from pluribus.tables._errors import TableError, counted, more

if TYPE_CHECKING:
    from pluribus.tables._rows import Rows

SURVEYED = 65_536  # rows looked at in one go


class Survey(NamedTuple):
    """What one pass over the rows tells: the mean and the standard deviation of each column, and a digest of all."""

    mean: np.ndarray
    deviation: np.ndarray
    digest: str


class _Part(NamedTuple):
    """The same of one block."""

    n_rows: int
    mean: np.ndarray
    squares: np.ndarray
    digest: bytes
    n_bad: np.ndarray | None
    first_bad: int


def survey_here(rows: Rows) -> Survey:
    """Read all rows once, and refuse numbers that are missing or infinite."""
    return _united(rows, (_look(start, block) for start, block in rows.blocks(SURVEYED)))


def survey_there(rows: Rows, cluster: DaskCluster, verbose: bool) -> Survey:
    """The same, bit for bit, by a cluster's workers."""
    n = rows.shape[0]
    size = SURVEYED * max(1, rows.portion // SURVEYED)
    parts = run_tasks(
        _look_at_piece,
        range(0, n, size),
        sent=lambda start: (start, rows.piece(range(start, min(start + size, n)))),
        engine=cluster,
        description=f"reading {n:,} rows",
        verbose=verbose,
    )
    return _united(rows, (part for some in parts for part in some))


def taken(piece: Any) -> Any:
    """The rows of a piece, where they are needed (see ``Rows.piece``)."""
    if not isinstance(piece, tuple):
        return piece
    rows, which = piece
    try:
        return rows.take(np.asarray(which))
    except TableError as error:
        if isinstance(error.__cause__, FileNotFoundError):
            where = f"The worker on {socket.gethostname()} finds no such file: {error}"
            raise TableError(f"{where} Files must be on storage that all machines share.") from error
        raise


def _look_at_piece(task: tuple[int, Any]) -> list[_Part]:
    start, piece = task
    block = taken(piece)
    return [_look(start + low, block[low : low + SURVEYED]) for low in range(0, len(block), SURVEYED)]


def _look(start: int, block: np.ndarray) -> _Part:
    block = np.ascontiguousarray(block)  # sums round as they are laid out
    finite = np.isfinite(block)
    if not finite.all():
        nothing = np.zeros(block.shape[1])
        first = start + int(np.argmin(finite.all(axis=1)))
        return _Part(len(block), nothing, nothing, b"", (~finite).sum(axis=0), first)
    mean = block.mean(axis=0, dtype=np.float64)
    squares = ((block - mean) ** 2).sum(axis=0)
    return _Part(len(block), mean, squares, hashlib.sha256(block.data).digest(), None, -1)


def _united(rows: Rows, parts: Iterable[_Part]) -> Survey:
    """Mean and variance are accumulated from block to block, in float64 (Chan, Golub and LeVeque 1979)."""
    n, d = rows.shape
    seen, mean, squares = 0, np.zeros(d), np.zeros(d)
    n_bad, first_bad = np.zeros(d, dtype=np.int64), n
    digest = hashlib.sha256(f"{rows.shape}{rows.dtype.str}".encode())
    for part in parts:
        if part.n_bad is not None:
            n_bad += part.n_bad
            first_bad = min(first_bad, part.first_bad)
            continue
        digest.update(part.digest)
        change = part.mean - mean
        squares += part.squares + change**2 * seen * part.n_rows / (seen + part.n_rows)
        seen += part.n_rows
        mean += change * part.n_rows / seen
    if n_bad.any():
        columns = [f"'{name}' ({bad:,})" for name, bad in zip(rows.names, n_bad.tolist(), strict=True) if bad]
        raise TableError(
            f"Missing or infinite values in {counted(len(columns), 'column')}: {more(columns)}; the first is in "
            f"data row {first_bad + 1:,}. Complete these rows, leave them out, or choose other columns."
        )
    return Survey(mean, np.sqrt(squares / n), digest.hexdigest())
