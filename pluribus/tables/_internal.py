"""What other rooms may use of this one, and users need not know."""

from pluribus.tables._annotated import EMBEDDING, is_annotated, refuse_annotated
from pluribus.tables._cells import MISSING
from pluribus.tables._columns import BadCells, Column, Unusable, understand
from pluribus.tables._index import parquet_columns
from pluribus.tables._matrices import check_distances, check_features, without_repeats
from pluribus.tables._scale import check_new_scale, check_scale
from pluribus.tables._survey import taken
from pluribus.tables._unit_rows import METRICS, check_metric, single_floats, unit_rows
from pluribus.tables._useless import useless_columns
from pluribus.tables.errors import counted, listing
from pluribus.tables.read_table import row_numbers
from pluribus.tables.recipe import ColumnRecipe, check_scaling
from pluribus.tables.rows import BLOCK, ArrayRows, is_dask, open_data
from pluribus.tables.table import ROW_NAMES

__all__ = [
    "BLOCK",
    "EMBEDDING",
    "METRICS",
    "MISSING",
    "ROW_NAMES",
    "ArrayRows",
    "BadCells",
    "Column",
    "ColumnRecipe",
    "Unusable",
    "check_distances",
    "check_features",
    "check_metric",
    "check_new_scale",
    "check_scale",
    "check_scaling",
    "counted",
    "is_annotated",
    "is_dask",
    "listing",
    "open_data",
    "parquet_columns",
    "refuse_annotated",
    "row_numbers",
    "single_floats",
    "taken",
    "understand",
    "unit_rows",
    "useless_columns",
    "without_repeats",
]
