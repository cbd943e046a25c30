"""The Gini index of terms, and the ranking by dominance, on the source's examples."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from pluribus._kernels.points.seed_cosines import dominance, largest
from pluribus._kernels.points.sparse_sums import heaviest
from pluribus.constrained.categories._seeds import Documents, similar_groups
from pluribus.constrained.categories._terms import document_frequency, gini_index, select_terms

BUSINESS = dict(
    business=35, management=31, school=22, university=11, campus=15, presentation=12, student=17, market=11,
    operations=10,
)  # fmt: skip
LAW = dict(
    law=22, university=11, school=13, examination=15, justice=17, campus=10, courts=15, prosecutor=22, student=15
)
WORDS = sorted({*BUSINESS, *LAW})


def vector(counts):
    return np.array([counts.get(word, 0.0) for word in WORDS])


SEEDS = sparse.csr_array([vector(BUSINESS), vector(LAW)])
SCHOOL = vector(dict(school=5, campus=2, university=1, law=1))


def documents(X):
    X = sparse.csr_array(np.atleast_2d(np.asarray(X, float)))
    return Documents(X, np.ones(X.shape[1]), np.ones(X.shape[0]), "none", None)


def cosine(a, b):
    norm = np.linalg.norm(a) * np.linalg.norm(b)
    return a @ b / norm if norm else 0.0


def dominated(S, T, k, delta):
    """The ranking as the source describes it, and the number of wins."""
    cosines = [cosine(s, T) for s in S]
    top = sorted(range(len(S)), key=lambda c: (-cosines[c], c))[:k]
    wins = dict.fromkeys(top, 0)
    for a, b in combinations(top, 2):
        u, v = np.where(S[b] > 0, 0, S[a]), np.where(S[a] > 0, 0, S[b])
        first = cosines[a] - cosines[b] > delta or cosine(u, T) >= cosine(v, T)
        wins[a if first else b] += 1
    return sorted(top, key=lambda c: -wins[c]), wins


def test_gini_by_hand():
    X = sparse.csr_array(np.array([[3, 0, 1], [1, 0, 0], [0, 4, 4], [9, 9, 9]], float))
    assert gini_index(X, np.array([0, 0, 1, -1]), 2) == pytest.approx([0, 0, 1 - np.sqrt(29) / 7])
    even = sparse.csr_array(np.repeat([[2, 5], [20, 50]], 2, axis=0).astype(float))
    assert gini_index(even, np.arange(4), 4) == pytest.approx([0.5, 0.5])
    only = gini_index(X, np.array([0, 0, -1, -1]), 1)
    assert only[[0, 2]].tolist() == [0, 0]
    assert np.isnan(only[1])


@given(st.integers(0, 1000), st.floats(0.1, 10))
def test_gini_bounds_and_scale(seed, factor):
    rng = np.random.default_rng(seed)
    X, classes = rng.poisson(1.0, (12, 6)).astype(float), np.repeat([0, 1, 2], 4)
    gini = gini_index(sparse.csr_array(X), classes, 3)
    scaled = gini_index(sparse.csr_array(X * np.where(classes == 1, factor, 1)[:, None]), classes, 3)
    np.testing.assert_allclose(gini, scaled, atol=1e-12)
    known = ~np.isnan(gini)
    assert (gini[known] >= 0).all()
    assert (gini[known] <= 1 - 1 / np.sqrt(3) + 1e-12).all()


def test_selection_of_terms():
    gini = np.array([0.5, 0.1, 0.5, np.nan, 0.3, 0.0])
    frequency = np.array([9, 9, 9, 9, 7, 6])
    chosen = [select_terms(gini, frequency, 7, drop, most).nonzero()[0].tolist() for drop, most in
              ((0, None), (0.25, None), (0.49, None), (0.5, None), (0.115, 0.3))]  # fmt: skip
    assert chosen == [[0, 1, 2, 4], [0, 1, 4], [0, 1, 4], [1, 4], [1, 4]]
    with_zero = sparse.csr_array((np.array([1.0, 0.0, 2.0]), [0, 1, 0], [0, 2, 3]), shape=(2, 3))
    assert document_frequency(with_zero).tolist() == [2, 0, 0]


def test_cosines_by_hand():
    assert [(SEEDS.toarray()[c] ** 2).sum() for c in (0, 1)] == [3670, 2322]
    private = SEEDS.toarray() * ~(SEEDS.toarray() > 0).all(axis=0)
    assert (private**2).sum(axis=1).tolist() == [2551, 1707]
    assert documents(SCHOOL).cosines(SEEDS)[0] == pytest.approx([0.447675, 0.439815], abs=1e-6)
    assert cosine(private[0], SCHOOL) == 0
    assert cosine(private[1], SCHOOL) == pytest.approx(0.095636, abs=1e-6)
    both = documents(vector(dict(school=4, university=2, student=2, law=1)))
    assert both.cosines(SEEDS)[0] == pytest.approx([0.47540, 0.52296], abs=1e-5)


def test_dominance_by_hand():
    near = documents(SCHOOL)
    assert near.ranked(SEEDS, 2, 0.025).tolist() == [[1, 0]]
    assert near.ranked(SEEDS, 2, 0.007).tolist() == [[0, 1]]
    assert near.ranked(SEEDS, 1, 0.025).tolist() == [[0]]
    far = documents(vector(dict(school=4, university=2, student=2, law=1)))
    assert far.ranked(SEEDS, 2, 0.025).tolist() == [[1, 0]]
    market = documents(vector(dict(school=4, university=2, student=2, law=1, market=2)))
    assert market.ranked(SEEDS, 2, 0.0).tolist() != market.ranked(SEEDS, 2, 1.0).tolist()


def test_ties_keep_the_order():
    seeds = sparse.csr_array([[1.0, 0, 0, 1], [0, 1, 0, 1], [0, 0, 1, 1]])
    assert documents([0, 0, 0, 1]).ranked(seeds, 3, 0.025).tolist() == [[0, 1, 2]]
    assert documents([0, 0, 0, 1]).nearest(seeds)[0].tolist() == [0]
    equal = sparse.csr_array(np.ones((2, 3)))
    assert documents([1, 1, 0]).ranked(equal, 2, 0.025).tolist() == [[0, 1]]


@settings(deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 5), st.sampled_from([-1, 0, 0.025, 0.2, 1]))
def test_ranking_is_that_of_the_slow_one(seed, k, delta):
    rng = np.random.default_rng(seed)
    S = np.round(rng.exponential(size=(5, 8)) * (rng.random((5, 8)) < 0.6), 2)
    T = np.round(rng.exponential(size=(6, 8)) * (rng.random((6, 8)) < 0.6), 2)
    seeds, given_rows = sparse.csr_array(S), documents(T)
    ranked, cosines = given_rows.ranked(seeds, k, delta), given_rows.cosines(seeds)
    for row, own, found in zip(T, cosines, ranked, strict=True):
        if not own.any():
            assert (found == -1).all()
            continue
        top = largest(own, k)
        assert top.tolist() == sorted(range(5), key=lambda c: (-own[c], c))[:k]
        wins = dominance(top, own, row, np.linalg.norm(row), delta, seeds.indptr, seeds.indices, seeds.data)
        assert wins.sum() == k * (k - 1) / 2
        slow_order, slow_wins = dominated(S, row, k, delta)
        values = np.sort(own)
        gaps = [own[a] - own[b] for a in top for b in top]
        if np.diff(values[values > 0]).min(initial=1) > 1e-9 and np.abs(np.subtract(gaps, delta)).min() > 1e-9:
            assert found.tolist() == slow_order
            assert wins.tolist() == [slow_wins[c] for c in top]
        if delta == -1:
            assert found.tolist() == top.tolist()


def test_projection():
    weights = np.array([3.0, 1, 3, 0, 2, 3])
    everywhere = np.array([0, 1, 2, 4, 5])
    assert heaviest(weights, everywhere, 5).tolist() == [0, 1, 2, 4, 5]
    assert heaviest(weights, everywhere, 4).tolist() == [0, 2, 4, 5]
    assert heaviest(weights, everywhere, 2).tolist() == [0, 2]
    assert heaviest(weights, everywhere, 1).tolist() == [0]


def test_groups_are_chains():
    angles = np.arccos([1, 0.96, 0.90])  # the cosine of the outer two is below that of neighbors
    chain = np.stack([np.cos([0, angles[1], 2 * angles[1]]), np.sin([0, angles[1], 2 * angles[1]])], axis=1)
    assert cosine(chain[0], chain[2]) < 0.95 < cosine(chain[0], chain[1])
    n, group = similar_groups(sparse.csr_array(np.vstack([[[0, 0]], chain])), 0.95)
    assert (n, group.tolist()) == (2, [0, 1, 1, 1])
    assert similar_groups(sparse.csr_array(np.ones((2, 7))), 1.0)[0] == 2
    equal = sparse.csr_array(np.eye(2)[[0, 0]])
    assert similar_groups(equal, 1.0)[0] == 2  # the cosine is 1, and not above
    assert similar_groups(equal, 0.99)[0] == 1
