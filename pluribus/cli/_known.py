"""What the user knows, from files: pairs that belong together or apart, and known labels."""

from pathlib import Path

import numpy as np
import pandas as pd

from pluribus.constraints import ConstraintError, Constraints, ContradictionError, InfeasibleError

_SHOWN = 5


def read_known(
    must_link: Path | None, cannot_link: Path | None, known_labels: Path | None, ids: np.ndarray
) -> Constraints | None:
    """All constraints that the files state, about the objects with these ids; None if no file is given."""
    known = Constraints(len(ids))
    try:
        for path, kind in ((must_link, "must-link"), (cannot_link, "cannot-link")):
            if path is not None:
                known = known.merge(Constraints.read(path, ids=ids, kind=kind))
        if known_labels is not None:
            known = known.merge(Constraints(len(ids), labels=_read_labels(known_labels, ids)))
    except ContradictionError as error:
        raise error.renamed(lambda i: repr(str(ids[i]))) from None
    return None if must_link is cannot_link is known_labels is None else known


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


def _read_labels(path: Path, ids: np.ndarray) -> np.ndarray:
    """The label of each object; None where the file has none."""
    try:
        cells = pd.read_csv(path, sep=None, engine="python", header=None, dtype=str, keep_default_na=False)
    except pd.errors.EmptyDataError:
        cells = pd.DataFrame()
    if cells.shape[1] != 2:
        raise ConstraintError(f"{path} has {cells.shape[1]} columns, but known labels are two: id and label.")
    place = pd.Index([str(x) for x in ids], dtype=object)
    found = place.get_indexer(cells[0].str.strip())
    if len(found) and found[0] < 0:  # the titles of the columns
        cells, found = cells.iloc[1:], found[1:]
    unknown = cells[0][found < 0].tolist()
    if unknown:
        raise ConstraintError(
            f"{path} names {len(unknown)} of {len(cells)} objects that are not in the data: "
            f"{', '.join(map(repr, unknown[:_SHOWN]))}{', …' if len(unknown) > _SHOWN else ''}."
        )
    labels = np.full(len(ids), None, dtype=object)
    for at, label in zip(found.tolist(), cells[1].str.strip(), strict=True):
        if label and labels[at] not in (None, label):
            raise ConstraintError(f"{path} gives {str(ids[at])!r} two labels, {labels[at]!r} and {label!r}.")
        labels[at] = label or labels[at]
    return labels
