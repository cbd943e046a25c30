"""The generator of two partitions in four counts, and the hand example."""

import numpy as np

CROSS = np.array([[0.0, 0], [0, 1], [10, 0], [10, 1]])
CROSS_KNOWN = [0, 0, 1, 1]


def two_partitions(k, draws, alpha, seed, n=800):
    """Counts by which two partitions p (known) and q (wanted) can be told; alpha = 1: independently."""
    rng = np.random.default_rng(seed)
    theta = np.arange(1, k + 1) / (k + 1)
    p, q = rng.integers(0, k, n), rng.integers(0, k, n)
    one = rng.binomial(draws, theta[p])
    other = rng.binomial(draws, alpha * theta[q] + (1 - alpha) * theta[p])
    return np.column_stack([one, draws - one, other, draws - other]).astype(float), p, q


def purity(labels, truth):
    """The share of objects in the most frequent class of their cluster."""
    table = np.zeros((labels.max() + 1, truth.max() + 1))
    np.add.at(table, (labels, truth), 1)
    return table.max(axis=1).sum() / len(truth)


def same_partition(a, b):
    pairs = set(zip(np.asarray(a).tolist(), np.asarray(b).tolist(), strict=True))
    return len(pairs) == len(set(a.tolist())) == len(set(b.tolist()))
