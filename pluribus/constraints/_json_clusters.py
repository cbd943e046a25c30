"""Statements about clusters as JSON: allowed labels, sizes, and the links of a graph."""

from math import isfinite
from typing import Any

import numpy as np

from pluribus.constraints._objects import Objects
from pluribus.constraints._stated_arrays import Statements
from pluribus.constraints.errors import ConstraintError

KEYS = ("allowed", "min_size", "max_size", "graph")
_SIZES = ("min_size", "max_size")


def parse_clusters(content: dict[str, Any], objects: Objects) -> dict[str, Any]:
    """The arguments for Constraints.

    Entries of allowed are ``[object, [labels]]``, those of sizes ``[label or null, size]``, links ``[one, other]``.
    """
    statements: dict[str, Any] = {}
    entries = _entries(content, "allowed", "[object, [labels]]", objects)
    at = objects.locate([entry[0] for entry in entries], [f"allowed[{place}]" for place in range(len(entries))])
    if len(np.unique(at)) < len(at):
        raise ConstraintError(f"{objects.path}: allowed names an object twice")
    for place, (_, labels) in enumerate(entries):
        if not isinstance(labels, list) or not labels or not all(_is_name(label) for label in labels):
            raise ConstraintError(
                f"{objects.path}: allowed[{place}] must have a list of labels, numbers or strings, got {labels!r}"
            )
    statements["allowed"] = {i: labels for i, (_, labels) in zip(at.tolist(), entries, strict=True)}
    for key in _SIZES:
        sizes: dict[Any, int] = {}
        for place, (label, size) in enumerate(_entries(content, key, "[label or null, size]", objects)):
            if label is not None and not _is_name(label):
                raise ConstraintError(f"{objects.path}: {key}[{place}] has {label!r}, which is no label")
            if label in sizes:
                raise ConstraintError(f"{objects.path}: {key} names {label!r} twice")
            if isinstance(size, bool) or not isinstance(size, int):
                raise ConstraintError(f"{objects.path}: {key}[{place}] has {size!r}, which is no number of objects")
            sizes[label] = size
        statements[key] = sizes or None
    if content.get("graph") is not None:
        links = _entries(content, "graph", "[one, other]", objects)
        places = [f"graph[{place}]" for place in range(len(links))]
        ends = [objects.locate([link[end] for link in links], places) for end in (0, 1)]
        statements["graph"] = np.column_stack(ends).tolist()  # a list is never taken for a matrix
    return statements


def cluster_entries(said: Statements, objects: Objects) -> dict[str, Any]:
    """What is said about clusters; nothing for the rest."""
    content: dict[str, Any] = {}
    about, names = said.about, said.classes.tolist()
    for name in names:
        if not _is_name(name):
            raise ConstraintError(f"{objects.path}: JSON holds numbers and strings, but a label is {name!r}")
    if len(about.allowed):
        at, starts = np.unique(about.allowed[:, 0], return_index=True)
        sets = np.split(about.allowed[:, 1], starts[1:])
        content["allowed"] = [
            [one, [names[code] for code in codes.tolist()]] for one, codes in zip(objects.refer(at), sets, strict=True)
        ]
    for column, (key, unsaid) in enumerate(zip(_SIZES, (0, said.n_objects), strict=True)):
        stated = zip([None, *names], about.sizes[:, column].tolist(), strict=True)
        if entries := [[label, size] for label, size in stated if size != unsaid]:
            content[key] = entries
    if about.graph is not None:
        ends = zip(objects.refer(about.graph[:, 0]), objects.refer(about.graph[:, 1]), strict=True)
        content["graph"] = [[one, other] for one, other in ends]
    return content


def _is_name(name: Any) -> bool:
    """Whether a label is text, a truth value, or a finite number other than -1."""
    return isinstance(name, str | int | float) and name != -1 and not (isinstance(name, float) and not isfinite(name))


def _entries(content: dict[str, Any], key: str, shape: str, objects: Objects) -> list[Any]:
    entries = content.get(key)
    entries = [] if entries is None else entries
    if not isinstance(entries, list):
        raise ConstraintError(f"{objects.path}: {key} must be a list, got {type(entries).__name__}")
    for at, entry in enumerate(entries):
        if not isinstance(entry, list) or len(entry) != 2:
            raise ConstraintError(f"{objects.path}: {key}[{at}] must be {shape}, got {entry!r}")
    return entries
