import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pluribus import Ensemble
from pluribus.partitions import as_ensemble
from pluribus.tables import TableError

label_arrays = arrays(
    np.int64,
    st.tuples(st.integers(1, 12), st.integers(1, 6)),
    elements=st.integers(-1, 4),
).map(lambda a: np.where((a < 0).all(axis=0), 0, np.where((a < 0).all(axis=1)[:, None], 0, a)))


def same_partition(a, b):
    return np.array_equal(a[:, None] == a[None], b[:, None] == b[None])


@given(label_arrays)
def test_labels_keep_their_meaning(labels):
    e = Ensemble(labels)
    assert e.labels.dtype == np.int8
    assert np.array_equal(e.labels == -1, labels == -1)
    for p in range(labels.shape[1]):
        assert same_partition(e.labels[:, p], labels[:, p])
        assert e.n_clusters[p] == len(set(labels[:, p]) - {-1})


@given(label_arrays)
def test_one_hot_counts_pairs(labels):
    e = Ensemble(labels)
    h = e.one_hot()
    seen = labels >= 0
    together = ((labels[:, None] == labels[None]) & seen[:, None] & seen[None]).sum(axis=2)
    assert np.array_equal((h @ h.T).toarray(), together)
    assert h.shape == (len(labels), e.n_clusters.sum())


@given(label_arrays)
def test_unique_rows_give_the_ensemble_back(labels):
    e = Ensemble(labels)
    rows = e.unique_rows()
    assert np.array_equal(rows.ensemble.labels[rows.inverse], e.labels)
    assert len(rows.counts) == len(np.unique(e.labels, axis=0))
    assert rows.counts.sum() == e.n_objects


def test_smallest_integer_type():
    assert Ensemble(np.arange(127)[:, None]).labels.dtype == np.int8
    assert Ensemble(np.arange(129)[:, None]).labels.dtype == np.int16
    assert Ensemble(np.arange(40_000)[:, None]).labels.dtype == np.int32


def test_all_containers_agree():
    columns = [[0, 0, 1, -1], [2, 0, 0, 2]]
    a = Ensemble(columns)
    array = np.array(columns).T
    assert a == Ensemble(array) == as_ensemble(np.asfortranarray(array)) == Ensemble(tuple(columns))
    frame = pd.DataFrame({"p0": columns[0], "p1": columns[1]})
    assert a == Ensemble(frame) == Ensemble(pl.from_pandas(frame))
    read_only = array.copy()
    read_only.flags.writeable = False
    assert Ensemble(read_only) == a
    with pytest.raises(ValueError, match="read-only"):
        a.labels[0, 0] = 3


@pytest.mark.parametrize(
    ("labels", "options", "word"),
    [
        ([], {}, "at least one partition"),
        ([[]], {}, "no objects"),
        ([[0, 1], [0, 1, 2]], {}, "'p1' has 3"),
        ([[0, -1], [0, -1]], {}, "in no partition"),
        ([[0, 1], [-1, None]], {}, "no labels at all"),
        (np.zeros(3, int), {}, r"Pass \[labels\]"),
        ([[0, 1]], {"weights": [-1]}, "non-negative"),
        ([[0, 1]], {"weights": [0]}, "not all zero"),
        ([[0, 1], [0, 1]], {"weights": [1e308, 1e308]}, "finite"),
        ([[0, 1]], {"weights": [np.nan]}, "finite"),
        ([[0, 1]], {"weights": [1, 1]}, "one number for each"),
        ([[0, 1]], {"names": ["a", "b"]}, "one name for each"),
        ([[0, 1], [0, 1]], {"names": ["a", "a"]}, "differ"),
        ([[0, 1]], {"ids": ["x"]}, "one value for each"),
        ("0101", {}, "list of label sequences"),
    ],
)
def test_bad_ensembles(labels, options, word):
    with pytest.raises(ValueError, match=word):
        Ensemble(labels, **options)


def test_duplicate_columns_of_a_frame():
    frame = pd.DataFrame([[0, 1], [1, 0]], columns=["a", "a"])
    with pytest.raises(ValueError, match="same name"):
        Ensemble(frame)


def test_parts_and_unions():
    a = Ensemble([[0, 0, 1], ["x", "y", None]], weights=[1, 3], ids=["i", "j", "k"])
    assert a.take_objects([2, 0]).ids.tolist() == ["k", "i"]
    b = a.take_partitions([0])
    assert b.weights.tolist() == [1]
    both = Ensemble.concat([a, b])
    assert both.names == ("p0", "p1", "p0.1")
    assert both.weights.tolist() == [1, 3, 1]
    assert both.contingency("p0", 2).tolist() == [[2, 0], [0, 1]]
    with pytest.raises(ValueError, match="in no partition"):
        a.take_partitions(["p1"])
    with pytest.raises(ValueError, match="No partition is called"):
        a.take_partitions(["zz"])
    with pytest.raises(ValueError, match="different numbers"):
        Ensemble.concat([a, Ensemble([[0, 1]])])
    with pytest.raises(ValueError, match="differently"):
        Ensemble.concat([a, Ensemble([[0, 1, 1]], ids=["k", "i", "j"])])


def test_soft_ensembles():
    u = [[0.9, 0.1], [0.2, 0.8], [0.0, 0.0]]
    v = [[1.0], [1.0], [1.0]]
    e = Ensemble.from_memberships([u, v])
    assert e.labels.tolist() == [[0, 0], [1, 0], [-1, 0]]
    assert e.soft_one_hot().shape == (3, 3)
    assert np.array_equal(e.take_objects([1]).memberships[0], [[0.2, 0.8]])
    mixed = Ensemble.concat([e, Ensemble([[0, 0, 1]])])
    assert mixed.memberships[2].tolist() == [[1, 0], [1, 0], [0, 1]]
    with pytest.raises(ValueError, match="lengths"):
        Ensemble.from_memberships([u, [[1.0]]])


@pytest.mark.parametrize("ending", ["csv", "parquet", "npz"])
@settings(max_examples=20)
@given(data=st.data())
def test_files_give_the_ensemble_back(tmp_path_factory, ending, data):
    labels = data.draw(label_arrays.filter(lambda a: len(a) > 1))
    e = Ensemble(labels, ids=[f"object {i}" for i in range(len(labels))])
    path = tmp_path_factory.mktemp("files") / f"e.{ending}"
    e.write(path)
    back = Ensemble.read(path, id_column="id" if ending == "csv" else None)
    assert back == e
    assert back.ids.tolist() == e.ids.tolist()


odd_labels = st.one_of(
    st.sampled_from(["NA", "?", "", " ", "null", "nan", "<NA>", "#N/A", "'NA'", "1", "01", " 1", "1.0", "-1", "1e5"]),
    st.sampled_from(
        ["True", "true", "false", "0", "inf", "0x1", "2020-01-01", "2020-01-01 00:00", "00:00", "00:00:00"]
    ),
    st.sampled_from(
        ["1 (2)", "a,b", "a;b|c\td", "a\nb", "a\r", 'say "x"', '"', "'", "(1, 2)", "a\0", "\ufeffé", "日本"]
    ),
    st.sampled_from([1, 0, True, False, 2.0, 1e300, 2**53, 2**53 + 1, 2**60, 2**60 + 1, 2**70, 2**70 + 1]),
    st.sampled_from([b"a", pd.Timestamp("2020-01-01"), frozenset([1]), (1, 2), ("NA",), (), ("a", (1, None))]),
    st.tuples(st.integers(0, 1), st.text(max_size=2)),
    st.text(max_size=3),
    st.none(),
)


@st.composite
def odd_ensembles(draw):
    n = draw(st.integers(2, 8))
    pools = draw(st.lists(st.lists(odd_labels, min_size=1, max_size=5), min_size=1, max_size=3))
    columns = [draw(st.lists(st.sampled_from(pool), min_size=n, max_size=n)) for pool in pools]
    if draw(st.booleans()):
        columns.append(list(range(n)))  # covers every object, so that labels may be missing elsewhere
    assume(all(any(x is not None for x in column) for column in columns))
    assume(all(any(x is not None for x in row) for row in zip(*columns, strict=True)))
    return Ensemble(columns)


@pytest.mark.parametrize("ending", ["csv", "parquet", "npz"])
@given(e=odd_ensembles())
def test_odd_labels_survive(tmp_path_factory, ending, e):
    path = tmp_path_factory.mktemp("odd") / f"e.{ending}"
    e.write(path)
    back = Ensemble.read(path)
    assert back == e
    assert np.array_equal(back.labels, e.labels)


@pytest.mark.parametrize(
    ("labels", "stored", "in_csv"),
    [
        (["NA", "b", "?"], ["NA", "b", "?"], ["'NA'", "b", "'?'"]),
        ([1, "1", "1 (2)"], ["1", "1 (3)", "1 (2)"], ["'1'", "'1 (3)'", "'1 (2)'"]),
        ([(1, 2), ("a",), "(1, 2)"], ["(1, 2)", "('a',)", "(1, 2) (2)"], ["(1, 2)", "('a',)", "(1, 2) (2)"]),
        (["1", "01"], ["1", "01"], ["'1'", "'01'"]),
        (["2", "1"], ["2", "1"], [2, 1]),
        ([True, False], [True, False], [True, False]),
        (["a,b", "c\nd", 'say "e"'], ["a,b", "c\nd", 'say "e"'], ["a,b", "c\nd", 'say "e"']),
    ],
)
def test_how_odd_labels_are_written(tmp_path, labels, stored, in_csv):
    for ending, expected in (("csv", in_csv), ("parquet", stored), ("npz", stored)):
        Ensemble([labels]).write(tmp_path / f"e.{ending}")
        assert Ensemble.read(tmp_path / f"e.{ending}").classes[0].tolist() == expected


@pytest.mark.parametrize("names", [["0", "1"], ["a;b", "c;d"], ["1.5", "'1.5'"], ["", "x"], ["my run"]])
def test_odd_names_do_not_change_labels_in_csv(tmp_path, names):
    e = Ensemble([["x y", "z z", "x y"], ["u;v", "u;v", "w;w"]][: len(names)], names=names)
    e.write(tmp_path / "e.csv")
    assert np.array_equal(Ensemble.read(tmp_path / "e.csv").labels, e.labels)


def test_npz_keeps_clusters_without_objects(tmp_path):
    e = Ensemble([["a", "b", "c"]]).take_objects([2, 1])
    e.write(tmp_path / "e.npz")
    back = Ensemble.read(tmp_path / "e.npz")
    assert back.labels.tolist() == [[2], [1]]
    assert back.n_clusters.tolist() == [3]


@pytest.mark.parametrize("ending", ["parquet", "npz"])
def test_weights_strings_and_odd_names_survive(tmp_path, ending):
    e = Ensemble([["u", "v", None], [0, 1, 1]], weights=[0.5, 2], names=["id", "b"], ids=["x", "y", "z"])
    e.write(tmp_path / f"e.{ending}")
    back = Ensemble.read(tmp_path / f"e.{ending}")
    assert back == e
    assert back.ids.tolist() == ["x", "y", "z"]
    assert back.classes[0].tolist() == ["u", "v"]


def test_soft_npz(tmp_path):
    e = Ensemble.from_memberships([[[0.5, 0.5], [0.1, 0.9]]])
    e.write(tmp_path / "e.npz")
    assert np.array_equal(Ensemble.read(tmp_path / "e.npz").memberships[0], e.memberships[0])


def test_bad_files(tmp_path):
    e = Ensemble([[0, 1, 1]])
    with pytest.raises(ValueError, match=r"\.csv, \.parquet or \.npz"):
        e.write(tmp_path / "e.xlsx")
    (tmp_path / "e.npz").write_bytes(b"not a zip")
    (tmp_path / "e.parquet").write_bytes(b"PAR1 not really")
    for name in ("e.npz", "e.parquet"):
        with pytest.raises(TableError):
            Ensemble.read(tmp_path / name)
    np.savez(tmp_path / "damaged.npz", labels=np.array([[5], [0]]), names=["a"], weights=[1.0], classes_0=[0])
    with pytest.raises(TableError, match="damaged"):
        Ensemble.read(tmp_path / "damaged.npz")


def test_views():
    e = Ensemble([["<b>", "c"]], names=["<script>"])
    assert "missing" not in repr(e)
    assert "<script>" not in e._repr_html_()
    assert e.to_frame().iloc[0, 0] == "<b>"
    assert len(e) == 1
