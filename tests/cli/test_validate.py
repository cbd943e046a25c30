import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from pluribus.cli._app import app
from pluribus.cli._validate import _short
from pluribus.validate import silhouette_index

SCRIPT = "<script>window.hacked=1</script>"


def run(*arguments):
    return CliRunner().invoke(app, [str(a) for a in arguments])


@pytest.fixture
def truth():
    return np.repeat([0, 1, 2], [20, 15, 10])


@pytest.fixture
def files(tmp_path, truth):
    """Data of three groups; the groups, two of them united, and groups at random; an ensemble like the groups."""
    rng = np.random.default_rng(0)
    n = len(truth)
    ids = [f"o{i}" for i in range(n)]
    data = pd.DataFrame(rng.normal(size=(n, 3)) + 6 * np.eye(3)[truth], columns=["x", "y", "z"])
    data.insert(0, "id", ids)
    data.sample(frac=1, random_state=0).to_csv(tmp_path / "data.csv", index=False)
    labels = {"id": ids, "random": rng.integers(0, 3, n), "truth": truth, "united": np.minimum(truth, 1)}
    pd.DataFrame(labels).to_csv(tmp_path / "labels.csv", index=False)
    members = {f"m{r}": np.where(rng.random(n) < 0.1, rng.integers(0, 3, n), truth) for r in range(9)}
    pd.DataFrame({"id": ids} | members).to_csv(tmp_path / "ensemble.csv", index=False)
    return tmp_path


def test_the_ranking_the_reason_and_the_files(files, truth):
    out = files / "out"
    result = run("validate", files / "labels.csv", "--data", files / "data.csv", "--out", out)
    assert result.exit_code == 0, result.output
    text = " ".join(result.output.split())
    assert "truth: all 3 criteria find it best." in text
    assert "cannot compare different numbers of clusters" in text
    assert sorted(p.name for p in out.iterdir()) == [".pluribus", "indices.csv", "validate.csv", "validate.html"]
    ranked = pd.read_csv(out / "validate.csv")
    assert ranked["candidate"].tolist() == ["truth", "united", "random"]
    assert ranked["votes"].tolist() == [3, 0, 0]
    data = pd.read_csv(files / "data.csv", index_col="id").loc[[f"o{i}" for i in range(45)]]
    X = ((data - data.mean()) / data.std(ddof=0)).to_numpy()
    assert ranked["silhouette"][0] == pytest.approx(silhouette_index(truth, X))
    details = pd.read_csv(out / "indices.csv")
    assert {"candidate", "criterion", "value", "low", "high", "level", "votes", "fair_across_k"} <= set(details)
    assert not any(details["level"] != "data")
    page = (out / "validate.html").read_text()
    assert "Not fair between different numbers of clusters" in page
    assert page.count("data-figure=") == len(set(details["criterion"])) + 3


def test_all_levels_and_json(files, monkeypatch):
    monkeypatch.chdir(files)
    result = run("validate", "labels.csv", "--data", "data.csv", "--ensemble", "ensemble.csv", "--json")
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert told["preferred"] == told["candidates"][0]["candidate"] == "truth"
    assert {index["level"] for index in told["indices"].values()} == {"data", "similarity", "ensemble"}
    unfair = [name for name, index in told["indices"].items() if not index["fair_across_k"]]
    assert "consistency" in unfair
    assert not any(told["indices"][name]["votes"] for name in unfair)
    assert len(list(files.iterdir())) == 3


def test_an_ensemble_alone_and_candidates_with_one_number_of_clusters(files):
    columns = [f"{files}/labels.csv:{name}" for name in ("random", "truth")]
    result = run("validate", *columns, "--ensemble", files / "ensemble.csv", "--out", files / "out")
    assert result.exit_code == 0, result.output
    assert "truth: all 2 criteria find it best" in " ".join(result.output.split())
    page = (files / "out" / "validate.html").read_text()
    assert "by the evidence of the ensemble" in page
    assert "Not fair" not in page


def test_candidates_from_several_files(files, truth):
    pd.DataFrame({"id": [f"o{i}" for i in range(45)], "cluster": truth, "uncertainty": 0.1, "membership": 0.9}).to_csv(
        files / "ours.csv", index=False
    )
    result = run("validate", files / "labels.csv", files / "ours.csv", "--data", files / "data.csv", "--json")
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert {row["candidate"] for row in told["candidates"]} == {
        "labels:random", "labels:truth", "labels:united", "ours",
    }  # fmt: skip
    twice = run("validate", files / "labels.csv", f"{files}/labels.csv:truth", "--data", files / "data.csv")
    assert twice.exit_code == 2
    assert "'truth' is given more than once" in twice.output


def test_our_own_results(files):
    assert run("cluster", files / "data.csv", "--members", 8, "--quiet", "--out", files / "out").exit_code == 0
    sources = ("--data", files / "data.csv", "--ensemble", files / "out" / "ensemble.parquet")
    result = run("validate", files / "out" / "labels.csv", files / "labels.csv", *sources, "--json")
    assert result.exit_code == 0, result.output
    assert len(json.loads(result.stdout)["candidates"]) == 4


def test_candidates_that_cannot_be_judged_are_left_out_with_a_word(files):
    labels = pd.read_csv(files / "labels.csv")
    labels["same"], labels["name"] = "one", [f"n{i}" for i in range(45)]
    labels.loc[:3, "united"] = -1
    labels.to_csv(files / "labels.csv", index=False)
    result = run("validate", files / "labels.csv", "--data", files / "data.csv", "--json")
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert [row["candidate"] for row in told["candidates"]] == ["truth", "united", "random"]
    notes = " ".join(told["notes"])
    assert "same is left out: every object has the label 'one', and one cluster that holds all divides nothing" in notes
    assert "name is left out: it has a different label for every object" in notes
    assert "united has no label for 4 of 45 objects" in notes
    alone = run("validate", f"{files}/labels.csv:same", "--data", files / "data.csv", "--out", files / "out")
    assert alone.exit_code == 2
    assert "no partition to judge" in alone.output
    assert not (files / "out").exists()


def test_what_is_refused(files):
    nothing = run("validate", files / "labels.csv")
    assert nothing.exit_code == 2
    assert "--data" in nothing.output
    unknown = run("validate", f"{files}/labels.csv:nope", "--data", files / "data.csv")
    assert unknown.exit_code == 2
    assert "has no column 'nope'" in " ".join(unknown.output.split())
    data = pd.read_csv(files / "data.csv")
    data.assign(id=[f"x{i}" for i in range(45)]).to_csv(files / "other.csv", index=False)
    strangers = run("validate", files / "labels.csv", "--data", files / "other.csv", "--out", files / "out")
    assert strangers.exit_code == 2
    assert "No id is in all files" in " ".join(strangers.output.split())
    data.loc[0, "x"] = np.nan
    data.to_csv(files / "data.csv", index=False)
    holes = run("validate", files / "labels.csv", "--data", files / "data.csv", "--out", files / "out")
    assert holes.exit_code == 2
    assert "--impute" in holes.output
    assert not (files / "out").exists()


def test_hostile_names_stay_text(files):
    labels = pd.read_csv(files / "labels.csv")
    labels["truth"] = labels["truth"].astype(str) + SCRIPT
    labels = labels.rename(columns={"truth": f"truth[red]{SCRIPT}"})
    path = files / "x<b>y.csv"
    labels.to_csv(path, index=False)
    result = run("validate", path, "--data", files / "data.csv", "--out", files / "out")
    assert result.exit_code == 0, result.output
    assert "truth[red]" in result.output
    page = (files / "out" / "validate.html").read_text()
    assert SCRIPT not in page
    assert "x&lt;b&gt;y.csv" in page
    assert "x<b>y" not in page


def test_a_value_that_is_not_there_is_a_dash():
    assert [_short(value) for value in (float("nan"), 1.23456, -1e-7)] == ["–", "1.235", "-1e-07"]
