"""The co-association in its four forms, against a brute-force count of pairs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from helpers import random_ensemble
from pluribus._engine import DaskCluster
from pluribus.evidence import CoAssociation, MemoryLimitError, unobserved_pairs
from pluribus.partitions import Ensemble

FORMS = ["operator", "sparse", "dense"]
# Six objects in four partitions, with the matrix worked out by hand.
HAND = [[0, 0, 0, 0], [0, 0, 0, 0], [0, 1, 0, 0], [1, 2, 1, 1], [1, 2, 1, 0], [2, 2, 1, 1]]
HAND_C = [
    [4, 4, 3, 0, 1, 0],
    [4, 4, 3, 0, 1, 0],
    [3, 3, 4, 0, 1, 0],
    [0, 0, 0, 4, 3, 3],
    [1, 1, 1, 3, 4, 2],
    [0, 0, 0, 3, 2, 4],
]


def brute_force(ensemble):
    """c_ij by looking at every pair, and the pairs that nothing covers."""
    labels, w = ensemble.labels.astype(int), ensemble.weights
    a, b = labels[:, None], labels[None]
    seen = (a >= 0) & (b >= 0)
    together, both = ((a == b) & seen) @ w, seen @ w
    c = np.divide(together, both, out=np.zeros(both.shape), where=both > 0)
    np.fill_diagonal(c, 1)
    unseen = int((both[np.triu_indices(len(c), 1)] == 0).sum())
    return c, unseen, together


cases = st.builds(
    random_ensemble,
    seed=st.integers(0, 10_000),
    n=st.integers(2, 60),
    r=st.integers(1, 12),
    k=st.integers(1, 9),
    missing=st.sampled_from([0.0, 0.2, 0.7]),
    weighted=st.booleans(),
)


@pytest.mark.parametrize("form", FORMS)
def test_hand_example(form):
    c = CoAssociation(np.array(HAND), form=form)
    assert c.form == form
    np.testing.assert_array_equal(c.to_dense(), np.array(HAND_C) / 4)


@pytest.mark.parametrize("form", FORMS)
def test_hand_example_with_missing_labels(form):
    labels = np.array(HAND)
    labels[0, 3] = labels[3, 0] = labels[3, 1] = -1
    c = CoAssociation(labels, form=form)
    found = c.pairs([0, 1, 3, 3, 0, 1, 4], [2, 2, 4, 5, 4, 4, 5])
    np.testing.assert_allclose(found, [2 / 3, 3 / 4, 1 / 2, 1, 0, 1 / 4, 1 / 2], rtol=1e-15)


@given(cases, st.sampled_from(FORMS))
def test_every_answer_of_every_form_agrees_with_brute_force(ensemble, form):
    expected, unseen, _ = brute_force(ensemble)
    n = len(expected)
    c = CoAssociation(ensemble, form=form, n_jobs=2)
    rng = np.random.default_rng(0)
    index, other = rng.integers(0, n, 7), rng.integers(0, n, 7)
    V = rng.normal(size=(n, 3))
    close = {"rtol": 1e-12, "atol": 1e-12}
    np.testing.assert_allclose(c.to_dense(), expected, **close)
    np.testing.assert_allclose(c.to_sparse().toarray(), expected, **close)
    np.testing.assert_allclose(c.rows(index), expected[index], **close)
    np.testing.assert_allclose(c.pairs(index, other), expected[index, other], **close)
    np.testing.assert_allclose(c.submatrix(index), expected[np.ix_(index, index)], **close)
    np.testing.assert_allclose(c @ V, expected @ V, **close)
    np.testing.assert_allclose(c @ V[:, 0], expected @ V[:, 0], **close)
    np.testing.assert_allclose(c.degrees(), expected.sum(axis=1), **close)
    assert c.n_unobserved_pairs == unseen
    assert c.predict_nnz() == np.count_nonzero(expected)
    assert c.nnz == (0 if form == "operator" else np.count_nonzero(expected))
    assert c.to_dense().max() <= 1


@given(cases, st.integers(1, 8))
def test_neighbors_hold_the_strongest_evidence_of_each_object(ensemble, p):
    expected, _, _ = brute_force(ensemble)
    c = CoAssociation(ensemble, n_neighbors=p)
    assert c.form == "neighbors"
    held = c.to_dense()
    np.testing.assert_array_equal(held, held.T)
    np.testing.assert_allclose(held, np.where(held > 0, expected, 0), rtol=1e-12)
    np.testing.assert_array_equal(np.diag(held), 1)
    np.fill_diagonal(held, 0)
    np.fill_diagonal(expected, 0)
    strongest = -np.sort(-expected, axis=1)[:, :p]
    np.testing.assert_allclose(-np.sort(-held, axis=1)[:, : strongest.shape[1]], strongest, rtol=1e-12)
    # Each row holds its own p nearest; all beyond come from rows that hold this one among theirs.
    assert np.count_nonzero(held) <= 2 * p * len(held)


def test_neighbors_by_features_are_the_nearest_objects():
    X = np.array([[0.0], [0.1], [5.0], [5.1], [9.0]])
    c = CoAssociation([[0, 0, 1, 1, 0], [0, 0, 1, 0, 0]], X=X, n_neighbors=1)
    expected = np.eye(5)
    expected[0, 1] = expected[1, 0] = 1.0
    expected[2, 3] = expected[3, 2] = 0.5
    # 4's nearest is 3, together in one of two; 4 and 0, always together, are far apart and not held.
    expected[3, 4] = expected[4, 3] = 0.5
    np.testing.assert_array_equal(c.to_dense(), expected)
    with pytest.raises(ValueError, match="X has 3 rows, but the ensemble has 5"):
        CoAssociation([[0, 0, 1, 1, 0]], X=X[:3])


@pytest.mark.parametrize("form", ["operator", "sparse", "neighbors", "dense"])
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_min_count_drops_pairs_seldom_together(form, missing):
    ensemble = random_ensemble(3, missing=missing)
    ensemble = Ensemble(ensemble, weights=np.full(6, 0.1))
    expected, _, together = brute_force(ensemble)
    c = CoAssociation(ensemble, form=form, n_neighbors=100 if form == "neighbors" else None)
    keep = (together >= 0.3 - 1e-12) | np.eye(len(expected), dtype=bool)
    np.testing.assert_allclose(c.to_sparse(min_count=0.3).toarray(), np.where(keep, expected, 0), rtol=1e-12)


def test_result_does_not_depend_on_n_jobs_or_on_names_of_labels_and_order_of_partitions():
    ensemble = random_ensemble(1, n=900, r=9, missing=0.2)
    one = CoAssociation(ensemble, form="sparse", n_jobs=1).to_dense()
    two = CoAssociation(ensemble, form="sparse", n_jobs=2).to_dense()
    np.testing.assert_array_equal(one, two)
    renamed = np.where(ensemble.labels >= 0, 100 - ensemble.labels.astype(int), -1)[:, ::-1]
    np.testing.assert_array_equal(CoAssociation(renamed, form="dense").to_dense(), one)
    V = np.random.default_rng(0).normal(size=(900, 2))
    products = [CoAssociation(ensemble, form="operator", n_jobs=j) @ V for j in (1, 2)]
    np.testing.assert_array_equal(*products)


def test_objects_always_together_have_evidence_exactly_one():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, (30, 11))
    labels[1] = labels[0]
    for weights in (np.full(11, 0.1), rng.random(11)):
        assert CoAssociation(Ensemble(labels, weights=weights), form="dense").pairs(0, 1) == 1
        assert CoAssociation(Ensemble(labels, weights=weights), form="operator").pairs(0, 1) == 1


def test_partitions_of_weight_zero_do_not_count():
    labels = np.array([[0, 0, 5], [0, 1, 5], [1, 1, 5], [-1, -1, 5]])
    c = CoAssociation(Ensemble(labels, weights=[1, 1, 0]), form="sparse")
    expected = [[1, 0.5, 0, 0], [0.5, 1, 0.5, 0], [0, 0.5, 1, 0], [0, 0, 0, 1]]
    np.testing.assert_array_equal(c.to_dense(), expected)
    assert c.n_unobserved_pairs == 3


def test_auto_chooses_by_size():
    small = np.zeros((10, 2), dtype=int)
    assert CoAssociation(small).form == "dense"
    n = 2_400
    fine = (np.arange(n) // 4)[:, None] + np.zeros((1, 3), dtype=int)
    assert CoAssociation(fine).form == "sparse"
    assert CoAssociation(fine, memory_limit=100_000).form == "operator"
    assert CoAssociation(np.zeros((n, 2), dtype=int), memory_limit=100e6).form == "operator"


def test_memory_is_refused_before_it_is_taken():
    n = 1_000_000
    ensemble = Ensemble(np.zeros((n, 2), dtype=np.int8))
    with pytest.raises(MemoryLimitError, match="dense evidence of 1000000 objects would take 8.0 TB"):
        CoAssociation(ensemble, form="dense")
    with pytest.raises(MemoryLimitError, match="sparse evidence of 1000000 objects would take 12.0 TB"):
        CoAssociation(ensemble, form="sparse")
    operator = CoAssociation(ensemble)
    assert operator.form == "operator"
    with pytest.raises(MemoryLimitError, match="rows"):
        operator.rows(np.arange(1000))
    np.testing.assert_array_equal(operator @ np.ones(n), n)


def test_limits_in_words_and_for_neighbors():
    ensemble = Ensemble(np.random.default_rng(0).integers(0, 2, size=(500, 4)))
    assert CoAssociation(ensemble, memory_limit="1GB").memory_limit == 1e9
    assert CoAssociation(ensemble, memory_limit="50%").memory_limit > 1e6
    with pytest.raises(MemoryLimitError, match=r"neighbors would take 66.0 kB, .* = 60.0 kB. Use fewer neighbors"):
        CoAssociation(ensemble, form="neighbors", n_neighbors=10, memory_limit="60kB")
    assert CoAssociation(ensemble, n_neighbors=10, memory_limit="1MB").form == "neighbors"
    alone = Ensemble(np.arange(500)[:, None])
    assert CoAssociation(alone, n_neighbors=10, memory_limit=6000).nnz == 500


@pytest.mark.parametrize("given", [{"form": "operator"}, {"form": "dense"}, {}, {"X": np.zeros((2, 1))}])
def test_engine_is_for_neighbors_by_evidence(given):
    with pytest.raises(ValueError, match=r"form='neighbors' without X; got (form=|X\.)"):
        CoAssociation([[0, 1]], engine=DaskCluster(None), **given)
    assert CoAssociation([[0, 1]], engine="local", **given).nnz in (0, 2)


@pytest.mark.parametrize("n", [1, 2])
@pytest.mark.parametrize("form", ["operator", "sparse", "neighbors", "dense", "auto"])
def test_one_and_two_objects(n, form):
    c = CoAssociation([np.arange(n)], form=form)
    np.testing.assert_array_equal(c.to_dense(), np.eye(n))
    np.testing.assert_array_equal(c @ np.ones(n), 1)


def test_unobserved_pairs_are_estimated_when_the_patterns_are_many():
    rng = np.random.default_rng(0)
    labels = np.where(rng.random((9_000, 40)) < 0.15, 0, -1)
    labels[(labels < 0).all(axis=1), 0] = 0
    found = unobserved_pairs(labels)
    seen = (labels >= 0).astype(np.float32)
    true = ((seen @ seen.T == 0).sum()) / 2
    assert not found.exact
    assert found.n_pairs == pytest.approx(true, rel=0.02)


class TestFromMatrix:
    @pytest.mark.parametrize("make", [np.array, sparse.csr_matrix, sparse.coo_array])
    def test_answers(self, make):
        matrix = np.array([[1, 0.5, 0], [0.5, 1, 0.25], [0, 0.25, 1]])
        c = CoAssociation.from_matrix(make(matrix))
        assert c.ensemble is None
        assert c.n_unobserved_pairs == 0
        assert c.nnz == c.predict_nnz() == 7
        np.testing.assert_array_equal(c.to_dense(), matrix)
        np.testing.assert_array_equal(c.to_sparse().toarray(), matrix)
        np.testing.assert_array_equal(c.rows([1, 0]), matrix[[1, 0]])
        np.testing.assert_array_equal(c.submatrix([1, 2]), matrix[1:, 1:])
        np.testing.assert_array_equal(c.pairs([0, 2], [1, 1]), [0.5, 0.25])
        np.testing.assert_array_equal(c @ np.eye(3), matrix)

    @pytest.mark.parametrize(
        ("matrix", "message"),
        [
            ([[1, 0.5, 0], [0.5, 1, 0]], "square"),
            ([[1, 0.5], [0.4, 1]], "symmetric"),
            ([[1, np.nan], [np.nan, 1]], "NaN"),
            ([[1, 1.5], [1.5, 1]], "between 1 and 1.5"),
            ([[1, -0.5], [-0.5, 1]], "between 0"),
            (sparse.csr_array([[1.0, 0.5], [0.0, 1.0]]), "symmetric"),
        ],
    )
    def test_bad_input(self, matrix, message):
        with pytest.raises(ValueError, match=message):
            CoAssociation.from_matrix(matrix)

    def test_a_matrix_has_no_counts(self):
        with pytest.raises(ValueError, match="min_count needs the counts"):
            CoAssociation.from_matrix(np.eye(3)).to_sparse(min_count=2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"form": "csr"}, "form must be one of"),
        ({"form": "sparse", "n_neighbors": 3}, "belong to form='neighbors'"),
        ({"n_neighbors": 0}, "at least 1"),
        ({"n_neighbors": 2.5}, "whole number"),
        ({"memory_limit": -1}, "give a number of bytes"),
        ({"memory_limit": "much"}, "give a number of bytes"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        CoAssociation([[0, 0, 1]], **arguments)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda c: c @ np.ones(4), "must have 3 rows"),
        (lambda c: c.rows([3]), "numbered 0 … 2"),
        (lambda c: c.rows([-1]), "numbered 0 … 2"),
        (lambda c: c.submatrix([0.5]), "whole numbers"),
    ],
)
def test_bad_questions(call, message):
    with pytest.raises(ValueError, match=message):
        call(CoAssociation([[0, 0, 1]]))


def test_a_mask_chooses_objects():
    c = CoAssociation([[0, 0, 1], [0, 1, 1]], form="operator")
    np.testing.assert_array_equal(c.rows(np.array([False, True, False])), [[0.5, 1, 0.5]])
