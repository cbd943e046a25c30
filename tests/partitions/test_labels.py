import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pluribus.partitions import contingency, harden
from pluribus.partitions._internal import check_membership, encode_labels, normalized_entropy, order_by_size

hashables = st.one_of(st.integers(0, 5), st.text(max_size=3), st.none(), st.tuples(st.integers(0, 2)))


@given(st.lists(hashables, min_size=1, max_size=30))
def test_codes_follow_first_occurrence_and_equality(items):
    codes, classes = encode_labels(items)
    seen = []
    for item, code in zip(items, codes, strict=True):
        if item is None:
            assert code == -1
            continue
        if item not in seen:
            seen.append(item)
        assert code == seen.index(item)
    assert len(classes) == len(seen)


@pytest.mark.parametrize(
    "column",
    [
        [3, 3, -1, 7],
        np.array([3, 3, -1, 7], dtype=np.int8),
        np.array([3.0, 3.0, np.nan, 7.0]),
        np.ma.array([3, 3, 0, 7], mask=[0, 0, 1, 0]),
        pd.Series([3, 3, None, 7], dtype="Int64"),
        pd.Series(["a", "a", None, "b"], dtype="category"),
        pd.Series(["a", "a", None, "b"]),
        pl.Series([3, 3, None, 7]),
        pl.Series(["a", "a", None, "b"]),
        ["x", "x", None, "y"],
        [(1, 2), (1, 2), None, (2,)],
        ["x", "x", float("nan"), 4],
        [True, True, None, False],
    ],
)
def test_every_kind_of_column(column):
    codes, classes = encode_labels(column)
    assert codes.tolist() == [0, 0, -1, 1]
    assert len(classes) == 2


def test_large_whole_floats_keep_their_names():
    codes, classes = encode_labels([1e300, 2e300, None])
    assert codes.tolist() == [0, 1, -1]
    assert classes.tolist() == [1e300, 2e300]


@pytest.mark.parametrize(
    ("column", "word"),
    [
        ([0, 1.5], "whole numbers"),
        ([0.0, np.inf], "whole numbers"),
        ([0, -2], "-1 means"),
        (["a", -3], "-1 means"),
        (np.zeros((2, 2), int), "one-dimensional"),
        ("abc", "sequence"),
        (7, "sequence"),
    ],
)
def test_bad_columns(column, word):
    with pytest.raises(ValueError, match=word):
        encode_labels(column)


@given(st.lists(st.tuples(st.integers(-1, 4), st.integers(-1, 4)), min_size=1, max_size=40))
def test_contingency_counts_pairs(pairs):
    a, b = np.array(pairs).T
    table = contingency(a, b)
    codes_a, codes_b = encode_labels(a)[0], encode_labels(b)[0]
    slow = np.zeros(table.shape, int)
    for i, j in zip(codes_a, codes_b, strict=True):
        if i >= 0 and j >= 0:
            slow[i, j] += 1
    assert np.array_equal(table, slow)
    assert np.array_equal(contingency(a, b, sparse=True).toarray(), slow)


def test_contingency_of_all_singletons_can_be_sparse():
    n = 100_000
    assert contingency(np.arange(n), np.arange(n), sparse=True).nnz == n


def test_contingency_of_different_lengths():
    with pytest.raises(ValueError, match="a has 2, b has 3"):
        contingency([0, 1], [0, 1, 2])


@given(st.lists(st.integers(-1, 5), min_size=1, max_size=40))
def test_order_by_size(labels):
    labels = np.array(labels)
    order = order_by_size(labels, 6)
    sizes = np.bincount(labels[labels >= 0], minlength=6)[order]
    assert sorted(order) == list(range(6))
    assert (np.diff(sizes) <= 0).all()


def test_memberships():
    u = np.array([[0.25, 0.75], [0.0, 0.0], [1.0, 0.0]])
    assert harden(check_membership(u)).tolist() == [1, -1, 0]
    assert normalized_entropy(np.full((2, 4), 0.25)) == pytest.approx([1, 1])
    assert normalized_entropy(np.ones((2, 1))).tolist() == [0, 0]
    for bad in ([[0.5, 0.6]], [[np.nan, 1]], [[-0.5, 1.5]], [0.5, 0.5]):
        with pytest.raises(ValueError, match="membership"):
            check_membership(bad)
