"""How clean the states are that a removed block leaves: agreement of the linkages, and purity of the segments."""

from collections import Counter
from typing import NamedTuple

import numpy as np

from pluribus._kernels.labels.first_occurrence import number_by_first_occurrence


class Fitness(NamedTuple):
    """The fitness of a solution.

    Attributes
    ----------
    total : float
        F = alpha * agreement + (1 - alpha) * purity.
    agreement : float
        F1: the share of pairs of linkages that give the same partition.
    purity : float
        F2: the share of the kept rows with the most frequent label of their segment, mean over the linkages. A linkage
        counts 0 if neighboring segments have the same label.
    """

    total: float
    agreement: float
    purity: float


def fitness_of(partitions: np.ndarray, segment: np.ndarray, alpha: float) -> Fitness:
    """The fitness of H partitions (H, n) of rows in numbered segments (n,)."""
    agreement = _agreement(partitions)
    purity = float(np.mean([_purity(labels, segment) for labels in partitions]))
    return Fitness(alpha * agreement + (1 - alpha) * purity, agreement, purity)


def renumbered(labels: np.ndarray) -> np.ndarray:
    """Labels 0 … k - 1 numbered by first occurrence: equal for equal partitions."""
    return number_by_first_occurrence(labels, int(labels.max()) + 1)


def _agreement(partitions: np.ndarray) -> float:
    h = len(partitions)
    if h < 2:
        return 1.0
    counts = Counter(renumbered(labels).tobytes() for labels in partitions).values()
    return sum(count * (count - 1) for count in counts) / (h * (h - 1))


def _purity(labels: np.ndarray, segment: np.ndarray) -> float:
    k, n_segments = int(labels.max()) + 1, int(segment.max()) + 1
    counts = np.bincount(segment * k + labels, minlength=n_segments * k).reshape(n_segments, k)
    most = counts.max(axis=1)
    return float(most.sum() / len(labels)) if _neighbors_differ(counts == most[:, None]) else 0.0


def _neighbors_differ(dominant: np.ndarray) -> bool:
    """Whether each segment can have a dominant label other than its neighbors'; rows are segments, columns labels."""
    possible = dominant[0]
    for own in dominant[1:]:
        if possible.sum() == 1:
            own = own & ~possible
        possible = own
        if not possible.any():
            return False
    return True


def best_boundary(partitions: np.ndarray, alpha: float, least: int) -> tuple[int, Fitness]:
    """Where to cut the rows in two without removing any: the first row of the second segment, and the fitness.

    Both segments have at least `least` rows. Of equal cuts the middle one is taken.
    """
    n = partitions.shape[1]
    total = np.zeros(n + 1)
    for labels in partitions:
        before = np.zeros((n + 1, int(labels.max()) + 1), dtype=np.int64)
        before[np.arange(1, n + 1), labels] = 1
        np.cumsum(before, axis=0, out=before)
        after = before[-1] - before
        most = before.max(axis=1), after.max(axis=1)
        single = [(counts == top[:, None]).sum(axis=1) == 1 for counts, top in zip((before, after), most, strict=True)]
        same = single[0] & single[1] & (before.argmax(axis=1) == after.argmax(axis=1))
        total += np.where(same, 0, most[0] + most[1]) / n
    inside = np.arange(least, n - least + 1)
    purity = total[inside] / len(partitions)
    best = inside[purity >= purity.max() - 1e-12]
    boundary = int(best[np.argmin(np.abs(2 * best - n))])
    agreement = _agreement(partitions)
    top = float(purity.max())
    return boundary, Fitness(alpha * agreement + (1 - alpha) * top, agreement, top)
