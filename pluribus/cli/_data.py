"""The table of data next to files of labels: read and prepared as ``pluribus cluster`` does it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pluribus.cli._labels import LabelFile
from pluribus.tables import Prepared, Table, as_table, prepare


@dataclass(frozen=True)
class DataOptions:
    """The options about the data."""

    path: Path
    ignore: tuple[str, ...] = ()
    scale: Literal["standard", "robust", "none"] = "standard"
    impute: bool = False

    @property
    def stated(self) -> dict[str, Any]:
        """The options by name, for the report."""
        ignored = ", ".join(self.ignore)
        return {"data": self.path.name, "ignore": ignored, "scale": self.scale, "impute": self.impute}


def read_data(options: DataOptions, id_column: str | None, files: Sequence[LabelFile]) -> tuple[Table, Prepared]:
    """The table and its matrix; columns of it that are given as labels are not data."""
    own = [column for file in files if file.path.resolve() == options.path.resolve() for column in file.columns]
    ignore = list(dict.fromkeys([*options.ignore, *own]))
    table = as_table(options.path, id_column=id_column, ignore=ignore)
    return table, prepare(table, scale=options.scale, impute=options.impute)
