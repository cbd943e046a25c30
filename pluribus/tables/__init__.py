"""A user's file -> a numeric matrix, with honest notes on every choice made on the way."""

from pluribus.tables._errors import TableError
from pluribus.tables._prepare import Prepared, prepare
from pluribus.tables._read import read_table
from pluribus.tables._rows import Rows, open_rows
from pluribus.tables._table import Table

__all__ = [
    "Prepared",
    "Rows",
    "Table",
    "TableError",
    "open_rows",
    "prepare",
    "read_table",
]
