"""What users hand over as a table: a path, a data frame, an array."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pluribus.tables.errors import TableError
from pluribus.tables.read_table import id_texts, read_table, row_numbers
from pluribus.tables.table import Selection, Table, names_given


def as_table(
    data: Any,
    *,
    id_column: str | None = None,
    ignore: Iterable[str] = (),
    name: str = "table",
    least_rows: int = 2,
) -> Table:
    """The objects of a file, a data frame (pandas, polars) or an array of shape (n, d).

    Parameters
    ----------
    data : path, data frame, array or Table
    id_column : str, optional
        The column that names the rows; by default one called "id". Without one, the index of a data frame names them if
        it is more than a count; else they are numbered.
    ignore : iterable of str
        Columns to leave out.
    name : str
        What to call the table in messages, if it is not a file.
    least_rows : int
        Fewer rows are refused.

    Examples
    --------
    >>> import pandas as pd
    >>> from pluribus.tables import as_table
    >>> as_table(pd.DataFrame({"id": ["ann", "bob"], "height": [1.6, 1.8]})).ids.tolist()
    ['ann', 'bob']
    """
    ignored = names_given(ignore)
    if isinstance(data, Table):
        if id_column is not None or ignored:
            raise TableError(
                f"'{data.name}' is read already: give id_column and ignore to read_table or as_table when it is made."
            )
        return data
    if isinstance(data, str | PathLike):
        return read_table(data, id_column=id_column, ignore=ignored, find_id=True, least_rows=least_rows)
    frame = _as_frame(data)
    selection = Selection(id_column, ignored, find_id=True)
    selection.check([str(column) for column in frame.columns], name)
    named_by = selection.id_in(frame.columns)
    ids = _ids(frame, named_by, name)
    left_out = {*ignored, *([] if named_by is None else [named_by])}
    frame = frame[[column for column in frame.columns if column not in left_out]].reset_index(drop=True)
    numbered = row_numbers(len(frame)) if ids is None else ids
    return Table(frame, numbered, name, named=ids is not None, id_column=named_by, least_rows=least_rows)


def _as_frame(data: Any) -> pd.DataFrame:
    """A pandas data frame with text for column names."""
    if hasattr(data, "to_pandas"):  # polars, pyarrow
        data = data.to_pandas()
    if isinstance(data, pd.DataFrame):
        return data.set_axis([str(column) for column in data.columns], axis=1)
    try:
        array = np.asarray(data)
    except ValueError:
        raise TableError("The data has rows of different lengths: give each row a value for every column.") from None
    if array.ndim != 2 or array.dtype.kind not in "biufO":
        raise TableError(
            f"The data is {_described(data, array)}. Give a table: a path, a data frame, or an array of numbers with a "
            "row for each object."
        )
    return pd.DataFrame(array, columns=[f"x{column}" for column in range(array.shape[1])])


def _described(data: Any, array: np.ndarray) -> str:
    if array.ndim == 0:
        return f"of type {type(data).__name__}"
    return f"an array of shape {array.shape} and type {array.dtype}"


def _ids(frame: pd.DataFrame, named_by: str | None, source: str) -> np.ndarray | None:
    """The ids: a column, or an index that is more than a count."""
    if named_by is not None:
        return id_texts(frame[named_by], source)
    if isinstance(frame.index, pd.RangeIndex | pd.MultiIndex) or not frame.index.is_unique:
        return None
    counted = frame.index.inferred_type == "integer" and np.array_equal(frame.index, np.arange(len(frame)))
    return None if counted else id_texts(frame.index.to_series(name=frame.index.name or "index"), source)


def name_of(data: Any) -> str:
    """What to call the data in messages and files.

    >>> name_of("data/wine.csv"), name_of([[1, 2]])
    ('wine.csv', 'table')
    """
    if isinstance(data, str | PathLike):
        return Path(data).name
    return data.name if isinstance(data, Table) else "table"
