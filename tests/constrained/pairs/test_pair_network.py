"""The cheapest assignment of objects with pairs, against trying all."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pluribus.constrained import NoFeasibleAssignmentError
from pluribus.constrained._shared.pair_network import Costs, PairNetwork


def every_cost(network, unary, costs):
    """The cost of every labeling."""
    m, k = unary.shape
    labels = np.array(list(product(range(k), repeat=m)))
    total = unary[np.arange(m), labels].sum(axis=1)
    for e, (one, other) in enumerate(labels[:, pair].T for pair in network.pairs):
        total += np.where(one == other, costs.together[e, one], costs.apart[e, one] + costs.apart[e, other])
    return labels, total


def by_trying_all(network, unary, costs):
    return every_cost(network, unary, costs)[1].min()


def random_problem(seed, m, k, n_pairs, hard):
    rng = np.random.default_rng(seed)
    every = np.column_stack(np.triu_indices(m, 1))
    pairs = rng.permutation(every)[:n_pairs]
    network = PairNetwork(pairs, np.arange(m))
    shape = len(pairs), k
    kind = rng.integers(0, 3 if hard else 2, len(pairs))[:, None]
    together = np.where(kind == 0, rng.random(shape) * 2, np.where(kind == 2, np.inf, 0))
    apart = np.where(kind == 1, rng.random(shape), 0)
    return network, rng.random((m, k)) * 3, Costs(together, apart)


@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(2, 3), st.integers(0, 12))
def test_small_networks_are_assigned_exactly(seed, m, k, n_pairs):
    network, unary, costs = random_problem(seed, m, k, n_pairs, hard=False)
    labels = network.assign(unary, costs)
    assert network.cost(unary, costs, labels) == pytest.approx(by_trying_all(network, unary, costs))


@given(st.integers(0, 10**6), st.integers(2, 6), st.integers(3, 4), st.integers(0, 9))
def test_hard_pairs_too(seed, m, k, n_pairs):
    network, unary, costs = random_problem(seed, m, k, n_pairs, hard=True)
    every, cost = every_cost(network, unary, costs)
    possible = np.flatnonzero(np.isfinite(cost))
    if len(possible):
        labels = network.assign(unary, costs, witness=every[possible[0]])
        assert network.cost(unary, costs, labels) == pytest.approx(cost.min())


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6))
def test_never_dearer_than_before(seed):
    rng = np.random.default_rng(seed)
    network, unary, costs = random_problem(seed, 60, 4, 120, hard=False)
    previous = rng.integers(0, 4, 60)
    labels = network.assign(unary, costs, previous=previous)
    assert network.cost(unary, costs, labels) <= network.cost(unary, costs, previous) + 1e-9


def test_large_components_come_close_to_a_planted_assignment():
    """Two clear clusters, and pairs that agree with them but for one in ten."""
    rng = np.random.default_rng(0)
    m, k = 400, 3
    truth = rng.integers(0, k, m)
    pairs = np.unique(np.sort(rng.integers(0, m, (1500, 2)), axis=1), axis=0)
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = (truth[pairs[:, 0]] == truth[pairs[:, 1]]) ^ (rng.random(len(pairs)) < 0.1)
    weight = np.ones((len(pairs), k))
    costs = Costs(np.where(same[:, None], 0, weight), np.where(same[:, None], weight / 2, 0))
    network = PairNetwork(pairs)
    unary = rng.random((len(network.nodes), k)) * 2
    unary[np.arange(len(unary)), truth[network.nodes]] -= 0.5
    labels = network.assign(unary, costs)
    assert network.cost(unary, costs, labels) <= network.cost(unary, costs, truth[network.nodes]) * 1.02


def dead_end():
    """A prism: two triangles, joined corner to corner. With 3 clusters each triangle needs all of them."""
    pairs = np.array([(0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5), (0, 3), (1, 4), (2, 5)])
    return PairNetwork(pairs), Costs(np.full((9, 3), np.inf), np.zeros((9, 3)))


def test_a_dead_end_is_left_by_matching():
    network, costs = dead_end()
    witness = np.array([0, 1, 2, 1, 2, 0])
    for seed in range(30):
        unary = np.random.default_rng(seed).random((6, 3))
        labels = network.assign(unary, costs, witness=witness)
        assert network.cost(unary, costs, labels) == pytest.approx(by_trying_all(network, unary, costs))


def test_no_way_is_an_error_that_counts_the_orders():
    pairs = np.column_stack(np.triu_indices(4, 1))
    network = PairNetwork(pairs)
    costs = Costs(np.full((6, 3), np.inf), np.zeros((6, 3)))
    with pytest.raises(NoFeasibleAssignmentError, match="21 attempts"):
        network.assign(np.zeros((4, 3)), costs)


def test_what_is_barred_stays_empty():
    network = PairNetwork(np.array([(0, 1)]))
    costs = Costs(np.full((1, 2), np.inf), np.zeros((1, 2)))
    assert network.assign(np.array([[np.inf, 5.0], [0.0, 9.0]]), costs).tolist() == [1, 0]
    with pytest.raises(NoFeasibleAssignmentError, match="fixed"):
        network.assign(np.array([[np.inf, 5.0], [np.inf, 9.0]]), costs)


def test_names_of_objects_do_not_matter():
    network, unary, costs = random_problem(5, 20, 3, 30, hard=False)
    rng = np.random.default_rng(0)
    for _ in range(5):
        order = rng.permutation(20)
        place = np.argsort(order)
        renamed = PairNetwork(place[network.pairs], np.arange(20))
        one = network.cost(unary, costs, network.assign(unary, costs))
        other = renamed.cost(unary[order], costs, renamed.assign(unary[order], costs))
        assert other == pytest.approx(one)
