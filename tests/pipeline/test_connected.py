"""``pluribus.cluster(data, k, graph=…, connected=True)`` and ``pluribus cluster --graph --connected``."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import cdist
from typer.testing import CliRunner

import pluribus
from pluribus.cli._app import app
from pluribus.pipeline import ArchiveError
from pluribus.pipeline._methods import connected_names, direct_names, is_direct, method_list
from pluribus.relational import ConnectedKMeans

N = 40
RNG = np.random.default_rng(0)
X = np.concatenate([RNG.normal(0, 1, (N // 2, 2)), RNG.normal(4, 1, (N // 2, 2))])
EDGES = [(i, i + 1) for i in range(N - 1)] + [(0, N - 1)]
IDS = [f"row {i}" for i in range(N)]


def cluster(data=X, k=3, graph=EDGES, connected=True, **options):
    return pluribus.cluster(data, k, graph=graph, connected=connected, verbose=False, **options)


def matrix(edges=EDGES, n=N):
    half = sparse.csr_array((np.ones(len(edges)), np.array(edges).T), shape=(n, n))
    return half + half.T


def assert_connected(labels, graph):
    for c in range(labels.max() + 1):
        inside = labels == c
        assert connected_components(graph[inside][:, inside], directed=False)[0] == 1


@pytest.mark.parametrize("method", [None, *connected_names()])
def test_every_cluster_is_connected(method):
    result = cluster(method=method)
    assert result.n_clusters == 3
    assert_connected(result.labels, matrix())
    assert len(result.ensemble) == 10
    for member in result.ensemble.labels.T:
        assert_connected(member, matrix())
    assert result.reasons[0].endswith("starts of the same method along the same links.")
    assert "40 links between the objects" in result.notes


def test_it_is_the_method_of_the_room():
    result = cluster(scale="none")
    model = ConnectedKMeans(3, random_state=0, verbose=False).fit(X, graph=EDGES)
    assert result.method == "ConnectedKMeans"
    np.testing.assert_array_equal(result.labels, model.labels_)
    np.testing.assert_array_equal(result.predict(X[:5]), result.labels[:5])


def test_the_forms_of_a_graph(tmp_path):
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(id=IDS)
    named = pd.DataFrame([(IDS[i], IDS[j]) for i, j in EDGES], columns=["from", "to"])
    named.to_csv(tmp_path / "edges.csv", index=False)
    named.to_parquet(tmp_path / "edges.parquet")
    expected = cluster(frame, graph=matrix()).labels
    for graph in (named, tmp_path / "edges.csv", tmp_path / "edges.parquet", [(IDS[i], IDS[j]) for i, j in EDGES]):
        np.testing.assert_array_equal(cluster(frame, graph=graph).labels, expected)
    networkx = pytest.importorskip("networkx")
    np.testing.assert_array_equal(cluster(frame, graph=networkx.Graph(named.to_numpy().tolist())).labels, expected)


def test_a_graph_of_an_annotated_matrix():
    class Annotated:
        X, obsm, obs_names, var_names = X, {}, pd.Index(IDS), pd.Index(["a", "b"])
        obsp = {"connectivities": matrix()}

    by_name = cluster(Annotated(), graph="connectivities")
    np.testing.assert_array_equal(by_name.labels, cluster(Annotated(), graph=matrix()).labels)


def test_distances():
    result = cluster(cdist(X, X), distances=True)
    assert result.method == "ConnectedKCenter"
    assert_connected(result.labels, matrix())
    assert cluster(cdist(X, X), distances=True, method="netscan").method == "NetScan"
    with pytest.raises(ValueError, match="needs features, not distances: use method='ckc'"):
        cluster(cdist(X, X), distances=True, method="connected-kmeans")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"connected": False}, "add connected=True"),
        ({"graph": None}, "connected=True needs the links"),
        ({"graph": None, "connected": False, "method": "ckc"}, "method='ckc' needs the links"),
        ({"method": "eac"}, "does not make connected clusters: use 'ckc', 'connected-kmeans', 'netscan'"),
        ({"method": "cop-kmeans"}, "does not make connected clusters"),
        ({"connected": "yes"}, "give True or False"),
        ({"k": None}, "give k"),
        ({"graph": [(0, 99)]}, "1 node not among the 40 given: '99'"),
        ({"graph": np.eye(3)}, "3 rows but there are 40 ids"),
        ({"graph": EDGES[:10]}, "30 parts that are not linked"),
        ({"must_link": [(0, 1)]}, "takes no pairs"),
        ({"min_size": 3}, "takes no sizes"),
        ({"noise": True}, "has no use for noise=True"),
    ],
)
def test_refused(options, message):
    with pytest.raises(ValueError, match=message):
        cluster(**options)


def test_saved_and_loaded(tmp_path):
    result = cluster()
    path = result.save(tmp_path / "a.pluribus")
    again = pluribus.load(path)
    np.testing.assert_array_equal(again.graph.toarray() > 0, matrix().toarray() > 0)
    assert again.report(tmp_path / "a.html").read_text() == result.report(tmp_path / "b.html").read_text()
    damaged = replace(result, graph=sparse.csr_array(result.graph[:-1]))
    damaged.save(tmp_path / "b.pluribus")
    with pytest.raises(ArchiveError, match="damaged"):
        pluribus.load(tmp_path / "b.pluribus")


def test_the_map_draws_the_links(tmp_path):
    result = cluster()
    inside = sum(result.labels[i] == result.labels[j] for i, j in EDGES)
    between, within, *points = result.plot.map().data
    assert [trace.mode for trace in (between, within)] == ["lines", "lines"]
    assert len(within.x) == 3 * inside
    assert len(between.x) == 3 * (len(EDGES) - inside)
    assert sum(len(trace.x) for trace in points) == N
    page = result.report(tmp_path / "r.html").read_text()
    assert "Lines are links: solid inside a cluster, dotted between two." in page
    assert (
        "Lines are links"
        not in pluribus.cluster(X, 3, members=5, verbose=False).report(tmp_path / "s.html").read_text()
    )


@pytest.mark.parametrize(("n_features", "by"), [(1, "links"), (2, "features"), (30, "links")])
def test_links_place_the_objects_where_two_components_say_little(n_features, by, tmp_path):
    features = np.random.default_rng(0).normal(size=(60, n_features))
    path = [(i, i + 1) for i in range(59)]
    result = pluribus.cluster(features, 2, graph=path, connected=True, method="netscan", verbose=False)
    page = result.report(tmp_path / "r.html").read_text()
    assert ("placed by forces along the links" in page) == (by == "links")
    assert ("Principal components of the features" in page) == (by == "features")
    assert "dotted between two." in page


def test_the_command(tmp_path):
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(id=IDS)
    frame.to_csv(tmp_path / "people.csv", index=False)
    pd.DataFrame([(IDS[i], IDS[j]) for i, j in EDGES], columns=["from", "to"]).to_csv(tmp_path / "e.csv", index=False)
    call = ["cluster", str(tmp_path / "people.csv"), "--graph", str(tmp_path / "e.csv"), "--k", "3"]
    done = CliRunner().invoke(app, [*call, "--connected", "--out", str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
    np.testing.assert_array_equal(
        pd.read_csv(tmp_path / "out" / "labels.csv")["cluster"], cluster(frame, graph=matrix()).labels
    )
    assert pluribus.load(tmp_path / "out").graph.nnz == 2 * len(EDGES)
    assert json.loads((tmp_path / "out" / "model.json").read_text())["parameters"]["graph"] == "e.csv"
    scanned = CliRunner().invoke(app, [*call, "--connected", "--method", "netscan", "--json"])
    assert json.loads(scanned.output)["method"] == "NetScan"
    refused = CliRunner().invoke(app, call)
    assert refused.exit_code == 2
    assert "--connected" in refused.output


def test_names():
    assert connected_names() == ["ckc", "connected-kmeans", "netscan"]
    assert is_direct("NetScan")
    assert not set(connected_names()) & set(direct_names())
    calls = {method.name: method.calls for method in method_list() if method.kind == "methods for linked objects"}
    assert calls["netscan"] == "cluster --connected"
    assert calls["cr"] == "Python"
