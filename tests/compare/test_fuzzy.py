"""Memberships: hard ones give the hard index, soft ones the definition."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from pluribus import Ensemble, compare

PAIRS = ("rand_distance", "rand_index", "mirkin_distance", "jaccard_distance", "jaccard_index", "fowlkes_mallows_index")
INFORMATION = (
    "mutual_information_index", "normalized_mutual_information_index", "variation_of_information_distance",
    "normalized_variation_of_information_distance", "homogeneity_index", "completeness_index", "v_measure_index",
)  # fmt: skip
FUZZY = (*PAIRS, "adjusted_rand_index", *INFORMATION, "accuracy_index", "edit_distance")
HARD_ONLY = ("adjusted_mutual_information_index", "purity_index", "van_dongen_distance")
seeds = st.integers(0, 2**32 - 1)


def soft(rng, n, k):
    return rng.dirichlet(np.full(k, 0.5), n)


def one_hot(labels):
    labels = np.asarray(labels)
    k = max(labels.max() + 1, 2)  # a single column of 0 and 1 could be labels
    return (labels[:, None] == np.arange(k)).astype(float)


def together(u):
    return 1 - np.abs(u[:, None] - u).sum(axis=2) / 2


@given(seeds)
@settings(max_examples=20, deadline=None)
def test_hard_memberships_give_the_hard_index(seed):
    rng = np.random.default_rng(seed)
    n = rng.integers(1, 30)
    a, b = rng.integers(-1, 4, n), rng.integers(-1, 4, n)
    a[0], b[0] = 0, 1
    for name in FUZZY + HARD_ONLY:
        measure = getattr(compare, name)
        assert measure(one_hot(a), one_hot(b)) == measure(a, b), name
        assert measure(a, sparse.csr_array(one_hot(b))) == measure(a, b), name
        assert measure(one_hot(a).tolist(), b) == measure(a, b), name


@given(seeds)
def test_soft_memberships_tend_to_the_hard_index(seed):
    """The soft formulas, not the shortcut for memberships of 0 and 1."""
    rng = np.random.default_rng(seed)
    n = rng.integers(4, 30)
    a, b = rng.integers(0, 4, n), rng.integers(0, 3, n)
    a[:4], b[:4] = [0, 0, 1, 1], [0, 1, 0, 1]  # at a single cluster or equal partitions some indices jump
    u, v = one_hot(a), one_hot(b)
    u = np.column_stack([u, np.zeros(n)])
    u[0] = np.where(u[0] > 0, 1 - 1e-12, 0)
    u[0, -1] = 1e-12
    for name in FUZZY:
        measure = getattr(compare, name)
        assert measure(u, v) == pytest.approx(measure(a, b), abs=1e-7), name


@given(seeds)
def test_pairs_by_definition(seed):
    rng = np.random.default_rng(seed)
    n = rng.integers(2, 15)
    u, v = soft(rng, n, rng.integers(1, 4)), soft(rng, n, rng.integers(2, 5))
    upper = np.triu_indices(n, 1)
    e, f = together(u)[upper], together(v)[upper]
    low, high, differ = np.minimum(e, f).sum(), np.maximum(e, f).sum(), np.abs(e - f).sum()
    assert compare.rand_distance(u, v) == pytest.approx(differ / len(e), abs=1e-12)
    assert compare.mirkin_distance(u, v) == pytest.approx(2 * differ, abs=1e-10)
    assert compare.jaccard_index(u, v) == pytest.approx(low / high, abs=1e-12)
    assert compare.fowlkes_mallows_index(u, v) == pytest.approx(low / np.sqrt(e.sum() * f.sum()), abs=1e-12)
    by_chance = np.abs(e[:, None] - f).mean()
    assert compare.adjusted_rand_index(u, v) == pytest.approx(1 - differ / len(e) / by_chance, abs=1e-3)


def test_adjusted_rand_is_zero_on_average_over_all_shuffles():
    rng = np.random.default_rng(0)
    u, v = soft(rng, 5, 3), soft(rng, 5, 2)
    values = [compare.adjusted_rand_index(u, v[list(order)]) for order in permutations(range(5))]
    assert np.mean(values) == pytest.approx(0, abs=1e-4)
    assert compare.adjusted_rand_index(u, u[:, ::-1]) == pytest.approx(1)


@given(seeds)
def test_matching_by_definition(seed):
    rng = np.random.default_rng(seed)
    n = rng.integers(1, 12)
    u, v = soft(rng, n, 3), soft(rng, n, rng.integers(1, 4))
    v = np.column_stack([v, np.zeros((n, 3 - v.shape[1]))])
    best = min(np.abs(u - v[:, list(order)]).sum() / 2 for order in permutations(range(3)))
    assert compare.edit_distance(u, v) == pytest.approx(best, abs=1e-12)
    assert compare.accuracy_index(u, v) == pytest.approx(1 - best / n, abs=1e-12)


@given(seeds)
def test_information_by_definition(seed):
    rng = np.random.default_rng(seed)
    u, v = soft(rng, 20, 3), soft(rng, 20, 4)
    joint = u.T @ v / 20
    information = (joint * np.log(joint / np.outer(joint.sum(axis=1), joint.sum(axis=0)))).sum()
    entropies = [-(p * np.log(p)).sum() for p in (u.mean(axis=0), v.mean(axis=0))]
    assert compare.mutual_information_index(u, v) == pytest.approx(information, abs=1e-12)
    distance = compare.variation_of_information_distance(u, v)
    assert distance == pytest.approx(sum(entropies) - 2 * information, abs=1e-12)
    assert compare.homogeneity_index(u, v) == pytest.approx(information / entropies[0], abs=1e-12)


@given(seeds, st.sampled_from(["rand", "mirkin", "jaccard", "edit"]))
def test_metric_axioms(seed, name):
    rng = np.random.default_rng(seed)
    n = rng.integers(2, 12)
    u, v, w = (soft(rng, n, k) for k in (3, 2, 4))
    d = compare.DISTANCES[name]
    assert d(u, u[:, ::-1]) == pytest.approx(0, abs=1e-12)
    assert d(u, v) == pytest.approx(d(v, u), abs=1e-12)
    assert d(u, w) <= d(u, v) + d(v, w) + 1e-9


def test_missing_rows_and_ensembles():
    rng = np.random.default_rng(0)
    u, v = soft(rng, 10, 3), soft(rng, 10, 2)
    for name in FUZZY:
        measure = getattr(compare, name)
        gap = np.where(np.arange(10)[:, None] < 7, v, 0)
        assert measure(u, gap) == pytest.approx(measure(u[:7], v[:7]), abs=1e-12), name
    d = compare.distance_matrix(Ensemble.from_memberships([u, v, one_hot([0, 1] * 5)]), "rand")
    assert d[0, 1] == pytest.approx(compare.rand_distance(u, v))
    assert d[1, 2] == pytest.approx(compare.rand_distance(v, [0, 1] * 5))
    hard = Ensemble.from_memberships([one_hot([0, 0, 1, 1]), one_hot([0, 1, 1, 1])])
    assert compare.distance_matrix(hard, "van_dongen")[0, 1] == compare.van_dongen_distance([0, 0, 1, 1], [0, 1, 1, 1])


@pytest.mark.parametrize("name", HARD_ONLY)
def test_no_fuzzy_form(name):
    with pytest.raises(ValueError, match=f"{name} has no fuzzy form. Harden"):
        getattr(compare, name)([[0.5, 0.5], [1.0, 0.0]], [0, 1])


def test_bad_memberships(monkeypatch):
    with pytest.raises(ValueError, match="a: the rows must sum to 1"):
        compare.rand_index([[0.5, 0.6], [1.0, 0.0]], [0, 1])
    with pytest.raises(ValueError, match="b must be finite and non-negative"):
        compare.rand_index([0, 1], [[1.5, -0.5], [1.0, 0.0]])
    with pytest.raises(ValueError, match="a has 2, b has 3"):
        compare.rand_index([[0.5, 0.5], [1.0, 0.0]], [0, 1, 2])
    with pytest.raises(ValueError, match="No object is in both"):
        compare.rand_index([[0.5, 0.5], [0.0, 0.0]], [-1, 0])
    for table in (np.array([[3], [1]]), np.array([["x"], ["y"]]), np.array([["x", "y"], ["y", "x"]])):
        with pytest.raises(ValueError, match="a is two-dimensional, so it is read as n × k memberships"):
            compare.rand_index(table, [0, 1])
    from pluribus.compare import _partitions

    monkeypatch.setattr(_partitions, "_MOST_ROWS", 3)
    u = soft(np.random.default_rng(0), 5, 2)
    with pytest.raises(ValueError, match="every pair of 5 different membership rows; the limit is 3"):
        compare.rand_index(u, [0, 0, 1, 1, 1])
    assert 0 < compare.accuracy_index(u, [0, 0, 1, 1, 1]) < 1
    monkeypatch.setattr(_partitions, "_MOST_NUMBERS", 20)
    with pytest.raises(ValueError, match="5 objects into 5 clusters is too large"):
        compare.edit_distance(u, range(5))


def test_a_column_of_labels_is_not_taken_for_memberships():
    column = np.array([[0], [0], [1], [1]])
    with pytest.raises(ValueError, match="single column"):
        compare.rand_index(column, [0, 0, 1, 1])
    with pytest.raises(ValueError, match="single column"):
        compare.lift_emd_distance([0, 0, 1, 1], column, np.eye(4))
    assert compare.rand_index(np.ones((4, 1)), [0, 0, 0, 0]) == 1
    partly = Ensemble.from_memberships([[[1.0], [1.0], [0.0]], [[0.5, 0.5], [1, 0], [0, 1]]])
    assert compare.distance_matrix(partly, "rand")[0, 1] == 0.5
