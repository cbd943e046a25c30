"""``pluribus cluster`` without options: members and consensus that are said; and --noise."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_blobs
from typer.testing import CliRunner

from pluribus.cli._app import app


def run(*arguments):
    return CliRunner().invoke(app, ["cluster", *map(str, arguments)])


@pytest.fixture
def data(tmp_path):
    X, _ = make_blobs(150, centers=[[0, 0], [12, 0], [0, 12]], random_state=0)
    X = np.vstack([X, np.random.default_rng(0).uniform(-6, 18, size=(15, 2))])
    path = tmp_path / "blobs.csv"
    pd.DataFrame(X, columns=["a", "b"], index=[f"r{i}" for i in range(165)]).to_csv(path, index_label="id")
    return path


def model_of(out):
    return json.loads((out / "model.json").read_text())


@pytest.mark.parametrize(
    ("options", "consensus", "members", "method"),
    [
        ([], "lwsm", 80, "LocallyWeightedConsensus"),
        (["--k", 101], "eac", 100, "EvidenceAccumulation"),
        (["--members", 6], "lwsm", 6, "LocallyWeightedConsensus"),
        (["--method", "LWEA", "--k", 3], "lwea", 80, "LocallyWeightedConsensus"),
    ],
)
def test_what_was_chosen_is_said(data, tmp_path, options, consensus, members, method):
    out = tmp_path / "out"
    result = run(data, "--out", out, *options)
    assert result.exit_code == 0, result.output
    model = model_of(out)
    assert (model["parameters"]["method"], model["parameters"]["members"]) == (consensus, members)
    assert (model["figures"]["n_partitions"], model["method"]) == (members, method)
    if "--members" not in options and "--method" not in options:
        (said,) = (note for note in model["notes"] if note.startswith(f"{members} members by "))
        assert said in (out / "report.html").read_text()


@pytest.mark.parametrize(
    ("text", "consensus", "members"), [("id,label\n", "lwsm", 200), ("id,label\nr0,x\nr1,x\n", "ceac", 100)]
)
def test_what_is_known_decides_too(data, tmp_path, text, consensus, members):
    (tmp_path / "known.csv").write_text(text)
    result = run(data, "--k", 3, "--known-labels", tmp_path / "known.csv", "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    model = model_of(tmp_path / "out")
    assert (model["parameters"]["method"], model["parameters"]["members"]) == (consensus, members)
    assert model["figures"]["n_partitions"] == members


@pytest.mark.parametrize(("options", "share"), [([], 0.95), (["--k", 3, "--method", "eac", "--members", 20], 0.9)])
def test_noise(data, tmp_path, options, share):
    out = tmp_path / "out"
    result = run(data, "--noise", "--out", out, *options)
    assert result.exit_code == 0, result.output
    labels, model = pd.read_csv(out / "labels.csv"), model_of(out)
    n_left = int((labels["cluster"] == -1).sum())
    assert n_left > 5
    assert (labels["cluster"][:150] >= 0).mean() > share
    said = f"{n_left} of 165 objects are left unclustered (-1): their evidence is weak."
    assert said in " ".join(result.output.split())
    assert said in model["notes"]
    assert f"{n_left} of 165 objects are left unclustered" in (out / "report.html").read_text()
    assert model["parameters"]["noise"] is True
    assert sum(model["figures"]["cluster_sizes"]) == 165 - n_left
    assert labels["membership"].isna().sum() == n_left
    assert labels.filter(like="membership_").notna().all(axis=None)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--balance"], "--noise leaves objects out of clusters whose sizes are bounded"),
        (["--min-size", 5], "--noise leaves objects out of clusters whose sizes are bounded"),
        (["--method", "size-constrained", "--min-size", 5], "no use for --noise"),
    ],
)
def test_noise_is_refused(data, tmp_path, options, message):
    result = run(data, "--noise", "--k", 3, "--out", tmp_path / "out", *options)
    assert result.exit_code == 2
    assert message in " ".join(result.output.split())
    assert not (tmp_path / "out").exists()
