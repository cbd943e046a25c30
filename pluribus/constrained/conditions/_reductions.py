"""Conditions on clusters as rules that can be counted: sums within bounds, and the diversity of values."""

from typing import NamedTuple

import numpy as np

from pluribus._kernels.assignment.condition_counts import DISTINCT, ENTROPY, RECURSIVE
from pluribus.constrained.conditions._attributes import Attributes
from pluribus.constrained.conditions._conditions import (
    COMPARISONS,
    Aggregate,
    AtLeast,
    Condition,
    Distinct,
    EntropyDiversity,
    RecursiveDiversity,
)
from pluribus.constraints import InfeasibleError

_ROUNDING = 1e-12  # of the sum of all amounts: sums closer than this to a bound meet it, unless all are whole numbers
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}


class Linear(NamedTuple):
    """The sum of these amounts over a cluster is within bounds, and differs from a given value."""

    amounts: np.ndarray
    low: float = -np.inf
    high: float = np.inf
    never: float = np.nan
    of_all: str = ""  # why the rule fails for all rows together, in words, if their sum does not explain it

    @property
    def tolerance(self) -> float:
        """How far a sum may be outside a bound, by rounding."""
        return tolerance(self.amounts)

    @property
    def is_count(self) -> bool:
        """Whether rows are counted, rather than amounts added."""
        return bool(np.isnan(self.never) and ((self.amounts == 0) | (self.amounts == 1)).all())


class Diverse(NamedTuple):
    """The values of an attribute are diverse in a cluster."""

    codes: np.ndarray
    n_values: int
    kind: int
    m: float
    l: float  # noqa: E741


def reduced(condition: Condition, table: Attributes) -> Linear | Diverse | None:
    """The condition as a rule, or None if every clustering satisfies it."""
    if isinstance(condition, AtLeast):
        return Linear(table.mask(condition.where, condition).astype(float), float(condition.n))
    if isinstance(condition, Aggregate):
        return _aggregate(condition, table)
    if isinstance(condition, Distinct | EntropyDiversity | RecursiveDiversity):
        values = table.codes(condition.attribute, condition)
        if isinstance(condition, RecursiveDiversity):
            return Diverse(*values, RECURSIVE, float(condition.m), float(condition.l))
        return Diverse(*values, DISTINCT if isinstance(condition, Distinct) else ENTROPY, 1.0, float(condition.l))
    raise ValueError(
        f"{condition!r} is not a condition: give AtLeast, Aggregate, Distinct or one of the other diversities."
    )


def _aggregate(condition: Aggregate, table: Attributes) -> Linear | None:
    comparison, value = condition.comparison, float(condition.value)
    if condition.function == "count":
        return _compared(table.mask(condition.attribute, condition).astype(float), comparison, value)
    numbers = table.numbers(condition.attribute, condition)
    if condition.function == "sum":
        return _compared(numbers, comparison, value)
    if condition.function == "avg":  # avg(A) > v is sum(A - v) > 0
        of_all = f"of all rows it is {numbers.mean():.6g}"
        return _compared(numbers - value, comparison, 0.0)._replace(of_all=of_all)
    if condition.function == "max":
        numbers, value, comparison = -numbers, -value, _MIRRORED[comparison]
    return _least(condition, numbers, comparison, value)


def _least(condition: Aggregate, numbers: np.ndarray, comparison: str, value: float) -> Linear | None:
    """min(A): one row below is enough, or all rows must be above, whatever the clusters."""
    if comparison in ("<", "<="):
        return Linear(COMPARISONS[comparison](numbers, value).astype(float), 1.0)
    if comparison == "!=":  # some row is below, or none is equal
        of_all = "of all rows it is just that"
        return Linear((numbers == value) - (len(numbers) + 1.0) * (numbers < value), high=0.0, of_all=of_all)
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
    low, high = value, value
    if _are_whole(amounts):
        low = np.floor(value) + 1 if comparison == ">" else np.ceil(value)
        high = np.ceil(value) - 1 if comparison == "<" else np.floor(value)
    elif comparison in ("<", ">"):  # strictly
        low, high = low + 2 * tolerance(amounts), high - 2 * tolerance(amounts)
    return Linear(amounts, -np.inf if comparison in ("<", "<=") else low, np.inf if comparison in (">", ">=") else high)


def _are_whole(amounts: np.ndarray) -> bool:
    return bool((amounts == np.rint(amounts)).all() and np.abs(amounts).sum() < 2**52)


def tolerance(amounts: np.ndarray) -> float:
    return 0.0 if _are_whole(amounts) else _ROUNDING * float(np.abs(amounts).sum())
