import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from pluribus.cli._app import app

HOSTILE = "<img src=x onerror=alert(1)>"


def run(*arguments):
    return CliRunner().invoke(app, ["states", *[str(a) for a in arguments], "--surrogates", "19"])


@pytest.fixture
def signal(tmp_path):
    rng = np.random.default_rng(0)
    level = np.concatenate([np.zeros(30), np.linspace(0, 6, 8), np.full(30, 6.0)])
    frame = pd.DataFrame(level[:, None] + 0.4 * rng.normal(size=(68, 2)), columns=["pulse", "pressure"])
    frame.insert(0, "day", pd.date_range("2026-01-01", periods=68, freq="D"))
    frame.to_csv(tmp_path / "patient.csv", index=False)
    return tmp_path / "patient.csv"


def test_files_and_what_is_said(signal, tmp_path):
    out = tmp_path / "out"
    result = run(signal, "--time", "day", "--out", out)
    assert result.exit_code == 0, result.output
    text = " ".join(result.output.split())
    assert "2 states in 68 rows" in text
    assert "There is evidence of distinct states" in text
    assert sorted(path.name for path in out.iterdir()) == [".pluribus", "states.csv", "states.html"]
    found = pd.read_csv(out / "states.csv")
    assert list(found) == ["interval", "start", "end", "first_row", "last_row", "state", "certainty"]
    assert found["first_row"].iloc[0] == 1
    assert found["last_row"].iloc[-1] == 68
    assert (found["first_row"].to_numpy()[1:] == found["last_row"].to_numpy()[:-1] + 1).all()
    assert found["start"].iloc[0].startswith("2026-01-01")
    assert found["state"].dropna().tolist() == [1, 2]
    assert found["certainty"].dropna().between(0.8, 1).all()
    assert not (out / ".pluribus" / "work").exists() or not any((out / ".pluribus" / "work").iterdir())


def test_json_and_rows_that_are_not_in_order(signal, tmp_path):
    frame = pd.read_csv(signal)
    frame.sample(frac=1, random_state=0).to_parquet(tmp_path / "mixed.parquet")
    result = run(tmp_path / "mixed.parquet", "--time", "day", "--json", "--windows", 5)
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    plain = json.loads(run(signal, "--time", "day", "--json", "--windows", 5).stdout)
    assert any("sorted by 'day'" in note for note in found["notes"])
    assert found["intervals"] == plain["intervals"]
    assert found["n_states"] == 2
    assert found["test"]["p_value"] == 0.05
    assert found["files"] == {}


def test_npz_without_time(tmp_path):
    X = np.repeat([0.0, 5.0], 25)[:, None] + np.random.default_rng(0).normal(size=(50, 2))
    np.savez(tmp_path / "x.npz", X=X)
    found = json.loads(run(tmp_path / "x.npz", "--json").stdout)
    assert [i["state"] for i in found["intervals"] if i["state"]] == [1, 2]
    assert found["n_rows"] == 50


def test_a_stopped_job_continues(signal, tmp_path, monkeypatch):
    from pluribus.temporal import _drift

    own, calls = _drift.Drift.drawn, []

    def stop(self, rng):
        calls.append(1)
        if len(calls) == 8:
            raise KeyboardInterrupt
        return own(self, rng)

    monkeypatch.setattr(_drift.Drift, "drawn", stop)
    monkeypatch.setattr("pluribus.cli._errors._leave", lambda code: None)
    out = tmp_path / "out"
    stopped = run(signal, "--time", "day", "--out", out, "--jobs", 1)
    assert "run the same command with --resume" in stopped.output
    refused = run(signal, "--time", "day", "--out", out, "--jobs", 1)
    assert refused.exit_code == 2
    assert "Add --resume" in refused.output
    calls[:] = [1] * 100
    assert run(signal, "--time", "day", "--out", out, "--jobs", 1, "--resume").exit_code == 0
    assert len(calls) - 100 == 19 - 7
    again = tmp_path / "again"
    run(signal, "--time", "day", "--out", again)
    assert (again / "states.csv").read_text() == (out / "states.csv").read_text()


def test_hostile_names_are_escaped(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(np.repeat([0.0, 5.0], 20)[:, None] + rng.normal(size=(40, 2)), columns=[HOSTILE, "b"])
    frame.to_csv(tmp_path / "x.csv", index=False)
    assert run(tmp_path / "x.csv", "--out", tmp_path / "out").exit_code == 0
    page = (tmp_path / "out" / "states.html").read_text()
    assert "<img" not in page
    assert page.count("data-figure=") == 3


@pytest.mark.parametrize(
    ("change", "arguments", "words"),
    [
        (lambda f: f, ["--time", "hour"], "--time hour is no column"),
        (lambda f: f.head(5), [], "'bad' has 5 rows: states need at least 12"),
        (lambda f: f.assign(pulse=1.0, pressure=2.0), ["--time", "day"], "no column to cluster by"),
        (lambda f: f.assign(pulse=np.where(f.index == 3, np.nan, f.pulse)), [], "missing"),
        (lambda f: f.assign(day="x"), ["--time", "day"], "no number or date"),
        (lambda f: f[["day"]], ["--time", "day"], "no column besides 'day'"),
        (lambda f: f, ["--time", "day", "--windows", 100], "--windows 100, but there are 68 rows"),
        (lambda f: f, ["--windows", 0], "windows"),
    ],
)
def test_bad_input(signal, tmp_path, change, arguments, words):
    change(pd.read_csv(signal)).to_csv(tmp_path / "bad.csv", index=False)
    result = run(tmp_path / "bad.csv", "--out", tmp_path / "out", *arguments)
    assert result.exit_code == 2
    assert words in " ".join(result.output.replace("│", " ").split())
    assert not (tmp_path / "out").exists()
