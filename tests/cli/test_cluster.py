import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score
from typer.testing import CliRunner

from pluribus import Ensemble
from pluribus.cli._app import app
from pluribus.consensus.graph_cuts import _solvers
from pluribus.generate._base import BaseGenerator

FILES = {".pluribus", "labels.csv", "ensemble.parquet", "model.json", "model.pluribus", "report.html"}


def run(*arguments):
    return CliRunner().invoke(app, [str(a) for a in arguments])


def table(n=90, seed=0, d=3):
    X, y = make_blobs(n, d, centers=[[0] * d, [9] * d, [0] * (d - 1) + [9]], random_state=seed)
    frame = pd.DataFrame(X, columns=[f"f{j}" for j in range(d)])
    frame.insert(0, "id", [f"row {i}" for i in range(n)])
    return frame, y


@pytest.fixture
def data(tmp_path):
    frame, _ = table()
    path = tmp_path / "blobs.csv"
    frame.to_csv(path, index=False, sep=";")
    return path


def test_the_whole_path(data, tmp_path):
    out = tmp_path / "out"
    result = run("cluster", data, "--members", 20, "--out", out)
    assert result.exit_code == 0, result.output
    assert {p.name for p in out.iterdir()} == FILES
    labels = pd.read_csv(out / "labels.csv")
    assert list(labels.columns[:4]) == ["id", "cluster", "uncertainty", "membership"]
    assert labels["id"].tolist() == [f"row {i}" for i in range(90)]
    assert adjusted_rand_score(table()[1], labels["cluster"]) == 1
    assert labels.filter(like="membership_").sum(axis=1).to_numpy() == pytest.approx(np.ones(90), abs=1e-5)
    ensemble = Ensemble.read(out / "ensemble.parquet")
    assert (ensemble.n_objects, ensemble.n_partitions) == (90, 20)
    assert ensemble.ids[0] == "row 0"
    model = json.loads((out / "model.json").read_text())
    assert model["figures"]["n_clusters"] == 3
    assert model["seed"] == 0
    assert "numpy" in model["versions"]
    assert "report" in result.output
    assert "3 clusters of 90 objects" in result.output
    assert "named by the column 'id'" in result.output


def test_same_seed_same_labels_whatever_the_jobs(data, tmp_path):
    texts = []
    for name, jobs, seed in (("a", 1, 3), ("b", 2, 3), ("c", 2, 3), ("d", 2, 4)):
        result = run("cluster", data, "--members", 12, "--jobs", jobs, "--seed", seed, "--out", tmp_path / name)
        assert result.exit_code == 0
        texts.append((tmp_path / name / "labels.csv").read_text())
    assert texts[0] == texts[1] == texts[2]
    a, d = (Ensemble.read(tmp_path / name / "ensemble.parquet") for name in "ad")
    assert not np.array_equal(a.labels, d.labels)


def test_options(data, tmp_path):
    out = tmp_path / "out"
    result = run(
        "cluster", data, "--k", 2, "--method", "ppc", "--members", 10, "--ignore", "f0, f1", "--scale", "robust",
        "--id", "id", "--out", out, "--quiet",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    assert result.output == ""
    model = json.loads((out / "model.json").read_text())
    assert model["figures"]["n_clusters"] == 2
    assert model["method"] == "PairwiseProbabilistic"


def test_mixed_columns_are_explained(tmp_path):
    frame, _ = table()
    frame["color"] = np.where(np.arange(90) % 2 == 0, "red", "blue")
    frame["same"] = 1
    frame.to_parquet(tmp_path / "mixed.parquet")
    result = run("cluster", tmp_path / "mixed.parquet", "--members", 8, "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    assert "color" in result.output
    assert "constant" in result.output


def test_missing_values(data, tmp_path):
    frame, _ = table()
    frame.loc[[3, 5], "f1"] = np.nan
    frame.to_csv(data, index=False)
    refused = run("cluster", data, "--out", tmp_path / "out")
    assert refused.exit_code == 2
    assert "f1" in refused.output
    assert "2" in refused.output
    assert "--impute" in refused.output
    assert not (tmp_path / "out").exists()
    assert run("cluster", data, "--impute", "--members", 8, "--out", tmp_path / "out").exit_code == 0


def bad(tmp_path, kind):
    frame, _ = table()
    path = tmp_path / "data.csv"
    frame.to_csv(path, index=False)
    match kind:
        case "missing file":
            return ["nowhere.csv"], "does not exist"
        case "empty file":
            path.write_text("")
            return [path], "empty"
        case "one row":
            frame.head(1).to_csv(path, index=False)
            return [path], "one row"
        case "all constant":
            pd.DataFrame({"a": [1] * 9, "b": ["x"] * 9}).to_csv(path, index=False)
            return [path], "constant"
        case "inf":
            frame.loc[0, "f0"] = np.inf
            frame.to_csv(path, index=False)
            return [path], "f0"
        case "strings for numbers":
            frame["f0"] = frame["f0"].astype(object)
            frame.loc[7, "f0"] = "oops"
            frame.to_csv(path, index=False)
            return [path], "oops"
        case "duplicate ids":
            frame.loc[1, "id"] = "row 0"
            frame.to_csv(path, index=False)
            return [path, "--id", "id"], "row 0"
        case "unknown id column":
            return [path, "--id", "name"], "f0"
        case "k above n":
            return [path, "--k", 91], "at most 90"
        case "k zero":
            return [path, "--k", 0], "from 1"
        case "k words":
            return [path, "--k", "many"], "whole number"
        case "no cores":
            return [path, "--jobs", 0], "-1 for all"
        case "unknown consensus":
            return [path, "--method", "magic"], "cspa, eac"
        case "unknown scale":
            return [path, "--scale", "wild"], "robust"
        case "corrupt parquet":
            (tmp_path / "x.parquet").write_bytes(b"PAR1 but no more")
            return [tmp_path / "x.parquet"], "x.parquet"
        case "pickle in npz":
            np.savez(tmp_path / "x.npz", X=np.array([{"a": 1}, {"b": 2}], dtype=object))
            return [tmp_path / "x.npz"], "x.npz"


@pytest.mark.parametrize(
    "kind",
    [
        "missing file", "empty file", "one row", "all constant", "inf", "strings for numbers", "duplicate ids",
        "unknown id column", "k above n", "k zero", "k words", "no cores", "unknown consensus", "unknown scale",
        "corrupt parquet", "pickle in npz",
    ],
)  # fmt: skip
def test_bad_input_exits_2_before_anything_is_written(tmp_path, kind):
    arguments, word = bad(tmp_path, kind)
    out = tmp_path / "out"
    result = run("cluster", *arguments, "--out", out)
    assert result.exit_code == 2
    assert word in result.output.replace("\n", " ")
    assert "Traceback" not in result.output
    assert not out.exists()


def test_output_directory_must_be_one(data, tmp_path):
    (tmp_path / "file").touch()
    result = run("cluster", data, "--out", tmp_path / "file")
    assert result.exit_code == 2
    assert "is a file" in result.output
    below_a_file = run("cluster", data, "--out", tmp_path / "file" / "out")
    assert below_a_file.exit_code == 2
    assert "cannot be written to" in below_a_file.output


def start(data, out, *options, members=300):
    command = [sys.executable, "-m", "pluribus", "cluster", str(data), "--members", str(members), "--out", str(out)]
    return subprocess.Popen(
        [*command, "--jobs", "2", *options], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def wait_for_members(out, process, at_least=5):
    deadline = time.monotonic() + 120
    while len(list(out.glob(".pluribus/work/members/task-*.npz"))) < at_least:
        assert process.poll() is None, process.stdout.read()
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.fixture(scope="module")
def larger(tmp_path_factory):
    frame, _ = table(4000, d=8)
    path = tmp_path_factory.mktemp("data") / "larger.csv"
    frame.to_csv(path, index=False)
    return path


def test_killed_job_resumes_to_the_same_labels(larger, tmp_path):
    whole = start(larger, tmp_path / "whole", members=60)
    assert whole.wait(180) == 0, whole.stdout.read()
    killed = start(larger, tmp_path / "killed", members=60)
    wait_for_members(tmp_path / "killed", killed)
    os.kill(killed.pid, signal.SIGKILL)
    killed.wait(60)
    assert not (tmp_path / "killed" / "labels.csv").exists()
    refused = run("cluster", larger, "--members", 60, "--out", tmp_path / "killed")
    assert refused.exit_code == 2
    assert "--resume" in refused.output
    resumed = start(larger, tmp_path / "killed", "--resume", members=60)
    assert resumed.wait(180) == 0, resumed.stdout.read()
    assert (tmp_path / "killed" / "labels.csv").read_text() == (tmp_path / "whole" / "labels.csv").read_text()
    assert {p.name for p in (tmp_path / "killed").iterdir()} == FILES


def test_ctrl_c_keeps_what_is_done(larger, tmp_path):
    process = start(larger, tmp_path / "out")
    wait_for_members(tmp_path / "out", process)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 130, output
    assert "--resume" in output
    assert "Traceback" not in output
    assert {p.name for p in (tmp_path / "out").iterdir()} == {".pluribus"}
    other_seed = run("cluster", larger, "--members", 300, "--seed", 9, "--out", tmp_path / "out", "--resume")
    assert other_seed.exit_code == 2
    assert "another job" in other_seed.output


def test_demo_and_help(tmp_path):
    result = run("demo", "--out", tmp_path / "demo")
    assert result.exit_code == 0, result.output
    assert "report.html" in result.output
    assert FILES | {"wine.csv"} == {p.name for p in (tmp_path / "demo").iterdir()}
    assert run("demo", "--out", tmp_path / "demo").exit_code == 0
    for command in ("--help", "--version"):
        assert run(command).exit_code == 0
    for command in ("cluster", "combine", "demo"):
        assert run(command, "--help").exit_code == 0


def test_a_method_whose_package_is_missing_is_refused_before_any_work(tmp_path, monkeypatch):
    monkeypatch.setattr(_solvers, "find_spec", lambda name: None)
    monkeypatch.setattr(BaseGenerator, "generate", lambda *_, **__: pytest.fail("members were made"))
    table, labels = tmp_path / "table.csv", tmp_path / "labels.csv"
    np.savetxt(table, np.random.default_rng(0).normal(size=(20, 2)), delimiter=",", header="a,b", comments="")
    np.savetxt(labels, np.arange(40).reshape(20, 2) % 3, delimiter=",", header="a,b", comments="", fmt="%d")
    for command in (["cluster", str(table)], ["combine", str(labels)]):
        done = CliRunner().invoke(app, [*command, "--method", "hgpa", "--k", "2", "--out", str(tmp_path / "out")])
        assert done.exit_code == 2
        assert "pip install 'pluribus[graph]'" in " ".join(done.output.split())
        assert "Traceback" not in done.output
