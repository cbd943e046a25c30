import mpmath
import numpy as np
import pytest
from scipy.special import erfcx

from pluribus._kernels.points.increment_density import (
    RATE,
    log_densities,
    log_density,
    log_likelihood,
    log_survivals,
    scaled_erfc,
)

U = np.r_[0, 1e-10, np.linspace(0.01, 25, 200), 19.262, 19.263, 30, 100, 1e4]  # the series begin at 19.262


def exactly(u):
    """Equations (B) and (C) with 50 digits."""
    with mpmath.workdps(50):
        C = mpmath.pi * (2 - mpmath.sqrt(2)) ** 2 / 4
        v = C * mpmath.mpf(u) ** 2 / 2
        z = mpmath.sqrt(v)
        scaled = mpmath.exp(v) * mpmath.erfc(z)
        bracket = mpmath.sqrt(2 * v) + mpmath.sqrt(mpmath.pi / 2) * (1 - 2 * v) * scaled
        density = mpmath.log(C) / 2 - 2 * v + mpmath.log(bracket)
        return float(density), float(-2 * v + mpmath.log(1 - mpmath.sqrt(mpmath.pi) * z * scaled))


def test_the_constant():
    assert pytest.approx(0.269506042226324, abs=1e-15) == RATE


def test_density_and_tail_with_many_digits():
    expected = np.array([exactly(u) for u in U[U < 200]]).T
    np.testing.assert_allclose(log_densities(U[U < 200]), expected[0], rtol=1e-13, atol=1e-11)
    np.testing.assert_allclose(log_survivals(U[U < 200]), expected[1], rtol=1e-13, atol=1e-11)


def test_the_scaled_complement_of_the_error_function():
    z = np.r_[np.linspace(0, 8, 100), 5 - 1e-12, 5, 30, 1e8]
    np.testing.assert_allclose([scaled_erfc(x) for x in z], erfcx(z), rtol=1e-14)


def test_ends():
    np.testing.assert_array_equal(log_densities(np.array([-1.0, np.nan])), [-np.inf, np.nan])
    assert log_density(0.0) == pytest.approx(np.log(0.650645142284))
    assert log_survivals(np.zeros(1))[0] == 0
    for values in (log_densities(np.array([1e100, 1e149])), log_survivals(np.array([1e100, 1e149]))):
        assert np.isfinite(values).all()


def test_the_likelihood_of_increments():
    w = np.array([1.0, 2, 1, 2])
    assert log_likelihood(w, 1.5, False) == pytest.approx(-4.8904909732, abs=1e-10)
    assert log_likelihood(w, 1.5, True) == pytest.approx(-5.6218604324, abs=1e-10)
    assert log_likelihood(np.zeros(0), 1.5, False) == 0
