"""Columns of a Parquet file that count or identify its rows."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from pluribus.tables._columns import FEWEST_COUNTED, Unusable, understand


def useless_columns(path: Path, names: Iterable[str]) -> dict[str, str]:
    """Name the whole numbers that ``prepare`` would drop, and why, without reading the file whole.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import numpy as np, pandas as pd
    >>> from pluribus.tables._internal import useless_columns
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name, "big.parquet")
    >>> pd.DataFrame({"row": np.arange(20), "size": np.arange(20) % 7}).to_parquet(path)
    >>> useless_columns(path, ["row", "size"])
    {'row': 'it only counts the rows'}
    >>> folder.cleanup()
    """
    reasons: dict[str, str] = {}
    with pq.ParquetFile(path, pre_buffer=False) as file:
        for name in names:
            if pa.types.is_integer(file.schema_arrow.field(name).type):
                head = next(file.iter_batches(FEWEST_COUNTED, columns=[name]), None)
                if head is not None and _reason(name, head):  # if not the first rows, then not all
                    reason = _reason(name, file.read(columns=[name]))
                    reasons |= {name: reason} if reason else {}
    return reasons


def _reason(name: str, rows: pa.RecordBatch | pa.Table) -> str:
    column: pd.Series = rows.column(rows.schema.get_field_index(name)).to_pandas()
    found = understand(name, column)
    return found.reason if isinstance(found, Unusable) else ""
