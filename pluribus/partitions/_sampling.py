"""Samples of objects in which every cluster shows."""

from typing import Any

import numpy as np


def stratified_sample(labels: np.ndarray, size: int, *, floor: int = 8, random_state: Any = 0) -> np.ndarray:
    """Positions of at most ``size`` objects, sorted: proportional to the clusters, but none left out.

    A cluster is drawn with at least ``floor`` objects, if it has them and the sample has room; if not even one of each
    cluster has room, the sample is a simple random one.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus.partitions._internal import stratified_sample
    >>> labels = np.repeat([0, 1], [1000, 3])
    >>> np.bincount(labels[stratified_sample(labels, 100)])
    array([97,  3])
    """
    n = len(labels)
    if n <= size:
        return np.arange(n)
    shuffled = np.random.default_rng(random_state).permutation(n)
    _, group, counts = np.unique(labels[shuffled], return_inverse=True, return_counts=True)
    if len(counts) > size:
        return np.sort(shuffled[:size])
    least = np.minimum(counts, min(floor, size // len(counts)))
    beyond = counts - least
    quota = least + (size - least.sum()) * beyond // beyond.sum()
    by_group = np.argsort(group, kind="stable")
    rank = np.arange(n) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.sort(shuffled[by_group[rank < np.repeat(quota, counts)]])
