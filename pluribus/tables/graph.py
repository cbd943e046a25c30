"""What users hand over as a graph: a matrix, an edge list, a networkx graph, a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
from scipy import sparse

from pluribus.tables._links import Links, links_of, places_of, read_nodes
from pluribus.tables.errors import TableError, counted

_TOLERANCE = 1e-12  # by which two directions of a pair may differ, relative to the largest weight


@dataclass(frozen=True, eq=False, repr=False)
class Graph:
    """An undirected weighted graph: a symmetric sparse matrix, and the id of each of its nodes.

    Made by :func:`as_graph`.

    Attributes
    ----------
    matrix : csr_array of shape (n, n)
        Symmetric float64 weights with sorted indices, an empty diagonal and no stored zeros.
    ids : ndarray of shape (n,)
        The id of each node: as given, or the names in the edge list, or 0 … n - 1.
    notes : tuple of str
        What was decided on the way, in plain words.

    Examples
    --------
    >>> from pluribus.tables import as_graph
    >>> as_graph([("ann", "bob"), ("bob", "eve", 2.5)])
    Graph(3 nodes, 2 edges)
    """

    matrix: sparse.csr_array
    ids: np.ndarray
    notes: tuple[str, ...] = ()

    @property
    def n_nodes(self) -> int:
        """The number of nodes."""
        return self.matrix.shape[0]

    @property
    def n_edges(self) -> int:
        """The number of edges, each pair counted once."""
        return self.matrix.nnz // 2

    def __repr__(self) -> str:
        return f"Graph({counted(self.n_nodes, 'node')}, {counted(self.n_edges, 'edge')})"


def as_graph(
    data: Any,
    *,
    ids: Sequence[Any] | np.ndarray | None = None,
    columns: Sequence[str] | None = None,
    signed: bool = False,
    strict: bool = False,
) -> Graph:
    """An undirected graph from a matrix, an edge list, a networkx graph or a file.

    One rule holds for all of them. Links that are given more than once in the same direction are added. If every link
    is then given in both directions with the same weight, as in a symmetric matrix, each pair counts once. Otherwise a
    direction means nothing, and the weights of the two directions are added.

    Parameters
    ----------
    data : sparse matrix or square array, edge list, networkx graph, path or Graph
        A square array (numpy) is a matrix of weights, where 0 is no link; ``adata.obsp["connectivities"]`` is one. An
        edge list is a data frame (pandas, polars), a list of tuples (one end, other end[, weight]), an array of shape
        (m, 2) or (m, 3), or a CSV or Parquet file. Without a weight, an edge has weight 1.
    ids : sequence of n values, optional
        The nodes, in the order that the matrix shall have. Edges may name only these; nodes without an edge are kept.
        By default the nodes are those that edges name, sorted if they are numbers, else by first appearance.
    columns : two or three names of columns, optional
        The two ends and the weight in a data frame or a file. By default columns with usual names (source and target,
        from and to, i and j, …; weight, sign, …), else the first two and a third if it holds numbers.
    signed : bool
        Allow negative weights.
    strict : bool
        Refuse self loops and an asymmetric matrix. By default self loops are dropped and the directions are added, both
        with a note.

    Returns
    -------
    Graph

    Raises
    ------
    TableError
        If this is no graph: the message says what to do.

    Examples
    --------
    >>> from pluribus.tables import as_graph
    >>> graph = as_graph([(0, 1), (1, 2, 0.5), (2, 1, 0.5)], ids=[0, 1, 2, 3])
    >>> graph, graph.matrix.toarray()[1].tolist(), graph.notes
    (Graph(4 nodes, 2 edges), [1.0, 0.0, 1.0, 0.0], ('1 pair is linked in both directions; its weights are added.',))
    """
    if isinstance(data, Graph):
        return _reordered(data, ids, signed)
    links = links_of(data, ids, columns)
    _check_weights(links, signed)
    return _undirected(links, strict)


def read_graph(
    path: str | PathLike[str],
    *,
    ids: Sequence[Any] | np.ndarray | None = None,
    columns: Sequence[str] | None = None,
    signed: bool = False,
) -> Graph:
    """Read an edge list from a CSV or Parquet file: a row for each edge, with its two ends and perhaps a weight.

    The parameters are those of :func:`as_graph`.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from pluribus.tables import read_graph
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name, "calls.csv")
    >>> _ = path.write_text("from,to,weight\\nann,bob,3\\nbob,eve,1\\n")
    >>> graph = read_graph(path)
    >>> graph, graph.ids.tolist()
    (Graph(3 nodes, 2 edges), ['ann', 'bob', 'eve'])
    >>> folder.cleanup()
    """
    if not isinstance(path, str | PathLike):
        raise TableError(f"path is of type {type(path).__name__}: give the path of a file, or use as_graph.")
    return as_graph(path, ids=ids, columns=columns, signed=signed)


def _check_weights(links: Links, signed: bool) -> None:
    for wrong, what in ((~np.isfinite(links.weights), "not a finite number"), (links.weights < 0, "negative")):
        if what == "negative" and signed:
            continue
        bad = np.flatnonzero(wrong)
        if len(bad):
            at = bad[0]
            one, other = links.ids[links.tails[at]], links.ids[links.heads[at]]
            raise TableError(f"The weight of ({one}, {other}) is {links.weights[at]:g}, which is {what}. Correct it.")


def _undirected(links: Links, strict: bool) -> Graph:
    n, notes = len(links.ids), list(links.notes)
    loops = links.tails == links.heads
    n_loops = int(np.count_nonzero(loops & (links.weights != 0)))
    if n_loops:
        if strict:
            at = int(np.flatnonzero(loops & (links.weights != 0))[0])
            raise TableError(
                f"({links.ids[links.tails[at]]}, {links.ids[links.heads[at]]}) has weight {links.weights[at]:g}: a "
                "node has no link to itself. Set the diagonal to 0."
            )
        notes.append(f"Dropped {counted(n_loops, 'self loop')}.")
    shape = (n, n)
    ends = (links.tails[~loops], links.heads[~loops])
    matrix = sparse.coo_array((links.weights[~loops], ends), shape=shape).tocsr()  # adds what is given twice
    n_repeated = int(np.count_nonzero(~loops)) - matrix.nnz
    if n_repeated:
        notes.append(f"{counted(n_repeated, 'link')} repeated others; their weights are added.")
    transposed = matrix.T.tocsr()
    difference = matrix - transposed
    largest = np.abs(matrix.data).max(initial=0.0)
    if np.abs(difference.data).max(initial=0.0) > _TOLERANCE * largest:
        if strict and links.is_matrix:
            worst = difference.tocoo()
            at = int(np.abs(worst.data).argmax())
            i, j = int(worst.row[at]), int(worst.col[at])
            raise TableError(
                f"The matrix is not symmetric: entry ({i}, {j}) is {matrix[i, j]:g}, but ({j}, {i}) is "
                f"{matrix[j, i]:g}. Each pair has one weight: give a symmetric matrix, or an edge list."
            )
        both = matrix.astype(bool).multiply(transposed.astype(bool)).nnz // 2
        if both:
            words = ("is", "its") if both == 1 else ("are", "their")
            notes.append(f"{counted(both, 'pair')} {words[0]} linked in both directions; {words[1]} weights are added.")
        elif links.is_matrix:
            notes.append("The matrix is not symmetric: its two triangles are added.")
        matrix = (matrix + transposed).tocsr()
    matrix.eliminate_zeros()
    matrix.sort_indices()
    return Graph(sparse.csr_array(matrix), links.ids, tuple(notes))


def _reordered(graph: Graph, ids: Any, signed: bool) -> Graph:
    """A graph that is one already, with its nodes in the order that is asked for."""
    coordinates = graph.matrix.tocoo()
    _check_weights(Links(coordinates.row, coordinates.col, coordinates.data, graph.ids), signed)
    if ids is None:
        return graph
    nodes = read_nodes(ids)
    place = places_of(graph.ids, nodes)
    n = len(nodes)
    ends = (place[coordinates.row], place[coordinates.col])
    matrix = sparse.coo_array((coordinates.data, ends), shape=(n, n)).tocsr()
    matrix.sort_indices()
    return Graph(matrix, nodes, graph.notes)
