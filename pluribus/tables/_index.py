"""The index of a data frame that was written to Parquet: it tells rows apart, and is no feature."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from pluribus.tables.table import check_names


def nameless_levels(names: Iterable[str]) -> list[str]:
    """Those columns that hold levels of an index without names of their own."""
    return [name for name in names if re.fullmatch(r"__index_level_\d+__", name)]


def index_levels(schema: pa.Schema) -> list[str]:
    """All columns that hold levels of the index, by what pandas calls them, or wrote down about them."""
    told = schema.pandas_metadata or {}
    levels = [level for level in told.get("index_columns", []) if isinstance(level, str)]  # a range is no column
    return [*nameless_levels(schema.names), *levels]


def parquet_columns(path: Path) -> tuple[list[str], list[str]]:
    """Name the columns of a Parquet file, and of these the levels of an index; refuse two with one name.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import pandas as pd
    >>> from pluribus.tables._internal import parquet_columns
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name, "X.parquet")
    >>> pd.DataFrame({"a": [1.0, 2.0], "who": ["x", "y"]}).set_index("who").to_parquet(path)
    >>> parquet_columns(path)
    (['a', 'who'], ['who'])
    >>> folder.cleanup()
    """
    return columns_of(pq.read_schema(path), path)


def columns_of(schema: pa.Schema, path: Path) -> tuple[list[str], list[str]]:
    """The same of a file that is open."""
    check_names(schema.names, str(path))
    nameless, levels = nameless_levels(schema.names), index_levels(schema)
    named = [name for name in schema.names if name not in nameless]
    return named, [name for name in named if name in levels]
