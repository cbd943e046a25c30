"""Parquet, NPZ, and files that are neither."""

import datetime
import decimal
import io
import os
import pickle
import zipfile

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pluribus import Ensemble
from pluribus.tables import TableError, prepare, read_table


@pytest.fixture
def frame():
    columns = {"name": ["u", "v", "w"], "a": [1, 2, 3], "b.c": [0.5, None, 1.5], "t": ["x", "y", "x"]}
    return pd.DataFrame(columns)


class TestParquet:
    def test_round_trip(self, tmp_path, frame):
        frame.to_parquet(tmp_path / "data.parquet")
        table = read_table(tmp_path / "data.parquet", id_column="name", ignore=["t"])
        assert table.ids.tolist() == ["u", "v", "w"]
        assert list(table.frame) == ["a", "b.c"]
        pd.testing.assert_frame_equal(table.frame, frame[["a", "b.c"]])

    def test_index_names_the_rows(self, tmp_path, frame):
        frame.index = pd.Index([10, 30, 20])
        frame.to_parquet(tmp_path / "data.parquet")
        table = read_table(tmp_path / "data.parquet")
        assert table.ids.tolist() == ["10", "30", "20"]
        assert list(table.frame) == list(frame)

    def test_types_that_pandas_holds_as_objects(self, tmp_path):
        columns = {
            "price": pa.array([decimal.Decimal("1.5"), None, decimal.Decimal("3")]),
            "day": pa.array([datetime.date(2024, 1, 2), datetime.date(9999, 12, 31), None]),
            "time": pa.array([datetime.time(0, 1), datetime.time(1), None]),
            "kind": pa.array(["x", "y", "x"]).dictionary_encode(),
            "step": pa.array([3, 4, 3]).dictionary_encode(),
        }
        pq.write_table(pa.table(columns), tmp_path / "data.pq")
        frame = read_table(tmp_path / "data.pq").frame
        assert frame["price"].dtype == np.float64
        assert frame["day"].dtype.kind == "M"
        assert frame["day"].dt.year.tolist()[:2] == [2024, 9999]
        assert frame["time"].dt.total_seconds().tolist()[:2] == [60, 3600]
        assert frame["kind"].tolist() == ["x", "y", "x"]
        assert frame["step"].tolist() == [3, 4, 3]

    def test_nested_columns_are_dropped_with_a_note(self, tmp_path):
        columns = {
            "a": [1.0, 2.0],
            "list": [[1], [2, 3]],
            "struct": [{"x": 1}, {"x": 2}],
            "raw": [b"1", b"2"],
        }
        pq.write_table(pa.table(columns), tmp_path / "data.parquet")
        prepared = prepare(read_table(tmp_path / "data.parquet"))
        assert prepared.feature_names == ["a"]
        assert sum(note.startswith("Dropped") for note in prepared.notes) == 3

    def test_float32(self, tmp_path):
        pd.DataFrame({"a": np.float32([1, 2, 4])}).to_parquet(tmp_path / "data.parquet")
        assert prepare(read_table(tmp_path / "data.parquet")).X.dtype == np.float32

    @pytest.mark.parametrize("damage", [lambda b: b[:-7], lambda b: b"", lambda b: b"a,b\n1,2\n"])
    def test_corrupt(self, tmp_path, frame, damage):
        path = tmp_path / "data.parquet"
        frame.to_parquet(path)
        path.write_bytes(damage(path.read_bytes()))
        with pytest.raises(TableError, match="not a Parquet file that can be read"):
            read_table(path)

    def test_damage_inside(self, tmp_path, frame):
        path = tmp_path / "data.parquet"
        frame.to_parquet(path)
        content = bytearray(path.read_bytes())
        content[4:60] = b"\xff" * 56
        path.write_bytes(content)
        with pytest.raises(TableError, match="not a Parquet file that can be read"):
            read_table(path)

    def test_unknown_columns(self, tmp_path, frame):
        frame.to_parquet(tmp_path / "data.parquet")
        with pytest.raises(TableError, match="Its columns are 'name', 'a', 'b.c', 't'"):
            read_table(tmp_path / "data.parquet", id_column="nobody")

    def test_too_few_rows(self, tmp_path, frame):
        for n, message in [(0, "no rows"), (1, "one row")]:
            frame.head(n).to_parquet(tmp_path / "data.parquet")
            with pytest.raises(TableError, match=message):
                read_table(tmp_path / "data.parquet")


class TestNpz:
    def test_all_parts(self, tmp_path):
        X = np.float32([[1, 2], [3, 4]])
        np.savez(tmp_path / "data.npz", X=X, ids=np.array(["u", "v"]), feature_names=np.array(["a", "b"]))
        table = read_table(tmp_path / "data.npz")
        assert table.ids.tolist() == ["u", "v"]
        assert list(table.frame) == ["a", "b"]
        assert (table.frame.dtypes == np.float32).all()
        assert list(read_table(tmp_path / "data.npz", ignore=["a"]).frame) == ["b"]
        assert read_table(tmp_path / "data.npz", id_column="a").ids.tolist() == ["1.0", "3.0"]

    @pytest.mark.parametrize("kind", [bool, np.uint8, np.int64, np.float16, ">f8", np.longdouble, "U3"])
    def test_types(self, tmp_path, kind):
        X = np.array([[0, 1], [1, 0], [1, 1]]).astype(kind)
        np.savez_compressed(tmp_path / "data.npz", matrix=X, y=np.arange(3))
        table = read_table(tmp_path / "data.npz")
        assert list(table.frame) == ["x0", "x1"]
        prepared = prepare(table, scale="none")
        expected = X == "1" if kind == "U3" else X
        np.testing.assert_array_equal(prepared.X, expected.astype(float))
        assert prepared.X.dtype == (np.float32 if kind is np.float16 else np.float64)

    @pytest.mark.parametrize(
        ("arrays", "message"),
        [
            ({}, "no array 'X' and 0 arrays with two dimensions; it holds nothing"),
            ({"a": np.ones(3)}, "no array 'X' and 0 arrays with two dimensions; it holds 'a'"),
            ({"a": np.ones((2, 2)), "b": np.ones((2, 2))}, "2 arrays with two dimensions"),
            ({"X": np.ones(3)}, r"'X' of .* has shape \(3,\)"),
            ({"X": np.ones((3, 1), complex)}, "of type complex128"),
            ({"X": np.ones((3, 2)), "ids": np.arange(2)}, r"'ids' of .* has shape \(2,\), but X has 3 rows"),
            ({"X": np.ones((3, 2)), "feature_names": np.array(["a"])}, "but X has 2 columns"),
            ({"X": np.ones((3, 2)), "feature_names": np.array(["a", "a"])}, "more than one column named 'a'"),
            ({"X": np.ones((3, 2)), "ids": np.array(["u", "v", "u"])}, "duplicate ids: 'u'"),
            ({"X": np.array([[1, "a"], [None, 2]], dtype=object)}, "Array 'X' of .* holds Python objects"),
            ({"X": np.ones((2, 2)), "ids": np.array(["u", None])}, "Array 'ids' of .* holds Python objects"),
        ],
    )
    def test_refused(self, tmp_path, arrays, message):
        np.savez(tmp_path / "data.npz", **arrays)
        with pytest.raises(TableError, match=message):
            read_table(tmp_path / "data.npz")

    @pytest.mark.parametrize("damage", [lambda b: b[:100], lambda b: b"", lambda b: pickle.dumps([1])])
    def test_not_an_npz(self, tmp_path, damage):
        path = tmp_path / "data.npz"
        np.savez(path, X=np.ones((9, 9)))
        path.write_bytes(damage(path.read_bytes()))
        with pytest.raises(TableError, match="not an NPZ file"):
            read_table(path)

    def test_damage_inside(self, tmp_path):
        path = tmp_path / "data.npz"
        np.savez_compressed(path, X=np.random.default_rng(0).normal(size=(50, 9)))
        content = bytearray(path.read_bytes())
        content[200:900] = b"\0" * 700
        path.write_bytes(content)
        with pytest.raises(TableError, match="is damaged"):
            read_table(path)

    def test_a_pickle_inside_is_never_run(self, tmp_path):
        class Bomb:
            def __reduce__(self):
                return os.mkdir, (str(tmp_path / "exploded"),)

        np.savez(tmp_path / "data.npz", X=np.array([[Bomb()]], dtype=object))
        with pytest.raises(TableError, match="could run code"):
            read_table(tmp_path / "data.npz")
        assert not (tmp_path / "exploded").exists()


class TestPath:
    def test_missing(self, tmp_path):
        with pytest.raises(TableError, match="does not exist"):
            read_table(tmp_path / "data.csv")

    def test_directory(self, tmp_path):
        with pytest.raises(TableError, match="is a directory"):
            read_table(tmp_path)

    @pytest.mark.parametrize("name", ["data.xlsx", "data", "data.npy", "data.npz.gz", "data.gz"])
    def test_unknown_ending(self, tmp_path, name):
        (tmp_path / name).write_bytes(b"a,b\n1,2\n3,4\n")
        with pytest.raises(TableError, match=r"not read here .* Save the table as one of .csv"):
            read_table(tmp_path / name)

    def test_case_of_the_ending(self, tmp_path):
        (tmp_path / "DATA.CSV").write_bytes(b"a,b\n1,2\n3,4\n")
        assert len(read_table(str(tmp_path / "DATA.CSV")).frame) == 2

    @pytest.mark.skipif(os.name != "posix", reason="needs a file that cannot be opened")
    def test_unreadable(self, tmp_path):
        path = tmp_path / "data.csv"
        path.symlink_to("/proc/self/mem")
        with pytest.raises(TableError, match="cannot be read"):
            read_table(path)


def test_an_array_that_claims_more_than_there_is(tmp_path):
    """Memory for what the header claims, 8 TB, is never asked for."""
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": (10**11, 10)})
    with zipfile.ZipFile(tmp_path / "claims.npz", "w") as archive:
        archive.writestr("X.npy", header.getvalue() + bytes(800))
    with pytest.raises(TableError, match=r"damaged \(X claims to be float64 of shape \(100000000000, 10\), but has"):
        read_table(tmp_path / "claims.npz")
    with pytest.raises(ValueError, match="claims to be float64"):
        Ensemble.read(tmp_path / "claims.npz")
