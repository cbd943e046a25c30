"""Memberships with given sums over the objects: entropic optimal transport, by prices of the clusters."""

from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp

from pluribus.partitions import assign_sizes

_HALVED = 40
_FAR = 0.01  # of all objects are in the wrong cluster


class Balanced(NamedTuple):
    """Memberships whose columns have given sums."""

    membership: np.ndarray  # (n, k), rows of sum 1
    prices: np.ndarray  # (k,) log β: what is subtracted from the costs of a cluster
    error: float  # the largest difference of a column's sum to its size, relative to n


def balance(
    cost: np.ndarray, sizes: np.ndarray, temperature: float, prices: np.ndarray, max_iter: int, tol: float
) -> Balanced:
    """P(h | i) ∝ exp((price_h - cost_ih) / T), with prices at which Σ_i P(h | i) is the size of cluster h.

    These prices maximize the concave function Σ_h size_h price_h - T Σ_i log Σ_h exp((price_h - cost_ih) / T) of k
    numbers. A step is Newton's where it is a gain, halved if need be. Otherwise it is Sinkhorn's, (8.18) in the book,
    which always is one: log β_h rises by T times the logarithm of size over sum. At T = 0 the prices are those of the
    cheapest assignment within the sizes, from which steps start if the given prices are far off.
    """
    k = cost.shape[1]
    now = _Dual.at(cost, sizes, temperature, prices)
    if now.error(sizes) > _FAR:  # steps are short at a low temperature: start from its limit
        exact = assign_sizes(cost, np.floor(sizes).astype(int), np.ceil(sizes).astype(int)).prices
        now = max(now, _Dual.at(cost, sizes, temperature, exact), key=lambda dual: dual.value)
    for _ in range(max_iter):
        if now.error(sizes) <= tol:
            break
        curvature = np.diag(now.sums) - now.membership.T @ now.membership
        ridge = 1e-9 * (np.trace(curvature) / k + 1) * np.eye(k)
        step = temperature * np.linalg.solve(curvature + ridge, sizes - now.sums)
        better = None
        for _ in range(_HALVED):
            trial = _Dual.at(cost, sizes, temperature, now.prices + step)
            if trial.value >= now.value + 1e-4 * float(step @ (sizes - now.sums)):
                better = trial
                break
            step = step / 2
        now = better or _Dual.at(cost, sizes, temperature, now.prices + temperature * (np.log(sizes) - now.log_sums()))
    return Balanced(now.membership, now.prices - now.prices.mean(), now.error(sizes))  # only differences matter


class _Dual(NamedTuple):
    """Prices, the memberships at these prices, and the value that is maximal where all sizes hold."""

    prices: np.ndarray
    membership: np.ndarray
    sums: np.ndarray
    value: float
    logarithms: np.ndarray  # (n, k) of the memberships

    @classmethod
    def at(cls, cost: np.ndarray, sizes: np.ndarray, temperature: float, prices: np.ndarray) -> "_Dual":
        logarithms = (prices - cost) / temperature
        most = logarithms.max(axis=1, keepdims=True)
        logarithms -= most
        membership = np.exp(logarithms)
        totals = membership.sum(axis=1, keepdims=True)
        membership /= totals
        logarithms -= np.log(totals)
        value = float(sizes @ prices) - temperature * float((np.log(totals) + most).sum())
        return cls(prices, membership, membership.sum(axis=0), value, logarithms)

    def error(self, sizes: np.ndarray) -> float:
        return float(np.abs(self.sums - sizes).max() / len(self.membership))

    def log_sums(self) -> np.ndarray:
        return logsumexp(self.logarithms, axis=0)
