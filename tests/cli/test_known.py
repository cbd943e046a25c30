"""What the user knows, on the command line."""

import html
import json

import pandas as pd
import pytest
from sklearn.datasets import make_blobs
from typer.testing import CliRunner

from pluribus.cli._app import app
from pluribus.cli._cluster import run as run_job
from pluribus.pipeline._direct_method import DirectMethod

N = 60


def run(*arguments):
    return CliRunner().invoke(app, [str(a) for a in arguments])


@pytest.fixture
def job(tmp_path):
    """Run pluribus cluster on 60 rows with ids such as "007", with files made from rows of text."""
    X, _ = make_blobs(N, 2, centers=[[0, 0], [9, 0], [0, 9]], random_state=0)
    frame = pd.DataFrame(X, columns=["a", "b"])
    frame.insert(0, "id", [f"{i:03d}" for i in range(N)])
    frame.to_csv(tmp_path / "data.csv", index=False)

    def cluster(*options, k=3, **files):
        told = []
        for name, rows in files.items():
            path = tmp_path / f"{name}.csv"
            path.write_text("\n".join(rows) + "\n")
            told += [f"--{name.replace('_', '-')}", path]
        arguments = ["--k", k, "--quiet", "--out", tmp_path / "out"]
        if "--method" not in options:
            arguments += ["--members", 20]
        return run("cluster", tmp_path / "data.csv", *arguments, *told, *options), tmp_path / "out"

    return cluster


def labels_of(out):
    return pd.read_csv(out / "labels.csv", dtype={"id": str}).set_index("id")["cluster"]


def test_pairs_hold_and_stand_in_the_report(job):
    result, out = job(must_link=["000,001", "001,002"], cannot_link=["one,other", "003,004"])
    assert result.exit_code == 0, result.output
    labels = labels_of(out)
    assert labels["000"] == labels["001"] == labels["002"]
    assert labels["003"] != labels["004"]
    page = (out / "report.html").read_text()
    assert 'id="known"' in page
    assert "All 3 statements hold." in page
    assert json.loads((out / "model.json").read_text())["parameters"]["must_link"] == "must_link.csv"


def test_weights_are_preferences(job):
    plain, out = job()
    assert plain.exit_code == 0
    labels = labels_of(out)
    one = labels.index[0]
    other = next(i for i in labels.index if labels[i] != labels[one])
    result, out = job(must_link=["one,other,weight", f"{one},{other},0.01"])
    assert result.exit_code == 0, result.output
    page = (out / "report.html").read_text()
    assert "1 of 1 statements are broken, all of them preferences" in page
    assert 'id="known"' in page


def test_known_labels(job):
    result, out = job("--method", "acccs", known_labels=["id,label", "000,x", "001,y", "002,x", "003,"])
    assert result.exit_code == 0, result.output
    labels = labels_of(out)
    assert labels["000"] == labels["002"] != labels["001"]


def test_pairs_that_are_not_used_are_told(job):
    rows = ["one,other,type", "000,001,must-link", "003,004,cannot-link", "003,005,cannot-link", "000,009,unsure"]
    result, out = job(must_link=rows)
    assert result.exit_code == 0, result.output
    note = "2 cannot-links of must_link.csv are not used: give the file as cannot_link too to use them."
    assert note in (out / "report.html").read_text()
    assert note in json.loads((out / "model.json").read_text())["notes"]
    both, out = job("--must-link", out.parent / "cannot_link.csv", cannot_link=rows)
    assert both.exit_code == 0, both.output
    assert "not used" not in (out / "model.json").read_text()


@pytest.mark.parametrize("method", ["cop-kmeans", "pckmeans", "gmm"])
def test_a_method_without_an_ensemble(job, method):
    result, out = job("--method", method, must_link=["000,001"], cannot_link=["003,004"])
    assert result.exit_code == 0, result.output
    labels = labels_of(out)
    assert labels["000"] == labels["001"]
    assert labels["003"] != labels["004"]


@pytest.mark.parametrize("method", ["balanced", "frequency-sensitive"])
def test_a_method_that_heeds_no_pairs(job, method):
    result, out = job("--method", method)
    assert result.exit_code == 0, result.output
    assert labels_of(out).nunique() == 3
    result, _ = job("--method", method, must_link=["000,001"])
    assert result.exit_code == 2
    assert f"{method} takes no pairs and no known labels" in " ".join(result.output.split())


def test_what_a_statement_costs_a_method_without_an_ensemble(job):
    """The cost is what starts without the statements say, so a statement against the data costs all of them."""
    plain, out = job("--method", "cop-kmeans")
    assert plain.exit_code == 0, plain.output
    labels = labels_of(out)
    one = labels.index[0]
    near, far = (next(i for i in labels.index[1:] if (labels[i] == labels[one]) == same) for same in (True, False))
    result, out = job("--method", "cop-kmeans", must_link=[f"{one},{far}"], cannot_link=[f"{one},{near}"])
    assert result.exit_code == 0, result.output
    page = (out / "report.html").read_text()
    assert "All 2 statements hold." in page
    assert "(on average 1.00)" in page
    assert "CopKMeans divided 60 objects into 3 clusters" in page
    assert "partitions compared with" in page
    model = json.loads((out / "model.json").read_text())
    assert model["parameters"]["method"] == "cop-kmeans"
    assert "members" not in model["parameters"]
    assert any("no ensemble" in note for note in model["notes"])
    assert model["figures"]["n_partitions"] == 10
    assert model["figures"]["mean_uncertainty"] > 0  # the two objects are not where the starts have them


def test_a_method_without_an_ensemble_that_is_stopped_keeps_nothing(tmp_path, monkeypatch):
    def stopped(self, X, *, constraints, **others):
        parameters = self.method.get_params()
        assert (parameters["n_jobs"], parameters["verbose"]) == (1, False)
        raise KeyboardInterrupt

    monkeypatch.setattr(DirectMethod, "fit", stopped)
    pd.DataFrame({"a": range(9)}).to_csv(tmp_path / "data.csv", index=False)
    with pytest.raises(KeyboardInterrupt):  # which the command reports as: nothing was written
        run_job(tmp_path / "data.csv", k=2, method="gmm", n_jobs=1, quiet=True, out=tmp_path / "out")


def test_advice_in_the_evidence(job):
    result, out = job("--constraint-level", "evidence", must_link=["000,001"])
    assert result.exit_code == 0, result.output
    assert json.loads((out / "model.json").read_text())["parameters"]["constraint_level"] == "evidence"


@pytest.mark.parametrize(
    ("files", "options", "k", "words"),
    [
        ({"must_link": ["000,zz", "yy,001"]}, [], 3, ["2 in all", "'zz'", "'yy'"]),
        ({"known_labels": ["id,label", "000,a", "qq,a"]}, [], 3, ["row 3: 1 of 2", "'qq'"]),
        ({"known_labels": ["OOO,a", "001,b"]}, [], 3, ["row 1: 1 of 2", "'OOO'", "call them id and label"]),
        ({"must_link": ["0O0,O01", "002,003"]}, [], 3, ["row 1: '0O0', 'O01' are neither objects nor titles"]),
        ({"known_labels": ["000,a", "000,b"]}, [], 3, ["two labels"]),
        ({"known_labels": ["000"]}, [], 3, ["columns"]),
        ({"must_link": ["000,001", "001,002"], "cannot_link": ["000,002"]}, [], 3, ["'000' –must-link– '001'"]),
        ({"cannot_link": ["000,001", "001,002", "000,002"]}, [], 2, ["--k 2", "'000'"]),
        ({"must_link": ["000,001"]}, ["--method", "ppc"], 3, ["takes no constraints"]),
        ({}, ["--method", "magic"], 3, ["cop-kmeans"]),
        ({}, ["--method", "aggregate"], 3, ["needs conditions on columns"]),
        ({}, ["--method", "cobras"], "auto", ["needs answers to its questions", "constrained.Cobras"]),
        ({}, ["--method", "gmm"], "auto", ["give --k"]),
        ({}, ["--method", "gmm", "--members", 9, "--noise"], 3, ["no use for --members 9, --noise"]),
        ({}, ["--method", "feedback"], 3, ["--scale standard makes numbers negative: use --scale none"]),
        ({}, ["--constraint-level", "evidence"], 3, ["give constraints, --must-link"]),
    ],
)
def test_refused_in_the_users_words(job, files, options, k, words):
    result, _ = job(*options, k=k, **files)
    assert result.exit_code == 2
    said = " ".join(html.unescape(result.output).split())
    for word in words:
        assert word in said


@pytest.mark.parametrize("k", [2, "auto"])
def test_combine_takes_them_too(tmp_path, k):
    frame = pd.DataFrame(
        {"id": list("abcdef"), "x": [0, 0, 0, 1, 1, 1], "y": [0, 0, 1, 1, 2, 2], "z": [0, 0, 0, 1, 1, 2]}
    )
    frame.to_csv(tmp_path / "labels.csv", index=False)
    (tmp_path / "apart.csv").write_text("b,c\n")
    arguments = ("combine", tmp_path / "labels.csv", "--k", k, "--quiet", "--out", tmp_path / "out")
    result = run(*arguments, "--cannot-link", tmp_path / "apart.csv")
    assert result.exit_code == 0, result.output
    labels = labels_of(tmp_path / "out")
    assert labels["b"] != labels["c"]
    refused = run(*arguments, "--method", "scec", "--cannot-link", tmp_path / "apart.csv")
    assert refused.exit_code == 2
    assert "takes no constraints" in " ".join(refused.output.split())
