"""pluribus predict and pluribus methods."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_blobs
from typer.testing import CliRunner

from pluribus import alternative, consensus, constrained, increments, relational, similarity
from pluribus.cli._app import app
from pluribus.cli._errors import in_options
from pluribus.pipeline._methods import direct_names


def run(*arguments):
    return CliRunner().invoke(app, [str(a) for a in arguments])


@pytest.fixture
def model(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X, _ = make_blobs(60, centers=[[0, 0], [9, 0], [0, 9]], random_state=0)
    frame = pd.DataFrame(X, columns=["a", "b"])
    frame.insert(0, "id", [f"r{i}" for i in range(60)])
    frame.to_csv("old.csv", index=False)
    frame[["b", "a", "id"]].assign(a=frame["a"] + 0.2, extra="x").to_csv("new.csv", index=False)
    assert run("cluster", "old.csv", "--k", 3, "--members", 10, "--out", "out", "--quiet").exit_code == 0
    return tmp_path


def test_new_rows_get_the_clusters_of_their_neighbors(model):
    result = run("predict", "out", "new.csv")
    assert result.exit_code == 0, result.output
    found, old = pd.read_csv("new-clusters.csv"), pd.read_csv("out/labels.csv")
    assert found["id"].tolist() == old["id"].tolist()
    np.testing.assert_array_equal(found["cluster"], old["cluster"])
    np.testing.assert_allclose(found.filter(like="membership_").sum(axis=1), 1, atol=1e-5)
    assert "clusters: new-clusters.csv" in result.output


def test_a_name_with_dots_stays_whole(model):
    pd.read_csv("new.csv").to_csv("new.2024.csv", index=False)
    assert run("predict", "out", "new.2024.csv", "--quiet").exit_code == 0
    assert (model / "new.2024-clusters.csv").exists()


def test_what_is_warned_of_is_said_once(model):
    old = pd.read_csv("old.csv")
    old.assign(team=np.where(old["a"] > 4, "red", "blue")).to_csv("teams.csv", index=False)
    assert run("cluster", "teams.csv", "--k", 2, "--members", 9, "--out", "teams", "--quiet").exit_code == 0
    pd.read_csv("teams.csv")[:3].assign(team="green").to_csv("green.csv", index=False)
    assert len(json.loads(run("predict", "teams", "green.csv", "--json").output)["notes"]) == 1


def test_one_row_and_other_places(model):
    pd.read_csv("new.csv")[:1].to_csv("one.csv", index=False)
    assert run("predict", "out/model.pluribus", "one.csv", "--out", "one-out.csv", "--quiet").output == ""
    assert len(pd.read_csv("one-out.csv")) == 1
    found = json.loads(run("predict", "out", "one.csv", "--json").output)
    assert found["clusters"]["id"] == ["r0"]
    assert not (model / "one-clusters.csv").exists()


def test_no_file_is_written_over(model):
    (model / "new-clusters.csv").write_text("mine")
    result = run("predict", "out", "new.csv")
    assert result.exit_code == 2
    assert "not written over" in result.output
    assert (model / "new-clusters.csv").read_text() == "mine"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere", "new.csv"], "does not exist"),
        (["old.csv", "new.csv"], "is not a readable result"),
        (["out", "nothing.csv"], "does not exist"),
        (["out", "out/labels.csv"], "no column 'a', 'b'"),
    ],
)
def test_refused(model, arguments, message):
    result = run("predict", *arguments)
    assert result.exit_code == 2
    assert message in " ".join(result.output.split())


def test_methods_are_all_listed():
    text = run("methods").output
    listed = json.loads(run("methods", "--json").output)
    rooms = (consensus, constrained, increments, relational, alternative, similarity)
    names = [name for room in rooms for name in room.names()]
    assert [method["name"] for method in listed] == names
    assert all(name in text for name in names)
    assert {method["name"] for method in listed if method["calls"] == "cluster"} == set(direct_names())
    assert all(method["suits"] for method in listed)
    assert all(method["cost"] for method in listed if method["kind"] == "consensus functions")


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("k=3, but …", "--k 3, but …"),
        ("give k.", "give --k."),
        ("lower min_size", "lower --min-size"),
        ("use method='eac' or method=…", "use --method eac or --method …"),
        ("impute=True fills", "--impute fills"),
        ("id_column='x'", "--id x"),
        ("a key=3 and members_k", "a key=3 and members_k"),
        ("n_clusters=5 is more", "--k 5 is more"),
    ],
)
def test_errors_speak_of_options(message, expected):
    parameters = ["k", "min_size", "method", "impute", "id_column", "members"]
    assert in_options(message, parameters) == expected
