"""Correlation clustering: exact small answers, bounds and guarantees against slow oracles, and bad input."""

import warnings
from itertools import combinations, pairwise, permutations

import networkx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import linprog
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score

from pluribus import Constraints, Ensemble
from pluribus.constraints import ContradictionError
from pluribus.evidence import CoAssociation
from pluribus.evidence._internal import SignedGraph, packing_bound
from pluribus.relational import CorrelationClustering, by_name, names
from pluribus.relational.signed import _rounding
from pluribus.relational.signed._by_components import relax_and_round
from pluribus.relational.signed._relaxation import Relaxation, Triangles, relax
from pluribus.relational.signed._rounding import grow_regions, round_by_balls, round_by_curve, round_by_pivots

EXACT = ("exact", "lp", "local_search")
SOLVERS = (*EXACT, "pivot", "region_growing")


def model(mode=None, **options):
    return CorrelationClustering(mode, **{"random_state": 0, "verbose": False, **options})


def path(n):
    return [(i, i + 1) for i in range(n - 1)]


def cycle(n):
    return [*path(n), (0, n - 1)]


def star(k):
    return [(0, leaf) for leaf in range(1, k + 1)]


def without_matching(p):
    return [(i, j) for i, j in combinations(range(2 * p), 2) if j != i + p]


def complete_scores(edges, n):
    """+1 for the edges, -1 for all other pairs."""
    scores = -np.ones((n, n))
    for i, j in edges:
        scores[i, j] = scores[j, i] = 1
    np.fill_diagonal(scores, 0)
    return scores


def disagreements(scores, labels):
    labels = np.asarray(labels)
    same = labels[:, None] == labels
    return float(np.where(same, np.maximum(-scores, 0), np.maximum(scores, 0))[np.triu_indices(len(labels), 1)].sum())


def partitions(n):
    """All set partitions of n objects."""
    if n == 0:
        yield []
        return
    for labels in partitions(n - 1):
        for c in range(max(labels, default=-1) + 2):
            yield [*labels, c]


def optimum(scores, allowed=lambda labels: True):
    return min(disagreements(scores, labels) for labels in partitions(len(scores)) if allowed(labels))


def relaxation_value(scores):
    """(13.4), by the solver of the library."""
    found = relax(scores, 60.0, verbose=False)
    assert found.solved
    return found.value + np.maximum(-scores, 0)[np.triu_indices(len(scores), 1)].sum(), found.x


def edge_relaxation_value(scores):
    """(13.5): one variable for each pair, one row for each bad triple; ±1 scores only."""
    n = len(scores)
    number = {pair: at for at, pair in enumerate(combinations(range(n), 2))}
    rows = []
    for triple in combinations(range(n), 3):
        pairs = list(combinations(triple, 2))
        if sum(scores[pair] > 0 for pair in pairs) == 2:
            row = np.zeros(len(number))
            row[[number[pair] for pair in pairs]] = -1
            rows.append(row)
    if not rows:
        return 0.0
    return linprog(np.ones(len(number)), A_ub=np.array(rows), b_ub=-np.ones(len(rows)), bounds=(0, 1)).fun


def expected_pivot(joining, scores, left=None):
    """The expected cost of pivots, where v joins u with probability joining[u, v], by recursion over sets."""
    left = tuple(range(len(scores))) if left is None else left
    if len(left) <= 1:
        return 0.0
    total = 0.0
    for u in left:
        others = [v for v in left if v != u]
        for mask in range(2 ** len(others)):
            chance, inside, outside = 1.0, [u], []
            for bit, v in enumerate(others):
                joins = mask >> bit & 1
                chance *= joining[u, v] if joins else 1 - joining[u, v]
                (inside if joins else outside).append(v)
            if chance == 0:
                continue
            cost = sum(max(-scores[pair], 0) for pair in combinations(inside, 2))
            cost += sum(max(scores[i, j], 0) for i in inside for j in outside)
            total += chance * (cost + expected_pivot(joining, scores, tuple(outside)))
    return total / len(left)


TINY = {
    "path of 3": (path(3), 3, 1, 1, 1, 1),
    "path of 4": (path(4), 4, 1, 1, 1.5, 1),
    "path of 5": (path(5), 5, 2, 2, 2.2, 2),
    "cycle of 4": (cycle(4), 4, 2, 2, 3, 2),
    "cycle of 5": (cycle(5), 5, 3, 2.5, 3, None),
    "star of 3": (star(3), 4, 2, 1.5, 2.25, 2.15625),
    "star of 4": (star(4), 5, 3, 2, 3.6, 3.1625),
    "star of 5": (star(5), 6, 4, 2.5, 5, 4.234375),
    "no matching, 2": (without_matching(2), 4, 2, 2, 3, 2),
    "no matching, 3": (without_matching(3), 6, 3, 3, 6, 3),
}


@pytest.mark.parametrize("name", TINY)
def test_exact_small_answers(name):
    edges, n, opt, lp, pivots, lp_pivots = TINY[name]
    scores = complete_scores(edges, n)
    assert optimum(scores) == opt
    for solver in EXACT:
        found = model("complete", solver=solver).fit(edges)
        assert found.cost_ == pytest.approx(opt)
        assert found.cost_ == disagreements(scores, found.labels_)
    assert model("complete", solver="lp").fit(edges).lower_bound_ == pytest.approx(lp)
    assert model("complete", solver="exact").fit(edges).gap_ == 0
    assert expected_pivot((scores > 0).astype(float), scores) == pytest.approx(pivots)
    if lp_pivots is not None:
        assert expected_pivot(1 - relaxation_value(scores)[1], scores) == pytest.approx(lp_pivots, abs=1e-6)


@pytest.mark.parametrize("name", [name for name in TINY if TINY[name][1] <= 6])
def test_pivots_over_all_orders_cost_what_they_should(name):
    from pluribus._kernels.graphs.signed_pivot import pivot_clusters

    edges, n, *_, pivots, _ = TINY[name]
    scores = complete_scores(edges, n)
    graph = SignedGraph.of(np.where(scores > 0, 2, 0), np.ones(n), 1, len(edges), n * (n - 1) / 2)
    labels, costs = np.empty(n, np.int64), []
    for order in permutations(range(n)):
        arrays = graph.indptr, graph.indices, graph.data, graph.sizes
        pivot_clusters(*arrays, 1.0, np.array(order), -np.inf, labels)
        costs.append(graph.cost(labels))
        assert costs[-1] == disagreements(scores, labels)
    assert np.mean(costs) == pytest.approx(pivots)


def test_pivot_of_a_clique_without_a_matching_is_three_times_the_best():
    found = model("complete", solver="pivot", n_init=30).fit(without_matching(4))
    assert found.cost_ == 3 * (4 - 1)
    assert model("complete", solver="exact").fit(without_matching(4)).cost_ == 4


def test_relaxation_is_more_than_its_edge_form():
    edges = [(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (1, 4), (2, 3)]
    scores = complete_scores(edges, 5)
    assert relaxation_value(scores)[0] == pytest.approx(3)
    assert edge_relaxation_value(scores) == pytest.approx(2.5)
    assert optimum(scores) == 3


@settings(max_examples=15, deadline=None)
@given(n=st.integers(2, 7), share=st.floats(0.1, 0.9), seed=st.integers(0, 2**32 - 1))
def test_bounds_and_roundings_are_in_order(n, share, seed):
    rng = np.random.default_rng(seed)
    edges = [pair for pair in combinations(range(n), 2) if rng.random() < share]
    scores = complete_scores(edges, n)
    opt, (lp, x), weaker = optimum(scores), relaxation_value(scores), edge_relaxation_value(scores)
    graph = SignedGraph.of(np.where(scores > 0, 2, 0), np.ones(n), 1, len(edges), n * (n - 1) / 2)
    packed = packing_bound(graph, 0)
    assert packed <= weaker + 1e-6  # a packing is a feasible dual solution
    assert weaker <= lp + 1e-6
    assert lp <= opt + 1e-6
    none = np.zeros((n, n), bool)
    balls = disagreements(scores, round_by_balls(x, none, rng.permutation(n)))
    pivots = disagreements(scores, round_by_pivots(x, none, rng.permutation(n), rng))
    curve = disagreements(scores, round_by_curve(x, scores, none, rng.permutation(n), rng))
    assert min(balls, pivots, curve) >= opt - 1e-9
    assert balls <= 4 * lp + 1e-6
    assert expected_pivot((scores > 0).astype(float), scores) <= 3 * weaker + 1e-6
    if n <= 5:
        assert expected_pivot(1 - np.clip(x, 0, 1), scores) <= 2.5 * lp + 1e-6
    for solver in SOLVERS:
        found = model("complete", solver=solver, n_init=2).fit(edges_on(edges, n))
        assert found.lower_bound_ <= opt + 1e-6
        assert found.cost_ >= opt - 1e-9
        assert found.cost_ == pytest.approx(disagreements(scores, found.labels_))
    assert model("complete", solver="exact").fit(edges_on(edges, n)).cost_ == opt


def edges_on(edges, n):
    """The graph of these edges on n nodes."""
    matrix = np.zeros((n, n))
    for i, j in edges:
        matrix[i, j] = matrix[j, i] = 1
    return sparse.csr_array(matrix)


def random_scores(n, seed, density=0.7):
    rng = np.random.default_rng(seed)
    scores = np.triu(np.round(rng.normal(size=(n, n)), 2) * (rng.random((n, n)) < density), 1)
    return scores + scores.T


@settings(max_examples=25, deadline=None)
@given(n=st.integers(2, 7), seed=st.integers(0, 2**32 - 1), c=st.floats(2.05, 4))
def test_weighted_general_input(n, seed, c):
    scores = random_scores(n, seed)
    opt, (lp, x) = optimum(scores), relaxation_value(scores)
    graph = SignedGraph.of(scores, np.ones(n), 0, np.maximum(scores, 0).sum() / 2, np.abs(scores).sum() / 2)
    assert packing_bound(graph, seed) <= lp + 1e-6
    assert lp <= opt + 1e-6
    for order in (np.arange(n), np.arange(n)[::-1]):
        regions, radii = grow_regions(x, scores, order, c)
        factor = max(2 * c * np.log(n + 1), c / (c - 2))
        assert (radii <= 1 / c + 1e-9).all()
        assert opt - 1e-9 <= disagreements(scores, regions) <= factor * lp + 1e-6
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for solver in SOLVERS:
            found = model("general", solver=solver, n_init=3).fit(sparse.csr_array(scores))
            assert found.cost_ == pytest.approx(disagreements(scores, found.labels_))
            assert found.lower_bound_ - 1e-6 <= opt <= found.cost_ + 1e-9
            total = np.abs(scores).sum() / 2
            assert found.agreements_ + found.cost_ == pytest.approx(total)
            if solver == "exact":
                assert found.cost_ == pytest.approx(opt)
            if solver == "local_search":
                assert found.agreements_ >= total / 2 - 1e-9  # the trivial half


def test_regions_are_tested_between_distances():
    """The printed rule jumps to radius 1 and returns one cluster of cost 6."""
    scores = np.zeros((5, 5))
    for i, j, weight in [(0, 2, 3), (1, 3, 2), (1, 4, 3), (2, 3, 5), (0, 4, -4), (3, 4, -2)]:
        scores[i, j] = scores[j, i] = weight
    lp, x = relaxation_value(scores)
    assert lp == pytest.approx(2)
    assert optimum(scores) == 2
    regions, radii = grow_regions(x, scores, np.arange(5), c=2.5)
    assert adjusted_rand_score(regions, [0, 1, 0, 0, 1]) == 1
    assert disagreements(scores, regions) == 2
    assert radii.max() <= 1 / 2.5
    found = model(solver="region_growing").fit(sparse.csr_array(scores))
    assert found.cost_ == 2


@pytest.mark.parametrize("length", [2, 3, 5, 8])
def test_long_bad_cycles_are_in_the_bound(length):
    edges = [(i, i + 1, 2.0) for i in range(length)] + [(0, length, -1.5)]
    found = model(solver="local_search").fit(edges)
    assert found.cost_ == found.lower_bound_ == 1.5


def test_random_rounding_matches_its_expectation():
    scores = complete_scores(star(3), 4)
    _, x = relaxation_value(scores)
    rng, none = np.random.default_rng(0), np.zeros((4, 4), bool)
    costs = [disagreements(scores, round_by_pivots(x, none, rng.permutation(4), rng)) for _ in range(4000)]
    assert np.mean(costs) == pytest.approx(2.15625, abs=4 * np.std(costs) / np.sqrt(4000))


@pytest.mark.parametrize("solver", SOLVERS)
def test_disjoint_cliques_are_found_without_cost(solver):
    truth = np.repeat([0, 1, 2], [5, 4, 2])
    same = (truth[:, None] == truth).astype(float) - np.eye(11)
    complete = model("complete", solver=solver).fit(same)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        general = model(solver=solver).fit(np.where(same > 0, 1.0, -1.0) * (1 - np.eye(11)))
    for found in (complete, general):
        assert adjusted_rand_score(truth, found.labels_) == 1
        assert (found.cost_, found.lower_bound_, found.gap_, found.n_clusters_) == (0, 0, 0, 3)


def test_costs_of_the_trivial_partitions_and_shifts():
    rng = np.random.default_rng(3)
    plus, minus = (np.triu(rng.random((6, 6)).round(2), 1) for _ in range(2))
    plus, minus = plus + plus.T, minus + minus.T
    found = model("general", solver="exact").fit(plus, apart=minus)
    scores = plus - minus
    shared = np.minimum(plus, minus).sum() / 2
    assert found.cost_ == pytest.approx(optimum(scores) + shared)
    assert found.cost_ + found.agreements_ == pytest.approx((plus + minus).sum() / 2)
    shifted = model("general", solver="exact").fit(plus + 0.5 * (1 - np.eye(6)), apart=minus + 0.5 * (1 - np.eye(6)))
    assert shifted.cost_ == pytest.approx(found.cost_ + 0.5 * 15)
    np.testing.assert_array_equal(shifted.labels_, found.labels_)


# -- ensembles ---------------------------------------------------------------------------------------------------------

THREE = [[0, 0, 1, 1], [0, 0, 0, 1], [0, 1, 1, 1]]


@pytest.mark.parametrize("solver", EXACT)
def test_consensus_example(solver):
    found = model(solver=solver).fit(Ensemble(THREE))
    assert (found.cost_, found.lower_bound_, found.labels_.tolist()) == (6, 6, [0, 0, 1, 1])
    assert found.agreements_ == 18 - 6
    assert model("consensus", solver=solver).fit(THREE).cost_ == 6


def test_pivots_on_the_consensus_example():
    scores = np.zeros((4, 4))
    for i, j in combinations(range(4), 2):
        scores[i, j] = scores[j, i] = 2 * sum(labels[i] == labels[j] for labels in THREE) - 3
    shared = sum((3 - abs(scores[pair])) / 2 for pair in combinations(range(4), 2))
    assert expected_pivot((scores > 0).astype(float), scores) + shared == pytest.approx(6.5)
    found = model("consensus", solver="pivot", n_init=20).fit(THREE)
    assert found.cost_ == 6


def mirkin(ensemble, labels):
    same = labels[:, None] == labels
    upper = np.triu_indices(len(labels), 1)
    total = 0.0
    for column, weight in zip(ensemble.labels.T, ensemble.weights, strict=True):
        both = (column[:, None] >= 0) & (column >= 0)
        total += weight * ((same != (column[:, None] == column)) & both)[upper].sum()
    return total


@settings(max_examples=20, deadline=None)
@given(n=st.integers(2, 7), r=st.integers(1, 5), missing=st.sampled_from([0.0, 0.3]), seed=st.integers(0, 2**32 - 1))
def test_ensembles_against_all_partitions(n, r, missing, seed):
    rng = np.random.default_rng(seed)
    labels = np.where(rng.random((n, r)) < missing, -1, rng.integers(0, 3, (n, r)))
    labels[0], labels[:, 0] = np.maximum(labels[0], 0), np.maximum(labels[:, 0], 0)
    ensemble = Ensemble(labels, weights=rng.integers(1, 4, r))
    opt = min(mirkin(ensemble, np.array(y)) for y in partitions(n))
    for solver in SOLVERS:
        found = model(solver=solver, n_init=4).fit(ensemble)
        assert found.cost_ == pytest.approx(mirkin(ensemble, found.labels_))
        assert found.lower_bound_ - 1e-6 <= opt <= found.cost_ + 1e-9
    assert model(solver="exact").fit(ensemble).cost_ == pytest.approx(opt)


def test_one_partition_is_its_own_consensus():
    labels = np.array([0, 1, 1, 2, 2, 2])
    found = model("consensus").fit([labels])
    assert found.cost_ == 0
    assert adjusted_rand_score(labels, found.labels_) == 1


def test_evidence_is_a_share_of_the_members():
    ensemble = Ensemble(THREE)
    expected = model(solver="exact").fit(ensemble)
    matrix = CoAssociation.from_matrix(CoAssociation(ensemble).to_dense())
    for evidence in (CoAssociation(ensemble), CoAssociation(ensemble, form="operator"), matrix):
        found = model(solver="exact").fit(evidence)
        assert found.cost_ == pytest.approx(expected.cost_ / 3)
        assert found.lower_bound_ == pytest.approx(2)
    gaps = Ensemble([[0, 0, 1, 1], [0, 0, 0, -1], [0, 1, 1, 1]])
    c = CoAssociation(gaps).to_dense()
    by_hand = min(sum(1 - c[i, j] if y[i] == y[j] else c[i, j] for i, j in pairs(4)) for y in partitions(4))
    assert model(solver="exact").fit(CoAssociation(gaps)).cost_ == pytest.approx(by_hand)


def pairs(n):
    return list(combinations(range(n), 2))


# -- constraints -------------------------------------------------------------------------------------------------------


@settings(max_examples=20, deadline=None)
@given(n=st.integers(3, 7), seed=st.integers(0, 2**32 - 1))
def test_hard_constraints_hold_at_the_least_cost(n, seed):
    rng = np.random.default_rng(seed)
    scores = random_scores(n, seed)
    truth = rng.integers(0, 3, n)
    chosen = [pair for pair in combinations(range(n), 2) if rng.random() < 0.25]
    must = [(i, j) for i, j in chosen if truth[i] == truth[j]]
    cannot = [(i, j) for i, j in chosen if truth[i] != truth[j]]
    known = Constraints(n, must_link=must, cannot_link=cannot)
    opt = optimum(scores, lambda y: all(y[i] == y[j] for i, j in must) and all(y[i] != y[j] for i, j in cannot))
    ensemble = Ensemble(rng.integers(0, 3, (n, 4)))
    of_ensemble = min(
        mirkin(ensemble, np.array(y))
        for y in partitions(n)
        if all(y[i] == y[j] for i, j in must) and all(y[i] != y[j] for i, j in cannot)
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for solver in SOLVERS:
            found = model("general", solver=solver, n_init=1).fit(sparse.csr_array(scores), constraints=known)
            consensus = model(solver=solver, n_init=1).fit(ensemble, constraints=known)
            assert found.violations_.count == consensus.violations_.count == 0
            assert found.cost_ == pytest.approx(disagreements(scores, found.labels_))
            assert found.lower_bound_ - 1e-6 <= opt <= found.cost_ + 1e-9
            assert consensus.cost_ == pytest.approx(mirkin(ensemble, consensus.labels_))
            assert consensus.lower_bound_ - 1e-6 <= of_ensemble <= consensus.cost_ + 1e-9
            if solver == "exact":
                assert found.cost_ == pytest.approx(opt)
                assert consensus.cost_ == pytest.approx(of_ensemble)


def test_pivots_keep_cannot_links():
    """Both leaves belong together with the center, but not with each other."""
    known = Constraints(3, cannot_link=[(1, 2)])
    for seed in range(6):
        with pytest.warns(UserWarning, match="under cannot-links"):
            found = model("complete", solver="pivot", n_init=1, random_state=seed).fit(star(2), constraints=known)
        assert found.violations_.count == 0
        assert found.cost_ == 1


def test_constraints_in_complete_mode():
    known = Constraints(5, must_link=[(0, 4)], cannot_link=[(1, 2)])
    scores = complete_scores(path(5), 5)
    opt = optimum(scores, lambda y: y[0] == y[4] and y[1] != y[2])
    for solver in EXACT:
        found = model("complete", solver=solver).fit(path(5), constraints=known)
        assert found.cost_ == opt == disagreements(scores, found.labels_)
        assert found.violations_.count == 0


def test_soft_contradictory_constraints_are_signed_evidence():
    known = Constraints(
        4,
        must_link=[(0, 1), (1, 2), (2, 3)],
        cannot_link=[(0, 1), (0, 2), (0, 3)],
        must_weight=[3, 2, np.inf],
        cannot_weight=[1, 4, 0.5],
    )
    found = model(solver="exact").fit(known)
    assert found.cost_ == found.violations_.weight == 3
    assert found.labels_[2] == found.labels_[3]
    assert found.lower_bound_ == pytest.approx(3)
    graph = model(solver="exact").fit(sparse.csr_array((4, 4)), constraints=known)
    assert graph.cost_ == 3


def test_bound_under_must_links_is_not_that_of_the_members():
    """Members, moved as a whole to the first of four linked objects, are far from any good partition."""
    member = [0, 1, 1, 1, *[1] * 10]
    known = Constraints(14, must_link=[(0, 1), (1, 2), (2, 3)])
    found = model(solver="local_search").fit(Ensemble([member] * 4), constraints=known)
    assert found.cost_ == 4 * 13  # object 0 joins the 13 others
    assert found.lower_bound_ <= found.cost_


def test_contradictory_hard_constraints_name_their_chain():
    with pytest.raises(ContradictionError, match="0"):
        Constraints(3, must_link=[(0, 1), (1, 2)], cannot_link=[(0, 2)])


# -- size and form -----------------------------------------------------------------------------------------------------


def planted(n, k, flips, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, k, n)
    scores = np.where(truth[:, None] == truth, 1.0, -1.0)
    flipped = np.triu(rng.random((n, n)) < flips, 1)
    scores = np.where(flipped | flipped.T, -scores, scores)
    np.fill_diagonal(scores, 0)
    return truth, scores


def test_planted_clusters_are_found_and_proven():
    truth, scores = planted(60, 4, 0.1)
    local = model(solver="local_search").fit(scores)
    assert adjusted_rand_score(truth, local.labels_) == 1
    proven = model(solver="lp").fit(scores)
    assert proven.gap_ == pytest.approx(0, abs=1e-6)
    assert proven.cost_ == local.cost_
    assert local.lower_bound_ <= proven.lower_bound_ + 1e-6
    edges = np.argwhere(np.triu(scores > 0))
    complete = model("complete", solver="local_search").fit(edges)
    assert complete.cost_ == pytest.approx(disagreements(scores, complete.labels_))
    assert complete.cost_ == local.cost_


def test_components_are_solved_apart():
    """Each of 40 components is small, so the relaxation takes all 120 nodes at once."""
    edges = [(3 * t + i, 3 * t + i + 1, 1.0) for t in range(40) for i in range(2)]
    edges += [(3 * t, 3 * t + 2, -1.0) for t in range(40)] + [(3 * t, 3 * t + 3, -1.0) for t in range(39)]
    for solver in ("exact", "lp", "region_growing"):
        found = model(solver=solver, max_lp_n=3).fit(edges)
        assert found.cost_ == pytest.approx(40)
        assert found.lower_bound_ == pytest.approx(40)


def test_all_forms_of_a_graph_are_the_same():
    edges = [(0, 1, 2.0), (1, 2, 1.0), (0, 2, -1.5), (2, 3, -1.0), (3, 4, 1.0)]
    graph = networkx.Graph()
    graph.add_weighted_edges_from(edges)
    matrix = networkx.to_scipy_sparse_array(graph, weight="weight", dtype=float)
    expected = model().fit(edges)
    assert expected.solver_ == "lp"
    for form in (graph, matrix, matrix.tocsc(), pd.DataFrame(edges, columns=["a", "b", "weight"])):
        found = model().fit(form)
        np.testing.assert_array_equal(found.labels_, expected.labels_)
        assert found.cost_ == expected.cost_


@settings(max_examples=15, deadline=None)
@given(n=st.integers(2, 30), seed=st.integers(0, 2**32 - 1))
def test_order_of_the_nodes_and_same_seed(n, seed):
    scores = random_scores(n, seed, 0.3)
    rng = np.random.default_rng(seed)
    order = rng.permutation(n)
    options = {"solver": "local_search", "n_init": 3}
    found = model("general", **options).fit(sparse.csr_array(scores))
    again = model("general", **options).fit(sparse.csr_array(scores))
    np.testing.assert_array_equal(found.labels_, again.labels_)
    turned = model("general", solver="lp").fit(sparse.csr_array(scores[np.ix_(order, order)]))
    straight = model("general", solver="lp").fit(sparse.csr_array(scores))
    assert turned.lower_bound_ == pytest.approx(straight.lower_bound_, abs=1e-6)
    sizes = np.bincount(found.labels_)
    assert (np.diff(sizes) <= 0).all()
    assert len(sizes) == found.n_clusters_


def test_no_objects_one_object_and_no_weights():
    none = model("general").fit(np.zeros((0, 0)))
    assert (len(none.labels_), none.cost_, none.n_clusters_, none.violations_) == (0, 0, 0, None)
    one = model("complete").fit(np.zeros((1, 1)))
    assert (one.labels_.tolist(), one.cost_, one.gap_) == ([0], 0, 0)
    for solver in SOLVERS:
        apart = model("complete", solver=solver).fit(np.zeros((4, 4)))
        assert (apart.n_clusters_, apart.cost_, apart.lower_bound_) == (4, 0, 0)
    nothing = model(solver="local_search").fit(np.zeros((4, 4)))
    assert (nothing.n_clusters_, nothing.cost_) == (4, 0)


def test_is_an_estimator():
    assert "correlation" in names()
    assert isinstance(by_name("Correlation")(), CorrelationClustering)
    fitted = model("complete", solver="pivot", n_init=3).fit(path(4))
    assert clone(fitted).get_params() == fitted.get_params()
    np.testing.assert_array_equal(fitted.fit_predict(path(4)), fitted.labels_)
    assert fitted.ids_.tolist() == [0, 1, 2, 3]


# -- bad input ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "signed", "message"),
    [
        ({}, [(0, 1), (1, 2)], "mode is needed"),
        ({"mode": "complete"}, [(0, 1, 2.0)], r"weight of \(0, 1\) is 2"),
        ({"mode": "complete"}, [(0, 1, -1.0)], r"weight of \(0, 1\) is -1"),
        ({}, [(0, 1, np.nan)], "not a finite number"),
        ({}, [(0, 1, np.inf)], "not a finite number"),
        ({}, np.zeros((2, 3, 4)), "square"),
        ({}, sparse.csr_array((2, 3)), "square"),
        ({}, np.array([[0, 1.0], [-1, 0]]), "not symmetric"),
        ({}, np.array([[3, -1.0], [-1, 0]]), r"\(0, 0\) has weight 3"),
        ({"mode": "nonsense"}, path(3), "mode"),
        ({"solver": "nonsense"}, path(3), "solver"),
        ({"n_init": 0}, path(3), "n_init"),
        ({"mode": "complete", "solver": "lp", "max_lp_n": 3}, path(5), "solver='local_search'"),
        ({"mode": "complete", "solver": "exact", "max_lp_n": 3}, path(5), "max_lp_n=3"),
        ({"mode": "general"}, Ensemble(THREE), "does not fit Ensemble"),
        ({"mode": "consensus"}, Constraints(3), "does not fit Constraints"),
        ({"mode": "consensus"}, 3, "label sequences"),
        ({"solver": "lp", "max_lp_n": 2}, Ensemble(THREE), "distinct objects"),
        ({}, None, "NoneType"),
    ],
)
def test_bad_input_is_refused(options, signed, message):
    with pytest.raises(ValueError, match=message):
        model(**options).fit(signed)


def test_other_bad_input():
    with pytest.raises(ValueError, match="negative"):
        model("general").fit([(0, 1, -1.0)], apart=[(0, 1, 1.0)])
    with pytest.raises(ValueError, match="apart is for graphs"):
        model().fit(Ensemble(THREE), apart=[(0, 1)])
    with pytest.raises(ValueError, match="soft pairs"):
        model().fit(Ensemble(THREE), constraints=Constraints(4, must_link=[(0, 1)], must_weight=[1.0]))
    with pytest.raises(ValueError, match="3 objects"):
        model("complete").fit(path(4), constraints=Constraints(3))
    with pytest.warns(UserWarning, match="no guarantee in general mode"):
        model("general", solver="pivot").fit([(0, 1, 1.0), (1, 2, -1.0)])


@pytest.mark.parametrize("weights", [(1e308, 1e308), (1e308, -1e308), (9e299, -9e299)])
def test_weights_whose_sum_overflows_are_refused(weights):
    links = [(0, 1, weights[0]), (1, 2, weights[1]), (0, 2, -1.0)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match="weights are too large: their largest is .* divide all of them"):
            CorrelationClustering(verbose=False).fit(links)
        known = Constraints(3, must_link=[(0, 1)], must_weight=[weights[0]])
        with pytest.raises(ValueError, match="weights are too large"):
            CorrelationClustering(verbose=False).fit([(0, 1, 2 * 1e299), (1, 2, -1.0)], constraints=known)


def test_large_weights_count_by_their_ratios():
    links = [(0, 1, 2.0), (1, 2, 1.5), (0, 2, -1.0), (2, 3, -3.0)]
    model = CorrelationClustering(solver="local_search", random_state=0, verbose=False)
    small = model.fit(links).labels_.tolist()
    large = model.fit([(i, j, 1e290 * w) for i, j, w in links])
    assert large.labels_.tolist() == small
    assert large.cost_ == pytest.approx(1e290)


def test_out_of_time_is_said_and_still_bounded():
    _, scores = planted(40, 3, 0.35, seed=2)
    with pytest.warns(UserWarning, match="not solved within"):
        found = model(solver="exact", time_limit=0.05).fit(scores)
    best = model(solver="local_search").fit(scores)
    assert found.lower_bound_ <= best.cost_
    assert found.cost_ == disagreements(scores, found.labels_)
    graph = SignedGraph.of(scores, np.ones(40), 0, np.maximum(scores, 0).sum() / 2, np.abs(scores).sum() / 2)
    with pytest.warns(UserWarning, match="relaxation was not solved"):
        solution, roundings = relax_and_round(graph, 200, 0.01, [0, 1], verbose=False)
    assert solution.lower_bound <= best.cost_
    assert len(roundings) == 6


def test_balls_need_a_mean_distance_below_a_quarter():
    x = np.array([[0.0, 0.2, 0.4], [0.2, 0.0, 0.2], [0.4, 0.2, 0.0]])
    nobody = np.zeros((3, 3), bool)
    assert round_by_balls(x, nobody, np.arange(3)).tolist() == [0, 1, 1]  # 0.3 on average around the first
    assert round_by_balls(x, nobody, np.array([1, 0, 2])).tolist() == [0, 0, 0]


def test_the_curve_is_steeper_for_pairs_that_belong_together(monkeypatch):
    monkeypatch.setattr(_rounding, "round_by_pivots", lambda x, *_: x)
    x = np.array([0.1, 0.35, 0.6, 0.35])
    found = round_by_curve(x, np.array([1.0, 1.0, 1.0, -1.0]), None, None, None)
    assert found == pytest.approx([0, ((0.35 - 0.19) / (0.5095 - 0.19)) ** 2, 1, 0.35])


@pytest.mark.parametrize("seed", range(30))
def test_regions_grow_until_the_cut_is_small_for_the_volume(seed):
    rng = np.random.default_rng(seed)
    n = 9
    points = rng.integers(2, size=(n, 1)) * 0.25 + rng.random((n, 2)) * rng.choice([0.01, 0.05, 0.2])
    x = np.abs(points[:, None] - points[None]).sum(axis=2).clip(max=1)
    scores = np.triu(rng.integers(-3, 4, (n, n)), 1).astype(float)
    scores += scores.T
    plus, c = np.maximum(scores, 0), 2 + 1 / (2 * np.log(n + 1)) if seed % 2 else 0.5
    expected, n_regions = np.full(n, -1), 0
    for u in range(n):
        if expected[u] >= 0:
            continue
        left = np.flatnonzero(expected < 0)
        radii = [*np.unique(x[u, left]), np.inf]
        for radius, following in pairwise(radii):
            ball, rest = left[x[u, left] <= radius], left[x[u, left] > radius]
            end = min(following, 1 / c)
            cut = plus[np.ix_(ball, rest)].sum()
            inside = (plus * x)[np.ix_(ball, ball)].sum() / 2
            border = (plus[np.ix_(ball, rest)] * (end - x[u, ball])[:, None]).sum()
            volume = (plus * x).sum() / 2 / n + inside + border
            if cut <= c * np.log(n + 1) * volume + 1e-12 or end >= 1 / c:
                break
        expected[ball] = n_regions
        n_regions += 1
    found, _ = grow_regions(x, scores, np.arange(n), None if seed % 2 else c)
    assert found.tolist() == expected.tolist()


def test_what_was_not_solved_is_no_partition():
    apart = 1 - np.eye(3)
    assert Relaxation(apart, 0.0, True, Triangles(3)).is_integral
    assert not Relaxation(apart, 0.0, False, Triangles(3)).is_integral
