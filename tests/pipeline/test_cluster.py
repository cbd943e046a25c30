"""pluribus.cluster: the same answer from Python, from the command line and after load."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.metrics import adjusted_rand_score
from typer.testing import CliRunner

import pluribus
from pluribus import Constraints, EnsembleClusterer
from pluribus.cli._app import app
from pluribus.constraints import ConstraintError
from pluribus.pipeline import _data
from pluribus.tables import Rows, TableError, as_table, open_rows, prepare, read_table


def quiet(data, *args, **options):
    return pluribus.cluster(data, *args, **{"members": 12, "verbose": False, **options})


@pytest.mark.parametrize(
    "options",
    [
        {"k": 3},
        {"method": "eac", "seed": 4},
        {"method": "ppc", "k": 4, "scale": "robust", "ignore": ["team"]},
        {"k": 3, "min_size": "25%", "noise": False},
        {"k": 3, "noise": True},
        {"k": 3, "method": "cop-kmeans", "members": None, "must_link": [("row 0", "row 1")]},
    ],
    ids=["k", "eac", "ppc", "sizes", "noise", "single"],
)
def test_python_the_command_line_and_a_loaded_result_agree(blobs_frame, tmp_path, options):
    frame, _ = blobs_frame
    path = tmp_path / "blobs.csv"
    frame.to_csv(path, index=False)
    from_frame, from_path = quiet(frame, **options), quiet(path, **options)
    arguments = ["cluster", str(path), "--out", str(tmp_path / "out"), "--quiet"]
    if options.get("members", 12) is not None:
        arguments += ["--members", "12"]
    for name, value in options.items():
        if name == "must_link":
            (tmp_path / "pairs.csv").write_text("row 0,row 1\n")
            arguments += ["--must-link", str(tmp_path / "pairs.csv")]
        elif value is True:
            arguments.append(f"--{name}")
        elif value is not None and value is not False:
            text = ",".join(value) if isinstance(value, list) else str(value)
            arguments += [f"--{name.replace('_', '-')}", text]
    called = CliRunner().invoke(app, arguments)
    assert called.exit_code == 0, called.output
    written = pd.read_csv(tmp_path / "out" / "labels.csv")
    loaded = pluribus.load(tmp_path / "out")
    for labels in (from_path.labels, written["cluster"], loaded.labels):
        np.testing.assert_array_equal(labels, from_frame.labels)
    np.testing.assert_array_equal(loaded.membership, from_frame.membership)
    np.testing.assert_array_equal(loaded.predict(frame), from_frame.predict(frame))


def test_it_is_what_the_estimator_finds(blobs_frame, tmp_path):
    frame, y = blobs_frame
    frame.to_csv(tmp_path / "blobs.csv", index=False)
    X = prepare(read_table(tmp_path / "blobs.csv", id_column="id")).X
    model = EnsembleClusterer(n_members=12, random_state=0, verbose=False).fit(X)
    result = quiet(frame)
    np.testing.assert_array_equal(result.labels, model.labels_)
    assert result.reasons == model.reasons_
    assert adjusted_rand_score(y, result.labels) == 1
    assert (result.parameters["method"], result.parameters["members"]) == ("lwsm", 12)


@pytest.mark.parametrize("kind", ["array", "float32", "polars", "sparse", "anndata", "rows"])
def test_kinds_of_data(blobs_frame, kind):
    frame, y = blobs_frame
    X = frame[["a", "b", "c"]].to_numpy()
    data = {
        "array": lambda: X,
        "float32": lambda: X.astype(np.float32),
        "polars": lambda: pytest.importorskip("polars").DataFrame(dict(frame)),
        "sparse": lambda: sparse.csr_matrix(X),
        "anndata": lambda: Cells(X),
        "rows": lambda: pluribus.tables.open_rows(X),
    }[kind]()
    result = quiet(data, 3)
    assert adjusted_rand_score(y, result.labels) == 1
    assert len(result.ids) == 90
    np.testing.assert_array_equal(result.predict(data if kind != "rows" else X), result.labels)
    if kind == "anndata":
        assert result.ids[0] == "cell 0"
        assert any("X_pca" in note for note in result.notes)


class Cells:
    """As much of an AnnData as is used."""

    def __init__(self, X, embedded=True):
        self.X = X
        self.obsm = {"X_pca": X} if embedded else {}
        self.obs_names = [f"cell {i}" for i in range(len(X))]
        self.var_names = ["g0", "g1", "g2"]


def test_rows_are_read_by_the_workers_of_a_cluster_if_there_is_one(monkeypatch):
    asked = []
    monkeypatch.setattr(Rows, "look_through", lambda self, cluster, verbose: asked.append(cluster))
    for cluster in (None, "a cluster"):
        _data._rows(open_rows(np.eye(4)), _data.Preparation(), cluster)
    assert asked == ["a cluster"]


def test_cells_without_an_embedding(blobs_frame):
    X = blobs_frame[0][["a", "b", "c"]].to_numpy()
    result = quiet(Cells(X, embedded=False), 3)
    assert result.feature_names == ("g0", "g1", "g2")
    assert any("no obsm" in note for note in result.notes)


def test_what_is_known_in_any_form(blobs_frame, tmp_path):
    frame, _ = blobs_frame
    (tmp_path / "pairs.csv").write_text("row 0,row 1\n")
    by_index = Constraints(90, must_link=[(0, 1)])
    results = [
        quiet(frame, 3, constraints=by_index),
        quiet(frame, 3, must_link=[("row 0", "row 1")]),
        quiet(frame, 3, must_link=tmp_path / "pairs.csv"),
        quiet(frame, 3, known_labels={"row 0": "x", "row 1": "x"}),
        quiet(frame, 3, must_link=pd.DataFrame({"one": ["row 0"], "other": ["row 1"]})),
        quiet(frame, 3, known_labels=["x", "x", *[None] * 88]),
        quiet(frame, 3, known_labels=pd.Series([1, 1, *[None] * 88], dtype="Int64")),
        quiet(frame, 3, known_labels=np.array([1, 1, *[-1] * 88])),
        quiet(frame, 3, known_labels=pd.Series(["x", "x"], index=["row 0", "row 1"])),
    ]
    for result in results:
        assert result.labels[0] == result.labels[1]
        assert result.parameters["method"] == "ceac"
        np.testing.assert_array_equal(result.labels, results[0].labels)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"k": 0}, ValueError, "k=0: give a whole number"),
        ({"k": 2.5}, ValueError, "k=2.5"),
        ({"k": True}, ValueError, "k=True"),
        ({"k": 91}, ValueError, "k=91, but there are only 90 objects"),
        ({"method": "magic"}, ValueError, "method='magic' is unknown: there are acccs"),
        ({"method": "gmm"}, ValueError, "method='gmm' .*members=12"),
        ({"method": "gmm", "members": None}, ValueError, "give k"),
        ({"method": "aggregate", "k": 3, "members": None}, ValueError, "conditions on columns"),
        ({"members": 0}, ValueError, "n_members"),
        (
            {"must_link": [("row 0", "nobody")]},
            ConstraintError,
            "1 of 2 objects are not in the data: 'nobody'",
        ),
        ({"must_link": [("row 0",)]}, ConstraintError, "give pairs of ids"),
        ({"must_link": ["row 0", "row 1"]}, ConstraintError, "must_link holds 'row 0': give pairs"),
        ({"known_labels": ["x"]}, ConstraintError, "1 labels, but there are 90 objects"),
        ({"constraint_level": "evidence"}, ValueError, "constraint_level is for constraints"),
        ({"cannot_link": [("row 0", "row 1"), ("row 1", "row 2"), ("row 0", "row 2")], "k": 2}, ValueError, "k=2, but"),
        ({"min_size": 40, "k": 3}, ValueError, "min_size asks for 120 objects"),
        ({"balance": True, "min_size": 3}, ValueError, "balance makes sizes equal"),
        ({"balance": True, "must_link": [("row 0", "row 1")]}, ValueError, "size-constrained"),
        ({"noise": True, "min_size": 3}, ValueError, "noise=True leaves"),
        ({"ignore": ["nothing"]}, ValueError, "no column 'nothing'"),
        ({"id_column": "who"}, ValueError, "no column 'who'"),
        ({"scale": "log"}, ValueError, "scale is 'log'"),
        ({"memory_limit": "1kB"}, MemoryError, "allowed"),
    ],
)
def test_refused_before_any_work(blobs_frame, monkeypatch, options, error, message):
    monkeypatch.setattr("pluribus.generate._base.BaseGenerator.generate", None)
    with pytest.raises(error, match=message):
        quiet(blobs_frame[0], **options)


@pytest.mark.parametrize("options", [{"ignore": ["a"]}, {"id_column": "who"}, {"impute": True}, {"scale": "log"}])
@pytest.mark.parametrize("form", [sparse.csr_array, Cells, open_rows])
def test_options_that_need_columns_are_refused_without_them(blobs_frame, form, options):
    with pytest.raises(TableError, match=next(iter(options))):
        quiet(form(blobs_frame[0][["a", "b", "c"]].to_numpy()), 3, **options)


def test_a_table_that_is_read_already_has_its_columns(blobs_frame):
    with pytest.raises(TableError, match="is read already"):
        quiet(as_table(blobs_frame[0]), 3, ignore="team")


def test_known_labels_are_matched_by_row_if_an_index_repeats(blobs_frame):
    frame, y = blobs_frame
    known = quiet(frame.drop(columns="id"), 3, known_labels=pd.Series(y, index=[7] * 90)).constraints
    np.testing.assert_array_equal(known.labels >= 0, True)


def test_an_object_has_one_known_label(blobs_frame):
    X = blobs_frame[0][["a", "b", "c"]].to_numpy()
    with pytest.raises(ConstraintError, match="names '0' more than once"):
        quiet(X, 3, known_labels={0: "x", "0": "y"})


def test_constraints_need_names_that_differ(blobs_frame):
    cells = Cells(blobs_frame[0][["a", "b", "c"]].to_numpy())
    cells.obs_names = ["cell"] * 90
    assert quiet(cells, 3).n_clusters == 3
    with pytest.raises(ConstraintError, match="several objects are called 'cell'"):
        quiet(cells, 3, must_link=[("cell", "cell")])


@pytest.mark.parametrize("method", ["feedback", "pckmeans"])
@pytest.mark.parametrize("form", [sparse.csr_array, lambda X: Cells(X, embedded=False)])
def test_counts_are_clustered_saved_and_loaded(blobs_frame, tmp_path, form, method):
    counts = form(np.abs(blobs_frame[0][["a", "b", "c"]].to_numpy()).round().astype(int))
    result = quiet(counts, 3, method=method, members=None, scale="none")
    again = pluribus.load(result.save(tmp_path / "counts.pluribus"))
    np.testing.assert_array_equal(again.predict(counts), result.predict(counts))


def test_notes_come_as_they_come_up(blobs_frame):
    heard = []
    near = int(np.flatnonzero(blobs_frame[1][1:] == blobs_frame[1][0])[0]) + 1
    known = {"cannot_link": [("row 0", f"row {near}")], "constraint_level": "evidence", "k": 3}
    with pytest.warns(UserWarning, match="violated") as warned:
        result = quiet(blobs_frame[0], on_note=heard.append, **known)
    assert str(warned[0].message) in heard
    assert heard == list(result.notes)
    assert heard[0] == "table: 90 objects, 4 features"
    assert set(result.reasons) <= set(heard)


def test_the_plan_is_told_before_large_or_limited_work(blobs_frame):
    assert not any(note.startswith("About ") for note in quiet(blobs_frame[0], 3).notes)
    limited = quiet(blobs_frame[0], 3, memory_limit="2GB")
    assert any(note.startswith("About ") and "of at most 2.0 GB" in note for note in limited.notes)


def test_json_on_the_command_line(blobs_frame, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blobs_frame[0].to_csv("blobs.csv", index=False)
    called = CliRunner().invoke(app, ["cluster", "blobs.csv", "--k", "3", "--members", "9", "--json"])
    found = json.loads(called.output)
    assert found["figures"]["n_clusters"] == 3
    assert found["labels"]["id"][0] == "row 0"
    assert [path.name for path in tmp_path.iterdir()] == ["blobs.csv"]
    called = CliRunner().invoke(app, ["cluster", "blobs.csv", "--k", "3", "--members", "9", "--json", "--out", "out"])
    found = json.loads(called.output)
    assert "labels" not in found
    assert found["files"]["labels.csv"] == "out/labels.csv"
