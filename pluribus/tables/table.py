"""Table: the objects of a file, before anything was decided about its columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import InitVar, dataclass
from typing import Any

import numpy as np
import pandas as pd

from pluribus._engine import list_of, plain_array, whole_number
from pluribus.tables.errors import TableError, counted, listing

# Where pandas (in Parquet) keeps row names that have no name of their own; we call those of a CSV the same.
ROW_NAMES = "__index_level_0__"


@dataclass(frozen=True, repr=False)
class Table:
    """The objects of a file: one row each, with an identifier.

    Parameters
    ----------
    frame : pandas.DataFrame
        The columns to cluster by, as they were read (at least two rows, no two columns with one name).
    ids : array of str, shape (n,)
        One identifier for each row, all different.
    name : str
        What to call the table: the name of the file without its ending.
    notes : tuple of str
        What was decided while reading, in plain words.
    decimal : str
        The decimal mark of the file, which cells that are still text are judged by.
    named : bool
        Whether the ids come from the file; else the rows are numbered.
    id_column : str, optional
        The column that the ids come from.
    least_rows : int
        Fewer rows are refused.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from pluribus.tables import Table
    >>> Table(pd.DataFrame({"height": [1.6, 1.8]}), np.array(["ann", "bob"]), "people")
    Table('people': 2 rows, 1 column)
    """

    frame: pd.DataFrame
    ids: np.ndarray
    name: str
    notes: tuple[str, ...] = ()
    decimal: str = "."
    named: bool = False
    id_column: str | None = None
    least_rows: InitVar[int] = 2

    def __post_init__(self, least_rows: int) -> None:
        if not isinstance(self.frame, pd.DataFrame):
            raise TableError(f"frame is of type {type(self.frame).__name__}: give a pandas DataFrame, or use as_table.")
        ids = plain_array("ids", self.ids, error=TableError)
        if ids.ndim != 1 or ids.dtype.kind == "V":
            raise TableError(f"'{self.name}' has ids of type {type(self.ids).__name__}: give one id for each row.")
        check_names([str(column) for column in self.frame.columns], self.name)
        n, least_rows = len(self.frame), whole_number("least_rows", least_rows, 0, error=TableError)
        if n < least_rows:
            number, least = ("no rows", "one row")[n == 1], "one row" if least_rows == 1 else "two rows to cluster"
            raise TableError(f"'{self.name}' has {number} of data. Give at least {least}.")
        if len(self.ids) != n:
            raise TableError(f"'{self.name}' has {n} rows but {len(self.ids)} ids. Give one id for each row.")
        identifiers = pd.Series(self.ids)
        if identifiers.duplicated().any():
            repeated = identifiers[identifiers.duplicated()].unique()
            raise TableError(
                f"'{self.name}' has duplicate ids: {listing(repeated, 5)} stand for more than one row. "
                "Give every row an id of its own, or use no id column (rows are then numbered)."
            )

    def __repr__(self) -> str:
        rows, columns = self.frame.shape
        return f"Table('{self.name}': {counted(rows, 'row')}, {counted(columns, 'column')})"


def check_table(table: Any) -> None:
    """Refuse what is not a ``Table``."""
    if not isinstance(table, Table):
        raise TableError(f"The table is of type {type(table).__name__}: make a Table of it by as_table.")


def check_names(names: Sequence[str], source: str) -> None:
    """Refuse two columns with one name."""
    repeated = [name for name, times in Counter(names).items() if times > 1]
    if repeated:
        raise TableError(
            f"'{source}' has more than one column named {listing(repeated)}. Rename them so that each name "
            "is used once; if the first line is data, put a line of column names above it."
        )


def names_given(names: Any) -> tuple[str, ...]:
    """Names of columns, given as a list of them or as one."""
    if isinstance(names, str):
        return (names,)
    return tuple(list_of("columns", names, "names of columns", error=TableError))


@dataclass(frozen=True)
class Selection:
    """Which column holds the ids, and which columns are left out.

    ``find_id``: without an ``id_column``, one called "id" holds them, if there is one.
    """

    id_column: str | None
    ignore: tuple[str, ...]
    find_id: bool = False

    def id_in(self, names: Iterable[str]) -> str | None:
        """The column of ids among these."""
        if self.id_column is not None or not self.find_id:
            return self.id_column
        return next((name for name in names if str(name).lower() == "id" and name not in self.ignore), None)

    def check(self, names: Sequence[str], source: str) -> None:
        """Refuse duplicate names, and columns that are not there."""
        check_names(names, source)
        present = [name for name in names if name != ROW_NAMES]
        if self.id_column is not None and not isinstance(self.id_column, str):
            raise TableError(f"id_column={self.id_column!r}: give the name of a column.")
        if self.id_column is not None and self.id_column not in present:
            raise TableError(
                f"'{source}' has no column '{self.id_column}' to take the ids from. "
                f"Its columns are {listing(present, 20)}."
            )
        unknown = [name for name in self.ignore if not isinstance(name, str) or name not in present]
        if unknown:
            raise TableError(
                f"'{source}' has no column {listing(unknown)}, which is to be ignored. "
                f"Its columns are {listing(present, 20)}."
            )

        if self.ignore and not [name for name in present if name not in (*self.ignore, self.id_in(present))]:
            raise TableError(
                f"'{source}' has no column left: all of {listing(self.ignore, 20)} are to be ignored. Ignore fewer."
            )

    def keep(self, names: Sequence[str]) -> list[str]:
        """Name the columns to read: all but the ignored ones; the ids are needed in any case."""
        return [name for name in names if name not in self.ignore or name == self.id_column]
