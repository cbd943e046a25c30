"""The losses of labels and pairs: values of the source, gradients and curvatures by finite differences, bounds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pluribus.similarity.pairwise._logistic import convex_loss, likelihood_loss
from pluribus.similarity.pairwise._terms import Terms

LOSSES = {"convex": convex_loss, "likelihood": likelihood_loss}


def one_pair(same=True, exclusive=False):
    """Two points without labels."""
    none = np.empty(0)
    return Terms(2, none.astype(int), none, none, np.array([0]), np.array([1]), np.array([same]), np.ones(1), exclusive)


def random_terms(seed, exclusive):
    rng = np.random.default_rng(seed)
    pairs = rng.integers(0, 6, (8, 2))
    return Terms(
        6, np.array([0, 3, 3]), np.array([1.0, -1, 1]), rng.random(3), *pairs[pairs[:, 0] != pairs[:, 1]].T,
        rng.random((pairs[:, 0] != pairs[:, 1]).sum()) < 0.5, rng.random((pairs[:, 0] != pairs[:, 1]).sum()), exclusive,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("a", "b", "convex", "likelihood"),
    [
        (0, 0, 1.386294, 0.693147),
        (1, 1, 1.386294, 0.499595),
        (2, 2, 1.386294, 0.235706),
        (1, -1, 2.253856, 0.933376),
        (2, -2, 4.036300, 1.560709),
        (3, 0, 3.097175, 0.693147),
    ],
)
def test_values_of_a_pair(a, b, convex, likelihood):
    for f in ((a, b), (b, a), (-a, -b)):
        f = np.array(f, dtype=float)
        assert convex_loss(one_pair()).value(f) == pytest.approx(convex, abs=1e-6)
        assert likelihood_loss(one_pair()).value(f) == pytest.approx(likelihood, abs=1e-6)
        apart = f * [1, -1]
        assert convex_loss(one_pair(same=False)).value(apart) == pytest.approx(convex, abs=1e-6)
        assert likelihood_loss(one_pair(same=False)).value(apart) == pytest.approx(likelihood, abs=1e-6)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_gradients_by_finite_differences(loss, exclusive, seed):
    function = LOSSES[loss](random_terms(seed, exclusive))
    f = 2 * np.random.default_rng(seed).normal(size=6)
    step = 1e-6 * np.eye(6)
    slopes = [(function.value(f + e) - function.value(f - e)) / 2e-6 for e in step]
    np.testing.assert_allclose(function.gradient(f), slopes, atol=1e-8)
    curvature = function.curvature(f).toarray()
    changes = np.array([(function.gradient(f + e) - function.gradient(f - e)) / 2e-6 for e in step])
    if loss == "convex":
        np.testing.assert_allclose(curvature, changes, atol=1e-8)
    else:  # EM: never flatter than the loss
        assert np.linalg.eigvalsh(curvature - changes).min() > -1e-8
    assert np.linalg.eigvalsh(curvature).min() > -1e-12


@given(a=st.floats(-30, 30), b=st.floats(-30, 30))
def test_bounds(a, b):
    f = np.array([a, b])
    convex, likelihood = (make(one_pair()).value(f) for make in LOSSES.values())
    assert convex >= 2 * np.log(2) - 1e-12  # nothing is better than agreement at 0
    assert likelihood >= -1e-12
    assert convex >= 2 * likelihood - 1e-9  # (17.3) is twice the likelihood, and below the convex loss
    if abs(a * b) > 1e-9:
        assert (likelihood <= np.log(2) + 1e-12) == (a * b > 0)
    assert likelihood_loss(one_pair(same=False, exclusive=True)).value(f) >= 0


def test_an_exclusive_pair_is_bounded_and_rewards_any_side_but_both():
    value = likelihood_loss(one_pair(same=False, exclusive=True)).value
    assert value(np.array([0.0, -50])) == pytest.approx(0, abs=1e-12)
    assert value(np.array([-50.0, -50])) == pytest.approx(0, abs=1e-12)
    assert value(np.array([50.0, 50])) == pytest.approx(50 - np.log(2), abs=1e-9)
    assert value(np.zeros(2)) == pytest.approx(-np.log(3 / 4))


def test_expected_labels():
    """The E-step by the four events of two independent labels."""
    f = np.array([0.7, -0.4])
    p = 1 / (1 + np.exp(-f))
    joint = np.outer([p[0], 1 - p[0]], [p[1], 1 - p[1]])  # + and -
    for same, exclusive, allowed in (
        (True, False, np.eye(2)),
        (False, False, 1 - np.eye(2)),
        (False, True, np.array([[0, 1], [1, 1]])),
    ):
        events = joint * allowed / (joint * allowed).sum()
        first, second = likelihood_loss(one_pair(same, exclusive)).expected(f)
        assert first[0] == pytest.approx(events[0].sum())
        assert second[0] == pytest.approx(events[:, 0].sum())


def test_first_expectation_of_the_exact_case():
    w = 0.4010581375
    first, _ = likelihood_loss(one_pair()).expected(np.array([w, 2 * w]))
    assert first[0] == pytest.approx(0.7690890, abs=1e-7)


def test_large_values_are_finite():
    for terms in (one_pair(), one_pair(False), one_pair(False, True)):
        for make in LOSSES.values():
            for f in ([1e4, -1e4], [1e4, 1e4], [-1e4, -1e4]):
                loss = make(terms)
                assert np.isfinite(loss.value(np.array(f)))
                assert np.isfinite(loss.gradient(np.array(f))).all()
