"""What a partition breaks, against counting by hand."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pluribus.constraints import ConstraintError, Constraints


@pytest.mark.parametrize(
    ("labels", "cost"), [([0, 0, 0], 4), ([0, 0, 1], 2), ([0, 1, 1], 1), ([0, 1, 0], 7), ([0, 1, 2], 3)]
)
def test_example_e_cost_of_inconsistent_advice(labels, cost):
    advice = Constraints.from_matrix([[0, 1, -4], [0, 0, 2], [0, 0, 0]])
    assert advice.violations(labels).weight == cost


@pytest.mark.parametrize("m", [2, 3, 10])
def test_a_must_link_leaves_m_joint_labels_and_a_cannot_link_the_others(m):
    together, apart = Constraints(2, must_link=[(0, 1)]), Constraints(2, cannot_link=[(0, 1)])
    joint = list(product(range(m), repeat=2))
    assert sum(together.violations(y).count == 0 for y in joint) == m
    assert sum(apart.violations(y).count == 0 for y in joint) == m * (m - 1)


def test_by_type_and_by_pair():
    said = Constraints(
        6,
        must_link=[(0, 1), (1, 2)],
        must_weight=[2, None],
        cannot_link=[(3, 4), (0, 5)],
        cannot_weight=[0.5, None],
        groups=["a", None, None, None, "a", None],
        labels=["x", None, None, "y", "x", "z"],
    )
    broken = said.violations([0, 1, 2, 3, 3, 0])
    assert broken.must_link.tolist() == [[0, 1], [1, 2]]
    assert broken.must_weight.tolist() == [2, np.inf]
    assert broken.cannot_link.tolist() == [[0, 5], [3, 4]]
    assert broken.cannot_weight.tolist() == [np.inf, 0.5]
    assert broken.split_groups == ("a",)
    assert broken.split_labels == ("x",)
    assert broken.mixed_labels == (("x", "y"), ("x", "z"))
    assert (broken.count, broken.n_hard, broken.weight) == (8, 6, 2.5)
    assert repr(broken) == (
        "<Violations: 2 must-links, 2 cannot-links, 1 groups, 1 classes split, 2 pairs of classes mixed; "
        "6 hard, soft weight 2.5>"
    )


def test_objects_left_out_are_not_judged():
    said = Constraints(4, must_link=[(0, 1)], cannot_link=[(2, 3)], groups=[0, 0, -1, -1], labels=[-1, -1, 0, 1])
    broken = said.violations([0, -1, -1, None])
    assert broken.count == 0
    assert broken.n_unjudged == 2


def test_labels_may_be_names():
    assert Constraints(3, must_link=[(0, 1)]).violations(["b", "a", "a"]).must_link.tolist() == [[0, 1]]


def test_labels_of_another_length():
    with pytest.raises(ConstraintError, match="labels needs one entry for each of the 3 objects"):
        Constraints(3).violations([0, 1])


@given(data=st.data())
def test_the_truth_breaks_nothing_hard(known, data):
    y, said = data.draw(known)
    assert said.violations(y).n_hard == 0


@given(data=st.data())
def test_counts_by_hand_whatever_the_clusters_are_called(known, data):
    _, said = data.draw(known)
    n = said.n_objects
    y = np.array(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)))
    names = np.array(data.draw(st.permutations(["p", "q", "r", "s"])))
    for labels in (y, names[y]):
        broken = said.violations(labels)
        assert broken.must_link.tolist() == [[i, j] for i, j in said.must_link.tolist() if y[i] != y[j]]
        assert broken.cannot_link.tolist() == [[i, j] for i, j in said.cannot_link.tolist() if y[i] == y[j]]
        groups = [g for c, g in enumerate(said.group_names) if len(set(y[said.groups == c])) > 1]
        assert list(broken.split_groups) == groups
        met = [set(y[said.labels == c]) for c in range(len(said.classes))]
        assert list(broken.split_labels) == [said.classes[c] for c in range(len(met)) if len(met[c]) > 1]
        mixed = [(a, b) for a in range(len(met)) for b in range(a + 1, len(met)) if met[a] & met[b]]
        assert list(broken.mixed_labels) == [(said.classes[a], said.classes[b]) for a, b in mixed]


@pytest.mark.parametrize("seed", range(20))
def test_mixed_classes_are_counted_without_being_written_out(seed):
    rng = np.random.default_rng(seed)
    said = Constraints.from_labels(rng.integers(-1, 12, 25))
    broken = said.violations(rng.integers(-1, 6, 25))
    assert broken.n_mixed == len(broken.mixed_labels)


def test_very_many_mixed_classes():
    n = 100_000
    assert Constraints.from_labels(np.arange(n)).violations(np.zeros(n)).n_mixed == n * (n - 1) // 2
