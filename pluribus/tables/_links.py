"""The forms of a graph: which nodes and links a matrix, an edge list or a networkx graph holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import sparse

from pluribus._engine import number_array
from pluribus.tables.errors import TableError, counted, listing
from pluribus.tables.read_table import read_table
from pluribus.tables.table import Table

# What the columns of edge lists are usually called, in lower case.
_ENDS = (("source", "target"), ("from", "to"), ("src", "dst"), ("u", "v"), ("i", "j"), ("a", "b"), ("one", "other"))
_WEIGHTS = ("weight", "w", "sign", "value", "score")


class Links(NamedTuple):
    """Links as they were given: positions of their ends, weights, and the ids of all nodes."""

    tails: np.ndarray
    heads: np.ndarray
    weights: np.ndarray
    ids: np.ndarray
    is_matrix: bool = False
    notes: tuple[str, ...] = ()


def links_of(data: Any, ids: Any, columns: Any) -> Links:
    """The links of a graph in any of its forms."""
    if isinstance(data, str | PathLike):
        table = read_table(Path(data), least_rows=1)
        return _of_frame(_with_ids(table), ids, columns, table.name, table.notes)
    if isinstance(data, Table):
        return _of_frame(_with_ids(data), ids, columns, data.name)
    if hasattr(data, "to_pandas"):  # polars, pyarrow
        data = data.to_pandas()
    if isinstance(data, pd.DataFrame):
        return _of_frame(data, ids, columns, "edge list")
    if columns is not None:
        raise TableError("columns names the columns of a data frame or a file; this graph has no named columns.")
    if sparse.issparse(data):
        return _of_matrix(data, ids)
    if hasattr(data, "obsp"):
        raise TableError(f"Choose one of the graphs of this object: data.obsp[name], with {listing(data.obsp)}.")
    if isinstance(data, Mapping):
        raise TableError(f"The graph is a mapping. Choose one of its entries: {listing(data)}.")
    if hasattr(data, "edges") and hasattr(data, "nodes"):
        return _of_networkx(data, ids)
    if isinstance(data, np.ndarray):
        return _of_array(np.asarray(data), ids)
    if isinstance(data, Iterable):
        return _of_tuples(data, ids)
    raise TableError(
        f"The graph is of type {type(data).__name__}. Give a sparse matrix, an edge list (tuples, array, data frame or "
        "the path of a file), or a networkx graph."
    )


def _with_ids(table: Table) -> pd.DataFrame:
    """The columns of a file; a first column that was taken for the names of its rows is one of them."""
    if not table.named:
        return table.frame
    frame = table.frame.copy()
    frame.insert(0, table.id_column or "source", table.ids)
    return frame


def _of_matrix(matrix: Any, ids: Any) -> Links:
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise TableError(f"The matrix of a graph is square; this one has shape {matrix.shape}.")
    if matrix.dtype.kind not in "biuf":
        raise TableError(f"The matrix of a graph holds numbers; this one has type {matrix.dtype}.")
    n = matrix.shape[0]
    nodes = np.arange(n) if ids is None else read_nodes(ids)
    if len(nodes) != n:
        raise TableError(f"The matrix has {n:,} rows but there are {len(nodes):,} ids. Give one for each row.")
    coordinates = matrix.tocoo()
    weights = coordinates.data.astype(np.float64)
    return Links(coordinates.row, coordinates.col, weights, nodes, is_matrix=True)


def _of_array(array: np.ndarray, ids: Any) -> Links:
    if array.ndim == 2 and array.shape[0] == array.shape[1] and array.dtype.kind in "biuf":
        return _of_matrix(sparse.coo_array(array.astype(np.float64)), ids)
    if array.ndim != 2 or array.shape[1] not in (2, 3):
        raise TableError(
            f"The graph is an array of shape {array.shape}. Give a square matrix of numbers, or an edge list with 2 or "
            "3 columns: both ends, and the weight."
        )
    weights = np.ones(len(array)) if array.shape[1] == 2 else number_array("weights", array[:, 2], error=TableError)
    ends = array[:, :2]
    if array.dtype.kind == "f":  # the weights may have made floats of whole numbers
        ends = ends.astype(np.float64)
        if np.array_equal(ends, np.clip(np.floor(ends), -(2**53), 2**53)):
            ends = ends.astype(np.int64)
    return _named(ends[:, 0], ends[:, 1], weights, ids)


def _of_frame(frame: pd.DataFrame, ids: Any, columns: Any, name: str, notes: tuple[str, ...] = ()) -> Links:
    one, other, weight = _columns_of(frame, columns, name)
    weights = np.ones(len(frame)) if weight is None else number_array(weight, frame[weight], error=TableError)
    links = _named(frame[one].to_numpy(), frame[other].to_numpy(), weights, ids)
    if columns is None:
        weighted = f", weights from '{weight}'" if weight is not None else ""
        notes = (*notes, f"Edges are read from the columns '{one}' and '{other}'{weighted}.")
    return links._replace(notes=notes)


def _columns_of(frame: pd.DataFrame, columns: Any, name: str) -> tuple[Any, Any, Any]:
    if columns is not None:
        wanted = list(columns) if isinstance(columns, list | tuple) else []
        absent = [column for column in wanted if not isinstance(column, str) or column not in frame.columns]
        if len(wanted) not in (2, 3) or absent:
            raise TableError(
                f"columns={columns!r}: give the names of two or three columns of '{name}', both ends and the weight. "
                f"It has {listing(frame.columns, 20)}."
            )
        return wanted[0], wanted[1], wanted[2] if len(wanted) == 3 else None
    if len(frame.columns) < 2:
        raise TableError(f"'{name}' has only the columns {listing(frame.columns)}. An edge list needs two.")
    lower = {str(column).lower(): column for column in frame.columns}
    ends = next((pair for pair in _ENDS if pair[0] in lower and pair[1] in lower), None)
    one, other = (lower[ends[0]], lower[ends[1]]) if ends else frame.columns[:2]
    rest = [column for column in frame.columns if column not in (one, other)]
    weight = next((lower[word] for word in _WEIGHTS if lower.get(word) in rest), None)
    if weight is None and len(rest) == 1 and pd.api.types.is_numeric_dtype(frame[rest[0]]):
        weight = rest[0]
    return one, other, weight


def _of_networkx(graph: Any, ids: Any) -> Links:
    try:
        nodes = list(graph.nodes)
        edges = list(graph.edges(data="weight", default=1))
    except TypeError:
        raise TableError(
            f"The graph is of type {type(graph).__name__} and is not read like a networkx graph. Give its sparse "
            "matrix or its edge list."
        ) from None
    return _of_tuples(edges, nodes if ids is None else ids)


def _of_tuples(data: Iterable[Any], ids: Any) -> Links:
    edges = list(data)
    if not all(isinstance(edge, Sequence | np.ndarray) and len(edge) in (2, 3) for edge in edges) or any(
        isinstance(edge, str) for edge in edges
    ):
        raise TableError("An edge list holds (one end, other end) or (one end, other end, weight) for each edge.")
    weights = number_array("weights", [edge[2] if len(edge) == 3 else 1.0 for edge in edges], error=TableError)
    ends = [np.empty(len(edges), dtype=object) for _ in range(2)]
    for side in range(2):
        ends[side][:] = [edge[side] for edge in edges]
    return _named(ends[0], ends[1], weights, ids)


def read_nodes(ids: Any) -> np.ndarray:
    """Ids that were given: one for each node, all different."""
    if isinstance(ids, str) or not isinstance(ids, Iterable) or sparse.issparse(ids):
        raise TableError(f"ids is of type {type(ids).__name__}: give a list with the id of each node.")
    array = ids if isinstance(ids, np.ndarray) else _objects(list(ids))
    if array.ndim != 1 or array.dtype.kind == "V":
        raise TableError(f"ids have shape {array.shape} and type {array.dtype}: give one id for each node.")
    try:
        repeated = pd.Series(array)[pd.Series(array).duplicated()]
    except TypeError:
        raise TableError("ids holds values that cannot be compared, such as lists: give numbers or text.") from None
    if len(repeated):
        raise TableError(f"ids are not distinct: {listing(repeated.unique(), 5)} stand for more than one node.")
    return array


def _objects(values: list[Any]) -> np.ndarray:
    """Values as integers if all are, else as they are."""
    if all(isinstance(value, int | np.integer) and not isinstance(value, bool) for value in values):
        try:
            return np.array(values, dtype=np.int64)
        except OverflowError:
            pass
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def _named(tails: np.ndarray, heads: np.ndarray, weights: np.ndarray, ids: Any) -> Links:
    """Links between nodes that are named by their ids."""
    if weights.ndim != 1:
        raise TableError(f"weights have shape {weights.shape}: give one number for each edge.")
    ends = np.concatenate([tails, heads])
    if ends.ndim != 1:
        raise TableError("Several columns have the name of an end of the edges. Rename them.")
    if ends.dtype == object:
        ends = _objects(ends.tolist())
    missing = np.flatnonzero(pd.isna(ends))
    if len(missing):
        raise TableError(f"Edge {missing[0] % max(len(tails), 1) + 1:,} has no id at one end. Fill it in or drop it.")
    try:
        if ids is None:
            codes, nodes = pd.factorize(ends, sort=ends.dtype.kind in "iuf")
            codes, nodes = codes.astype(np.int64), np.asarray(nodes)
        else:
            nodes = read_nodes(ids)
            codes = places_of(ends, nodes)
    except TypeError:
        raise TableError("Ends of edges must be numbers or text that can be compared; some are not.") from None
    return Links(codes[: len(tails)], codes[len(tails) :], weights, nodes)


def places_of(ends: np.ndarray, nodes: np.ndarray) -> np.ndarray:
    """Where the ends stand among the nodes, by their values or, where these are of other types, by their texts."""
    places = pd.Index(nodes).get_indexer(pd.Index(ends))
    if (places < 0).any() and ends.dtype != nodes.dtype:
        texts = pd.Index(nodes.astype(str))
        if texts.is_unique:
            places = texts.get_indexer(pd.Index(ends.astype(str)))
    unknown = np.flatnonzero(places < 0)
    if len(unknown):
        raise TableError(
            f"The edges name {counted(len(pd.unique(ends[unknown])), 'node')} not among the "
            f"{len(nodes):,} given: {listing(pd.unique(ends[unknown]), 5)}. Add them, or drop their edges."
        )
    return places.astype(np.int64)
