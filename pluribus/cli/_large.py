"""Tables too large to be read whole: rows that are read in parts, with the notes that a table would have."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from pluribus._engine import DaskCluster, in_bytes, memory_limit
from pluribus.cli import _input
from pluribus.tables import Rows, TableError, open_rows, prepare
from pluribus.tables._internal import listing, parquet_columns, useless_columns

SHARE = 0.35  # of the memory allowed that the numbers of a table may take, since several copies are made on the way


@dataclass(frozen=True)
class Data:
    """What is clustered: an array, or rows that are read in parts."""

    X: np.ndarray | Rows
    ids: np.ndarray
    name: str
    notes: list[str]
    id_column: str | None
    feature_names: list[str]
    frame: pd.DataFrame | None

    @property
    def beside(self) -> int:
        """Bytes that are held beside the features: the table as it was read, and the ids."""
        frame = 0 if self.frame is None else int(self.frame.memory_usage(index=False).sum())
        return frame + self.ids.nbytes

    @property
    def array(self) -> np.ndarray | None:
        """The features, if they are in memory."""
        return self.X if isinstance(self.X, np.ndarray) else None


def read(
    path: Path,
    id_column: str | None,
    ignore: list[str],
    scale: Any,
    impute: bool,
    cluster: DaskCluster | None = None,
) -> Data:
    """Read a table, whole if it is small enough, else a Parquet file in parts, by a cluster if there is one.

    The numbers are the same, so that a job that was stopped goes on with more or less memory.
    """
    size = _decoded_size(path)
    if size > SHARE * memory_limit():
        return _in_parts(path, id_column, ignore, scale, impute, size, cluster)
    table, named_by = _input.read(path, id_column, ignore)
    prepared = prepare(table, scale=scale, impute=impute)
    notes = [*table.notes, *prepared.notes]
    if named_by is not None and id_column is None:
        notes.insert(0, f"The rows are named by the column '{named_by}'.")
    return Data(prepared.X, table.ids, table.name, notes, named_by, prepared.feature_names, prepared.frame)


def _in_parts(
    path: Path,
    id_column: str | None,
    ignore: list[str],
    scale: Any,
    impute: bool,
    size: float,
    cluster: DaskCluster | None,
) -> Data:
    names, levels = parquet_columns(path)
    unknown = [name for name in ignore if name not in names]
    if unknown:
        raise TableError(f"'{path}' has no column {listing(unknown)}, which is to be ignored.")
    allowed = in_bytes(memory_limit())
    large = f"'{path}' would take {in_bytes(size)} of the {allowed} of memory allowed, and is read in parts"
    if impute or scale == "robust":
        option = "--impute" if impute else "--scale robust"
        raise TableError(f"{large}: {option} would need all of a column at once. Prepare the file before.")
    named_by = id_column or next((name for name in names if name.lower() == "id" and name not in ignore), None)
    left_out = {*ignore, named_by, *levels}
    used = [name for name in names if name not in left_out]
    useless = useless_columns(path, used)
    rows = _looked_through(path, [name for name in used if name not in useless], named_by, cluster)
    notes = [f"{large}: the report has no profiles of the clusters."]
    notes += [f"Dropped '{name}': {reason}." for name, reason in useless.items()]
    if named_by is not None and id_column is None:
        notes.insert(0, f"The rows are named by the column '{named_by}'.")
    constant = [name for name, same in zip(rows.names, rows.survey.constant, strict=True) if same]
    if constant:
        notes.append(f"Warning: dropped constant columns, which cannot tell objects apart: {listing(constant)}.")
        rows = _looked_through(path, [name for name in rows.names if name not in constant], named_by, cluster)
    if scale == "standard":
        notes.append(f"{len(rows.names)} numbers scaled to mean 0 and variance 1.")
        rows = rows.standardized()
    ids = rows.ids()
    if ids is None:
        ids = np.arange(rows.shape[0]).astype(f"<U{len(str(rows.shape[0]))}")
    elif pd.Series(ids).duplicated().any():
        raise TableError(f"Column '{named_by}' of '{path}' names several rows alike. Give every row an id of its own.")
    return Data(rows, ids, path.stem, notes, named_by, list(rows.names), None)


def _looked_through(path: Path, names: list[str], id_column: str | None, cluster: DaskCluster | None) -> Rows:
    rows = open_rows(path, columns=names, id_column=id_column)
    if cluster is not None:
        rows.look_through(cluster, verbose=False)
    return rows


def _decoded_size(path: Path) -> float:
    """The bytes that the numbers of a Parquet file take; 0 for what is no such file."""
    if path.suffix.lower() not in (".parquet", ".pq") or not path.is_file():
        return 0
    try:
        with pq.ParquetFile(path) as file:
            width = sum(4 if pa.types.is_float32(kind) else 8 for kind in file.schema_arrow.types)
            return float(file.metadata.num_rows) * width
    except (pa.ArrowException, OSError):
        return 0  # the reader says what is wrong
