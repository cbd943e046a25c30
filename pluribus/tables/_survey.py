"""One pass over rows: what is missing, means and variances, and a digest; block by block, here or by a cluster."""

from __future__ import annotations

import hashlib
import socket
from collections.abc import Iterable
from functools import reduce
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pluribus._engine import DaskCluster, run_tasks
from pluribus.tables.errors import TableError, counted, more

if TYPE_CHECKING:
    from pluribus.tables.rows import Rows

SURVEYED = 1_024  # rows looked at in one go: the same for all, since sums round as they are divided
_READ_BYTES, _READ = 2**25, 64  # such blocks that are read together: so large, and so many, at most


class Survey(NamedTuple):
    """What one pass over the rows tells of each column, and a digest.

    The digest is of the numbers: the same wherever they are read from.
    """

    mean: np.ndarray
    deviation: np.ndarray
    low: np.ndarray
    high: np.ndarray
    constant: np.ndarray
    digest: str


class Moments(NamedTuple):
    """Means and sums of squared deviations of columns."""

    n_rows: int
    mean: np.ndarray
    squares: np.ndarray


class _Part(NamedTuple):
    """What there is to say of one block; without moments, if there are gaps."""

    moments: Moments | None
    low: np.ndarray
    high: np.ndarray
    digest: bytes
    n_bad: np.ndarray
    first_bad: int


def survey_here(rows: Rows) -> Survey:
    """Read all rows once, and refuse numbers that are missing or infinite."""
    return _united(rows, (part for start, block in rows.blocks(_read_together(rows)) for part in _look(start, block)))


def survey_there(rows: Rows, cluster: DaskCluster, verbose: bool) -> Survey:
    """The same, bit for bit, by a cluster's workers."""
    n = rows.shape[0]
    size = _read_together(rows)
    size *= max(1, rows.portion // size)
    parts = run_tasks(
        _look_at_piece,
        range(0, n, size),
        sent=lambda start: (start, rows.piece(range(start, min(start + size, n)))),
        engine=cluster,
        description=f"reading {n:,} rows",
        verbose=verbose,
    )
    return _united(rows, (part for some in parts for part in some))


def mean_and_deviation(values: np.ndarray) -> tuple[float, float]:
    """Those of one column that is in memory, bit for bit as a survey has them."""
    blocks = (values[start : start + SURVEYED, None] for start in range(0, len(values), SURVEYED))
    found = reduce(_joined, map(_moments, blocks))
    return float(found.mean[0]), float(np.sqrt(found.squares[0] / len(values)))


def is_constant(low: Any, high: Any) -> Any:
    """Whether values from low to high are all equal, but for the rounding of floats."""
    return high - low <= 1e-12 * np.maximum(np.abs(low), np.abs(high))


def taken(piece: Any) -> Any:
    """The rows of a piece, where they are needed (see ``Rows.piece``).

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus.tables import open_rows
    >>> from pluribus.tables._internal import taken
    >>> taken(open_rows(np.eye(3)).piece(range(1, 2))).tolist()
    [[0.0, 1.0, 0.0]]
    """
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
    return _look(start, taken(piece))


def _read_together(rows: Rows) -> int:
    """How many rows are read at a time, however they are looked at."""
    in_bytes = SURVEYED * rows.shape[1] * rows.dtype.itemsize
    return SURVEYED * max(1, min(_READ, _READ_BYTES // in_bytes))


def _look(start: int, block: np.ndarray) -> list[_Part]:
    return [_part(start + low, block[low : low + SURVEYED]) for low in range(0, len(block), SURVEYED)]


def _part(start: int, block: np.ndarray) -> _Part:
    block = np.ascontiguousarray(block)
    finite = np.isfinite(block)
    if not finite.all():
        nothing = np.zeros(block.shape[1])
        return _Part(None, nothing, nothing, b"", (~finite).sum(axis=0), start + int(np.argmin(finite.all(axis=1))))
    digest = hashlib.sha256(block.data).digest()
    no_gaps = np.zeros(block.shape[1], dtype=np.int64)
    return _Part(_moments(block), block.min(axis=0), block.max(axis=0), digest, no_gaps, -1)


def _moments(block: np.ndarray) -> Moments:
    """A column's do not depend on the others: each is laid out by itself, since sums round as numbers are laid out."""
    columns = block.T.astype(np.float64, order="C")
    with np.errstate(over="ignore", invalid="ignore"):  # refused when all are together
        mean = columns.mean(axis=1)
        columns -= mean[:, None]
        return Moments(len(block), mean, np.square(columns, out=columns).sum(axis=1))


def _joined(one: Moments, other: Moments) -> Moments:
    """The moments of two blocks together (Chan, Golub and LeVeque 1979)."""
    n = one.n_rows + other.n_rows
    with np.errstate(over="ignore", invalid="ignore"):
        change = other.mean - one.mean
        squares = one.squares + other.squares + change**2 * (one.n_rows * other.n_rows / n)
        return Moments(n, one.mean + change * (other.n_rows / n), squares)


def _united(rows: Rows, parts: Iterable[_Part]) -> Survey:
    n, d = rows.shape
    moments: Moments | None = None
    low, high = np.full(d, np.inf), np.full(d, -np.inf)
    n_bad, first_bad = np.zeros(d, dtype=np.int64), n
    digest = hashlib.sha256(f"{rows.shape}{rows.dtype.str}".encode())
    for part in parts:
        if part.moments is None:
            n_bad += part.n_bad
            first_bad = min(first_bad, part.first_bad)
            continue
        digest.update(part.digest)
        moments = part.moments if moments is None else _joined(moments, part.moments)
        low, high = np.minimum(low, part.low), np.maximum(high, part.high)
    if n_bad.any() or moments is None:
        columns = [f"'{name}' ({bad:,})" for name, bad in zip(rows.names, n_bad.tolist(), strict=True) if bad]
        raise TableError(
            f"Missing or infinite values in {counted(len(columns), 'column')}: {more(columns)}; the first is in "
            f"data row {first_bad + 1:,}. Complete these rows, leave them out, or choose other columns."
        )
    large = ~np.isfinite(moments.squares)
    if large.any():
        columns = [f"'{name}'" for name, bad in zip(rows.names, large.tolist(), strict=True) if bad]
        raise TableError(
            f"The values of {counted(len(columns), 'column')} are too large to be squared: {more(columns)}, up to "
            f"{np.abs([low[large], high[large]]).max():.3g}. Divide them by such a number."
        )
    deviation = np.sqrt(moments.squares / n)
    return Survey(moments.mean, deviation, low, high, is_constant(low, high), digest.hexdigest())
