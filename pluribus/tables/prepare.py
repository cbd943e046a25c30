"""From a table to a matrix of numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from pluribus.tables._columns import Column
from pluribus.tables._survey import is_constant
from pluribus.tables._understood import understood
from pluribus.tables.errors import TableError, counted, listing, more
from pluribus.tables.recipe import Recipe, Scale, check_scaling, column_recipe
from pluribus.tables.table import Table


@dataclass(frozen=True, repr=False)
class Prepared:
    """A table as numbers, ready to be clustered.

    Attributes
    ----------
    X : array of shape (n, d)
        The features: float32 if every column came as float32, else float64; no NaN, no infinity.
    feature_names : list of str
        A name for each column of X; ``"city=Paris"`` for one value of a category.
    notes : list of str
        Every choice that was made here, in plain words (those made in reading are the table's notes).
    frame : pandas.DataFrame
        The columns that were used, in the units of the file: numbers, booleans, categories, dates; gaps
        filled as in X.
    recipe : Recipe
        How each column became features: what ``recipe.apply`` does to new rows.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from pluribus.tables import Table, prepare
    >>> prepare(Table(pd.DataFrame({"height": [1.6, 1.8]}), np.array(["ann", "bob"]), "people"))
    Prepared(2 rows, 1 feature)
    """

    X: np.ndarray
    feature_names: list[str]
    notes: list[str]
    frame: pd.DataFrame
    recipe: Recipe

    def __repr__(self) -> str:
        rows, features = self.X.shape
        return f"Prepared({counted(rows, 'row')}, {counted(features, 'feature')})"


def prepare(table: Table, *, scale: Scale = "standard", impute: bool = False) -> Prepared:
    """Turn the columns of a table into features of equal weight.

    - Numbers are scaled: ``"standard"`` to mean 0 and variance 1, ``"robust"`` by median and interquartile
      range (outliers do not squeeze the rest; a Gaussian column gets variance 1 too), ``"none"`` not.
    - Yes/no columns become 0 and 1; a category of text becomes one 0/1 column for each value (one column
      if there are two values). Unless ``scale="none"``, the columns of one category are centered and divided
      by one number such that their variances sum to 1. The expected squared distance of two rows is then 2
      for a category as it is for a standardized number: no column outweighs another, and the values of a
      category stay equally far from each other.
    - Dates become days, times of the day seconds; then they are numbers.
    - Text with a different value in nearly every row, or with more than 50 values, identifiers, row
      counters and constant columns are dropped, with a note.

    Parameters
    ----------
    table : Table
        What `read_table` gave.
    scale : {"standard", "robust", "none"}
        How to scale.
    impute : bool
        Fill missing and infinite values with the column's median (its most frequent value, if it is a
        category or yes/no). Otherwise they are an error.

    Returns
    -------
    Prepared

    Raises
    ------
    TableError
        If values are missing, if cells in a column of numbers are no numbers, or if no column is left.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from pluribus.tables import Table, prepare
    >>> people = pd.DataFrame({"age": [20, 40, 30, np.nan], "team": ["red", "blue", "red", "red"]})
    >>> prepared = prepare(Table(people, np.array(["ann", "bob", "eve", "joe"]), "people"), impute=True)
    >>> prepared.X.round(2)
    array([[-1.41,  0.58],
           [ 1.41, -1.73],
           [ 0.  ,  0.58],
           [ 0.  ,  0.58]])
    >>> prepared.feature_names
    ['age', 'team=red']
    >>> print(*prepared.notes, sep="\\n")
    Filled 1 missing or infinite value with the column's median or most frequent value: 'age' (1).
    1 number scaled to mean 0 and variance 1: 'age'.
    1 category coded as 0/1 columns that together weigh as much as one number: 'team' (2 values).
    """
    check_scaling(scale)
    columns, unusable = understood(table)
    notes = [f"Dropped '{column.name}': {column.reason}." for column in unusable]
    fills: dict[str, float] = {}
    if impute:
        fills = {column.name: _usual(column) for column in columns}
        columns, filled = _filled(columns, fills)
        notes += filled
    else:
        _refuse_gaps(columns, table.name)
    constant = [column.name for column in columns if _is_constant(column)]
    columns = [column for column in columns if column.name not in constant]
    if constant:
        noun = counted(len(constant), "constant column")
        notes.append(f"Warning: dropped {noun}, which cannot tell objects apart: {listing(constant)}.")
    if not columns:
        raise TableError(
            f"'{table.name}' has no column to cluster by. "
            + " ".join(notes or ["It has only ids and ignored columns."])
            + " Give at least one column whose numbers or categories differ between rows."
        )
    recipes = [column_recipe(column, scale, fills.get(column.name)) for column in columns]
    single = all(column.kind == "number" and column.values.dtype == np.float32 for column in columns)
    recipe = Recipe(tuple(recipes), "float32" if single else "float64", table.frame.shape[1])
    notes += _choices(columns, scale)
    unevenly_spread = [made.name for made in recipes if made.without_range]
    if unevenly_spread:
        reason = "half of their values are equal, which leaves no interquartile range"
        notes.append(f"Scaled to variance 1 instead, as {reason}: {listing(unevenly_spread)}.")
    return Prepared(
        recipe.features(columns),
        recipe.feature_names,
        notes,
        pd.DataFrame({column.name: column.as_series() for column in columns}),
        recipe,
    )


def _refuse_gaps(columns: list[Column], source: str) -> None:
    reports = []
    for column in columns:
        n_gaps = int(column.gaps.sum())
        if n_gaps:
            n_infinite = 0 if column.kind == "category" else int(np.isinf(column.values).sum())
            parts = [(n_gaps - n_infinite, "missing"), (n_infinite, "infinite")]
            reports.append(f"'{column.name}' ({', '.join(f'{n:,} {what}' for n, what in parts if n)})")
    if reports:
        raise TableError(
            f"'{source}' has missing or infinite values in {counted(len(reports), 'column')}: "
            f"{more(reports)}. Complete them, ignore the columns, or have them filled: impute=True "
            "(--impute on the command line)."
        )


def _usual(column: Column) -> float:
    """What stands in for a missing value: the median, or the most frequent value of a category or yes/no column."""
    known = column.values[~column.gaps]
    return float(_most_frequent(known) if column.kind in ("category", "boolean") else np.median(known))


def _filled(columns: list[Column], fills: dict[str, float]) -> tuple[list[Column], list[str]]:
    filled, reports, total = [], [], 0
    for column in columns:
        gaps = column.gaps
        n_gaps = int(gaps.sum())
        if n_gaps:
            values = np.where(gaps, fills[column.name], column.values).astype(column.values.dtype)
            column = replace(column, values=values)
            reports.append(f"'{column.name}' ({n_gaps:,})")
            total += n_gaps
        filled.append(column)
    if not reports:
        return filled, []
    what = counted(total, "missing or infinite value")
    return filled, [f"Filled {what} with the column's median or most frequent value: {more(reports)}."]


def _most_frequent(values: np.ndarray) -> float:
    distinct, counts = np.unique(values, return_counts=True)
    return distinct[np.argmax(counts)]


def _is_constant(column: Column) -> bool:
    """Whether the values are all equal, but for the rounding of floats."""
    return bool(is_constant(float(column.values.min()), float(column.values.max())))


def _choices(columns: list[Column], scale: Scale) -> list[str]:
    """Tell what was made of the columns that were used."""
    how = {
        "standard": "scaled to mean 0 and variance 1",
        "robust": "scaled by median and interquartile range",
        "none": "left as it is" if len(columns) == 1 else "left as they are",
    }[scale]
    weight = "" if scale == "none" else " that together weigh as much as one number"

    def values(column: Column) -> str:
        return f"'{column.name}' ({counted(len(column.levels), 'value')})"

    def remarked(column: Column) -> str:
        return f"'{column.name}' ({column.remark})" if column.remark else f"'{column.name}'"

    sentences: dict[str, tuple[str, str, Callable[[Column], str]]] = {
        "number": ("number", how, remarked),
        "date": ("date", f"turned into days, then {how}", remarked),
        "boolean": (
            "yes/no column",
            "coded 0 and 1" + ("" if scale == "none" else ", then scaled"),
            remarked,
        ),
        "category": ("category", f"coded as 0/1 columns{weight}", values),
    }
    notes = []
    for kind, (noun, treatment, name) in sentences.items():
        names = [name(column) for column in columns if column.kind == kind]
        if names:
            notes.append(f"{counted(len(names), noun)} {treatment}: {more(names)}.")
    return notes
