"""An option with a value is given once: the last of two would silently win."""

import pytest
from typer.testing import CliRunner

from pluribus.cli._app import app


def run(*arguments):
    done = CliRunner().invoke(app, list(arguments))
    return done.exit_code, " ".join(done.output.replace("│", " ").split())


@pytest.mark.parametrize(
    ("arguments", "advice"),
    [
        (
            ("cluster", "t.csv", "--ignore", "a", "--ignore", "b"),
            "'--ignore' is given 2 times: give it once, with all columns",
        ),
        (("combine", "t.csv", "--k", "2", "--k=3", "--k", "2"), "'--k' is given 3 times: give it once."),
        (("cluster", "t.csv", "--must-link", "a", "--must-link", "b"), "'--must-link' is given 2 times: give it once."),
    ],
)
def test_two_values_are_refused(arguments, advice):
    code, said = run(*arguments)
    assert code == 2
    assert advice in said


def test_flags_and_several_files_are_not(tmp_path):
    (tmp_path / "a.csv").write_text("one,two\n0,0\n0,0\n1,1\n1,1\n")
    (tmp_path / "b.csv").write_text("three\n0\n0\n1\n1\n")
    files = [str(tmp_path / name) for name in ("a.csv", "b.csv")]
    code, said = run("combine", *files, "--k", "2", "--quiet", "--quiet", "--out", str(tmp_path / "out"))
    assert code == 0, said
    assert (tmp_path / "out" / "labels.csv").exists()


def test_without_arguments_it_says_what_is_missing():
    code, said = run("cluster")
    assert code == 2
    assert "Missing argument" in said
