"""The rows of a Parquet file, read row group by row group."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from pluribus.tables._index import columns_of
from pluribus.tables._opened import Opened, changed, refuse_directory
from pluribus.tables.errors import TableError, counted, listing, more
from pluribus.tables.rows import Rows

BATCH = 65_536  # rows decoded in one go, at most
_BATCH_BYTES = 2**24  # and so large
_BUFFERS = 2**24  # bytes read ahead of all columns; without these a row group is read whole
_SHARES = 4  # tasks that may have to decode the same row group


class ParquetRows(Rows):
    """Some columns of a Parquet file as numbers; opened anew for each reading, so that it can be sent elsewhere."""

    def __init__(self, path: Path, columns: Sequence[str] | None = None, id_column: str | None = None) -> None:
        if isinstance(columns, str):
            raise TableError(f"columns={columns!r} is a text: give a list of names, as in columns=[{columns!r}].")
        refuse_directory(path, ".parquet")
        self.path = path
        self.id_column = id_column
        self._opened: Opened | None = None
        self.names = ()
        with self._file() as file:
            schema, metadata = file.schema_arrow, file.metadata
            present, levels = columns_of(schema, path)
            left_out = {*levels, id_column}
            self.names = tuple(columns) if columns is not None else tuple(n for n in present if n not in left_out)
            unknown = [name for name in (*self.names, *([id_column] if id_column else [])) if name not in present]
            if unknown:
                raise TableError(f"'{path}' has no column {listing(unknown)}. Its columns are {listing(present, 20)}.")
            if len(set(self.names)) < len(self.names):
                raise TableError(f"columns={list(self.names)} has names more than once: give each once.")
            if not self.names or not metadata.num_rows:
                raise TableError(f"'{path}' has no {'rows' if self.names else 'columns to cluster by'}.")
            kinds = {name: schema.field(name).type for name in self.names}
            _refuse_texts(kinds, path)
            _refuse_known_gaps(metadata, self.names, path)
            single = all(pa.types.is_float32(kind) or pa.types.is_float16(kind) for kind in kinds.values())
            self.dtype = np.dtype(np.float32 if single else np.float64)
            self.shape = metadata.num_rows, len(self.names)
            sizes = [metadata.row_group(g).num_rows for g in range(metadata.num_row_groups)]
            self._starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
            self.portion = -(-max(sizes) // _SHARES)

    def __getstate__(self) -> dict:
        return {**self.__dict__, "path": self.path.absolute()}  # it may be opened from another directory

    def take(self, rows: np.ndarray) -> np.ndarray:
        """Read through the row groups that hold some of the rows."""
        rows = np.asarray(rows, dtype=np.int64)
        if len(rows) and not 0 <= rows.min() <= rows.max() < self.shape[0]:
            raise IndexError(f"'{self.path}' has the rows 0 to {self.shape[0] - 1:,}: take no others.")
        if (np.diff(rows) < 0).any():
            order = np.argsort(rows, kind="stable")
            found = np.empty((len(rows), self.shape[1]), dtype=self.dtype)
            found[order] = self.take(rows[order])
            return found
        out = np.empty((len(rows), self.shape[1]), dtype=self.dtype)
        bounds = np.searchsorted(rows, self._starts)
        wanted = np.flatnonzero(bounds[1:] > bounds[:-1])
        for start, batch in self._batches(wanted.tolist()):
            low, high = np.searchsorted(rows, [start, start + batch.num_rows])
            if high > low:
                out[low:high] = self._numbers(batch, start)[rows[low:high] - start]
        return out

    def blocks(self, size: int) -> Iterator[tuple[int, np.ndarray]]:
        """Yield all rows; blocks do not depend on the sizes of the row groups."""
        n, d = self.shape
        first, filled, block = 0, 0, np.empty((min(size, n), d), dtype=self.dtype)
        for start, batch in self._batches(list(range(len(self._starts) - 1))):
            numbers = self._numbers(batch, start)
            used = 0
            while used < len(numbers):
                part = numbers[used : used + len(block) - filled]
                block[filled : filled + len(part)] = part
                filled += len(part)
                used += len(part)
                if filled == len(block):
                    yield first, block
                    first += filled
                    filled, block = 0, np.empty((min(size, n - first), d), dtype=self.dtype)

    def ids(self) -> np.ndarray | None:
        """Read the column that names the rows."""
        if self.id_column is None:
            return None
        with self._file() as file:
            column = file.read(columns=[self.id_column]).column(self.id_column)
            self._check(len(column) == self.shape[0])
        if column.null_count:
            raise TableError(
                f"'{self.path}' has {counted(column.null_count, 'row')} without an id in column '{self.id_column}'. "
                "Fill them in, or use another id column."
            )
        return column.to_pandas().astype(str).to_numpy(dtype=object).astype(str)

    def _batches(self, groups: list[int]) -> Iterator[tuple[int, pa.RecordBatch]]:
        """Decode row groups in parts, each with the number of its first row."""
        size = max(1, min(BATCH, _BATCH_BYTES // (self.shape[1] * self.dtype.itemsize)))
        with self._file() as file:
            for group in groups:
                start, stop = self._starts[group : group + 2].tolist()
                for batch in file.iter_batches(size, row_groups=[group], columns=list(self.names), use_threads=False):
                    self._check(start + batch.num_rows <= stop)
                    yield start, batch
                    start += batch.num_rows
                self._check(start == stop)

    def _check(self, complete: bool) -> None:
        """Refuse what has just been read if the file is another one, or does not hold what it said."""
        assert self._opened is not None
        self._opened.check(self.path)
        if not complete:
            raise changed(self.path)

    def _numbers(self, batch: pa.RecordBatch, start: int) -> np.ndarray:
        out = np.empty((batch.num_rows, self.shape[1]), dtype=self.dtype)
        for j, name in enumerate(self.names):
            # By name, a column "a" also brings one called "a.b".
            column = batch.column(batch.schema.get_field_index(name))
            if column.null_count:
                row = start + int(np.argmax(column.is_null().to_numpy(zero_copy_only=False)))
                raise TableError(
                    f"'{self.path}' has missing values in column '{name}', the first in data row {row + 1:,}. "
                    "Complete these rows, leave them out, or choose other columns."
                )
            if pa.types.is_decimal(column.type):
                column = column.cast(pa.float64())
            out[:, j] = column.to_numpy(zero_copy_only=False)
        return out

    @contextmanager
    def _file(self) -> Iterator[pq.ParquetFile]:
        try:
            if self._opened is None:
                self._opened = Opened.at(self.path)
            ahead = min(max(_BUFFERS // max(len(self.names), 1), 2**14), 2**20)
            with pq.ParquetFile(self.path, pre_buffer=False, buffer_size=ahead) as file:
                self._opened.check(self.path)
                yield file
        except FileNotFoundError as error:
            raise TableError(f"'{self.path}' does not exist. Check the path.") from error
        except (pa.ArrowException, OSError) as error:
            if self._opened is not None:
                self._opened.check(self.path)
            raise TableError(
                f"'{self.path}' is not a Parquet file that can be read ({str(error).splitlines()[0]}). "
                "It may be damaged or incomplete: write or copy it again."
            ) from error


def _refuse_texts(kinds: dict[str, pa.DataType], path: Path) -> None:
    def is_number(kind: pa.DataType) -> bool:
        return (
            pa.types.is_floating(kind)
            or pa.types.is_integer(kind)
            or pa.types.is_boolean(kind)
            or pa.types.is_decimal(kind)
        )

    others = [f"'{name}' ({kind})" for name, kind in kinds.items() if not is_number(kind)]
    if others:
        raise TableError(
            f"'{path}' is read in parts, which takes numbers only, but has other columns: {more(others)}. "
            "Choose other columns, leave these out, or name the one that holds the ids."
        )


def _refuse_known_gaps(metadata: pq.FileMetaData, names: Sequence[str], path: Path) -> None:
    """Refuse what the file itself says to be missing, before anything is read."""
    missing = dict.fromkeys(names, 0)
    for g in range(metadata.num_row_groups):
        group = metadata.row_group(g)
        for c in range(group.num_columns):
            column = group.column(c)
            said = column.statistics
            if column.path_in_schema in missing and said is not None and said.has_null_count:
                missing[column.path_in_schema] += said.null_count
    gaps = [f"'{name}' ({count:,} missing)" for name, count in missing.items() if count]
    if gaps:
        raise TableError(
            f"'{path}' has missing values in {counted(len(gaps), 'column')}: {more(gaps)}. Complete these rows, leave "
            "them out, or choose other columns."
        )
