"""What the columns of a table hold."""

from __future__ import annotations

from pluribus.tables._columns import BadCells, Column, Unusable, understand
from pluribus.tables.errors import TableError, counted
from pluribus.tables.table import Table, check_table


def understood(table: Table) -> tuple[list[Column], list[Unusable]]:
    """Tell what each column holds; all bad cells of the table make one error."""
    check_table(table)
    found = [understand(str(name), column, table.decimal) for name, column in table.frame.items()]
    bad = [column for column in found if isinstance(column, BadCells)]
    if bad:
        raise TableError(
            f"'{table.name}' has cells that cannot be read. "
            + " ".join(map(_described, bad[:8]))
            + (f" And {counted(len(bad) - 8, 'more column')}." if len(bad) > 8 else "")
            + " Correct these cells (or empty them, and impute), or ignore the column."
        )
    columns = [column for column in found if isinstance(column, Column)]
    unusable = [column for column in found if isinstance(column, Unusable)]
    return columns, unusable


def _described(column: BadCells) -> str:
    cells = ", ".join(f"{cell[:40]!r} (data row {row:,})" for row, cell in column.examples)
    n_more = column.count - len(column.examples)
    rest = f" and {n_more:,} more" if n_more else ""
    wrong = f"{counted(column.count, 'cell')} cannot be read so"
    return f"Column '{column.name}' should hold {column.expected}, but {wrong}: {cells}{rest}."
