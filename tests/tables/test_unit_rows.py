"""Rows of length 1, and numbers in half precision."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse
from sklearn.preprocessing import normalize

from pluribus.tables import TableError, as_table, open_rows, prepare
from pluribus.tables._internal import BLOCK, check_metric, single_floats, unit_rows


@settings(max_examples=50, deadline=None)
@given(arrays(np.float64, (5, 3), elements=st.floats(-1e6, 1e6).map(lambda x: 0.0 if abs(x) < 1e-6 else x)))
def test_as_scikit_learn_does_it(X):
    X = X[np.abs(X).max(axis=1) > 0]
    assert np.allclose(unit_rows(X), normalize(X) if len(X) else X)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("make", [np.array, sparse.csr_array, sparse.csr_matrix])
def test_type_and_form_stay(make, dtype):
    X = make(np.array([[3, 0, 4], [0, 0, -2]], dtype=dtype))
    before = X.copy()
    found = unit_rows(X)
    assert type(found) is type(X)
    assert found.dtype == dtype
    plain = found.toarray() if sparse.issparse(found) else found
    assert np.allclose(plain, [[0.6, 0, 0.8], [0, 0, -1]])
    assert abs(X - before).max() == 0  # the rows that were given stay


@pytest.mark.parametrize("size", [1e-300, 1e300])
@pytest.mark.parametrize("make", [np.array, sparse.csr_array])
def test_lengths_beyond_squares(make, size):
    found = unit_rows(make(size * np.array([[3.0, 4.0]])))
    assert np.allclose(found.toarray() if sparse.issparse(found) else found, [[0.6, 0.8]])


def test_rows_beyond_a_block():
    X = np.ones((BLOCK + 3, 2))
    assert np.allclose(unit_rows(X), 2**-0.5)
    X[BLOCK + 1] = 0
    with pytest.raises(TableError, match=f"1 row of X hold 0 in every column: '{BLOCK + 1}'"):
        unit_rows(X)


@pytest.mark.parametrize("make", [np.array, sparse.csr_array])
def test_rows_without_a_direction_are_named(make):
    X = np.eye(9)
    X[[1, 2, 3, 5, 6, 8]] = 0
    with pytest.raises(
        TableError, match=r"6 rows .* '1', '2', '3', '5', '6' and 1 more\. Leave them out, or use metric"
    ):
        unit_rows(make(X))
    with pytest.raises(TableError, match="'b', 'c', 'd', 'f', 'g' and 1 more"):
        unit_rows(make(X), np.array(list("abcdefghi")))


def test_rows_in_parts_are_refused():
    rows = open_rows(np.eye(3)).standardized()
    with pytest.raises(TableError, match="needs the rows in memory"):
        unit_rows(rows)


def test_metrics():
    assert check_metric("euclidean") == "euclidean"
    for bad in ("cos", None, np.zeros(2)):
        with pytest.raises(ValueError, match="give 'euclidean' or 'cosine'"):
            check_metric(bad)


def test_half_precision_becomes_single():
    half = np.ones((2, 2), np.float16)
    assert single_floats(half).dtype == np.float32
    frame = pd.DataFrame({"a": half[:, 0], "b": np.ones(2, np.float32)})
    assert set(single_floats(frame).dtypes) == {np.dtype(np.float32)}
    mixed = frame.assign(c=[1, 2])
    assert single_floats(mixed) is mixed
    for kept in (np.ones(2, np.float32), np.ones(2), np.ones(2, int), [[1.0]], sparse.csr_array(np.eye(2))):
        assert single_floats(kept) is kept


def test_tables_of_half_precision_are_single():
    X = np.random.default_rng(0).normal(300, 100, size=(50, 3)).astype(np.float16)  # squares are beyond float16
    prepared = prepare(as_table(X))
    assert prepared.X.dtype == np.float32
    assert np.allclose(prepared.X.std(axis=0), 1, atol=1e-3)
    assert prepared.recipe.apply(as_table(X)).dtype == np.float32
    assert np.array_equal(prepared.recipe.apply(as_table(X)), prepared.X)
