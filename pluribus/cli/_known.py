"""What the user knows, from files: pairs that belong together or apart, and known labels."""

from pathlib import Path

import numpy as np
import pandas as pd

from pluribus.constraints import ConstraintError, Constraints, ContradictionError, InfeasibleError

_SHOWN = 5
_ID_TITLES = {"id", "ids", "name", "names", "object", "objects", "row", "one", "key"}
_LABEL_TITLES = {"label", "labels", "class", "classes", "cluster", "group", "category", "target", "known", "type", "y"}


def read_known(
    must_link: Path | None, cannot_link: Path | None, known_labels: Path | None, ids: np.ndarray
) -> tuple[Constraints | None, list[str]]:
    """All constraints that the files state, about the objects with these ids, and what of the files is not used.

    None if no file is given.
    """
    known, notes = Constraints(len(ids)), []
    try:
        for path, kind, other in ((must_link, "must-link", cannot_link), (cannot_link, "cannot-link", must_link)):
            if path is not None:
                known = known.merge(Constraints.read(path, ids=ids, kind=kind))
                if other is None or not path.samefile(other):
                    notes += _not_used(path, kind, ids)
        if known_labels is not None:
            known = known.merge(Constraints(len(ids), labels=_read_labels(known_labels, ids)))
    except ContradictionError as error:
        raise error.renamed(lambda i: repr(str(ids[i]))) from None
    return (None if must_link is cannot_link is known_labels is None else known), notes


def check_feasible(known: Constraints | None, k: int | None, ids: np.ndarray) -> None:
    """Refuse a number of clusters with which the constraints cannot hold, in the user's ids."""
    if known is None or k is None:
        return
    try:
        known.ensure_feasible(k, allow_empty=False)
    except InfeasibleError as error:
        witness = [] if error.witness is None else [str(ids[i]) for i in error.witness[:_SHOWN]]
        more = "" if error.witness is None or len(error.witness) <= _SHOWN else ", …"
        reason = str(error).partition("; objects")[0]
        raise ValueError(
            f"--k is {k}, but {reason} ({', '.join(map(repr, witness))}{more}). Give another --k, or fewer statements."
        ) from None


def _not_used(path: Path, kind: str, ids: np.ndarray) -> list[str]:
    """A word about the pairs of the other type, in a file that says the type of each."""
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
    return [f"{left_out} not used: add --{other} {path.name} to use {'them' if n > 1 else 'it'}."]


def _read_labels(path: Path, ids: np.ndarray) -> np.ndarray:
    """The label of each object; None where the file has none."""
    try:
        cells = pd.read_csv(path, sep=None, engine="python", header=None, dtype=str, keep_default_na=False)
    except pd.errors.EmptyDataError:
        cells = pd.DataFrame()
    if cells.shape[1] != 2:
        raise ConstraintError(f"{path} has {cells.shape[1]} columns, but known labels are two: id and label.")
    cells = cells.apply(lambda column: column.str.strip())
    place = pd.Index([str(x) for x in ids], dtype=object)
    found = place.get_indexer(cells[0])
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
    said = pd.DataFrame({"at": found, "label": cells[1]})[(cells[1] != "").to_numpy()].drop_duplicates()
    twice = said[said["at"].duplicated(keep=False)]
    if len(twice):
        at = twice["at"].iloc[0]
        one, other = twice["label"][twice["at"] == at].iloc[:2]
        raise ConstraintError(f"{path} gives {str(ids[at])!r} two labels, {one!r} and {other!r}.")
    labels = np.full(len(ids), None, dtype=object)
    labels[said["at"]] = said["label"]
    return labels
