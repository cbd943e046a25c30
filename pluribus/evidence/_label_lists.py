"""The arrays of an ensemble for the kernels."""

from typing import NamedTuple

import numpy as np

from pluribus._kernels.labels.pair_counts import member_lists
from pluribus.partitions import Ensemble


class Lists(NamedTuple):
    """The labels, the objects of each cluster, and the terms of the denominators."""

    labels: np.ndarray
    offsets: np.ndarray
    weights: np.ndarray
    starts: np.ndarray
    members: np.ndarray
    everywhere: float
    covered: np.ndarray
    byte_weights: np.ndarray

    @property
    def is_count(self) -> bool:
        """Whether no label is missing and all weights are equal, so that evidence is a count."""
        return self.everywhere == len(self.weights) and self.weights.dtype == np.int32


def lists_of(ensemble: Ensemble) -> Lists:
    """Prepare an ensemble for the kernels, O(n r)."""
    weights = ensemble.weights
    if np.isin(weights, (0, weights.max())).all():
        weights = (weights > 0).astype(np.int32)  # with equal weights, integer counts are twice as fast
    labels, offsets = ensemble.labels, ensemble.offsets
    # Summed in the order of the kernels, so that c is exactly 1 for objects that are always together.
    everywhere = 0.0 if ensemble.has_missing else float(np.cumsum(weights)[-1])
    starts, members = member_lists(labels, offsets)
    covered, byte_weights = np.empty((0, 0), np.uint8), np.empty((0, 256))
    if ensemble.has_missing:
        covered = np.packbits(labels >= 0, axis=1)
        bits = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1)
        byte_weights = np.append(weights, np.zeros(-len(weights) % 8)).reshape(-1, 8) @ bits.T.astype(float)
    return Lists(labels, offsets, weights, starts, members, everywhere, covered, byte_weights)


def rows_per_block(n: int) -> int:
    """The rows of a block: each block needs O(n) scratch memory, so there should not be many."""
    return min(max(n // 64, 256), 16_384)
