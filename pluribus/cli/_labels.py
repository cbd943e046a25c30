"""Files of labels, given as FILE or FILE:COLUMN, and the objects that several files have in common."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from pluribus.pipeline._internal import label_columns
from pluribus.tables import Table, as_table

_SHOWN = 20  # names in a message


@dataclass(frozen=True)
class LabelFile:
    """A file of labels, and which of its columns are meant."""

    path: Path
    table: Table
    columns: list[str]

    def named(self, column: str) -> str:
        """What to call a column: the file alone, if it has no other labels."""
        return self.path.name if len(label_columns(self.table)) == 1 else f"{self.path.name}:{column}"


def path_of(argument: str) -> Path:
    """The file of an argument FILE or FILE:COLUMN."""
    return _parted(argument)[0]


def _parted(argument: str) -> tuple[Path, str]:
    if not Path(argument).exists():
        file, colon, column = argument.rpartition(":")
        if colon and Path(file).exists():
            return Path(file), column
    return Path(argument), ""


def read_labels(argument: str, id_column: str | None) -> LabelFile:
    """A file, or one of its columns."""
    path, column = _parted(argument)
    table = as_table(path, id_column=id_column)
    if not column:
        found = label_columns(table)
        if not found:
            raise ValueError(f"{path} has no column of labels besides its ids.")
        return LabelFile(path, table, found)
    present = [str(name) for name in table.frame.columns]
    if column not in present:
        raise ValueError(f"{path} has no column '{column}'. Its columns are {_listed(present)}.")
    return LabelFile(path, table, [column])


def one_column(file: LabelFile) -> str:
    """The column of labels, if there is no doubt which one is meant."""
    if len(file.columns) > 1:
        raise ValueError(
            f"{file.path} has {len(file.columns)} columns, {_listed(file.columns)}: say which one holds the labels, "
            f"such as {file.path}:{file.columns[0]}"
        )
    return file.columns[0]


def candidate_names(files: Sequence[LabelFile]) -> list[list[str]]:
    """What to call the columns of each file: by the column if there is one file, else by the file too."""
    paths = list(dict.fromkeys(file.path for file in files))
    stems = [path.stem for path in paths]
    called = dict(zip(paths, stems if len(set(stems)) == len(paths) else map(str, paths), strict=True))
    names = []
    for file in files:
        alone = len(paths) > 1 and len(label_columns(file.table)) == 1
        prefix = f"{called[file.path]}:" if len(paths) > 1 else ""
        names.append([called[file.path]] if alone else [f"{prefix}{column}" for column in file.columns])
    everyone = [name for own in names for name in own]
    twice = next((name for name in everyone if everyone.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f"'{twice}' is given more than once: give each column once.")
    return names


@dataclass(frozen=True, eq=False)
class Common:
    """The objects that several tables have in common: their ids, and the row of each in each table."""

    ids: np.ndarray
    rows: list[np.ndarray]
    notes: list[str]


def common_objects(tables: Sequence[tuple[str, Table]]) -> Common:
    """Match the objects by id if the tables have ids, else row by row; what does not match is said, or refused."""
    named = [table for _, table in tables if table.named]
    if not named:
        return _row_by_row(tables)
    first = named[0]
    numbered = set(first.ids)
    for name, table in tables:
        # The rows of a table without ids are numbered, and so are those of our own results from it.
        if not table.named and (len(table.ids) != len(first.ids) or not numbered.issuperset(table.ids)):
            raise ValueError(
                f"Some files have an id column, but {name} has none, so the rows cannot be matched. Call it 'id' in "
                "all files, or name it with --id."
            )
    ids = pd.Index(tables[0][1].ids)
    for _, table in tables[1:]:
        ids = ids[ids.isin(table.ids)]
    notes = [note for name, table in tables for note in _left_out(name, table, ids)]
    if not len(ids):
        examples = "; ".join(f"{name}: {_listed(list(table.ids[:3]))}" for name, table in tables)
        raise ValueError(f"No id is in all files ({examples}, …). Is --id the right column, of the same objects?")
    return Common(ids.to_numpy().astype(str), [pd.Index(table.ids).get_indexer(ids) for _, table in tables], notes)


def _row_by_row(tables: Sequence[tuple[str, Table]]) -> Common:
    lengths = {name: len(table.frame) for name, table in tables}
    if len(set(lengths.values())) > 1:
        rows = ", ".join(f"{name}: {n:,}" for name, n in lengths.items())
        raise ValueError(
            f"The files have different numbers of rows ({rows}), and no id column to match them by. Name it with --id, "
            "or give files of the same objects in the same order."
        )
    table = tables[0][1]
    return Common(table.ids, [np.arange(len(table.ids))] * len(tables), [])


def _left_out(name: str, table: Table, ids: pd.Index) -> list[str]:
    others = table.ids[~np.isin(table.ids, ids)]
    if not len(others):
        return []
    return [
        f"{len(others):,} of {len(table.ids):,} objects of {name} are not in all files and do not count: "
        f"{_listed(list(others), 3)}."
    ]


def _listed(names: Sequence[object], limit: int = _SHOWN) -> str:
    shown = ", ".join(f"'{name}'" for name in names[:limit])
    return shown if len(names) <= limit else f"{shown} and {len(names) - limit:,} more"
