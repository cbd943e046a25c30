"""Rows of a CSV file that are no pairs: groups, known and allowed labels, sizes, and the links of a graph."""

from typing import Any

import numpy as np
import pandas as pd

from pluribus.constraints._objects import Objects
from pluribus.constraints._stated_arrays import Statements
from pluribus.constraints.errors import ConstraintError

_OF_OBJECTS = {"group": "groups", "label": "labels"}  # one name for an object
_SIZES = {"min-size": "min_size", "max-size": "max_size"}
TYPES = (*_OF_OBJECTS, "allowed", *_SIZES, "graph-link")
_LARGEST = 2**53  # of numbers that are read as text


def parse_rows(frame: pd.DataFrame, kinds: pd.Series, objects: Objects) -> dict[str, Any]:
    """The arguments for Constraints, from rows of these types."""
    if "weight" in frame and (frame["weight"] != "").any():
        line = frame.index[frame["weight"] != ""][0]
        raise ConstraintError(f"{objects.path} row {line}: only pairs have a weight; leave the cell empty")
    named = {kind: _named_objects(frame[kinds == kind], objects) for kind in (*_OF_OBJECTS, "allowed")}
    sized = {kind: frame[kinds == kind] for kind in _SIZES}
    statements: dict[str, Any] = {}
    groups, _ = named["group"]
    statements["groups"] = _one_name_each(groups, _names(groups), "group", objects)
    labels, allowed = named["label"][0], named["allowed"][0]
    of_sizes = [label for rows in sized.values() for label in rows["one"] if label != ""]
    name_of = _names([*labels, *allowed, *((None, label) for label in of_sizes)])
    statements["labels"] = _one_name_each(labels, name_of, "label", objects)
    sets: dict[int, list[Any]] = {}
    for i, label in allowed:
        sets.setdefault(i, []).append(name_of[label])
    statements["allowed"] = sets
    for kind, key in _SIZES.items():
        statements[key] = _sizes(sized[kind], name_of, kind, objects) or None
    links = frame[kinds == "graph-link"]
    if len(links):
        ends = [
            objects.locate(links[end].tolist(), [f"row {line}" for line in links.index]) for end in ("one", "other")
        ]
        statements["graph"] = np.column_stack(ends).tolist()  # a list is never taken for a matrix
    return statements


def to_rows(said: Statements, objects: Objects) -> pd.DataFrame:
    """The rows for all that is no pair; refuses names that would be read back as others."""
    about, n = said.about, said.n_objects
    classes, groups = _texts(said.classes, objects), _texts(said.group_names, objects)
    if about.graph is not None and not len(about.graph):
        raise ConstraintError(f"{objects.path}: a CSV file cannot hold a graph without links; write to .json")
    grouped, labeled = np.flatnonzero(said.groups >= 0), np.flatnonzero(said.labels >= 0)
    rows = [
        *zip(objects.refer(grouped), groups[said.groups[grouped]], ["group"] * len(grouped), strict=True),
        *zip(objects.refer(labeled), classes[said.labels[labeled]], ["label"] * len(labeled), strict=True),
    ]
    allowed = about.allowed
    rows += zip(objects.refer(allowed[:, 0]), classes[allowed[:, 1]], ["allowed"] * len(allowed), strict=True)
    for column, (kind, unsaid) in enumerate(zip(_SIZES, (0, n), strict=True)):
        stated = zip(["", *classes], about.sizes[:, column].tolist(), strict=True)
        rows += [(label, str(size), kind) for label, size in stated if size != unsaid]
    if about.graph is not None:
        ends = [objects.refer(about.graph[:, end]) for end in (0, 1)]
        rows += zip(*ends, ["graph-link"] * len(about.graph), strict=True)
    return pd.DataFrame(rows, columns=["one", "other", "type"], dtype=object)


def _named_objects(rows: pd.DataFrame, objects: Objects) -> tuple[list[tuple[int, str]], list[int]]:
    empty = rows.index[rows["other"] == ""]
    if len(empty):
        raise ConstraintError(f"{objects.path} row {empty[0]}: an object without a name; leave the row out")
    at = objects.locate(rows["one"].tolist(), [f"row {line}" for line in rows.index])
    return list(zip(at.tolist(), rows["other"], strict=True)), rows.index.tolist()


def _one_name_each(rows: list[tuple[int, str]], name_of: dict[str, Any], kind: str, objects: Objects) -> Any:
    if not rows:
        return None
    names = np.full(objects.count, None, dtype=object)
    for i, text in rows:
        if names[i] is not None and names[i] != name_of[text]:
            raise ConstraintError(f"{objects.path}: object {objects.name(i)} has two rows of type {kind}")
        names[i] = name_of[text]
    return names


def _sizes(rows: pd.DataFrame, name_of: dict[str, Any], kind: str, objects: Objects) -> dict[Any, int]:
    sizes: dict[Any, int] = {}
    for line, label, size in zip(rows.index, rows["one"], rows["other"], strict=True):
        if not (size.isascii() and size.isdecimal() and len(size) < 16):
            raise ConstraintError(f"{objects.path} row {line}: {kind} {size!r} is no number of objects")
        name = name_of[label] if label else None
        if name in sizes:
            raise ConstraintError(f"{objects.path} row {line}: {kind} of {label or 'every cluster'!r} is there twice")
        sizes[name] = int(size)
    return sizes


def _names(rows: list[tuple[Any, str]]) -> dict[str, Any]:
    """What each text means: integers, if all are; else the text itself."""
    texts = {text for _, text in rows}
    return {text: int(text) for text in texts} if texts and all(map(_is_integer, texts)) else {t: t for t in texts}


def _is_integer(text: str) -> bool:
    try:
        return str(int(text)) == text and abs(int(text)) < _LARGEST and text != "-1"
    except ValueError:
        return False


def _texts(names: Any, objects: Objects) -> Any:
    """Names as text that is read back as the same names."""
    plain = [str(name) if isinstance(name, str) else name for name in names.tolist()]  # strings of numpy, too
    texts = [str(name) for name in plain]
    read = _names([(None, text) for text in texts])
    for name, text in zip(plain, texts, strict=True):
        if text != text.strip() or text == "" or type(read[text]) is not type(name) or read[text] != name:
            raise ConstraintError(f"{objects.path}: {name!r} would not be read back from a CSV file; write to .json")
    return np.array(texts, dtype=object)
