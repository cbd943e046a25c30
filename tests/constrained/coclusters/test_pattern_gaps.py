from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from pluribus.constrained.coclusters._boolean import as_boolean
from pluribus.constrained.coclusters._concepts import mine
from pluribus.constrained.coclusters._known import Gaps


def admits(members, n, *, most=None, least=None, cyclic=False, keys=None):
    row = np.zeros((1, n))
    row[0, list(members)] = 1
    gaps = Gaps.of("row", n, keys, most, least, cyclic=cyclic)
    return bool(gaps.admit(sparse.csr_array(row), np.arange(n))[0])


def slow(members, n, most, least, cyclic):
    """Gaps between neighbors, written out."""
    places = sorted(members)
    if len(places) < 2:
        return True
    gaps = [b - a - 1 for a, b in pairwise(places)]
    around = gaps + ([places[0] + n - places[-1] - 1] if cyclic else [])
    inside = sorted(around)[:-1] if cyclic else gaps  # the largest is outside of the set
    return (most is None or max(inside, default=0) <= most) and (least is None or min(around) >= least)


def test_the_columns_of_the_source():
    columns = {0, 2, 3}
    assert admits(columns, 5, most=1)
    assert not admits(columns, 5, most=0)
    assert not admits(columns, 5, least=1)
    assert admits(columns, 5, least=0)


def test_a_largest_gap_is_neither_monotone_nor_anti_monotone():
    assert not admits({2, 3, 7}, 9, most=1)
    assert admits({2, 3, 5, 7}, 9, most=1)
    assert admits({2, 3}, 9, most=1)


@settings(max_examples=150, deadline=None)
@given(
    st.integers(1, 9).flatmap(lambda n: st.tuples(st.just(n), st.sets(st.integers(0, n - 1)))),
    st.none() | st.integers(0, 4),
    st.none() | st.integers(0, 4),
    st.booleans(),
)
def test_as_written_out(given_set, most, least, cyclic):
    n, members = given_set
    if most is not None and least is not None and most < least:
        return
    assert admits(members, n, most=most, least=least, cyclic=cyclic) == slow(members, n, most, least, cyclic)


def test_a_circle_exempts_one_gap():
    assert admits({0, 1, 8}, 9, most=0, cyclic=True)
    assert not admits({0, 1, 8}, 9, most=0)
    assert not admits({0, 4}, 9, most=2, cyclic=True)
    assert admits({0, 4}, 9, most=3, cyclic=True)


@pytest.mark.parametrize("cyclic", [False, True])
@pytest.mark.parametrize("least", [None, 0, 1, 2, 3, 30, 10**30])
@pytest.mark.parametrize("min_rows", [1, 4])
def test_the_search_leaves_out_columns_that_are_too_close(least, cyclic, min_rows):
    table = as_boolean(np.random.default_rng(0).random((12, 9)) < 0.4, "X")
    gaps = Gaps.of("column", 9, [3, 0, 6, 1, 5, 2, 4, 8, 7], None, least, cyclic=cyclic)
    every = mine(table, (min_rows, 1), 1000, verbose=False)
    kept = every[np.flatnonzero(gaps.admit(every.columns, np.arange(9)))]
    found = mine(table, (min_rows, 1), 1000, None, gaps, verbose=False)
    assert 0 < len(found) == len(kept)
    assert np.array_equal(found.columns.toarray(), kept.columns.toarray())
    assert np.array_equal(found.rows.toarray(), kept.rows.toarray())
    assert found.columns.has_sorted_indices


def test_a_large_gap_between_many_columns_takes_little_memory():
    table = as_boolean(sparse.random_array((20, 60_000), density=1e-4, rng=0) > 0, "X")
    gaps = Gaps.of("column", 60_000, None, None, 50_000, cyclic=False)
    assert len(mine(table, (1, 1), 1000, None, gaps, verbose=False)) < 20  # pairs of columns would be billions


def test_keys_sort_and_equal_keys_keep_their_order():
    assert Gaps.of("row", 4, [2, 1, 2, 1], None, None, cyclic=False).order.tolist() == [1, 3, 0, 2]
    assert admits({0, 2}, 4, most=0, keys=[2, 1, 2, 1])
    assert not admits({0, 1}, 4, most=0, keys=[5, 1, 2, 3])


def jumps(labels, **options):
    return Gaps.of("row", len(labels), None, None, None, **({"cyclic": False} | options)).jumps(np.array(labels))


def test_jumps():
    assert jumps([0, 1, 0, 0, 1]) == 2  # the columns of the source
    assert jumps([0, 0, 1, 1, 2]) == 0
    assert jumps([0, 0, -1, 0, 1]) == 1
    assert jumps([0, 1, 1, 0]) == 1
    assert jumps([0, 1, 1, 0], cyclic=True) == 0
    assert jumps([0, 1, 0, 1], cyclic=True) == 2
    assert jumps([0, 0, 0], cyclic=True) == 0
    assert jumps([-1, -1]) == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (dict(most=1, least=2), "max_row_gap=1 is less than min_row_gap=2"),
        (dict(keys=[1, 2]), r"row_order has the shape \(2,\): give a number for each of the 3 rows"),
        (dict(keys=[1, np.nan, 2]), "row_order has NaN: give a number for each of the 3 rows"),
        (dict(keys=["a", "b", "c"]), "row_order"),
    ],
)
def test_refused(options, message):
    given_options = {"keys": None, "most": None, "least": None} | options
    with pytest.raises(ValueError, match=message):
        Gaps.of("row", 3, **given_options, cyclic=False)
