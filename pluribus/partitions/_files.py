"""Ensembles in files and in notebooks: CSV, Parquet, NPZ, data frames, HTML."""

from __future__ import annotations

import json
from html import escape
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pluribus._engine import atomic_path
from pluribus.partitions._labels import decode_labels
from pluribus.tables import TableError, read_table

if TYPE_CHECKING:
    from pluribus.partitions._ensemble import Ensemble

_METADATA_KEY = b"pluribus.ensemble"


def to_frame(ensemble: Ensemble) -> pd.DataFrame:
    """The original labels, missing ones as missing; integers stay integers."""
    columns = {}
    for p, name in enumerate(ensemble.names):
        codes, classes = ensemble.labels[:, p], ensemble.classes[p]
        if classes.dtype.kind in "iu":
            # -1 never is a class, so the code -1 may read any class before it is masked.
            columns[name] = pd.arrays.IntegerArray(classes.astype(np.int64)[codes], codes < 0)
        else:
            columns[name] = decode_labels(codes, classes)
    return pd.DataFrame(columns)


def write(ensemble: Ensemble, path: str | PathLike) -> None:
    path = Path(path)
    ending = path.suffix.lower()
    if ending not in (".csv", ".parquet", ".npz"):
        raise ValueError(f"Cannot write an ensemble to {path.name!r}: use .csv, .parquet or .npz.")
    with atomic_path(path) as temporary:
        if ending == ".npz":
            _write_npz(ensemble, temporary)
            return
        frame = to_frame(ensemble)
        if ensemble.ids is not None:
            frame.insert(0, _id_column(ensemble), ensemble.ids)
        if ending == ".csv":
            frame.to_csv(temporary, index=False)
        else:
            _write_parquet(frame, ensemble, temporary)


def _id_column(ensemble: Ensemble) -> str:
    """The name of the column of ids: "id", unless a partition is called that."""
    name = "id"
    while name in ensemble.names:
        name += "_"
    return name


def _write_npz(ensemble: Ensemble, path: Path) -> None:
    arrays: dict[str, Any] = {f"classes_{p}": _plain(c) for p, c in enumerate(ensemble.classes)}
    if ensemble.ids is not None:
        arrays["ids"] = _plain(ensemble.ids)
    if ensemble.memberships is not None:
        arrays |= {f"membership_{p}": u for p, u in enumerate(ensemble.memberships)}
    with open(path, "wb") as file:
        np.savez_compressed(
            file,
            labels=ensemble.labels,
            names=np.array(ensemble.names, dtype=str),
            weights=ensemble.weights,
            **arrays,
        )


def _plain(values: np.ndarray) -> np.ndarray:
    """Arrays that NPZ stores without pickling: objects become text."""
    return values.astype(str) if values.dtype.kind not in "biufUS" else values


def _write_parquet(frame: pd.DataFrame, ensemble: Ensemble, path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.Table.from_pandas(frame, preserve_index=False)
    id_column = None if ensemble.ids is None else _id_column(ensemble)
    note = {"weights": ensemble.weights.tolist(), "id_column": id_column}
    metadata = {**(table.schema.metadata or {}), _METADATA_KEY: json.dumps(note).encode()}
    pq.write_table(table.replace_schema_metadata(metadata), path, compression="zstd")


def read(path: str | PathLike, id_column: str | None) -> Ensemble:
    from pluribus.partitions._ensemble import Ensemble

    path = Path(path)
    if path.suffix.lower() == ".npz":
        kept = _read_npz(path)
        if kept is not None:
            return kept
    weights = None
    if path.suffix.lower() == ".parquet" and path.is_file():
        note = _parquet_note(path)
        weights = note.get("weights")
        id_column = id_column or note.get("id_column")
    table = read_table(path, id_column=id_column)
    ids = table.ids if id_column is not None else None
    return Ensemble(table.frame, weights=weights, ids=ids)


def _read_npz(path: Path) -> Ensemble | None:
    """An ensemble written by ``write``; None if the file is a plain array of labels."""
    from pluribus.partitions._ensemble import Ensemble

    try:
        with np.load(path, allow_pickle=False) as file:
            stored = {key: file[key] for key in file.files}
    except (OSError, ValueError, EOFError, KeyError) as error:
        raise TableError(f"{path} is not a readable NPZ file ({error}).") from error
    if not {"labels", "names", "weights"} <= set(stored):
        return None
    labels, r = stored["labels"], stored["labels"].shape[-1]
    ids = stored.get("ids")
    options = {"weights": stored["weights"], "names": stored["names"].tolist(), "ids": ids}
    if "membership_0" in stored:
        return Ensemble.from_memberships([stored[f"membership_{p}"] for p in range(r)], **options)
    columns = []
    for p in range(r):
        classes = stored[f"classes_{p}"]
        codes = labels[:, p].astype(np.int64)
        if labels.ndim != 2 or codes.min() < -1 or codes.max() >= len(classes):
            raise TableError(f"{path} is damaged: the labels of partition {p} do not fit its classes.")
        columns.append(decode_labels(codes, classes))
    return Ensemble(columns, **options)


def _parquet_note(path: Path) -> dict:
    import pyarrow.parquet as pq

    try:
        metadata = pq.read_schema(path).metadata or {}
        return json.loads(metadata.get(_METADATA_KEY, b"{}"))
    except Exception:  # read_table says what is wrong with a damaged file
        return {}


def to_html(ensemble: Ensemble) -> str:
    """A small card for notebooks: the figures and the first partitions."""
    low, high = int(ensemble.n_clusters.min()), int(ensemble.n_clusters.max())
    figures = {
        "objects": f"{ensemble.n_objects:,}",
        "partitions": f"{ensemble.n_partitions:,}",
        "clusters": f"{low}" if low == high else f"{low}–{high}",
        "missing": f"{ensemble.missing_share:.1%}",
    }
    cells = "".join(
        f"<div style='margin-right:2em'><div style='font-size:1.3em'>{value}</div><small>{name}</small></div>"
        for name, value in figures.items()
    )
    rows = "".join(
        f"<tr><td>{escape(name)}</td><td>{k}</td><td>{weight:g}</td><td>{(column < 0).mean():.1%}</td></tr>"
        for name, k, weight, column in list(
            zip(ensemble.names, ensemble.n_clusters, ensemble.weights, ensemble.labels.T, strict=True)
        )[:10]
    )
    more = f"<small>… and {ensemble.n_partitions - 10} more</small>" if ensemble.n_partitions > 10 else ""
    return (
        f"<div><b>Ensemble</b><div style='display:flex;margin:.5em 0'>{cells}</div><table><tr><th>partition</th>"
        f"<th>clusters</th><th>weight</th><th>missing</th></tr>{rows}</table>{more}</div>"
    )
