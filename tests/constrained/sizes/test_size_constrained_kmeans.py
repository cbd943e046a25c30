"""k-means within bounds on sizes: the source's small examples, the definition, and bounds that cannot hold."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs

from helpers import uneven_blobs
from pluribus.constrained import SizeConstrainedKMeans
from pluribus.constrained.sizes._sized_assignment import SizedChunklets
from pluribus.constraints import ConstraintError, Constraints, InfeasibleError, random_pairs
from pluribus.partitions import SizeError, assign_sizes

X4 = np.array([[0.0], [1], [2], [10]])


@pytest.fixture(scope="module")
def blobs():
    return uneven_blobs()


def test_four_points_in_equal_halves():
    model = SizeConstrainedKMeans(2, min_size=2, init=[[1], [10]]).fit(X4)
    assert model.labels_.tolist() == [0, 0, 1, 1]
    np.testing.assert_allclose(model.cluster_centers_, [[0.5], [6]])
    np.testing.assert_allclose(model.objective_, [65, 32.5])
    assert model.cluster_sizes_.tolist() == [2, 2]


def test_by_squared_distances():
    X = np.array([[-1.0, 0], [-2, 5]])
    model = SizeConstrainedKMeans(2, min_size=[1, 1], init=[[0, 0], [10, 0]], max_iter=1).fit(X)
    assert model.labels_.tolist() == [1, 0]  # by distances as they are it would be the other way round
    assert model.objective_[0] == 150


@pytest.mark.parametrize("kind", [np.asarray, np.float32, sparse.csr_array])
@pytest.mark.parametrize(
    ("min_size", "max_size"), [(60, None), (None, 120), (0.2, 0.3), (100, 100), ([9, 1, 1, 300], None)]
)
def test_sizes_are_within_bounds_and_inertia_never_rises(blobs, kind, min_size, max_size):
    X = kind(blobs[0])
    model = SizeConstrainedKMeans(4, min_size, max_size, n_init=3, random_state=0).fit(X)
    lower = {60: 60, 0.2: 80, 100: 100}.get(min_size if np.ndim(min_size) == 0 else None, min_size or 1)
    upper = {None: 400, 0.3: 120}.get(max_size, max_size)
    sizes = np.bincount(model.labels_, minlength=4)
    np.testing.assert_array_equal(sizes, model.cluster_sizes_)
    assert (sizes >= lower).all()
    assert (sizes <= upper).all()
    assert (np.diff(model.objective_) <= 0).all()
    assert model.inertia_ == model.objective_[-1]
    away = blobs[0] - model.cluster_centers_[model.labels_]
    assert model.inertia_ == pytest.approx((away**2).sum(), rel=1e-4 if X.dtype == np.float32 else 1e-9)


def test_no_better_assignment_to_the_centers(blobs):
    X, _ = blobs
    model = SizeConstrainedKMeans(4, 0.2, 0.3, random_state=0).fit(X)
    cost = ((X[:, None] - model.cluster_centers_) ** 2).sum(axis=2)
    assert model.inertia_ == pytest.approx(assign_sizes(cost, 0.2, 0.3).cost)
    priced = cost - model.prices_
    np.testing.assert_allclose(priced[np.arange(400), model.labels_], priced.min(axis=1), atol=1e-9)


@settings(max_examples=20)
@given(st.integers(0, 1000))
def test_without_bounds_it_is_kmeans(seed):
    X, _ = make_blobs(200, n_features=3, centers=4, cluster_std=2, random_state=seed)
    theirs = KMeans(4, init=X[:4], n_init=1, algorithm="lloyd").fit(X)
    ours = SizeConstrainedKMeans(4, init=X[:4]).fit(X)
    assert ours.inertia_ == pytest.approx(theirs.inertia_, rel=1e-9)
    assert ours.n_iter_ == theirs.n_iter_
    assert (ours.prices_ == 0).all()


def test_no_cluster_is_empty_unless_it_may_be():
    X = np.repeat([[0.0], [1.0]], 5, axis=0)
    init = [[0.0], [1.0], [50.0]]
    assert SizeConstrainedKMeans(3, init=init).fit(X).cluster_sizes_.min() == 1
    with pytest.warns(UserWarning, match="only 2 of 3 clusters have objects"):
        model = SizeConstrainedKMeans(3, min_size=0, init=init).fit(X)
    assert model.cluster_sizes_.tolist() == [5, 5, 0]
    assert 50 in model.cluster_centers_


def test_weights_count_in_the_centers_and_not_in_the_sizes(blobs):
    X, _ = blobs
    weights = np.random.default_rng(0).integers(1, 4, 400)
    model = SizeConstrainedKMeans(4, 0.2, 0.3, init=X[:4]).fit(X, sample_weight=weights)
    assert model.cluster_sizes_.sum() == 400
    assert model.cluster_sizes_.min() >= 80
    for h in range(4):
        inside = model.labels_ == h
        expected = np.average(X[inside], axis=0, weights=weights[inside])
        np.testing.assert_allclose(model.cluster_centers_[h], expected, atol=0.05)  # within tol


def test_sizes_by_weight(blobs):
    X, _ = blobs
    inhabitants = np.random.default_rng(0).lognormal(3, 1, 400)
    model = SizeConstrainedKMeans(4, 0.2, 0.3, random_state=0, n_init=3).fit(X, size_weight=inhabitants)
    np.testing.assert_allclose(model.cluster_sizes_, np.bincount(model.labels_, inhabitants))
    shares = model.cluster_sizes_ / inhabitants.sum()
    slack = np.sort(inhabitants)[-3:].sum() / inhabitants.sum()
    assert shares.min() >= 0.2 - slack
    assert shares.max() <= 0.3 + slack
    assert (np.diff(model.objective_) <= 0).all()
    tied = Constraints(400, must_link=[(0, 1), (1, 2)])
    together = SizeConstrainedKMeans(4, 0.2, 0.3, random_state=0).fit(X, constraints=tied, size_weight=inhabitants)
    assert together.violations_.count == 0
    np.testing.assert_array_equal(
        SizeConstrainedKMeans(4, 0.2, 0.3, random_state=0, n_init=3).fit_predict(X, size_weight=inhabitants),
        model.labels_,
    )
    anew = model.predict(X, enforce_sizes=True, size_weight=inhabitants)
    assert np.bincount(anew, inhabitants).min() / inhabitants.sum() >= 0.2 - slack
    assert (model.predict(X, use_prices=True, size_weight=inhabitants) == model.labels_).mean() > 0.98


def test_predict(blobs):
    X, _ = blobs
    model = SizeConstrainedKMeans(4, 0.2, 0.3, random_state=0).fit(X)
    cost = ((X[:, None] - model.cluster_centers_) ** 2).sum(axis=2)
    np.testing.assert_array_equal(model.predict(X), cost.argmin(axis=1))
    assert (model.predict(X, use_prices=True) == model.labels_).mean() > 0.98  # all but ties
    half = model.predict(X[:200], enforce_sizes=True)
    assert np.bincount(half).min() >= 40
    assert np.bincount(half).max() <= 60
    with pytest.raises(SizeError):
        SizeConstrainedKMeans(4, min_size=90, random_state=0).fit(X).predict(X[:200], enforce_sizes=True)
    free = SizeConstrainedKMeans(4, random_state=0, n_init=1).fit(X)
    np.testing.assert_array_equal(free.predict(X[:3], enforce_sizes=True), free.predict(X[:3]))  # too few to fill all


@pytest.mark.filterwarnings("error")
def test_predict_knows_the_columns(blobs):
    frame = pd.DataFrame(blobs[0], columns=list("abcde"))
    model = SizeConstrainedKMeans(4, 0.2, random_state=0, n_init=1).fit(frame)
    for how in ({}, {"use_prices": True}, {"enforce_sizes": True}):
        np.testing.assert_array_equal(model.predict(frame, **how), model.predict(frame.copy(), **how))
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame.rename(columns={"a": "z"}))


def test_predict_in_ways_that_do_not_go_together():
    by_weight = SizeConstrainedKMeans(2, 0.4, n_init=1).fit(X4, size_weight=[1, 2, 3, 4])
    by_number = SizeConstrainedKMeans(2, n_init=1).fit(X4)
    for model, how, message in (
        (by_number, dict(use_prices=True, enforce_sizes=True), "choose one"),
        (by_number, dict(size_weight=np.ones(4)), "set one to True, or leave it out"),
        (by_number, dict(size_weight=np.ones(4), enforce_sizes=True), "fit had no size_weight: leave it out"),
        (by_weight, dict(enforce_sizes=True), "give the size_weight of the new rows too"),
        (by_weight, dict(use_prices=True), "give the size_weight of the new rows too"),
    ):
        with pytest.raises(ValueError, match=message):
            model.predict(X4, **how)


@pytest.mark.parametrize("bound", [np.int64(2), np.float32(0.5), np.array(2), [2, 2], np.array([0.5, 0.5])])
def test_bounds_as_numpy_has_them(bound):
    assert SizeConstrainedKMeans(2, bound, bound, n_init=1).fit(X4).cluster_sizes_.tolist() == [2, 2]


def test_one_bound_for_each_cluster_keeps_the_order(blobs):
    X, _ = blobs
    sizes = [50, 200, 50, 100]
    model = SizeConstrainedKMeans(4, sizes, sizes, random_state=0, n_init=2).fit(X)
    assert model.cluster_sizes_.tolist() == sizes


@pytest.mark.parametrize("n_init", [1, 3])
def test_any_number_of_cores(n_init):
    X = np.random.default_rng(0).random((20_000, 3))
    one, two = (
        SizeConstrainedKMeans(5, 0.15, 0.25, n_init=n_init, random_state=0, n_jobs=jobs, max_iter=20).fit(X)
        for jobs in (None, 2)
    )
    np.testing.assert_array_equal(one.labels_, two.labels_)
    np.testing.assert_array_equal(one.cluster_centers_, two.cluster_centers_)
    assert one.cluster_sizes_.min() >= 3000


def test_scales():
    X = make_blobs(200, centers=4, random_state=0)[0]
    one = SizeConstrainedKMeans(4, 40, init=X[:4]).fit(X)
    for scale in (1e-60, 1e60):
        other = SizeConstrainedKMeans(4, 40, init=scale * X[:4]).fit(scale * X)
        np.testing.assert_array_equal(one.labels_, other.labels_)
    for wrong in (1e200 * X, 1e-200 * X, (1e20 * X).astype(np.float32), (1e-30 * X).astype(np.float32)):
        with pytest.raises(ValueError, match=f"whose squares {wrong.dtype} cannot hold"):
            SizeConstrainedKMeans(4, 40).fit(wrong)


def test_constraints_and_sizes(blobs):
    X, y = blobs
    known = random_pairs(y, 150, random_state=0)
    model = SizeConstrainedKMeans(4, 60, 150, random_state=0, n_init=2).fit(X, constraints=known)
    assert model.violations_.count == 0
    assert model.cluster_sizes_.min() >= 60
    assert model.cluster_sizes_.max() <= 150
    assert (np.diff(model.objective_) <= 0).all()


@st.composite
def bound_problems(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, k = draw(st.integers(3, 8)), draw(st.integers(2, 3))
    truth = np.r_[np.arange(k), rng.integers(0, k, n - k)]
    pairs = rng.integers(0, n, (draw(st.integers(0, 4)), 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    together = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    sizes = np.bincount(truth, minlength=k)
    bounds = np.maximum(sizes - rng.integers(0, 2, k), 0), sizes + rng.integers(0, 2, k)
    return rng.normal(size=(n, k)), Constraints(n, pairs[together], pairs[~together]), *bounds


@settings(max_examples=60)  # some of them are searched
@given(bound_problems())
def test_the_assignment_is_the_best_of_all(problem):
    cost, known, lower, upper = problem
    n, k = cost.shape
    closure = known.closure(k)
    found = SizedChunklets(lower, upper, closure, known.check(k).witness).assign(
        closure.chunk_indicator @ cost, None, None, thorough=True
    )
    each = np.array(list(itertools.product(range(k), repeat=n)))
    sizes = (each[:, :, None] == np.arange(k)).sum(axis=1)
    allowed = ((lower <= sizes) & (sizes <= upper)).all(axis=1)
    allowed &= (each[:, known.must_link[:, 0]] == each[:, known.must_link[:, 1]]).all(axis=1)
    allowed &= (each[:, known.cannot_link[:, 0]] != each[:, known.cannot_link[:, 1]]).all(axis=1)
    best = cost[np.arange(n), each[allowed]].sum(axis=1).min()
    assert found.cost == pytest.approx(best)
    labels = found.labels[closure.chunk_of]
    assert known.violations(labels).count == 0
    assert (lower <= np.bincount(labels, minlength=k)).all()


def test_many_bound_objects_are_assigned_near_the_bound():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 4))
    pairs = rng.permutation(20_000)[:8000].reshape(-1, 2)
    known = Constraints(20_000, pairs[:2000], pairs[2000:])
    bound = SizeConstrainedKMeans(5, 0.19, 0.21, n_init=1, random_state=0, max_iter=10).fit(X, constraints=known)
    assert bound.violations_.count == 0
    assert bound.cluster_sizes_.min() >= 3800
    assert bound.cluster_sizes_.max() <= 4200


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (dict(min_size=3), "asks for 6 objects in 2 clusters, but there are 4: at most 2"),
        (dict(max_size=1), "room for 2 objects in 2 clusters, but there are 4: at least 2"),
        (dict(min_size=[1, 3], max_size=2), "3 against 2 in cluster 1"),
        (dict(min_size=[1, 1, 1]), "one for each of the 2"),
        (dict(min_size=-1), "not below 0"),
        (dict(min_size=1.5), "no whole number"),
        (dict(n_clusters=5), "n_clusters=5 is more than the n_samples=4"),
    ],
)
def test_bounds_that_cannot_hold(parameters, message):
    with pytest.raises(ValueError, match=message):
        SizeConstrainedKMeans(**{"n_clusters": 2, **parameters}).fit(X4)


def test_bounds_that_constraints_contradict():
    tied = Constraints(4, must_link=[(0, 1), (1, 2)])
    with pytest.raises(SizeError, match="keep 3 objects together, but max_size allows at most 2 in a cluster"):
        SizeConstrainedKMeans(2, max_size=2).fit(X4, constraints=tied)
    with pytest.raises(SizeError, match="this was proven"):
        SizeConstrainedKMeans(2, min_size=2).fit(X4, constraints=tied)
    apart = Constraints(4, cannot_link=[(0, 1), (1, 2), (0, 2)])
    with pytest.raises(InfeasibleError):
        SizeConstrainedKMeans(2).fit(X4, constraints=apart)
    with pytest.raises(InfeasibleError, match="too few to fill"):
        SizeConstrainedKMeans(3).fit(X4, constraints=tied)
    with pytest.raises(ConstraintError, match="must-links only"):
        SizeConstrainedKMeans(3).fit(X4, constraints=apart, size_weight=np.ones(4))
    with pytest.raises(ConstraintError, match="PairwiseKMeans"):
        SizeConstrainedKMeans(3).fit(X4, constraints=Constraints(4, must_link=[(0, 1)], must_weight=1.0))


def test_weights_that_are_none():
    with pytest.raises(ValueError, match="(?i)zero"):
        SizeConstrainedKMeans(2).fit(X4, sample_weight=np.zeros(4))
    for weight, message in (
        ([0, 0, 0, 0], "zero for every row"),
        ([1, 1, 1, -2], "negative numbers, such as -2"),
        (np.ones((4, 1)), r"shape \(4, 1\)"),
        ([1e308] * 4, "too large to add"),
    ):
        with pytest.raises(ValueError, match=message):
            SizeConstrainedKMeans(2).fit(X4, size_weight=weight)
    with pytest.raises(ValueError, match="3 numbers, but X has 4 rows"):
        SizeConstrainedKMeans(2).fit(X4, size_weight=np.ones(3))
    with pytest.raises(ValueError, match="NaN"):
        SizeConstrainedKMeans(2).fit(X4, size_weight=[1, 1, 1, np.nan])
