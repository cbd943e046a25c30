import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from pluribus._engine import memory_budget
from pluribus.constrained import BiSets, PatternExplosionError, concepts
from pluribus.constrained.coclusters import _boolean
from pluribus.constrained.coclusters._boolean import as_boolean, row_kinds
from pluribus.constrained.coclusters._concepts import mine
from tests.constrained.coclusters.shared import CONCEPTS, SOURCE, all_concepts, sets_of


def frozen(patterns):
    return {(frozenset(rows), frozenset(columns)) for rows, columns in sets_of(patterns)}


def tables(most_rows=9, most_columns=7):
    shapes = st.tuples(st.integers(1, most_rows), st.integers(1, most_columns))
    return shapes.flatmap(
        lambda shape: st.lists(
            st.lists(st.integers(0, 1), min_size=shape[1], max_size=shape[1]), min_size=shape[0], max_size=shape[0]
        )
    ).map(np.array)


def test_the_concepts_of_the_source():
    found = sets_of(concepts(SOURCE), start=1)
    assert sorted(found, key=lambda pattern: sorted(pattern[0])) == CONCEPTS
    assert len(all_concepts(SOURCE, 0, 0)) == 8  # with the two trivial ones


def test_most_rows_first_then_the_first_rows():
    found = sets_of(concepts(SOURCE), start=1)
    assert [rows for rows, _ in found] == [{2, 5, 6, 7}, {1, 3, 4}, {1, 3, 5}, {2, 5, 6}, {1, 3}, {5}]


@settings(max_examples=60, deadline=None)
@given(tables(), st.integers(1, 3), st.integers(1, 3))
def test_the_same_as_closing_every_set_of_columns(X, min_rows, min_columns):
    found = concepts(X, min_rows=min_rows, min_columns=min_columns)
    assert len(frozen(found)) == len(found)
    assert frozen(found) == all_concepts(X, min_rows, min_columns)


@pytest.mark.parametrize("shape", [(12, 12), (5, 70), (150, 6), (64, 8), (8, 64)])
def test_sets_longer_than_a_word(shape):
    X = np.random.default_rng(0).random(shape) < (0.06 if shape[1] > 20 else 0.4)
    known = all_concepts(X) if shape[1] <= 12 else {(c, r) for r, c in all_concepts(X.T)}
    assert frozen(concepts(X)) == known


@pytest.mark.parametrize("least", [(1, 1), (2, 1), (4, 2), (7, 3)])
def test_repeated_rows_count_as_often_as_they_are_there(least):
    rng = np.random.default_rng(1)
    X = (rng.random((7, 6)) < 0.5)[rng.integers(0, 7, 40)]
    found = concepts(X, min_rows=least[0], min_columns=least[1])
    assert found.n_kinds <= 7
    assert found.kind_sizes.sum() == 40
    assert frozen(found) == all_concepts(X, *least)


def test_a_collision_of_hashes_only_costs_memory(monkeypatch):
    class Same:
        def integers(self, low, high, n, dtype):
            return np.ones(n, dtype)

    monkeypatch.setattr(_boolean.np.random, "default_rng", lambda seed: Same())
    X = np.array([[1, 0, 1], [0, 1, 1], [1, 1, 0], [1, 0, 1]])
    assert row_kinds(as_boolean(X, "X"))[0].tolist() == [0, 1, 2, 3]
    assert frozen(concepts(X)) == all_concepts(X)


@settings(max_examples=40, deadline=None)
@given(tables(), st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=3))
def test_columns_apart_are_in_no_concept_together(X, pairs):
    n = X.shape[1]
    pairs = [(i, j) for i, j in pairs if i != j and i < n and j < n]
    apart = np.zeros((n, n), dtype=bool)
    for i, j in pairs:
        apart[i, j] = apart[j, i] = True
    kept = {p for p in all_concepts(X) if not any({i, j} <= p[1] for i, j in pairs)}
    found = mine(as_boolean(X, "X"), (1, 1), 1000, apart if pairs else None, verbose=False)
    assert frozen(found) == kept


def test_a_search_in_small_steps_finds_the_same(monkeypatch):
    from pluribus.constrained.coclusters import _concepts

    X = np.random.default_rng(2).random((30, 9)) < 0.5
    known = sets_of(concepts(X))
    monkeypatch.setattr(_concepts, "_VISITS", 3)
    monkeypatch.setattr(_concepts, "_BUFFER", 5 * 16)
    assert sets_of(concepts(X)) == known


@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csc_matrix, lambda X: X.astype(bool), np.float32])
def test_forms_of_a_table(form):
    assert sets_of(concepts(form(SOURCE))) == sets_of(concepts(SOURCE))


def test_too_many_are_an_error_with_advice():
    X = 1 - np.eye(20, dtype=int)  # 2^20 - 2 concepts
    with pytest.raises(PatternExplosionError, match=r"more than max_patterns=1,000 .*min_rows above 1.*raise max_pat"):
        concepts(X, max_patterns=1000)
    assert len(concepts(X, max_patterns=1000, min_rows=18)) == 20 * 19 / 2 + 20
    assert len(concepts(1 - np.eye(8, dtype=int), max_patterns=254)) == 254


def test_memory_is_not_exhausted():
    with memory_budget("1MB"), pytest.raises(PatternExplosionError, match="more memory than is allowed"):
        concepts(1 - np.eye(18, dtype=int))


@pytest.mark.parametrize("X", [np.zeros((4, 3)), np.zeros((1, 1))])
def test_a_table_without_ones_has_none(X):
    assert len(concepts(X)) == 0


def test_a_table_of_ones_has_one():
    assert sets_of(concepts(np.ones((3, 2)))) == [({0, 1, 2}, {0, 1})]


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([[0, 2], [1, 0]], "X has the value 2, but only 0 and 1"),
        ([[0, 0.5]], "X has the value 0.5"),
        ([[0, -1]], "X has the value -1"),
        (sparse.csr_array([[0, 3.0]]), "X has the value 3"),
        ([[0, np.nan]], "NaN"),
        ([[0, np.inf]], "infinity"),
        ([["a", "b"]], "Convert"),
        ([0, 1], "2D array"),
        (np.empty((0, 3)), "0 sample"),
        (np.empty((3, 0)), "0 feature"),
    ],
)
def test_other_tables_are_refused(X, message):
    with pytest.raises(ValueError, match=message):
        concepts(X)


def test_entries_that_are_there_twice_are_refused():
    twice = sparse.csr_array((np.ones(2), np.array([1, 1]), np.array([0, 2])), shape=(1, 3))
    with pytest.raises(ValueError, match="X has the value 2"):
        concepts(twice)


@pytest.mark.parametrize("option", ["min_rows", "min_columns", "max_patterns"])
@pytest.mark.parametrize("value", [0, -1, 1.5, True, "2", None])
def test_bounds_are_whole_numbers(option, value):
    with pytest.raises(ValueError, match=f"{option}=.*give a whole number, 1 or more"):
        concepts(SOURCE, **{option: value})


def test_some_of_the_patterns():
    found = concepts(SOURCE)
    assert sets_of(found[[3, 0]]) == [sets_of(found)[3], sets_of(found)[0]]
    assert isinstance(found[np.arange(6) > 2], BiSets)
    assert len(found[np.arange(6) > 2]) == 3


def test_the_order_of_sets_longer_than_a_word():
    X = np.random.default_rng(3).random((200, 14)) < 0.4
    found = [sorted(rows) for rows, _ in sets_of(concepts(X, min_rows=2))]
    assert found == sorted(found, key=lambda rows: (-len(rows), rows))


@pytest.mark.parametrize("option", ["min_rows", "min_columns"])
def test_no_concept_is_larger_than_the_table(option):
    assert len(concepts(np.ones((3, 4)), **{option: 2**64})) == 0
    assert len(concepts(np.ones((3, 4)), min_rows=3, min_columns=4, max_patterns=2**64)) == 1
