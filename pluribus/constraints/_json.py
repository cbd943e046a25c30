"""Everything that is known, as JSON: pairs with weights, groups and labels; what is said about clusters."""

import json
from typing import Any

import numpy as np
import numpy.typing as npt

from pluribus.constraints._json_clusters import KEYS, cluster_entries, parse_clusters
from pluribus.constraints._objects import Objects
from pluribus.constraints._stated_arrays import Statements
from pluribus.constraints._statements import Floats, Indices
from pluribus.constraints.errors import ConstraintError

_FORMAT = "pluribus constraints"
_PAIRS = ("must_link", "cannot_link")
_NAMES = ("groups", "labels")


def parse_json(text: str, objects: Objects) -> dict[str, Any]:
    """Read the lists of pairs ``[one, other]`` or ``[one, other, weight]`` and of names ``[object, name]``."""
    try:
        content = json.loads(text)
    except json.JSONDecodeError as error:
        raise ConstraintError(f"{objects.path} is not JSON: {error}") from None
    if not isinstance(content, dict):
        raise ConstraintError(f"{objects.path} must be a JSON object with must_link, cannot_link, groups or labels")
    strange = set(content) - {"format", "n_objects", "by", *_PAIRS, *_NAMES, *KEYS}
    if strange:
        raise ConstraintError(f"{objects.path} has unknown entries: {', '.join(sorted(strange))}")
    if "n_objects" in content:
        objects.agree_on(content["n_objects"])
    by = content.get("by", "index" if objects.ids is None else "id")
    if by not in ("index", "id"):
        raise ConstraintError(f"{objects.path}: 'by' says how objects are called, index or id; got {by!r}")
    if by == "id" and objects.ids is None:
        raise ConstraintError(f"{objects.path} calls objects by id: give ids, the id of each object")
    if by == "index":
        objects.ids = None
    statements: dict[str, Any] = {}
    for key in _PAIRS:
        entries = _entries(content, key, (2, 3), objects)
        places = [f"{key}[{at}]" for at in range(len(entries))]
        ends = [objects.locate([entry[side] for entry in entries], places) for side in (0, 1)]
        statements[key] = np.column_stack(ends)
        statements[key.replace("link", "weight")] = [entry[2] if len(entry) == 3 else None for entry in entries]
    for key in _NAMES:
        statements[key] = _spread(_entries(content, key, (2,), objects), key, objects)
    return statements | parse_clusters(content, objects)


def to_json(said: Statements, objects: Objects) -> str:
    """Write what is known and nothing for the rest, one statement to a line."""
    content = {
        "format": _FORMAT,
        "n_objects": said.n_objects,
        "by": "index" if objects.ids is None else "id",
        "must_link": _pair_entries(said.must_link, said.must_weight, objects),
        "cannot_link": _pair_entries(said.cannot_link, said.cannot_weight, objects),
        "groups": _name_entries(said.groups, said.group_names, "groups", objects),
        "labels": _name_entries(said.labels, said.classes, "labels", objects),
        **cluster_entries(said, objects),
    }
    return json.dumps(content, ensure_ascii=False, allow_nan=False)


def _entries(content: dict[str, Any], key: str, lengths: tuple[int, ...], objects: Objects) -> list[Any]:
    entries = content.get(key) or []
    if not isinstance(entries, list):
        raise ConstraintError(f"{objects.path}: {key} must be a list, got {type(entries).__name__}")
    for at, entry in enumerate(entries):
        if not isinstance(entry, list) or len(entry) not in lengths:
            shape = "[object, name]" if lengths == (2,) else "[one, other] or [one, other, weight]"
            raise ConstraintError(f"{objects.path}: {key}[{at}] must be {shape}, got {entry!r}")
    return entries


def _spread(entries: list[Any], key: str, objects: Objects) -> npt.NDArray[Any]:
    """One name for each object, None where nothing is said."""
    names = np.full(objects.count, None, dtype=object)
    where = objects.locate([entry[0] for entry in entries], [f"{key}[{at}]" for at in range(len(entries))])
    if len(np.unique(where)) < len(where):
        raise ConstraintError(f"{objects.path}: {key} names an object twice")
    for i, (_, name) in zip(where.tolist(), entries, strict=True):
        names[i] = name
    return names


def _pair_entries(pairs: Indices, weights: Floats, objects: Objects) -> list[list[Any]]:
    ends = zip(objects.refer(pairs[:, 0]), objects.refer(pairs[:, 1]), weights.tolist(), strict=True)
    return [[one, other] if weight == np.inf else [one, other, weight] for one, other, weight in ends]


def _name_entries(codes: Indices, names: npt.NDArray[Any], key: str, objects: Objects) -> list[list[Any]]:
    known = np.flatnonzero(codes >= 0)
    plain = names.tolist()
    for name in plain:
        if not isinstance(name, str | int | float):
            raise ConstraintError(f"{objects.path}: JSON holds numbers and strings, but {key} has {name!r}")
    return [[one, plain[code]] for one, code in zip(objects.refer(known), codes[known].tolist(), strict=True)]
