"""Which pairs are compared: every blocking against all pairs."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pluribus.relational import canopy_pairs, key_pairs, neighborhood_pairs
from pluribus.relational.entities import _blocking
from pluribus.relational.entities._texts import References


@given(st.lists(st.sampled_from(["a", "b", "c", None, 3]), max_size=12))
def test_pairs_of_one_key(keys):
    n = len(keys)
    expected = [[i, j] for i in range(n) for j in range(i + 1, n) if keys[i] is not None and keys[i] == keys[j]]
    assert key_pairs(keys).tolist() == expected


@given(st.lists(st.sampled_from(["ann", "bob", "cid", "dan", ""]), max_size=12), st.integers(2, 5))
def test_sorted_neighborhood(keys, window):
    order = sorted((i for i in range(len(keys)) if keys[i]), key=lambda i: keys[i])
    expected = {(min(a, b), max(a, b)) for p, a in enumerate(order) for b in order[p + 1 : p + window]}
    assert sorted(map(tuple, neighborhood_pairs(keys, window=window).tolist())) == sorted(expected)


@given(st.lists(st.text("abc ", max_size=12), max_size=14), st.sampled_from([0.05, 0.3, 0.6, 0.99]))
def test_canopies_are_all_pairs_with_a_large_cosine(texts, loose):
    vectors = References(pd.DataFrame({"text": pd.Series(texts, dtype=object)})).vectors.toarray()
    cosine = np.round(vectors @ vectors.T, 12)
    sure = [[i, j] for i in range(len(texts)) for j in range(i + 1, len(texts)) if cosine[i, j] >= loose]
    assert canopy_pairs(texts, loose=loose, verbose=False).tolist() == sure


def test_large_buckets_are_warned_of_and_larger_ones_refused(monkeypatch):
    with pytest.warns(UserWarning, match="above max_bucket=3"):
        assert len(key_pairs(["x"] * 5, max_bucket=3)) == 10
    with pytest.warns(UserWarning, match="above max_bucket=3"):
        canopy_pairs(["same text"] * 5, max_bucket=3, verbose=False)
    monkeypatch.setattr(_blocking, "MOST_PAIRS", 5)
    for call in (
        lambda: key_pairs(["x"] * 5, max_bucket=3),
        lambda: canopy_pairs(["same text"] * 5, verbose=False),
        lambda: neighborhood_pairs(["x"] * 5),
    ):
        with pytest.raises(ValueError, match="more than 5 pairs"):
            call()


def test_bad_input():
    with pytest.raises(ValueError, match="keys is of type str"):
        key_pairs("abc")
    with pytest.raises(ValueError, match="keys holds structures"):
        key_pairs([[1], [2]])
    with pytest.raises(ValueError, match="window=1"):
        neighborhood_pairs(["a", "b"], window=1)
    with pytest.raises(ValueError, match="cannot be sorted together"):
        neighborhood_pairs(["a", 1])
    with pytest.raises(ValueError, match="loose=0"):
        canopy_pairs(["a"], loose=0)
    with pytest.raises(ValueError, match="texts is of type int"):
        canopy_pairs(3)
