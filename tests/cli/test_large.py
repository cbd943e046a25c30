import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from pluribus.cli import _results
from pluribus.cli._cluster import run
from pluribus.cli._errors import Interrupted
from pluribus.generate import _members
from pluribus.generate._centers import Assignment
from pluribus.pipeline import _data
from pluribus.pipeline._data import Preparation, read_data
from pluribus.tables import TableError

CENTERS = [[0, 0], [9, 0], [0, 9]]


@pytest.fixture
def table(monkeypatch):
    monkeypatch.setattr(_data, "SHARE", 0)  # every table is large
    X, y = make_blobs(11_000, centers=CENTERS, random_state=0)
    frame = pd.DataFrame({"id": [f"r{i}" for i in range(len(X))], "a": X[:, 0], "b": 1000 * X[:, 1], "flat": 1.0})
    return frame, y


def job(path, **options):
    return run(path, **{"out": path.with_suffix(""), "members": 4, "quiet": True, "k": 3, **options})


@pytest.mark.parametrize("k", [3, "auto"])
def test_a_large_table_is_read_in_parts(table, tmp_path, k):
    frame, y = table
    frame.to_parquet(tmp_path / "big.parquet", row_group_size=3001)
    written = job(tmp_path / "big.parquet", k=k, method="hbgf" if k == 3 else "eac")
    labels = pd.read_csv(written["labels.csv"])
    assert labels["id"].tolist() == frame["id"].tolist()
    assert adjusted_rand_score(y, labels["cluster"]) > 0.99
    notes = " ".join(json.loads(written["model.json"].read_text())["notes"])
    assert "named by the column 'id'" in notes
    assert "is read in parts" in notes
    assert "2 numbers scaled to mean 0 and variance 1" in notes
    assert "dropped constant columns, which cannot tell objects apart: 'flat'" in notes


def with_all_kinds(frame):
    """Columns that are dropped, whole numbers, truth values, float32 beside float64."""
    rng = np.random.default_rng(0)
    return frame.drop(columns="id").assign(
        row=np.arange(len(frame)),
        user_id=rng.permutation(len(frame)),
        n_id=rng.integers(9, size=len(frame)),
        count=rng.integers(-5, 5, size=len(frame)),
        yes=frame["a"] > 4,
        single=rng.normal(size=len(frame)).astype(np.float32),
        rounded=np.where(frame["a"] > 4, 0.1 + 0.2, 0.3),
    )


@pytest.mark.parametrize("scale", ["standard", "none"])
@pytest.mark.parametrize("first", [0, 1])
def test_whole_and_in_parts_it_is_the_same_job(table, tmp_path, monkeypatch, scale, first):
    frame = with_all_kinds(table[0])
    path = tmp_path / "big.parquet"
    frame.to_parquet(path, row_group_size=3001)
    monkeypatch.setattr(_data, "SHARE", first)
    expected = pd.read_csv(job(path, scale=scale, out=tmp_path / "whole")["labels.csv"])
    write = _results.write_results
    monkeypatch.setattr(_results, "write_results", interrupted)
    with pytest.raises(Interrupted, match="4 members are kept"):
        job(path, scale=scale)
    monkeypatch.setattr(_results, "write_results", write)
    monkeypatch.setattr(_data, "SHARE", 1 - first)
    with monkeypatch.context() as patched:
        patched.setattr(_members, "learn_centers", None)  # all are there
        patched.setattr(Assignment, "labels", None)
        found = pd.read_csv(job(path, scale=scale, resume=True)["labels.csv"])
    pd.testing.assert_frame_equal(found, expected)


def interrupted(*_):
    raise KeyboardInterrupt


def test_single_precision_stays(table, tmp_path, monkeypatch):
    path = tmp_path / "big.parquet"
    table[0][["a", "b", "flat"]].astype(np.float32).to_parquet(path)
    parts = read_data(path, Preparation()).X
    monkeypatch.setattr(_data, "SHARE", 1)
    whole = read_data(path, Preparation()).X
    assert whole.dtype == np.float32
    assert np.array_equal(parts.take(np.arange(len(whole))), whole)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scale": "robust", "ignore": ["team"]}, "scale='robust' needs a whole column"),
        ({"impute": True, "ignore": ["team"]}, "impute=True needs a whole column"),
        ({"ignore": ["nothing"]}, "no column 'nothing'"),
        ({"ignore": ["id"]}, "'team'"),
        ({"ignore": ["team"], "method": "liftkm"}, "needs them in memory"),
        ({"ignore": ["team"], "method": "cop-kmeans", "members": None}, "needs the whole table"),
        ({"ignore": ["team", "id"], "id_column": "flat"}, "names several rows alike"),
    ],
)
def test_refused(table, tmp_path, options, message):
    frame, _ = table
    frame.assign(team="red").to_parquet(tmp_path / "big.parquet")
    with pytest.raises(ValueError, match=message):
        job(tmp_path / "big.parquet", **options)
    assert not (tmp_path / "big").exists()


def test_small_and_unreadable_files_are_read_as_ever(tmp_path):
    (tmp_path / "bad.parquet").write_text("no")
    with pytest.raises(TableError, match="not a Parquet file"):
        job(tmp_path / "bad.parquet")
    pd.DataFrame({"a": np.arange(6.0), "b": list("xyxyxy")}).to_parquet(tmp_path / "small.parquet")
    data = read_data(tmp_path / "small.parquet", Preparation())
    assert data.array.shape == (6, 2)


@pytest.mark.parametrize("share", [0, 0.35])
def test_names_of_columns_whole_and_in_parts(tmp_path, monkeypatch, share):
    monkeypatch.setattr(_data, "SHARE", share)
    pq.write_table(pa.table([pa.array([1.0, 2.0])] * 2, names=["a", "a"]), tmp_path / "twice.parquet")
    with pytest.raises(TableError, match="more than one column named 'a'"):
        job(tmp_path / "twice.parquet")
    levels = pd.MultiIndex.from_tuples([(i % 3, i % 7) for i in range(21)])
    pd.DataFrame({"a": np.sin(np.arange(21)), "b": np.cos(np.arange(21))}, index=levels).to_parquet(
        tmp_path / "nested.parquet"
    )
    assert read_data(tmp_path / "nested.parquet", Preparation()).feature_names == ("a", "b")
    frame = pd.DataFrame({"a": np.sin(np.arange(21)), "Id": np.arange(21) ** 2, "c": np.cos(np.arange(21))})
    for level in ("c", "Id"):
        frame.set_index(level).to_parquet(tmp_path / "named.parquet")
        data = read_data(tmp_path / "named.parquet", Preparation())
        assert data.feature_names == (("a",) if level == "c" else ("a", "c"))
        assert data.ids[:3].tolist() == ["0", "1", "4"]
