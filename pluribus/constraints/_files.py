"""Constraints in CSV and JSON files, by index or by id."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pluribus._engine import atomic_path
from pluribus.constraints._csv import parse_csv, to_csv
from pluribus.constraints._json import parse_json, to_json
from pluribus.constraints._objects import Objects
from pluribus.constraints._stated_arrays import Statements
from pluribus.constraints.errors import ConstraintError


def read_statements(
    path: str | os.PathLike[str], n_objects: int | None, ids: Any, kind: str | None
) -> tuple[int, dict[str, Any], Callable[[int], str]]:
    """Return n, the arguments for Constraints, and how to call an object in an error."""
    path = Path(path)
    suffix = _suffix(path)
    objects = Objects(path, n_objects, ids)
    text = objects.text()
    if suffix == ".csv":
        statements = parse_csv(text, objects, kind)
    elif kind is None:
        statements = parse_json(text, objects)
    else:
        raise ConstraintError("kind is for CSV files; a JSON file says what each pair is")
    return objects.count, statements, objects.name


def write_statements(said: Statements, path: str | os.PathLike[str], ids: Any) -> None:
    """Write all statements, whole or not at all."""
    path = Path(path)
    suffix = _suffix(path)
    objects = Objects(path, said.n_objects, ids)
    text = to_csv(said, objects) if suffix == ".csv" else to_json(said, objects)
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def _suffix(path: Path) -> str:
    suffix = path.suffix.lower()
    if suffix not in (".csv", ".json"):
        raise ConstraintError(f"{path}: constraints are kept in .csv or .json files")
    return suffix
