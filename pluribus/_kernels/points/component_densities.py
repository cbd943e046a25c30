"""Densities of rows under the components of a Gaussian mixture, for an EM that changes one component at a time.

``log_density`` is (n, k). ``scaled`` is exp(log_density - reference) with a reference for each row, so that the sums
over components need no exponentials. A row is scaled again, from its logarithms, where its numbers become too large or
too small: a new density far above the reference, or a sum that is almost 0.
"""

import math

import numpy as np
from numba import njit

_FAR = 50.0  # a log-density this far above the reference moves the reference
_SMALL = 1e-150  # so does a sum below this
_FARTHEST = 1e300  # squared distances beyond it count as this, so that logarithms are finite


@njit(cache=True, nogil=True)
def sum_responsibilities(weights, log_density, scaled, reference, total):
    """The responsibilities of each component, summed over rows; ``total`` gets Σ_m a_m · scaled of each row."""
    k = len(weights)
    sums = np.zeros(k)
    for i in range(len(total)):
        total[i] = _total(weights, scaled, i)
        if total[i] < _SMALL:
            _rescale(log_density, scaled, reference, i)
            total[i] = _total(weights, scaled, i)
        share = 1 / total[i]
        for m in range(k):
            sums[m] += weights[m] * scaled[i, m] * share
    return sums


@njit(cache=True, nogil=True)
def sum_moments(X, m, weight, scaled, total, around):
    """Σ u (x - around) and Σ u (x - around)(x - around)ᵀ over rows, with the responsibilities u of component m."""
    d = X.shape[1]
    first, second = np.zeros(d), np.zeros((d, d))
    centered = np.empty(d)
    for i in range(len(X)):
        u = weight * scaled[i, m] / total[i]
        if u == 0:
            continue
        for f in range(d):
            centered[f] = X[i, f] - around[f]
            first[f] += u * centered[f]
            for g in range(f + 1):
                second[f, g] += u * centered[f] * centered[g]
    for f in range(d):
        for g in range(f):
            second[g, f] = second[f, g]
    return first, second


@njit(cache=True, nogil=True)
def put_densities(X, m, mean, lower, log_density, scaled, reference):
    """The densities of all rows under component m, whose covariance is ``lower @ lower.T``."""
    d = X.shape[1]
    constant = -0.5 * d * math.log(2 * math.pi)
    for f in range(d):
        constant -= math.log(lower[f, f])
    white = np.empty(d)
    for i in range(len(X)):
        squared = 0.0
        for f in range(d):  # lower @ white = x - mean
            value = X[i, f] - mean[f]
            for g in range(f):
                value -= lower[f, g] * white[g]
            white[f] = value / lower[f, f]
            squared += white[f] * white[f]
        log_density[i, m] = constant - 0.5 * min(squared, _FARTHEST)
        if log_density[i, m] > reference[i] + _FAR:
            _rescale(log_density, scaled, reference, i)
        else:
            scaled[i, m] = math.exp(log_density[i, m] - reference[i])


@njit(cache=True, nogil=True)
def _total(weights, scaled, i):
    total = 0.0
    for m in range(len(weights)):
        total += weights[m] * scaled[i, m]
    return total


@njit(cache=True, nogil=True)
def _rescale(log_density, scaled, reference, i):
    """Scale row i by its largest density."""
    reference[i] = log_density[i].max()
    for m in range(log_density.shape[1]):
        scaled[i, m] = math.exp(log_density[i, m] - reference[i])
