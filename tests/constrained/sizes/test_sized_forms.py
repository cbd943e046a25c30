"""Medians, outliers and minima of labeled objects in k-means within bounds: small examples, and oracles."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import linprog

from helpers import uneven_blobs
from pluribus.constrained import SizeConstrainedKMeans
from pluribus.constrained._shared.base import Given
from pluribus.constrained.sizes._labeled_objects import LabeledObjects
from pluribus.constrained.sizes._median_points import MedianPoints, _weighted_medians
from pluribus.constraints import ConstraintError, Constraints
from pluribus.partitions import SizeError, assign_sizes

X6 = np.array([[0.0], [1], [2], [10], [11], [30]])


@pytest.fixture(scope="module")
def blobs():
    return uneven_blobs()[0]


def test_medians_by_hand():
    model = SizeConstrainedKMeans(2, metric="cityblock", min_size=3, init=[[1], [10]]).fit(X6)
    assert model.labels_.tolist() == [0, 0, 0, 1, 1, 1]
    assert model.cluster_centers_.ravel().tolist() == [1, 11]  # the mean would be 17
    assert model.inertia_ == 2 + 20
    assert model.predict([[5.9], [6.1]]).tolist() == [0, 1]
    assert model.score([[5.0], [12.0]]) == -5


@pytest.mark.parametrize(("min_size", "max_size"), [(90, None), (None, 110), (0.2, 0.3)])
def test_medians_within_bounds(blobs, min_size, max_size):
    model = SizeConstrainedKMeans(4, min_size, max_size, metric="cityblock", n_init=2, random_state=0).fit(blobs)
    assert (np.diff(model.objective_) <= 0).all()
    cost = np.abs(blobs[:, None] - model.cluster_centers_).sum(axis=2)
    assert model.inertia_ == pytest.approx(assign_sizes(cost, min_size or 1, max_size).cost)
    for h in range(4):
        median = np.median(blobs[model.labels_ == h], axis=0)
        np.testing.assert_allclose(model.cluster_centers_[h], median, atol=0.1)  # within tol
    by_price = model.predict(blobs, use_prices=True)
    assert (by_price == model.labels_).mean() > 0.99


def test_medians_keep_chunklets_whole(blobs):
    known = Constraints(400, must_link=[(0, 399), (1, 399)], cannot_link=[(5, 6)])
    model = SizeConstrainedKMeans(4, 80, metric="cityblock", random_state=0, n_init=2).fit(blobs, constraints=known)
    assert model.violations_.count == 0
    away = np.abs(blobs - model.cluster_centers_[model.labels_]).sum()
    assert model.inertia_ == pytest.approx(away)


def test_a_chunklet_costs_what_its_objects_cost():
    known = Constraints(6, must_link=[(0, 5), (5, 3)])
    weights = np.array([1.0, 1, 1, 2, 1, 3])
    points = MedianPoints(Given(X6, known, weights), known.closure(), None)
    cost = np.empty((4, 2))
    points.costs(np.array([[1.0], [10.0]]), cost)
    assert cost.tolist() == [[1 + 3 * 29 + 2 * 9, 10 + 3 * 20 + 0], [0, 9], [1, 8], [10, 1]]
    value, medians = points.step(np.array([1, 0, 0, 1]), np.array([[1.0], [10.0]]))
    assert value == 1 + 70 + 1
    assert medians.ravel().tolist() == [1.5, 11]


@given(st.integers(0, 10_000))
@settings(max_examples=25)
def test_weighted_medians_are_those_of_repeated_rows(seed):
    random = np.random.default_rng(seed)
    rows, weights = random.integers(0, 5, (random.integers(1, 9), 2)).astype(float), random.integers(0, 4, 8)
    weights = weights[: len(rows)]
    weights[0] += 1
    expected = np.median(np.repeat(rows, weights, axis=0), axis=0)
    np.testing.assert_allclose(_weighted_medians(rows, weights.astype(float)), expected)


def test_weights_of_medians_and_sparse_rows():
    weights = [1, 1, 1, 5, 1, 1]
    model = SizeConstrainedKMeans(2, metric="cityblock", init=[[1], [10]]).fit(X6, sample_weight=weights)
    assert model.cluster_centers_.ravel().tolist() == [1, 10]
    with pytest.raises(ValueError, match="dense array"):
        SizeConstrainedKMeans(2, metric="cityblock").fit(sparse.csr_array(X6))


@pytest.mark.parametrize("metric", ["euclidean", "cityblock"])
@pytest.mark.parametrize("kind", [np.asarray, np.float32])
def test_an_outlier_stays_outside(metric, kind):
    X = kind(X6)
    model = SizeConstrainedKMeans(2, 2, metric=metric, outlier_cost=4.0, init=[[1], [10]]).fit(X)
    assert model.labels_.tolist() == [0, 0, 0, 1, 1, -1]
    assert model.cluster_sizes_.tolist() == [3, 2]
    assert model.cluster_centers_.ravel().tolist() == [1, 10.5]
    assert model.inertia_ == pytest.approx(4 + (2 + 0.5 if metric == "euclidean" else 2 + 1))
    assert model.predict(kind([[2.5], [6], [11]])).tolist() == [0, -1, 1]
    assert model.predict(kind([[2.5], [6], [11], [11]]), enforce_sizes=True).tolist() == [0, 0, 1, 1]
    assert model.predict(kind([[2.5], [6], [11]]), use_prices=True).tolist() == [0, -1, 1]
    assert model.score(kind([[1.0], [100.0]])) == pytest.approx(-4)
    assert model.n_clusters_ == 2


@given(st.integers(0, 10_000), st.floats(0.5, 30))
@settings(max_examples=25, deadline=None)
def test_outliers_are_the_best_choice_for_their_centers(seed, price):
    random = np.random.default_rng(seed)
    X, weights = random.normal(size=(7, 2)) * 3, random.integers(1, 4, 7)
    model = SizeConstrainedKMeans(2, 2, 3, outlier_cost=price, random_state=0, n_init=2)
    model.fit(X, sample_weight=weights)
    cost = np.hstack([((X[:, None] - model.cluster_centers_) ** 2).sum(axis=2), np.full((7, 1), price)])
    cost *= weights[:, None]
    best = min(
        cost[np.arange(7), labels].sum()
        for labels in itertools.product(range(3), repeat=7)
        if all(2 <= labels.count(h) <= 3 for h in range(2))
    )
    assert model.inertia_ == pytest.approx(best)
    assert (np.diff(model.objective_) <= 1e-9).all()


def test_a_high_cost_makes_no_outliers(blobs):
    plain = SizeConstrainedKMeans(4, 0.2, random_state=0, n_init=2).fit(blobs)
    same = SizeConstrainedKMeans(4, 0.2, outlier_cost=1e6, random_state=0, n_init=2).fit(blobs)
    np.testing.assert_array_equal(plain.labels_, same.labels_)
    assert plain.inertia_ == pytest.approx(same.inertia_)


@given(st.integers(0, 10_000))
@settings(max_examples=25, deadline=None)
def test_minima_of_labeled_objects_are_the_linear_program(seed):
    random = np.random.default_rng(seed)
    n, k = 12, 3
    cost = random.integers(0, 9, (n, k)).astype(float) if seed % 2 else random.normal(size=(n, k))
    kinds = random.permutation([0, 0, 0, 0, 0, 1, 1, 1, -1, -1, -1, -1])
    least = np.array([[1, 2, 1], [0, 1, 1]])
    lower, upper = np.array([2, 3, 2]), np.array([9, 4, 12])
    found = LabeledObjects(lower, upper, kinds, least).assign(cost, None, None)
    for kind in range(2):
        assert (np.bincount(found.labels[kinds == kind], minlength=k) >= least[kind]).all()
    sizes = np.bincount(found.labels, minlength=k)
    assert ((sizes >= lower) & (sizes <= upper)).all()
    inside = [np.tile(np.eye(k), (1, n)), *(np.kron(kinds == kind, np.eye(k)) for kind in range(2))]
    best = linprog(
        cost.ravel(),
        A_ub=np.vstack([inside[0], *(-rows for rows in inside)]),
        b_ub=np.concatenate([upper, -lower, *-least]),
        A_eq=np.kron(np.eye(n), np.ones(k)),
        b_eq=np.ones(n),
    )
    assert cost[np.arange(n), found.labels].sum() == pytest.approx(best.fun)


def test_every_cluster_has_labeled_objects(blobs):
    labeled = np.zeros(400, bool)
    labeled[np.argsort(blobs[:, 0])[:40]] = True  # all on one side
    plain = SizeConstrainedKMeans(4, random_state=0).fit(blobs)
    assert np.bincount(plain.labels_[labeled], minlength=4).min() == 0
    model = SizeConstrainedKMeans(4, min_labeled=5, random_state=0, n_init=2).fit(blobs, labeled=labeled)
    assert np.bincount(model.labels_[labeled], minlength=4).min() >= 5
    assert (np.diff(model.objective_) <= 1e-9).all()
    assert model.prices_.shape == (4,)
    names = np.where(labeled, "old", "new").astype(object)
    names[::7] = None
    wanted = {"old": 0.25, "new": [9, 9, 9, 200]}
    model = SizeConstrainedKMeans(4, 50, min_labeled=wanted, random_state=0, n_init=1).fit(blobs, labeled=names)
    assert np.bincount(model.labels_[names == "old"]).min() >= (names == "old").sum() // 4
    assert np.bincount(model.labels_[names == "new"])[3] >= 200  # numbered like the bounds
    beside = SizeConstrainedKMeans(4, min_labeled=5, outlier_cost=3.0, random_state=0, n_init=1)
    beside.fit(blobs, labeled=labeled)
    assert np.bincount(beside.labels_[labeled & (beside.labels_ >= 0)], minlength=4).min() >= 5
    assert (beside.labels_ < 0).any()


@pytest.mark.parametrize(
    ("parameters", "more", "message"),
    [
        (dict(min_labeled=2), {}, "give both or none"),
        ({}, dict(labeled=[True] * 6), "give both or none"),
        (dict(min_labeled=2), dict(labeled=[1, 1, 1, -1, -1, -1]), "min_labeled asks for 4 objects labeled 1"),
        (dict(min_labeled=2, max_size=[1, 5]), dict(labeled=[True] * 6), "max_size allows 1 objects"),
        (dict(min_labeled=[0, 3], min_size=[4, 1]), dict(labeled=[True] * 6), "7 objects together, but there are 6"),
        (dict(min_labeled={"a": 1}), dict(labeled=["b"] * 6), "no object has this label"),
        (dict(min_labeled=1), dict(labeled=[True] * 5), "labeled has 5 values, but X has 6 rows"),
        (dict(min_labeled=1), dict(labeled=[True] * 6, size_weight=np.ones(6)), "leave out one of them"),
        (dict(outlier_cost=1.0), dict(size_weight=np.ones(6)), "leave out one of them"),
        (dict(outlier_cost=-1.0), {}, "outlier_cost"),
        (dict(metric="cosine"), {}, "metric"),
    ],
)
def test_what_cannot_hold_is_refused(parameters, more, message):
    error = SizeError if "objects" in message and "labeled has" not in message and "no object" not in message else None
    with pytest.raises(error or ValueError, match=message):
        SizeConstrainedKMeans(2, **parameters).fit(X6, **more)


@pytest.mark.parametrize("parameters", [dict(outlier_cost=1.0), dict(min_labeled=1)])
def test_constraints_are_refused_there(parameters):
    labeled = [True] * 6 if "min_labeled" in parameters else None
    with pytest.raises(ConstraintError, match=f"{next(iter(parameters))} does not support constraints"):
        SizeConstrainedKMeans(2, **parameters).fit(X6, constraints=Constraints(6, [(0, 1)]), labeled=labeled)
