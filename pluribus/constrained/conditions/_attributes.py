"""The table of attributes in conditions on clusters."""

from collections.abc import Hashable
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd

from pluribus.constrained.conditions._conditions import COMPARISONS, Condition

_NUMBERS = {"boolean", "integer", "floating", "mixed-integer-float", "decimal"}  # as pandas calls what is in a column


class Attributes:
    """The table of attributes; each column is looked up by name."""

    def __init__(self, given: Any, n_rows: int) -> None:
        self.n_rows = n_rows
        self._frame = None if given is None else _as_frame(given)
        if self._frame is not None and len(self._frame) != n_rows:
            raise ValueError(
                f"attributes has {len(self._frame)} rows, but there are {n_rows} objects: give one row for each object."
            )

    @property
    def frame(self) -> pd.DataFrame:
        if self._frame is None:
            raise ValueError(
                "A condition names an attribute, but attributes is not given: use fit(X, attributes=table)."
            )
        return self._frame

    def column(self, name: Any, condition: Condition) -> pd.Series:
        places = [at for at, there in enumerate(self.frame.columns) if _is_same(there, name)]
        if not places:
            names = ", ".join(map(str, self.frame.columns))
            raise ValueError(f"{condition}: no attribute is called {name!r}; there are {names}.")
        if len(places) > 1:
            raise ValueError(f"{condition}: {len(places)} attributes are called {name!r}: give each a different name.")
        column = self.frame.iloc[:, places[0]]
        missing = np.flatnonzero(column.isna().to_numpy())
        if len(missing):
            raise ValueError(
                f"{condition}: attribute {name!r} has no value in {len(missing)} rows, such as row {missing[0]}: fill "
                "in the values, or leave these rows out."
            )
        return column

    def numbers(self, name: Any, condition: Condition) -> np.ndarray:
        column = self.column(name, condition)
        if pd.api.types.infer_dtype(column) not in _NUMBERS:
            raise ValueError(f"{condition}: attribute {name!r} is not numeric: give a numeric attribute.")
        numbers = column.to_numpy(dtype=np.float64)
        with np.errstate(over="ignore"):
            if not np.isfinite(np.abs(numbers).sum()):
                raise ValueError(f"{condition}: attribute {name!r} has infinite values, or values too large to add.")
        return numbers

    def codes(self, name: Any, condition: Condition) -> tuple[np.ndarray, int]:
        """Each row's value as a number from 0, and how many different values there are."""
        try:
            codes, values = pd.factorize(self.column(name, condition))
        except TypeError as error:
            raise ValueError(f"{condition}: attribute {name!r} has values that cannot be compared: {error}.") from None
        return codes.astype(np.int32), len(values)

    def mask(self, where: Any, condition: Condition) -> np.ndarray:
        """The rows that count."""
        if where is None:
            return np.ones(self.n_rows, bool)
        marks = self._marks(where, condition)
        if marks.shape != (self.n_rows,):
            raise ValueError(
                f"{condition}: the rows that count are given with shape {marks.shape}, but there are {self.n_rows} "
                "rows: give true or false for each row, the name of an attribute, or (attribute, comparison, value)."
            )
        if marks.dtype != bool and not np.isin(marks, [0, 1]).all():
            raise ValueError(f"{condition}: the rows that count are given by values other than true and false.")
        return marks.astype(bool)

    def _marks(self, where: Any, condition: Condition) -> np.ndarray:
        if isinstance(where, str | Integral):
            return self.column(where, condition).to_numpy()
        if isinstance(where, tuple) and len(where) == 3 and isinstance(where[1], str) and where[1] in COMPARISONS:
            column = self.column(where[0], condition)
            try:
                return np.asarray(COMPARISONS[where[1]](column, where[2]))
            except (TypeError, ValueError) as error:
                raise ValueError(
                    f"{condition}: attribute {where[0]!r} cannot be compared with {where[2]!r}: {error}."
                ) from None
        if callable(where):
            where = where(self.frame)
            if isinstance(where, pd.Series) and not where.index.equals(self.frame.index):
                raise ValueError(f"{condition}: the function returns rows in another order than the table, or not all.")
        try:
            return np.asarray(where)
        except ValueError:  # lists of different lengths
            raise ValueError(f"{condition}: the rows that count are not given as an array of true and false.") from None


def _is_same(name: Any, asked: Any) -> bool:
    return type(asked) is not bool and isinstance(asked, Hashable) and bool(name == asked)


def _as_frame(given: Any) -> pd.DataFrame:
    if isinstance(given, pd.DataFrame):
        return given
    try:
        return given.to_pandas() if hasattr(given, "to_pandas") else pd.DataFrame(given)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"attributes is a {type(given).__name__} that is not a table ({error}): give a data frame, a structured "
            "array or a dict of columns of equal length."
        ) from None
