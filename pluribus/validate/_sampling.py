"""Samples of objects in which every cluster shows, and indices that are estimated from them."""

from collections.abc import Callable
from numbers import Integral
from typing import Any

import numpy as np
from scipy.stats import t as student

from pluribus._engine import seeds
from pluribus.partitions._internal import stratified_sample
from pluribus.validate._pairs import Pairs, SimilarityPairs
from pluribus.validate.estimate import Estimate

SAMPLE = 5000  # objects: up to so many, all are used
GROUPS = 10
_MOST_SUMS = 3 * 10**7  # of objects with clusters, all at once
_FLOOR = 20  # a cluster is drawn with at least this many objects, if it has them and there is room

Statistic = Callable[[Pairs, np.ndarray, np.ndarray], float]  # of pairs, codes 0 … k - 1, and the weight of each object


class SmallSampleError(ValueError):
    """A sample is too small for all clusters to show in it."""


def check_sample_size(sample_size: Any) -> None:
    """Refuse what is no size of a sample, before any work."""
    whole = isinstance(sample_size, Integral) and not isinstance(sample_size, bool) and int(sample_size) >= 20
    if not (sample_size is None or (isinstance(sample_size, str) and sample_size == "auto") or whole):
        raise ValueError(
            f"sample_size must be 'auto', a whole number of at least 20, or None for all; got {sample_size!r}."
        )


def limit_of(sample_size: int | str | None) -> int | None:
    """How many objects to use at most; None for all."""
    return SAMPLE if sample_size == "auto" else sample_size  # type: ignore[return-value]


def sums_limit(pairs: Pairs, codes: np.ndarray, sample_size: int | str | None) -> int | None:
    """The limit for what needs sums over clusters only: none for evidence that gives them in linear time."""
    linear = isinstance(pairs, SimilarityPairs) and pairs.linear and pairs.n * (int(codes.max()) + 1) <= _MOST_SUMS
    return None if sample_size == "auto" and linear else limit_of(sample_size)


def estimate(
    statistic: Statistic,
    pairs: Pairs,
    codes: np.ndarray,
    limit: int | None,
    random_state: Any,
    *,
    interval: bool = True,
) -> Estimate:
    """The statistic of all objects, or of at most ``limit`` of them, with a 95 % interval.

    The interval is that of random groups: the sample is dealt into 10 groups, and the spread of the statistic among
    them, divided by √10, is how much that of the whole sample would vary.
    """
    n = pairs.n
    if limit is None or n <= limit:
        return Estimate(statistic(pairs, codes, np.ones(n)))
    rng = np.random.default_rng(seeds(random_state, 1)[0])
    sizes = np.bincount(codes)
    if 2 * len(sizes) > limit:
        enough = f"{4 * len(sizes)} or more" if 4 * len(sizes) < n else "None to use all objects"
        raise SmallSampleError(
            f"{len(sizes):,} clusters cannot all show in a sample of {limit:,} objects. Give sample_size={enough}."
        )
    drawn = stratified_sample(codes, limit, floor=_FLOOR, random_state=rng)
    value = statistic(pairs.take(drawn), codes[drawn], _weights(codes[drawn], sizes))
    half = _half_width(statistic, pairs, codes, drawn, sizes, rng) if interval else np.inf
    return Estimate(value, low=value - half, high=value + half, n_sampled=len(drawn))


def _half_width(
    statistic: Statistic,
    pairs: Pairs,
    codes: np.ndarray,
    drawn: np.ndarray,
    sizes: np.ndarray,
    rng: np.random.Generator,
) -> float:
    values = []
    for group in _dealt(codes[drawn], rng):
        index = drawn[group]
        own = np.unique(codes[index], return_inverse=True)[1]
        if own.max() > 0:
            values.append(statistic(pairs.take(index), own, _weights(codes[index], sizes)))
    values = [value for value in values if np.isfinite(value)]
    if len(values) < 2:
        return np.inf
    error = np.std(values, ddof=1) / np.sqrt(len(values)) * np.sqrt(1 - len(drawn) / len(codes))
    return float(student.ppf(0.975, len(values) - 1) * error)


def _weights(codes: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """How many objects each drawn one stands for."""
    return (sizes / np.maximum(np.bincount(codes, minlength=len(sizes)), 1))[codes]


def _dealt(codes: np.ndarray, rng: np.random.Generator) -> list[np.ndarray]:
    """Ten groups, each with its share of each cluster."""
    shuffled = rng.permutation(len(codes))
    by_cluster = shuffled[np.argsort(codes[shuffled], kind="stable")]
    return [by_cluster[start::GROUPS] for start in range(GROUPS)]
