"""Telling what a column holds: numbers, yes/no, categories, dates, or nothing to cluster by."""

from __future__ import annotations

import datetime
import decimal
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from pluribus.tables._cells import (
    COMMA_NUMBER,
    DATE_LIKE,
    INFINITE,
    MISSING,
    MISSING_AMONG_NUMBERS,
    NUMBER_LIKE,
    POINT_NUMBER,
)
from pluribus.tables.errors import TableError

MOST_CATEGORIES = 50  # a column of text with more distinct values is no category
FEWEST_COUNTED = 10  # rows before whole numbers, all different, can be told from chance
MOSTLY = 0.9  # of the cells have to be numbers for a column to be one of numbers with bad cells
DAY_FORMATS = {
    "day.month.year": "%d.%m.%Y",
    "month/day/year": "%m/%d/%Y",
    "day/month/year": "%d/%m/%Y",
    "day-month-year": "%d-%m-%Y",
}
_IDENTIFIER = re.compile(r"(?:.*[^a-zA-Z])?(?:id|Id|ID)|.*[a-z](?:Id|ID)|[Ii]ndex|INDEX")
_TRUTH = {**dict.fromkeys(("true", "1", "1.0"), 1.0), **dict.fromkeys(("false", "0", "0.0"), 0.0)}
_SCALARS = (
    str,
    bool,
    int,
    float,
    np.generic,
    decimal.Decimal,
    datetime.date,
    datetime.time,
    datetime.timedelta,
)

Kind = Literal["number", "date", "boolean", "category"]


@dataclass(frozen=True)
class Column:
    """A column that objects can be clustered by.

    ``values`` are numbers with NaN where a value is missing (dates: days since 1970); for a category they are
    positions in ``levels``, with -1 for missing.
    """

    name: str
    kind: Kind
    values: np.ndarray
    levels: Sequence[str] = ()
    remark: str = ""

    @property
    def gaps(self) -> np.ndarray:
        """Where there is no finite value."""
        return self.values < 0 if self.kind == "category" else ~np.isfinite(self.values)

    def as_series(self) -> pd.Series:
        """The values in the units of the file."""
        values: object = self.values
        if self.kind == "boolean":
            values = self.values.astype(bool)
        elif self.kind == "category":
            values = pd.Categorical.from_codes(self.values, list(self.levels))
        elif self.kind == "date":
            values = np.round(self.values * 86_400).astype("datetime64[s]")
        return pd.Series(values, name=self.name)


@dataclass(frozen=True)
class Unusable:
    """A column that says nothing about groups, and why."""

    name: str
    reason: str


@dataclass(frozen=True)
class BadCells:
    """A column of numbers (or dates) in which some cells are none."""

    name: str
    expected: str
    count: int
    examples: Sequence[tuple[int, str]]  # data row, counted from 1, and cell


def understand(name: str, series: pd.Series, mark: str = ".") -> Column | Unusable | BadCells:
    """Tell what one column holds; ``mark`` is the decimal mark of the file."""
    column = _recognized(name, series, mark)
    if isinstance(column, Column) and column.gaps.all():
        return Unusable(name, "it has no values")
    return column


def read_as(
    kind: Kind, name: str, series: pd.Series, mark: str = ".", levels: Sequence[str] = (), remark: str = ""
) -> Column | BadCells:
    """Read a column as what an earlier one of the same name was, however few its values are.

    Values of a category that are not in ``levels`` get the position -2, missing ones -1. ``remark`` is that of the
    earlier column: it says in which order days and months were written.
    """
    if kind == "category":
        return _positions(name, series, levels)
    plain = _read_plain(kind, name, series)
    if plain is not None:
        return plain
    cells = _cells_of(name, series)
    if kind == "boolean":
        truth = cells.text.str.lower().map(_TRUTH).to_numpy(dtype=float)
        wrong = np.isnan(truth) & ~cells.missing
        return cells.bad(wrong, "yes/no values") if wrong.any() else Column(name, kind, cells.spread(truth))
    if kind == "number":
        return _numbers_of(cells, mark, cells.absent())
    order = remark.removeprefix("read as ") if remark.startswith("read as ") else ""
    return _dates_of(cells, cells.absent(), (order,))


def _read_plain(kind: Kind, name: str, series: pd.Series) -> Column | None:
    """The column, if its type says already how to read it."""
    dtype = series.dtype
    if kind == "date" and pd.api.types.is_datetime64_any_dtype(dtype):
        return _dates(name, series, "")
    if kind == "number" and pd.api.types.is_timedelta64_dtype(dtype):
        return Column(name, kind, series.dt.total_seconds().to_numpy(dtype=np.float64, na_value=np.nan))
    is_number = pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_complex_dtype(dtype)
    if kind in ("number", "boolean") and is_number:
        values = series.to_numpy(dtype=np.float64, na_value=np.nan)
        known = values[~np.isnan(values)]
        if kind == "boolean" and not np.isin(known, (0, 1)).all():
            return None
        single = series.dtype in (np.float16, np.float32)
        return Column(name, kind, series.to_numpy(np.float32) if single else values)
    return None


def _cells_of(name: str, series: pd.Series) -> _Cells:
    try:
        return _Cells.of(name, *pd.factorize(series.astype(object)))
    except TypeError:
        raise TableError(f"'{name}' holds lists or the like, which are no values of a table: leave them out.") from None


def _positions(name: str, series: pd.Series, levels: Sequence[str]) -> Column:
    cells = _cells_of(name, series)
    place = {level: position for position, level in enumerate(levels)}
    found = cells.text.map(lambda text: place.get(text, -2)).to_numpy(dtype=np.int64)
    return Column(name, "category", cells.spread(np.where(cells.missing, -1, found), absent=-1), levels=levels)


def _recognized(name: str, series: pd.Series, mark: str) -> Column | Unusable | BadCells:
    kind = series.dtype
    if pd.api.types.is_bool_dtype(kind) and not isinstance(kind, pd.CategoricalDtype):
        return Column(name, "boolean", series.to_numpy(dtype=np.float64, na_value=np.nan))
    if pd.api.types.is_complex_dtype(kind):
        return Unusable(name, "it holds complex numbers")
    if pd.api.types.is_numeric_dtype(kind):
        return _numbers(name, series)
    if pd.api.types.is_datetime64_any_dtype(kind):
        return _dates(name, series, "")
    if pd.api.types.is_timedelta64_dtype(kind):
        seconds = series.dt.total_seconds().to_numpy(dtype=np.float64, na_value=np.nan)
        return Column(name, "number", seconds, remark="in seconds")
    if isinstance(kind, pd.PeriodDtype | pd.IntervalDtype | pd.SparseDtype):
        return Unusable(name, f"it holds values of type {kind}")
    return _objects(name, series, mark)


def _numbers(name: str, series: pd.Series) -> Column | Unusable:
    plain = isinstance(series.dtype, np.dtype) and series.dtype.kind in "iuf"
    values = series.to_numpy() if plain else series.to_numpy(dtype=np.float64, na_value=np.nan)
    if values.dtype == np.float16:
        values = values.astype(np.float32)  # whose squares are finite
    n = len(values)
    if values.dtype.kind in "iu" and n >= FEWEST_COUNTED:
        if values[0] in (0, 1) and bool(np.all(np.diff(values) == 1)):
            return Unusable(name, "it only counts the rows")
        if _IDENTIFIER.fullmatch(name) and len(np.unique(values)) == n:
            return Unusable(name, f"it is an identifier: use it with id_column='{name}' (--id {name})")
    return Column(name, "number", values)


def _dates(name: str, series: pd.Series, remark: str) -> Column:
    if getattr(series.dtype, "tz", None) is not None:
        series = series.dt.tz_convert("UTC").dt.tz_localize(None)
    moments = series.to_numpy(dtype="datetime64[us]")
    days = moments.astype(np.int64) / 86_400e6
    return Column(name, "date", np.where(np.isnat(moments), np.nan, days), remark=remark)


def _objects(name: str, series: pd.Series, mark: str) -> Column | Unusable | BadCells:
    """Decide about a column of text (or of Python objects) by its distinct values."""
    try:
        codes, distinct = pd.factorize(series)
    except TypeError:
        return Unusable(name, "it holds lists or other structures")
    strange = next((value for value in distinct if not isinstance(value, _SCALARS)), None)
    if strange is not None:
        return Unusable(name, f"it holds values of type {type(strange).__name__}")
    cells = _Cells.of(name, codes, distinct)
    text, missing = cells.text, cells.missing
    if cells.counts[~missing].sum() == 0:
        return Unusable(name, "it has no values")
    if set(text[~missing].str.lower()) <= {"true", "false"}:
        truth = np.where(missing, np.nan, text.str.lower() == "true")
        return Column(name, "boolean", cells.spread(truth))
    return _as_numbers(cells, mark) or _as_dates(cells) or _as_category(cells)


@dataclass(frozen=True)
class _Cells:
    """The distinct texts of a column, how often each occurs, and where."""

    name: str
    codes: np.ndarray
    text: pd.Series
    counts: np.ndarray
    missing: np.ndarray

    @classmethod
    def of(cls, name: str, codes: np.ndarray, distinct: Any) -> _Cells:
        """The cells of a column that was factorized."""
        text = pd.Series(np.asarray(distinct, dtype=object)).astype(str).str.strip().astype(object)
        counts = np.bincount(codes[codes >= 0], minlength=len(text))
        return cls(name, codes, text, counts, text.isin(MISSING).to_numpy(dtype=bool))

    def spread(self, values: np.ndarray, absent: float = np.nan) -> np.ndarray:
        """Give every row the value of its text."""
        return np.append(values, absent)[self.codes]

    def matches(self, pattern: str) -> np.ndarray:
        return self.text.str.fullmatch(pattern).to_numpy(dtype=bool) & ~self.missing

    def mostly(self, fitting: np.ndarray) -> tuple[bool, np.ndarray]:
        """Tell whether nearly all cells fit, and which say that there is no value.

        A word like "none" is then a missing value, unless such words are the better part of the column.
        """
        says_so = self.text.str.lower().isin(MISSING_AMONG_NUMBERS).to_numpy(dtype=bool)
        absent = says_so & ~self.missing & ~fitting
        n_fitting, n_absent = self.counts[fitting].sum(), self.counts[absent].sum()
        n_values = self.counts[~self.missing].sum() - n_absent
        return bool(n_fitting > n_absent and n_fitting >= MOSTLY * n_values), absent | self.missing

    def absent(self) -> np.ndarray:
        """Which cells say in words that there is no value."""
        return self.missing | self.text.str.lower().isin(MISSING_AMONG_NUMBERS).to_numpy(dtype=bool)

    def bad(self, wrong: np.ndarray, expected: str) -> BadCells:
        rows = np.flatnonzero(np.append(wrong, False)[self.codes])
        examples = [(int(row) + 1, str(self.text.iloc[self.codes[row]])) for row in rows[:3]]
        return BadCells(self.name, expected, len(rows), examples)


def _as_numbers(cells: _Cells, mark: str) -> Column | BadCells | None:
    number = cells.matches(_number_pattern(mark))
    meant, absent = cells.mostly(number | cells.matches(NUMBER_LIKE))
    return _numbers_of(cells, mark, absent) if meant else None


def _number_pattern(mark: str) -> str:
    return f"{COMMA_NUMBER if mark == ',' else POINT_NUMBER}|{INFINITE}"


def _numbers_of(cells: _Cells, mark: str, absent: np.ndarray) -> Column | BadCells:
    """Read as numbers all cells but those that are absent."""
    number = cells.matches(_number_pattern(mark))
    wrong = ~number & ~absent
    if wrong.any():
        return cells.bad(wrong, f"numbers with a decimal {'comma' if mark == ',' else 'point'}")
    values = np.full(len(number), np.nan)
    values[number] = pd.to_numeric(cells.text[number].str.replace(",", ".")).to_numpy(dtype=np.float64)
    return Column(cells.name, "number", cells.spread(values))


def _as_dates(cells: _Cells) -> Column | BadCells | None:
    like = cells.matches(DATE_LIKE)
    meant, absent = cells.mostly(like)
    if not meant:
        return None
    column = _dates_of(cells, absent, ("", *DAY_FORMATS))
    if isinstance(column, BadCells):
        n_values = cells.counts[~absent].sum()
        n_dates = n_values - column.count
        return (
            column if n_dates > cells.counts[absent & ~cells.missing].sum() and n_dates >= MOSTLY * n_values else None
        )
    return column


def _dates_of(cells: _Cells, absent: np.ndarray, orders: Sequence[str]) -> Column | BadCells:
    """Read as dates all cells but those that are absent, in that of these orders which reads the most."""
    text = cells.text.where(cells.matches(DATE_LIKE))
    parsed = {}
    for order in orders:
        if not order:
            parsed[""] = pd.to_datetime(text, format="ISO8601", errors="coerce", utc=True)
        for time in ("", " %H:%M", " %H:%M:%S") if order else ():
            parsed[order + time] = pd.to_datetime(text, format=DAY_FORMATS[order] + time, errors="coerce", utc=True)
    order = max(parsed, key=lambda key: int(parsed[key].notna().sum()))  # the first of the best
    moments = parsed[order]
    wrong = moments.isna().to_numpy() & ~absent
    if wrong.any():
        return cells.bad(wrong, f"dates written {order.split(' ')[0] or 'year-month-day'}")
    column = _dates(cells.name, moments, f"read as {order.split(' ')[0]}" if order else "")
    return Column(cells.name, "date", cells.spread(column.values), remark=column.remark)


def _as_category(cells: _Cells) -> Column | Unusable:
    levels, positions = np.unique(cells.text.to_numpy(dtype=str), return_inverse=True)
    present = np.unique(positions[~cells.missing])
    n_values = int(cells.counts[~cells.missing].sum())
    if len(present) > max(2, n_values / 2):
        return Unusable(cells.name, "nearly every value is different, like a name or free text")
    if len(present) > MOST_CATEGORIES:
        return Unusable(
            cells.name,
            f"it has {len(present):,} different texts, too many for a category (at most {MOST_CATEGORIES})",
        )
    rank = np.full(len(levels), -1)
    rank[present] = np.arange(len(present))
    codes = cells.spread(np.where(cells.missing, -1, rank[positions]), absent=-1)
    return Column(cells.name, "category", codes, levels=levels[present].tolist())
