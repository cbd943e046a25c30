"""Every classical index against scikit-learn, clusim and the definition, on many random partitions."""

import warnings
from fractions import Fraction
from math import comb, fsum, log, log2, sqrt

import numpy as np
import pytest
from clusim import sim
from clusim.clustering import Clustering
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment
from sklearn import metrics

from pluribus import compare

ANY = settings(suppress_health_check=list(HealthCheck))
NEAR = {"rel": 1e-12, "abs": 1e-12}
AVERAGES = ("geometric", "arithmetic", "max", "min")


def _make(n, k_a, k_b, kind, missing, seed):
    rng = np.random.default_rng(seed)
    a = {"random": rng.integers(0, k_a, n), "one": np.zeros(n, int), "singletons": np.arange(n)}[kind]
    b = rng.integers(0, k_b, n)
    similar = rng.random(n) < rng.random()
    b[similar] = a[similar]
    if missing:
        a, b = np.where(rng.random(n) < 0.2, -1, a), np.where(rng.random(n) < 0.2, -1, b)
        a[0] = b[0] = 0  # one object at least in both
    return rng.permutation(np.column_stack([a, b])).T


pairs = st.builds(
    _make,
    n=st.integers(1, 40),
    k_a=st.integers(1, 12),
    k_b=st.integers(1, 40),
    kind=st.sampled_from(["random"] * 6 + ["one", "singletons"]),
    missing=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
)


def seen(a, b):
    both = (a >= 0) & (b >= 0)
    return a[both], b[both]


def entropy(labels):
    n = len(labels)
    return fsum(c / n * log(n / c) for c in np.unique(labels, return_counts=True)[1].tolist())


def expected_information(a, b):
    """By the probability of every table cell, in exact fractions."""
    n = len(a)
    sizes_a, sizes_b = (np.unique(x, return_counts=True)[1].tolist() for x in (a, b))
    terms = []
    for i in sizes_a:
        for j in sizes_b:
            for x in range(max(1, i + j - n), min(i, j) + 1):
                p = Fraction(comb(j, x) * comb(n - j, i - x), comb(n, i))
                terms.append(float(p) * x / n * log(n * x / (i * j)))
    return fsum(terms)


@given(pairs)
@ANY
def test_pairs_by_definition(pair):
    a, b = seen(*pair)
    upper = np.triu_indices(len(a), 1)
    in_a, in_b = (a[:, None] == a)[upper], (b[:, None] == b)[upper]
    both, only_a, only_b = (int(x.sum()) for x in (in_a & in_b, in_a & ~in_b, in_b & ~in_a))
    differ, total = only_a + only_b, max(len(a) * (len(a) - 1) // 2, 1)
    in_a, in_b = both + only_a, both + only_b
    assert compare.rand_distance(*pair) == pytest.approx(differ / total, **NEAR)
    assert compare.rand_index(*pair) == pytest.approx(1 - differ / total, **NEAR)
    assert compare.mirkin_distance(*pair) == 2 * differ
    assert compare.jaccard_distance(*pair) == pytest.approx(differ / (differ + both) if differ else 0, **NEAR)
    assert compare.jaccard_index(*pair) == pytest.approx(both / (differ + both) if differ else 1, **NEAR)
    geometric = both / sqrt(in_a * in_b) if in_a and in_b else float(in_a == in_b)
    assert compare.fowlkes_mallows_index(*pair) == pytest.approx(geometric, **NEAR)
    by_chance = Fraction(in_a * in_b, total)
    below = Fraction(in_a + in_b, 2) - by_chance
    assert compare.adjusted_rand_index(*pair) == pytest.approx(
        float((both - by_chance) / below) if below else 1, **NEAR
    )


@given(pairs)
@ANY
def test_information_by_definition(pair):
    a, b = seen(*pair)
    h_a, h_b, joint = entropy(a), entropy(b), entropy(a * 100 + b)
    information, n = h_a + h_b - joint, len(a)
    assert compare.mutual_information_index(*pair) == pytest.approx(information, **NEAR)
    vi = compare.variation_of_information_distance(*pair)
    assert vi == pytest.approx(2 * joint - h_a - h_b, **NEAR)
    normalized = compare.normalized_variation_of_information_distance
    assert normalized(*pair) == pytest.approx(vi / log(n) if n > 1 else 0, **NEAR)
    assert normalized(*pair, by="joint") == pytest.approx(vi / joint if joint else 0, **NEAR)
    h, c = information / h_a if h_a else 1, information / h_b if h_b else 1
    assert compare.homogeneity_index(*pair) == pytest.approx(h, **NEAR)
    assert compare.completeness_index(*pair) == pytest.approx(c, **NEAR)
    assert compare.v_measure_index(*pair) == pytest.approx(2 * h * c / (h + c) if h + c > 1e-12 else 0, **NEAR)
    means = {"geometric": sqrt(h_a * h_b), "arithmetic": (h_a + h_b) / 2, "max": max(h_a, h_b), "min": min(h_a, h_b)}
    for average, mean in means.items():
        value = compare.normalized_mutual_information_index(*pair, average=average)
        assert value == pytest.approx(information / mean if h_a and h_b else float(h_a == h_b), **NEAR)


@given(pairs)
@ANY
def test_adjusted_mutual_information_by_definition(pair):
    a, b = seen(*pair)
    h_a, h_b = entropy(a), entropy(b)
    information, expected = h_a + h_b - entropy(a * 100 + b), expected_information(a, b)
    means = {"geometric": sqrt(h_a * h_b), "arithmetic": (h_a + h_b) / 2, "max": max(h_a, h_b), "min": min(h_a, h_b)}
    for average, mean in means.items():
        value = compare.adjusted_mutual_information_index(*pair, average=average)
        if compare.rand_distance(*pair) == 0:
            assert value == 1
        elif abs(mean - expected) < 1e-9:  # one cluster, or clusters of one object: all is chance
            assert value == 0
        else:
            assert value == pytest.approx((information - expected) / (mean - expected), rel=1e-11, abs=1e-12)


@given(pairs)
@ANY
def test_matching_by_definition(pair):
    a, b = seen(*pair)
    table = metrics.cluster.contingency_matrix(a, b)
    matched, n = table[linear_sum_assignment(table, maximize=True)].sum(), len(a)
    assert compare.accuracy_index(*pair) == pytest.approx(matched / n, **NEAR)
    assert compare.edit_distance(*pair) == n - matched
    assert compare.purity_index(*pair) == pytest.approx(table.max(axis=0).sum() / n, **NEAR)
    assert compare.van_dongen_distance(*pair) == 2 * n - table.max(axis=0).sum() - table.max(axis=1).sum()


@given(pairs)
@ANY
def test_scikit_learn(pair):
    a, b = seen(*pair)
    if len(a) > 1:
        assert compare.rand_index(*pair) == pytest.approx(metrics.rand_score(a, b), **NEAR)
    assert compare.adjusted_rand_index(*pair) == pytest.approx(metrics.adjusted_rand_score(a, b), **NEAR)
    if len(set(a)) < len(a) and len(set(b)) < len(b):
        assert compare.fowlkes_mallows_index(*pair) == pytest.approx(metrics.fowlkes_mallows_score(a, b), **NEAR)
    assert compare.mutual_information_index(*pair) == pytest.approx(metrics.mutual_info_score(a, b), **NEAR)
    for average in AVERAGES:
        theirs = metrics.normalized_mutual_info_score(a, b, average_method=average)
        assert compare.normalized_mutual_information_index(*pair, average=average) == pytest.approx(theirs, **NEAR)
    assert compare.homogeneity_index(*pair) == pytest.approx(metrics.homogeneity_score(a, b), **NEAR)
    assert compare.completeness_index(*pair) == pytest.approx(metrics.completeness_score(a, b), **NEAR)
    assert compare.v_measure_index(*pair) == pytest.approx(metrics.v_measure_score(a, b), **NEAR)
    theirs = metrics.adjusted_mutual_info_score(a, b)  # loses digits by logarithms of factorials: see the definition
    assert compare.adjusted_mutual_information_index(*pair) == pytest.approx(theirs, abs=1e-10)


@given(pairs)
@ANY
def test_clusim(pair):
    a, b = seen(*pair)
    first, second = (Clustering().from_membership_list(x.tolist()) for x in (a, b))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if len(a) > 1:
            assert compare.rand_index(*pair) == pytest.approx(sim.rand_index(first, second), **NEAR)
        if len(set(a)) < len(a) or len(set(b)) < len(b):
            assert compare.jaccard_index(*pair) == pytest.approx(sim.jaccard_index(first, second), **NEAR)
        bits = log2(np.e)
        assert bits * compare.mutual_information_index(*pair) == pytest.approx(sim.mi(first, second), **NEAR)
        assert bits * compare.variation_of_information_distance(*pair) == pytest.approx(sim.vi(first, second), **NEAR)
        if len(set(a)) > 1 and len(set(b)) > 1:
            for average, theirs in zip(AVERAGES, ("sqrt", "sum", "max", "min"), strict=True):
                value = compare.normalized_mutual_information_index(*pair, average=average)
                assert value == pytest.approx(sim.nmi(first, second, norm_type=theirs), **NEAR)


@pytest.mark.slow
@pytest.mark.parametrize(
    "test",
    [
        test_pairs_by_definition,
        test_information_by_definition,
        test_adjusted_mutual_information_by_definition,
        test_matching_by_definition,
        test_scikit_learn,
        test_clusim,
    ],
)
def test_all_of_it_on_thousands(test):
    @given(pairs)
    @settings(ANY, max_examples=1000)
    def again(pair):
        test.hypothesis.inner_test(pair)

    again()


def test_expected_information_at_size():
    """What scikit-learn sums over all overlaps, ours over the likely ones only."""
    rng = np.random.default_rng(0)
    a = rng.integers(0, 30, 20_000)
    b = np.where(rng.random(20_000) < 0.3, a, rng.integers(0, 20, 20_000) ** 2)
    theirs = metrics.adjusted_mutual_info_score(a, b)
    assert compare.adjusted_mutual_information_index(a, b) == pytest.approx(theirs, abs=1e-10)
