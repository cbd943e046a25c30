"""Series of the source: an abrupt change, a smooth one, and a drift without states."""

import numpy as np
import pytest


def abrupt(n=100, seed=0):
    """DS1: two Gaussians, one after the other."""
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.normal(0, 0.5, (n, 2)), rng.normal(5, 0.5, (n, 2))])


def smooth(n=137, seed=0):
    """DS2: each state a mixture of two Gaussians, a smooth change from .35 to .65."""
    rng = np.random.default_rng(seed)
    place = np.clip((np.arange(n) / (n - 1) - 0.35) / 0.3, 0, 1)
    share = (place**2 * (3 - 2 * place))[:, None]
    component = rng.integers(0, 2, n)
    before, after = np.array([(0, 0), (0, 2.0)])[component], np.array([(6, 0), (6, 2.0)])[component]
    return (1 - share) * before + share * after + 0.35 * rng.normal(size=(n, 2))


def drift(n=60, seed=0, slope=6.0):
    rng = np.random.default_rng(seed)
    return np.linspace(0, slope, n)[:, None] + 0.35 * rng.normal(size=(n, 2))


@pytest.fixture(name="abrupt")
def _abrupt():
    return abrupt


@pytest.fixture(name="smooth")
def _smooth():
    return smooth


@pytest.fixture(name="drift")
def _drift():
    return drift
