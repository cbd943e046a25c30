"""Pairs, and with a type in each row all other statements, as comma-separated values."""

import csv
import io
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from pluribus._engine import is_one_of
from pluribus.constraints._csv_clusters import TYPES, parse_rows, to_rows
from pluribus.constraints._objects import Objects
from pluribus.constraints._stated_arrays import Statements
from pluribus.constraints._statements import Indices
from pluribus.constraints.errors import ConstraintError

_KINDS = {
    **dict.fromkeys(["must-link", "must", "ml"], "must-link"),
    **dict.fromkeys(["cannot-link", "cannot", "cl"], "cannot-link"),
    "unsure": "unsure",  # somebody was asked and did not know: it says nothing
}
_TITLES = {  # by which a first row is known to name the columns, and not a pair
    *("one", "other", "another", "a", "b", "i", "j", "first", "second", "left", "right", "from", "to", "source"),
    *(f"{thing}{end}" for thing in ("id", "ids", "object", "row", "name") for end in ("", "1", "2", "_1", "_2")),
    *("target", "id_a", "id_b", "type", "weight"),
}
_ANSWERS = {"must-link": "together", "cannot-link": "apart", "unsure": "unsure"}


def parse_csv(text: str, objects: Objects, kind: str | None) -> dict[str, Any]:
    """Read two columns of objects, with optional columns type and weight that the first row names."""
    frame = _read_frame(text, objects)
    others: dict[str, Any] = {}
    if "type" in frame:
        types = _spelled(frame["type"])
        is_other = types.isin(TYPES)
        if kind is not None and is_other.any():
            line = frame.index[is_other][0]
            raise ConstraintError(
                f"{objects.path} row {line}: type {frame['type'][line]!r} is no pair, and only pairs are taken here: "
                "leave such rows out, or read the whole file by Constraints.read(path) without a kind"
            )
        others = parse_rows(frame[is_other], types[is_other], objects)
        frame = frame[~is_other]
    pairs, kinds = _read_pairs(frame, kind, objects)
    weights = _read_weights(frame, objects)
    together, apart = kinds == "must-link", kinds == "cannot-link"
    return {
        "must_link": pairs[together],
        "must_weight": weights[together],
        "cannot_link": pairs[apart],
        "cannot_weight": weights[apart],
        **others,
    }


def to_csv(said: Statements, objects: Objects) -> str:
    """Write one row for each statement; a hard pair has no weight."""
    pairs = np.concatenate([said.must_link, said.cannot_link])
    weights = np.concatenate([said.must_weight, said.cannot_weight])
    frame = pd.DataFrame(
        {
            "one": objects.refer(pairs[:, 0]),
            "other": objects.refer(pairs[:, 1]),
            "type": np.repeat(["must-link", "cannot-link"], [len(said.must_link), len(said.cannot_link)]),
            "weight": np.where(np.isinf(weights), np.nan, weights),
        }
    )
    others = to_rows(said, objects)
    frame = pd.concat([frame, others]) if len(others) else frame
    return frame.to_csv(index=False, lineterminator="\n")


def answers_from_csv(text: str, objects: Objects) -> list[tuple[int, int, str]]:
    """Read hard pairs as answers, in the order of the file."""
    frame = _read_frame(text, objects)
    pairs, kinds = _read_pairs(frame, None, objects)
    soft = np.isfinite(_read_weights(frame, objects))
    if soft.any():
        row = frame.index[int(np.flatnonzero(soft)[0])]
        raise ConstraintError(f"{objects.path} row {row} has a weight: answers are certain or unsure, and have none")
    return [(i, j, _ANSWERS[kind]) for (i, j), kind in zip(pairs.tolist(), kinds, strict=True)]


def answers_to_csv(given: Sequence[tuple[int, int, str]], objects: Objects) -> str:
    """Write one row for each answer, in their order."""
    kinds = {answer: kind for kind, answer in _ANSWERS.items()}
    pairs = np.array([(i, j) for i, j, _ in given], dtype=np.int64).reshape(-1, 2)
    frame = pd.DataFrame(
        {
            "one": objects.refer(pairs[:, 0]),
            "other": objects.refer(pairs[:, 1]),
            "type": [kinds[answer] for _, _, answer in given],
        }
    )
    return frame.to_csv(index=False, lineterminator="\n")


def _read_pairs(frame: pd.DataFrame, kind: str | None, objects: Objects) -> tuple[Indices, npt.NDArray[Any]]:
    """The pairs, and what is said of each."""
    rows = [f"row {line}" for line in frame.index]
    ends = [cell for pair in zip(frame["one"], frame["other"], strict=True) for cell in pair]
    pairs = objects.locate(ends, np.repeat(rows, 2).tolist()).reshape(-1, 2)
    kinds = _read_kinds(frame, kind, objects)
    alone = (kinds != "must-link") & (pairs[:, 0] == pairs[:, 1])
    if alone.any():
        at = int(np.flatnonzero(alone)[0])
        raise ConstraintError(f"{objects.path} {rows[at]}: an object cannot be apart from itself")
    return pairs, kinds


def _read_frame(text: str, objects: Objects) -> pd.DataFrame:
    """The cells as text, indexed by line, with columns one, other and maybe type and weight."""
    top = next((line for line in text.splitlines() if line.strip()), "")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=max(",;\t|", key=top.count))
    lines, rows = [], []
    for row in reader:
        if any(row):
            lines.append(reader.line_num)
            rows.append([cell.strip() for cell in row])
    if not rows:
        raise ConstraintError(f"{objects.path} is empty: two columns of objects are needed")
    for line, row in zip(lines, rows, strict=True):
        if len(row) != len(rows[0]):
            raise ConstraintError(f"{objects.path} row {line}: {len(row)} cells, but {len(rows[0])} in the first row")
    titles = [cell.lower() for cell in rows[0]]
    optional = [title for title in titles if title in ("type", "weight")]
    known = [objects.knows(cell) for cell in rows[0][:2]]
    if not optional and not any(known) and not set(titles) <= _TITLES:
        raise ConstraintError(
            f"{objects.path} row {lines[0]}: {', '.join(map(repr, rows[0]))} are neither objects nor titles of columns "
            "such as one and other"
        )
    if not optional and any(known):
        titles = [""] * len(titles)
    else:
        lines, rows = lines[1:], rows[1:]
    sides = iter(["one", "other"])
    names = [title if title in ("type", "weight") else next(sides, "more") for title in titles]
    if sorted(names) != sorted(["one", "other", *dict.fromkeys(optional)]):
        raise ConstraintError(
            f"{objects.path}: needs two columns of objects and may have columns named type and weight, "
            f"each once; got {len(titles)} columns, {titles}"
        )
    return pd.DataFrame(rows, columns=names, index=lines, dtype=object)


def _read_kinds(frame: pd.DataFrame, kind: str | None, objects: Objects) -> npt.NDArray[Any]:
    """What is said of each pair; where the file says it and a kind is asked for, the others say nothing."""
    if kind is not None and not is_one_of(kind, ("must-link", "cannot-link")):
        raise ConstraintError(f"kind={kind!r} is neither must-link nor cannot-link")
    if "type" not in frame:
        if kind is None:
            raise ConstraintError(f"{objects.path} has no type column: say kind='must-link' or kind='cannot-link'")
        return np.full(len(frame), kind, dtype=object)
    given = frame["type"].astype(object)
    kinds = _spelled(given).map(_KINDS)
    if kinds.isna().any():
        line = frame.index[kinds.isna()][0]
        raise ConstraintError(f"{objects.path} row {line}: type {given[line]!r} is neither must-link nor cannot-link")
    return (kinds if kind is None else kinds.where(kinds == kind, "unsure")).to_numpy()


def _spelled(types: pd.Series) -> pd.Series:
    return types.astype(object).str.lower().str.replace("[_ ]", "-", regex=True)


def _read_weights(frame: pd.DataFrame, objects: Objects) -> npt.NDArray[np.float64]:
    if "weight" not in frame:
        return np.full(len(frame), np.inf)
    weights = pd.to_numeric(frame["weight"].replace("", "inf"), errors="coerce").astype(np.float64)
    bad = ~(weights > 0)
    if bad.any():
        line = frame.index[bad][0]
        raise ConstraintError(
            f"{objects.path} row {line}: weight {frame['weight'][line]!r} is not a positive number; leave the cell "
            "empty for a hard constraint"
        )
    return weights.to_numpy()
