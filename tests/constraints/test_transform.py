"""restrict, flip and merge."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pluribus.constraints import ConstraintError, Constraints, ContradictionError


def test_restrict_keeps_what_an_object_left_out_had_joined():
    said = Constraints(5, must_link=[(0, 1), (1, 2)], cannot_link=[(1, 3)], labels=[None, "a", None, None, "b"])
    part = said.restrict([4, 2, 3, 0])
    assert sorted(part.entailed_pairs()) == [
        (0, 1, "cannot-link"),
        (0, 3, "cannot-link"),
        (1, 2, "cannot-link"),
        (1, 3, "must-link"),
        (2, 3, "cannot-link"),
    ]
    assert part.classes.tolist() == ["b", "a"]  # the label of an object left out is handed on


def test_restrict_by_mask():
    said = Constraints(3, must_link=[(0, 2)], must_weight=[2.5])
    assert said.restrict([True, False, True]) == Constraints(2, must_link=[(0, 1)], must_weight=[2.5])


@given(data=st.data())
def test_restrict_keeps_all_that_is_entailed_and_adds_nothing(known, data):
    _, said = data.draw(known)
    order = data.draw(st.permutations(range(said.n_objects)))
    idx = order[: data.draw(st.integers(1, said.n_objects))]
    position = {old: new for new, old in enumerate(idx)}
    expected = {
        (*sorted((position[i], position[j])), kind)
        for i, j, kind in said.entailed_pairs()
        if i in position and j in position
    }
    part = said.restrict(idx)
    assert set(part.entailed_pairs()) == expected
    if len(idx) == said.n_objects:
        assert len(part.must_link) == len(said.must_link)
    # Soft pairs within the choice stay, unless the hard ones decide them.
    undecided = {pair[:2] for pair in expected}
    for (i, j), weight in zip(said.must_link.tolist(), said.must_weight, strict=True):
        if i in position and j in position and tuple(sorted((position[i], position[j]))) not in undecided:
            at = part.must_link.tolist().index(sorted((position[i], position[j])))
            assert part.must_weight[at] == weight


@pytest.mark.parametrize(
    ("idx", "message"),
    [
        ([0, 0], "twice"),
        ([0, 3], "from 0 to 3, but there are 3"),
        ([-1], "from -1"),
        ([], "at least one object"),
        ([0.5], "indices or a mask"),
        ([True, False], "mask of 3 booleans"),
        (1, "indices or a mask"),
    ],
)
def test_restrict_bad_choice(idx, message):
    with pytest.raises(ConstraintError, match=message):
        Constraints(3).restrict(idx)


@given(data=st.data(), seed=st.integers(0, 99))
def test_flip_nothing_is_the_identity(known, data, seed):
    _, said = data.draw(known)
    assert said.flip(0, seed) == said


def test_flip_all():
    said = Constraints(6, [(0, 1), (2, 3)], [(4, 5)], must_weight=[1, 2], cannot_weight=[3])
    assert said.flip(1) == Constraints(6, [(4, 5)], [(0, 1), (2, 3)], must_weight=[3], cannot_weight=[1, 2])


def test_flip_is_binomial():
    m, q = 20_000, 0.15
    said = Constraints(2 * m, must_link=np.arange(2 * m).reshape(m, 2))
    n_flipped = len(said.flip(q, 0).cannot_link)
    assert abs(n_flipped - m * q) < 4 * np.sqrt(m * q * (1 - q))
    assert said.flip(q, 0) == said.flip(q, 0)
    assert said.flip(q, 0) != said.flip(q, 1)
    rng = np.random.default_rng(0)
    assert said.flip(q, rng) != said.flip(q, rng)


def test_flip_with_the_weight_that_the_noise_deserves():
    said = Constraints(4, [(0, 1)], [(2, 3)]).flip(0.15, 0, soften=True)
    assert np.concatenate([said.must_weight, said.cannot_weight]) == pytest.approx([1.734601] * 2, abs=1e-6)


def test_flipping_hard_pairs_may_contradict():
    with pytest.raises(ContradictionError):
        Constraints(3, groups=[0, 0, -1], must_link=[(0, 1)]).flip(1)


@pytest.mark.parametrize(("q", "soften"), [(-0.1, False), (1.1, False), (0.5, True), (np.nan, False)])
def test_flip_bad_probability(q, soften):
    with pytest.raises(ConstraintError, match="from 0 to 1"):
        Constraints(3).flip(q, soften=soften)


def test_merge_adds_weights():
    one = Constraints(3, [(0, 1)], must_weight=[1])
    other = Constraints(3, [(1, 0), (1, 2)], must_weight=[2, None])
    assert one.merge(other) == Constraints(3, [(0, 1), (1, 2)], must_weight=[3, None])


def test_merge_labels_by_name_and_groups_by_object():
    one = Constraints(6, labels=["a", None, None, None, None, None], groups=["g", "g", None, None, None, None])
    other = Constraints(6, labels=["a", "b", None, None, None, None], groups=[None, None, "g", "g", None, None])
    with pytest.raises(ContradictionError):
        one.merge(other)  # 0 and 1 are one group, and now have different labels
    third = Constraints(6, groups=[None, "h", "h", None, "i", "i"])
    assert one.merge(third).groups.tolist() == [0, 0, 0, -1, 1, 1]
    merged = one.merge(Constraints(6, labels=[None, None, None, "b", "a", None]))
    assert merged.labels.tolist() == [0, -1, -1, 1, 0, -1]
    assert merged.group_names.tolist() == ["g"]


def test_merge_refuses_two_labels_for_one_object():
    with pytest.raises(ContradictionError, match="labels 'a' and 'b'"):
        Constraints.from_labels(["a", None]).merge(Constraints.from_labels(["b", None]))


def test_merge_warns_when_a_hard_pair_overrules_a_soft_one():
    with pytest.warns(UserWarning, match="speaks against a hard one"):
        Constraints(2, [(0, 1)], must_weight=[1]).merge(Constraints(2, cannot_link=[(0, 1)]))


def test_merge_needs_the_same_objects():
    with pytest.raises(ConstraintError, match="3 objects with constraints on 4 objects"):
        Constraints(3).merge(Constraints(4))


@pytest.mark.filterwarnings("ignore:.*speaks against a hard one")
@given(data=st.data())
def test_merge_with_itself_or_with_nothing_says_no_more(known, data):
    _, said = data.draw(known)
    assert said.merge(Constraints(said.n_objects)) == said
    assert Constraints(said.n_objects).merge(said) == said
    assert set(said.merge(said).entailed_pairs()) == set(said.entailed_pairs())
