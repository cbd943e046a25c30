"""metric="cosine" from end to end, and the types of numbers on the way."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score
from typer.testing import CliRunner

import pluribus
from pluribus import EnsembleClusterer
from pluribus.cli._app import app
from pluribus.generate import _landmarks
from pluribus.pipeline import load
from pluribus.pipeline.load import ArchiveError
from pluribus.tables import TableError

SENTENCE = "Rows are compared by the cosine: each was divided by its length."
FORMS = {
    "float64": np.asarray,
    "float32": lambda X: X.astype(np.float32),
    "float16": lambda X: X.astype(np.float16),
    "sparse": sparse.csr_array,
    "frame": pd.DataFrame,
}


@pytest.fixture(scope="module")
def directions():
    """Four directions; the lengths of the rows say nothing."""
    rng = np.random.default_rng(0)
    centers, y = rng.standard_normal((4, 12)), rng.integers(0, 4, 400)
    X = centers[y] + 0.15 * rng.standard_normal((400, 12))
    return X * rng.lognormal(0, 1.5, size=(400, 1)), y


def fit(X, **options):
    return EnsembleClusterer(random_state=0, verbose=False, **options).fit(X)


@pytest.mark.parametrize("form", FORMS)
def test_lengths_do_not_count(form, directions):
    X, y = directions
    X = FORMS[form](X)
    model = fit(X, metric="cosine")
    assert adjusted_rand_score(y, model.labels_) == 1
    assert model.reasons_[0] == SENTENCE
    longer = FORMS[form](3 * directions[0])
    assert (model.predict(longer) == model.labels_).all()


def test_as_rows_of_length_one(directions):
    X, y = directions
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    by_hand, plain = fit(unit), fit(X)
    assert (fit(X, metric="cosine").labels_ == by_hand.labels_).all()
    assert adjusted_rand_score(y, plain.labels_) < 1  # lengths count otherwise
    assert SENTENCE not in plain.reasons_
    assert clone(EnsembleClusterer(metric="cosine")).metric == "cosine"


@pytest.mark.parametrize("form", ["float32", "float16"])
def test_no_double_precision_on_the_way(form, directions, monkeypatch):
    seen = []
    choose, find = _landmarks._choose_landmarks, _landmarks._nearest_landmarks

    def chosen(X, *how):
        landmarks = choose(X, *how)
        seen.append((X[:1].dtype, landmarks.dtype))
        return landmarks

    def found(*given):
        nearest, squared = find(*given)
        seen.append((squared.dtype,))
        return nearest, squared

    monkeypatch.setattr(_landmarks, "_choose_landmarks", chosen)
    monkeypatch.setattr(_landmarks, "_nearest_landmarks", found)
    for metric in ("euclidean", "cosine"):
        model = fit(FORMS[form](directions[0]), metric=metric, n_members=4)
        assert model._nearest.rows.dtype == np.float32
    assert {kind for kinds in seen for kind in kinds} == {np.dtype(np.float32)}


@pytest.mark.parametrize("form", FORMS)
def test_the_whole_walk(form, directions, tmp_path):
    X = FORMS[form](directions[0])
    result = pluribus.cluster(X, metric="cosine", verbose=False)
    assert (result.labels == fit(X, metric="cosine").labels_).all()  # columns are not scaled
    assert result.metric == "cosine"
    assert result.parameters["metric"] == "cosine"
    assert result.parameters["scale"] == "none"
    assert result.reasons[0] == SENTENCE
    assert SENTENCE in result.notes
    new = FORMS[form](directions[0][:30] * 7)
    assert (result.predict(new) == result.labels[:30]).all()
    again = load(result.save(tmp_path / "one.pluribus"))
    assert again.metric == "cosine"
    assert again.reasons == result.reasons
    assert np.array_equal(again.predict_proba(new), result.predict_proba(new))


def test_scale_can_be_given(directions):
    result = pluribus.cluster(directions[0], metric="cosine", scale="standard", verbose=False)
    assert result.parameters["scale"] == "standard"
    assert np.allclose(np.linalg.norm(result.features, axis=1), 1)
    assert pluribus.cluster(directions[0][:50], 2, verbose=False).parameters["scale"] == "standard"


def test_direct_methods_too(directions):
    X, y = directions
    result = pluribus.cluster(X, 4, method="pckmeans", metric="cosine", verbose=False)
    assert adjusted_rand_score(y, result.labels) == 1


def test_command_line(directions, tmp_path):
    frame = pd.DataFrame(directions[0].copy(), columns=[f"f{j}" for j in range(12)])
    frame.insert(0, "id", [f"r{i}" for i in range(len(frame))])
    frame.to_csv(tmp_path / "rows.csv", index=False)
    out = tmp_path / "out"
    done = CliRunner().invoke(app, ["cluster", str(tmp_path / "rows.csv"), "--metric", "cosine", "--out", str(out)])
    assert done.exit_code == 0, done.output
    assert "compared by the cosine" in " ".join(done.output.split())
    assert SENTENCE in (out / "report.html").read_text()
    assert load(out).metric == "cosine"
    frame.loc[[2, 5], frame.columns[1:]] = 0
    frame.to_csv(tmp_path / "zeros.csv", index=False)
    done = CliRunner().invoke(app, ["cluster", str(tmp_path / "zeros.csv"), "--metric", "cosine"])
    assert done.exit_code != 0
    assert "2 rows of X hold 0 in every column: 'r2', 'r5'" in " ".join(done.output.split())


def test_refused_before_work(directions, tmp_path, monkeypatch):
    X = directions[0].copy()
    X[3] = 0
    for given in (X, sparse.csr_array(X)):
        with pytest.raises(TableError, match="hold 0 in every column: '3'"):
            fit(given, metric="cosine")
    model = fit(directions[0], metric="cosine", n_members=4)
    with pytest.raises(TableError, match="hold 0 in every column"):
        model.predict(X)
    with pytest.raises(ValueError, match="metric='cos': give 'euclidean' or 'cosine'"):
        pluribus.cluster(X, metric="cos")
    with pytest.raises(ValueError, match="the table holds distances"):
        pluribus.cluster(np.ones((4, 4)) - np.eye(4), metric="cosine", distances=True)
    pd.DataFrame(directions[0]).rename(columns=str).to_parquet(tmp_path / "x.parquet")
    with pytest.raises(TableError, match="needs the rows in memory"):
        fit(tmp_path / "x.parquet", metric="cosine")


def test_an_unknown_metric_in_a_file(directions, tmp_path):
    result = pluribus.cluster(directions[0][:40], 2, members=4, metric="cosine", verbose=False)
    result.parameters["metric"] = "chess"
    with pytest.raises(ArchiveError, match="'chess' is no metric"):
        load(result.save(tmp_path / "bad.pluribus"))
