"""The table of data beside files of labels: read and prepared as ``pluribus cluster`` does it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pluribus.cli import _input
from pluribus.cli._labels import LabelFile
from pluribus.tables import Prepared, Table, prepare


@dataclass(frozen=True)
class DataOptions:
    """What is said about the data."""

    path: Path
    ignore: str = ""
    scale: Literal["standard", "robust", "none"] = "standard"
    impute: bool = False


def read_data(options: DataOptions, id_column: str | None, files: Sequence[LabelFile]) -> tuple[Table, Prepared]:
    """The table and its matrix; columns of it that are given as labels are not data."""
    ignore = _input.columns(options.ignore)
    own = [column for file in files if _same(file.path, options.path) for column in file.columns]
    table, _ = _input.read(options.path, id_column, list(dict.fromkeys([*ignore, *own])))
    return table, prepare(table, scale=options.scale, impute=options.impute)


def _same(first: Path, second: Path) -> bool:
    return first.resolve() == second.resolve()
