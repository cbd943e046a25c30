"""``--memory-limit``: what a job takes is said, and refused if it cannot fit."""

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from pluribus.cli._app import app

RUN = CliRunner()


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(0, 1, (60, 2)), rng.normal(9, 1, (60, 2))])
    path = tmp_path / "table.csv"
    pd.DataFrame(X, columns=["a", "b"]).to_csv(path, index=False)
    return path


@pytest.fixture
def labels(tmp_path):
    path = tmp_path / "labels.csv"
    pd.DataFrame({"one": [0, 0, 1, 1], "other": [0, 0, 1, 2]}).to_csv(path, index=False)
    return path


def test_the_plan_is_said_if_a_limit_is_given(table, labels, tmp_path):
    for command, file in (("cluster", table), ("combine", labels)):
        out = tmp_path / command
        more = ["--members", "10"] if command == "cluster" else []
        done = RUN.invoke(app, [command, str(file), "--memory-limit", "1GB", "--out", str(out), *more])
        assert done.exit_code == 0, done.output
        assert "of at most 1.0 GB" in done.output
        assert any("of at most 1.0 GB" in note for note in json.loads((out / "model.json").read_text())["notes"])


def test_small_jobs_need_no_plan(labels, tmp_path):
    done = RUN.invoke(app, ["combine", str(labels), "--out", str(tmp_path / "out")])
    assert done.exit_code == 0
    assert "of at most" not in done.output


def test_what_cannot_fit_is_refused_before_work(table, tmp_path):
    out = tmp_path / "out"
    done = RUN.invoke(app, ["cluster", str(table), "--memory-limit", "10MB", "--out", str(out)])
    assert done.exit_code != 0
    assert "more than the 10.0 MB allowed" in " ".join(done.output.split())
    assert not out.exists()


def test_limits_that_are_none(table):
    done = RUN.invoke(app, ["cluster", str(table), "--memory-limit", "lots"])
    assert done.exit_code != 0
    assert "memory limit 'lots'" in " ".join(done.output.split())
