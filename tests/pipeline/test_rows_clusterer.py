import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn import get_config
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score
from sklearn.neighbors import KNeighborsClassifier

from pluribus import EnsembleClusterer
from pluribus.generate import Generator
from pluribus.pipeline import _nearest_rows
from pluribus.tables import TableError, open_rows

CENTERS = [[0, 0, 0], [9, 0, 0], [0, 9, 0], [0, 0, 9]]


@pytest.fixture(scope="module")
def blobs():
    X, y = make_blobs(11_000, 3, centers=CENTERS, random_state=0)
    return X.astype(np.float32), y


def model(**options):
    return EnsembleClusterer(
        Generator(n_members=4, n_clusters=(10, 20)), n_clusters=4, random_state=0, verbose=False, **options
    )


def test_rows_in_files_give_the_labels_of_the_array(blobs, tmp_path):
    X, y = blobs
    np.save(tmp_path / "X.npy", X)
    pd.DataFrame(X.copy(), columns=list("abc")).to_parquet(tmp_path / "X.parquet", row_group_size=999)
    expected = model().fit(X)
    assert adjusted_rand_score(y, expected.labels_) > 0.99
    new = X[::100]
    for same in (np.load(tmp_path / "X.npy", mmap_mode="r"), tmp_path / "X.parquet", open_rows(tmp_path / "X.parquet")):
        fitted = model(n_jobs=2).fit(same)
        assert np.array_equal(fitted.labels_, expected.labels_)
        assert fitted.n_features_in_ == 3
        assert np.array_equal(fitted.predict(new), expected.predict(new))
    copy = pickle.loads(pickle.dumps(fitted))
    assert np.array_equal(copy.predict(new), expected.predict(new))


def test_standardized_rows(blobs, tmp_path):
    X, y = blobs
    frame = pd.DataFrame(X * [1, 1000, 1], columns=list("abc")).assign(flat=7)
    frame.to_parquet(tmp_path / "X.parquet")
    assert adjusted_rand_score(y, model().fit(open_rows(tmp_path / "X.parquet").standardized()).labels_) > 0.99


def test_the_array_is_not_copied(blobs):
    X, _ = blobs
    fitted = model().fit(X)
    assert fitted._nearest.rows is X or np.shares_memory(fitted._nearest.rows, X)
    assert "_search" not in vars(fitted._nearest)  # no tree before somebody asks


def test_a_sample_of_each_cluster_is_searched(blobs, monkeypatch):
    X, y = blobs
    monkeypatch.setattr(_nearest_rows, "KEPT", 1000)
    labels = np.where(np.arange(len(y)) < 10, 4, y)  # a small cluster
    nearest = _nearest_rows.NearestRows(X, labels, np.eye(5)[labels], 0)
    assert np.bincount(nearest.labels).tolist() == pytest.approx([250, 250, 250, 250, 10], abs=2)
    assert np.mean(nearest.predict(X) == labels) > 0.99
    again = _nearest_rows.NearestRows(open_rows(X), labels, np.eye(5)[labels], 0)
    assert np.array_equal(again.rows, nearest.rows)


def test_few_rows_are_all_searched(blobs):
    X, y = blobs
    all_rows = KNeighborsClassifier(5, weights="distance").fit(X, y)
    new = np.random.default_rng(0).uniform(-2, 10, size=(200, 3))
    assert np.array_equal(_nearest_rows.NearestRows(X, y, np.eye(4)[y], 0).predict(new), all_rows.predict(new))


def test_refused(blobs, tmp_path):
    X, _ = blobs
    frame = pd.DataFrame(X.copy(), columns=list("abc"))
    frame[:1].to_parquet(tmp_path / "one.parquet")
    with pytest.raises(ValueError, match="one row"):
        model().fit(tmp_path / "one.parquet")
    frame.loc[5, "b"] = np.nan
    frame.to_parquet(tmp_path / "gap.parquet")
    with pytest.raises(TableError, match="'b'"):
        model().fit(tmp_path / "gap.parquet")
    frame[["a"]].to_parquet(tmp_path / "a.parquet")
    with pytest.raises(ValueError, match="in memory"):
        model(consensus="liftkm").fit(tmp_path / "a.parquet")
    with pytest.raises(TableError, match="does not exist"):
        model().fit(tmp_path / "none.parquet")
    with pytest.raises(TableError, match="in parts"):
        model().fit(tmp_path / "table.csv")


def test_gaps_are_looked_for_once(monkeypatch):
    seen = []

    def generate(self, X, *args, generate=Generator.generate, **told):
        seen.append(get_config()["assume_finite"])
        return generate(self, X, *args, **told)

    monkeypatch.setattr(Generator, "generate", generate)
    X = np.random.default_rng(0).normal(size=(60, 2))
    EnsembleClusterer(Generator(n_members=3), n_clusters=2).fit(X)
    assert seen == [True]
    assert not get_config()["assume_finite"]
    X[3, 1] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        EnsembleClusterer(Generator(n_members=3), n_clusters=2).fit(X)


def test_prediction_of_rows_that_are_not_in_memory(blobs, tmp_path):
    X, _ = blobs
    fitted = model().fit(X[:5000])
    pd.DataFrame(X.copy(), columns=list("abc")).to_parquet(tmp_path / "X.parquet")
    np.save(tmp_path / "X.npy", X)
    expected = fitted.predict(X)
    for same in (tmp_path / "X.parquet", str(tmp_path / "X.npy"), open_rows(tmp_path / "X.parquet"), open_rows(X)):
        assert np.array_equal(fitted.predict(same), expected)
    with pytest.raises(ValueError, match="X has 2 features"):
        fitted.predict(open_rows(tmp_path / "X.parquet", columns=["a", "b"]))
