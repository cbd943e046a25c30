import json
import re

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from pluribus.cli._app import app
from pluribus.consensus import compare_methods, names
from pluribus.consensus._shared.cost import Cost

PARTS = compare_methods.__globals__  # what it is made of
QUICK = ["eac", "hbgf", "mcla", "qmi", "scec", "voting"]


def run(*arguments):
    return CliRunner().invoke(app, [str(a) for a in arguments])


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setitem(PARTS, "names", lambda: QUICK)


@pytest.fixture
def labels(tmp_path):
    rng = np.random.default_rng(0)
    truth = np.repeat(["<b>low</b>", "middle", "high"], [12, 10, 8])
    frame = pd.DataFrame({"id": [f"o{i}" for i in range(30)]})
    for tool in range(7):
        frame[f"tool {tool}"] = np.where(rng.random(30) < 0.15, rng.permutation(truth), truth)
    frame.loc[3, "tool 2"] = None
    path = tmp_path / "labels.csv"
    frame.to_csv(path, index=False)
    return path


def test_every_method_a_table_and_the_files(labels, tmp_path):
    out = tmp_path / "out"
    result = run("combine", labels, "--method", "all", "--k", 3, "--out", out)
    assert result.exit_code == 0, result.output
    table = pd.read_csv(out / "methods.csv")
    assert sorted(table["method"]) == names()
    for name in names():
        assert name in result.output
    assert "Preferred: " in result.output
    assert "does not show which partition is true" in " ".join(result.output.split())
    ran = table[table["problem"].isna()]
    all_labels = pd.read_csv(out / "consensus.csv")
    assert list(all_labels.columns) == ["id", *ran["method"]]
    preferred = table.loc[table["standing"] == "preferred", "method"].item()
    chosen = pd.read_csv(out / "labels.csv")
    assert (chosen["cluster"] == all_labels[preferred]).all()
    assert json.loads((out / "model.json").read_text())["parameters"]["method"] == "all"
    page = (out / "report.html").read_text()
    assert 'id="methods"' in page
    assert "<b>low</b>" not in page
    assert "\\u003cb\\u003elow" in page


def test_its_partitions_are_those_of_each_method_alone(labels, tmp_path, quick):
    assert run("combine", labels, "--method", "ALL", "--seed", 3, "--out", tmp_path / "all").exit_code == 0
    together = pd.read_csv(tmp_path / "all" / "consensus.csv")
    for name in ("eac", "scec", "mcla"):
        assert run("combine", labels, "--method", name, "--seed", 3, "--out", tmp_path / name).exit_code == 0
        assert (pd.read_csv(tmp_path / name / "labels.csv")["cluster"] == together[name]).all()
        assert not (tmp_path / name / "consensus.csv").exists()


def test_a_failing_method_says_why(tmp_path, quick):
    frame = pd.DataFrame({f"m{p}": np.arange(40) // 5 for p in range(3)})
    frame.to_csv(tmp_path / "fine.csv", index=False)
    result = run("combine", tmp_path / "fine.csv", "--method", "all", "--k", 3, "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    assert "voting: Failed: No partition has n_clusters=3" in " ".join(result.output.split())
    problems = pd.read_csv(tmp_path / "out" / "methods.csv").set_index("method")["problem"]
    assert problems["voting"].startswith("Failed: No partition")
    assert "Failed: No partition has n_clusters=3" in (tmp_path / "out" / "report.html").read_text()


def test_a_method_too_long_says_so(labels, tmp_path, quick, monkeypatch):
    monkeypatch.setitem(PARTS, "cost_of", lambda name: Cost(1e12 if name == "qmi" else 0))
    result = run("combine", labels, "--method", "all", "--k", 3, "--out", tmp_path / "out")
    assert re.search(r"qmi: Not run: \d+ distinct objects in 7 partitions", result.output)
    assert run("combine", labels, "--method", "qmi", "--k", 3, "--out", tmp_path / "out").exit_code == 0


@pytest.mark.parametrize(
    "frame",
    [
        {"a": [0, 0, 1], "b": [0, 1, 1]},
        {"only": [0, 0, 1, 1, 2, 2]},
        {f"m{p}": list("xxyyzz") for p in range(5)},
        {"one": [0] * 5, "two": [1] * 5},
    ],
    ids=["three objects", "one member", "all equal", "one cluster"],
)
def test_small_ones(frame, tmp_path, quick):
    pd.DataFrame(frame).to_csv(tmp_path / "l.csv", index=False)
    result = run("combine", tmp_path / "l.csv", "--method", "all", "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    assert (tmp_path / "out" / "report.html").exists()


def test_quiet_prints_nothing(labels, tmp_path, quick):
    result = run("combine", labels, "--method", "all", "--quiet", "--out", tmp_path / "out")
    assert result.exit_code == 0
    assert result.output == ""


def test_files_of_an_earlier_run_are_told_apart(labels, tmp_path, quick):
    out = tmp_path / "out"
    every = run("combine", labels, "--method", "all", "--k", 3, "--out", out)
    assert "of an earlier run" not in every.output
    before = (out / "methods.csv").read_text()
    one = run("combine", labels, "--method", "qmi", "--k", 3, "--out", out)
    assert "consensus.csv and methods.csv in the same directory are results of an earlier run" in " ".join(
        one.output.split()
    )
    assert (out / "methods.csv").read_text() == before
    alone = run("combine", labels, "--method", "qmi", "--k", 3, "--out", tmp_path / "new")
    assert "of an earlier run" not in alone.output


def test_an_unknown_method_is_refused_with_all_there_are(labels, tmp_path):
    result = run("combine", labels, "--method", "every", "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert "voting, all, auto." in " ".join(result.output.split())


def test_cluster_knows_no_all(labels, tmp_path):
    result = run("cluster", labels, "--method", "all", "--out", tmp_path / "out")
    assert result.exit_code == 2
