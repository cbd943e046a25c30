"""A result -> one file: an archive of arrays, a table and JSON."""

import io
import json
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from pluribus._engine import atomic_path
from pluribus.consensus import MethodComparison
from pluribus.pipeline._request import plain
from pluribus.pipeline.clustering import Clustering

FORMAT = 1
TEXTS = ("title", "method", "k_chosen_by")
LISTS = ("reasons", "notes", "feature_names")
MERGE_FIGURES = ("n_merges", "heights", "model")
MERGE_ARRAYS = ("tree", "leaf_labels", "leaf_sizes", "increments", "means")
RUN_FIGURES = ("name", "n_clusters", "seconds", "nmi_members", "ari_members", "ari_methods", "problem", "notes")


def save(result: Clustering, path: Path) -> Path:
    """Write a result; the file is there whole or not at all."""
    with atomic_path(path) as temporary, zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
        file.writestr("clustering.json", json.dumps(_described(result), default=plain))
        for name, array in _arrays(result):
            with file.open(f"{name}.npy", "w", force_zip64=True) as stream:
                np.lib.format.write_array(stream, np.ascontiguousarray(array), allow_pickle=False)
        for name, content in _documents(result):
            file.writestr(name, content)
    return path


def _described(result: Clustering) -> dict[str, Any]:
    """All that is neither an array nor a table."""
    methods = result.methods
    return {
        "format": FORMAT,
        "n_objects": len(result.labels),
        **{name: getattr(result, name) for name in TEXTS},
        **{name: list(getattr(result, name)) for name in LISTS},
        "verdict": result.verdict,
        "ladder": None if result.ladder is None else result.ladder.to_json(),
        "parameters": dict(result.parameters),
        "id_column": result.id_column,
        "combined": result.combined,
        "seconds": result.seconds,
        "versions": dict(result.versions),
        "recipe": None if result.recipe is None else result.recipe.to_json(),
        "k_choice": None if result.k_choice is None else result.k_choice.to_json(),
        "methods": None if methods is None else _described_methods(methods),
        "sparse_width": _sparse_width(result),
        "merges": None if result.merges is None else {name: getattr(result.merges, name) for name in MERGE_FIGURES},
    }


def _described_methods(methods: MethodComparison) -> dict[str, Any]:
    return {
        "n_clusters": methods.n_clusters,
        "preferred": methods.preferred,
        "tied": list(methods.tied),
        "verdict": methods.verdict,
        "runs": [{name: getattr(run, name) for name in RUN_FIGURES} for run in methods.runs],
    }


def _arrays(result: Clustering) -> Iterator[tuple[str, np.ndarray]]:
    for name in ("labels", "membership", "uncertainty", "linkage", "k_support", "coordinates", "reproducibility"):
        if getattr(result, name) is not None:
            yield name, getattr(result, name)
    if result.ladder is not None:
        yield "ladder_labels", np.stack([rung.labels for rung in result.ladder.rungs], axis=1)
    yield "ids", np.asarray(result.ids, dtype=str)
    if result.methods is not None:
        yield "method_agreement", result.methods.agreement
        yield "method_labels", np.array([run.consensus.labels_ for run in result.methods.completed])
    if result.graph is not None:
        yield from (("graph_indices", result.graph.indices), ("graph_indptr", result.graph.indptr))
    if result.merges is not None:
        yield from ((f"merge_{name}", getattr(result.merges, name)) for name in MERGE_ARRAYS)
    if result.neighbors is None:
        return
    rows = result.neighbors.rows
    yield from {"kept_index": result.neighbors.index, "kept_labels": result.neighbors.labels}.items()
    if sparse.issparse(rows):
        yield from {"kept_data": rows.data, "kept_indices": rows.indices, "kept_indptr": rows.indptr}.items()
    else:
        yield "kept_rows", np.asarray(rows)


def _documents(result: Clustering) -> Iterator[tuple[str, bytes]]:
    with temporary("ensemble.npz") as path:
        result.ensemble.write(path)
        yield "ensemble.npz", path.read_bytes()
    if result.frame is not None:
        yield "frame.parquet", _parquet(result.frame)
    if result.other_than is not None:
        yield "other_than.parquet", _parquet(result.other_than)
    if result.merges is not None:
        yield "merge_tests.parquet", _parquet(result.merges.tests)
    if result.constraints is not None:
        with temporary("constraints.json") as path:
            result.constraints.write(path)
            yield "constraints.json", path.read_bytes()


def _parquet(frame: pd.DataFrame) -> bytes:
    buffer = io.BytesIO()
    frame.to_parquet(buffer, index=False)
    return buffer.getvalue()


def _sparse_width(result: Clustering) -> int | None:
    """The number of features, if the rows are sparse."""
    if result.neighbors is None or not sparse.issparse(result.neighbors.rows):
        return None
    return int(result.neighbors.rows.shape[1])


@contextmanager
def temporary(name: str) -> Iterator[Path]:
    """A path for a file that is read or written once."""
    with tempfile.TemporaryDirectory(prefix="pluribus-") as folder:
        yield Path(folder) / name
