"""The generator of two partitions in four counts, and the hand example."""

import numpy as np

from benchmarks._alternative_sets import precision as purity
from benchmarks._alternative_sets import two_partitions

__all__ = ["CROSS", "CROSS_KNOWN", "purity", "same_partition", "two_partitions"]

CROSS = np.array([[0.0, 0], [0, 1], [10, 0], [10, 1]])
CROSS_KNOWN = [0, 0, 1, 1]


def same_partition(a, b):
    pairs = set(zip(np.asarray(a).tolist(), np.asarray(b).tolist(), strict=True))
    return len(pairs) == len(set(a.tolist())) == len(set(b.tolist()))
