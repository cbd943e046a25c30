import decimal
import os

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pluribus.tables import Table, TableError, open_rows, prepare, read_table
from pluribus.tables._survey import SURVEYED, _read_together

RNG = np.random.default_rng(0)


def written(path, frame, **options):
    frame.to_parquet(path, **options)
    return path


@pytest.mark.parametrize("row_group_size", [1, 7, 50, 1000])
@pytest.mark.parametrize("size", [1, 8, 33, 500])
def test_blocks_and_rows_do_not_depend_on_row_groups(tmp_path, row_group_size, size):
    X = RNG.normal(size=(101, 3)).astype(np.float32)
    rows = open_rows(
        written(tmp_path / "X.parquet", pd.DataFrame(X, columns=list("abc")), row_group_size=row_group_size)
    )
    for same in (rows, open_rows(X)):
        assert same.shape == X.shape
        assert same.dtype == np.float32
        blocks = list(same.blocks(size))
        assert [start for start, _ in blocks] == list(range(0, 101, size))
        assert np.array_equal(np.concatenate([block for _, block in blocks]), X)
        for wanted in (
            np.arange(101),
            np.array([0, 49, 50, 100]),
            np.array([77]),
            np.array([], dtype=int),
            np.array([60, 3, 3, 100, 59]),
        ):
            assert np.array_equal(same.take(wanted), X[wanted])


@pytest.mark.parametrize("row", [-1, 5])
def test_rows_that_are_not_there(tmp_path, row):
    rows = open_rows(written(tmp_path / "X.parquet", pd.DataFrame({"a": np.arange(5.0)})))
    with pytest.raises(IndexError, match="rows 0 to 4"):
        rows.take(np.array([0, row]))


def test_row_groups_larger_than_a_batch(tmp_path, monkeypatch):
    monkeypatch.setattr("pluribus.tables._parquet_rows.BATCH", 10)
    X = RNG.normal(size=(95, 2))
    rows = open_rows(written(tmp_path / "X.parquet", pd.DataFrame(X, columns=list("ab")), row_group_size=60))
    assert np.array_equal(np.concatenate([block for _, block in rows.blocks(16)]), X)
    assert np.array_equal(rows.take(np.array([3, 12, 61, 94])), X[[3, 12, 61, 94]])


def test_kinds_of_columns(tmp_path):
    frame = pd.DataFrame(
        {
            "single": np.arange(4, dtype=np.float32),
            "whole": np.arange(4),
            "yes": [True, False, True, False],
            "money": [decimal.Decimal("1.50")] * 4,
            "a.b": np.ones(4, dtype=np.float32),
            "who": list("wxyz"),
        }
    )
    path = written(tmp_path / "X.parquet", frame)
    rows = open_rows(path, id_column="who")
    assert rows.names == ("single", "whole", "yes", "money", "a.b")
    assert rows.dtype == np.float64
    assert rows.take(np.array([1])).tolist() == [[1.0, 1.0, 0.0, 1.5, 1.0]]
    assert rows.ids().tolist() == list("wxyz")
    assert open_rows(path, columns=["a.b", "single"]).dtype == np.float32
    assert open_rows(path, columns=["single"]).ids() is None
    with pytest.raises(TableError, match=r"numbers only.*'who' \("):
        open_rows(path)
    with pytest.raises(TableError, match="no column 'b'"):
        open_rows(path, columns=["b"])
    with pytest.raises(TableError, match="no column 'name'"):
        open_rows(path, id_column="name")
    with pytest.raises(TableError, match="no columns"):
        open_rows(path, columns=[])


def test_a_pandas_index_is_no_column(tmp_path):
    frame = pd.DataFrame({"a": [1.0, 2.0]}, index=["x", "y"])
    assert open_rows(written(tmp_path / "X.parquet", frame)).names == ("a",)
    nested = pd.DataFrame({"a": [1.0, 2.0]}, index=pd.MultiIndex.from_tuples([(0, 1), (0, 2)]))
    path = written(tmp_path / "nested.parquet", nested)
    assert open_rows(path).names == ("a",)
    assert read_table(path).frame.columns.tolist() == ["a"]
    path = written(tmp_path / "named.parquet", pd.DataFrame({"a": [1.0, 2.0, 3.0], "n": [8, 7, 9]}).set_index("n"))
    assert open_rows(path).names == ("a",)
    assert open_rows(path, columns=["n"]).take(np.array([1])).tolist() == [[7.0]]
    assert open_rows(path, id_column="n").ids().tolist() == ["8", "7", "9"]
    for table in (read_table(path), read_table(path, id_column="n")):
        assert table.frame.columns.tolist() == ["a"]
        assert table.ids.tolist() == ["8", "7", "9"]
    path = written(tmp_path / "repeated.parquet", pd.DataFrame({"a": [1.0, 2.0, 3.0], "n": [8, 7, 8]}).set_index("n"))
    assert read_table(path).notes == ("Left out the index of the data frame: 'n'.",)
    assert read_table(path, ignore=["n"]).frame.columns.tolist() == ["a"]


class TestFilesThatChange:
    @pytest.mark.parametrize("n", [50, 100, 150])
    def test_between_opening_and_reading(self, tmp_path, n):
        path = tmp_path / "X.parquet"
        rows = open_rows(written(path, pd.DataFrame({"a": np.arange(100.0), "id": np.arange(100)})), id_column="id")
        written(path, pd.DataFrame({"a": np.arange(n) + 1.0, "id": np.arange(n)}))
        os.utime(path, ns=(1, 1))
        for read in (lambda: rows.survey, lambda: rows.take(np.array([99])), rows.ids, lambda: list(rows.blocks(7))):
            with pytest.raises(TableError, match="changed while it was read"):
                read()

    @pytest.mark.parametrize("content", [b"", b"PAR1 and no more"])
    def test_while_reading(self, tmp_path, content):
        path = tmp_path / "X.parquet"
        blocks = open_rows(written(path, pd.DataFrame({"a": np.arange(100.0)}), row_group_size=10)).blocks(10)
        next(blocks)
        path.write_bytes(content)
        with pytest.raises(TableError, match="changed while it was read"):
            list(blocks)

    def test_maps(self, tmp_path):
        path = tmp_path / "X.npy"
        np.save(path, np.zeros((1000, 2)))
        rows = open_rows(path)
        np.save(path, np.zeros((10, 2)))
        for read in (lambda: rows.survey, lambda: rows.take(np.array([99])), lambda: rows.in_memory):
            with pytest.raises(TableError, match="changed while it was read"):
                read()


def test_column_names(tmp_path):
    twice = pa.table([pa.array([1.0, 2.0])] * 2, names=["a", "a"])
    pq.write_table(twice, tmp_path / "twice.parquet")
    with pytest.raises(TableError, match="more than one column named 'a'"):
        open_rows(tmp_path / "twice.parquet")
    path = written(tmp_path / "X.parquet", pd.DataFrame({"a": [1.0], "b": [2.0]}))
    with pytest.raises(TableError, match="names more than once"):
        open_rows(path, columns=["b", "b"])
    with pytest.raises(TableError, match="give a list of names"):
        open_rows(path, columns="ab")


class TestGaps:
    def test_missing_ones_are_known_beforehand(self, tmp_path):
        frame = pd.DataFrame({"a": np.arange(30.0), "b": np.arange(30.0)})
        table = pa.table({"a": frame["a"], "b": [None if i == 17 else float(i) for i in range(30)]})
        pq.write_table(table, tmp_path / "X.parquet", row_group_size=8)
        with pytest.raises(TableError, match=r"'b' \(1 missing\)"):
            open_rows(tmp_path / "X.parquet")
        assert open_rows(tmp_path / "X.parquet", columns=["a"]).shape == (30, 1)

    def test_missing_ones_the_file_does_not_tell_of(self, tmp_path):
        table = pa.table({"b": [None if i == 17 else float(i) for i in range(30)]})
        pq.write_table(table, tmp_path / "X.parquet", row_group_size=8, write_statistics=False)
        with pytest.raises(TableError, match="column 'b', the first in data row 18"):
            _ = open_rows(tmp_path / "X.parquet").survey

    def test_nan_in_the_middle_of_a_row_group(self, tmp_path):
        X = np.ones((200, 3))
        X[130, 1] = np.nan
        X[140, 1] = np.inf
        X[150, 2] = -np.inf
        table = pa.table({name: pa.array(column) for name, column in zip("abc", X.T, strict=True)})  # NaN, not null
        pq.write_table(table, tmp_path / "X.parquet", row_group_size=50)
        for rows in (open_rows(tmp_path / "X.parquet"), open_rows(X)):
            with pytest.raises(TableError, match=r"2 columns: '.*' \(2\), '.*' \(1\); the first is in data row 131"):
                _ = rows.survey


class TestStandardized:
    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    def test_mean_and_variance_are_streamed(self, dtype, monkeypatch):
        monkeypatch.setattr("pluribus.tables._survey.SURVEYED", 64)
        X = (1e4 + RNG.normal(size=(1000, 3)) * [1, 20, 0]).astype(dtype)
        rows = open_rows(X).standardized()
        assert rows.dtype == dtype
        expected = (X - X.mean(axis=0, dtype=float)) / np.array([*X.astype(float).std(axis=0)[:2], np.inf])
        np.testing.assert_allclose(rows.take(np.arange(1000)), expected, rtol=1e-4, atol=1e-5)
        parts = [block for _, block in rows.blocks(77)]
        assert np.array_equal(np.concatenate(parts), rows.take(np.arange(1000)))

    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    def test_are_the_numbers_of_a_table_prepared_whole(self, dtype, monkeypatch):
        monkeypatch.setattr("pluribus.tables._survey.SURVEYED", 64)
        X = (RNG.normal(size=(1000, 4)) * [1, 20, 1e-3, 1e5] + [0, 1e4, 5, 0]).astype(dtype)
        for d in (1, 2, 4):
            table = Table(pd.DataFrame(X[:, :d]), np.arange(1000).astype(str), "X")
            rows = open_rows(X[:, :d]).standardized()
            assert np.array_equal(rows.take(np.arange(1000)), prepare(table).X)
            assert rows.survey.digest == open_rows(prepare(table).X).survey.digest
        assert np.array_equal(open_rows(X).survey.mean[:2], open_rows(X[:, :2]).survey.mean)

    def test_constant_columns(self):
        X = np.column_stack([np.ones(90), np.full(90, 0.1) + 1e-16, np.r_[np.zeros(89), 1e-9], np.repeat(3.7e5, 90)])
        X[::2, 3] *= 1 + 2e-16
        assert open_rows(X).survey.constant.tolist() == [True, True, False, True]
        assert (open_rows(X).standardized().take(np.arange(90))[:, [0, 1, 3]] == 0).all()

    def test_digests_tell_data_apart(self):
        X = RNG.normal(size=(100, 2))
        other = X.copy()
        other[50, 1] += 1e-9
        digests = {open_rows(x).survey.digest for x in (X, other, X.astype(np.float32), X[:99])}
        digests.add(open_rows(X).standardized().survey.digest)
        assert len(digests) == 5
        assert open_rows(X.copy()).survey.digest in digests


class TestWideTables:
    @pytest.mark.parametrize("d", [3, 1000, 20_000])
    def test_are_read_by_bytes(self, d):
        rows = open_rows(np.broadcast_to(np.float32(1), (100_000, d)))
        assert _read_together(rows) * d * 4 <= 100e6
        assert _read_together(rows) % SURVEYED == 0

    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    def test_surveys_do_not_depend_on_that(self, dtype, monkeypatch):
        X = (RNG.normal(size=(5000, 7)) * 1e3 + 5).astype(dtype)
        one = open_rows(X).survey
        monkeypatch.setattr("pluribus.tables._survey._READ", 1)
        for same, other in zip(one, open_rows(X).survey, strict=True):
            assert np.array_equal(same, other)

    def test_batches_of_a_row_or_more(self, tmp_path, monkeypatch):
        monkeypatch.setattr("pluribus.tables._parquet_rows._BATCH_BYTES", 40)
        X = RNG.normal(size=(20, 3))
        rows = open_rows(written(tmp_path / "X.parquet", pd.DataFrame(X, columns=list("abc"))))
        assert np.array_equal(rows.take(np.arange(20)), X)


class TestExtremeSizes:
    @pytest.mark.parametrize("size", [1e160, 1e300, 1.7e308])
    def test_too_large_to_be_squared(self, size):
        X = RNG.uniform(-1, 1, size=(3000, 2)) * [1, size]
        with pytest.raises(TableError, match="1 column are too large to be squared: 'x1'"):
            open_rows(X).standardized()

    def test_too_small_to_be_squared(self):
        X = RNG.uniform(-1, 1, size=(3000, 2)) * [1, 1e-200]
        with pytest.raises(TableError, match="too close to each other.*'x1'"):
            open_rows(X).standardized()

    @pytest.mark.parametrize("size", [1e-38, 1e-20, 1e30])
    def test_single_precision_is_scaled_in_double(self, size):
        X = (RNG.uniform(-1, 1, size=(300, 2)) * size).astype(np.float32)
        np.testing.assert_allclose(open_rows(X).standardized().take(np.arange(300)).std(axis=0), 1, rtol=1e-5)


class TestArrays:
    def test_no_copies(self, tmp_path):
        X = RNG.normal(size=(50, 2))
        assert all(np.shares_memory(block, X) for _, block in open_rows(X).blocks(16))
        np.save(tmp_path / "X.npy", X)
        rows = open_rows(tmp_path / "X.npy")
        assert isinstance(rows.in_memory, np.memmap)
        assert open_rows(rows) is rows

    @pytest.mark.parametrize("bad", [np.zeros(3), np.zeros((0, 2)), np.zeros((2, 0)), np.zeros((2, 2), dtype=int)])
    def test_refused(self, bad):
        with pytest.raises(TableError):
            open_rows(bad)
        with pytest.raises(TableError, match="for Parquet files"):
            open_rows(np.zeros((2, 2)), columns=["a"])

    def test_files_that_cannot_be_read(self, tmp_path):
        for name in ("X.parquet", "X.npy"):
            with pytest.raises(TableError, match="does not exist"):
                open_rows(tmp_path / name)
            (tmp_path / name).write_bytes(b"PAR1 and no more")
            with pytest.raises(TableError, match="cannot|can be read"):
                open_rows(tmp_path / name)
            (tmp_path / f"directory-{name}").mkdir()
            with pytest.raises(TableError, match="is a directory"):
                open_rows(tmp_path / f"directory-{name}")
        empty = written(tmp_path / "empty.parquet", pd.DataFrame({"a": np.zeros(0)}))
        with pytest.raises(TableError, match="no rows"):
            open_rows(empty)
