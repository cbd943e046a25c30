import json
import zipfile

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator
from sklearn.datasets import make_circles
from typer.testing import CliRunner

import pluribus
from pluribus.cli._app import app
from pluribus.increments import IncrementsHierarchy, IncrementsMixture
from pluribus.pipeline import ArchiveError, _direct_method
from pluribus.pipeline._methods import direct_names, is_direct, method_list
from pluribus.tables import TableError

RINGS, RING = make_circles(200, factor=0.4, noise=0.03, random_state=0)
LINE = np.array([0, 1, 2.2, 3.1, 4.3, 5.2, 20, 21.1, 22, 23.2, 24.1, 25.3])[:, None]


def cluster(data, **options):
    return pluribus.cluster(data, verbose=False, **options)


@pytest.fixture(scope="module")
def rings():
    return cluster(RINGS, method="sl-did", scale="none")


def test_the_method_finds_the_number_and_the_result_knows_how(rings):
    model = IncrementsHierarchy(verbose=False).fit(RINGS)
    np.testing.assert_array_equal(rings.labels, model.labels_)
    assert rings.n_clusters >= 2
    assert rings.k_chosen_by == IncrementsHierarchy.finds_k_by
    assert rings.method == "IncrementsHierarchy"
    assert len(rings.ensemble) == 10
    assert (rings.ensemble.labels < 0).mean() == pytest.approx(0.2)
    assert rings.reasons[0].endswith("each on 80% of the objects.")


def test_k_cuts_the_tree():
    assert cluster(RINGS, method="sl-did", scale="none", k=5).n_clusters == 5
    with pytest.raises(ValueError, match="finds the number of clusters itself"):
        cluster(RINGS, method="fj", k=3)
    with pytest.raises(ValueError, match="'cop-kmeans' does not find the number of clusters"):
        cluster(RINGS, method="cop-kmeans")


def test_what_direct_methods_do_not_take():
    with pytest.raises(ValueError, match="no use for members=5"):
        cluster(RINGS, method="sl-did", members=5)
    with pytest.raises(ValueError, match="takes no pairs"):
        cluster(RINGS, method="sl-did", must_link=[("0", "1")])
    with pytest.raises(ValueError, match="takes no sizes"):
        cluster(RINGS, method="gmdid", min_size=5)


def test_names():
    assert {"sl-did", "sl-aglo", "gmdid", "kmdid", "fj"} <= set(direct_names())
    assert "map-did" not in direct_names()  # a classifier
    assert is_direct("SL-DID")
    assert not is_direct("eac")
    assert not is_direct(None)
    kinds = {method.name: method.kind for method in method_list()}
    assert kinds["sl-did"] == "methods on increments"


def test_distances_give_the_same_clusters(tmp_path, rings):
    D = cdist(RINGS, RINGS)
    ids = [f"p{i}" for i in range(200)]
    frame = pd.DataFrame(D, columns=ids)
    frame.insert(0, "id", ids)
    frame.to_csv(tmp_path / "d.csv", index=False)
    pd.DataFrame(D, index=ids, columns=ids).to_csv(tmp_path / "named.csv")  # as pandas and R write them
    np.savez(tmp_path / "d.npz", X=D)
    for data in (D, frame, tmp_path / "d.csv", tmp_path / "named.csv", tmp_path / "d.npz"):
        found = cluster(data, distances=True)
        np.testing.assert_array_equal(found.labels, rings.labels)
        assert found.coordinates.shape == (200, 2)
    assert cluster(tmp_path / "named.csv", distances=True).ids.tolist() == ids
    with pytest.raises(ValueError, match="distances alone"):
        found.predict(D[:3])
    assert cluster(D, distances=True, method="sl-aglo").n_clusters >= 1


def test_a_map_of_distances_keeps_them():
    found = cluster(cdist(LINE, LINE), distances=True)
    drawn = cdist(found.coordinates, found.coordinates)
    np.testing.assert_allclose(drawn, cdist(LINE, LINE), atol=1e-6)


def test_bad_distances(tmp_path):
    D = cdist(LINE, LINE)
    with pytest.raises(TableError, match="12 rows and 11 columns"):
        cluster(D[:, :-1], distances=True)
    with pytest.raises(ValueError, match="symmetric"):
        cluster(np.triu(D), distances=True)
    with pytest.raises(ValueError, match="negative"):
        cluster(-D, distances=True)
    with pytest.raises(TableError, match="must be numbers"):
        cluster(pd.DataFrame(D).assign(name=list("abcdefghijkl")), distances=True)
    with pytest.raises(TableError, match="scale='robust'"):
        cluster(D, distances=True, scale="robust")
    for method in ("eac", "gmdid", "cop-kmeans"):
        with pytest.raises(ValueError, match="distances"):
            cluster(D, distances=True, method=method, k=2)


def test_record_of_a_hierarchy():
    found = cluster(LINE, method="sl-did", scale="none").merges
    assert found.tree.shape == (11, 4)
    assert found.n_merges == 10
    assert found.means == pytest.approx([0.583333, 0.266667], abs=1e-6)
    np.testing.assert_allclose(found.increments[:6], [0.2, 1.2, 0.3, 0.3, 1.2, 0.3])
    refused = found.tests[found.tests["node"] < 0]
    assert len(refused) == 1
    assert refused["outcome"].item().startswith("isolated: the gap is too large")
    assert refused["statistic"].item() == pytest.approx(13.9 / 0.583333, rel=1e-5)
    made = found.tests[found.tests["node"] >= 0]
    assert made["node"].tolist() == list(range(12, 22))
    np.testing.assert_array_equal(np.sort(made[["left", "right"]], axis=1), np.sort(found.tree[:10, :2], axis=1))


def test_record_of_a_mixture():
    found = cluster(RINGS, method="gmdid", scale="none")
    model = IncrementsMixture(random_state=0, verbose=False).fit(RINGS)
    record = found.merges
    m = model.n_start_components_
    assert record.tree.shape == (m - 1, 4)
    assert record.n_merges == m - found.n_clusters
    assert record.leaf_sizes.sum() == 200
    assert record.tree[-1, 3] == 200
    assert sorted(record.tree[:, :2].ravel().tolist()) == list(range(2 * m - 2))
    np.testing.assert_array_equal(record.leaf_labels[model.start_labels_], found.labels)


def test_record_of_a_mixture_of_one_component():
    record = cluster(np.random.default_rng(0).normal(size=(60, 3)), method="gmdid").merges
    assert record.n_merges == len(record.tests) == 0
    assert record.leaf_sizes.tolist() == [60]


def test_saved_and_loaded(tmp_path, rings):
    again = pluribus.load(rings.save(tmp_path / "rings.pluribus"))
    pd.testing.assert_frame_equal(again.merges.tests, rings.merges.tests)
    np.testing.assert_array_equal(again.merges.tree, rings.merges.tree)
    assert rings.report(tmp_path / "a.html").read_bytes() == again.report(tmp_path / "b.html").read_bytes()


@pytest.mark.parametrize("damage", ["n_merges", "model", "heights", "tree", "tests"])
def test_damaged_merges_are_refused(tmp_path, rings, damage):
    path = rings.save(tmp_path / "rings.pluribus")
    with zipfile.ZipFile(path) as file:
        parts = {name: file.read(name) for name in file.namelist()}
    if damage in ("n_merges", "model", "heights"):
        described = json.loads(parts["clustering.json"])
        described["merges"][damage] = 10**6 if damage == "n_merges" else "other"
        parts["clustering.json"] = json.dumps(described).encode()
    elif damage == "tree":
        tree = rings.merges.tree.copy()
        tree[0, 0] = 10**9
        np.save(tmp_path / "tree.npy", tree)
        parts["merge_tree.npy"] = (tmp_path / "tree.npy").read_bytes()
    else:
        rings.merges.tests.assign(left=10**9).to_parquet(tmp_path / "tests.parquet", index=False)
        parts["merge_tests.parquet"] = (tmp_path / "tests.parquet").read_bytes()
    with zipfile.ZipFile(path, "w") as file:
        for name, content in parts.items():
            file.writestr(name, content)
    with pytest.raises(ArchiveError, match="merges"):
        pluribus.load(path)


def test_command_line(tmp_path, rings):
    pd.DataFrame(RINGS, columns=["x", "y"]).to_csv(tmp_path / "rings.csv", index=False)
    pd.DataFrame(cdist(RINGS, RINGS)).to_csv(tmp_path / "d.csv", index=False)
    for arguments in (
        ["cluster", str(tmp_path / "rings.csv"), "--method", "sl-did", "--scale", "none", "--out", str(tmp_path / "a")],
        ["cluster", str(tmp_path / "d.csv"), "--distances", "--out", str(tmp_path / "b")],
    ):
        result = CliRunner().invoke(app, arguments)
        assert result.exit_code == 0, result.output
        labels = pd.read_csv(tmp_path / arguments[-1][-1] / "labels.csv")["cluster"]
        np.testing.assert_array_equal(labels, rings.labels)
        page = (tmp_path / arguments[-1][-1] / "report.html").read_text()
        assert "Merges, and the test behind each" in page


@pytest.mark.parametrize(("name", "room"), [("mkkm", "similarity"), ("cpklr", "similarity")])
def test_methods_for_python_only_say_where_they_are(name, room):
    with pytest.raises(ValueError, match=rf"is not for this call: use it from Python, pluribus.{room}.by_name"):
        cluster(LINE, method=name)


def test_a_method_without_chance_sees_the_graph_and_the_known_partition_of_each_sample(monkeypatch):
    seen = []

    class Plain(BaseEstimator):
        def fit(self, X, graph=None, known=None):
            seen.append((X[:, 0], graph, known))
            self.labels_, self.n_clusters_ = np.zeros(len(X), int), 1
            return self

    monkeypatch.setattr(_direct_method, "direct_method", lambda name: Plain)
    X = np.arange(10.0)[:, None]
    graph = sparse.csr_array(np.triu(np.outer(np.arange(10), np.arange(10)) + 1.0, 1))
    known = pd.DataFrame({"known": np.arange(10) % 2})
    model = _direct_method.DirectMethod("plain", None, seed=0, verbose=False)
    model.fit(X, graph=graph, other_than=known)
    assert _direct_method.OF_SAMPLES in model.reasons_
    assert len(seen) == 1 + _direct_method.RUNS
    for rows, links, labels in seen[1:]:
        drawn = rows.astype(int)
        assert len(drawn) == 8
        assert np.array_equal(links.toarray(), graph.toarray()[np.ix_(drawn, drawn)])
        assert labels["known"].tolist() == (drawn % 2).tolist()


@pytest.mark.parametrize("name", ["ccib", "kmdid"])
def test_a_method_whose_form_has_no_random_starts_sees_samples(name):
    """Ten starts would all be the same."""
    X = np.random.default_rng(0).normal(size=(70, 3))
    other = {"other_than": np.arange(70) % 2, "k": 3} if name == "ccib" else {}
    found = cluster(X, method=name, **other)
    assert (found.ensemble.labels < 0).mean() == pytest.approx(0.2)
    assert _direct_method.OF_SAMPLES in found.reasons
    assert not any("starts" in reason for reason in found.reasons)


@pytest.mark.parametrize("name", ["seq-ccib", "condens", "residual-kmeans"])
def test_methods_with_random_starts_say_so(name):
    X = np.random.default_rng(0).normal(size=(60, 3))
    found = cluster(X, k=3, method=name, other_than=np.arange(60) % 2)
    assert (found.ensemble.labels >= 0).all()
    assert len({tuple(labels) for labels in found.ensemble.labels.T}) > 1
    assert _direct_method.OF_OTHERS in found.reasons


def test_a_mixture_has_random_starts():
    assert _direct_method.OF_STARTS in cluster(RINGS, method="gmdid").reasons


def test_samples_that_a_method_refuses_are_counted():
    """All groups but one have a single value; without the last row, so has that one."""
    X = np.array([[0.0]] * 10 + [[1.0]] * 9 + [[2.0]])
    found = cluster(X, k=2, method="ccib", other_than=np.repeat([0, 1], 10), scale="none")
    n_refused = int((found.ensemble.labels >= 0).all(axis=0).sum())
    assert 0 < n_refused < 10
    assert any(reason.startswith(f"{n_refused} of these runs saw all objects") for reason in found.reasons)
