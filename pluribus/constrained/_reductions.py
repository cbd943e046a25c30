"""Conditions on clusters reduced to rules that can be counted: sums within bounds, and values that are spread."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pluribus._kernels._tallies import DISTINCT, ENTROPY, RECURSIVE
from pluribus.constraints import InfeasibleError

from ._conditions import COMPARISONS, Aggregate, AtLeast, Condition, Distinct, EntropyDiversity, RecursiveDiversity

_ROUNDING = 1e-12  # of the sum of all amounts: sums closer than this to a bound meet it, unless all are whole numbers
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}


class Linear(NamedTuple):
    """The sum of these amounts over a cluster is within bounds, and not a certain value."""

    amounts: np.ndarray
    low: float = -np.inf
    high: float = np.inf
    never: float = np.nan

    @property
    def tolerance(self) -> float:
        """How far a sum may be off a bound, by rounding."""
        return tolerance(self.amounts)

    @property
    def is_count(self) -> bool:
        """Whether rows are counted, rather than amounts added."""
        return bool(np.isnan(self.never) and ((self.amounts == 0) | (self.amounts == 1)).all())


class Diverse(NamedTuple):
    """The values of an attribute are spread in a cluster."""

    codes: np.ndarray
    n_values: int
    kind: int
    m: float
    l: float  # noqa: E741


class Attributes:
    """The table that conditions speak of; each column is looked up by name."""

    def __init__(self, given: Any, n_rows: int) -> None:
        self.given, self.n_rows = given, n_rows
        self._frame: pd.DataFrame | None = None

    @property
    def frame(self) -> pd.DataFrame:
        if self._frame is None:
            if self.given is None:
                raise ValueError("A condition names an attribute, but there are none: give fit(X, attributes=table).")
            self._frame = self.given if isinstance(self.given, pd.DataFrame) else _as_frame(self.given)
            if len(self._frame) != self.n_rows:
                raise ValueError(f"attributes has {len(self._frame)} rows, but there are {self.n_rows} objects.")
        return self._frame

    def column(self, name: Any, condition: Condition) -> pd.Series:
        if name not in self.frame.columns:
            there = ", ".join(map(str, self.frame.columns))
            raise ValueError(f"{condition}: no attribute is called {name!r}; there are {there}.")
        column = self.frame[name]
        missing = np.flatnonzero(column.isna().to_numpy())
        if len(missing):
            raise ValueError(
                f"{condition}: attribute {name!r} has no value in {len(missing)} rows, the first of them row "
                f"{missing[0]}: fill them in, or leave these rows out."
            )
        return column

    def numbers(self, name: Any, condition: Condition) -> np.ndarray:
        column = self.column(name, condition)
        try:
            return column.to_numpy(dtype=np.float64)
        except (TypeError, ValueError):
            raise ValueError(f"{condition}: attribute {name!r} is not made of numbers.") from None

    def mask(self, where: Any, condition: Condition) -> np.ndarray:
        """The rows that count."""
        if where is None:
            return np.ones(self.n_rows, bool)
        if isinstance(where, str | int):
            found = self.column(where, condition).to_numpy()
        elif isinstance(where, tuple) and len(where) == 3 and where[1] in COMPARISONS:
            found = COMPARISONS[where[1]](self.column(where[0], condition), where[2]).to_numpy()
        elif callable(where):
            found = np.asarray(where(self.frame))
        else:
            found = np.asarray(where)
        if found.shape != (self.n_rows,):
            raise ValueError(f"{condition}: marks rows by shape {found.shape}, but there are {self.n_rows} rows.")
        if found.dtype != bool and not np.isin(found, [0, 1]).all():
            raise ValueError(f"{condition}: marks rows by values that are neither true nor false.")
        return found.astype(bool)


def _as_frame(given: Any) -> pd.DataFrame:
    return given.to_pandas() if hasattr(given, "to_pandas") else pd.DataFrame(given)


def reduced(condition: Condition, table: Attributes) -> Linear | Diverse | None:
    """One rule, or None where every clustering complies."""
    if isinstance(condition, AtLeast):
        return Linear(table.mask(condition.where, condition).astype(float), float(condition.n))
    if isinstance(condition, Aggregate):
        return _aggregate(condition, table)
    if isinstance(condition, Distinct | EntropyDiversity | RecursiveDiversity):
        codes, values = pd.factorize(table.column(condition.attribute, condition))
        if isinstance(condition, RecursiveDiversity):
            return Diverse(codes.astype(np.int32), len(values), RECURSIVE, float(condition.m), float(condition.l))
        kind = DISTINCT if isinstance(condition, Distinct) else ENTROPY
        return Diverse(codes.astype(np.int32), len(values), kind, 1.0, float(condition.l))
    raise ValueError(
        f"{condition!r} is no condition: give AtLeast, Aggregate, Distinct or one of the other diversities."
    )


def _aggregate(condition: Aggregate, table: Attributes) -> Linear | None:
    comparison, value = condition.comparison, float(condition.value)
    if condition.function == "count":
        return _compared(table.mask(condition.attribute, condition).astype(float), comparison, value)
    numbers = table.numbers(condition.attribute, condition)
    if not np.isfinite(numbers).all():
        raise ValueError(f"{condition}: attribute {condition.attribute!r} has infinite values.")
    if condition.function == "sum":
        return _compared(numbers, comparison, value)
    if condition.function == "avg":  # avg(A) > v is sum(A - v) > 0
        return _compared(numbers - value, comparison, 0.0)
    if condition.function == "max":
        numbers, value, comparison = -numbers, -value, _MIRRORED[comparison]
    return _least(condition, numbers, comparison, value)


def _least(condition: Aggregate, numbers: np.ndarray, comparison: str, value: float) -> Linear | None:
    """min(A): one row below is enough, or all rows must be above, whatever the clusters."""
    if comparison in ("<", "<="):
        return Linear(COMPARISONS[comparison](numbers, value).astype(float), 1.0)
    if comparison == "!=":  # some row is below, or none is equal
        return Linear((numbers == value) - (len(numbers) + 1.0) * (numbers < value), high=0.0)
    broken = np.flatnonzero(~COMPARISONS[">" if comparison == ">" else ">="](numbers, value))
    if len(broken):
        rows = ", ".join(map(str, broken[:5])) + (", …" if len(broken) > 5 else "")
        raise InfeasibleError(
            f"{condition} cannot hold, whatever the clusters: {len(broken)} rows do not comply (rows {rows}); leave "
            "them out, or change the value",
            witness=broken,
        )
    return Linear((numbers == value).astype(float), 1.0) if comparison == "==" else None


def _compared(amounts: np.ndarray, comparison: str, value: float) -> Linear:
    if comparison == "!=":
        return Linear(amounts, never=value)
    if comparison == "==":
        return Linear(amounts, value, value)
    beyond = 2 * tolerance(amounts)  # strictly
    if _are_whole(amounts):
        value = {"<": np.ceil(value) - 1, "<=": np.floor(value), ">=": np.ceil(value), ">": np.floor(value) + 1}[
            comparison
        ]
        beyond = 0.0
    if comparison in ("<", "<="):
        return Linear(amounts, high=value - (beyond if comparison == "<" else 0.0))
    return Linear(amounts, low=value + (beyond if comparison == ">" else 0.0))


def _are_whole(amounts: np.ndarray) -> bool:
    return bool((amounts == np.rint(amounts)).all() and np.abs(amounts).sum() < 2**52)


def tolerance(amounts: np.ndarray) -> float:
    return 0.0 if _are_whole(amounts) else _ROUNDING * float(np.abs(amounts).sum())
