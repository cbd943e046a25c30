"""Two rows of a table beside each other, in the units of the file, what differs most on top."""

import numpy as np
import pandas as pd
from rich.markup import escape
from rich.table import Table as Grid

from pluribus.tables import Prepared, Table

_COLUMNS = 12  # of those that count
_OTHERS = 4  # of those that do not, such as names and free text
_WIDTH = 48  # of a value
_CATEGORY = 2**0.5  # two values of a category differ as much as two typical rows do in a number


class SideBySide:
    """Shows pairs of rows.

    Parameters
    ----------
    table : Table
    prepared : Prepared
        What was made of it, which says which columns count.
    """

    def __init__(self, table: Table, prepared: Prepared) -> None:
        self.ids = table.ids
        self.used = prepared.frame
        unused = [column for column in table.frame.columns if column not in self.used.columns]
        self.unused = table.frame[unused]
        self._scaled = {str(c): _as_numbers(self.used[c]) for c in self.used.columns}

    def grid(self, one: int, other: int, title: str) -> Grid:
        """The two rows as a table to print."""
        grid = Grid(title=title, title_justify="left")
        grid.add_column("")
        for i in (one, other):
            grid.add_column(escape(_cut(str(self.ids[i]))))
        order = self.by_difference(one, other)
        for name in order[:_COLUMNS]:
            _add(grid, self.used, name, one, other)
        for name in [str(c) for c in self.unused.columns][:_OTHERS]:
            _add(grid, self.unused, name, one, other)
        if len(order) > _COLUMNS:
            grid.caption = f"… more columns, which differ less: {len(order) - _COLUMNS}"
        return grid

    def by_difference(self, one: int, other: int) -> list[str]:
        """The columns that count, by how much the two rows differ in them."""
        difference = {name: _difference(values, one, other) for name, values in self._scaled.items()}
        return sorted(difference, key=lambda name: -difference[name])


def _as_numbers(column: pd.Series) -> np.ndarray:
    """Numbers and dates in units of their standard deviation; anything else as it is."""
    if isinstance(column.dtype, pd.CategoricalDtype) or column.dtype == object or column.dtype == bool:
        return column.to_numpy(dtype=object)
    if not pd.api.types.is_numeric_dtype(column.dtype):
        try:
            column = pd.to_datetime(column).astype("int64")
        except (TypeError, ValueError):
            return column.to_numpy(dtype=object)
    values = column.to_numpy(dtype=np.float64)
    spread = values.std()
    return values / spread if spread > 0 else values


def _difference(values: np.ndarray, one: int, other: int) -> float:
    if values.dtype == object:
        return 0.0 if values[one] == values[other] else _CATEGORY
    return abs(float(values[one] - values[other]))


def _add(grid: Grid, frame: pd.DataFrame, name: str, one: int, other: int) -> None:
    column = frame[name]
    left, right = _shown(column.iloc[one]), _shown(column.iloc[other])
    style = "dim" if left == right else ""
    grid.add_row(escape(_cut(name)), escape(left), escape(right), style=style)


def _shown(value: object) -> str:
    if isinstance(value, float | np.floating):
        number = float(value)
        return f"{number:,.0f}" if abs(number) >= 1e5 else f"{number:.5g}"
    return _cut(str(value))


def _cut(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}…"
