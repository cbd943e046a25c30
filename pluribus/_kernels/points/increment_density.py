"""The density and the tail of dissimilarity increments with mean 1, for two dimensions (2-DID), as logarithms."""

import math

import numpy as np
from numba import njit

RATE = math.pi * (2 - math.sqrt(2)) ** 2 / 4  # C of the source, for increments with mean 1
_TAIL = 50.0  # from here on, in v = C w² / 2, the closed form cancels and the density is summed as a series
_TERMS = 12
_FAR = 5.0  # from here on exp(z²) erfc(z) is a continued fraction
_LEVELS = 40


@njit(cache=True, nogil=True)
def log_density(u):
    """log p(u) of one increment u >= 0: ½ log C - 2v + log [√(2v) + √(π/2) (1 - 2v) erfcx(√v)], v = C u² / 2."""
    v = RATE * u * u / 2
    if v > _TAIL:  # √(2/v) Σ (-1)^n (1/2)_n (2)_n / (n! v^n)
        term, series = 1.0, 1.0
        for n in range(1, _TERMS):
            term *= -(n - 0.5) * (n + 1) / (n * v)
            series += term
        return 0.5 * math.log(2 * RATE) - 2 * v - math.log(u) - 0.5 * math.log(RATE / 2) + math.log(series)
    z = math.sqrt(v)
    bracket = math.sqrt(2.0) * z + math.sqrt(math.pi / 2) * (1 - 2 * v) * scaled_erfc(z)
    return 0.5 * math.log(RATE) - 2 * v + math.log(bracket)


@njit(cache=True, nogil=True)
def scaled_erfc(z):
    """exp(z²) erfc(z) for z >= 0."""
    if z < _FAR:
        return math.exp(z * z) * math.erfc(z)
    fraction = 0.0
    for level in range(_LEVELS, 0, -1):
        fraction = level / 2 / (z + fraction)
    return 1 / (math.sqrt(math.pi) * (z + fraction))


@njit(cache=True, nogil=True)
def log_densities(u):
    """The same for an array of increments; -inf where they are negative."""
    out = np.empty(len(u))
    for i in range(len(u)):
        out[i] = log_density(u[i]) if u[i] >= 0 else (-np.inf if u[i] < 0 else np.nan)
    return out


@njit(cache=True, nogil=True)
def log_survivals(u):
    """log P(U > u) of increments u >= 0: -2v + log [1 - √π z erfcx(z)], z = √v, v = C u² / 2."""
    out = np.empty(len(u))
    for i in range(len(u)):
        v = RATE * u[i] * u[i] / 2
        if v > _TAIL:  # 1/(2v) Σ (-1)^n (2n+1)!! / (2v)^n
            term, series = 1.0, 1.0
            for n in range(1, _TERMS):
                term *= -(2 * n + 1) / (2 * v)
                series += term
            out[i] = -2 * v + math.log(series) - 2 * math.log(u[i]) - math.log(RATE)
        else:
            z = math.sqrt(v)
            out[i] = -2 * v + math.log1p(-math.sqrt(math.pi) * z * scaled_erfc(z))
    return out


@njit(cache=True, nogil=True)
def log_likelihood(increments, mean, exponential):
    """Σ log p(w; mean) by 2-DID, or by the exponential model."""
    total = -len(increments) * math.log(mean)
    for i in range(len(increments)):
        u = increments[i] / mean
        total += -u if exponential else log_density(u)
    return total
