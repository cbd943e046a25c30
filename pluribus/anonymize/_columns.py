"""Columns of a table to publish: their roles, their features for distances, and one value for each group of rows."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from pluribus.anonymize.published import check_names, listed
from pluribus.tables import TableError
from pluribus.tables._internal import BadCells, Column, Unusable, understand

_CODED = 50  # values of a category that have a feature of their own; the rarer ones share the last
_DIGITS = 6  # of the spread of a column, to which published means are rounded
_MODE = {"boolean": "most frequent value", "category": "most frequent value"}
GENERALIZED = {
    "mean": {"number": "mean", "date": "mean", **_MODE},
    "median": {"number": "median", "date": "median", **_MODE},
    "range": {"number": "range", "date": "range", "boolean": "set of values", "category": "set of values"},
}


@dataclass(frozen=True)
class Roles:
    """The role of each column."""

    quasi: tuple[str, ...]  # generalized
    dropped: dict[str, str]  # left out, and why
    kept: tuple[str, ...]  # published unchanged, with the sensitive one
    notes: tuple[str, ...]


def roles(frame: pd.DataFrame, quasi: Sequence[str] | None, sensitive: str | None) -> Roles:
    """Which columns to generalize, to leave out and to publish unchanged; raises on wrong names."""
    names = [str(name) for name in frame.columns]
    asked = None if quasi is None else [str(name) for name in listed(quasi)]
    check_names(frame.columns, quasi_identifiers=asked or [], sensitive=[] if sensitive is None else [sensitive])
    if asked is not None and sensitive in asked:
        raise TableError(
            f"'{sensitive}' is sensitive and among the quasi-identifiers, but a column is published unchanged or "
            "generalized, not both. Leave it out of one of them."
        )
    generalized, dropped, kept, notes = [], {}, [], []
    for name, series in zip(names, (frame[column] for column in frame.columns), strict=True):
        if name == sensitive:
            _n_values(name, series)
            kept.append(name)
        elif reason := _identifies(name, series):
            dropped[name] = reason
        elif asked is None or name in asked:
            generalized.append(name)
        else:
            kept.append(name)
            if len(frame) > 1 and series.notna().all() and series.is_unique:
                notes.append(
                    f"'{name}' has a different value in every row and is published unchanged: anyone who knows the "
                    "value can identify the row. Make it a quasi-identifier, or leave it out."
                )
    if not generalized:
        raise TableError(
            "There is no quasi-identifier to generalize. "
            + " ".join(f"'{name}' is left out: {reason}." for name, reason in dropped.items())
            + " Name columns that could identify a person, such as age or place."
        )
    return Roles(tuple(generalized), dropped, tuple(kept), tuple(notes))


def _identifies(name: str, series: pd.Series) -> str:
    """Why a column identifies single rows; empty if it does not."""
    column = understand(name, series)
    if not isinstance(column, Unusable) or not series.notna().any():
        return ""
    if _n_values(name, series) <= max(2, int(series.notna().sum()) / 2):
        return ""
    return column.reason.split(":")[0]


def _n_values(name: str, series: pd.Series) -> int:
    try:
        return series.nunique()
    except TypeError:
        raise TableError(
            f"Column '{name}' cannot be published: it contains lists or other structures. Leave it out."
        ) from None


def _mean(distances: np.ndarray) -> float:
    """Of numbers whose sum may overflow; none is negative."""
    most = distances.max() or 1.0
    return float((distances / most).mean() * most)


def _short(value: float) -> str:
    return f"{value:,.0f}" if 1000 <= value < 1e15 else f"{value:.4g}"


def _quoted(value: str) -> str:
    """The value, in quotes if it could be mistaken for a set of values."""
    return json.dumps(value, ensure_ascii=False) if any(mark in value for mark in ',{}"') else value


class QuasiColumn:
    """A column to generalize."""

    def __init__(self, name: str, series: pd.Series, decimal: str) -> None:
        column = understand(name, series, decimal)
        if isinstance(column, BadCells):
            row, cell = column.examples[0]
            raise TableError(
                f"Column '{name}' should contain {column.expected}, but {column.count:,} of its cells cannot be read "
                f"as such, for example {cell[:40]!r} (data row {row:,}). Correct or empty these cells."
            )
        if isinstance(column, Unusable):  # a category of many values, or a column without any
            text = series.astype(object).where(series.notna(), None)
            codes, levels = pd.factorize(text.map(str, na_action="ignore"), sort=True)
            column = Column(name, "category", codes, levels=list(levels))
        self.name, self.kind, self.levels = name, column.kind, list(column.levels)
        self.gaps = column.gaps
        self.values = column.values if self.kind == "category" else column.values.astype(np.float64)
        in_days = self.kind == "date" and bool((self.values[~self.gaps] % 1 == 0).all())
        self.whole = in_days or series.dtype.kind in "iu"
        self.zone = getattr(series.dtype, "tz", None)
        if self.kind == "boolean":
            self.levels = ["False", "True"]
            self.values = np.where(self.gaps, -1, self.values).astype(np.int64)

    @property
    def is_category(self) -> bool:
        """Whether its values have no order."""
        return self.kind in ("category", "boolean")

    def features(self) -> np.ndarray:
        """Features with a total variance of 1, so that all columns have equal weight; none for a constant column.

        Missing numbers are at the median; a missing category is a value of its own.
        """
        if self.is_category:
            return self._coded()
        known = self.values[~self.gaps]
        if not len(known):
            return np.empty((len(self.values), 0))
        unit = np.abs(known).max() or 1.0  # sums and squares of very large or small numbers overflow
        values = np.where(self.gaps, np.median(known / unit), self.values / unit)
        spread = values.std()
        if spread <= 1e-12:
            return np.empty((len(values), 0))
        return ((values - values.mean()) / spread)[:, None]

    def _coded(self) -> np.ndarray:
        counts = np.bincount(self.values + 1, minlength=len(self.levels) + 1)
        order = np.argsort(-counts, kind="stable")
        order = order[counts[order] > 0]
        place = np.zeros(len(counts), np.int64)
        place[order] = np.minimum(np.arange(len(order)), _CODED - 1)
        codes = place[self.values + 1]
        shares = np.bincount(codes) / len(codes)
        if len(shares) < 2:
            return np.empty((len(codes), 0))
        first = 1 if len(shares) == 2 else 0  # for two values, one feature is enough
        one_hot = codes[:, None] == np.arange(first, len(shares))
        return (one_hot - shares[first:]) / np.sqrt((shares[first:] * (1 - shares[first:])).sum())

    def published(self, labels: np.ndarray, generalize: str) -> tuple[pd.Series, str]:
        """The column with one value for each group, and in words how far this is from the values of the rows."""
        c = int(labels.max()) + 1
        if self.is_category:
            return self._category(labels, c, generalize)
        known = ~self.gaps
        order = np.flatnonzero(known)[np.lexsort((self.values[known], labels[known]))]
        sizes = np.bincount(labels[known], minlength=c)
        stop = np.cumsum(sizes)
        start, some = stop - sizes, sizes > 0
        values = self.values[order]
        if generalize == "range":
            return self._ranges(values, labels, start, stop, some)
        centers = np.full(c, np.nan)
        if generalize == "median":
            low, high = values[(start + (sizes - 1) // 2)[some]], values[(start + sizes // 2)[some]]
            centers[some] = low / 2 + high / 2
        else:
            unit = np.exp2(np.floor(np.log2(np.abs(values).max(initial=0) or 1.0)))  # sums of huge numbers overflow
            middle = np.median(values / unit) if len(values) else 0.0
            sums = np.bincount(labels[known], self.values[known] / unit - middle, minlength=c)
            centers[some] = (middle + sums[some] / sizes[some]) * unit
        spread = float(values.max() / 2 - values.min() / 2) if len(values) else 0.0
        if 0 < spread < np.inf:
            centers = np.round(centers, int(np.clip(_DIGITS - np.floor(np.log10(spread)), -300, 300))) + 0.0  # no -0
        away = np.abs(centers[labels] / 2 - self.values / 2)[known] * 2
        days = " days" if self.kind == "date" else ""
        far = "no values"
        if len(away):  # the largest distance would reveal an extreme value of the table
            most = _short(float(np.quantile(away, 0.9)))
            far = f"{_short(_mean(away))}{days} on average, at most {most}{days} in 9 of 10 rows"
        return pd.Series(self._in_units(centers)[labels]), far

    def _ranges(
        self, values: np.ndarray, labels: np.ndarray, start: np.ndarray, stop: np.ndarray, some: np.ndarray
    ) -> tuple[pd.Series, str]:
        low, high = np.full(len(start), np.nan), np.full(len(start), np.nan)
        low[some], high[some] = values[start[some]], values[stop[some] - 1]
        texts = np.full(len(start), None, dtype=object)
        ends = zip(self._texts(low[some]), self._texts(high[some]), strict=True)
        texts[some] = [f"[{first}, {last}]" for first, last in ends]
        widths = (high - low)[labels][~self.gaps]
        unit = " days" if self.kind == "date" else ""
        far = "no values"
        if len(widths):
            far = f"ranges of {_short(_mean(widths))}{unit} on average, {_short(widths.max())}{unit} at most"
        return pd.Series(texts[labels], dtype=object), far

    def _in_units(self, values: np.ndarray) -> Any:
        if self.kind != "date":
            return values
        if self.whole:
            values = np.round(values)
        moments = np.full(len(values), np.datetime64("NaT", "s"), dtype="datetime64[s]")
        moments[~np.isnan(values)] = np.round(values[~np.isnan(values)] * 86_400).astype("datetime64[s]")
        return moments if self.zone is None else pd.DatetimeIndex(moments, tz="UTC").tz_convert(self.zone)

    def _texts(self, values: np.ndarray) -> list[str]:
        if self.kind == "date":
            moments = pd.Series(self._in_units(values))
            return moments.dt.strftime("%Y-%m-%d" if self.whole else "%Y-%m-%d %H:%M:%S").tolist()
        return [f"{value:.0f}" if self.whole else f"{value:.15g}" for value in values.tolist()]

    def _category(self, labels: np.ndarray, c: int, generalize: str) -> tuple[pd.Series, str]:
        known = ~self.gaps
        pairs = labels[known] * (len(self.levels) or 1) + self.values[known]
        cells, counts = np.unique(pairs, return_counts=True)
        group, level = np.divmod(cells, len(self.levels) or 1)
        texts = np.full(c, None, dtype=object)
        if generalize == "range":
            names: Any = np.array([_quoted(level) for level in self.levels], dtype=object)
            bounds = np.searchsorted(group, np.arange(c + 1))
            for g in np.flatnonzero(np.diff(bounds)):
                texts[g] = "{" + ", ".join(names[level[bounds[g] : bounds[g + 1]]]) + "}"
            n_values = np.bincount(group, minlength=c)[labels]
            return pd.Series(texts[labels], dtype=object), f"sets of {n_values.mean():.3g} values on average"
        overall = np.bincount(self.values[known], minlength=len(self.levels))
        order = np.lexsort((-level, overall[level], counts))  # the last is written: most in the group, then in all
        mode = np.full(c, -1)
        mode[group[order]] = level[order]
        names = [False, True] if self.kind == "boolean" else self.levels
        texts[mode >= 0] = [names[v] for v in mode[mode >= 0]]
        other = float((mode[labels] != self.values)[known].mean()) if known.any() else 0.0
        return pd.Series(texts[labels], dtype=object), f"{other:.1%} of the values are others"
