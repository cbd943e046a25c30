import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from pluribus import Ensemble
from pluribus.cli._app import app


def run(*arguments):
    return CliRunner().invoke(app, [str(a) for a in arguments])


@pytest.fixture
def truth():
    return np.repeat(["low", "middle", "high"], [10, 8, 6])


def noisy(truth, seed, rate=0.1):
    rng = np.random.default_rng(seed)
    return np.where(rng.random(len(truth)) < rate, rng.permutation(truth), truth)


def clusters(out):
    return pd.read_csv(out / "labels.csv", dtype={"id": str})


def test_one_file(tmp_path, truth):
    frame = pd.DataFrame({f"tool {s}": noisy(truth, s) for s in range(7)})
    frame.to_csv(tmp_path / "labels.csv", index=False)
    result = run("combine", tmp_path / "labels.csv", "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    found = clusters(tmp_path / "out")
    assert found["cluster"].tolist() == [0] * 10 + [1] * 8 + [2] * 6
    assert json.loads((tmp_path / "out" / "model.json").read_text())["figures"]["n_partitions"] == 7


@pytest.mark.parametrize("method", ["lwea", "lwgp", "medoid", "correlation"])
def test_methods_by_name(tmp_path, truth, method):
    frame = pd.DataFrame({f"tool {s}": noisy(truth, s, 0 if s == 3 else 0.1) for s in range(7)})
    frame.to_csv(tmp_path / "labels.csv", index=False)
    result = run("combine", tmp_path / "labels.csv", "--method", method, "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    assert clusters(tmp_path / "out")["cluster"].tolist() == [0] * 10 + [1] * 8 + [2] * 6


def test_correlation_finds_its_number_and_takes_another(tmp_path, truth):
    coarse = np.where(truth == "high", "middle", truth)
    frame = pd.DataFrame({"a": truth, "b": truth, "c": truth, "d": coarse, "e": coarse})
    frame.to_csv(tmp_path / "labels.csv", index=False)
    for k, expected in ((None, 3), (2, 2), (4, 4)):
        number = [] if k is None else ["--k", k]
        out = tmp_path / f"out {k}"
        result = run("combine", tmp_path / "labels.csv", "--method", "correlation", *number, "--out", out)
        assert result.exit_code == 0, result.output
        assert clusters(out)["cluster"].nunique() == expected
    assert "fewest disagreements with the members" in (tmp_path / "out None" / "report.html").read_text()


def test_the_medoid_brings_its_own_number_of_clusters(tmp_path, truth):
    # By lifetime there would be two clusters: the last two tools do not tell "middle" and "high" apart.
    coarse = np.where(truth == "high", "middle", truth)
    frame = pd.DataFrame({"a": truth, "b": truth, "c": truth, "d": coarse, "e": coarse})
    frame.to_csv(tmp_path / "labels.csv", index=False)
    result = run("combine", tmp_path / "labels.csv", "--method", "medoid", "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    assert clusters(tmp_path / "out")["cluster"].nunique() == 3
    assert "that of the partition nearest to all others" in (tmp_path / "out" / "report.html").read_text()
    result = run("combine", tmp_path / "labels.csv", "--method", "medoid", "--k", 5, "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert "they have [2, 3]" in " ".join(result.output.split())


def test_several_files_are_joined_by_id(tmp_path, truth):
    ids = np.array([f"o{i}" for i in range(24)])
    for s in range(5):
        order = np.random.default_rng(s).permutation(24)
        if s == 4:
            order = order[:-3]
        pd.DataFrame({"id": ids[order], "group": noisy(truth, s)[order]}).to_csv(tmp_path / f"site{s}.csv", index=False)
    files = [tmp_path / f"site{s}.csv" for s in range(5)]
    result = run("combine", *files, "--k", 3, "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    assert "3 of 24 objects are not in every file" in result.output
    found = clusters(tmp_path / "out").set_index("id").loc[ids, "cluster"]
    assert found.tolist() == [0] * 10 + [1] * 8 + [2] * 6


def test_our_own_results_can_be_combined(tmp_path, truth):
    for s in range(3):
        pd.DataFrame(
            {"id": range(24), "cluster": pd.factorize(noisy(truth, s))[0], "uncertainty": 0.25, "membership": 0.5}
        ).to_csv(tmp_path / f"run{s}.csv", index=False)
    result = run(
        "combine", *[tmp_path / f"run{s}.csv" for s in range(3)], "--method", "ppc", "--k", 3, "--out", tmp_path / "out"
    )
    assert result.exit_code == 0, result.output
    assert clusters(tmp_path / "out")["cluster"].nunique() == 3


def test_different_lengths_without_ids(tmp_path):
    pd.DataFrame({"a": [0, 1, 1]}).to_csv(tmp_path / "a.csv", index=False)
    pd.DataFrame({"b": [0, 1, 1, 0]}).to_csv(tmp_path / "b.csv", index=False)
    result = run("combine", tmp_path / "a.csv", tmp_path / "b.csv", "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert "a.csv: 3" in result.output
    assert "--id" in result.output
    assert not (tmp_path / "out").exists()


def test_ids_in_some_files_only(tmp_path):
    pd.DataFrame({"id": list("abc"), "x": [0, 1, 1]}).to_csv(tmp_path / "a.csv", index=False)
    pd.DataFrame({"who": list("cba"), "x": [1, 1, 0]}).to_csv(tmp_path / "b.csv", index=False)
    result = run("combine", tmp_path / "a.csv", tmp_path / "b.csv", "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert "b.csv has none" in result.output.replace("\n", "")
    assert not (tmp_path / "out").exists()


def test_files_of_one_name_in_two_directories(tmp_path, truth):
    for site in ("north", "south"):
        (tmp_path / site).mkdir()
        pd.DataFrame({"id": range(24), "group": noisy(truth, len(site))}).to_csv(
            tmp_path / site / "labels.csv", index=False
        )
    files = (tmp_path / "north" / "labels.csv", tmp_path / "south" / "labels.csv")
    result = run("combine", *files, "--k", 3, "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    assert Ensemble.read(tmp_path / "out" / "ensemble.parquet").names == ("north/labels", "south/labels")
    twice = run("combine", files[0], files[0], "--out", tmp_path / "out")
    assert twice.exit_code == 2
    assert "more than once" in twice.output


def test_column_of_ids_among_labels_is_noted(tmp_path, truth):
    pd.DataFrame({"who": range(24), "a": truth, "b": truth}).to_csv(tmp_path / "l.csv", index=False)
    result = run("combine", tmp_path / "l.csv", "--out", tmp_path / "out")
    assert "'who' has a different label for every object" in result.output.replace("\n", " ")


def test_row_names_join_as_ids_do(tmp_path):
    pd.DataFrame({"a": [0, 0, 1, 1]}, index=list("xyzw")).to_csv(tmp_path / "a.csv")
    pd.DataFrame({"b": [0, 1, 0, 1]}, index=list("xzyw")).to_csv(tmp_path / "b.csv")
    result = run("combine", tmp_path / "a.csv", tmp_path / "b.csv", "--k", 2, "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    assert (clusters(tmp_path / "out")["uncertainty"] == 0).all()


def test_ids_that_repeat_are_refused(tmp_path):
    pd.DataFrame({"id": list("xxyz"), "a": [0, 0, 1, 1]}).to_csv(tmp_path / "a.csv", index=False)
    result = run("combine", tmp_path / "a.csv", "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert "duplicate ids" in result.output


def test_unanimity_on_one_cluster_stays_one(tmp_path):
    pd.DataFrame({"a": [0] * 6, "b": [1] * 6}).to_csv(tmp_path / "a.csv", index=False)
    assert run("combine", tmp_path / "a.csv", "--out", tmp_path / "out").exit_code == 0
    assert (clusters(tmp_path / "out")["cluster"] == 0).all()


def test_pairs_that_nobody_saw(tmp_path):
    pd.DataFrame({"id": list("abcd"), "x": [0, 0, None, None], "y": [None, None, 1, 1]}).to_csv(
        tmp_path / "l.csv", index=False
    )
    refused = run("combine", tmp_path / "l.csv", "--out", tmp_path / "out")
    assert refused.exit_code == 2
    assert "4 pairs" in refused.output
    assert "--missing zero" in refused.output
    assert not (tmp_path / "out" / "labels.csv").exists()
    allowed = run("combine", tmp_path / "l.csv", "--missing", "zero", "--out", tmp_path / "out")
    assert allowed.exit_code == 0, allowed.output


def test_object_in_no_partition(tmp_path):
    pd.DataFrame({"id": list("abc"), "x": [0, 1, None], "y": [1, 1, None]}).to_csv(tmp_path / "l.csv", index=False)
    result = run("combine", tmp_path / "l.csv", "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert "in no partition" in result.output


@pytest.mark.parametrize(
    ("column", "word"),
    [([0.5, 1.5, 2.5, 3.5], "whole numbers"), ([-2, 0, 1, 1], "-1 means"), ([None] * 4, "no labels")],
)
def test_bad_labels(tmp_path, column, word):
    pd.DataFrame({"good": [0, 0, 1, 1], "bad": column}).to_csv(tmp_path / "l.csv", index=False)
    result = run("combine", tmp_path / "l.csv", "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert word in result.output.replace("\n", " ")


def test_ignored_columns_and_wrong_options(tmp_path, truth):
    pd.DataFrame({"a": truth, "score": np.linspace(0, 1, 24)}).to_csv(tmp_path / "a.csv", index=False)
    pd.DataFrame({"b": truth}).to_csv(tmp_path / "b.csv", index=False)
    files = (tmp_path / "a.csv", tmp_path / "b.csv")
    assert run("combine", *files, "--ignore", "score", "--out", tmp_path / "out").exit_code == 0
    assert run("combine", *files, "--ignore", "score", "--method", "nope", "--out", tmp_path / "out").exit_code == 2
    assert run("combine", *files, "--ignore", "score", "--k", 25, "--out", tmp_path / "out").exit_code == 2
    assert run("combine", *files, "--ignore", "scor", "--out", tmp_path / "out2").exit_code == 2
