"""Constraints drawn from known labels."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris, load_wine

from pluribus.constraints import ConstraintError, Constraints, disjoint_pairs, random_pairs, teachers

labels = st.lists(st.integers(0, 3), min_size=4, max_size=30)


@given(y=labels, seed=st.integers(0, 999))
def test_noise_free_constraints_agree_with_the_truth(y, seed):
    for said in (
        random_pairs(y, 20, random_state=seed),
        disjoint_pairs(y, 0.8, random_state=seed),
        teachers(y, 3, 4, random_state=seed),  # never contradicts: it could not be built
        Constraints.from_labels(y),
    ):
        assert said.violations(y).count == 0
        assert said.n_objects == len(y)


@pytest.mark.parametrize(("load", "share"), [(load_iris, 0.328859), (load_wine, 0.337967)])
def test_share_of_must_links_in_random_pairs(load, share):
    y = load().target
    sizes = np.bincount(y)
    assert (sizes * (sizes - 1)).sum() / (len(y) * (len(y) - 1)) == pytest.approx(share, abs=5e-7)
    counts = np.array(
        [[len(s.must_link), len(s.cannot_link)] for s in (random_pairs(y, 50, random_state=i) for i in range(200))]
    )
    drawn = counts.sum()
    assert counts[:, 0].sum() / drawn == pytest.approx(share, abs=4 * np.sqrt(share * (1 - share) / drawn))


def test_random_pairs_are_uniform_over_pairs():
    n = 1000  # 5,000 of half a million pairs: hardly any is drawn twice
    pairs = random_pairs(np.zeros(n), 5000, random_state=0).must_link
    assert len(pairs) > 4900
    quarters = np.bincount(pairs.ravel() * 4 // n, minlength=4)
    assert (abs(quarters - len(pairs) / 2) < 4 * np.sqrt(len(pairs) / 2)).all()
    gaps = np.diff(pairs).mean()  # the mean of |i - j| over all pairs is (n + 1) / 3
    assert abs(gaps - (n + 1) / 3) < 4 * n / np.sqrt(18 * len(pairs))


def test_disjoint_pairs_touch_each_object_once():
    said = disjoint_pairs(np.arange(101) % 3, 0.5, random_state=0)
    pairs = np.concatenate([said.must_link, said.cannot_link])
    assert len(pairs) == 25
    assert len(np.unique(pairs)) == 50


def test_a_teacher_tells_all_pairs():
    said = teachers(np.arange(50) % 5, 2, 6, random_state=0)
    assert 15 < len(said.must_link) + len(said.cannot_link) <= 30
    assert len(teachers(np.arange(9), 0, 6).cannot_link) == 0


@pytest.mark.parametrize(
    "draw", [lambda y, **k: random_pairs(y, 4000, **k), lambda y, **k: disjoint_pairs(y, 1.0, **k)]
)
def test_noise_flips_the_share_and_softens(draw):
    y = np.arange(4000) % 4
    said = draw(y, noise=0.2, random_state=3)
    m = len(said.must_link) + len(said.cannot_link)
    broken = said.violations(y)
    assert abs(broken.count - 0.2 * m) < 4 * np.sqrt(m * 0.2 * 0.8)
    assert broken.n_hard == 0
    assert said.must_weight[0] == pytest.approx(np.log(4))
    assert said == draw(y, noise=0.2, random_state=3)


def test_objects_without_a_label_are_not_drawn():
    y = np.array([0, -1, 1, -1, 0, -1])
    for said in (random_pairs(y, 50), disjoint_pairs(y, 1), teachers(y, 2, 3)):
        assert not np.isin(np.concatenate([said.must_link, said.cannot_link]), [1, 3, 5]).any()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: random_pairs([0, 1], -1), "n_pairs=-1"),
        (lambda: random_pairs([0, -1, -1], 3), "1 known labels"),
        (lambda: random_pairs([0, 1], 3, noise=0.5), "noise=0.5"),
        (lambda: random_pairs([0, 1], 3, noise=-0.1), "noise=-0.1"),
        (lambda: disjoint_pairs([0, 1], 1.5), "fraction=1.5"),
        (lambda: teachers([0, 1, 0], 1, 4), "at least 4 objects"),
        (lambda: teachers([0, 1, 0], 1, 1), "n_each=1"),
        (lambda: teachers([0, 1, 0], -1, 2), "n_teachers=-1"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ConstraintError, match=message):
        call()
