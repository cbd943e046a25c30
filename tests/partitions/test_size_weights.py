"""Bounds on sums of weights: the problem with split points against linear programming, and how it is rounded."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from pluribus._engine import MemoryLimitError, memory_budget
from pluribus._kernels.assignment.weighted_assignment import split_within_bounds
from pluribus.partitions import SizeError, assign_sizes
from pluribus.partitions._internal import assign_weights, split_weights, weight_bounds


def split(cost, weight, lower, upper, prices, length=128):
    """Shares of each point in each cluster, by the kernel."""
    n, k = cost.shape
    room = 10 * k + 100
    apiece, amounts = np.zeros((n + room, k)), np.zeros(n + room)
    apiece[:n], amounts[:n] = cost / weight[:, None], weight
    owner, labels = np.zeros(n + room, int), np.zeros(n + room, int)
    assert split_within_bounds(apiece, amounts, owner, lower, upper, prices, labels, n, length) >= 0
    there = np.flatnonzero(labels >= 0)
    shares = np.zeros((n, k))
    np.add.at(shares, (owner[there], labels[there]), amounts[there])
    return shares / weight[:, None]


def by_linear_program(cost, weight, lower, upper):
    n, k = cost.shape
    sums = sp.kron(weight[None, :], sp.eye(k))
    once = sp.kron(sp.eye(n), np.ones((1, k)))
    return linprog(cost.ravel(), sp.vstack([sums, -sums]), np.r_[upper, -lower], once, np.ones(n)).fun


@st.composite
def problems(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, k = draw(st.integers(1, 25)), draw(st.integers(1, 5))
    whole = draw(st.booleans())
    cost = rng.integers(0, 5, (n, k)).astype(float) if whole else rng.normal(size=(n, k))
    weight = rng.integers(1, 6, n).astype(float) if whole else rng.lognormal(size=n)
    sums = rng.dirichlet(np.ones(k)) * weight.sum()
    width = draw(st.sampled_from([0.0, 0.1, 1.0]))
    return cost, weight, sums * (1 - width), sums * (1 + width), draw(st.sampled_from([0.0, 3.0])) * rng.normal(size=k)


@given(problems(), st.sampled_from([1, 128]))
def test_split_points_cost_what_the_linear_program_says(problem, length):
    cost, weight, lower, upper, prices = problem
    shares = split(cost, weight, lower, upper, prices, length)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    sums = weight @ shares
    assert (lower - 1e-9 * weight.sum() <= sums).all()
    assert (sums <= upper + 1e-9 * weight.sum()).all()
    found = (cost * shares).sum()
    assert found == pytest.approx(by_linear_program(cost, weight, lower, upper), abs=1e-7)
    if cost[0, 0] != round(cost[0, 0]):  # no ties
        assert ((shares > 1e-9).sum(axis=1) - 1).sum() <= cost.shape[1] - 1


@given(problems())
def test_rounding_is_off_by_what_was_split(problem):
    cost, weight, lower, upper, _ = problem
    found = assign_weights(cost, weight, lower, upper)
    k = cost.shape[1]
    sums = np.bincount(found.labels, weight, minlength=k)
    most = np.sort(weight)[::-1][: k - 1].sum() + 1e-9 * weight.sum()
    assert (lower - most <= sums).all()
    assert (sums <= upper + most).all()
    assert found.cost == pytest.approx(cost[np.arange(len(cost)), found.labels].sum())


def test_equal_weights_are_sizes():
    cost = np.random.default_rng(0).random((200, 4))
    weighed = assign_weights(cost, np.full(200, 2.5), np.full(4, 100), np.full(4, 150))
    counted = assign_sizes(cost, 40, 60)
    assert weighed.cost == pytest.approx(counted.cost)
    np.testing.assert_array_equal(weighed.labels, counted.labels)


def test_many_points_from_prices_of_samples():
    rng = np.random.default_rng(0)
    cost, weight = rng.random((50_000, 5)) + np.linspace(0, 0.5, 5), rng.lognormal(size=50_000)
    bounds = weight_bounds(weight, 5, 0.19, 0.21)
    found = assign_weights(cost, weight, *bounds)
    shares = np.bincount(found.labels, weight) / weight.sum()
    assert shares.min() > 0.1899
    assert shares.max() < 0.2101
    apiece = cost / weight[:, None]
    one_go = split_weights(apiece, weight, *bounds)
    split = (apiece[one_go.owner, one_go.labels] * one_go.amounts).sum()
    assert found.cost == pytest.approx(split, rel=1e-4)
    np.testing.assert_allclose(found.prices, one_go.prices, atol=1e-6)
    from_afar = assign_weights(cost, weight, *bounds, prices=np.array([5.0, -5, 0, 5, -5]))
    np.testing.assert_array_equal(from_afar.labels, found.labels)


def test_a_point_without_weight_is_where_it_is_cheapest():
    found = assign_weights([[0, 1], [0, 1], [0, 1], [0, 9]], [1, 1, 0, 0], [0, 0], [1, 1])
    assert sorted(found.labels[:2].tolist()) == [0, 1]
    assert found.labels[2:].tolist() == [0, 0]


@pytest.mark.parametrize("scale", [1e-200, 1e-14, 1e14, 1e200])
def test_the_unit_of_the_weights_does_not_matter(scale):
    rng = np.random.default_rng(0)
    cost, weight = rng.random((12, 3)), rng.random(12)
    bounds = np.full(3, 0.33 * weight.sum()), np.full(3, 0.34 * weight.sum())
    one, other = (assign_weights(cost, s * weight, *(s * bound for bound in bounds)) for s in (1, scale))
    np.testing.assert_array_equal(one.labels, other.labels)


def test_bounds_in_weight_and_in_shares():
    lower, upper = weight_bounds(np.array([20.0, 30, 50]), 2, [10, 20], 0.8)
    assert lower.tolist() == [10, 20]
    assert upper.tolist() == [80, 80]
    assert weight_bounds(np.ones(4), 2)[1].tolist() == [4, 4]


@pytest.mark.parametrize(
    ("bounds", "message"),
    [
        ((60, None), "asks for a weight of 120 in 2 clusters, but there is 100: at most 50"),
        ((None, 40), "room for a weight of 80 in 2 clusters, but there is 100: at least 50"),
        (([10, 50], [90, 40]), "50 against 40 in cluster 1"),
        (([1, 2, 3], None), "one for each of the 2"),
        ((-1, None), "not below 0"),
        ((np.nan, None), "give sums of weights"),
    ],
)
def test_bounds_that_cannot_hold(bounds, message):
    with pytest.raises(SizeError, match=message):
        weight_bounds(np.array([20.0, 30, 50]), 2, *bounds)


@pytest.mark.parametrize("weight", [[1, 1], [1, 1, -1], [1, 1, np.nan], [0, 0, 0], [1e308] * 3])
def test_weights_that_are_none(weight):
    with pytest.raises(ValueError, match="weight must be 3 finite numbers"):
        assign_weights(np.zeros((3, 2)), weight, [0, 0], [9, 9])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[np.nan, 1.0]], [1], 0, 1), "not finite"),
        (([1.0, 2.0], [1, 1], 0, 1), "table of points by clusters"),
        (([[1.0, 2.0]], [1], [0], [1]), "one for each of the 2"),
        (([[1.0, 2.0]], [1], [0, np.nan], [1, 1]), "lower=.*: give sums of weights, not below 0"),
        (([[1.0, 2.0]], [1], 0, -1), "upper=-1: give sums of weights"),
    ],
)
def test_what_cannot_be_assigned(arguments, message):
    with pytest.raises(ValueError, match=message):
        assign_weights(*arguments)


BIG = np.zeros(1_000_000)
BIG[5] = 4


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"lower": BIG, "upper": BIG}, "lower has shape"),  # read and wrote out of bounds
        ({"lower": BIG[:2], "upper": np.full(1, 4.0)}, "upper has shape"),
        ({"prices": np.zeros(1)}, "give 2 finite numbers"),
        ({"prices": [0, np.nan]}, "give 2 finite numbers"),
        ({"weight": np.ones(3)}, "weight must be 4 finite numbers"),
        ({"weight": np.array([1.0, 1, 0, 1])}, "weight has zeros"),
        ({"weight": "heavy"}, "weight='heavy': give numbers"),
        ({"upper": np.full(2, 1.0)}, "leaves room for a weight of 2"),
        ({"lower": np.full(2, 3.0)}, "asks for a weight of 6"),
        ({"cost": np.zeros(4)}, "table of points by clusters"),
        ({"cost": np.full((4, 2), np.nan)}, "not finite"),
    ],
)
def test_nothing_unchecked_reaches_the_compiled_loop(changed, message):
    right = {"cost": np.zeros((4, 2)), "weight": np.ones(4), "lower": np.zeros(2), "upper": np.full(2, 4.0)}
    assert len(split_weights(**right).labels) == 4
    with pytest.raises(ValueError, match=message):
        split_weights(**right | changed)


def test_big_endian_and_single_precision_are_read():
    found = split_weights(
        np.array([[0, 9], [0, 4]], ">f8"), np.array([3, 2], ">i4"), np.zeros(2, "f4"), np.full(2, 4, ">i2")
    )
    assert found.amounts.tolist() == [3.0, 1.0, 1.0]


def test_clusters_that_do_not_fit_into_memory():
    k = 5000
    message = r"5,000 clusters take 3\.8 GB of memory, more than the 1\.0 MB allowed: use fewer clusters"
    with memory_budget("1MB"):
        with pytest.raises(MemoryLimitError, match=message):
            split_weights(np.zeros((4, k)), np.ones(4), np.zeros(k), np.ones(k))
        with pytest.raises(MemoryLimitError, match=message):
            assign_sizes(np.zeros((4, k)), max_size=1)
        assert assign_sizes(np.zeros((4, k))).labels.tolist() == [0, 0, 0, 0]
