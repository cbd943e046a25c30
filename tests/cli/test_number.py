"""``--k auto``: what ``choose_k`` says is what the result has, what the terminal and the report say, and done once."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_blobs
from typer.testing import CliRunner

from pluribus import EnsembleClusterer
from pluribus.cli._app import app
from pluribus.consensus import EvidenceAccumulation
from pluribus.generate import Generator
from pluribus.tables import prepare, read_table


def run(*arguments):
    result = CliRunner().invoke(app, [str(a) for a in arguments])
    assert result.exit_code == 0, result.output
    return " ".join(result.output.split())


def model_of(out):
    return json.loads((out / "model.json").read_text())


@pytest.fixture
def data(tmp_path):
    X, _ = make_blobs(90, 3, centers=[[0] * 3, [9] * 3, [0, 0, 9]], random_state=0)
    pd.DataFrame(X, columns=list("abc")).to_csv(tmp_path / "blobs.csv", index=False)
    return tmp_path / "blobs.csv"


@pytest.fixture
def fits(monkeypatch):
    """How often evidence was accumulated."""
    counted = []
    fit = EvidenceAccumulation.fit
    monkeypatch.setattr(EvidenceAccumulation, "fit", lambda self, *a, **k: counted.append(self) or fit(self, *a, **k))
    return counted


SURE = "k = 3: all 2 criteria find it best."
UNSURE = "k = 2: best by lifetime (the evidence between clusters falls most before the next merge), 1 of 2 criteria;"


@pytest.mark.parametrize(("consensus", "k", "reason"), [("eac", 3, SURE), ("ppc", 2, UNSURE)])
def test_a_table(data, tmp_path, fits, consensus, k, reason):
    said = run("cluster", data, "--members", 12, "--method", consensus, "--out", tmp_path / "out")
    assert reason in said
    assert f"{k} clusters of 90 objects" in said
    assert len(fits) == 1
    figures = model_of(tmp_path / "out")["figures"]
    assert figures["n_clusters"] == k
    assert figures["k_reason"].startswith(reason)
    report = (tmp_path / "out" / "report.html").read_text()
    assert reason in report
    assert 'data-figure="k-silhouette"' in report
    members = Generator(n_members=12) if consensus == "eac" else Generator(n_members=12, n_clusters=(2, 20))
    X = prepare(read_table(data)).X
    alone = EnsembleClusterer(members, consensus, random_state=0, verbose=False).fit(X)
    labels = pd.read_csv(tmp_path / "out" / "labels.csv")
    np.testing.assert_array_equal(labels["cluster"], alone.labels_)
    np.testing.assert_allclose(labels["uncertainty"], alone.uncertainty_, rtol=1e-4)


@pytest.mark.parametrize("method", ["eac", "scec"])
def test_labels(tmp_path, fits, method):
    truth = np.repeat([0, 1, 2], [10, 8, 6])
    pd.DataFrame({"a": truth, "b": truth, "c": np.roll(truth, 1)}).to_csv(tmp_path / "l.csv", index=False)
    said = run("combine", tmp_path / "l.csv", "--method", method, "--out", tmp_path / "out")
    assert "k = 3: " in said
    assert "3 is the largest number that was looked at" in said
    assert len(fits) == 1
    assert model_of(tmp_path / "out")["figures"]["n_clusters"] == 3
    assert "What the indices say of each number" in (tmp_path / "out" / "report.html").read_text()


def test_equal_lifetimes_are_told_apart(tmp_path):
    pd.DataFrame({"a": [0, 1, 2, 3, 3], "b": [0, 1, 2, 2, 2]}).to_csv(tmp_path / "l.csv", index=False)
    said = run("combine", tmp_path / "l.csv", "--out", tmp_path / "out")
    assert "k = 4: best by lifetime" in said
    assert pd.read_csv(tmp_path / "out" / "labels.csv")["cluster"].tolist() == [1, 2, 3, 0, 0]
    assert "among 2 to 4 clusters" in model_of(tmp_path / "out")["figures"]["k_chosen_by"]


def test_all_together(tmp_path):
    pd.DataFrame({"a": [0] * 5, "b": [0] * 5}).to_csv(tmp_path / "l.csv", index=False)
    said = run("combine", tmp_path / "l.csv", "--out", tmp_path / "out")
    assert "k = 1: no other number of clusters lasts as long in the evidence." in said
    assert model_of(tmp_path / "out")["figures"]["n_clusters"] == 1


def test_what_is_known_asks_for_more_clusters(tmp_path):
    pd.DataFrame({"id": list("abcdef"), "p": [0, 0, 0, 1, 1, 1], "q": [0, 0, 0, 1, 1, 1]}).to_csv(
        tmp_path / "l.csv", index=False
    )
    pairs = pd.DataFrame({"a": ["a", "b", "a"], "b": ["b", "c", "c"]})
    pairs.to_csv(tmp_path / "apart.csv", index=False)
    said = run("combine", tmp_path / "l.csv", "--cannot-link", tmp_path / "apart.csv", "--out", tmp_path / "out")
    assert "The evidence suggests 2 clusters, but the constraints require at least 3; using 3." in said
    assert model_of(tmp_path / "out")["figures"]["n_clusters"] == 3


def test_methods_that_find_it_have_a_second_opinion(tmp_path):
    truth = np.repeat([0, 1, 2], [10, 8, 6])
    pd.DataFrame({"a": truth, "b": truth, "c": np.minimum(truth, 1)}).to_csv(tmp_path / "l.csv", index=False)
    said = run("combine", tmp_path / "l.csv", "--method", "medoid", "--out", tmp_path / "out")
    assert "k = " not in said
    assert "What the indices say of each number" in (tmp_path / "out" / "report.html").read_text()
