"""Micro-clusters: the source's example, groups beside their rows, and what they cost."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pluribus.constrained import Aggregate, AggregateConstrainedKMeans, AtLeast, satisfied
from pluribus.constrained.conditions._count_classes import CountClass, Flow, Pivots
from pluribus.constrained.conditions._micro_clusters import MicroClusters
from pluribus.constrained.conditions._micro_points import MicroFlow, MicroPivots


def test_identities_behind_a_micro_cluster_are_exact():
    b = 2.2  # the two clusters are at 0 and b; squared distances are 1 and 2 of one row, 1.1 and 10 of the other
    x = (b**2 - np.array([1, 8.9])) / (2 * b)
    X, centers = np.column_stack([x, np.sqrt([1, 1.1] - x**2)]), np.array([[0, 0], [b, 0]])
    micro = MicroClusters.of(X, 1, [CountClass(slice(None), 2, 1, 2)], 0)
    labels = micro.identities(X, np.array([[1, 1]]), centers)
    assert ((X - centers[labels]) ** 2).sum() == pytest.approx(3.1)  # 11 if the nearest pair goes first


def test_fewer_groups_cost_little():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(m, 3)) + 4 * rng.normal(size=3) for m in (150, 90, 40, 20)])
    table = {"frequent": rng.random(300) < 0.5}
    how = dict(n_clusters=4, conditions=[AtLeast(30, "frequent")], random_state=0)
    plain, single, few = (
        AggregateConstrainedKMeans(**how, micro_clusters=m).fit(X, attributes=table) for m in (None, 300, 40)
    )
    np.testing.assert_array_equal(plain.labels_, single.labels_)
    assert few.slack_.min() >= 0
    assert (np.diff(few.objective_) <= 0).all()
    assert few.dispersion_ <= 1.1 * plain.dispersion_
    away = X - few.cluster_centers_[few.labels_]
    assert few.dispersion_ == pytest.approx((away**2).sum())
    one = AggregateConstrainedKMeans(**how, micro_clusters=40, init=plain.labels_).fit(X, attributes=table)
    assert one.dispersion_ <= 1.02 * plain.dispersion_
    pivot = AggregateConstrainedKMeans(**how, micro_clusters=40, solver="pivot").fit(X, attributes=table)
    assert pivot.slack_.min() >= 0
    alike = AggregateConstrainedKMeans(3, [AtLeast(13)], micro_clusters=10).fit(np.ones((40, 2)))
    assert np.bincount(alike.labels_).min() == 13
    few_of = [Aggregate("count", np.arange(300) < 8, "<=", 2)]  # does not say that no cluster is empty
    equal = AggregateConstrainedKMeans(4, few_of, micro_clusters=10, init=np.zeros((4, 3))).fit(X)
    assert satisfied(few_of, equal.labels_)
    assert len(np.unique(equal.labels_)) == 4


@given(st.integers(0, 10_000), st.integers(1, 3), st.integers(2, 4))
def test_groups_are_assigned_as_their_rows_are(seed, fewest, c):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(5, 2))[rng.integers(0, 5, 30)]  # equal rows
    classes = [CountClass(np.flatnonzero(rng.permutation(30) < 14), 14, fewest, 14)]
    micro = MicroClusters.of(X, 5, classes, 0)
    each, few = rng.random((len(micro.sizes), c)), np.arange(30) % c
    few[classes[0].rows] = np.arange(14) % c
    cost = each[micro.group_of]
    rows = Flow(classes)(cost, None)
    groups = MicroFlow(micro, classes)(each, None)
    assert (groups.sum(axis=1) == micro.sizes).all()
    assert groups[micro.kind == 1].sum(axis=0).min() >= fewest
    assert (groups * each).sum() == pytest.approx(cost[np.arange(30), rows].sum())
    np.testing.assert_array_equal(micro.numbers(micro.labels(groups), c), groups)
    moved = MicroPivots(micro, Pivots(classes, 2, True, 0))(each, micro.numbers(few, c))
    assert (moved.sum(axis=1) == micro.sizes).all()
    assert moved[micro.kind == 1].sum(axis=0).min() >= fewest
    assert (groups * each).sum() - 1e-9 <= (moved * each).sum() <= cost[np.arange(30), few].sum() + 1e-9


def test_about_as_many_groups_as_asked_for():
    X = np.random.default_rng(0).normal(size=(3000, 2))
    micro = MicroClusters.of(X, 200, [], 0)
    assert 180 <= len(micro.sizes) <= 220
    assert micro.sizes.sum() == 3000
    away = X - micro.means[micro.group_of]
    assert micro.spread == pytest.approx((away**2).sum())
    assert micro.spread < 0.02 * X.var(axis=0).sum() * 3000
