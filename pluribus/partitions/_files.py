"""Ensembles in files and in notebooks: CSV, Parquet, NPZ, data frames, HTML."""

from __future__ import annotations

import json
import re
import zipfile
import zlib
from collections.abc import Sequence
from html import escape
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pluribus._engine import atomic_path, check_claims, holds_text
from pluribus.partitions._labels import decode_labels
from pluribus.partitions._parse import check_coverage
from pluribus.tables import TableError, read_table
from pluribus.tables._internal import MISSING

if TYPE_CHECKING:
    from pluribus.partitions.ensemble import Ensemble

_METADATA_KEY = b"pluribus.ensemble"
_LARGEST_EXACT = 2**53  # integers beside a missing value are read as floats
_UNSTORABLE = re.compile("[\0\r\ud800-\udfff]")  # cut off, taken for a line's end, or not UTF-8 at all
# Begins like a number, a date or a truth value: a CSV column of nothing else is not read as text.
_NOT_SURELY_TEXT = re.compile(r"\s*(?:[-+.]*\s*(?:[0-9]|inf|nan)|true|false)|\s*$", re.IGNORECASE)


def to_frame(ensemble: Ensemble) -> pd.DataFrame:
    """The original labels, missing ones as missing; integers stay integers."""
    return _frame(ensemble, ensemble.classes, ensemble.names)


def _frame(ensemble: Ensemble, all_classes: Sequence[np.ndarray], names: Sequence[str]) -> pd.DataFrame:
    columns = {}
    for name, codes, classes in zip(names, ensemble.labels.T, all_classes, strict=True):
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
        classes, names = [storable(c) for c in ensemble.classes], list(ensemble.names)
        if ending == ".csv":
            classes, names = [_safe_in_csv(c) for c in classes], _csv_names(ensemble)
        frame = _frame(ensemble, classes, names)
        if ensemble.ids is not None:
            frame.insert(0, _id_column(names), ensemble.ids)
        if ending == ".csv":
            frame.to_csv(temporary, index=False)
        else:
            _write_parquet(frame, ensemble, temporary)


def storable(classes: np.ndarray) -> np.ndarray:
    """The classes as integers, truth values or texts, all different, that any file keeps.

    >>> import numpy as np
    >>> storable(np.array([1, "1", (2, "a")], dtype=object)).tolist()
    ['1', '1 (2)', "(2, 'a')"]
    """
    kind = pd.api.types.infer_dtype(classes, skipna=False)
    if kind == "boolean":
        return classes.astype(bool)
    if kind == "integer" and classes.min() >= 0 and classes.max() <= _LARGEST_EXACT:
        return classes.astype(np.int64)
    texts = [str(label) for label in classes]
    return _different([repr(t) if _UNSTORABLE.search(t) else t for t in texts])


def _safe_in_csv(classes: np.ndarray) -> np.ndarray:
    """Texts that would be read as missing, or as equal numbers, as a Python literal: NA as 'NA'."""
    if classes.dtype.kind != "O":
        return classes
    texts = classes.tolist()
    if any(not _NOT_SURELY_TEXT.match(t) and t.strip() not in MISSING for t in texts):
        return _different([repr(t) if t.strip() in MISSING else t for t in texts])
    if all(_is_plain_integer(t) for t in texts):
        return classes  # read as integers, each as another one
    return _different([repr(t) for t in texts])


def _is_plain_integer(text: str) -> bool:
    return re.fullmatch("0|[1-9][0-9]{0,14}", text) is not None  # 15 digits: exact also as floats


def _csv_names(ensemble: Ensemble) -> list[str]:
    """Names that leave no doubt that they are names, and that commas part the columns."""
    alone = ensemble.n_partitions == 1 and ensemble.ids is None  # then spaces would part columns, too
    names = [re.sub(r"[;|\s]" if alone else r"[;|\t\r\n]", "_", name) for name in ensemble.names]
    return _different([repr(n) if _NOT_SURELY_TEXT.match(n) else n for n in names]).tolist()


def _different(texts: list[str]) -> np.ndarray:
    """Texts made different from each other by a number; those that occur once stay as they are."""
    taken, seen = set(texts), set()
    numbers: dict[str, int] = {}
    out = np.empty(len(texts), dtype=object)
    for i, text in enumerate(texts):
        new = text
        while new in seen or (new != text and new in taken):
            numbers[text] = numbers.get(text, 1) + 1
            new = f"{text} ({numbers[text]})"
        seen.add(new)
        out[i] = new
    return out


def _id_column(names: Sequence[str]) -> str:
    """The name of the column of ids: "id", unless a partition is called that."""
    name = "id"
    while name in names:
        name += "_"
    return name


def _write_npz(ensemble: Ensemble, path: Path) -> None:
    arrays: dict[str, Any] = {f"classes_{p}": _plain(storable(c)) for p, c in enumerate(ensemble.classes)}
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
    id_column = None if ensemble.ids is None else _id_column(ensemble.names)
    note = {"weights": ensemble.weights.tolist(), "id_column": id_column}
    metadata = {**(table.schema.metadata or {}), _METADATA_KEY: json.dumps(note).encode()}
    pq.write_table(table.replace_schema_metadata(metadata), path, compression="zstd")


def read(path: str | PathLike, id_column: str | None) -> Ensemble:
    from pluribus.partitions.ensemble import Ensemble

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


def is_stored(path: Path) -> bool:
    """Whether a file looks like one that ``write`` wrote, with more than labels in it."""
    if not path.is_file():
        return False
    if path.suffix.lower() == ".parquet":
        return bool(_parquet_note(path))
    try:
        with zipfile.ZipFile(path) as file:
            return {"labels.npy", "names.npy", "weights.npy"} <= set(file.namelist())
    except (OSError, zipfile.BadZipFile):
        return False


def _read_npz(path: Path) -> Ensemble | None:
    """An ensemble written by ``write``; None if the file is a plain array of labels."""
    from pluribus.partitions.ensemble import Ensemble

    try:
        check_claims(path)
        with np.load(path, allow_pickle=False) as file:
            stored = {key: file[key] for key in file.files}
    except (OSError, ValueError, EOFError, KeyError, RuntimeError, zipfile.BadZipFile, zlib.error) as error:
        raise TableError(f"{path} is not a readable NPZ file ({error}).") from error
    if not all(map(holds_text, stored.values())):
        raise TableError(f"{path} is damaged: it has characters that are none.")
    if not {"labels", "names", "weights"} <= set(stored):
        return None
    labels, names = stored["labels"], stored["names"].tolist()
    classes = [stored.get(f"classes_{p}", np.empty(0)) for p in range(len(names))]
    if labels.shape[1:] != (len(names),) or not len(labels):
        raise TableError(f"{path} is damaged: its labels, of shape {labels.shape}, are not {len(names)} partitions.")
    for name, codes, own in zip(names, labels.T, classes, strict=True):
        if codes.min() < -1 or codes.max() >= len(own):
            raise TableError(f"{path} is damaged: the labels of partition {name!r} do not fit its classes.")
    weights, ids = stored["weights"], stored.get("ids")
    if "membership_0" in stored:
        soft = [stored[f"membership_{p}"] for p in range(len(names))]
        return Ensemble.from_memberships(soft, weights=weights, names=names, ids=ids)
    check_coverage(labels, names)
    return Ensemble._make(labels, classes, weights, names, ids)


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
