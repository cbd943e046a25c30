"""Chunklets and what they entail, against hand examples and a boolean matrix power."""

import pickle
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pluribus.constraints import Constraints, ContradictionError, InfeasibleError

EXAMPLE_A = dict(must_link=[(0, 1), (1, 2), (3, 4)], cannot_link=[(2, 3)])
PAIR = st.tuples(st.integers(0, 5), st.integers(0, 5)).filter(lambda pair: pair[0] != pair[1])


def test_example_a():
    said = Constraints(6, **EXAMPLE_A)
    closure = said.closure()
    assert closure.chunk_of.tolist() == [0, 0, 0, 1, 1, 2]
    assert closure.chunk_sizes.tolist() == [3, 2, 1]
    assert closure.cannot_link.tolist() == [[0, 1]]
    entailed = list(said.entailed_pairs())
    must = {(i, j) for i, j, kind in entailed if kind == "must-link"}
    cannot = {(i, j) for i, j, kind in entailed if kind == "cannot-link"}
    assert len(entailed) == len(must) + len(cannot)
    assert must == {(0, 1), (1, 2), (3, 4), (0, 2)}
    assert len(cannot) == 6
    assert len(cannot - {(2, 3)}) == 5
    assert repr(closure) == (
        "<Closure: 6 objects in 3 chunklets, the largest of 3; 1 cannot-links between chunklets, 0 soft couplings>"
    )


def test_example_b_names_the_chain():
    with pytest.raises(ContradictionError, match=r"0 and 2 must be apart .* 0 –must-link– 1 –must-link– 2") as info:
        Constraints(3, must_link=[(0, 1), (1, 2)], cannot_link=[(0, 2)])
    assert info.value.pair == (0, 2)
    assert info.value.chain == (0, 1, 2)
    assert info.value.links == ("must-link", "must-link")
    copy = pickle.loads(pickle.dumps(info.value))
    assert (str(copy), copy.chain) == (str(info.value), info.value.chain)


def test_same_pair_together_and_apart():
    with pytest.raises(ContradictionError) as info:
        Constraints(3, must_link=[(0, 1)], cannot_link=[(1, 0)])
    assert info.value.chain == (0, 1)


def test_chain_is_the_shortest_and_runs_through_groups_and_labels():
    with pytest.raises(ContradictionError, match="0 –group 'g'– 3 –must-link– 4 –label 7– 5") as info:
        Constraints(
            6,
            must_link=[(0, 1), (1, 2), (2, 3), (3, 4)],
            cannot_link=[(5, 0)],
            groups=["g", None, None, "g", None, None],
            labels=[-1, -1, -1, -1, 7, 7],
        )
    assert info.value.chain == (0, 3, 4, 5)


def test_linked_objects_with_different_labels():
    with pytest.raises(
        ContradictionError, match=r"0 and 2 must be apart \(labels 'a' and 'b'\).*0 –must-link– 1"
    ) as info:
        Constraints(3, must_link=[(0, 1), (1, 2)], labels=["a", None, "b"])
    assert info.value.chain == (0, 1, 2)


def test_labels_that_meet_through_a_third_label():
    # a and c are linked only through b: the first clash on the way is named.
    with pytest.raises(ContradictionError, match="labels 'a' and 'b'") as info:
        Constraints(6, must_link=[(0, 2), (3, 5)], labels=["a", "c", "b", "b", None, "c"])
    assert info.value.chain == (0, 2)


def test_a_long_chain_is_shortened_in_the_message_only():
    n = 1000
    with pytest.raises(ContradictionError, match="988 more") as info:
        Constraints(n, must_link=[(i, i + 1) for i in range(n - 1)], cannot_link=[(0, n - 1)])
    assert info.value.chain == tuple(range(n))
    assert len(str(info.value)) < 600


def test_example_d_two_clusters_entail_more():
    said = Constraints(3, cannot_link=[(0, 1), (1, 2)])
    assert [p for p in said.entailed_pairs(k=2) if p[2] == "must-link"] == [(0, 2, "must-link")]
    assert said.closure(2).cannot_link.tolist() == [[0, 1]]
    assert not [p for p in said.entailed_pairs(k=3) if p[2] == "must-link"]
    with pytest.raises(InfeasibleError):
        said.closure(1)
    assert Constraints(3).closure(1).chunk_of.tolist() == [0, 0, 0]


@pytest.mark.filterwarnings("ignore:.*speaks against a hard one")
def test_soft_pairs_are_summed_to_chunklets_and_decided_ones_counted():
    said = Constraints(
        6,
        must_link=[(0, 1), (2, 3), (0, 2), (1, 3), (0, 4), (2, 5)],
        must_weight=[None, None, 1.0, 2.0, 5.0, 7.0],
        cannot_link=[(0, 3), (0, 5), (4, 5), (0, 1)],
        cannot_weight=[0.5, None, 3.0, 1.0],
    )
    closure = said.closure()
    assert closure.chunk_of.tolist() == [0, 0, 1, 1, 2, 3]
    expected = np.zeros((4, 4))
    expected[0, 1], expected[0, 2], expected[1, 3], expected[2, 3] = 2.5, 5, 7, -3
    assert (closure.coupling.toarray() == expected + expected.T).all()
    assert (closure.n_soft_kept, closure.n_soft_broken) == (0, 1)


def test_all_pairs_constrained_is_the_same_as_labels():
    y = [0, 1, 0, 2, 1, 0]
    pairs = list(combinations(range(6), 2))
    from_pairs = Constraints(6, [p for p in pairs if y[p[0]] == y[p[1]]], [p for p in pairs if y[p[0]] != y[p[1]]])
    assert list(from_pairs.entailed_pairs()) == list(Constraints.from_labels(y).entailed_pairs())


def test_everything_in_one_chunklet():
    said = Constraints(5, groups=["all"] * 5)
    assert said.closure().chunk_sizes.tolist() == [5]
    assert said.check(1).status == "feasible"


@given(pairs=st.lists(st.tuples(st.integers(0, 29), st.integers(0, 29)), max_size=40))
def test_must_link_closure_is_the_boolean_matrix_power(pairs):
    reach = np.eye(30, dtype=bool)
    for i, j in pairs:
        reach[i, j] = reach[j, i] = True
    for _ in range(5):  # 2⁵ > 29 steps
        reach = reach @ reach
    chunk_of = Constraints(30, must_link=pairs).closure().chunk_of
    assert (reach == (chunk_of[:, None] == chunk_of)).all()
    first = [int(np.flatnonzero(chunk_of == c)[0]) for c in range(chunk_of.max() + 1)]
    assert first == sorted(first)  # numbered by first appearance


@given(
    must=st.lists(PAIR, max_size=6),
    cannot=st.lists(PAIR, max_size=4),
    groups=st.lists(st.sampled_from([-1, -1, -1, 0, 1]), min_size=6, max_size=6),
    labels=st.lists(st.sampled_from([-1, -1, -1, 0, 1, 2]), min_size=6, max_size=6),
)
def test_contradiction_if_and_only_if_no_partition_fits(must, cannot, groups, labels):
    def joined(i, j):
        return (i, j) in must or (j, i) in must or groups[i] == groups[j] >= 0 or labels[i] == labels[j] >= 0

    def apart(i, j):
        return (i, j) in cannot or (j, i) in cannot or (labels[i] != labels[j] and min(labels[i], labels[j]) >= 0)

    pairs = list(combinations(range(6), 2))
    possible = any(
        all((y[i] == y[j] or not joined(i, j)) and (y[i] != y[j] or not apart(i, j)) for i, j in pairs)
        for y in _partitions(6, 6)
    )
    if possible:
        Constraints(6, must, cannot, groups=groups, labels=labels)
        return
    with pytest.raises(ContradictionError) as info:
        Constraints(6, must, cannot, groups=groups, labels=labels)
    error = info.value
    assert apart(*error.pair)
    assert (error.chain[0], error.chain[-1]) == error.pair
    assert all(joined(i, j) for i, j in zip(error.chain, error.chain[1:], strict=False))
    assert len(error.links) == len(error.chain) - 1


def _partitions(n, k):
    """All partitions of n objects into at most k clusters, as labels."""
    found = [[0]]
    for _ in range(n - 1):
        found = [[*y, c] for y in found for c in range(min(k, max(y) + 2))]
    return found


def _always(said, k):
    """Oracle: what all partitions into at most k clusters that break nothing hard have in common."""
    n = said.n_objects
    fine = [y for y in _partitions(n, k) if said.violations(y).n_hard == 0]
    assert fine
    for i, j in combinations(range(n), 2):
        together = {y[i] == y[j] for y in fine}
        if len(together) == 1:
            yield i, j, "must-link" if together.pop() else "cannot-link"


@given(data=st.data())
def test_entailed_pairs_are_what_all_good_partitions_share(known, data):
    y, said = data.draw(known.filter(lambda drawn: len(drawn[0]) <= 5))
    n = len(y)
    assert sorted(said.entailed_pairs()) == sorted(_always(said, n))  # n clusters: no room can be short
    if n >= 2 and said.check(2).status == "feasible":
        assert sorted(said.entailed_pairs(2)) == sorted(_always(said, 2))


@given(data=st.data())
def test_closure_is_idempotent(known, data):
    _, said = data.draw(known)
    closure = said.closure()
    representatives = closure.representatives[closure.cannot_link]
    again = Constraints(said.n_objects, groups=closure.chunk_of, cannot_link=representatives).closure()
    assert (again.chunk_of == closure.chunk_of).all()
    assert (again.cannot_link == closure.cannot_link).all()


@pytest.mark.filterwarnings("ignore:.*speaks against a hard one")
@given(data=st.data())
def test_renumbering_the_objects_permutes_everything(known, data):
    _, said = data.draw(known)
    new = np.array(data.draw(st.permutations(range(said.n_objects))))  # object i is called new[i]
    back = np.argsort(new)
    moved = Constraints(
        said.n_objects,
        new[said.must_link],
        new[said.cannot_link],
        must_weight=said.must_weight,
        cannot_weight=said.cannot_weight,
        groups=said.groups[back],
        labels=said.labels[back],
    )
    expected = {(*sorted((int(new[i]), int(new[j]))), kind) for i, j, kind in said.entailed_pairs()}
    assert set(moved.entailed_pairs()) == expected
    assert (moved.coupling.toarray()[np.ix_(new, new)] == said.coupling.toarray()).all()


@given(data=st.data())
def test_chunklet_sums(known, data):
    _, said = data.draw(known)
    closure = said.closure()
    X = np.arange(said.n_objects * 2.0).reshape(-1, 2)
    expected = [X[closure.chunk_of == c].sum(axis=0) for c in range(closure.n_chunks)]
    assert np.allclose(closure.chunk_indicator @ X, expected)
    assert (closure.chunk_indicator.sum(axis=1) == closure.chunk_sizes).all()
    decided = {frozenset(p[:2]) for p in said.entailed_pairs()}
    total = np.zeros((closure.n_chunks, closure.n_chunks))
    n_decided = 0
    for pairs, weights, sign in ((said.must_link, said.must_weight, 1), (said.cannot_link, said.cannot_weight, -1)):
        for (i, j), weight in zip(pairs.tolist(), weights, strict=True):
            if np.isfinite(weight) and frozenset((i, j)) in decided:
                n_decided += 1
            elif np.isfinite(weight):
                a, b = closure.chunk_of[[i, j]]
                total[a, b] += sign * weight
                total[b, a] += sign * weight
    assert np.allclose(closure.coupling.toarray(), total)
    assert closure.n_soft_kept + closure.n_soft_broken == n_decided


def test_known_labels_are_not_written_out_as_pairs():
    """As many classes as objects are refused, restricted and closed in time that grows with n, not n²."""
    n = 100_000
    said = Constraints(n, must_link=[(0, 1)], labels=[None, *range(n - 1)], cannot_link=[(0, 2), (3, 4)])
    assert "99999 classes" in said.check(3).reason
    closure = said.closure()
    assert len(closure.class_chunks) == n - 1
    assert closure.told_apart.size == 0  # the classes say it already
    part = said.restrict([0, 2, 9])  # the label of 1 is handed on to 0
    assert part.closure().cannot_link.tolist() == [[0, 1], [0, 2], [1, 2]]
