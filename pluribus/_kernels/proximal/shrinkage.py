"""Proximity operators on block norms: argmin_z ½‖z - b‖² + τ Ω(z) for b ≥ 0.

Each regularizer has a number here, which the passes over the examples take.
"""

import numpy as np
from numba import njit

SQUARED_L1, L1, SQUARED_LQ, ELASTIC, SQUARED_L2, SPARSE_GROUP = range(6)


@njit(cache=True, nogil=True)
def shrink_squared_l1(b, tau):
    """argmin_z ½‖z - b‖² + (τ/2)(Σ z)² for b ≥ 0, by sorting."""
    total, threshold = 0.0, np.inf
    for count, m in enumerate(np.argsort(-b), 1):
        total += b[m]
        candidate = tau * total / (1 + tau * count)
        if b[m] > candidate:
            threshold = candidate
    return np.maximum(b - threshold, 0.0)


@njit(cache=True, nogil=True)
def shrink_power(b, tau, q):
    """argmin_z ½(z - b)² + τ z^q for b ≥ 0 and 1 < q ≤ 2: the root of z + τ q z^(q-1) = b.

    Newton's method in u = z^(q-1), as the derivative in z is infinite at 0. From the right of a convex increasing
    function it never overshoots.
    """
    slope = tau * q
    if b <= 0:
        return 0.0
    if slope == 0.0:
        return b
    power = 1 / (q - 1)
    u = min(b / slope, b ** (q - 1))
    for _ in range(200):
        step = (u**power + slope * u - b) / (power * u ** (power - 1) + slope)
        u -= step
        if step <= 1e-16 * u:
            break
    return max(u, 0.0) ** power


@njit(cache=True, nogil=True)
def _shrunk_norm(b, tau, q, norm, out):
    """‖z‖_q - N for z_m + τ N^(2-q) z_m^(q-1) = b_m, with z in `out`."""
    total = 0.0
    for m in range(b.shape[0]):
        out[m] = shrink_power(b[m], tau * norm ** (2 - q) / q, q)
        total += out[m] ** q
    return total ** (1 / q) - norm


@njit(cache=True, nogil=True)
def shrink_squared_lq(b, tau, q):
    """argmin_z ½‖z - b‖² + (τ/2)‖z‖_q² for b ≥ 0 and 1 < q ≤ 2: a search for N = ‖z‖_q around `shrink_power`."""
    out = np.zeros_like(b)
    high = 0.0
    for value in b:
        high += value**q
    high = high ** (1 / q)
    if high == 0.0:
        return out
    low = 0.0
    at_low, at_high = _shrunk_norm(b, tau, q, low, out), _shrunk_norm(b, tau, q, high, out)
    for _ in range(200):  # regula falsi; the side that stays twice counts half (Illinois)
        if at_high == 0.0 or high - low <= 1e-15 * high:
            break
        norm = (low * at_high - high * at_low) / (at_high - at_low)
        if not low < norm < high:
            norm = 0.5 * (low + high)
        value = _shrunk_norm(b, tau, q, norm, out)
        if abs(value) <= 1e-15 * high:
            return out
        if value > 0:
            low, at_low = norm, value
            at_high *= 0.5
        else:
            high, at_high = norm, value
            at_low *= 0.5
    _shrunk_norm(b, tau, q, high, out)
    return out


@njit(cache=True, nogil=True)
def shrink(kind, b, tau, q, mix):
    """The proximity operator of τ Ω for the regularizer of this number, on block norms b ≥ 0."""
    if kind == SQUARED_L1:
        return shrink_squared_l1(b, tau)
    if kind == L1:
        return np.maximum(b - tau, 0.0)
    if kind == SQUARED_LQ:
        return shrink_squared_lq(b, tau, q)
    if kind == ELASTIC:  # two steps, the second on what the first leaves
        return shrink_squared_l1(b / (1 + tau * mix), tau * (1 - mix))
    if kind == SQUARED_L2:
        return b / (1 + tau)
    return np.maximum(b - tau * mix, 0.0)  # SPARSE_GROUP, after single numbers were shrunk by τ (1 - mix)
