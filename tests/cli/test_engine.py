"""``pluribus cluster --engine dask``, on a real cluster of two worker processes."""

import pandas as pd
import pytest
from sklearn.datasets import make_blobs
from typer.testing import CliRunner

from pluribus._engine import dask_connection
from pluribus.cli._app import app
from pluribus.pipeline import _data


def run(*arguments):
    return CliRunner().invoke(app, ["cluster", *map(str, arguments), "--members", "4", "--quiet"])


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    X, _ = make_blobs(11_000, centers=[[0, 0], [9, 0], [0, 9]], random_state=0)
    path = tmp_path_factory.mktemp("table") / "table.parquet"
    pd.DataFrame(X, columns=["a", "b"]).to_parquet(path, row_group_size=3000)
    return path


@pytest.mark.parametrize(("k", "in_parts"), [("3", False), ("auto", True)])
def test_labels_are_those_of_this_machine(dask_client, data, tmp_path, monkeypatch, k, in_parts):
    monkeypatch.setattr(_data, "SHARE", 0 if in_parts else 1)
    address = dask_client.scheduler.address.removeprefix("tcp://")
    for out, engine in (("here", []), ("there", ["--engine", "dask", "--scheduler", address])):
        result = run(data, "--k", k, "--out", tmp_path / out, *engine)
        assert result.exit_code == 0, result.output
    here, there = ((tmp_path / out / "labels.csv").read_text() for out in ("here", "there"))
    assert here == there


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--scheduler", "tcp://127.0.0.1:1"], "add --engine dask"),
        (["--engine", "dask"], "give --scheduler ADDRESS"),
        (["--engine", "dask", "--scheduler", "tcp://127.0.0.1:1"], "no Dask scheduler answers there"),
        (["--engine", "dask", "--scheduler", "word"], "no Dask scheduler answers there"),
        (["--engine", "spark"], "Invalid value"),
        (["--engine", "dask", "--method", "cop-kmeans", "--k", "3"], "give --scheduler ADDRESS"),
    ],
)
def test_refused(data, tmp_path, monkeypatch, options, message):
    monkeypatch.setattr(dask_connection, "TIMEOUT", 0.5)
    result = run(data, "--out", tmp_path / "out", *options)
    assert result.exit_code == 2
    assert message in " ".join(result.output.split())
    assert not (tmp_path / "out").exists()


def test_dask_is_not_installed(data, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    result = run(data, "--engine", "dask", "--scheduler", "tcp://127.0.0.1:1")
    assert result.exit_code == 2
    assert "pip install pluribus[dask]" in result.output
