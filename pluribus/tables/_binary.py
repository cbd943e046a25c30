"""Readers of Parquet and NPZ files."""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from pluribus._engine import check_claims, holds_text
from pluribus.tables._index import index_levels, nameless_levels
from pluribus.tables._raw import Raw, to_frame
from pluribus.tables.errors import TableError, listing
from pluribus.tables.table import ROW_NAMES, Selection


def read_parquet(path: Path, selection: Selection) -> Raw:
    """Read the columns of a Parquet file that are not ignored."""
    try:
        with pq.ParquetFile(path) as file:
            names = file.schema_arrow.names
            selection.check(names, str(path))
            levels, nameless = index_levels(file.schema_arrow), nameless_levels(names)
            kept = [n for n in selection.keep(names) if n not in nameless or n in (ROW_NAMES, selection.id_in(names))]
            # Whole and then narrowed: by name, a column "a.b" would also be looked for inside a column "a".
            frame = to_frame(file.read().select(kept))
    except (pa.ArrowException, OSError, IndexError) as error:
        raise TableError(
            f"'{path}' is not a Parquet file that can be read ({_first_line(error)}). "
            "It may be damaged or incomplete: write or copy it again."
        ) from error
    return Raw(frame, index=tuple(name for name in kept if name in levels and name not in nameless))


def read_npz(path: Path, selection: Selection) -> Raw:
    """Read the matrix of an NPZ file, with the ids and the names of its columns if they are there."""
    arrays = _load(path)
    X = _matrix(arrays, path)
    names = _beside(arrays, "feature_names", X.shape[1], "column", path)
    names = np.array([f"x{j}" for j in range(X.shape[1])]) if names is None else names
    ids = _beside(arrays, "ids", X.shape[0], "row", path)
    selection.check(names.tolist(), str(path))
    frame = pd.DataFrame(X, columns=names.astype(object), copy=False)
    return Raw(frame[selection.keep(names.tolist())] if selection.ignore else frame, ids)


def _load(path: Path) -> dict[str, np.ndarray]:
    """Load every array. An array of Python objects is a pickle, and a pickle can run code: refused."""
    if not zipfile.is_zipfile(path):
        raise TableError(
            f"'{path}' is not an NPZ file, or only a part of one. Write it again with numpy.savez(path, X=X)."
        )
    arrays: dict[str, np.ndarray] = {}
    key = ""
    try:
        check_claims(path)
        with np.load(path, allow_pickle=False) as file:
            for key in file.files:
                arrays[key] = file[key]
    except (ValueError, OSError, EOFError, KeyError, zipfile.BadZipFile, zlib.error, RuntimeError) as error:
        if "allow_pickle" in str(error):
            raise TableError(
                f"Array '{key}' of '{path}' holds Python objects, which are not read because they could run "
                f"code. Save plain numbers or text: numpy.savez(path, {key}={key}.astype(float)), or "
                "astype(str)."
            ) from error
        raise TableError(
            f"'{path}' is damaged ({_first_line(error)}). Write it again with numpy.savez(path, X=X)."
        ) from error
    if garbled := [key for key, array in arrays.items() if not holds_text(array)]:
        raise TableError(f"'{path}' is damaged: array '{garbled[0]}' has characters that are none. Write it again.")
    return arrays


def _matrix(arrays: dict[str, np.ndarray], path: Path) -> np.ndarray:
    """Find the matrix: named X, or the only one with two dimensions."""
    if "X" in arrays:
        key = "X"
    else:
        keys = [key for key, array in arrays.items() if isinstance(array, np.ndarray) and array.ndim == 2]
        if len(keys) != 1:
            raise TableError(
                f"'{path}' has no array 'X' and {len(keys)} arrays with two dimensions; it holds "
                f"{listing(arrays) or 'nothing'}. Save the matrix under the name X: numpy.savez(path, X=X)."
            )
        key = keys[0]
    X = arrays[key]
    if not isinstance(X, np.ndarray) or X.ndim != 2:
        shape = getattr(X, "shape", "no shape")
        raise TableError(
            f"Array '{key}' of '{path}' has shape {shape}, but a matrix with rows and columns is needed. "
            "A single feature is saved as X.reshape(-1, 1)."
        )
    if X.dtype.kind not in "biufU":
        raise TableError(f"Array '{key}' of '{path}' is of type {X.dtype}. Save numbers: X.astype(float).")
    if X.dtype.kind == "U":
        return X.astype(object)
    if X.dtype.kind == "f" and X.dtype not in (np.float32, np.float64):
        return X.astype(np.float32 if X.dtype == np.float16 else np.float64)
    return X.astype(X.dtype.newbyteorder("="), copy=False)


def _beside(arrays: dict[str, np.ndarray], key: str, length: int, per: str, path: Path) -> np.ndarray | None:
    """Fetch the names of the rows or the columns as text."""
    if key not in arrays:
        return None
    array = arrays[key]
    if not isinstance(array, np.ndarray) or array.shape != (length,):
        shape = getattr(array, "shape", "no shape")
        raise TableError(
            f"Array '{key}' of '{path}' has shape {shape}, but X has {length:,} {per}s. "
            f"Save one for each {per}, or leave '{key}' out."
        )
    return array.astype(str)


def _first_line(error: Exception) -> str:
    return (str(error) or type(error).__name__).splitlines()[0].rstrip(". ")
