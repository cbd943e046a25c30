"""What is combined: files of labels, data frames, arrays or ensembles -> one ensemble."""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pluribus.partitions import Ensemble, as_ensemble
from pluribus.partitions._internal import encode_labels, is_stored
from pluribus.tables import Table, as_table

OUR_COLUMNS = ["cluster", "uncertainty", "membership"]  # of a labels.csv that we wrote, after its ids


def read_ensemble(labels: Any, id_column: str | None, ignore: Sequence[str]) -> tuple[Ensemble, str, list[str]]:
    """The ensemble, what to call it, and notes."""
    paths = _paths(labels)
    if paths is None:
        if isinstance(labels, pd.DataFrame) or hasattr(labels, "to_pandas"):
            return _of_frame(labels, id_column, ignore)
        if id_column is not None:
            raise ValueError(f"id_column={id_column!r}, but the labels have no columns of a table: leave it out.")
        return _without(as_ensemble(labels), ignore, "the ensemble"), "labels", []
    title = " + ".join(path.name for path in paths)
    if len(paths) == 1:
        stored = _stored(paths[0], id_column, ignore)
        if stored is not None:
            return stored, title, []
    ensemble, notes = _of_files(paths, id_column, ignore)
    return ensemble, title, notes


def label_columns(table: Table) -> list[str]:
    """The columns of labels; of a labels.csv that we wrote, only the clusters."""
    columns = [str(column) for column in table.frame.columns]
    return columns[:1] if columns[:3] == OUR_COLUMNS else columns


def _paths(labels: Any) -> list[Path] | None:
    """The files, if files are given."""
    if isinstance(labels, str | PathLike):
        return [Path(labels)]
    if isinstance(labels, list | tuple) and labels and all(isinstance(item, str | PathLike) for item in labels):
        return [Path(item) for item in labels]
    return None


def _stored(path: Path, id_column: str | None, ignore: Sequence[str]) -> Ensemble | None:
    """An ensemble that ``Ensemble.write`` wrote, with its weights and memberships; None for any other file."""
    if not is_stored(path):
        return None
    return _without(Ensemble.read(path, id_column=id_column), ignore, path.name)


def _without(ensemble: Ensemble, ignore: Sequence[str], source: str) -> Ensemble:
    """The ensemble without the partitions of these names."""
    unknown = [name for name in ignore if name not in ensemble.names]
    if unknown:
        raise ValueError(f"ignore names {', '.join(unknown)}, but {source} has only {', '.join(ensemble.names)}.")
    kept = [place for place, name in enumerate(ensemble.names) if name not in ignore]
    return ensemble.take_partitions(kept) if len(kept) < len(ensemble) else ensemble


def _of_frame(frame: Any, id_column: str | None, ignore: Sequence[str]) -> tuple[Ensemble, str, list[str]]:
    table = as_table(frame, id_column=id_column, ignore=ignore)
    columns = table.frame[label_columns(table)]
    return Ensemble(columns, ids=table.ids if table.named else None), "labels", _one_label_each([columns])


def _of_files(paths: list[Path], id_column: str | None, ignore: Sequence[str]) -> tuple[Ensemble, list[str]]:
    """The partitions of all files, joined by id where there is one, else row by row."""
    tables = tuple(as_table(path, id_column=id_column) for path in paths)
    _check_ignored(ignore, tables)
    notes = [note for table in tables for note in table.notes]
    frames = [_partitions(table, ignore, prefix) for table, prefix in zip(tables, _file_names(paths), strict=True)]
    notes += _one_label_each(frames)
    if all(table.named for table in tables):
        joined = pd.concat([f.set_axis(t.ids) for f, t in zip(frames, tables, strict=True)], axis=1, join="outer")
        appearances = pd.Series(np.concatenate([table.ids for table in tables])).value_counts()
        partly = int((appearances < len(tables)).sum())
        if partly:
            notes.append(f"The files are joined by id: {partly:,} of {len(joined):,} objects are not in every file.")
        return Ensemble(joined, ids=joined.index.to_numpy().astype(str)), notes
    if any(table.named for table in tables):
        without = [str(path) for path, table in zip(paths, tables, strict=True) if not table.named]
        raise ValueError(
            f"Some files have an id column, but {', '.join(without)} has none, so the rows cannot be matched. Call it "
            "'id' in all files, or name it with id_column."
        )
    lengths = {path.name: len(f) for path, f in zip(paths, frames, strict=True)}
    if len(set(lengths.values())) > 1:
        rows = ", ".join(f"{name}: {n:,}" for name, n in lengths.items())
        raise ValueError(
            f"The files have different numbers of rows ({rows}), and no id column to join them by. Name it with "
            "id_column, or give files of the same objects in the same order."
        )
    return Ensemble(pd.concat([f.reset_index(drop=True) for f in frames], axis=1), ids=tables[0].ids), notes


def _check_ignored(ignore: Sequence[str], tables: tuple[Table, ...]) -> None:
    present = {str(column) for table in tables for column in table.frame.columns}
    unknown = [name for name in ignore if name not in present]
    if unknown:
        raise ValueError(
            f"ignore names {', '.join(unknown)}, but the files have only the columns {', '.join(sorted(present))}."
        )


def _file_names(paths: list[Path]) -> list[str]:
    """What to call the partitions of each file: nothing if there is one, else its name, else its whole path."""
    if len(paths) == 1:
        return [""]
    for names in ([p.stem for p in paths], [f"{p.parent.name}/{p.stem}" for p in paths], [str(p) for p in paths]):
        if len(set(names)) == len(paths):
            return names
    twice = next(str(p) for p in paths if paths.count(p) > 1)
    raise ValueError(f"{twice} is given more than once: give each file once.")


def _partitions(table: Table, ignore: Sequence[str], prefix: str) -> pd.DataFrame:
    """The label columns, under names that tell the files apart."""
    frame = table.frame[label_columns(table)]
    frame = frame.drop(columns=[name for name in ignore if name in frame])
    if not frame.shape[1]:
        raise ValueError(f"{table.name} has no column of labels left: there must be one for each clustering.")
    if prefix:
        frame = frame.add_prefix(f"{prefix}:") if frame.shape[1] > 1 else frame.set_axis([prefix], axis=1)
    return frame


def _one_label_each(frames: list[pd.DataFrame]) -> list[str]:
    """A note on columns that put every object into a cluster of its own: most likely they are no labels."""
    alone = [
        str(c) for f in frames for c in f.columns if len(f) > 2 and encode_labels(f[c], str(c))[0].max() == len(f) - 1
    ]
    return [
        f"Column '{name}' has a different label for every object. If it holds ids, leave it out with ignore."
        for name in alone
    ]
