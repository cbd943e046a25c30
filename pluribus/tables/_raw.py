"""What every reader hands on: columns of plain types."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import pyarrow as pa


@dataclass(frozen=True)
class Raw:
    """The columns that were read, with the ids still among them (or beside them, in an NPZ)."""

    frame: pd.DataFrame
    ids: np.ndarray | None = None
    notes: list[str] = field(default_factory=list)
    decimal: str = "."
    index: tuple[str, ...] = ()  # of the columns those that were the index of a data frame, with names of their own


def to_frame(table: pa.Table) -> pd.DataFrame:
    """Turn an Arrow table into a data frame whose columns are arrays, not Python objects."""
    columns = [_plain(column) for column in table.columns]
    plain = pa.table(columns, names=table.column_names)  # without the metadata that would rebuild an index
    return plain.to_pandas(ignore_metadata=True, date_as_object=False)


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Give decimals and times of the day, which pandas would hold as objects, a type it counts with."""
    kind = column.type
    if pa.types.is_decimal(kind):
        return column.cast(pa.float64())
    if pa.types.is_time(kind):
        integer = pa.int32() if pa.types.is_time32(kind) else pa.int64()
        return column.cast(integer).cast(pa.int64()).cast(pa.duration(kind.unit))
    return column
