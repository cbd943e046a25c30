"""Feasibility for k clusters, against brute-force coloring."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pluribus._kernels.graphs.graph_order import color_exactly, greedy_clique, smallest_last_order
from pluribus.constraints import ConstraintError, Constraints, InfeasibleError

RING = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)]
# Mycielski's graph of the 5-ring (Grötzsch): no triangle, degeneracy 3, needs 4 colors: only a search can refuse 3.
GROTZSCH = RING + [(5 + i, (i + d) % 5) for i in range(5) for d in (1, 4)] + [(5 + i, 10) for i in range(5)]


def edges(max_objects=9):
    return st.integers(2, max_objects).flatmap(
        lambda n: st.tuples(
            st.just(n), st.sets(st.sampled_from(list(combinations(range(n), 2))), max_size=n * (n - 1) // 2)
        )
    )


def random_graph(n, probability, seed):
    rng = np.random.default_rng(seed)
    pairs = np.column_stack(np.triu_indices(n, k=1))
    return pairs[rng.random(len(pairs)) < probability]


def test_example_a():
    said = Constraints(6, must_link=[(0, 1), (1, 2), (3, 4)], cannot_link=[(2, 3)])
    assert said.check(1).status == "infeasible"
    assert said.check(1).witness.tolist() == [0, 3]
    assert said.check(2).status == "feasible"


def test_example_c_five_ring():
    ring = Constraints(5, cannot_link=RING)
    two = ring.check(2)
    assert two.status == "infeasible"
    assert "odd cycle of 5" in two.reason
    assert sorted(two.witness.tolist()) == [0, 1, 2, 3, 4]
    assert ring.check(3).status == "feasible"
    assert ring.closure().degeneracy == 2


def test_example_c_complete_graph():
    complete = Constraints(4, cannot_link=list(combinations(range(4), 2)))
    assert complete.check(3).status == "infeasible"
    assert complete.check(3).witness.tolist() == [0, 1, 2, 3]
    assert complete.check(4).status == "feasible"


def test_odd_cycle_at_the_end_of_a_path_is_cut_free():
    path = [(i, i + 1) for i in range(6)]
    found = Constraints(9, cannot_link=[*path, (6, 7), (7, 8), (8, 6)]).check(2)
    assert sorted(found.witness.tolist()) == [6, 7, 8]


def test_exhaustive_search_where_no_clique_proves_it():
    said = Constraints(11, cannot_link=GROTZSCH)
    found = said.check(3)
    assert found.status == "infeasible"
    assert "exhaustive search" in found.reason
    assert said.check(4).status == "feasible"


def test_a_proof_is_found_in_one_of_many_components():
    shifted = [[(i + 11 * part, j + 11 * part) for i, j in GROTZSCH] for part in range(3)]
    dense_but_fine = [(33 + i, 33 + j) for i in range(4) for j in range(4, 8)]  # bipartite: two clusters would do
    said = Constraints(41, cannot_link=[*sum(shifted, []), *dense_but_fine])
    assert said.check(3).status == "infeasible"
    assert len(said.check(3).witness) == 11


def test_unknown_names_the_hard_case_and_only_warns():
    said = Constraints(11, cannot_link=GROTZSCH)
    found = said.check(3, budget=20)
    assert found.status == "unknown"
    assert found.witness is None
    assert "k-coloring" in found.reason
    assert "k = 4 or more" in found.reason
    with pytest.warns(UserWarning, match="feasibility is unknown"):
        said.ensure_feasible(3, budget=20)


def test_search_finds_a_coloring_that_greed_misses():
    # Of these graphs some are 3-colorable, but not by DSATUR: the search has to step back.
    statuses, searched = [], 0
    for seed in range(60):
        said = Constraints(40, cannot_link=random_graph(40, 0.11, seed))
        statuses.append(said.check(3).status)
        searched += said.check(3, budget=0).status == "unknown" and statuses[-1] == "feasible"
        if statuses[-1] == "feasible":
            assert said.violations(said.check(3).witness).count == 0
    assert searched > 0
    assert {"feasible", "infeasible"} <= set(statuses)


def test_more_known_classes_than_clusters():
    said = Constraints(6, labels=["a", "b", "b", "c", None, None])
    found = said.check(2)
    assert found.status == "infeasible"
    assert found.witness.tolist() == [0, 1, 3]
    assert "3 classes" in found.reason


def test_all_clusters_filled_needs_as_many_chunklets():
    said = Constraints(5, must_link=[(0, 1), (1, 2)])
    assert said.check(4).status == "feasible"
    assert said.check(4, allow_empty=False).status == "infeasible"
    full = said.check(3, allow_empty=False)
    assert full.status == "feasible"
    assert len(set(full.witness.tolist())) == 3


@pytest.mark.parametrize("k", [0, -1, 4, 2.0, "2", None])
def test_bad_k(k):
    with pytest.raises(ConstraintError, match="the number of clusters goes from 1 to the 3 objects"):
        Constraints(3).check(k)


def test_infeasible_error_has_the_witness():
    with pytest.raises(InfeasibleError, match=r"k=2 clusters: an odd cycle.*objects \[") as info:
        Constraints(5, cannot_link=RING).ensure_feasible(2)
    assert info.value.k == 2
    assert len(info.value.witness) == 5
    Constraints(5, cannot_link=RING).ensure_feasible(3)


@given(graph=edges())
def test_check_is_brute_force_coloring(graph):
    n, pairs = graph
    said = Constraints(n, cannot_link=list(pairs))
    before = "infeasible"
    for k in range(1, min(n, 4) + 1):
        possible = any(all(y[i] != y[j] for i, j in pairs) for y in product(range(k), repeat=n))
        found = said.check(k)
        assert found.status == ("feasible" if possible else "infeasible")
        assert not (before == "feasible" and found.status == "infeasible")
        before = found.status
        if possible:
            assert said.violations(found.witness).count == 0
            assert set(found.witness.tolist()) == set(range(min(k, said.closure().n_chunks)))
        else:
            _assert_proof(found, pairs)


def _assert_proof(found, pairs):
    witness = found.witness.tolist()
    linked = {frozenset(pair) for pair in pairs}
    if "odd cycle" in found.reason:
        assert len(witness) % 2
        assert len(set(witness)) == len(witness)
        assert all(frozenset(step) in linked for step in zip(witness, witness[1:] + witness[:1], strict=True))
    elif "all be apart" in found.reason or "one cluster" in found.reason:
        assert len(witness) == found.k + 1
        assert all(frozenset(pair) in linked for pair in combinations(witness, 2))
    else:
        inside = [(i, j) for i, j in pairs if i in witness and j in witness]
        at = {v: place for place, v in enumerate(witness)}
        assert not any(
            all(y[at[i]] != y[at[j]] for i, j in inside) for y in product(range(found.k), repeat=len(witness))
        )


@given(data=st.data())
def test_a_feasible_witness_keeps_every_hard_constraint(known, data):
    _, said = data.draw(known)
    for k in range(1, said.n_objects + 1):
        found = said.check(k)
        assert found.status != "unknown"
        if found.status == "feasible":
            assert said.violations(found.witness).n_hard == 0
            assert len(set(found.witness.tolist())) <= k


@given(graph=edges())
def test_degeneracy_and_core_numbers(graph):
    n, pairs = graph
    closure = Constraints(n, cannot_link=list(pairs)).closure()
    neighbors = {v: {u for pair in pairs if v in pair for u in pair if u != v} for v in range(n)}

    def core(c):
        left = set(range(n))
        while weak := {v for v in left if len(neighbors[v] & left) < c}:
            left -= weak
        return left

    expected = [max(c for c in range(n) if v in core(c)) for v in range(n)]
    assert closure.core_numbers.tolist() == expected
    assert closure.degeneracy == max(expected)
    order = closure.order.tolist()
    assert sorted(order) == list(range(n))
    assert max(len(neighbors[v] & set(order[:at])) for at, v in enumerate(order)) == closure.degeneracy


@given(graph=edges(), seed=st.integers(0, 2**32 - 1))
def test_assigning_in_order_never_dead_ends(graph, seed):
    """Whatever cluster each chunklet would like best, one that it may take is left."""
    n, pairs = graph
    said = Constraints(n, cannot_link=list(pairs))
    closure = said.closure()
    k = closure.degeneracy + 1
    liking = np.random.default_rng(seed).random((n, k))
    labels = np.full(n, -1)
    for v in closure.order:
        near = closure.cannot_graph.indices[closure.cannot_graph.indptr[v] : closure.cannot_graph.indptr[v + 1]]
        free = np.setdiff1d(np.arange(k), labels[near])
        assert len(free)
        labels[v] = free[np.argmax(liking[v, free])]
    assert said.violations(labels).count == 0


@given(graph=edges())
def test_greedy_clique_is_a_clique_of_the_wanted_size_at_most(graph):
    n, pairs = graph
    matrix = Constraints(n, cannot_link=list(pairs)).closure().cannot_graph
    order, _ = smallest_last_order(matrix.indptr, matrix.indices)
    clique = greedy_clique(matrix.indptr, matrix.indices, order, n)
    assert all(matrix[i, j] == 1 for i, j in combinations(clique, 2))
    assert len(clique) >= (2 if pairs else 1)


@given(graph=edges(), k=st.integers(1, 4))
def test_exact_search_alone_is_brute_force(graph, k):
    n, pairs = graph
    matrix = Constraints(n, cannot_link=list(pairs)).closure().cannot_graph
    verdict, colors, _ = color_exactly(matrix.indptr, matrix.indices, k, np.empty(0, np.int64), 10**9)
    possible = any(all(y[i] != y[j] for i, j in pairs) for y in product(range(k), repeat=n))
    assert verdict == possible
    if possible:
        assert colors.min() >= 0
        assert all(colors[i] != colors[j] for i, j in pairs)
