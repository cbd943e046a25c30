"""Files, data frames and arrays -> a numeric matrix or a graph, with a note on each choice made on the way."""

from pluribus.tables.as_table import as_table
from pluribus.tables.boolean_table import BooleanTable, boolean_table
from pluribus.tables.errors import TableError
from pluribus.tables.graph import Graph, as_graph, read_graph
from pluribus.tables.prepare import Prepared, prepare
from pluribus.tables.read_table import read_table
from pluribus.tables.recipe import Recipe
from pluribus.tables.rows import Rows, open_rows
from pluribus.tables.table import Table

__all__ = [
    "BooleanTable",
    "Graph",
    "Prepared",
    "Recipe",
    "Rows",
    "Table",
    "TableError",
    "as_graph",
    "as_table",
    "boolean_table",
    "open_rows",
    "prepare",
    "read_graph",
    "read_table",
]
