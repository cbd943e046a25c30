import json
import subprocess
import sys

import pandas as pd
import pytest
from sklearn.datasets import make_blobs
from typer.testing import CliRunner

from pluribus import Constraints
from pluribus.cli._app import app
from pluribus.cli._side_by_side import SideBySide
from pluribus.constraints import Answers
from pluribus.tables import prepare, read_table

IDS = [f"row {i}" for i in range(30)]


def run(*arguments, replies=""):
    return CliRunner().invoke(app, ["ask", *map(str, arguments)], input=replies)


@pytest.fixture
def data(tmp_path):
    X, _ = make_blobs(30, centers=[[0, 0], [4, 0], [0, 4]], random_state=0)
    frame = pd.DataFrame(X, columns=["width", "height"])
    frame.insert(0, "id", IDS)
    frame["remark"] = [f"seen [bold]on day {i}" for i in range(30)]
    frame["color"] = ["red", "blue"] * 15
    frame.to_csv(tmp_path / "things.csv", index=False)
    return tmp_path / "things.csv"


def test_answers_are_kept_and_can_be_used(data, tmp_path):
    out = tmp_path / "answers.csv"
    result = run(data, "--questions", 4, "--out", out, replies="y\nn\n?\nyes\n")
    assert result.exit_code == 0, result.output
    assert "Question 4 of 4" in result.output
    assert "seen [bold]on day" in result.output
    assert f"pluribus cluster {data} --must-link {out} --cannot-link {out}" in result.output.replace("\n", "")
    answers = Answers.read(out, 30, ids=IDS)
    assert [a.answer for a in answers.given] == ["together", "apart", "unsure", "together"]
    assert len(Constraints.read(out, ids=IDS, kind="must-link").must_link) == 2


@pytest.mark.parametrize("method", ["evidence", "farthest", "minmax", "npu"])
def test_going_on_is_the_same_as_not_stopping(data, tmp_path, method):
    whole, parts = tmp_path / "whole.csv", tmp_path / "parts.csv"
    options = [data, "--method", method, "--k", 3, "--questions", 5]
    run(*options, "--out", whole, replies="n\ny\nn\ny\nn\n")
    run(*options, "--out", parts, replies="n\ny\nq\n")
    again = run(*options, "--out", parts, replies="n\ny\nn\n")
    assert "has 2 answers" in again.output
    assert parts.read_text() == whole.read_text()


def test_undo_mistyped_and_the_end_of_the_lines(data, tmp_path):
    out = tmp_path / "answers.csv"
    result = run(data, "--out", out, replies="u\nhm\ny\nu\nn\n")
    assert result.exit_code == 0
    assert "no answer to undo" in result.output
    assert "Type y, n" in result.output
    assert [a.answer for a in Answers.read(out, 30, ids=IDS).given] == ["apart"]
    assert not list(tmp_path.glob(".*.csv"))  # nothing half-written


def test_answers_of_an_earlier_run_can_be_taken_back(data, tmp_path):
    out = tmp_path / "answers.csv"
    run(data, "--questions", 2, "--out", out, replies="y\nn\n")
    again = run(data, "--questions", 3, "--out", out, replies="u\nu\nq\n")
    assert again.exit_code == 0, again.output
    for title in ("Question 1 of 3", "Question 1 of 4", "Question 1 of 5"):
        assert title in again.output
    assert f"No answer is left in {out}" in again.output.replace("\n", "")
    assert len(Answers.read(out, 30, ids=IDS)) == 0
    whole = run(data, "--questions", 2, "--out", out, replies="y\nu\ny\nn\n")
    assert "Question 2 of 2" in whole.output
    assert len(Answers.read(out, 30, ids=IDS)) == 2


def test_nothing_said_writes_nothing(data, tmp_path):
    result = run(data, "--out", tmp_path / "a.csv", replies="q\n")
    assert result.exit_code == 0
    assert "nothing was written" in result.output
    assert not (tmp_path / "a.csv").exists()


def test_the_end_as_json(data, tmp_path):
    out = tmp_path / "a.csv"
    said = json.loads(run(data, "--json", "--questions", 1, "--out", out, replies="q\n").stdout)
    assert said == {"n_answers": 0, "n_decided": 0, "file": None}
    said = json.loads(run(data, "--json", "--questions", 1, "--out", out, replies="y\n").stdout)
    assert said == {"n_answers": 1, "n_decided": 1, "file": str(out)}


def test_it_stops_when_all_is_decided(data, tmp_path):
    result = run(data, "--method", "minmax", "--questions", 99, "--out", tmp_path / "a.csv", replies="y\n" * 99)
    assert "nothing left to ask" in result.output
    assert len(pd.read_csv(tmp_path / "a.csv")) == 29


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--method", "best"], "there are minmax, evidence, farthest, npu"),
        (["--method", "npu"], "needs the number of clusters"),
        (["--k", 1], "nothing to ask"),
        (["--k", 31], "only 30 objects"),
        (["--out", "answers.txt"], "ends in .csv"),
        (["--out", "nowhere/answers.csv"], "cannot be written"),
    ],
)
def test_bad_options(data, tmp_path, monkeypatch, options, message):
    monkeypatch.chdir(tmp_path)
    result = run(data, *options)
    assert result.exit_code == 2
    assert message in result.output


def test_answers_about_other_rows_are_refused(data, tmp_path):
    (tmp_path / "a.csv").write_text("one,other,type\nann,bob,must-link\n")
    result = run(data, "--out", tmp_path / "a.csv", replies="y\n")
    assert result.exit_code == 2
    assert "unknown object 'ann'" in result.output


def test_piped_lines_without_a_terminal(data, tmp_path):
    command = [sys.executable, "-m", "pluribus", "ask", str(data), "--method", "minmax", "--questions", "2"]
    done = subprocess.run(command, input="y\nn\n", capture_output=True, text=True, cwd=tmp_path, timeout=120)
    assert done.returncode == 0, done.stderr
    assert len(pd.read_csv(tmp_path / "things-answers.csv")) == 2


def test_what_differs_most_comes_first(tmp_path):
    path = tmp_path / "t.csv"
    frame = pd.DataFrame({"a": [1.0, 1, 5, 9], "b": [0.0, 8, 8, 8], "c": ["x", "x", "x", "y"]})
    frame["day"] = pd.to_datetime(["2024-01-01", "2024-01-01", "2024-03-01", "2024-01-05"])
    frame.to_csv(path, index=False)
    table = read_table(path)
    shown = SideBySide(table, prepare(table))
    assert shown.by_difference(0, 1)[0] == "b"
    assert shown.by_difference(1, 2)[0] == "day"
    assert set(shown.by_difference(1, 3)[:2]) == {"a", "c"}
