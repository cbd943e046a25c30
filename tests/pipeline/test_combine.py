"""pluribus.combine: labels in any form -> a Clustering."""

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import pluribus
from helpers import planted
from pluribus import Constraints, Ensemble
from pluribus.cli._app import app

TRUTH, LABELS = planted(60, 9, 3, 0.1)


def quiet(labels, *args, **options):
    return pluribus.combine(labels, *args, **{"verbose": False, **options})


def test_forms_of_labels(tmp_path):
    frame = pd.DataFrame(LABELS).add_prefix("p")
    frame.to_csv(tmp_path / "all.csv", index=False)
    frame[["p0", "p1", "p2", "p3"]].to_csv(tmp_path / "some.csv", index=False)
    frame[["p4", "p5", "p6", "p7", "p8"]].to_csv(tmp_path / "rest.csv", index=False)
    expected = quiet(LABELS, 3).labels
    for form in (
        frame,
        list(LABELS.T),
        Ensemble(LABELS),
        tmp_path / "all.csv",
        str(tmp_path / "all.csv"),
        [tmp_path / "some.csv", tmp_path / "rest.csv"],
    ):
        np.testing.assert_array_equal(quiet(form, 3).labels, expected)


def test_python_the_command_line_and_a_loaded_result_agree(tmp_path):
    frame = pd.DataFrame(LABELS, index=[f"o{i}" for i in range(60)]).add_prefix("p")
    frame.to_csv(tmp_path / "labels.csv", index_label="id")
    for method in ("eac", "scec", "voting", "all"):
        result = quiet(frame, 3, method=method, seed=2)
        out = tmp_path / method
        arguments = ["combine", str(tmp_path / "labels.csv"), "--k", "3", "--method", method, "--seed", "2", "--quiet"]
        called = CliRunner().invoke(app, [*arguments, "--out", str(out)])
        assert called.exit_code == 0, called.output
        np.testing.assert_array_equal(pd.read_csv(out / "labels.csv")["cluster"], result.labels)
        loaded = pluribus.load(out)
        np.testing.assert_array_equal(loaded.labels, result.labels)
        assert loaded.ids[0] == "o0"
        if method == "all":
            pd.testing.assert_frame_equal(
                loaded.methods.to_frame().drop(columns="seconds"), result.methods.to_frame().drop(columns="seconds")
            )
            np.testing.assert_array_equal(loaded.methods.partitions.labels, result.methods.partitions.labels)


@pytest.mark.parametrize("ending", ["parquet", "npz"])
def test_stored_weights_count(tmp_path, ending):
    """Three copies of one opinion outvote two of another, unless their weights say otherwise."""
    one, other = np.repeat([0, 1], [3, 5]), np.repeat([0, 1], [5, 3])
    ensemble = Ensemble([one, one, one, other, other], weights=[1, 1, 1, 9, 9], names=list("abcde"))
    ensemble.write(tmp_path / f"e.{ending}")
    np.testing.assert_array_equal(quiet(tmp_path / f"e.{ending}", 2).labels, other)
    np.testing.assert_array_equal(quiet(tmp_path / f"e.{ending}", 2, ignore=["d", "e"]).ensemble.weights, [1, 1, 1])
    np.testing.assert_array_equal(quiet([one, one, one, other, other], 2).labels, 1 - one)
    with pytest.raises(ValueError, match="ignore names z"):
        quiet(tmp_path / f"e.{ending}", 2, ignore=["z"])


def test_stored_memberships_count(tmp_path):
    soft = [np.array([[0.9, 0.1], [0.8, 0.2], [0.1, 0.9], [0.4, 0.6]])] * 2
    Ensemble.from_memberships(soft).write(tmp_path / "soft.npz")
    result = quiet(tmp_path / "soft.npz", 2, method="hbgf")
    assert result.ensemble.memberships is not None
    assert result.labels.tolist() == [0, 0, 1, 1]


def test_the_number_of_clusters_is_found_and_explained():
    result = quiet(LABELS)
    assert result.n_clusters == 3
    assert result.k_choice.n_clusters == 3
    assert result.reasons[0] == result.k_choice.sentence
    apart = Constraints(60, cannot_link=[(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)])
    forced = quiet(LABELS, constraints=apart)
    assert forced.n_clusters == 4
    assert "the constraints require at least 4; using 4" in " ".join(forced.notes)
    assert forced.parameters["method"] == "ceac"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "magic"}, "method='magic' is unknown"),
        ({"method": "cop-kmeans"}, "unknown"),
        ({"method": "liftkm"}, "needs the data"),
        ({"method": "ppc", "constraints": Constraints(60, must_link=[(0, 1)])}, "takes no constraints"),
        ({"method": "all", "balance": True}, "choose one method"),
        ({"balance": True, "constraints": Constraints(60, must_link=[(0, 1)])}, "cannot keep both"),
        ({"missing": "guess"}, "missing='guess'"),
        ({"k": 61}, "k=61"),
        ({"ignore": "p"}, ""),
    ],
)
def test_refused(options, message):
    if "ignore" in options:
        frame = pd.DataFrame(LABELS).add_prefix("p")
        with pytest.raises(ValueError, match="no column 'p'"):
            quiet(frame, **options)
        return
    with pytest.raises(ValueError, match=message):
        quiet(LABELS, **options)


def test_pairs_that_no_clustering_covers():
    labels = [[0, 0, 1, 1, -1, -1], [-1, -1, -1, -1, 0, 1]]
    with pytest.raises(ValueError, match="missing='zero'"):
        quiet(labels, 2)
    assert quiet(labels, 4, missing="zero").n_clusters == 4


def test_partitions_are_left_out_by_name():
    named = Ensemble(LABELS, names=[f"tool {i}" for i in range(9)])
    assert len(quiet(named, 3, ignore="tool 4").ensemble) == 8
    with pytest.raises(ValueError, match="ignore names tool 9"):
        quiet(named, 3, ignore=["tool 9"])
    with pytest.raises(ValueError, match="id_column='who', but the labels have no columns"):
        quiet(LABELS, 3, id_column="who")


def test_sizes():
    result = quiet(LABELS, 3, balance=True)
    assert result.clusters["size"].tolist() == [20, 20, 20]
    assert any("so that each cluster has 20 to 20 objects" in reason for reason in result.reasons)


def test_there_is_nothing_to_predict_with():
    with pytest.raises(ValueError, match="combined from labels alone"):
        quiet(LABELS, 3).predict([[1, 2]])


def test_json(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pd.DataFrame(LABELS).add_prefix("p").to_csv("labels.csv", index=False)
    found = json.loads(CliRunner().invoke(app, ["combine", "labels.csv", "--k", "3", "--json"]).output)
    assert found["figures"]["n_clusters"] == 3
    assert len(found["labels"]["cluster"]) == 60
    assert [path.name for path in tmp_path.iterdir()] == ["labels.csv"]


def test_one_object_is_one_cluster():
    assert pluribus.combine([["a"], ["b"]], verbose=False).labels.tolist() == [0]


def test_a_clustering_that_is_taken_as_it_is_keeps_what_compares_numbers_of_clusters():
    rng, y = np.random.default_rng(12), np.repeat([0, 1], 30)
    labels = np.stack(
        [np.where(rng.random(60) < (0.05 if i < 3 else 0.6), rng.integers(0, 2, 60), y) for i in range(5)], 1
    )
    labels[rng.random(labels.shape) < 0.2] = -1
    result = pluribus.combine(labels, missing="zero", verbose=False)
    assert result.method == "MedoidPartition"
    assert result.linkage is None
    by_average = pluribus.combine(labels, missing="zero", method="eac", verbose=False)
    np.testing.assert_array_equal(result.k_support, by_average.k_support)
    assert result.plot.k() is not None
    assert pluribus.combine(labels, 2, missing="zero", verbose=False).plot.k() is not None
