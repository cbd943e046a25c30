"""The dyadic aspect model P(i, j) = Σ_a p_a B_ia B_ja of the pairs of objects that are together, fitted by EM."""

from typing import NamedTuple

import numpy as np

from pluribus.consensus._shared.base import normalize_rows
from pluribus.consensus.soft._pair_occurrences import PairCounts

_DAMPING = 0.02  # share of the largest gain; ratios of smaller gains are chance
_SOFT = 0.1  # share of a start from labels that is uniform over all objects


class Aspects(NamedTuple):
    """The result of EM: p (k,), B (n, k) with columns that sum to 1, and the log-likelihood of each iteration."""

    p: np.ndarray
    B: np.ndarray
    path: list[float]
    converged: bool


def climb(
    pairs: PairCounts, p: np.ndarray, B: np.ndarray, *, max_iter: int, tol: float, n_jobs: int | None = None
) -> Aspects:
    """EM from (p, B), eqs. (17), (19), (23) and (24); the log-likelihood never falls."""
    responsible, log_likelihood = pairs.explain(p, B, n_jobs)
    path = [log_likelihood]
    for _ in range(max_iter):
        p, B = maximize(responsible)
        responsible, log_likelihood = pairs.explain(p, B, n_jobs)
        path.append(log_likelihood)
        if path[-1] - path[-2] <= tol * abs(path[-1]):
            return Aspects(p, B, path, True)
    return Aspects(p, B, path, False)


def maximize(responsible: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The best p and B for these responsibilities. An aspect without responsibility has B = 0 from then on."""
    mass = responsible.sum(axis=0)
    return mass / mass.sum(), np.divide(responsible, mass, out=np.zeros_like(responsible), where=mass > 0)


def ownership(aspects: Aspects) -> np.ndarray:
    """V: the probability of each aspect for each object, eq. (25); uniform for objects in no pair."""
    joint = aspects.p * aspects.B
    total = joint.sum(axis=1, keepdims=True)
    return np.divide(joint, total, out=np.full_like(joint, 1 / joint.shape[1]), where=total > 0)


def elbow(log_likelihoods: np.ndarray) -> int:
    """The k whose gain over k - 1 is largest relative to the gain of k + 1, both damped."""
    tried = np.flatnonzero(~np.isnan(log_likelihoods))
    gain = np.diff(log_likelihoods[tried])
    if len(gain) < 2:
        return int(tried[-1])
    if gain.max() <= 0:
        return int(tried[0])
    ratio = gain[:-1] / (np.maximum(gain[1:], 0) + _DAMPING * gain.max())
    return int(tried[1:-1][ratio.argmax()])


def aspects_of_labels(pairs: PairCounts, labels: np.ndarray, k: int) -> np.ndarray:
    """Aspects with most probability on one cluster, and some on every object, because zeros stay 0."""
    B = pairs.sizes[:, None] * ((labels[:, None] == np.arange(k)) + _SOFT)
    return B / B.sum(axis=0)


def random_aspects(pairs: PairCounts, k: int, seed: int) -> np.ndarray:
    """Half drawn at random, half uniform over the objects."""
    drawn = np.random.default_rng([seed, k]).dirichlet(pairs.sizes, k).T
    return (drawn + (pairs.sizes / pairs.sizes.sum())[:, None]) / 2


def extend(pairs: PairCounts, index: np.ndarray, membership: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """p and B for all objects, from the memberships of some: the others take the mean of those they are with."""
    extended = normalize_rows(pairs.pull(index, membership))
    extended[index] = membership
    k = membership.shape[1]
    return maximize(pairs.of_objects[:, None] * ((1 - _SOFT) * extended + _SOFT / k))
