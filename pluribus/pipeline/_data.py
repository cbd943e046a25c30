"""What is clustered: a path, a data frame, an array, an AnnData -> features, ids, and how columns became features."""

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from scipy import sparse

from pluribus._engine import DaskCluster, in_bytes, memory_limit, plain_array
from pluribus.tables import Recipe, Rows, Table, TableError, as_table, open_rows, prepare
from pluribus.tables._internal import (
    EMBEDDING,
    ColumnRecipe,
    check_distances,
    check_metric,
    check_scaling,
    is_annotated,
    is_dask,
    listing,
    parquet_columns,
    row_numbers,
    single_floats,
    unit_rows,
    useless_columns,
)

SHARE = 0.35  # of the memory limit that the numbers of a table may take, since several copies are made on the way


@dataclass(frozen=True)
class Data:
    """Features in memory, or rows that are read in parts, with the ids of the objects and notes on each choice."""

    X: Any
    ids: np.ndarray
    name: str
    notes: list[str]
    id_column: str | None = None
    feature_names: tuple[str, ...] = ()
    frame: pd.DataFrame | None = None
    recipe: Recipe | None = None
    title: str = "table"
    distances: bool = False  # X holds distances between the objects, not features

    @property
    def in_parts(self) -> bool:
        """Whether the rows are not in memory."""
        return isinstance(self.X, Rows)

    @property
    def n_objects(self) -> int:
        """Number of rows."""
        return int(self.X.shape[0])

    @property
    def frame_bytes(self) -> int:
        """Bytes that are held in addition to the features: the table as it was read, and the ids."""
        frame = 0 if self.frame is None else int(self.frame.memory_usage(index=False).sum())
        return frame + self.ids.nbytes

    @property
    def array(self) -> np.ndarray | None:
        """The features, if they are a dense array in memory."""
        return self.X if isinstance(self.X, np.ndarray) and not self.distances else None


@dataclass(frozen=True)
class Preparation:
    """How columns are chosen and scaled: the options of ``pluribus.cluster``."""

    id_column: str | None = None
    ignore: tuple[str, ...] = ()
    scale: Any = "standard"
    impute: bool = False

    def __post_init__(self) -> None:
        check_scaling(self.scale)

    def refuse(self, what: str, *names: str) -> None:
        """Refuse those of these options that are given: they are of no use for what is clustered."""
        own = {field.name: field.default for field in fields(self)}
        given = [f"{name}={getattr(self, name)!r}" for name in names if getattr(self, name) != own[name]]
        if given:
            raise TableError(f"{what}, and {', '.join(given)} cannot be used: leave it out, or give a data frame.")


def read_data(data: Any, how: Preparation, cluster: DaskCluster | None = None) -> Data:
    """Read and prepare what is to be clustered."""
    if isinstance(data, str | PathLike):
        path = Path(data)
        size = _decoded_size(path)
        large = size > SHARE * memory_limit()
        read = _rows_of_file(path, how, size, cluster) if large else _table(data, how)
        return replace(read, title=path.name)
    if is_annotated(data):
        how.refuse("An AnnData has no columns of a table", "id_column", "ignore", "impute")
        return _annotated(data)
    if isinstance(data, Rows) or is_dask(data):
        how.refuse("The rows are read in parts", "ignore", *(["id_column"] if isinstance(data, Rows) else []))
        return _rows(data, how, cluster)
    if sparse.issparse(data):
        how.refuse("A sparse matrix has no columns of a table", "id_column", "ignore", "impute")
        return _sparse(data)
    return _table(data, how)


def read_distances(data: Any, how: Preparation) -> Data:
    """Read a square table of distances between objects."""
    how.refuse("A table of distances has no features", "ignore", "scale", "impute")
    table = as_table(data, id_column=how.id_column)
    numbers = table.frame.select_dtypes("number")
    words = [name for name in table.frame.columns if name not in numbers.columns]
    if words:
        raise TableError(f"Distances must be numbers, but {listing(words)} holds others: name the rows with id_column.")
    n, m = numbers.shape
    if n != m:
        raise TableError(
            f"A table of distances has a row and a column for each object, but this one has {n} rows and {m} columns. "
            "If one of the columns names the rows, give it as id_column. If it is a table of features, leave out "
            "distances."
        )
    title = Path(data).name if isinstance(data, str | PathLike) else "distances"
    D = check_distances(numbers.to_numpy(dtype=np.float64))
    return Data(D, table.ids, table.name, list(table.notes), table.id_column, title=title, distances=True)


def _table(data: Any, how: Preparation) -> Data:
    table = as_table(data, id_column=how.id_column, ignore=how.ignore)
    prepared = prepare(table, scale=how.scale, impute=how.impute)
    notes = [*table.notes, *prepared.notes]
    if table.id_column is not None and how.id_column is None:
        notes.insert(0, f"The rows are named by the column '{table.id_column}'.")
    names = tuple(prepared.feature_names)
    return Data(prepared.X, table.ids, table.name, notes, table.id_column, names, prepared.frame, prepared.recipe)


def _sparse(X: Any) -> Data:
    note = "The matrix is sparse: its columns are not scaled."
    return Data(_floats(sparse.csr_array(X)), row_numbers(X.shape[0]), "table", [note])


def _floats(X: Any) -> Any:
    """The numbers as floats; float32 stays float32, and float16 becomes float32."""
    X = single_floats(X)
    return X if X.dtype in (np.float32, np.float64) else X.astype(np.float64)


def _annotated(data: Any) -> Data:
    """The cells of an AnnData, by their principal components if these were computed."""
    ids = np.asarray(data.obs_names, dtype=str)
    if EMBEDDING in data.obsm:
        X = _floats(np.asarray(data.obsm[EMBEDDING]))
        return Data(X, ids, "cells", [f"The cells are clustered by obsm['{EMBEDDING}'], not scaled."])
    if data.X is None:
        raise TableError(f"The AnnData has neither obsm['{EMBEDDING}'] nor X: compute the components, or give X.")
    notes = [f"The cells are clustered by X, not scaled: there is no obsm['{EMBEDDING}']."]
    X = _floats(sparse.csr_array(data.X) if sparse.issparse(data.X) else np.asarray(data.X))
    return Data(X, ids, "cells", notes, feature_names=tuple(map(str, data.var_names)))


def _rows(data: Any, how: Preparation, cluster: DaskCluster | None) -> Data:
    rows = data if isinstance(data, Rows) else open_rows(data, id_column=how.id_column)
    if cluster is not None:
        rows.look_through(cluster, verbose=False)
    notes = [f"{rows.shape[0]:,} rows are read in parts: the report has no profiles of the clusters."]
    rows, recipe = _scaled(rows, how, notes)
    ids = rows.ids()
    return Data(rows, row_numbers(rows.shape[0]) if ids is None else ids, "table", notes, recipe=recipe)


def _scaled(rows: Rows, how: Preparation, notes: list[str]) -> tuple[Rows, Recipe | None]:
    """Rows that are scaled as they are read, and the recipe for new ones; adds a note."""
    if how.impute or how.scale == "robust":
        option = "impute=True" if how.impute else "scale='robust'"
        raise TableError(f"The rows are read in parts, but {option} needs a whole column at once. Prepare them before.")
    dtype: Any = "float32" if rows.dtype == np.float32 else "float64"
    if how.scale == "none":
        return rows, Recipe(tuple(ColumnRecipe(name, "number") for name in rows.names), dtype)
    found = rows.survey
    columns = zip(rows.names, found.mean.tolist(), found.deviation.tolist(), strict=True)
    recipes = [ColumnRecipe(name, "number", centers=(mean,), divisor=spread or 1.0) for name, mean, spread in columns]
    notes.append(f"{len(rows.names)} numbers scaled to mean 0 and variance 1.")
    return rows.standardized(), Recipe(tuple(recipes), dtype)


def _rows_of_file(path: Path, how: Preparation, size: float, cluster: DaskCluster | None) -> Data:
    """A Parquet file in parts, with the notes that a table would have."""
    names, levels = parquet_columns(path)
    unknown = [name for name in how.ignore if name not in names]
    if unknown:
        raise TableError(f"'{path}' has no column {listing(unknown)}, which is to be ignored.")
    allowed = in_bytes(memory_limit())
    large = f"'{path}' would take {in_bytes(size)} of the {allowed} of memory allowed, and is read in parts"
    named_by = how.id_column or next((n for n in names if n.lower() == "id" and n not in how.ignore), None)
    used = [name for name in names if name not in {*how.ignore, named_by, *levels}]
    useless = useless_columns(path, used)
    notes = [f"{large}: the report has no profiles of the clusters."]
    notes += [f"Dropped '{name}': {reason}." for name, reason in useless.items()]
    if named_by is not None and how.id_column is None:
        notes.insert(0, f"The rows are named by the column '{named_by}'.")
    rows = _varying(path, [name for name in used if name not in useless], named_by, cluster, notes)
    try:
        rows, recipe = _scaled(rows, how, notes)
    except TableError as error:
        raise TableError(f"{large}. {error}") from None
    return Data(rows, _distinct_ids(rows, path, named_by), path.stem, notes, named_by, tuple(rows.names), None, recipe)


def _varying(
    path: Path, names: Iterable[str], named_by: str | None, cluster: DaskCluster | None, notes: list[str]
) -> Rows:
    """The rows without constant columns; adds a note on these."""

    def opened(columns: Iterable[str]) -> Rows:
        rows = open_rows(path, columns=list(columns), id_column=named_by)
        if cluster is not None:
            rows.look_through(cluster, verbose=False)
        return rows

    rows = opened(names)
    constant = [name for name, same in zip(rows.names, rows.survey.constant, strict=True) if same]
    if not constant:
        return rows
    notes.append(f"Warning: dropped constant columns, which cannot tell objects apart: {listing(constant)}.")
    return opened(name for name in rows.names if name not in constant)


def _distinct_ids(rows: Rows, path: Path, named_by: str | None) -> np.ndarray:
    ids = rows.ids()
    if ids is None:
        return row_numbers(rows.shape[0])
    if pd.Series(ids).duplicated().any():
        raise TableError(f"Column '{named_by}' of '{path}' names several rows alike. Give every row an id of its own.")
    return ids


def _decoded_size(path: Path) -> float:
    """The bytes that the numbers of a Parquet file take; 0 for any other file."""
    if path.suffix.lower() not in (".parquet", ".pq") or not path.is_file():
        return 0
    try:
        with pq.ParquetFile(path) as file:
            width = sum(4 if pa.types.is_float32(kind) else 8 for kind in file.schema_arrow.types)
            return float(file.metadata.num_rows) * width
    except (pa.ArrowException, OSError):
        return 0  # the reader says what is wrong


def directions(data: Data) -> Data:
    """The same objects with features of length 1: then the nearest ones are those of highest cosine."""
    return replace(data, X=unit_rows(data.X, data.ids))


def features_of(new: Any, recipe: Recipe | None, n_features: int, metric: str = "euclidean") -> Any:
    """The features of new rows, made as those that were clustered."""
    if check_metric(metric) == "cosine":
        return unit_rows(_floats(features_of(new, recipe, n_features)))
    if recipe is not None:
        _check_width(new, recipe)
        return recipe.apply(as_table(_used(new, recipe), name="new rows", least_rows=1))
    if isinstance(new, str | PathLike | Table):
        new = as_table(new, name="new rows", least_rows=1).frame.to_numpy()
    X = _annotated(new).X if is_annotated(new) else new
    X = single_floats(sparse.csr_array(X) if sparse.issparse(X) else plain_array("the new rows", X))
    if X.ndim != 2 or X.shape[1] != n_features or X.shape[0] == 0:
        raise ValueError(
            f"The new rows have shape {X.shape}, but {n_features} features were clustered: give at least one row, with "
            f"{n_features} columns."
        )
    return X


def _check_width(new: Any, recipe: Recipe) -> None:
    """Refuse an array with another number of columns: they have no names to be found by."""
    shape = plain_array("the new rows", new).shape if isinstance(new, np.ndarray | list | tuple) else ()
    if len(shape) == 2 and recipe.n_columns not in (None, shape[1]):
        raise ValueError(
            f"The new rows have {shape[1]} columns, but {recipe.n_columns} were clustered: give the same columns."
        )


def _used(new: Any, recipe: Recipe) -> Any:
    """The columns of a data frame that are used: what its ids are does not matter. Anything else as it is."""
    frame = new.to_pandas() if hasattr(new, "to_pandas") else new
    if not isinstance(frame, pd.DataFrame):
        return new
    names = {column.name for column in recipe.columns}
    return frame.loc[:, [str(name) in names for name in frame.columns]].reset_index(drop=True)
