"""k-means under conditions on clusters: the source's small examples, the definition, all labelings, bad input."""

import itertools
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.utils.estimator_checks import parametrize_with_checks

from pluribus.constrained import (
    Aggregate,
    AggregateConstrainedKMeans,
    AtLeast,
    Distinct,
    EntropyDiversity,
    RecursiveDiversity,
    satisfied,
)
from pluribus.constrained.conditions._count_classes import CountClass, Flow, Pivots, Program, count_bounds
from pluribus.constrained.conditions._representatives import geometric_median
from pluribus.constrained.conditions._requirements import Requirements
from pluribus.constraints import InfeasibleError

HIGHWAY = np.array([[0.0], [1], [2], [10]])
DEADLOCK = np.array([[0.0], [1], [11], [10], [12], [2]])


@parametrize_with_checks([AggregateConstrainedKMeans(3, n_init=2, random_state=0)])
def test_scikit_learn(estimator, check):
    check(estimator)


def test_highway():
    model = AggregateConstrainedKMeans(2, [AtLeast(2)], random_state=0).fit(HIGHWAY)
    assert model.labels_.tolist() == [0, 0, 1, 1]
    assert model.dispersion_ == 32.5
    assert model.slack_.tolist() == [[0], [0]]
    assert AggregateConstrainedKMeans(2, random_state=0).fit(HIGHWAY).dispersion_ == 2


def test_pivots_stop_where_the_flow_goes_on():
    start = dict(init=[0, 1, 0, 1])
    pivot = AggregateConstrainedKMeans(2, [AtLeast(2)], solver="pivot", **start).fit(HIGHWAY)
    assert pivot.objective_.tolist() == [42.5]
    flow = AggregateConstrainedKMeans(2, [AtLeast(2)], **start).fit(HIGHWAY)
    assert flow.objective_.tolist() == [42.5, 32.5]


@pytest.mark.parametrize("heuristic", ["random", "look-ahead"])
def test_deadlock(heuristic):
    how = dict(solver="pivot", heuristic=heuristic, init=[0, 0, 0, 1, 1, 1])
    model = AggregateConstrainedKMeans(2, [AtLeast(3)], **how).fit(DEADLOCK)
    assert model.objective_.tolist() == [130, 4]
    assert model.labels_.tolist() == [0, 0, 1, 1, 1, 0]
    assert AggregateConstrainedKMeans(2, [AtLeast(3)], deadlock=False, **how).fit(DEADLOCK).dispersion_ == 130
    cost = (DEADLOCK - [4, 8]) ** 2.0
    everyone = [CountClass(slice(None), 6, 3, 6)]
    ahead = 2 if heuristic == "look-ahead" else 0
    labels = Pivots(everyone, ahead, True, 0)(cost, np.array([0, 0, 0, 1, 1, 1]))
    assert cost[np.arange(6), labels].sum() == 58


def attributes(rng, n):
    return pd.DataFrame(
        {
            "frequent": rng.random(n) < 0.5,
            "old": rng.random(n) < 0.5,
            "orders": rng.integers(0, 5, n),
            "diagnosis": rng.choice(list("xyz"), n),
        }
    )


CONDITIONS = [
    [AtLeast(2)],
    [AtLeast(1, "frequent")],
    [AtLeast(1, "frequent"), AtLeast(1, "old")],
    [Aggregate("count", "frequent", "<=", 2)],
    [Aggregate("max", "orders", ">=", 2)],
    [Aggregate("sum", "orders", ">=", 3)],
    [Aggregate("avg", "orders", "<=", 2.5), AtLeast(2)],
    [Distinct("diagnosis", 2)],
    [EntropyDiversity("diagnosis", 1.5)],
    [RecursiveDiversity("diagnosis", 2, 2), AtLeast(1, "old")],
]


def best_of_all(X, conditions, table, c):
    """The least dispersion of all labelings that satisfy the conditions."""
    needed = Requirements.of(conditions, len(X), table)
    best = np.inf
    for labels in itertools.product(range(c), repeat=len(X)):
        labels = np.array(labels)
        if labels[0] == 0 and needed.satisfied(labels, c):
            means = np.array([X[labels == h].mean(axis=0) for h in range(c)])
            best = min(best, ((X - means[labels]) ** 2).sum())
    return best


@given(st.sampled_from(CONDITIONS), st.integers(2, 3), st.integers(0, 10_000))
def test_near_the_best_of_all_labelings(conditions, c, seed):
    rng = np.random.default_rng(seed)
    n = 7
    X, table = rng.normal(size=(n, 2)), attributes(rng, n)
    model = AggregateConstrainedKMeans(c, conditions, n_init=10, random_state=0)
    best = best_of_all(X, conditions, table, c)
    if best == np.inf:
        with pytest.raises(InfeasibleError):
            model.fit(X, attributes=table)
        return
    model.fit(X, attributes=table)
    assert satisfied(conditions, model.labels_, table)
    assert best - 1e-9 <= model.dispersion_ <= 1.4 * best + 1e-9


@given(st.integers(1, 3), st.integers(2, 4), st.integers(0, 10_000))
def test_the_flow_costs_what_the_assignment_costs_and_no_more_than_pivots(fewest, c, seed):
    rng = np.random.default_rng(seed)
    rows = rng.choice(20, 14, replace=False)
    cost = rng.random((20, c))
    classes = [CountClass(np.sort(rows), 14, fewest, 14)]
    labels = Flow(classes)(cost, None)
    some = cost[rows]
    square = np.concatenate([np.repeat(some, fewest, axis=1)] + [some.min(axis=1)[:, None]] * (14 - fewest * c), axis=1)
    expected = square[linear_sum_assignment(square)].sum() + np.delete(cost, rows, axis=0).min(axis=1).sum()
    value = cost[np.arange(20), labels].sum()
    assert value == pytest.approx(expected)
    start = np.arange(20) % c
    start[rows] = np.arange(14) % c
    before = cost[np.arange(20), start].sum()
    for ahead, deadlock in itertools.product((0, 1, 2, 3), (False, True)):
        moved = Pivots(classes, ahead, deadlock, seed)(cost, start)
        assert np.bincount(moved[rows], minlength=c).min() >= fewest
        assert value - 1e-9 <= cost[np.arange(20), moved].sum() <= before + 1e-9


@settings(max_examples=15)
@given(st.integers(0, 10_000))
def test_the_program_for_overlapping_classes_is_the_best_of_all(seed):
    rng = np.random.default_rng(seed)
    table, cost = attributes(rng, 7), rng.random((7, 2))
    needed = Requirements.of([AtLeast(1, "frequent"), AtLeast(1, "old"), AtLeast(3)], 7, table)
    program = Program(count_bounds(needed))
    each = [np.array(one) for one in itertools.product(range(2), repeat=7)]
    best = min((cost[np.arange(7), one].sum() for one in each if needed.satisfied(one, 2)), default=None)
    if best is None:
        with pytest.raises(InfeasibleError, match="proven that no 2 clusters"):
            program(cost, None)
        return
    labels = program(cost, None)
    assert needed.satisfied(labels, 2)
    assert cost[np.arange(7), labels].sum() == pytest.approx(best)


@settings(max_examples=10)
@given(st.integers(0, 1000), st.sampled_from(["flow", "pivot"]))
def test_without_conditions_it_is_kmeans(seed, solver):
    X, _ = make_blobs(200, n_features=3, centers=4, cluster_std=2, random_state=seed)
    theirs = KMeans(4, init=X[:4], n_init=1, algorithm="lloyd", tol=0).fit(X)
    ours = AggregateConstrainedKMeans(4, [AtLeast(0)], init=X[:4], solver=solver).fit(X)
    assert ours.dispersion_ == pytest.approx(theirs.inertia_)


@pytest.fixture(scope="module")
def customers():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(m, 3)) + 4 * rng.normal(size=3) for m in (150, 90, 40, 20)])
    return X, attributes(rng, 300).assign(revenue=rng.lognormal(size=300))


@pytest.mark.parametrize("solver", ["flow", "pivot"])
@pytest.mark.parametrize(
    "conditions",
    [
        [AtLeast(30, "frequent")],
        [AtLeast(30, ("frequent", "==", True)), AtLeast(25, ("frequent", "==", False))],
        [Aggregate("sum", "revenue", ">=", 90), Distinct("diagnosis", 3)],
        [Aggregate("avg", "revenue", ">=", 1.5), Aggregate("count", None, "<=", 120)],
        [EntropyDiversity("diagnosis", 2.7), AtLeast(50)],
        [RecursiveDiversity("diagnosis", 1, 2), Aggregate("sum", "revenue", "!=", 50)],
    ],
)
def test_conditions_hold_and_the_dispersion_falls(customers, conditions, solver):
    X, table = customers
    model = AggregateConstrainedKMeans(4, conditions, solver=solver, random_state=0, n_init=2).fit(X, attributes=table)
    assert satisfied(conditions, model.labels_, table)
    assert (np.diff(model.objective_) < 0).all()
    away = X - model.cluster_centers_[model.labels_]
    assert model.dispersion_ == pytest.approx((away**2).sum())
    assert model.slack_.shape == (4, len(conditions))
    assert (np.diff(np.bincount(model.labels_)) <= 0).all()


def test_other_representatives(customers):
    X, table = customers
    for representative in ("median", "medoid"):
        model = AggregateConstrainedKMeans(4, [AtLeast(30, "frequent")], representative=representative, random_state=0)
        model.fit(X, attributes=table)
        assert model.slack_.min() >= 0
        assert (np.diff(model.objective_) < 0).all()
        away = np.linalg.norm(X - model.cluster_centers_[model.labels_], axis=1)
        assert model.dispersion_ == pytest.approx(away.sum())
        assert representative == "median" or (model.cluster_centers_[:, None] == X).all(axis=2).any(axis=1).all()
    point, value = geometric_median(np.array([[0.0, 0], [0, 0], [0, 0], [1, 0], [0, 5]]))
    np.testing.assert_allclose(point, 0, atol=1e-6)
    assert value == pytest.approx(6)


@pytest.mark.parametrize("representative", ["mean", "median", "medoid"])
def test_rows_far_from_zero(customers, representative):
    X, table = customers
    model = AggregateConstrainedKMeans(4, [AtLeast(30, "frequent")], representative=representative, random_state=0)
    near, far = (clone(model).fit(X + away, attributes=table) for away in (0, 1e7))
    np.testing.assert_array_equal(near.labels_, far.labels_)
    np.testing.assert_array_equal(near.predict(X), far.predict(X + 1e7))
    assert far.dispersion_ == pytest.approx(near.dispersion_, rel=1e-5)


def test_rows_in_another_order(customers):
    X, table = customers
    order = np.random.default_rng(1).permutation(300)
    how = dict(n_clusters=4, conditions=[AtLeast(30, "frequent")], init=X[:4])
    one = AggregateConstrainedKMeans(**how).fit(X, attributes=table)
    other = AggregateConstrainedKMeans(**how).fit(X[order], attributes=table.iloc[order])
    np.testing.assert_array_equal(one.labels_[order], other.labels_)


def test_house_conventions(customers):
    X, table = customers
    model = AggregateConstrainedKMeans(4, [AtLeast(30, "frequent")], random_state=0)
    frame = table.assign(x=X[:, 0])[["x", "orders", "frequent"]].astype(float)
    assert clone(model).fit(frame).slack_.min() >= 0  # the columns of X serve as attributes
    one, two = (clone(model).set_params(n_jobs=jobs).fit(X, attributes=table) for jobs in (None, 2))
    np.testing.assert_array_equal(one.labels_, two.labels_)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(one)).predict(X), one.predict(X))
    np.testing.assert_array_equal(clone(model).fit_predict(X, attributes=table), one.labels_)
    small = clone(model).fit(X.astype(np.float32), attributes=table)
    assert small.cluster_centers_.dtype == np.float32


def test_duplicates_and_constant_columns():
    X = np.tile([[0.0, 1.0], [1.0, 1.0]], (6, 1))
    model = AggregateConstrainedKMeans(3, [AtLeast(3)], random_state=0).fit(X)
    assert np.bincount(model.labels_).min() >= 3
    assert AggregateConstrainedKMeans(1, [AtLeast(1)]).fit([[1.0]]).dispersion_ == 0
    assert AggregateConstrainedKMeans(4, [AtLeast(1)]).fit(HIGHWAY).dispersion_ == 0
    alike = AggregateConstrainedKMeans(2, [Distinct("s", 2)], random_state=0).fit(
        X[:4] * 0, attributes={"s": [1, 2, 3, 4]}
    )
    assert np.bincount(alike.labels_).tolist() == [2, 2]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (dict(n_clusters=5), "n_clusters=5 is more than the n_samples=4"),
        (dict(conditions=[AtLeast(3)]), "needs 6 rows, but there are 4"),
        (dict(conditions=AtLeast(3)), "needs 6 rows, but there are 4"),
        (dict(conditions=["x"]), "'x' is not a condition"),
        (dict(conditions=[Aggregate("count", None, "<=", 3)], solver="pivot"), "does not support upper bounds"),
        (dict(conditions=[Distinct(0, 2)], representative="median"), "use representative='mean'"),
        (dict(conditions=[Distinct(0, 2)], micro_clusters=2), "leave micro_clusters out"),
        (dict(micro_clusters=1), "micro_clusters=1 is less than n_clusters=2"),
        (dict(init=[[0.0]]), r"shape \(1, 1\): give centers, of shape \(2, 1\)"),
        (dict(init=[[0.0], [np.nan]]), "not finite numbers"),
        (dict(init=[["a"], ["b"]]), "not finite numbers"),
        (dict(n_clusters=True), "not a number"),
        (dict(init=[0, 1, 2, 0]), "from 0 to 1"),
        (dict(init=[0, 1, 1, 1], conditions=[AtLeast(2)]), "break the conditions"),
        (dict(conditions=[Aggregate("avg", 0, ">=", 3), AtLeast(2)]), "may still be feasible"),
    ],
)
def test_bad_input(parameters, message):
    model = AggregateConstrainedKMeans(**{"n_clusters": 2, "random_state": 0, **parameters})
    with pytest.raises(ValueError, match=message):
        model.fit(HIGHWAY)
