"""From a table to a matrix of numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
import pandas as pd

from pluribus.tables._columns import BadCells, Column, Unusable, understand
from pluribus.tables._survey import is_constant, mean_and_deviation
from pluribus.tables.errors import TableError, counted, listing, more
from pluribus.tables.table import Table

Scale = Literal["standard", "robust", "none"]
GAUSSIAN_IQR = 1.3489795003921634  # interquartile range of a Gaussian with variance 1

LEAST_RANGE = 1e-30  # an interquartile range below this share of the whole range is none


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
    if scale not in get_args(Scale):
        raise TableError(f"scale is {scale!r}. Choose one of {listing(get_args(Scale))}.")
    columns, unusable = _understood(table)
    notes = [f"Dropped '{column.name}': {column.reason}." for column in unusable]
    if impute:
        columns, filled = _filled(columns)
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
    X, unevenly_spread = _matrix(columns, scale)
    notes += _choices(columns, scale)
    if unevenly_spread:
        reason = "half of their values are equal, which leaves no interquartile range"
        notes.append(f"Scaled to variance 1 instead, as {reason}: {listing(unevenly_spread)}.")
    return Prepared(
        X,
        [name for column in columns for name in _feature_names(column)],
        notes,
        pd.DataFrame({column.name: column.as_series() for column in columns}),
    )


def _understood(table: Table) -> tuple[list[Column], list[Unusable]]:
    """Tell what each column holds; all bad cells of the table make one error."""
    found = [understand(str(name), column, table.decimal) for name, column in table.frame.items()]
    bad = [column for column in found if isinstance(column, BadCells)]
    if bad:
        raise TableError(
            f"'{table.name}' has cells that cannot be read. "
            + " ".join(map(_described, bad[:8]))
            + (f" And {counted(len(bad) - 8, 'more column')}." if len(bad) > 8 else "")
            + " Correct these cells (or empty them, and impute), or ignore the column."
        )
    columns = [column for column in found if isinstance(column, Column)]
    unusable = [column for column in found if isinstance(column, Unusable)]
    return columns, unusable


def _described(column: BadCells) -> str:
    cells = ", ".join(f"{cell[:40]!r} (data row {row:,})" for row, cell in column.examples)
    n_more = column.count - len(column.examples)
    rest = f" and {n_more:,} more" if n_more else ""
    wrong = f"{counted(column.count, 'cell')} cannot be read so"
    return f"Column '{column.name}' should hold {column.expected}, but {wrong}: {cells}{rest}."


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


def _filled(columns: list[Column]) -> tuple[list[Column], list[str]]:
    filled, reports, total = [], [], 0
    for column in columns:
        gaps = column.gaps
        n_gaps = int(gaps.sum())
        if n_gaps:
            known = column.values[~gaps]
            value = _most_frequent(known) if column.kind in ("category", "boolean") else np.median(known)
            column = replace(column, values=np.where(gaps, value, column.values).astype(column.values.dtype))
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


def _feature_names(column: Column) -> list[str]:
    if column.kind != "category":
        return [column.name]
    return [f"{column.name}={level}" for level in _coded_levels(column)]


def _coded_levels(column: Column) -> list[str]:
    """Name the values that get a column: of two, one says it all."""
    levels = list(column.levels)
    return levels[1:] if len(levels) == 2 else levels


def _matrix(columns: list[Column], scale: Scale) -> tuple[np.ndarray, list[str]]:
    """Fill the matrix; name the columns for which robust scaling found no range."""
    single = all(column.kind == "number" and column.values.dtype == np.float32 for column in columns)
    widths = [len(_feature_names(column)) for column in columns]
    X = np.empty((len(columns[0].values), sum(widths)), dtype=np.float32 if single else np.float64)
    start, without_range = 0, []
    for column, width in zip(columns, widths, strict=True):
        if column.kind == "category":
            _code_category(column, scale, X[:, start : start + width])
        else:
            X[:, start], has_range = _scaled(column, scale)
            if not has_range:
                without_range.append(column.name)
        start += width
    return X, without_range


def _code_category(column: Column, scale: Scale, out: np.ndarray) -> None:
    n = len(column.values)
    shares = np.bincount(column.values, minlength=len(column.levels)) / n
    first = len(column.levels) - out.shape[1]
    coded = shares[first:]
    divisor = 1.0 if scale == "none" else np.sqrt(np.sum(coded * (1 - coded)))  # the variances sum to 1
    for position, share in enumerate(coded):
        center = 0.0 if scale == "none" else share
        out[:, position] = ((column.values == first + position) - center) / divisor


def _scaled(column: Column, scale: Scale) -> tuple[np.ndarray, bool]:
    """Scale numbers; tell whether there was a range to scale by."""
    if scale == "none":
        return column.values, True
    values = column.values.astype(np.float64)
    largest = np.abs(values).max()
    if not 1e-100 < largest < 1e100:  # squares of such numbers leave the range of a float
        values /= largest
    robust = scale == "robust" and column.kind != "boolean"
    if robust:
        low, middle, high = np.percentile(values, [25, 50, 75])
        if high - low > LEAST_RANGE * np.ptp(values):
            return (values - middle) / ((high - low) / GAUSSIAN_IQR), True
    mean, deviation = mean_and_deviation(values)
    return (values - mean) / deviation, not robust


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
