"""PCKMeans: its objective against trying all partitions, weights that bind more or less, starts."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from constrained.shared import column
from pluribus.constrained import CopKMeans, PairwiseKMeans
from pluribus.constrained._shared.points import Points
from pluribus.constrained._shared.starts import from_neighborhoods
from pluribus.constraints import Constraints, random_pairs


def objective_of(X, labels, known):
    total = sum(((X[labels == h] - X[labels == h].mean(axis=0)) ** 2).sum() for h in np.unique(labels)) / 2
    return total + known.violations(labels).weight


@st.composite
def cases(draw):
    n, k = draw(st.integers(3, 6)), draw(st.integers(2, 3))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    pairs = np.column_stack(np.triu_indices(n, 1))
    pairs = pairs[rng.random(len(pairs)) < 0.4]
    must = rng.random(len(pairs)) < 0.5
    weights = rng.integers(1, 20, len(pairs)).astype(float)
    known = Constraints(n, pairs[must], pairs[~must], must_weight=weights[must], cannot_weight=weights[~must])
    return rng.integers(0, 10, (n, 2)).astype(float), known, k


@settings(max_examples=12)  # all labelings are tried
@given(cases())
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_objective_is_what_it_says_and_never_below_the_optimum(case):
    X, known, k = case
    model = PairwiseKMeans(k, random_state=0, tol=0).fit(X, constraints=known)
    assert (np.diff(model.objective_) <= 1e-9).all()
    assert model.objective_[-1] == pytest.approx(objective_of(X, model.labels_, known), abs=1e-9)
    assert model.objective_[-1] == pytest.approx(model.inertia_ / 2 + model.violations_.weight, abs=1e-9)
    best = min(objective_of(X, np.array(labels), known) for labels in product(range(k), repeat=len(X)))
    assert model.objective_[-1] >= best - 1e-9


def test_many_starts_mostly_find_the_optimum():
    found = 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(6, 2)) * 2
        pairs = rng.permutation(np.column_stack(np.triu_indices(6, 1)))[:6]
        known = Constraints(6, pairs[:3], pairs[3:], must_weight=2, cannot_weight=2)
        best = min(objective_of(X, np.array(labels), known) for labels in product(range(2), repeat=6))
        found += PairwiseKMeans(2, n_init=30, random_state=0).fit(X, constraints=known).objective_[-1] <= best + 1e-9
    assert found >= 7


def test_weight_decides():
    """Cutting 1 | 6 costs 1/2, cutting 0 | 1 costs 10.33: a weight below the difference is not worth it."""
    X = column(0, 1, 6, 7)
    for weight, broken in ((1, 1), (9, 1), (15, 0), (100, 0)):
        known = Constraints(4, must_link=[(1, 2)], must_weight=weight)
        assert PairwiseKMeans(2, n_init=30, random_state=0).fit(X, constraints=known).violations_.count == broken


def test_hard_pairs_are_cop_kmeans():
    X, y = make_blobs(200, centers=4, cluster_std=3, random_state=0)
    known = random_pairs(y, 60, random_state=0)
    start = X[:4]
    one = PairwiseKMeans(4, init=start).fit(X, constraints=known)
    other = CopKMeans(4, init=start).fit(X, constraints=known)
    np.testing.assert_array_equal(one.labels_, other.labels_)
    assert one.inertia_ == pytest.approx(other.inertia_)


@pytest.mark.filterwarnings("ignore:a soft pair speaks against a hard one")
def test_hard_ones_hold_among_soft_ones():
    X, y = make_blobs(150, centers=3, cluster_std=2, random_state=0)
    hard = random_pairs(y, 30, random_state=0)
    noise = random_pairs(np.random.default_rng(0).integers(0, 3, 150), 100, random_state=1)
    soft = Constraints(150, noise.must_link, noise.cannot_link, must_weight=3, cannot_weight=3)
    model = PairwiseKMeans(3, random_state=0).fit(X, constraints=hard.merge(soft))
    assert model.violations_.n_hard == 0
    assert 0 < model.violations_.count < 100


def test_a_group_moves_where_no_single_object_would():
    """Four objects with strong preferences to be together: alone, none would leave the others."""
    X = column(0, 0.1, 5, 5.1, 5.2, 5.3, 10, 10.1)
    known = Constraints(8, must_link=[(2, 3), (3, 4), (4, 5), (2, 5)], must_weight=50)
    model = PairwiseKMeans(2, random_state=0).fit(X, constraints=known)
    assert model.violations_.count == 0
    best = min(objective_of(X, np.array(labels), known) for labels in product(range(2), repeat=8))
    assert model.objective_[-1] == pytest.approx(best)


def test_first_start_at_heavy_far_chunklets():
    X = column(0, 0, 0, 1, 1, 9, 9, 5)
    known = Constraints(8, groups=["a", "a", "a", "b", "b", "c", "c", -1])
    closure = known.closure()
    method = PairwiseKMeans(2)
    points = Points.of(method._check_given(X, known, None), closure)
    chunks = np.flatnonzero(closure.chunk_sizes > 1)
    assert points.centers(from_neighborhoods(points, chunks, 2, 0)).ravel() + points.shift == pytest.approx([0, 9])
    four = points.centers(from_neighborhoods(points, chunks, 4, 0)).ravel() + points.shift
    assert sorted(four) == pytest.approx([0, 1, 5, 9])


def test_pairs_help():
    X, y = make_blobs(400, n_features=2, centers=4, cluster_std=2.5, random_state=4)
    known = random_pairs(y, 400, random_state=0)
    plain = adjusted_rand_score(y, PairwiseKMeans(4, random_state=0).fit_predict(X))
    assert adjusted_rand_score(y, PairwiseKMeans(4, random_state=0).fit_predict(X, constraints=known)) > plain + 0.1
