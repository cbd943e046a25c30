"""Reading a file: which reader, which ids."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from os import PathLike
from pathlib import Path

import numpy as np
import pandas as pd

from pluribus.tables._binary import read_npz, read_parquet
from pluribus.tables._raw import Raw
from pluribus.tables._size import refuse_too_large
from pluribus.tables._text import read_text
from pluribus.tables.errors import TableError, counted, listing
from pluribus.tables.table import ROW_NAMES, Selection, Table, names_given

LONGEST_ID = 1000

READERS: dict[str, Callable[[Path, Selection], Raw]] = {
    **dict.fromkeys((".csv", ".tsv", ".tab", ".txt", ".dat", ".data"), read_text),
    **dict.fromkeys((".parquet", ".pq"), read_parquet),
    ".npz": read_npz,
}


def read_table(
    path: str | PathLike[str],
    *,
    id_column: str | None = None,
    ignore: Iterable[str] = (),
    find_id: bool = False,
    least_rows: int = 2,
) -> Table:
    """Read the objects to cluster from a file.

    Text (``.csv``, ``.tsv``, ``.txt``, ``.data``, also with ``.gz``) may be delimited by commas, semicolons,
    tabs, bars or spaces, with or without a line of column names, with decimal points or commas, in UTF-8,
    UTF-16 or Latin-1: what was found is told in ``notes``. Parquet (``.parquet``) is read as it is. From
    ``.npz`` comes the array ``X``, or the only two-dimensional array, with ``ids`` and ``feature_names`` if
    they are there. Nothing in a file is ever executed: no pickles, no formulas.

    Parameters
    ----------
    path : str or path
        The file.
    id_column : str, optional
        The column that names the rows. Without it they are named by the file's row names (an unnamed first
        column, as written by pandas and R; the index of a data frame in Parquet) or else numbered from 0.
    ignore : iterable of str
        Columns to leave out.
    find_id : bool
        Without ``id_column``, take the ids from a column called "id", if there is one.
    least_rows : int
        Refuse a file with fewer rows.

    Returns
    -------
    Table

    Raises
    ------
    TableError
        If the file cannot be read as a table of at least two rows. The message says what to do.
    MemoryLimitError
        If it is text or NPZ and would take more memory than is allowed.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name, "people.csv")
    >>> _ = path.write_text("who;height;team\\nann;1,62;red\\nbob;1,80;blue\\neve;1,71;red\\n")
    >>> table = read_table(path, id_column="who", ignore=["team"])
    >>> table
    Table('people': 3 rows, 1 column)
    >>> table.ids.tolist(), table.frame["height"].tolist()
    (['ann', 'bob', 'eve'], [1.62, 1.8, 1.71])
    >>> table.notes
    ('Commas are read as decimal marks (1,5 is one and a half).',)
    >>> folder.cleanup()
    """
    path = Path(path)
    ignored = names_given(ignore)
    selection = Selection(id_column, ignored, find_id)
    name, reader = _reader(path)
    refuse_too_large(path)
    try:
        raw = reader(path, selection)
    except OSError as error:
        raise TableError(f"'{path}' cannot be read: {error}. Check the file.") from error
    named_by = selection.id_in(raw.frame.columns)
    frame, ids, notes = _separate_ids(raw, named_by, path)
    named = ids is not None
    if ids is None:
        ids = row_numbers(len(frame))
    return Table(frame, ids, name, tuple(notes), raw.decimal, named, named_by, least_rows)


def row_numbers(n: int) -> np.ndarray:
    """Ids for rows that have none."""
    return np.arange(n).astype(f"<U{len(str(n))}")


def _reader(path: Path) -> tuple[str, Callable[[Path, Selection], Raw]]:
    """Choose by the ending of the name; the rest of the name is the table's."""
    if path.is_dir():
        raise TableError(f"'{path}' is a directory. Give one file: {_endings()}.")
    if not path.exists():
        raise TableError(f"'{path}' does not exist. Check the path.")
    plain = path.with_suffix("") if path.suffix.lower() == ".gz" else path
    reader = READERS.get(plain.suffix.lower())
    if reader is None or (plain != path and reader is not read_text):
        kind = "".join([plain.suffix, path.suffix] if plain != path else [path.suffix]) or "no ending"
        raise TableError(
            f"'{path}' is of a kind that is not read here ({kind}). Save the table as one of {_endings()}."
        )
    return plain.stem, reader


def _endings() -> str:
    return ", ".join(READERS) + " (text also with .gz)"


def _separate_ids(raw: Raw, id_column: str | None, path: Path) -> tuple[pd.DataFrame, np.ndarray | None, list[str]]:
    """Take the ids out of the columns: those the user named, else the row names, else none."""
    frame, notes = raw.frame, list(raw.notes)
    n = len(frame)
    ids = raw.ids
    if id_column is not None:
        ids = id_texts(frame[id_column], str(path))
        frame = frame.drop(columns=id_column)
    if ROW_NAMES in frame:
        if ids is None:
            row_names = _as_text(frame[ROW_NAMES])
            if len(np.unique(row_names)) == n:
                ids = row_names
                notes.append("The first column has no name: its values are taken as the names of the rows.")
            else:
                notes.append("Dropped the first column: it has no name, and its values repeat.")
        frame = frame.drop(columns=ROW_NAMES)
    levels = [level for level in raw.index if level != id_column]
    if levels:
        names = _as_text(frame[levels[0]]) if len(levels) == 1 and ids is None else None
        if names is not None and len(np.unique(names)) == n and (names != "").all():
            ids = names
            notes.append(f"The rows are named by the index of the data frame, '{levels[0]}'.")
        else:
            notes.append(f"Left out the index of the data frame: {listing(levels)}.")
        frame = frame.drop(columns=levels)
    return frame, ids, notes


def id_texts(column: pd.Series, source: str) -> np.ndarray:
    """The ids of a column as text; none may be missing."""
    ids = _as_text(column)
    missing = np.flatnonzero(ids == "")
    if len(missing):
        raise TableError(
            f"'{source}' has {counted(len(missing), 'row')} without an id in column '{column.name}' (the first is data "
            f"row {missing[0] + 1:,}). Fill them in, or use another id column."
        )
    return ids


def _as_text(column: pd.Series) -> np.ndarray:
    """Write ids as text; a missing one is empty."""
    text = column.astype(object).where(column.notna(), "").astype(str).str.strip()
    longest = int(text.str.len().max()) if len(text) else 0
    if longest > LONGEST_ID:
        raise TableError(
            f"Column '{column.name}' cannot give the ids: it holds texts of up to {longest:,} characters. "
            "Name a column of short identifiers."
        )
    return text.to_numpy(dtype=object).astype(str)
