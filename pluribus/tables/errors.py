"""The one error of this room, and how its messages list things."""

from __future__ import annotations

from collections.abc import Iterable


class TableError(ValueError):
    """A table that cannot be used as it is: the message says what is wrong and what to do.

    Examples
    --------
    >>> from pluribus.tables import TableError, read_table
    >>> try:
    ...     read_table("no-such-file.csv")
    ... except TableError as error:
    ...     print(error)
    'no-such-file.csv' does not exist. Check the path.
    """


def listing(things: Iterable[object], limit: int = 8) -> str:
    """Name the first few things in quotes, and say how many more there are.

    >>> listing(["a", "b", "c"], limit=2)
    "'a', 'b' and 1 more"
    """
    quoted = [f"'{thing}'" for thing in things]
    return more(quoted, limit)


def more(parts: list[str], limit: int = 8) -> str:
    """Join the first few parts with commas, and say how many more there are."""
    shown = ", ".join(parts[:limit])
    return shown if len(parts) <= limit else f"{shown} and {len(parts) - limit:,} more"


def counted(number: int, noun: str) -> str:
    """Say how many there are of a thing.

    >>> counted(1, "column"), counted(1200, "row"), counted(2, "category")
    ('1 column', '1,200 rows', '2 categories')
    """
    if number == 1:
        return f"1 {noun}"
    return f"{number:,} {noun[:-1]}ies" if noun.endswith("y") else f"{number:,} {noun}s"
