"""Reader of delimited text."""

from __future__ import annotations

import codecs
import gzip
import zlib
from collections import deque
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pa_csv

from pluribus.tables._cells import MISSING
from pluribus.tables._raw import Raw, to_frame
from pluribus.tables._sniff import Dialect, numbered_rows, sniff
from pluribus.tables.errors import TableError, counted
from pluribus.tables.table import ROW_NAMES, Selection

BLOCK = 4 << 20  # bytes that one thread parses at a time
END = "\x04"  # put after the last line, to see whether it stays outside of quotes
SAMPLE = 1 << 18  # bytes (in whole lines) that the dialect is told from


def read_text(path: Path, selection: Selection) -> Raw:
    """Read a delimited text file; its dialect is found out from the first lines."""
    data, notes = _utf8(_bytes(path), path)
    if not data or data.isspace():
        raise TableError(f"'{path}' is empty. Give a line of column names and one line for each object.")
    sample = _sample(data)
    dialect = sniff(sample.decode("utf-8"), truncated=len(sample) < len(data))
    selection.check(dialect.names, str(path))
    if dialect.delimiter == " ":
        data = _single_spaces(data)
    if data.count(b'"') % 2:
        _refuse_open_quote(data, dialect, path)
    block = max(BLOCK, 64 * max(map(len, sample.splitlines())))
    try:
        table = _parse(data, dialect, selection, block)
    except pa.ArrowException as error:
        raise _explained(error, data, dialect, path) from error
    return Raw(to_frame(table), notes=notes + list(dialect.notes), decimal=dialect.decimal)


def _bytes(path: Path) -> bytes:
    data = path.read_bytes()
    if path.suffix.lower() != ".gz":
        return data
    try:
        return gzip.decompress(data)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise TableError(
            f"'{path}' is not a gzip file that can be read ({error}). Compress or copy it again."
        ) from error


def _utf8(data: bytes, path: Path) -> tuple[bytes, list[str]]:
    """Bring the text to UTF-8 without a mark at its start."""
    for mark, encoding in ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")):
        if data.startswith(mark):
            try:
                data = data.removeprefix(mark).decode(encoding).encode("utf-8")
            except UnicodeError as error:
                raise TableError(f"'{path}' is damaged UTF-16 text ({error}). Save it as UTF-8.") from error
    data = data.removeprefix(codecs.BOM_UTF8)
    if b"\0" in data:
        raise TableError(
            f"'{path}' is not text, though its name says so: it holds zero bytes. "
            "Save the table as CSV, or give the file the ending of what it is."
        )
    try:
        data.isascii() or data.decode("utf-8")
    except UnicodeDecodeError:
        note = "The text is not UTF-8: it is read as Latin-1. Check names with accents."
        return data.decode("latin-1").encode("utf-8"), [note]
    return data, []


def _sample(data: bytes) -> bytes:
    """Take whole lines from the start: enough bytes, and a few lines also where lines are long."""
    end = min(SAMPLE, len(data))
    lines = 0
    while end < len(data) and lines < 5:
        end = data.find(b"\n", end) + 1 or len(data)
        lines = data.count(b"\n", 0, end)
    return data[:end]


def _single_spaces(data: bytes) -> bytes:
    """Make every run of spaces one delimiter, except inside quotes."""
    parts = data.strip().split(b'"')
    parts[::2] = map(_squeezed, parts[::2])  # the others are inside quotes
    return b'"'.join(parts)


def _squeezed(text: bytes) -> bytes:
    text = text.replace(b"\t", b" ")
    while b"  " in text:
        text = text.replace(b"  ", b" ")
    for end in (b"\r", b"\n"):
        text = text.replace(b" " + end, end).replace(end + b" ", end)
    return text


def _parse(data: bytes, dialect: Dialect, selection: Selection, block: int) -> pa.Table:
    try:
        return _parse_blocks(data, dialect, selection, block)
    except pa.ArrowInvalid as error:
        if "straddling" in str(error) and block < len(data):  # a line is longer than a block
            return _parse_blocks(data, dialect, selection, len(data))
        raise


def _parse_blocks(data: bytes, dialect: Dialect, selection: Selection, block: int) -> pa.Table:
    quoted = b'"' in data
    as_text = {name: pa.string() for name in (selection.id_in(dialect.names), ROW_NAMES) if name in dialect.names}
    return pa_csv.read_csv(
        pa.BufferReader(data),
        read_options=pa_csv.ReadOptions(
            column_names=dialect.names,
            skip_rows_after_names=int(dialect.has_header),
            block_size=min(block, (1 << 31) - 1),
        ),
        parse_options=pa_csv.ParseOptions(
            delimiter=dialect.delimiter,
            quote_char='"' if quoted else False,
            newlines_in_values=quoted,
        ),
        convert_options=pa_csv.ConvertOptions(
            include_columns=selection.keep(dialect.names),
            column_types=as_text,  # an id 007 stays 007
            null_values=sorted(MISSING),
            strings_can_be_null=True,
            decimal_point=dialect.decimal,
        ),
    )


def _refuse_open_quote(data: bytes, dialect: Dialect, path: Path) -> None:
    """Refuse a quote that is never closed: all that follows would silently become one cell."""
    line, row = deque(numbered_rows(f"{data.decode()}\n{END}", dialect.delimiter), maxlen=1).pop()
    if row != [END]:
        raise TableError(f"'{path}', line {line:,}: a quote is opened and never closed. Close or remove it.")


def _explained(error: Exception, data: bytes, dialect: Dialect, path: Path) -> TableError:
    """Find the first line with too few or too many cells: Arrow, working in parallel, cannot tell."""
    expected = len(dialect.names)
    for line, row in numbered_rows(data.decode(), dialect.delimiter):
        if len(row) != expected:
            return TableError(
                f"'{path}', line {line:,}: {counted(len(row), 'cell')} where {dialect.expects} has "
                f"{expected}. The line begins {dialect.delimiter.join(row)[:60]!r}. Give every line the "
                "same number of cells, and put quotes around cells that hold the delimiter "
                f"({dialect.delimiter!r})."
            )
    return TableError(
        f"'{path}' cannot be read as delimited text ({str(error).splitlines()[0]}). "
        "Save it again as CSV, with quotes around cells that hold the delimiter or line breaks."
    )
