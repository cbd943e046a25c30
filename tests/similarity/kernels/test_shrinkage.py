import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import minimize

from pluribus._kernels.proximal import shrinkage
from pluribus._kernels.proximal.shrinkage import shrink, shrink_power, shrink_squared_l1, shrink_squared_lq

NORMS = arrays(np.float64, st.integers(1, 6), elements=st.floats(0, 10).map(lambda v: round(v, 3)))
TAUS = st.floats(0.01, 5)


@pytest.mark.parametrize(("tau", "expected"), [(1.0, [1.5, 0, 0]), (0.2, [2.428571, 0.428571, 0])])
def test_squared_l1_by_hand(tau, expected):
    np.testing.assert_allclose(shrink_squared_l1(np.array([3, 1, 0.5]), tau), expected, atol=1e-6)


def test_squared_l1_of_zero_is_zero():
    assert shrink_squared_l1(np.zeros(3), 1.0).tolist() == [0, 0, 0]


@pytest.mark.parametrize(("q", "expected"), [(1.5, 0.64), (2.0, 0.625), (1.2, 0.6679168)])
def test_powers_by_hand(q, expected):
    assert shrink_power(1.0, 0.3, q) == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize("q", [1.001, 1.05, 1.5, 1.99, 2.0])
@pytest.mark.parametrize("tau", [1e-6, 0.3, 50.0])
def test_powers_solve_their_equation(q, tau):
    for b in (1e-8, 0.1, 1.0, 1e4):
        z = shrink_power(b, tau, q)
        assert 0 <= z <= b
        if z == 0:  # smaller than any number
            assert b <= tau * q * 1e-300 ** (q - 1)
        else:
            assert z + tau * q * z ** (q - 1) == pytest.approx(b, rel=1e-9)


PENALTIES = {
    shrinkage.SQUARED_L1: lambda z, q, mix: 0.5 * z.sum() ** 2,
    shrinkage.L1: lambda z, q, mix: z.sum(),
    shrinkage.SQUARED_LQ: lambda z, q, mix: 0.5 * (z**q).sum() ** (2 / q),
    shrinkage.SQUARED_L2: lambda z, q, mix: 0.5 * (z**2).sum(),
}


@settings(max_examples=25, deadline=None)
@given(NORMS, TAUS, st.floats(1.05, 2.0))
def test_no_search_finds_less(b, tau, q):
    for kind, penalty in PENALTIES.items():

        def cost(z, penalty=penalty):
            return 0.5 * ((z - b) ** 2).sum() + tau * penalty(np.maximum(z, 1e-300), q, 0.5)

        found = shrink(kind, b, tau, q, 0.5)
        oracle = minimize(cost, b / 2, bounds=[(0, None)] * len(b), method="L-BFGS-B")
        assert cost(found) <= oracle.fun + 1e-9 * (1 + oracle.fun)


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 5), NORMS, TAUS, st.floats(1.05, 2.0), st.floats(0, 1), st.integers(0, 99))
def test_shrinkage_shrinks_keeps_order_and_does_not_expand(kind, b, tau, q, mix, seed):
    found = shrink(kind, b, tau, q, mix)
    assert (found >= 0).all()
    assert (found <= b + 1e-12).all()
    order = np.argsort(b)
    assert (np.diff(found[order]) >= -1e-9).all()
    other = np.abs(b + np.random.default_rng(seed).normal(size=len(b)))
    gap = np.linalg.norm(found - shrink(kind, other, tau, q, mix))
    assert gap <= np.linalg.norm(b - other) * (1 + 1e-7) + 1e-9


def test_elastic_is_two_steps():
    b = np.array([3.0, 1.0, 0.5])
    found = shrink(shrinkage.ELASTIC, b, 0.4, 1.5, 0.25)
    np.testing.assert_allclose(found, shrink_squared_l1(b / 1.1, 0.3))


@settings(max_examples=25, deadline=None)
@given(NORMS, TAUS)
def test_moreau(b, tau):
    """x = prox of (τ/2)‖·‖₁² plus prox of its conjugate, which is ‖·‖∞² / 2τ: the residual is optimal for that."""
    rest = b - shrink_squared_l1(b, tau)

    def cost(p):
        return 0.5 * ((p - b) ** 2).sum() + np.abs(p).max() ** 2 / (2 * tau)

    level = np.linspace(0, b.max(), 4001)
    assert cost(rest) <= min(cost(np.minimum(b, at)) for at in level) + 1e-9


def test_lq_between_its_ends():
    b = np.array([2.0, 1.0])
    np.testing.assert_allclose(shrink_squared_lq(b, 0.5, 2.0), b / 1.5)
    near = shrink_squared_lq(b, 0.5, 1.0001)
    np.testing.assert_allclose(near, shrink_squared_l1(b, 0.5), atol=1e-3)
    assert shrink_squared_lq(np.zeros(2), 0.5, 1.5).tolist() == [0, 0]
