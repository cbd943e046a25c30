"""``pluribus predict``: a result and new rows -> their clusters."""

import warnings
from pathlib import Path

import numpy as np
import pandas as pd

from pluribus._engine import atomic_path
from pluribus.cli import _input
from pluribus.cli._screen import Screen, print_json
from pluribus.pipeline import load
from pluribus.pipeline._internal import membership_columns
from pluribus.tables import as_table


def run(
    model: Path,
    new: Path,
    *,
    id_column: str | None = None,
    out: Path | None = None,
    quiet: bool = False,
    json: bool = False,
) -> Path | None:
    """Do the job and write the clusters."""
    screen = Screen(quiet=quiet, json=json)
    target = out or (None if json else Path(f"{_input.stem(new)}-clusters.csv"))
    if target is not None and target.exists():
        raise ValueError(f"{target} exists already, and is not written over: give another --out.")
    result = load(model)
    table = as_table(new, id_column=id_column, least_rows=1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        labels, membership = result.predict(table), result.predict_proba(table)
    notes = list(dict.fromkeys(str(warning.message) for warning in caught))  # both calls warn of the same
    frame = pd.DataFrame({"id": table.ids, "cluster": labels} | membership_columns(labels, membership))
    if target is not None:
        with atomic_path(target) as path:
            frame.to_csv(path, index=False, float_format="%.6g")
    if json:
        print_json({"n_objects": len(frame), "notes": notes, "clusters": frame.to_dict("list")})
        return target
    screen.note(f"{new.name}: {len(frame):,} rows, by the {result.n_clusters} clusters of {result.title}")
    for note in notes:
        screen.note(note)
    for cluster, size in enumerate(np.bincount(labels, minlength=result.n_clusters)):
        screen.line(f"cluster {cluster}: {size:,}")
    if target is not None:
        screen.files({"clusters": target})
    return target
