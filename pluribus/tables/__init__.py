"""A user's file -> a numeric matrix, with honest notes on every choice made on the way."""

from pluribus.tables._errors import TableError, listing
from pluribus.tables._index import parquet_columns
from pluribus.tables._prepare import Prepared, prepare
from pluribus.tables._read import read_table
from pluribus.tables._rows import BLOCK, ArrayRows, Rows, is_dask, open_rows
from pluribus.tables._scale import check_scale
from pluribus.tables._survey import taken
from pluribus.tables._table import ROW_NAMES, Table
from pluribus.tables._useless import useless_columns

__all__ = [
    "BLOCK",
    "ROW_NAMES",
    "ArrayRows",
    "Prepared",
    "Rows",
    "Table",
    "TableError",
    "check_scale",
    "is_dask",
    "listing",
    "open_rows",
    "parquet_columns",
    "prepare",
    "read_table",
    "taken",
    "useless_columns",
]
