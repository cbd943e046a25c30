"""What users know about the objects, by their ids: pairs that belong together or apart, and known labels."""

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pluribus._engine import list_of
from pluribus.constraints import ConstraintError, Constraints, ContradictionError, InfeasibleError
from pluribus.constraints._internal import as_constraints

_SHOWN = 5
_ID_TITLES = {"id", "ids", "name", "names", "object", "objects", "row", "one", "key"}
_LABEL_TITLES = {"label", "labels", "class", "classes", "cluster", "group", "category", "target", "known", "type", "y"}


def read_constraints(
    constraints: Any, must_link: Any, cannot_link: Any, known_labels: Any, ids: np.ndarray
) -> tuple[Constraints | None, list[str]]:
    """All constraints on the objects with these ids, and notes on pairs in the files that are not used.

    None if nothing is given.
    """
    if constraints is must_link is cannot_link is known_labels is None:
        return None, []
    known, notes = as_constraints(constraints, len(ids), keeps=("pairs", "allowed labels", "sizes")), []
    try:
        for given, kind, other in ((must_link, "must-link", cannot_link), (cannot_link, "cannot-link", must_link)):
            if given is not None:
                known = known.merge(_pairs(given, kind, ids))
                if isinstance(given, str | PathLike) and not _same_file(given, other):
                    notes += _not_used(Path(given), kind, ids)
        if known_labels is not None:
            known = known.merge(Constraints(len(ids), labels=_labels(known_labels, ids)))
    except ContradictionError as error:
        raise error.renamed(lambda i: repr(str(ids[i]))) from None
    return known, notes


def check_feasible(known: Constraints | None, k: int | None, ids: np.ndarray) -> None:
    """Refuse a number of clusters with which the constraints cannot hold, in the user's ids."""
    if known is None or k is None:
        return
    try:
        known.ensure_feasible(k, allow_empty=False)
    except InfeasibleError as error:
        witness = [] if error.witness is None else [str(ids[i]) for i in error.witness[:_SHOWN]]
        more = "" if error.witness is None or len(error.witness) <= _SHOWN else ", …"
        objects = f" ({', '.join(map(repr, witness))}{more})" if witness else ""
        raise ValueError(
            f"k={k}, but the constraints do not fit into {k} clusters: {error.reason}{objects}. Give another k, or "
            "fewer constraints."
        ) from None


def _pairs(given: Any, kind: str, ids: np.ndarray) -> Constraints:
    """The pairs of a file, or pairs of ids."""
    if isinstance(given, str | PathLike):
        return Constraints.read(given, ids=ids, kind=kind)
    name = kind.replace("-", "_")
    rows = given.to_numpy() if hasattr(given, "to_numpy") else given  # a data frame: its rows, not its columns
    rows = list_of(name, rows, "pairs of ids", error=ConstraintError)
    pairs = [_as_pair(item) for item in rows]
    wrong = [pair for pair in pairs if not isinstance(pair, tuple) or len(pair) != 2]
    if wrong:
        raise ConstraintError(
            f"{name} holds {wrong[0]!r}: give pairs of ids; for pairs with weights, constraints=Constraints(…)."
        )
    at = _places([one for pair in pairs for one in pair], ids, name).reshape(-1, 2)
    return Constraints(len(ids), must_link=at) if kind == "must-link" else Constraints(len(ids), cannot_link=at)


def _as_pair(item: Any) -> Any:
    """A pair as a tuple; what is none stays as it is."""
    try:
        return item if isinstance(item, str) else tuple(item)
    except TypeError:
        return item


def _labels(given: Any, ids: np.ndarray) -> np.ndarray:
    """The label of each object; None where there is none."""
    if isinstance(given, str | PathLike):
        return _read_labels(Path(given), ids)
    labels = np.full(len(ids), None, dtype=object)
    if isinstance(given, pd.Series) and not isinstance(given.index, pd.RangeIndex) and given.index.is_unique:
        given = given.to_dict()
    if isinstance(given, Mapping):
        at = _places(list(given), ids, "known_labels")
        if len(np.unique(at)) < len(at):
            names = pd.Series([str(name) for name in given])
            twice = names[names.duplicated()].iloc[0]
            raise ConstraintError(f"known_labels names {twice!r} more than once: give each object one label.")
        labels[at] = list(given.values())
        return _known(labels)
    values = list_of("known_labels", given, "labels, one for each object", error=ConstraintError)
    if len(values) != len(ids):
        raise ConstraintError(
            f"known_labels has {len(values)} labels, but there are {len(ids)} objects: give one for each (None where "
            "it is not known), or a mapping from ids to labels."
        )
    labels[:] = values
    return _known(labels)


def _known(labels: np.ndarray) -> np.ndarray:
    """The labels with None for all that says that there is none."""
    labels[pd.isna(labels)] = None
    return labels


def _places(names: list[Any], ids: np.ndarray, source: str) -> np.ndarray:
    """Where objects are, by their ids."""
    at = _index(ids, source).get_indexer([str(name) for name in names])
    unknown = [name for name, place in zip(names, at, strict=True) if place < 0]
    if unknown:
        raise ConstraintError(
            f"{source}: {len(unknown)} of {len(names)} objects are not in the data: "
            f"{', '.join(map(repr, unknown[:_SHOWN]))}{', …' if len(unknown) > _SHOWN else ''}."
        )
    return at


def _index(ids: np.ndarray, source: object) -> pd.Index:
    """The ids, by which objects can be found: no two may be equal."""
    index = pd.Index([str(x) for x in ids], dtype=object)
    if not index.is_unique:
        twice = index[index.duplicated()][0]
        raise ConstraintError(f"{source}: several objects are called {twice!r}. Give each object an id of its own.")
    return index


def _same_file(one: Any, other: Any) -> bool:
    return isinstance(other, str | PathLike) and Path(one).samefile(other)


def _not_used(path: Path, kind: str, ids: np.ndarray) -> list[str]:
    """A note on the pairs of the other type, in a file that gives the type of each."""
    try:
        whole = Constraints.read(path, ids=ids)
    except ContradictionError:
        raise
    except ConstraintError:  # it has no column of types: all pairs are of this kind
        return []
    other = "cannot-link" if kind == "must-link" else "must-link"
    n = len(whole.cannot_link if kind == "must-link" else whole.must_link)
    if not n:
        return []
    left_out = f"{n} {other}s of {path.name} are" if n > 1 else f"1 {other} of {path.name} is"
    return [f"{left_out} not used: give the file as {other.replace('-', '_')} too to use {'them' if n > 1 else 'it'}."]


def _read_labels(path: Path, ids: np.ndarray) -> np.ndarray:
    """The label of each object; None where the file has none."""
    try:
        cells = pd.read_csv(path, sep=None, engine="python", header=None, dtype=str, keep_default_na=False)
    except (pd.errors.EmptyDataError, StopIteration):
        raise ConstraintError(f"{path} is empty: known labels are two columns, id and label.") from None
    if cells.shape[1] != 2:
        raise ConstraintError(f"{path} has {cells.shape[1]} columns, but known labels are two: id and label.")
    cells = cells.apply(lambda column: column.str.strip())
    found = _index(ids, path).get_indexer(cells[0])
    if len(found) and found[0] < 0:
        first = cells.iloc[0].str.lower()
        if first[0] in _ID_TITLES and first[1] in _LABEL_TITLES:
            cells, found = cells.iloc[1:], found[1:]
    unknown = cells[0][found < 0]
    if len(unknown):
        title = "" if unknown.index[0] else " If the first row names the columns, call them id and label."
        raise ConstraintError(
            f"{path} row {unknown.index[0] + 1}: {len(unknown)} of {len(cells)} objects are not in the data: "
            f"{', '.join(map(repr, unknown[:_SHOWN]))}{', …' if len(unknown) > _SHOWN else ''}.{title}"
        )
    stated = pd.DataFrame({"at": found, "label": cells[1]})[(cells[1] != "").to_numpy()].drop_duplicates()
    twice = stated[stated["at"].duplicated(keep=False)]
    if len(twice):
        at = twice["at"].iloc[0]
        one, other = twice["label"][twice["at"] == at].iloc[:2]
        raise ConstraintError(f"{path} gives {str(ids[at])!r} two labels, {one!r} and {other!r}.")
    labels = np.full(len(ids), None, dtype=object)
    labels[stated["at"]] = stated["label"]
    return labels
