"""How columns become features: learned from one table, applied to others."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

import numpy as np

from pluribus._engine import is_one_of
from pluribus.tables._columns import BadCells, Column, Kind, read_as
from pluribus.tables._survey import mean_and_deviation
from pluribus.tables.errors import TableError, counted, listing, more
from pluribus.tables.table import Table, check_table

Scale = Literal["standard", "robust", "none"]
GAUSSIAN_IQR = 1.3489795003921634  # interquartile range of a Gaussian with variance 1
LEAST_RANGE = 1e-30  # an interquartile range below this share of the whole range is none


@dataclass(frozen=True)
class ColumnRecipe:
    """How one column becomes one feature or, if it is a category, one for each coded value.

    A number v becomes (v / unit - center) / divisor. Each coded value of a category has a feature that is 1 where the
    cell holds it, else 0, centered and divided in the same way.
    """

    name: str
    kind: Kind
    levels: tuple[str, ...] = ()
    unit: float = 1.0
    centers: tuple[float, ...] = (0.0,)
    divisor: float = 1.0
    fill: float | None = None  # for a missing value; None: refused
    remark: str = ""
    without_range: bool = False  # robust scaling found no interquartile range

    @property
    def feature_names(self) -> list[str]:
        """A name for each feature."""
        if self.kind != "category":
            return [self.name]
        return [f"{self.name}={level}" for level in self.levels[-len(self.centers) :]]

    def write(self, values: np.ndarray, out: np.ndarray) -> None:
        """Fill the features of these values, (n, number of features)."""
        if self.kind == "category":
            first = len(self.levels) - len(self.centers)
            for position, center in enumerate(self.centers):
                out[:, position] = ((values == first + position) - center) / self.divisor
            out[values < 0] = 0  # a value that was never seen is like the average one
        else:
            scaled = (self.unit, self.centers[0], self.divisor) != (1, 0, 1)
            out[:, 0] = self._scaled(values.astype(np.float64)) if scaled else values

    def _scaled(self, values: np.ndarray) -> np.ndarray:
        return ((values if self.unit == 1 else values / self.unit) - self.centers[0]) / self.divisor


@dataclass(frozen=True)
class Recipe:
    """How the columns of a table become features; ``apply`` does the same to new rows.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from pluribus.tables import Table, prepare
    >>> people = pd.DataFrame({"age": [20, 40, 30, 50], "team": ["red", "blue", "red", "red"]})
    >>> recipe = prepare(Table(people, np.array(["ann", "bob", "eve", "joe"]), "people")).recipe
    >>> recipe.feature_names
    ['age', 'team=red']
    >>> new = Table(pd.DataFrame({"team": ["blue", "red"], "age": [35, 20]}), np.array(["ida", "tom"]), "new people")
    >>> recipe.apply(new).round(2)
    array([[ 0.  , -1.73],
           [-1.34,  0.58]])
    """

    columns: tuple[ColumnRecipe, ...]
    dtype: Literal["float32", "float64"] = "float64"
    n_columns: int | None = None  # of the table, with those that became no feature

    @property
    def feature_names(self) -> list[str]:
        """A name for each feature."""
        return [name for column in self.columns for name in column.feature_names]

    def features(self, columns: Sequence[Column]) -> np.ndarray:
        """The matrix of columns that were read already, without gaps."""
        widths = [len(column.centers) for column in self.columns]
        X = np.empty((len(columns[0].values), sum(widths)), dtype=self.dtype)
        start = 0
        for recipe, column, width in zip(self.columns, columns, widths, strict=True):
            recipe.write(column.values, X[:, start : start + width])
            start += width
        return X

    def apply(self, table: Table) -> np.ndarray:
        """The features of a new table with the same columns, in any order; further columns are not used.

        Raises
        ------
        TableError
            If a column is missing, holds something else than it did, or has gaps that may not be filled.
        """
        check_table(table)
        missing = [recipe.name for recipe in self.columns if recipe.name not in table.frame.columns]
        if missing:
            raise TableError(
                f"'{table.name}' has no column {listing(missing)}, which the clusters were made from. Give a table "
                f"with the same columns: {listing([recipe.name for recipe in self.columns], 20)}."
            )
        columns = [self._column(recipe, table) for recipe in self.columns]
        _refuse_gaps(self.columns, columns, table.name)
        _warn_of_new_values(self.columns, columns, table.name)
        return self.features([_filled(recipe, column) for recipe, column in zip(self.columns, columns, strict=True)])

    @staticmethod
    def _column(recipe: ColumnRecipe, table: Table) -> Column:
        series = table.frame[recipe.name]
        column = read_as(recipe.kind, recipe.name, series, table.decimal, recipe.levels, recipe.remark)
        if isinstance(column, BadCells):
            row, cell = column.examples[0]
            raise TableError(
                f"Column '{recipe.name}' of '{table.name}' held {column.expected} when the clusters were made, but "
                f"{counted(column.count, 'cell')} cannot be read as that: {cell[:40]!r} (data row {row:,})."
            )
        return column

    def to_json(self) -> dict[str, Any]:
        """Plain values, which ``from_json`` reads."""
        columns = [asdict(column) for column in self.columns]
        return {"dtype": self.dtype, "n_columns": self.n_columns, "columns": columns}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Recipe:
        """A recipe from plain values, each of which is checked."""
        try:
            columns = tuple(_checked(dict(column)) for column in stored["columns"])
            dtype, n_columns = stored["dtype"], stored["n_columns"]
        except (KeyError, TypeError, ValueError) as error:
            raise TableError(f"The recipe of the columns is damaged ({error!r}).") from error
        if dtype not in ("float32", "float64") or not columns:
            raise TableError("The recipe of the columns is damaged: it has no columns, or an unknown type of number.")
        return cls(columns, dtype, None if n_columns is None else int(n_columns))


def check_scaling(scale: Any) -> None:
    """Refuse a way to scale that is not known."""
    if not is_one_of(scale, get_args(Scale)):
        raise TableError(f"scale is {scale!r}. Choose one of {listing(get_args(Scale))}.")


def column_recipe(column: Column, scale: Scale, fill: float | None = None) -> ColumnRecipe:
    """Learn how a column is scaled."""
    own: dict[str, Any] = {"name": column.name, "kind": column.kind, "fill": fill, "remark": column.remark}
    if column.kind == "category":
        return ColumnRecipe(**own, levels=tuple(column.levels), **_coding(column, scale))
    if scale == "none":
        return ColumnRecipe(**own)
    values = column.values.astype(np.float64)
    largest = float(np.abs(values).max())
    unit = 1.0 if 1e-100 < largest < 1e100 else largest  # squares of such numbers leave the range of a float
    values = values / unit
    robust = scale == "robust" and column.kind != "boolean"
    if robust:
        low, middle, high = np.percentile(values, [25, 50, 75])
        if high - low > LEAST_RANGE * np.ptp(values):
            divisor = float((high - low) / GAUSSIAN_IQR)
            return ColumnRecipe(**own, unit=unit, centers=(float(middle),), divisor=divisor)
    mean, deviation = mean_and_deviation(values)
    return ColumnRecipe(**own, unit=unit, centers=(mean,), divisor=deviation, without_range=robust)


def _coding(column: Column, scale: Scale) -> dict[str, Any]:
    """The centers and the divisor of a category: of two values, one says it all; the variances sum to 1."""
    shares = np.bincount(column.values, minlength=len(column.levels)) / len(column.values)
    coded = shares[1:] if len(shares) == 2 else shares
    if scale == "none":
        return {"centers": (0.0,) * len(coded)}
    return {"centers": tuple(coded.tolist()), "divisor": float(np.sqrt(np.sum(coded * (1 - coded))))}


def _refuse_gaps(recipes: Sequence[ColumnRecipe], columns: Sequence[Column], source: str) -> None:
    gaps = [
        f"'{recipe.name}' ({n:,})"
        for recipe, column in zip(recipes, columns, strict=True)
        if recipe.fill is None and (n := int((column.gaps & (column.values != _NEW)).sum()))
    ]
    if gaps:
        raise TableError(
            f"'{source}' has missing or infinite values in {counted(len(gaps), 'column')}: {more(gaps)}. Complete "
            "them; they are filled only if the clusters were made with impute=True."
        )


_NEW = -2  # the position of a value of a category that was not there when the recipe was made


def _warn_of_new_values(recipes: Sequence[ColumnRecipe], columns: Sequence[Column], source: str) -> None:
    new = [
        f"'{recipe.name}' ({n:,})"
        for recipe, column in zip(recipes, columns, strict=True)
        if recipe.kind == "category" and (n := int((column.values == _NEW).sum()))
    ]
    if new:
        warnings.warn(
            f"'{source}' has values of categories that were not there when the clusters were made: {more(new)}. They "
            "count as the average value.",
            UserWarning,
            stacklevel=4,
        )


def _filled(recipe: ColumnRecipe, column: Column) -> Column:
    gaps = column.gaps if recipe.kind != "category" else column.values == -1
    if recipe.fill is None or not gaps.any():
        return column
    return Column(column.name, column.kind, np.where(gaps, recipe.fill, column.values), column.levels)


def _checked(stored: dict[str, Any]) -> ColumnRecipe:
    """A column's recipe from plain values; raises ValueError or TypeError for what cannot be one."""
    stored["levels"] = tuple(str(level) for level in stored["levels"])
    stored["centers"] = tuple(float(center) for center in stored["centers"])
    recipe = ColumnRecipe(**stored)
    width = len(recipe.centers)
    expected = {len(recipe.levels), len(recipe.levels) - 1} if recipe.kind == "category" else {1}
    numbers = [*recipe.centers, recipe.unit, recipe.divisor, *([] if recipe.fill is None else [recipe.fill])]
    if recipe.kind not in get_args(Kind) or width not in expected or width < 1 or not np.isfinite(numbers).all():
        raise ValueError(f"column {recipe.name!r}")
    if not (recipe.divisor > 0 and recipe.unit > 0):
        raise ValueError(f"column {recipe.name!r} is divided by {recipe.divisor!r}")
    return recipe
