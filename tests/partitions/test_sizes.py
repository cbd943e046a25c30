"""The cheapest assignment within bounds, against linear programming, other solvers and the definition."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from ortools.graph.python import min_cost_flow
from scipy.optimize import linear_sum_assignment, linprog

from pluribus._kernels.assignment.bounded_assignment import assign_within_bounds
from pluribus.partitions import SizeError, assign_sizes
from pluribus.partitions._internal import size_bounds


def by_linear_program(cost, lower, upper):
    n, k = cost.shape
    each_once = sp.kron(sp.eye(n), np.ones((1, k)))
    sizes = sp.kron(np.ones((1, n)), sp.eye(k))
    found = linprog(
        cost.ravel(), sp.vstack([sizes, -sizes]), np.r_[upper, -lower], each_once, np.ones(n), bounds=(0, None)
    )
    return found.fun


def by_min_cost_flow(cost, lower, upper):
    n, k = cost.shape
    flow = min_cost_flow.SimpleMinCostFlow()  # points, clusters, sink
    points, clusters = np.divmod(np.arange(n * k), k)
    flow.add_arcs_with_capacity_and_unit_cost(points, n + clusters, np.ones(n * k, int), cost.astype(int).ravel())
    sink = np.full(k, n + k)
    flow.add_arcs_with_capacity_and_unit_cost(n + np.arange(k), sink, upper - lower, np.zeros(k, int))
    flow.set_nodes_supplies(np.arange(n + k + 1), np.r_[np.ones(n, int), -lower, lower.sum() - n])
    assert flow.solve() == flow.OPTIMAL
    return flow.optimal_cost()


@st.composite
def problems(draw, most=20):
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, k = draw(st.integers(1, most)), draw(st.integers(1, 5))
    cost = rng.integers(0, 5, (n, k)).astype(float) if draw(st.booleans()) else rng.normal(size=(n, k))
    sizes = rng.multinomial(n, np.ones(k) / k)
    lower, upper = np.maximum(0, sizes - rng.integers(0, 4, k)), sizes + rng.integers(0, 4, k)
    return cost, lower, upper, draw(st.sampled_from([0.0, 1.0, 10.0])) * rng.normal(size=k)


@given(problems(), st.sampled_from([1, 2, 128]))
def test_cost_is_that_of_the_linear_program(problem, length):
    cost, lower, upper, prices = problem
    n, k = cost.shape
    labels = np.empty(n, np.int64)
    assert assign_within_bounds(cost, lower, upper, prices, labels, length, 10**9) >= 0
    sizes = np.bincount(labels, minlength=k)
    assert (lower <= sizes).all()
    assert (sizes <= upper).all()
    found = cost[np.arange(n), labels].sum()
    assert found == pytest.approx(by_linear_program(cost, lower, upper), abs=1e-9)
    dual = (cost - prices).min(axis=1).sum() + np.where(prices > 0, prices * lower, prices * upper).sum()
    assert found == pytest.approx(dual, abs=1e-8)  # the certificate of the optimum


@pytest.mark.parametrize("n_problems", [50, pytest.param(2000, marks=pytest.mark.slow)])
def test_cost_is_that_of_a_min_cost_flow(n_problems):
    @settings(max_examples=n_problems)
    @given(problems(most=40))
    def check(problem):
        cost, lower, upper, prices = problem
        cost = np.round(1000 * cost)
        found = assign_sizes(cost, lower, upper, prices=prices)
        assert found.cost == by_min_cost_flow(cost, lower, upper)

    check()


@given(problems(most=6))
def test_cost_is_that_of_the_best_of_all(problem):
    cost, lower, upper, _ = problem
    n, k = cost.shape
    best = min(
        cost[np.arange(n), labels].sum()
        for labels in itertools.product(range(k), repeat=n)
        if (lower <= (sizes := np.bincount(labels, minlength=k))).all() and (sizes <= upper).all()
    )
    assert assign_sizes(cost, lower, upper).cost == pytest.approx(best)


X4 = np.array([0.0, 1, 2, 10])
C4 = (X4[:, None] - [1, 10]) ** 2


@pytest.mark.parametrize(
    ("lower", "labels", "cost", "price"),
    [
        ((1, 1), [0, 0, 0, 1], 2, 0),
        ((1, 2), [0, 0, 1, 1], 65, 63),
        ((0, 3), [0, 1, 1, 1], 146, 81),
        ((0, 4), [1] * 4, 245, 99),
    ],
)
def test_four_points(lower, labels, cost, price):
    found = assign_sizes(C4, lower)
    assert found.labels.tolist() == labels
    assert found.cost == cost
    assert found.prices.tolist() == [0, price]


def test_a_point_moves_so_that_another_can():
    x = np.array([0, 0.1, 0.2, 0.3, 1.1, 2])
    found = assign_sizes((x[:, None] - [0, 1, 2]) ** 2, 2)
    assert found.labels.tolist() == [0, 0, 1, 1, 2, 2]
    assert found.cost == pytest.approx(1.95)
    np.testing.assert_allclose(found.prices, [0, 0.6, 1.4])


def test_equal_sizes_are_a_matching():
    cost = np.random.default_rng(0).random((60, 4))
    rows, columns = linear_sum_assignment(np.repeat(cost, 15, axis=1))
    found = assign_sizes(cost, 15, 15)
    assert found.cost == pytest.approx(np.repeat(cost, 15, axis=1)[rows, columns].sum())
    assert np.bincount(found.labels).tolist() == [15] * 4


def test_samples_do_not_change_the_cost():
    rng = np.random.default_rng(0)
    cost = rng.random((45_000, 5)) + np.linspace(0, 1, 5)
    found = assign_sizes(cost, 0.15, 0.25)  # from prices of a sample of 5,625
    one_go = assign_sizes(cost, 0.15, 0.25, prices=np.zeros(5))
    assert found.cost == pytest.approx(one_go.cost, rel=1e-12)
    priced = cost - found.prices
    np.testing.assert_allclose(priced[np.arange(len(cost)), found.labels], priced.min(axis=1), atol=1e-12)


def test_no_bounds_is_the_nearest():
    cost = np.random.default_rng(1).random((100, 3)).astype(np.float32)
    np.testing.assert_array_equal(assign_sizes(cost).labels, cost.argmin(axis=1))


def test_shares():
    lower, upper = size_bounds(100, 3, 0.29, 0.58)
    assert lower.tolist() == [29] * 3  # 0.29 * 100 is a little below 29
    assert upper.tolist() == [58] * 3
    assert size_bounds(7, 2, None, 1.0)[1].tolist() == [7, 7]
    assert size_bounds(7, 2, 1)[0].tolist() == [1, 1]
    assert size_bounds(8, 2, [0, 0.5], [8.0, 4.0])[0].tolist() == [0, 4]


@pytest.mark.parametrize(
    ("bounds", "message"),
    [
        ((4, None), "asks for 12 objects in 3 clusters, but there are 10: at most 3"),
        ((11, None), "asks for 33 objects"),  # not that it were above a max_size that nobody gave
        ((None, 3), "room for 9 objects in 3 clusters, but there are 10: at least 4"),
        (([1, 5, 1], [4, 4, 4]), "5 against 4 in cluster 1"),
        (([1, 2], None), "one for each of the 3"),
        ((-1, None), "not below 0"),
        ((2.5, None), "no whole number"),
        (("two", None), "give numbers of objects"),
        ((True, None), "give numbers of objects"),
        ((None, [1, 0.5, 1]), r"max_size=\[1, 0.5, 1\] mixes whole numbers and shares"),
        (([0.1, 5, 5], None), "mixes whole numbers and shares"),
        ((np.nan, None), "give numbers of objects"),
    ],
)
def test_bounds_that_cannot_hold(bounds, message):
    with pytest.raises(SizeError, match=message):
        size_bounds(10, 3, *bounds)


@pytest.mark.parametrize("cost", [np.zeros((0, 2)), np.zeros((2, 0)), np.zeros(3), [[1, np.nan]], [[1, np.inf]]])
def test_costs_that_are_none(cost):
    with pytest.raises(ValueError, match="cost"):
        assign_sizes(cost)


@pytest.mark.parametrize("prices", [[0, np.nan], [0, np.inf], [0]])
def test_prices_that_are_none(prices):
    with pytest.raises(ValueError, match="give 2 finite numbers"):
        assign_sizes(C4, 2, prices=prices)
