"""No command replaces or removes a file of the user's."""

import os
import signal
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from helpers import PATIENCE
from pluribus.cli._app import app


def run(*arguments):
    return CliRunner().invoke(app, [str(a) for a in arguments])


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(40, 3)) + 6 * np.repeat(np.eye(2, 3), 20, axis=0), columns=list("abc"))
    frame.to_csv("g.csv", index=False)
    pd.DataFrame({"x": np.repeat([0, 1], 20), "y": np.repeat([0, 1], [19, 21])}).to_csv("labels.csv", index=False)
    return tmp_path


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_a_folder_called_members_stays(place):
    (place / "members").mkdir()
    (place / "members" / "alice.txt").write_text("x")
    (place / "labels.csv").unlink()
    assert run("cluster", "g.csv", "--out", ".", "--members", 5, "--quiet").exit_code == 0
    assert (place / "members" / "alice.txt").read_text() == "x"


@pytest.mark.parametrize(
    "command",
    [
        ["combine", "labels.csv"],
        ["cluster", "labels.csv", "--k", 2, "--members", 5],
        ["cluster", "g.csv", "--k", 2, "--members", 5],
    ],
)
def test_input_is_never_replaced(place, command):
    before = contents(place)
    result = run(*command, "--out", ".")
    assert result.exit_code == 2, result.output
    assert "labels.csv" in result.output
    assert contents(place) == before
    if command[1] == "labels.csv":
        assert run(*command, "--out", ".", "--overwrite").exit_code == 2
        assert contents(place) == before


def test_commands_do_not_replace_each_others_results(place):
    pd.read_csv("g.csv").round(0).to_csv("g.csv", index=False)
    for command in (
        ["cluster", "g.csv", "--k", 2, "--members", 5],
        ["anonymize", "g.csv", "--k", 2],
        ["combine", "labels.csv", "--k", 2],
        ["compare", "labels.csv:x", "labels.csv:y"],
        ["validate", "labels.csv", "--data", "g.csv"],
    ):
        result = run(*command, "--quiet")
        assert result.exit_code == 0, result.output
    made = {path.name for path in place.iterdir() if path.is_dir()}
    assert made == {"g-pluribus", "g-anonymous", "labels-combined", "labels-compared", "labels-validated"}
    again = run("anonymize", "g.csv", "--k", 2, "--out", "g-pluribus")
    assert again.exit_code == 0  # its report is a result of pluribus, too
    (place / "g-pluribus" / "report.html").write_text("annotated")
    refused = run("cluster", "g.csv", "--k", 2, "--members", 5)
    assert refused.exit_code == 2
    assert (place / "g-pluribus" / "report.html").read_text() == "annotated"


def test_a_target_that_is_a_directory_stops_all(place):
    (place / "out" / "report.html").mkdir(parents=True)
    result = run("cluster", "g.csv", "--out", "out")
    assert result.exit_code == 2
    assert [path.name for path in (place / "out").iterdir()] == ["report.html"]


def test_two_jobs_at_once(place):
    """The second one is told that the first is running, and not that it was stopped."""
    script = """
import sys
from pathlib import Path
from pluribus._engine import ResultDirectory
with ResultDirectory(Path("out")).opened():
    print("open", flush=True)
    sys.stdin.read()
"""
    first = subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert first.stdout.readline() == "open\n"
    result = run("cluster", "g.csv", "--out", "out")
    assert result.exit_code == 2
    assert "another job is writing" in result.output
    first.communicate("", timeout=PATIENCE)
    assert run("cluster", "g.csv", "--out", "out", "--members", 5, "--quiet").exit_code == 0


def start(*options, hangup):
    """A job with many members; ``hangup`` is what it does on SIGHUP."""
    rng = np.random.default_rng(0)
    pd.DataFrame(rng.normal(size=(3000, 8))).to_csv("large.csv", index=False)
    command = [sys.executable, "-m", "pluribus", "cluster", "large.csv", "--out", "out", *options]
    before = signal.signal(signal.SIGHUP, hangup)
    try:
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    finally:
        signal.signal(signal.SIGHUP, before)


def wait_for_members(place, job):
    while not list(place.glob("out/.pluribus/work/members/task-*.npz")):
        assert job.poll() is None, job.stdout.read()


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_job_that_is_told_to_end_tidies_up(place, name):
    job = start("--members", "400", hangup=signal.SIG_DFL)
    wait_for_members(place, job)
    os.kill(job.pid, getattr(signal, name))
    output, _ = job.communicate(timeout=PATIENCE)
    assert job.returncode == 130, output
    assert "--resume" in output
    assert {path.name for path in (place / "out").iterdir()} == {".pluribus"}
    assert not (place / "out" / ".pluribus" / "new").exists()


def test_a_job_under_nohup_goes_on(place):
    job = start("--members", "30", hangup=signal.SIG_IGN)
    wait_for_members(place, job)
    os.kill(job.pid, signal.SIGHUP)
    output, _ = job.communicate(timeout=PATIENCE)
    assert job.returncode == 0, output
