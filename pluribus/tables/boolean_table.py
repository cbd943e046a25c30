"""From a table of numbers and categories to one of zeros and ones."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from pluribus._engine import real_number
from pluribus.tables._columns import Column
from pluribus.tables._understood import understood
from pluribus.tables.as_table import as_table
from pluribus.tables.errors import TableError, counted, listing
from pluribus.tables.table import names_given

_MOST_VALUES = 50  # of a number that is read as a category


@dataclass(frozen=True, repr=False)
class BooleanTable:
    """A table as zeros and ones, for co-clustering.

    Attributes
    ----------
    X : csr_array of shape (n, d), bool
    feature_names : list of str
        A name for each column: ``"vote=y"`` for a value of a category, ``"gene > 2.5"`` for a number.
    ids : ndarray of n texts
    notes : list of str
        Every choice that was made, in plain words.

    Examples
    --------
    >>> from pluribus.tables import boolean_table
    >>> boolean_table([[0, 4.0], [1, 0.5]])
    BooleanTable(2 rows, 2 columns)
    """

    X: sparse.csr_array
    feature_names: list[str]
    ids: np.ndarray
    notes: list[str]

    def __repr__(self) -> str:
        rows, columns = self.X.shape
        return f"BooleanTable({counted(rows, 'row')}, {counted(columns, 'column')})"


def boolean_table(
    data: Any, *, above: float = 0.25, categories: Iterable[str] = (), ignore: Iterable[str] = ()
) -> BooleanTable:
    """Turn a table into zeros and ones.

    - A number becomes 1 where it is above a share of the largest value of its column: a gene is expressed, or not.
      Numbers that are 0 or 1 stay. (For a share of the largest value of each row, give the transposed table.)
    - Yes/no columns stay.
    - A category becomes a column for each of its values; so do the numbers named in ``categories``.
    - A missing value is 0 in all columns made from its own: a vote that was not cast is neither yes nor no.
    - Dates, free text, and columns that would have no ones are dropped, with a note.

    Parameters
    ----------
    data : path, data frame, array of shape (n, d) or Table
    above : float, default=0.25
        The share of the largest value, from 0 to 1.
    categories : names of columns
        Columns of numbers to be read as categories, with up to 50 values each.
    ignore : names of columns to leave out

    Returns
    -------
    BooleanTable

    Examples
    --------
    >>> import pandas as pd
    >>> from pluribus.tables import boolean_table
    >>> animals = pd.DataFrame({"fins": [True, False, False, False], "legs": [0, 4, 4, 2], "kg": [90, 300, None, 30],
    ...                         "food": ["fish", "grass", "grass", None]})
    >>> found = boolean_table(animals, categories=["legs"])
    >>> found.feature_names
    ['fins', 'legs=0', 'legs=2', 'legs=4', 'kg > 75', 'food=fish', 'food=grass']
    >>> found.X.toarray().astype(int).tolist()
    [[1, 1, 0, 0, 1, 1, 0], [0, 0, 0, 1, 1, 0, 1], [0, 0, 0, 1, 0, 0, 1], [0, 0, 1, 0, 0, 0, 0]]
    """
    share = real_number("above", above, 0, 1, error=TableError)
    table = as_table(data, ignore=ignore, least_rows=1)
    columns, unusable = understood(table)
    named = _checked_names(categories, columns)
    notes = [f"Dropped '{column.name}': {column.reason}." for column in unusable]
    parts: dict[str, np.ndarray] = {}
    for column in columns:
        if column.kind == "date":
            notes.append(f"Dropped '{column.name}': dates have no share of a largest value.")
        elif column.kind == "category" or column.name in named:
            parts |= _values(column)
        else:
            parts |= _marked(column, share)
    kept = {name: part for name, part in parts.items() if part.any()}
    if len(kept) < len(parts):
        notes.append(f"Dropped columns without ones: {listing(name for name in parts if name not in kept)}.")
    if not kept:
        raise TableError(" ".join([f"'{table.name}' has no column that can be 0 and 1.", *notes]))
    X = sparse.csr_array(np.column_stack(list(kept.values())))
    return BooleanTable(X, list(kept), table.ids, [*table.notes, *notes])


def _checked_names(categories: Iterable[str], columns: list[Column]) -> tuple[str, ...]:
    names, known = names_given(categories), {column.name: column for column in columns}
    unknown = [name for name in names if not isinstance(name, str) or name not in known]
    if unknown:
        raise TableError(f"There is no column {listing(unknown)} to be read as a category: there are {listing(known)}.")
    for column in (known[name] for name in names if known[name].kind == "number"):
        n_values = len(np.unique(column.values[np.isfinite(column.values)]))
        if n_values > _MOST_VALUES:
            raise TableError(
                f"'{column.name}' has {n_values:,} different numbers, more than the {_MOST_VALUES} of a category: "
                "leave it out of categories."
            )
    return names


def _values(column: Column) -> dict[str, np.ndarray]:
    """A column for each value."""
    if column.kind == "category":
        return {f"{column.name}={level}": column.values == code for code, level in enumerate(column.levels)}
    numbers = np.unique(column.values[np.isfinite(column.values)])
    return {f"{column.name}={number:g}": column.values == number for number in numbers}


def _marked(column: Column, share: float) -> dict[str, np.ndarray]:
    """Where a number is above a share of the largest; zeros and ones as they are."""
    known = column.values[np.isfinite(column.values)]
    if column.kind == "boolean" or np.isin(known, (0, 1)).all():
        return {column.name: column.values == 1}
    threshold = share * known.max()
    return {f"{column.name} > {threshold:g}": column.values > threshold}
