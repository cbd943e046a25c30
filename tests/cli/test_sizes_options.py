"""--min-size, --max-size and --balance."""

import json
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_blobs
from typer.testing import CliRunner

from pluribus.cli._app import app
from pluribus.pipeline._sizes import Sizes


def run(*arguments):
    return CliRunner().invoke(app, [str(a) for a in arguments])


@pytest.fixture
def data(tmp_path):
    X, _ = make_blobs([60, 20, 10], 3, centers=[[0, 0, 0], [3, 3, 0], [0, 0, 4]], random_state=0)
    path = tmp_path / "blobs.csv"
    frame = pd.DataFrame(X, columns=list("abc"))
    frame.insert(0, "id", [f"row {i}" for i in range(90)])
    frame.to_csv(path, index=False)
    return path


def sizes_of(out):
    return np.bincount(pd.read_csv(out / "labels.csv")["cluster"]).tolist()


@pytest.mark.parametrize(
    ("options", "least", "most"),
    [(["--min-size", "25"], 25, 90), (["--max-size", "40%"], 0, 36), (["--balance"], 30, 30)],
)
@pytest.mark.parametrize("direct", [False, True])
def test_cluster(data, tmp_path, options, least, most, direct):
    out = tmp_path / "out"
    how = ["--method", "size-constrained"] if direct else ["--members", 15]
    result = run("cluster", data, "--k", 3, "--out", out, *how, *options)
    assert result.exit_code == 0, result.output
    assert min(sizes_of(out)) >= least
    assert max(sizes_of(out)) <= most
    assert options[0].strip("-").replace("-", "_") in json.loads((out / "model.json").read_text())["parameters"]
    assert direct or "objects were moved to another cluster" in " ".join(result.output.split())


def test_a_balanced_method(data, tmp_path):
    out = tmp_path / "out"
    result = run("cluster", data, "--k", 3, "--out", out, "--method", "balanced", "--min-size", "30%")
    assert result.exit_code == 0, result.output
    assert min(sizes_of(out)) >= 27


def test_combine(tmp_path):
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], [50, 20, 10])
    noisy = [np.where(rng.random(80) < 0.2, rng.integers(0, 3, 80), truth) for _ in range(10)]
    pd.DataFrame(np.column_stack(noisy)).add_prefix("run").to_csv(tmp_path / "runs.csv", index=False)
    out = tmp_path / "out"
    result = run("combine", tmp_path / "runs.csv", "--k", 3, "--out", out, "--min-size", 0.25)
    assert result.exit_code == 0, result.output
    assert min(sizes_of(out)) >= 20
    result = run("combine", tmp_path / "runs.csv", "--k", 3, "--out", out, "--method", "all", "--balance")
    assert "choose one method" in " ".join(result.output.split())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--min-size", 40], "--min-size asks for 120 objects in 3 clusters, but there are 90: at most 30"),
        (["--max-size", "20%"], "--max-size leaves room for 54 objects"),
        (["--min-size", "many"], "--min-size many: give a number of objects, such as 50, or a share"),
        (["--min-size", "1.5"], "--min-size 1.5"),
        (["--min-size=-3"], "--min-size -3"),
        (["--balance", "--min-size", 3], "balance makes sizes equal"),
        (["--balance", "--method", "cop-kmeans"], "takes no sizes: use --method size-constr"),
        (["--max-size", 40, "--method", "balanced"], "balanced takes --min-size only: for other sizes use"),
    ],
)
def test_refused_before_any_work(data, tmp_path, options, message):
    result = run("cluster", data, "--k", 3, "--out", tmp_path / "out", *options)
    assert result.exit_code == 2
    assert message in " ".join(result.output.split())
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--min-size", 91], "--min-size asks for 91 objects in 1 clusters, but there are 90"),
        (["--min-size", 50, "--max-size", 80], "90 objects cannot be divided into clusters of 50 to 80 objects"),
        (["--max-size", 0], "--max-size leaves room for 0 objects"),
    ],
)
def test_refused_for_any_number_of_clusters(data, tmp_path, options, message):
    result = run("cluster", data, "--out", tmp_path / "out", *options)
    assert result.exit_code == 2
    assert message in " ".join(result.output.split())
    assert not (tmp_path / "out").exists()


def test_the_number_of_clusters_that_was_found_does_not_go_with_the_sizes():
    fitted = SimpleNamespace(labels_=np.repeat([0, 1, 2], 30), n_clusters_=3)
    with pytest.raises(ValueError, match=r"asks for 105 objects in 3 .* These sizes need 1 to 2 clusters: give k"):
        Sizes(35).keep(fitted)
    with pytest.raises(ValueError, match="These sizes need 4 to 90 clusters"):
        Sizes(most=29).keep(fitted)


def test_sizes_and_what_is_known(data, tmp_path):
    pairs = tmp_path / "together.csv"
    pairs.write_text("a,b\nrow 0,row 61\n")
    out = tmp_path / "out"
    result = run("cluster", data, "--k", 3, "--out", out, "--balance", "--must-link", pairs)
    assert "--method size-constrained" in " ".join(result.output.split())
    how = "--method", "size-constrained"
    result = run("cluster", data, "--k", 3, "--out", out, "--balance", "--must-link", pairs, *how)
    assert result.exit_code == 0, result.output
    labels = pd.read_csv(out / "labels.csv").set_index("id")["cluster"]
    assert labels["row 0"] == labels["row 61"]
    assert sizes_of(out) == [30, 30, 30]
