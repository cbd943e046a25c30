import csv
import gzip

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from pluribus.cli._app import app

SCRIPT = "<script>window.hacked=1</script>"


def run(*arguments):
    return CliRunner().invoke(app, ["anonymize", *[str(a) for a in arguments]])


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    n = 60
    return pd.DataFrame(
        {
            "id": [f"p{i}" for i in range(n)],
            "age": rng.integers(20, 80, n),
            "town": rng.choice(["Rome", "Oslo", "=1+1"], n),
            "illness": rng.choice(["flu", "cold", SCRIPT], n),
        }
    )


@pytest.fixture
def data(tmp_path, frame):
    frame.to_csv(tmp_path / "people.csv", index=False)
    return tmp_path / "people.csv"


def test_the_table_the_report_and_what_is_said(data, frame, tmp_path):
    out = tmp_path / "out"
    result = run(data, "--k", 5, "--sensitive", "illness", "--l", 2, "--out", out)
    assert result.exit_code == 0, result.output
    text = " ".join(result.output.split())
    assert "Quasi-identifiers: all columns but the sensitive one, 'age', 'town'." in text
    assert "'id' names the rows, and is left out." in text
    assert "information lost:" in text
    assert "distinct(illness) >= 2 holds in every class" in text
    assert "no guarantee against background knowledge" in text
    assert sorted(path.name for path in out.iterdir()) == [".pluribus", "anonymous.csv", "report.html"]
    published = pd.read_csv(out / "anonymous.csv", dtype=str)
    assert list(published) == ["age", "town", "illness"]
    assert published["illness"].tolist() == frame["illness"].tolist()  # in the same order
    classes = published.groupby(["age", "town"])
    assert classes.size().min() >= 5
    assert classes["illness"].nunique().min() >= 2
    assert "=1+1" in set(published["town"])


def test_hostile_text_is_escaped_in_the_report(frame, tmp_path):
    frame.rename(columns={"age": SCRIPT, "illness": f"{SCRIPT}2"}).to_csv(tmp_path / "x.csv", index=False)
    result = run(tmp_path / "x.csv", "--k", 4, "--sensitive", f"{SCRIPT}2", "--l", 2, "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    page = (tmp_path / "out" / "report.html").read_text()
    assert SCRIPT not in page
    assert "&lt;script&gt;window.hacked=1&lt;/script&gt;" in page
    assert page.count("data-figure=") == 4


def test_named_columns_and_ranges(data, frame, tmp_path):
    result = run(data, "--k", 6, "--quasi", "age", "--generalize", "range", "--out", tmp_path / "out", "--quiet")
    assert result.exit_code == 0
    assert not result.output
    published = pd.read_csv(tmp_path / "out" / "anonymous.csv")
    assert published["town"].tolist() == frame["town"].tolist()
    low, high = published["age"].str.strip("[]").str.split(", ", expand=True).astype(int).to_numpy().T
    assert (low <= frame["age"]).all()
    assert (frame["age"] <= high).all()
    assert published["age"].value_counts().min() >= 6


def test_the_format_stays(frame, tmp_path):
    table = frame.drop(columns="id")
    table.to_parquet(tmp_path / "a.parquet")
    (tmp_path / "b.csv.gz").write_bytes(gzip.compress(table.to_csv(index=False, sep=";").encode()))
    table.assign(age=frame["age"] + 0.5).to_csv(tmp_path / "c.csv", index=False, sep=";", decimal=",")
    table.to_csv(tmp_path / "d.tsv", index=False, sep="\t")
    np.savez(tmp_path / "e.npz", X=np.random.default_rng(0).random((20, 2)))
    for name in ("a.parquet", "b.csv.gz", "c.csv", "d.tsv", "e.npz"):
        result = run(tmp_path / name, "--k", 4, "--out", tmp_path / "out")
        assert result.exit_code == 0, result.output
    assert pd.read_parquet(tmp_path / "out" / "anonymous.parquet").groupby(["age", "town"]).size().min() >= 4
    assert pd.read_csv(tmp_path / "out" / "anonymous.csv.gz").shape == table.shape
    assert pd.read_csv(tmp_path / "out" / "anonymous.csv", sep=";", decimal=",")["age"].dtype == float
    assert pd.read_csv(tmp_path / "out" / "anonymous.tsv", sep="\t").shape == table.shape
    assert len(np.unique(np.load(tmp_path / "out" / "anonymous.npz")["X"], axis=0)) <= 5


def test_text_with_line_ends_is_written_whole(frame, tmp_path):
    frame["town"] = np.where(frame["age"] > 50, "Rome\rby the river", 'Oslo\n"north"')
    frame.to_csv(tmp_path / "x.csv", index=False, quoting=csv.QUOTE_ALL)
    result = run(tmp_path / "x.csv", "--k", 4, "--quasi", "age", "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    assert pd.read_csv(tmp_path / "out" / "anonymous.csv")["town"].tolist() == frame["town"].tolist()


def test_the_same_seed_gives_the_same_table_for_any_number_of_cores(frame, tmp_path):
    frame.to_csv(tmp_path / "x.csv.gz", index=False)
    for jobs in (1, 2):
        assert run(tmp_path / "x.csv.gz", "--k", 4, "--jobs", jobs, "--out", tmp_path / str(jobs)).exit_code == 0
    one, two = (gzip.decompress((tmp_path / name / "anonymous.csv.gz").read_bytes()) for name in "12")
    assert one == two


def test_a_stop_half_way_leaves_no_file(data, tmp_path, monkeypatch):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "anonymous.csv").write_text("of before")

    def full(*_):
        raise OSError("No space left on device")

    monkeypatch.setattr("pluribus.cli._anonymize.write_anonymity", full)
    assert run(data, "--k", 4, "--out", tmp_path / "out").exit_code != 0
    assert [path.read_text() for path in (tmp_path / "out").iterdir()] == ["of before"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--k", 61], "the table has 60 rows"),
        (["--l", 2], "name it with --sensitive"),
        (["--sensitive", "illness", "--diversity", "entropy"], "give --l"),
        (["--diversity", "entropy"], "give --l and --sensitive"),
        (["--sensitive", "illness", "--l", "inf"], "l is inf"),
        (["--sensitive", "illness", "--l", 4], "illness"),
        (["--sensitive", "wealth"], "no column 'wealth'"),
        (["--quasi", "age,height"], "no column 'height'"),
        (["--quasi", "age,illness", "--sensitive", "illness"], "Leave it out of one of them"),
        (["--jobs", 0], "--jobs is 0"),
    ],
)
def test_errors_before_work_starts(data, tmp_path, options, words):
    result = run(data, "--out", tmp_path / "out", *options)
    assert result.exit_code == 2
    assert words in " ".join(result.output.split())
    assert not list(tmp_path.glob("out/*"))


def test_the_table_itself_is_not_written_over(data, tmp_path):
    own = data.rename(tmp_path / "anonymous.csv")
    result = run(own, "--out", tmp_path)
    assert result.exit_code == 2
    assert "is read by this job" in " ".join(result.output.split())
