"""What every cluster must satisfy: conditions on counts, aggregates and diversity of attributes."""

import operator
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np

from pluribus._engine import is_one_of

COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    "!=": operator.ne,
    "==": operator.eq,
    ">=": operator.ge,
    ">": operator.gt,
}
FUNCTIONS = ("count", "min", "max", "sum", "avg")


class Condition:
    """What every cluster must satisfy; see ``AtLeast``, ``Aggregate``, ``Distinct`` and the others.

    Examples
    --------
    >>> from pluribus.constrained import AtLeast, Condition
    >>> isinstance(AtLeast(5), Condition)
    True
    """


@dataclass(frozen=True, eq=False)
class AtLeast(Condition):
    """Every cluster has at least n of these rows.

    Parameters
    ----------
    n : int
    where : None, array of bool of shape (n_rows,), str, tuple or callable
        Which rows count: all of them (None); those that an array marks; those where the attribute of this name is true;
        those that pass a test ``(attribute, operator, value)``, such as ``("orders", ">=", 10)``; or those for which a
        function of the table of attributes returns true.

    Examples
    --------
    >>> from pluribus.constrained import AggregateConstrainedKMeans, AtLeast
    >>> shops = [[0.0], [1], [2], [10]]
    >>> model = AggregateConstrainedKMeans(2, [AtLeast(2)], random_state=0).fit(shops)
    >>> model.labels_.tolist(), model.dispersion_
    ([0, 0, 1, 1], 32.5)
    """

    n: int
    where: Any = None

    def __post_init__(self) -> None:
        if isinstance(self.n, bool) or not isinstance(self.n, Integral) or self.n < 0:
            raise ValueError(f"AtLeast: n={self.n!r} is not a number of rows: give a whole number, 0 or more.")
        object.__setattr__(self, "n", int(self.n))

    def __str__(self) -> str:
        return f"count({_rows(self.where)}) >= {self.n}"


@dataclass(frozen=True, eq=False)
class Aggregate(Condition):
    """In every cluster, an aggregate of an attribute satisfies a comparison with a value.

    Parameters
    ----------
    function : {"count", "min", "max", "sum", "avg"}
    attribute : str
        The attribute; for ``count``, the rows that count, as ``where`` of ``AtLeast``.
    comparison : {"<", "<=", "!=", "==", ">=", ">"}
    value : float

    Examples
    --------
    >>> from pluribus.constrained import Aggregate, AggregateConstrainedKMeans
    >>> shops = [[0.0], [1], [2], [10]]
    >>> revenue = {"revenue": [5, 5, 1, 9]}
    >>> enough = Aggregate("sum", "revenue", ">=", 9)
    >>> AggregateConstrainedKMeans(2, [enough], random_state=0).fit(shops, attributes=revenue).labels_.tolist()
    [0, 0, 0, 1]
    """

    function: str
    attribute: Any
    comparison: str
    value: float

    def __post_init__(self) -> None:
        if not is_one_of(self.function, FUNCTIONS):
            raise ValueError(f"Aggregate: no function is called {self.function!r}; there are {', '.join(FUNCTIONS)}.")
        if not is_one_of(self.comparison, COMPARISONS):
            raise ValueError(f"Aggregate: {self.comparison!r} is not a comparison; there are {' '.join(COMPARISONS)}.")
        if (
            isinstance(self.value, bool)
            or not isinstance(self.value, Real)
            or not -float("inf") < self.value < float("inf")
        ):
            raise ValueError(f"Aggregate: value={self.value!r} is not a finite number: give one to compare with.")
        if isinstance(self.value, np.number):  # short ones overflow in sums
            object.__setattr__(self, "value", self.value.item())

    def __str__(self) -> str:
        of = _rows(self.attribute) if self.function == "count" else self.attribute
        return f"{self.function}({of}) {self.comparison} {self.value:g}"


@dataclass(frozen=True, eq=False)
class _Diversity(Condition):
    """The values of an attribute are diverse in every cluster."""

    attribute: Any

    def _check(self, name: str, value: float, *, whole: bool) -> None:
        is_number = isinstance(value, Integral if whole else Real) and not isinstance(value, bool)
        if not is_number or not 1 <= value < float("inf"):
            kind = "whole number" if whole else "number"
            raise ValueError(f"{type(self).__name__}: {name}={value!r} is wrong: give a {kind}, 1 or more.")
        object.__setattr__(self, name, int(value) if whole else float(value))


@dataclass(frozen=True, eq=False)
class Distinct(_Diversity):
    """Every cluster has at least l different values of an attribute (distinct l-diversity).

    Examples
    --------
    >>> from pluribus.constrained import AggregateConstrainedKMeans, Distinct
    >>> ages = [[0.0], [1], [10], [11]]
    >>> patients = {"diagnosis": ["flu", "flu", "cold", "cold"]}
    >>> model = AggregateConstrainedKMeans(2, [Distinct("diagnosis", 2)], random_state=0).fit(ages, attributes=patients)
    >>> model.slack_.ravel().tolist()  # by how much each cluster exceeds the condition
    [0.0, 0.0]
    """

    l: int  # noqa: E741 - the name of the literature

    def __post_init__(self) -> None:
        self._check("l", self.l, whole=True)

    def __str__(self) -> str:
        return f"distinct({self.attribute}) >= {self.l}"


@dataclass(frozen=True, eq=False)
class EntropyDiversity(_Diversity):
    """The entropy of an attribute's values is at least log(l) in every cluster (entropy l-diversity).

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus.constrained import EntropyDiversity, satisfied
    >>> patients = {"diagnosis": ["flu", "cold", "flu", "cold"]}
    >>> satisfied([EntropyDiversity("diagnosis", 2)], [0, 0, 1, 1], patients)
    True
    """

    l: float  # noqa: E741

    def __post_init__(self) -> None:
        self._check("l", self.l, whole=False)

    def __str__(self) -> str:
        return f"exp(entropy({self.attribute})) >= {self.l:g}"


@dataclass(frozen=True, eq=False)
class RecursiveDiversity(_Diversity):
    """No value of an attribute is too frequent in a cluster (recursive (m, l)-diversity).

    With the counts r_1 >= r_2 >= … of the values in a cluster, r_1 < m (r_l + r_{l+1} + …).

    Examples
    --------
    >>> from pluribus.constrained import RecursiveDiversity, satisfied
    >>> patients = {"diagnosis": list("aaaabbcd")}
    >>> satisfied([RecursiveDiversity("diagnosis", m=2, l=2)], [0] * 8, patients)
    True
    """

    m: float
    l: int  # noqa: E741

    def __post_init__(self) -> None:
        if isinstance(self.m, bool) or not isinstance(self.m, Real) or not 0 < self.m < float("inf"):
            raise ValueError(f"RecursiveDiversity: m={self.m!r} is wrong: give a number above 0.")
        object.__setattr__(self, "m", float(self.m))
        self._check("l", self.l, whole=True)

    def __str__(self) -> str:
        return f"recursive({self.attribute}, m={self.m:g}, l={self.l})"


def _rows(where: Any) -> str:
    """Which rows count, in words."""
    if where is None:
        return "rows"
    if isinstance(where, str | Integral):
        return str(where)
    if isinstance(where, tuple):
        return " ".join(map(str, where))
    return getattr(where, "__name__", "rows marked")
