"""The families that increments may follow, each scaled to mean 1: densities and tails as functions of u = w / mean."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from scipy.special import erf, erfc, log_ndtr

from pluribus._kernels.points.increment_density import log_densities, log_survivals
from pluribus.increments._shared import chi_differences as chi

_FARTHEST = 12.0  # P(U > 12) < 1e-15 in each family but the exponential one
_MANY = 10**5  # dimensions beyond which d-DID is its limit to 1e-11, and its constants cancel
_SMALL = 0.01  # below, 1 - P(U > u) cancels
_STEPS = 100
_CLOSE = 1e-9  # of the last step: Newton's next one would be of the order of its square
_PANELS = 40


class Family(ABC):
    """A distribution on [0, ∞) with mean 1 whose density is log-concave. Arguments are float arrays, u >= 0."""

    second_moment: float

    @abstractmethod
    def log_density(self, u: np.ndarray) -> np.ndarray:
        """log p(u)."""

    @abstractmethod
    def log_survival(self, u: np.ndarray) -> np.ndarray:
        """log P(U > u)."""

    @abstractmethod
    def distribution_function(self, u: np.ndarray) -> np.ndarray:
        """P(U <= u)."""

    @abstractmethod
    def draw(self, size: int | tuple[int, ...] | None, rng: np.random.Generator) -> np.ndarray:
        """Random values."""

    @abstractmethod
    def entropy(self) -> float:
        """Differential entropy, in nats."""

    @abstractmethod
    def information(self) -> float:
        """Fisher information of one value about log(mean): E[(1 + u d log p / du)²]."""

    def quantile(self, share: np.ndarray) -> np.ndarray:
        """The u with P(U <= u) = share, for 0 < share <= ½.

        Newton's steps from 0: the distribution function is concave, so they rise to the solution and never pass it.
        """
        u = np.zeros(share.shape)
        for _ in range(_STEPS):
            step = (share - self.distribution_function(u)) / np.exp(self.log_density(u))
            u = u + np.maximum(step, 0)
            if np.all(np.abs(step) <= _CLOSE * u):
                break
        return u

    def tail_quantile(self, log_share: np.ndarray) -> np.ndarray:
        """The u with log P(U > u) = log_share, for shares up to ½.

        Newton's steps: log P is concave, so after the first they fall to the solution and never pass it.
        """
        u = np.maximum(np.sqrt(-log_share), 0.5)
        for _ in range(_STEPS):
            tail = self.log_survival(u)
            step = (tail - log_share) * np.exp(tail - self.log_density(u))
            u = u + step
            if np.all(np.abs(step) <= _CLOSE * u):
                break
        return u


class ChiDifferences(Family):
    """d-DID: two distances between Gaussian points in d dimensions differ by u."""

    def __init__(self, dim: int) -> None:
        self.dim = dim
        self.second_moment = chi.second_moment(dim)

    def log_density(self, u: np.ndarray) -> np.ndarray:
        if self.dim == 2:
            return log_densities(u.ravel()).reshape(u.shape)
        return chi.log_density(self.dim, u)

    def log_survival(self, u: np.ndarray) -> np.ndarray:
        if self.dim == 2:
            return log_survivals(u.ravel()).reshape(u.shape)
        near = u < 1
        out = np.empty(u.shape)
        out[near] = np.log1p(-chi.distribution_function(self.dim, u[near]))
        out[~near] = chi.log_survival(self.dim, u[~near])
        return out

    def distribution_function(self, u: np.ndarray) -> np.ndarray:
        near = u < (_SMALL if self.dim == 2 else 1)
        out = np.empty(u.shape)
        out[near] = chi.distribution_function(self.dim, u[near])
        out[~near] = -np.expm1(self.log_survival(u[~near]))
        return out

    def draw(self, size: int | tuple[int, ...] | None, rng: np.random.Generator) -> np.ndarray:
        one, other = (np.sqrt(rng.gamma(self.dim / 2, size=size)) for _ in range(2))
        return np.abs(one - other) / chi.mean_difference(self.dim)

    def entropy(self) -> float:
        return _integral(self, lambda u, log_p: -log_p)

    def information(self) -> float:
        return _integral(self, lambda u, log_p: (1 + chi.score(self.dim, u)) ** 2)


class HalfNormal(Family):
    """The limit of d-DID for many dimensions."""

    second_moment = math.pi / 2

    def log_density(self, u: np.ndarray) -> np.ndarray:
        return math.log(2 / math.pi) - u * u / math.pi

    def log_survival(self, u: np.ndarray) -> np.ndarray:
        return math.log(2) + log_ndtr(-u * math.sqrt(2 / math.pi))

    def distribution_function(self, u: np.ndarray) -> np.ndarray:
        return np.where(u < 1, erf(u / math.sqrt(math.pi)), 1 - erfc(u / math.sqrt(math.pi)))

    def draw(self, size: int | tuple[int, ...] | None, rng: np.random.Generator) -> np.ndarray:
        return np.abs(rng.normal(size=size)) * math.sqrt(math.pi / 2)

    def entropy(self) -> float:
        return 0.5 + math.log(math.pi / 2)

    def information(self) -> float:
        return 2.0


class Exponential(Family):
    """The model of 2003."""

    second_moment = 2.0

    def log_density(self, u: np.ndarray) -> np.ndarray:
        return -u

    def log_survival(self, u: np.ndarray) -> np.ndarray:
        return -u

    def distribution_function(self, u: np.ndarray) -> np.ndarray:
        return -np.expm1(-u)

    def draw(self, size: int | tuple[int, ...] | None, rng: np.random.Generator) -> np.ndarray:
        return rng.exponential(size=size)

    def entropy(self) -> float:
        return 1.0

    def information(self) -> float:
        return 1.0


def _integral(family: Family, of: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> float:
    """E[of(u, log p(u))] by Gauss-Legendre quadrature on panels."""
    nodes, weights = np.polynomial.legendre.leggauss(16)
    width = _FARTHEST / _PANELS
    u = ((nodes + 1) / 2 * width + width * np.arange(_PANELS)[:, None]).ravel()
    log_p = family.log_density(u)
    return float(np.tile(weights, _PANELS) @ (np.exp(log_p) * of(u, log_p)) * width / 2)


@lru_cache(maxsize=64)
def family_of(model: str, dim: float) -> Family:
    """The family of a model that was checked."""
    if model == "exponential":
        return Exponential()
    return HalfNormal() if dim > _MANY else ChiDifferences(int(dim))
