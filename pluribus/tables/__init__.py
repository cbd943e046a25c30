"""A user's file -> a numeric matrix, with honest notes on every choice made on the way."""

from pluribus.tables.errors import TableError
from pluribus.tables.prepare import Prepared, prepare
from pluribus.tables.read_table import read_table
from pluribus.tables.rows import Rows, open_rows
from pluribus.tables.table import Table

__all__ = [
    "Prepared",
    "Rows",
    "Table",
    "TableError",
    "open_rows",
    "prepare",
    "read_table",
]
