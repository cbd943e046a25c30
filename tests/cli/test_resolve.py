import json

import pandas as pd
import pytest
from typer.testing import CliRunner

from pluribus.cli._app import app
from pluribus.relational import resolve
from pluribus.report.entities.entities import summarize_entities

SCRIPT = "<script>window.hacked=1</script>"


def run(*arguments):
    return CliRunner().invoke(app, ["resolve", *[str(a) for a in arguments]])


@pytest.fixture
def data(tmp_path):
    rows = [
        ("a", "p", "Wei Wang"), ("b", "p", "Ali Ansari"), ("c", "q", "Wei Wang"), ("d", "q", "Ali Ansari"),
        ("e", "r", "Wei Wang"), ("f", "r", SCRIPT), ("g", "s", "Wei Wan"),
    ]  # fmt: skip
    pd.DataFrame(rows, columns=["id", "paper", "name"]).to_csv(tmp_path / "mentions.csv", index=False)
    return tmp_path / "mentions.csv"


def test_the_files_and_what_is_said(data, tmp_path):
    result = run(data, "--links", "paper", "--threshold", 0.6, "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    assert "5 entities behind 7 references" in result.output
    assert "References are compared by 'name'." in result.output
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == [".pluribus", "entities.csv", "merges.csv", "report.html"]
    entities = pd.read_csv(tmp_path / "out" / "entities.csv")
    assert entities["entity"].tolist() == [0, 1, 0, 1, 2, 3, 4]
    assert entities.columns.tolist() == ["id", "entity", "certainty"]
    merges = pd.read_csv(tmp_path / "out" / "merges.csv")
    assert merges["verdict"].value_counts().to_dict() == {"not made": 2, "first": 2}
    assert merges.columns[:6].tolist() == ["verdict", "similarity", "attributes", "overlap", "one", "other"]


def test_the_page_is_safe_and_says_why(data, tmp_path):
    with data.open("a") as table:  # so that Ansari is doubtful too, and the map holds a whole paper
        table.write("h,t,Ali Ansary\n")
    run(data, "--links", "paper", "--out", tmp_path / "out")
    page = (tmp_path / "out" / "report.html").read_text()
    assert SCRIPT not in page
    assert "Content-Security-Policy" in page
    assert "Doubtful merges" in page
    assert "not made" in page
    assert page.index("Doubtful merges") < page.index("least certain first")
    assert "faint ones join references that occur together" in " ".join(page.split())
    run(data, "--name", "name", "--out", tmp_path / "other")
    assert "faint ones" not in (tmp_path / "other" / "report.html").read_text()


def test_the_map_holds_references_and_their_links():
    names = pd.DataFrame({"name": ["Wei Wang", "Ali Ansari", "Wei Wan", "Ali Ansary", "Bob Ray"]})
    found = resolve(names, links=[[0, 1], [2, 3]], threshold=0.9, verbose=False)
    assert found.together.tolist() == [[0, 1], [2, 3]]
    drawn = summarize_entities(found).map
    pairs = {tuple(sorted(drawn.rows[list(ends)].tolist())) for ends in drawn.together}
    assert pairs == {(0, 1), (2, 3)}
    assert resolve(names, verbose=False).together is None


def test_json_alone_writes_nothing(data, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run(data, "--name", "name", "--json")
    found = json.loads(result.output)
    assert found["n_references"] == 7
    assert found["entities"]["id"] == list("abcdefg")
    assert set(found["merges"]) >= {"verdict", "similarity"}
    assert [path.name for path in tmp_path.iterdir()] == ["mentions.csv"]
    written = json.loads(run(data, "--name", "name", "--json", "--out", tmp_path / "o").output)
    assert written["directory"] == str(tmp_path / "o")


def test_constraints(data, tmp_path):
    pd.DataFrame({"one": ["a"], "other": ["c"]}).to_csv(tmp_path / "apart.csv", index=False)
    pd.DataFrame({"one": ["a"], "other": ["f"]}).to_csv(tmp_path / "same.csv", index=False)
    files = ("--cannot-link", tmp_path / "apart.csv", "--must-link", tmp_path / "same.csv")
    options = ("--name", "name", "--threshold", 0.1, *files, "--json")
    entities = json.loads(run(data, *options).output)["entities"]["entity"]
    assert entities[0] == entities[5] != entities[2]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--links", "journal"), "--links journal is neither a file nor a column"),
        (("--name", "title"), "has the columns"),
        (("--threshold", "high"), "--threshold"),
        (("--alpha", "2"), "--alpha"),
    ],
)
def test_bad_options(data, arguments, message):
    result = run(data, *arguments)
    assert result.exit_code == 2
    assert message in " ".join(result.output.split())


def test_no_file(tmp_path):
    result = run(tmp_path / "none.csv")
    assert result.exit_code == 2
