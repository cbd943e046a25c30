"""Rows in Dask, read here by the threads of this process."""

import pickle

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from dask import delayed

from pluribus.tables import TableError, open_rows
from pluribus.tables._internal import BLOCK, taken

N = 2 * BLOCK + 100


@pytest.fixture(scope="module", autouse=True)
def here():
    import dask

    with dask.config.set(scheduler="threads"):
        yield


@pytest.fixture(scope="module")
def X():
    return np.random.default_rng(0).normal(3, 2, size=(N, 3)).astype(np.float32)


@pytest.fixture(scope="module")
def frame(X):
    return pd.DataFrame(X, columns=list("abc"))


def sources(X, frame):
    array = da.from_array(X, chunks=(1000, 2))
    unknown = dd.from_pandas(frame, npartitions=3).to_dask_array()
    return [array, dd.from_pandas(frame, npartitions=3), unknown]


def test_rows_are_those_of_the_array(X, frame, monkeypatch):
    monkeypatch.setattr("pluribus.tables._dask_rows.CHUNK", 1)
    some = np.array([0, 5, BLOCK, N - 1])
    expected = open_rows(X)
    for source in sources(X, frame):
        rows = open_rows(source)
        assert (rows.shape, rows.dtype) == (X.shape, X.dtype)
        assert rows.array.chunks[0] == (BLOCK, BLOCK, 100)
        np.testing.assert_array_equal(rows.take(some), X[some])
        np.testing.assert_array_equal(np.vstack([block for _, block in rows.blocks(10_000)]), X)
        assert rows.survey.digest == expected.survey.digest
        scaled, plain = rows.standardized(), expected.standardized()
        np.testing.assert_array_equal(scaled.take(some), plain.take(some))
        assert scaled.survey.digest == plain.survey.digest
    assert open_rows(sources(X, frame)[1]).names == ("a", "b", "c")


def test_other_numbers_become_float64():
    rows = open_rows(da.from_array(np.arange(8).reshape(4, 2)))
    assert rows.take(np.array([3])).tolist() == [[6.0, 7.0]]
    assert rows.dtype == np.float64
    mixed = pd.DataFrame({"a": np.arange(3, dtype=np.float32), "b": [True, False, True]})
    assert open_rows(dd.from_pandas(mixed, npartitions=1)).dtype == np.float64


def test_pieces_read_elsewhere(X, frame, tmp_path, monkeypatch):
    frame.to_parquet(tmp_path / "X.parquet", row_group_size=5000)
    monkeypatch.chdir(tmp_path)
    rows = open_rows("X.parquet")
    plain = open_rows(X)
    sent = pickle.dumps([rows.piece(range(4990, 5010)), rows.standardized().piece(np.array([1, 7000]))])
    monkeypatch.chdir("/")
    first, second = pickle.loads(sent)
    np.testing.assert_array_equal(taken(first), X[4990:5010])
    np.testing.assert_array_equal(taken(second), plain.standardized().take(np.array([1, 7000])))
    np.testing.assert_array_equal(taken(plain.piece(range(3, 5))), X[3:5])
    np.testing.assert_array_equal(taken(plain.standardized().piece(range(3, 5))), plain.standardized().take([3, 4]))
    (tmp_path / "X.parquet").unlink()
    with pytest.raises(TableError, match=r"finds no such file.*storage that all machines share"):
        taken(first)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (da.zeros(5), "is no table"),
        (da.zeros((0, 3)), "is no table"),
        (da.from_array(np.array([["a"]])), "give numbers"),
        (delayed(3), "give a dask array or data frame"),
        (dd.from_pandas(pd.DataFrame({"a": [1.0], "b": ["x"]}), npartitions=1), "without numbers: 'b'"),
    ],
)
def test_refused(source, message):
    with pytest.raises(TableError, match=message):
        open_rows(source)


def test_gaps_are_refused():
    with pytest.raises(TableError, match="'x1' "):
        _ = open_rows(da.from_array(np.array([[1.0, np.nan], [2.0, 3.0]]))).survey
