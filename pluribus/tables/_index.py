"""The index of a data frame that was written to Parquet: it tells rows apart, and is no feature."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pyarrow as pa


def nameless_levels(names: Iterable[str]) -> list[str]:
    """Those columns that hold levels of an index without names of their own."""
    return [name for name in names if re.fullmatch(r"__index_level_\d+__", name)]


def index_levels(schema: pa.Schema) -> list[str]:
    """All columns that hold levels of the index, by what pandas calls them, or wrote down about them."""
    told = schema.pandas_metadata or {}
    levels = [level for level in told.get("index_columns", []) if isinstance(level, str)]  # a range is no column
    return [*nameless_levels(schema.names), *levels]
