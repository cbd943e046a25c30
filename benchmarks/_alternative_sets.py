"""Data with two partitions: drawn as in Gondek's experiments, and digits in two brightnesses."""

from typing import NamedTuple

import numpy as np


class TwoPartitions(NamedTuple):
    """Rows, the partition that is known, and the one to be found."""

    X: np.ndarray
    known: np.ndarray
    wanted: np.ndarray


# Draws m, mixing α and clusters k of each row of the table, and the better mean precision of the two references there:
# annealing with λ = 0.3, and conditional ensembles of mixtures.
REFERENCE = {
    (20, 1.0, 2): 0.935,
    (20, 1.0, 3): 0.833,
    (20, 1.0, 4): 0.699,
    (100, 0.5, 2): 0.750,
    (100, 0.25, 2): 0.610,
    (100, 0.25, 3): 0.444,
}


def two_partitions(n_draws: int, mixing: float, k: int, seed: int, n: int = 800) -> TwoPartitions:
    """Two binomial features: the first follows the known partition, the second a mix of both (α = ``mixing``).

    With α = 1 the second follows the wanted partition alone; the smaller α, the more the known one dominates.
    """
    rng = np.random.default_rng(seed)
    rates = np.arange(1, k + 1) / (k + 1)
    known, wanted = rng.integers(0, k, n), rng.integers(0, k, n)
    first = rng.binomial(n_draws, rates[known])
    second = rng.binomial(n_draws, mixing * rates[wanted] + (1 - mixing) * rates[known])
    return TwoPartitions(np.column_stack([first, n_draws - first, second, n_draws - second]), known, wanted)


def three_partitions(seed: int, n: int = 200, k: int = 3) -> TwoPartitions:
    """Answers of which 8 follow the first partition, 8 the second (both known) and 4 the third (wanted)."""
    rng = np.random.default_rng(seed)
    labels = [rng.integers(0, k, n) for _ in range(3)]
    chances = [np.where(j % k == own, 0.9, 0.1) for own, d in zip(labels, (8, 8, 4), strict=True) for j in range(d)]
    X = (rng.random((n, 20)) < np.column_stack(chances)).astype(float)
    return TwoPartitions(X, np.column_stack(labels[:2]), labels[2])


def bright_digits(one: int, other: int) -> TwoPartitions:
    """Two kinds of digits, half of them brighter by 8: the brightness is known."""
    from sklearn.datasets import load_digits

    digits = load_digits()
    inside = np.isin(digits.target, (one, other))
    bright = np.random.default_rng(0).integers(0, 2, inside.sum())
    return TwoPartitions(digits.data[inside] + 8.0 * bright[:, None], bright, digits.target[inside])


def precision(labels: np.ndarray, classes: np.ndarray) -> float:
    """The share of rows in the most frequent class of their cluster."""
    counts = np.zeros((labels.max() + 1, classes.max() + 1))
    np.add.at(counts, (labels, classes), 1)
    return float(counts.max(axis=1).sum() / len(labels))
