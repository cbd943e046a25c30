"""Graphs in all their forms become one symmetric matrix."""

import gzip

import networkx
import numpy as np
import pandas as pd
import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from pluribus.tables import Graph, TableError, as_graph, read_graph

EDGES = [("ann", "bob", 1.5), ("bob", "eve", -2.0), ("ann", "joe", 3.0)]
NAMES = ["ann", "bob", "eve", "joe"]
MATRIX = np.array([[0, 1.5, 0, 3], [1.5, 0, -2, 0], [0, -2, 0, 0], [3, 0, 0, 0.0]])


def frame():
    return pd.DataFrame(EDGES, columns=["from", "to", "weight"])


def networkx_graph():
    graph = networkx.Graph()
    graph.add_weighted_edges_from(EDGES)
    return graph


def forms(folder):
    csv, parquet, zipped = folder / "links.csv", folder / "links.parquet", folder / "links.csv.gz"
    frame().to_csv(csv, index=False)
    frame().to_parquet(parquet)
    with gzip.open(zipped, "wt") as file:
        file.write(csv.read_text())
    return {
        "tuples": EDGES,
        "frame": frame(),
        "polars": polars.from_pandas(frame()),
        "csv": csv,
        "gz": str(zipped),
        "parquet": parquet,
        "networkx": networkx_graph(),
        "array": np.array(EDGES, dtype=object),
    }


def test_every_form_gives_the_same_graph(tmp_path):
    for name, form in forms(tmp_path).items():
        graph = as_graph(form, ids=NAMES, signed=True)
        np.testing.assert_array_equal(graph.matrix.toarray(), MATRIX, err_msg=name)
        assert graph.ids.tolist() == NAMES
    for matrix in (MATRIX, sparse.csr_matrix(MATRIX), sparse.coo_array(MATRIX), sparse.csc_array(MATRIX)):
        graph = as_graph(matrix, ids=NAMES, signed=True)
        np.testing.assert_array_equal(graph.matrix.toarray(), MATRIX)
        assert graph.notes == ()
    assert repr(as_graph(MATRIX, signed=True)) == "Graph(4 nodes, 3 edges)"


def test_nodes_are_sorted_numbers_or_texts_as_they_appear():
    assert as_graph([(7, 3), (3, 10)]).ids.tolist() == [3, 7, 10]
    assert as_graph([("z", "a"), ("a", "m")]).ids.tolist() == ["z", "a", "m"]
    assert as_graph(np.array([[7, 3], [3, 10], [7, 10]])).ids.tolist() == [3, 7, 10]
    assert as_graph(np.array([[7, 3, 0.5], [3, 10, 1]])).ids.tolist() == [3, 7, 10]
    assert as_graph([(0, 1)], ids=range(5)).matrix.shape == (5, 5)


def test_ids_of_a_file_are_found_by_their_texts(tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text("u,v\n1,2\n2,3\n")
    graph = read_graph(path, ids=["3", "2", "1"])
    assert graph.matrix.toarray().tolist() == [[0, 1, 0], [1, 0, 1], [0, 1, 0]]


def test_a_graph_takes_another_order():
    graph = as_graph(EDGES, signed=True)
    assert as_graph(graph, signed=True) is graph
    order = [3, 0, 2, 1]
    turned = as_graph(graph, ids=[NAMES[i] for i in order], signed=True)
    np.testing.assert_array_equal(turned.matrix.toarray(), MATRIX[np.ix_(order, order)])
    with pytest.raises(TableError, match="negative"):
        as_graph(graph)


def test_directions_are_added_and_said():
    graph = as_graph(np.array([[0, 1, 0], [1, 0, 2], [0, 0, 0.0]]))
    assert graph.matrix.toarray().tolist() == [[0, 2, 0], [2, 0, 2], [0, 2, 0]]
    assert graph.notes == ("1 pair is linked in both directions; its weights are added.",)
    upper = as_graph(np.triu(MATRIX), signed=True)
    np.testing.assert_array_equal(upper.matrix.toarray(), MATRIX)
    assert upper.notes == ("The matrix is not symmetric: its two triangles are added.",)
    directed = networkx.DiGraph([(0, 1), (1, 0), (1, 2)])
    assert as_graph(directed).matrix.toarray().tolist() == [[0, 2, 0], [2, 0, 1], [0, 1, 0]]


def test_a_symmetric_edge_list_counts_each_pair_once():
    both = [(a, b, w) for a, b, w in EDGES] + [(b, a, w) for a, b, w in EDGES]
    np.testing.assert_array_equal(as_graph(both, ids=NAMES, signed=True).matrix.toarray(), MATRIX)


def test_repeated_links_and_loops_are_said():
    graph = as_graph([(0, 1), (0, 1, 2), (1, 1), (1, 2)])
    assert graph.matrix.toarray().tolist() == [[0, 3, 0], [3, 0, 1], [0, 1, 0]]
    assert graph.notes == ("Dropped 1 self loop.", "1 link repeated others; their weights are added.")
    multigraph = networkx.MultiGraph([(0, 1), (0, 1), (1, 2)])
    assert as_graph(multigraph).matrix[0, 1] == 2


def test_strict_refuses_what_would_be_mended():
    with pytest.raises(TableError, match=r"not symmetric: entry \(0, 1\) is 1, but \(1, 0\) is 3"):
        as_graph(np.array([[0, 1], [3, 0.0]]), strict=True)
    with pytest.raises(TableError, match=r"\(1, 1\) has weight 4"):
        as_graph(np.array([[0, 1], [1, 4.0]]), strict=True)
    assert as_graph([(0, 1), (1, 2)], strict=True).n_edges == 2  # an edge list has no direction
    tiny = np.array([[0, 1], [1 + 1e-14, 0.0]])
    assert as_graph(tiny, strict=True).n_edges == 1


def test_columns_are_found_or_named():
    plain = pd.DataFrame({"x": ["a", "b"], "y": ["b", "c"], "n": [2, 3]})
    assert as_graph(plain).matrix.data.sum() == 10
    assert as_graph(plain, columns=["x", "y"]).matrix.data.sum() == 4
    assert as_graph(plain, columns=["x", "y", "n"]).notes == ()
    assert as_graph(plain).notes == ("Edges are read from the columns 'x' and 'y', weights from 'n'.",)
    mixed = pd.DataFrame({"when": [1, 2], "Target": [1, 2], "Source": [0, 1], "Weight": [5, 7]})
    assert as_graph(mixed).matrix.data.sum() == 24


def test_empty_graphs():
    assert as_graph(np.zeros((0, 0))).n_nodes == 0
    assert as_graph([]).n_nodes == 0
    assert as_graph([], ids=["a", "b"]).matrix.shape == (2, 2)
    assert as_graph(sparse.csr_array((3, 3))).n_edges == 0


@pytest.mark.parametrize(
    ("data", "options", "message"),
    [
        (np.zeros((2, 5)), {}, "square matrix"),
        (sparse.csr_array((2, 3)), {}, "square"),
        (np.zeros(3), {}, "square matrix"),
        (sparse.csr_array(np.eye(2, dtype=complex)), {}, "holds numbers"),
        ([(0, 1, np.nan)], {}, r"weight of \(0, 1\) is nan"),
        ([(0, 1, np.inf)], {}, "not a finite number"),
        ([(0, 1, -1)], {}, "negative"),
        ([(0, 1, "x")], {}, "give numbers"),
        ([(0, 1), (0,)], {}, "for each edge"),
        (["ab", "cd"], {}, "for each edge"),
        ([(0, None)], {}, "no id"),
        ([(0, 1), (0, 9)], {"ids": [0, 1]}, "1 node not among the 2 given: '9'"),
        ([(0, 1)], {"ids": [0, 0]}, "not distinct"),
        ([(0, 1)], {"ids": 3}, "give a list"),
        (np.zeros((2, 2)), {"ids": [1, 2, 3]}, "2 rows but there are 3 ids"),
        ({"connectivities": 1}, {}, "'connectivities'"),
        (3, {}, "of type int"),
        (None, {}, "of type NoneType"),
        ([(0, 1)], {"columns": ["a", "b"]}, "no named columns"),
        (frame(), {"columns": ["from", "who"]}, "'from', 'to', 'weight'"),
        (frame(), {"columns": "from"}, "two or three columns"),
        (frame()[["from"]], {}, "needs two"),
        ("no-such-file.csv", {}, "does not exist"),
        ([([1], [2])], {}, "can be compared"),
    ],
)
def test_bad_input_is_refused(data, options, message):
    with pytest.raises(TableError, match=message):
        as_graph(data, **options)


def test_an_annotated_table_is_asked_for_its_graph():
    class Annotated:
        obsp = {"connectivities": MATRIX, "distances": MATRIX}

    with pytest.raises(TableError, match="'connectivities', 'distances'"):
        as_graph(Annotated())
    assert as_graph(sparse.csr_matrix(Annotated.obsp["distances"]), signed=True).n_edges == 3


@given(
    n=st.integers(1, 6),
    edges=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(-3, 3)), max_size=12),
)
def test_matrix_is_always_symmetric_with_an_empty_diagonal(n, edges):
    edges = [(a % n, b % n, w) for a, b, w in edges]
    graph = as_graph(edges, ids=range(n), signed=True)
    dense = np.zeros((n, n))
    for a, b, w in edges:
        dense[a, b] += w * (a != b)
    expected = dense if np.array_equal(dense, dense.T) else dense + dense.T
    np.testing.assert_array_equal(graph.matrix.toarray(), expected)
    assert graph.matrix.has_sorted_indices
    assert (graph.matrix.data != 0).all()
    assert isinstance(graph, Graph)
