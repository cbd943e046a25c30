"""Telling the dialect of delimited text from its first lines."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from pluribus.tables._cells import COMMA_NUMBER, INTEGER, MISSING, POINT_NUMBER, THOUSANDS
from pluribus.tables.errors import listing
from pluribus.tables.table import ROW_NAMES

_NUMBER = re.compile(rf"{POINT_NUMBER}|{COMMA_NUMBER}")
_POINT_NUMBER = re.compile(POINT_NUMBER)
_COMMA_NUMBER = re.compile(COMMA_NUMBER)
_INTEGER = re.compile(INTEGER)
_THOUSANDS = re.compile(THOUSANDS)

Rows = list[list[str]]


@dataclass(frozen=True)
class Dialect:
    """How a text file writes a table."""

    delimiter: str
    decimal: str
    has_header: bool
    names: list[str]
    notes: tuple[str, ...]

    @property
    def expects(self) -> str:
        """What sets the number of cells, in words."""
        return "the line of column names" if self.has_header else "the first line"


def sniff(text: str, *, truncated: bool = False) -> Dialect:
    """Tell delimiter, decimal mark and header of delimited text.

    >>> dialect = sniff("a;b\\n1,5;red\\n2,5;blue\\n")
    >>> dialect.delimiter, dialect.decimal, dialect.has_header, dialect.names
    (';', ',', True, ['a', 'b'])
    """
    candidates = {delimiter: _rows(text, delimiter, truncated) for delimiter in ",;\t|"}
    fitting = [delimiter for delimiter, rows in candidates.items() if rows and len(rows[0]) > 1]
    if fitting:
        delimiter = max(fitting, key=lambda candidate: _fit(candidates[candidate], candidate))
        rows = candidates[delimiter]
    else:  # spaces occur inside cells: they delimit only where nothing else does
        delimiter = " "
        rows = _rows("\n".join(line.strip() for line in text.splitlines()), delimiter, truncated)
        if not rows or len(rows[0]) == 1:
            delimiter, rows = ",", candidates[","] or [[text.strip()]]
    has_header, notes = _header(rows)
    names, naming = _names(rows[0], has_header)
    decimal = _decimal(rows[has_header:], delimiter)
    if decimal == ",":
        naming.append("Commas are read as decimal marks (1,5 is one and a half).")
    return Dialect(delimiter, decimal, has_header, names, tuple(notes + naming))


def numbered_rows(text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Split text into rows that are not empty, each with the line it starts on.

    >>> list(numbered_rows('a,b\\n\\n1,"x\\ny"\\n', ","))
    [(1, ['a', 'b']), (3, ['1', 'x\\ny'])]
    """
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=delimiter == " ")
    limit = csv.field_size_limit(len(text) + 1)  # a cell may be as long as it likes
    try:
        line = 1
        for row in reader:
            if row:
                yield line, row
            line = reader.line_num + 1
    finally:
        csv.field_size_limit(limit)


def _rows(text: str, delimiter: str, truncated: bool) -> Rows:
    """Split the sample; cells without the spaces around them, no empty lines, no row that is cut off."""
    if delimiter == " ":
        text = text.replace("\t", " ")
    rows = [[cell.strip() for cell in row] for _, row in numbered_rows(text, delimiter)]
    return rows[:-1] if truncated and len(rows) > 1 else rows


def _fit(rows: Rows, delimiter: str) -> tuple[float, float, int]:
    """Judge a delimiter: do rows have the same number of cells, are cells numbers, are there many."""
    lengths = Counter(map(len, rows))
    same = lengths.most_common(1)[0][1] / len(rows)
    number = _POINT_NUMBER if delimiter == "," else _NUMBER
    cells = [cell for row in rows[:200] for cell in row]
    return same, sum(bool(number.fullmatch(cell)) for cell in cells) / len(cells), len(rows[0])


def _header(rows: Rows) -> tuple[bool, list[str]]:
    """Tell whether the first row holds names.

    It holds data if all of it is numbers, or if a number has a fraction (5.1 names no column), or if it has
    numbers and its texts come again in the rows below. But 0, 1, 2 ... over fractions are names: pandas
    writes them.
    """
    first, below = rows[0], rows[1:]
    numbers = [cell for cell in first if _NUMBER.fullmatch(cell)]
    texts = set(first) - set(numbers) - MISSING
    taken = f"The first line is taken as column names, though it holds numbers ({listing(numbers, 4)})."
    no_names = "The file has no line of column names: columns are called x0, x1, ..."
    if not numbers:
        return True, []
    if any(not _INTEGER.fullmatch(number) for number in numbers):
        return False, [no_names]
    full = [row for row in below if len(row) == len(first)]
    if not texts:
        row_names = first[0] == "" and numbers == first[1:] and bool(full) and all(row[0] for row in full)
        is_header = row_names or _counts_columns(first, full)
    else:
        columns = zip(first, *full, strict=True)  # each with its cell of the first row
        is_header = not any(top in texts and top in column for top, *column in columns)
    return is_header, [taken if is_header else no_names]


def _counts_columns(first: list[str], below: Rows) -> bool:
    if first != [str(position) for position in range(len(first))] or not below:
        return False
    columns = zip(*below, strict=True)
    return len(first) >= 5 or all(any(not _INTEGER.fullmatch(cell) for cell in column) for column in columns)


def _names(first: list[str], has_header: bool) -> tuple[list[str], list[str]]:
    if not has_header:
        return [f"x{position}" for position in range(len(first))], []
    names = [name or f"x{position}" for position, name in enumerate(first)]
    unnamed = [name for name, cell in zip(names[1:], first[1:], strict=True) if not cell]
    if first[0] == "" and len(first) > 1:
        names[0] = ROW_NAMES
    return names, [f"Columns without a name are called {listing(unnamed)}."] if unnamed else []


def _decimal(rows: Rows, delimiter: str) -> str:
    """Tell the decimal mark by majority.

    Away from semicolons, 1,234 may be a thousand: then commas are decimal marks only if one of them cannot be
    that.
    """
    if delimiter == ",":
        return "."
    cells = [cell for row in rows for cell in row]
    commas = [cell for cell in cells if "," in cell and _COMMA_NUMBER.fullmatch(cell)]
    points = sum("." in cell and bool(_POINT_NUMBER.fullmatch(cell)) for cell in cells)
    certain = delimiter == ";" or any(not _THOUSANDS.fullmatch(cell) for cell in commas)
    return "," if len(commas) > points and certain else "."
