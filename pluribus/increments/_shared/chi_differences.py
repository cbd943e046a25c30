"""|D₁ - D₂| of two independent distances between Gaussian points in d dimensions, scaled to mean 1.

With L_d = 2 Γ((d+1)/2) / Γ(d/2) (2 I_½(d/2, (d+1)/2) - 1), C = L_d² and v = C u² / 2 the density is

    p(u) = √(2C) 2^(2-d) Γ(d) / Γ(d/2)² exp(-2v) j_d(v),      j_d(v) = E[(X + v)^(-½)],  X ~ Gamma(d),

which is the double sum of the source in closed form: all its parts are positive, so nothing cancels.
"""

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from scipy.linalg import eigh_tridiagonal
from scipy.special import betainc, erfcx, gammaln, poch

_NODES = 64
_BLOCK = 2**12  # numbers whose integrals are computed at a time
_RECURRED = 20  # dimensions up to which the recurrence serves v < 1; beyond, quadrature does for all v
_TAIL = 45.0  # the tail integral ends where exp(-2v) has fallen by exp(-_TAIL)


@lru_cache(maxsize=64)
def mean_difference(dim: int) -> float:
    """L_d: the mean of |χ_d - χ_d'| / √2."""
    return float(2 * poch(dim / 2, 0.5) * (2 * betainc(dim / 2, (dim + 1) / 2, 0.5) - 1))


@lru_cache(maxsize=64)
def _laguerre(dim: int) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights for means over Gamma(dim), by Golub and Welsch: nothing overflows in high dimensions."""
    k = np.arange(_NODES, dtype=float)
    nodes, vectors = eigh_tridiagonal(2 * k + dim, np.sqrt(k[1:] * (k[1:] + dim - 1)))
    return nodes, vectors[0] ** 2


def mean_inverse_root(dim: int, v: np.ndarray) -> np.ndarray:
    """j_d(v) for v >= 0; j_0(v) is v^(-½)."""
    v = np.asarray(v, dtype=np.float64)
    if dim == 0:
        return v**-0.5
    if dim > _RECURRED:
        return _by_quadrature(dim, v)
    near = v < 1
    out = np.empty(v.shape)
    out[~near] = _by_quadrature(dim, v[~near])
    out[near] = _by_recurrence(dim, v[near])
    return out


def _by_quadrature(dim: int, v: np.ndarray) -> np.ndarray:
    out = np.zeros(v.shape)
    for node, weight in zip(*_laguerre(dim), strict=True):
        out += weight * (node + v) ** -0.5
    return out


def _by_recurrence(dim: int, v: np.ndarray) -> np.ndarray:
    """j_(m+1) = ((m - ½ - v) j_m + v j_(m-1)) / m, which is stable for v < d."""
    one = np.sqrt(np.pi) * erfcx(np.sqrt(v))
    if dim == 1:
        return one
    before, here = one, (0.5 - v) * one + np.sqrt(v)
    for m in range(2, dim):
        before, here = here, ((m - 0.5 - v) * here + v * before) / m
    return here


def log_density(dim: int, u: np.ndarray) -> np.ndarray:
    """log p(u) for u >= 0."""
    rate = mean_difference(dim) ** 2
    v = rate * u * u / 2
    constant = 0.5 * np.log(2 * rate) + (2 - dim) * np.log(2) + gammaln(dim) - 2 * gammaln(dim / 2)
    return constant - 2 * v + np.log(mean_inverse_root(dim, v))


@lru_cache(maxsize=1)
def _legendre() -> tuple[np.ndarray, np.ndarray]:
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    return (nodes + 1) / 2, weights / 2


def distribution_function(dim: int, u: np.ndarray) -> np.ndarray:
    """P(U <= u) for u up to some 2, by Gauss-Legendre quadrature."""
    nodes, weights = _legendre()

    def integral(u: np.ndarray) -> np.ndarray:
        return u * (weights @ np.exp(log_density(dim, nodes[:, None] * u)))

    return _in_blocks(integral, u)


def log_survival(dim: int, u: np.ndarray) -> np.ndarray:
    """log P(U > u) for u > 0: log p(u) and the integral of p / p(u) beyond u, which neither under- nor overflows."""
    rate = mean_difference(dim) ** 2
    nodes, weights = _legendre()

    def integral(u: np.ndarray) -> np.ndarray:
        width = _TAIL / rate / (u + np.sqrt(u * u + _TAIL / rate))
        step = nodes[:, None] * width
        roots = mean_inverse_root(dim, rate * (u + step) ** 2 / 2) / mean_inverse_root(dim, rate * u * u / 2)
        return log_density(dim, u) + np.log(width * (weights @ (np.exp(-rate * step * (2 * u + step)) * roots)))

    out = np.full(u.shape, -np.inf)
    in_range = np.isfinite(rate * u * u)
    out[in_range] = _in_blocks(integral, u[in_range])
    return out


def _in_blocks(function: Callable[[np.ndarray], np.ndarray], u: np.ndarray) -> np.ndarray:
    """A function of each number of a one-dimensional array, a few thousand at a time."""
    return np.concatenate([function(u[start : start + _BLOCK]) for start in range(0, max(len(u), 1), _BLOCK)])


def second_moment(dim: int) -> float:
    """E[u²] = (2/C) (d/2 - (Γ((d+1)/2) / Γ(d/2))²)."""
    return float(2 / mean_difference(dim) ** 2 * (dim / 2 - poch(dim / 2, 0.5) ** 2))


def score(dim: int, u: np.ndarray) -> np.ndarray:
    """u d log p(u) / du, by j_d' = j_d - j_(d-1)."""
    v = mean_difference(dim) ** 2 * u * u / 2
    return 2 * v * (-1 - mean_inverse_root(dim - 1, v) / mean_inverse_root(dim, v))
