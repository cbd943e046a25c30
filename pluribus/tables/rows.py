"""Rows: a table of numbers that need not fit into memory, read where and as far as it is needed."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from pluribus._engine import DaskCluster, plain_array
from pluribus.tables._annotated import refuse_annotated
from pluribus.tables._opened import Opened, refuse_directory
from pluribus.tables._survey import Survey, survey_here, survey_there
from pluribus.tables.errors import TableError, counted, listing

BLOCK = 16_384  # rows that are worked on together: blocks begin at its multiples, wherever the rows are
_AT_ONCE = 2**20  # numbers that are scaled
_LEAST_RANGE = 1e-150  # squares of smaller differences are rounded to 0, or nearly


class Rows(ABC):
    """n rows of d numbers, in memory or not: all that clustering at size asks of a table.

    Rows are taken by number, or read through once in blocks; nobody asks for all of them at once. Made by
    `open_rows` from a file or an array; `EnsembleClusterer` and `pluribus.generate` take them in place of X.

    Attributes
    ----------
    shape : (int, int)
    dtype : numpy float32 or float64
    names : tuple of str
        Of the columns.
    in_memory : array, memory map, sparse matrix or None
        What holds the rows, if they need not be read.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus.tables import open_rows
    >>> rows = open_rows(np.arange(10, dtype=np.float32).reshape(5, 2))
    >>> rows
    Rows(5 rows, 2 columns, float32)
    >>> rows.take(np.array([1, 3])).tolist()
    [[2.0, 3.0], [6.0, 7.0]]
    >>> [(start, len(block)) for start, block in rows.blocks(2)]
    [(0, 2), (2, 2), (4, 1)]
    """

    shape: tuple[int, int]
    dtype: np.dtype
    names: tuple[str, ...]
    portion = 1  # rows that are better read together

    @property
    def in_memory(self) -> Any:
        """What holds the rows, if they need not be read."""
        return None

    @abstractmethod
    def take(self, rows: np.ndarray) -> Any:
        """Return a copy of some of the rows, given by their numbers."""

    @abstractmethod
    def blocks(self, size: int) -> Iterator[tuple[int, Any]]:
        """Yield all rows, `size` at a time, each block after the number of its first row; do not change blocks."""

    def piece(self, rows: range | np.ndarray) -> Any:
        """What a task that runs elsewhere gets some rows by (see `taken`): what these are read from, and their numbers.

        Rows that cannot be read elsewhere give the rows themselves.
        """
        return self, rows

    def on(self, client: Any) -> Rows:
        """The rows as the workers of a Dask client have them: what is in Dask stays in their memory."""
        return self

    def ids(self) -> np.ndarray | None:
        """What the rows are called, as text; None if they have no names."""
        return None

    @cached_property
    def survey(self) -> Survey:
        """Read all rows once, and refuse numbers that are missing or infinite."""
        return survey_here(self)

    def look_through(self, cluster: DaskCluster, verbose: bool) -> None:
        """Have the survey made by a cluster's workers, if nobody has asked for it yet."""
        if "survey" not in vars(self):
            self.survey = survey_there(self, cluster, verbose)

    def standardized(self) -> Rows:
        """The same rows with mean 0 and variance 1 in each column, scaled as they are read; constant columns become 0.

        Examples
        --------
        >>> import numpy as np
        >>> from pluribus.tables import open_rows
        >>> rows = open_rows(np.array([[1.0, 5.0], [3.0, 5.0]])).standardized()
        >>> rows.take(np.array([0, 1])).tolist()
        [[-1.0, 0.0], [1.0, 0.0]]
        """
        return _ScaledRows(self)

    def __repr__(self) -> str:
        n, d = self.shape
        return f"Rows({counted(n, 'row')}, {counted(d, 'column')}, {self.dtype})"


class ArrayRows(Rows):
    """The rows of an array, a memory map or a sparse matrix, without a copy.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus.tables._internal import ArrayRows
    >>> X = np.eye(3)
    >>> ArrayRows(X).in_memory is X
    True
    """

    def __init__(self, array: Any, path: Path | None = None, opened: Opened | None = None) -> None:
        self._array = array
        self._path, self._opened = path, opened  # of a map
        self.shape = array.shape
        self.dtype = array.dtype
        self.names = tuple(f"x{j}" for j in range(array.shape[1]))

    @property
    def in_memory(self) -> Any:
        """The array; a map only while its file is what it was: reading beyond a new end would kill the process."""
        if self._path is not None and self._opened is not None:
            self._opened.check(self._path)
        return self._array

    def take(self, rows: np.ndarray) -> Any:
        """Pick rows."""
        return self.in_memory[rows]

    def blocks(self, size: int) -> Iterator[tuple[int, Any]]:
        """Yield views."""
        for start in range(0, self.shape[0], size):
            yield start, self.in_memory[start : start + size]

    def piece(self, rows: range | np.ndarray) -> Any:
        """The rows themselves."""
        found = self.in_memory[rows.start : rows.stop] if isinstance(rows, range) else self.in_memory[rows]
        return found.view(np.ndarray) if isinstance(found, np.memmap) else found


class _ScaledRows(Rows):
    """Rows with mean 0 and variance 1, scaled block by block."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.shape, self.dtype, self.names, self.portion = rows.shape, rows.dtype, rows.names, rows.portion
        survey = rows.survey
        tiny = ~survey.constant & (survey.high - survey.low < _LEAST_RANGE)
        if tiny.any():
            names = [name for name, bad in zip(rows.names, tiny.tolist(), strict=True) if bad]
            raise TableError(
                f"The values of {counted(len(names), 'column')} are too close to each other to be squared: "
                f"{listing(names)}, by less than {_LEAST_RANGE:g}. Multiply them by a large number, or leave them out."
            )
        self.mean = survey.mean
        self.divisor = np.where(survey.constant, np.inf, survey.deviation)

    def take(self, rows: np.ndarray) -> np.ndarray:
        found = self.rows.take(rows)
        return scaled(found, self.mean, self.divisor, out=found)

    def blocks(self, size: int) -> Iterator[tuple[int, np.ndarray]]:
        for start, block in self.rows.blocks(size):
            yield start, scaled(block, self.mean, self.divisor)

    def piece(self, rows: range | np.ndarray) -> Any:
        piece = self.rows.piece(rows)
        return (self, rows) if isinstance(piece, tuple) else scaled(piece, self.mean, self.divisor)

    def ids(self) -> np.ndarray | None:
        return self.rows.ids()


def scaled(block: np.ndarray, mean: np.ndarray, divisor: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    """Rows less their means, divided, in the rows' own type; computed in float64, a few rows at a time."""
    out = np.empty_like(block, order="C") if out is None else out
    size = max(1, _AT_ONCE // block.shape[1])
    for start in range(0, len(block), size):
        part = block[start : start + size] - mean
        part /= divisor
        out[start : start + size] = part
    return out


def open_rows(source: Any, columns: Sequence[str] | None = None, id_column: str | None = None) -> Rows:
    """Open a table of numbers for reading in parts, without loading it.

    Parameters
    ----------
    source : path of a Parquet (.parquet, .pq) or NumPy (.npy) file, array, memory map, dask array or data frame, Rows
        Parquet is read row group by row group; columns that are all float32 stay float32. A ``.npy`` file is mapped
        into memory. Arrays are used as they are. What is in Dask stays there.
    columns : sequence of str, optional
        The columns to use, of a Parquet file; by default all but `id_column`.
    id_column : str, optional
        The column of a Parquet file that names the rows.

    Returns
    -------
    Rows

    Raises
    ------
    TableError
        If columns do not exist, hold no numbers, or are known to miss values; numbers are looked at when they are read.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import numpy as np, pandas as pd
    >>> from pluribus.tables import open_rows
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name, "big.parquet")
    >>> pd.DataFrame({"a": np.arange(6.0), "b": np.ones(6), "who": list("uvwxyz")}).to_parquet(path, row_group_size=4)
    >>> rows = open_rows(path, id_column="who")
    >>> rows
    Rows(6 rows, 2 columns, float64)
    >>> rows.take(np.array([0, 5])).tolist(), rows.ids()[5]
    ([[0.0, 1.0], [5.0, 1.0]], np.str_('z'))
    >>> folder.cleanup()
    """
    if isinstance(source, Rows):
        return source
    path = opened = None
    if isinstance(source, str | PathLike):
        path = Path(source)
        if path.suffix.lower() in (".parquet", ".pq"):
            # Arrow takes a while to load.
            from pluribus.tables._parquet_rows import ParquetRows

            return ParquetRows(path, columns, id_column)
        source, opened = _mapped(path)
    if columns is not None or id_column is not None:
        raise TableError("columns and id_column are for Parquet files: give an array without the columns not wanted.")
    if is_dask(source):
        # Dask is an extra.
        from pluribus.tables._dask_rows import DaskRows

        return DaskRows(source)
    array = plain_array("source", source, error=TableError)
    if array.ndim != 2 or 0 in array.shape:
        raise TableError(f"An array of shape {array.shape} is no table: give rows and columns, at least one of each.")
    if array.dtype not in (np.float32, np.float64):
        raise TableError(f"The array holds {array.dtype}: give float32 or float64, so that no copy has to be made.")
    return ArrayRows(array, path, opened)


def is_dask(source: Any) -> bool:
    """Whether something is a dask array or data frame, which Dask need not be loaded to see.

    Examples
    --------
    >>> from pluribus.tables._internal import is_dask
    >>> is_dask([[1.0, 2.0]])
    False
    """
    return hasattr(source, "__dask_graph__")


def _mapped(path: Path) -> tuple[np.ndarray, Opened]:
    refuse_directory(path, ".parquet or .npy")
    if path.suffix.lower() != ".npy":
        raise TableError(
            f"'{path}' cannot be read in parts: give a .parquet or .npy file, or read it whole with "
            "pluribus.tables.read_table."
        )
    try:
        opened = Opened.at(path)
        return np.load(path, mmap_mode="r", allow_pickle=False), opened
    except FileNotFoundError as error:
        raise TableError(f"'{path}' does not exist. Check the path.") from error
    except (OSError, ValueError, EOFError) as error:
        raise TableError(f"'{path}' cannot be read as a NumPy array ({error}). Check the file.") from error


def open_data(X: Any, cluster: DaskCluster | None = None, verbose: bool = False) -> Any:
    """Open a file or a Dask collection and check it for missing values; data in memory is checked elsewhere.

    Parameters
    ----------
    X : anything that ``Generator.generate`` takes
    cluster : DaskCluster, optional
        The workers that read the data, and keep Dask collections in their memory.
    verbose : bool
        Whether to show progress.

    Returns
    -------
    Rows if X is a file, a Dask collection, or Rows that are not in memory; otherwise the array or data frame

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus.tables._internal import open_data
    >>> from pluribus.tables import open_rows
    >>> X = np.eye(3)
    >>> open_data(open_rows(X)) is X
    True
    """
    refuse_annotated(X)
    if isinstance(X, str | os.PathLike) or is_dask(X):
        X = open_rows(X)
    if not isinstance(X, Rows):
        return X
    if X.in_memory is not None:
        return X.in_memory
    if cluster is not None:
        X = X.on(cluster.client)
        X.look_through(cluster, verbose)
    _ = X.survey
    return X
