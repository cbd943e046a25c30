import pickle
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from pluribus import Ensemble
from pluribus.partitions import _parse

MATRICES = hnp.arrays(
    st.sampled_from([np.int8, np.int16, np.int64, np.uint8]),
    st.tuples(st.integers(1, 12), st.integers(1, 4)),
    elements=st.integers(0, 9),
)


@given(MATRICES, st.booleans())
def test_same_as_column_by_column(labels, missing):
    if missing and labels.dtype.kind == "i":
        labels[labels == 3] = -1
    try:
        expected = Ensemble([list(column) for column in labels.T])
    except ValueError as error:
        with pytest.raises(ValueError, match=re.escape(str(error))):
            Ensemble(labels)
        return
    for same in (labels, np.asfortranarray(labels), labels[::-1][::-1]):
        found = Ensemble(same)
        assert found == expected
        assert found.labels.dtype == expected.labels.dtype
        assert found.labels.flags.c_contiguous
        assert not found.labels.flags.writeable
        assert found.has_missing == expected.has_missing
        assert [own.tolist() for own in found.classes] == [own.tolist() for own in expected.classes]


def test_labels_that_nobody_can_change_are_not_copied(tmp_path):
    labels = np.random.default_rng(0).integers(5, size=(100, 4))
    coded = Ensemble(labels).labels
    assert np.shares_memory(Ensemble(coded).labels, coded)
    np.save(tmp_path / "labels.npy", coded)
    mapped = np.load(tmp_path / "labels.npy", mmap_mode="r")
    assert np.shares_memory(Ensemble(mapped).labels, mapped)
    assert type(Ensemble(mapped).labels) is np.ndarray


def test_others_are_copied():
    coded = Ensemble(np.random.default_rng(0).integers(5, size=(100, 4))).labels
    writable = coded.copy()
    ensemble = Ensemble(writable)
    writable[:] = 0  # still writable, and the ensemble does not notice
    assert np.array_equal(ensemble.labels, coded)
    view = writable.view()
    view.flags.writeable = False
    ensemble = Ensemble(view)  # of something that can be written to
    writable[:] = coded
    assert set(ensemble.labels.ravel().tolist()) == {0}
    buffer = bytearray(coded.tobytes())
    view = np.frombuffer(buffer, dtype=np.int8).reshape(coded.shape)
    view.flags.writeable = False
    view.base.flags.writeable = False
    ensemble = Ensemble(view)
    buffer[:] = bytes(len(buffer))
    assert np.array_equal(ensemble.labels, coded)
    for other in (coded.astype(np.int32), np.asfortranarray(coded), coded[:, ::-1], np.where(coded == 1, 7, coded)):
        other.flags.writeable = False
        found = Ensemble(other)
        assert not np.shares_memory(found.labels, other)
        assert found.labels.dtype == np.int8


def test_columns_are_coded_some_at_a_time(monkeypatch):
    labels = np.random.default_rng(0).integers(-1, 60, size=(200, 7))
    expected = Ensemble(labels)
    for entries in (1, 61, 200):
        monkeypatch.setattr(_parse, "CODED_AT_ONCE", entries)
        found = Ensemble(labels)
        assert found == expected
        assert [own.tolist() for own in found.classes] == [own.tolist() for own in expected.classes]


def test_large_numbers_and_masks():
    labels = np.array([[10**12, 0], [5, 0], [10**12, 1]])
    assert Ensemble(labels).classes[0].tolist() == [10**12, 5]
    masked = np.ma.array([[0, 1], [1, 1], [1, 0]], mask=[[False, False], [True, False], [False, False]])
    assert Ensemble(masked).labels.tolist() == [[0, 0], [-1, 0], [1, 1]]
    with pytest.raises(ValueError, match="label -2"):
        Ensemble(np.array([[0], [-2]]))


def test_rows_that_all_differ_are_the_ensemble_itself():
    ensemble = Ensemble(np.column_stack([np.arange(50), np.arange(50) % 7]))
    rows = ensemble.unique_rows()
    assert rows.ensemble is ensemble
    assert rows.counts.tolist() == [1] * 50
    assert rows.inverse.tolist() == list(range(50))
    pd.testing.assert_frame_equal(rows.ensemble.to_frame(), ensemble.to_frame())


@pytest.mark.parametrize("labels", [np.arange(50)[:, None] % 7, np.arange(50)[:, None]], ids=["equal", "distinct"])
def test_distinct_rows_are_sought_once(labels, monkeypatch):
    ensemble = Ensemble(labels)
    first = ensemble.unique_rows()
    expected = first.inverse.copy()
    first.inverse[:] = 0  # the caller's own
    monkeypatch.setattr("pluribus.partitions.ensemble.hash_rows", None)
    again = ensemble.unique_rows()
    assert np.array_equal(again.inverse, expected)
    assert np.array_equal(again.counts, np.bincount(expected))
    assert again.ensemble.unique_rows().ensemble is again.ensemble
    monkeypatch.undo()
    assert pickle.loads(pickle.dumps(ensemble)).unique_rows().ensemble == again.ensemble
