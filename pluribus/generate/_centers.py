"""k-means for large tables: centers are learned from a sample, then rows are assigned block by block.

The result does not depend on where a sample is drawn or a block is assigned: `learn_centers` is a function of the
sample, `Assignment.labels` of the block. Blocks start at multiples of `BLOCK`, so that the few operations whose
rounding depends on neighboring rows (products of wide rows) give the same labels everywhere.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import sklearn

from pluribus._kernels.points.nearest_center import nearest_in_boxes
from pluribus.generate._base_clusterers import startable
from pluribus.generate._perturbation import Features
from pluribus.partitions._internal import smallest_int

# With this number of rows, 100 members by Lloyd's iterations take six seconds on one core, and twice the rows take four
# times as long. Learning from a sample takes a half to a tenth of the time. The inertia is 2 to 3 % higher, which does
# not change the consensus.
SAMPLED_ABOVE = 10_000
# Rows per cluster from which the centers are learned. Learning from all takes ten times as long with a million rows,
# and lowers the inertia by only 1.5 %.
ROWS_PER_CENTER = 100

# Centers are compared one by one up to this number of features; with more, a matrix product is faster.
MOST_COMPARED = 24
BOX = 128  # centers in a box; fewer would not fill the vector units of the processor
PRODUCTS = 2**19  # entries of a product at a time, so that they stay in the cache of the processor


def learn_centers(sample: Any, k: int, seed: int, weights: np.ndarray | None = None) -> np.ndarray:
    """Return k centers, or one for each row with a weight, by mini-batches from a random start."""
    k, weights = startable(k, weights)
    learner = sklearn.cluster.MiniBatchKMeans(
        k,
        init="random",
        n_init=1,
        max_iter=100,
        batch_size=max(1024, 2 * k),
        init_size=sample.shape[0],
        compute_labels=False,
        random_state=seed,
    )
    return learner.fit(sample, sample_weight=weights).cluster_centers_


@dataclass(frozen=True)
class Assignment:
    """The assignment of blocks of rows to the learned centers of a member."""

    features: Features
    centers: np.ndarray
    rows: np.ndarray | None  # a bit for each row of the member, packed into bytes; None for all rows

    def labels(self, block: Any, start: int) -> np.ndarray:
        """Return the nearest center of each row of a block that begins at `start`; -1 for rows not in the member."""
        if self.rows is None:
            return self._nearest(block)
        bits = self.rows[start // 8 : -(-(start + block.shape[0]) // 8)]
        seen = np.flatnonzero(np.unpackbits(bits, count=block.shape[0]))
        labels = np.full(block.shape[0], -1, dtype=smallest_int(len(self.centers) - 1))
        labels[seen] = self._nearest(block[seen])
        return labels

    def _nearest(self, block: Any) -> np.ndarray:
        seen = self.features.of(block)
        if isinstance(seen, np.ndarray) and seen.shape[1] <= MOST_COMPARED:
            labels = np.empty(seen.shape[0], dtype=smallest_int(len(self.centers) - 1))
            nearest_in_boxes(np.ascontiguousarray(seen), *self._boxes, labels)
            return labels
        return self._by_products(seen)

    @cached_property
    def _boxes(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        groups = _boxed(self.centers, np.arange(len(self.centers)))
        d = self.centers.shape[1]
        centers = np.full((len(groups), d, BOX), np.inf, dtype=self.centers.dtype)
        numbers = np.zeros((len(groups), BOX), dtype=np.int64)
        low, high = (np.empty((d, len(groups)), dtype=self.centers.dtype) for _ in range(2))
        for b, group in enumerate(groups):
            own = self.centers[group]
            centers[b, :, : len(group)] = own.T
            numbers[b, : len(group)] = group
            low[:, b], high[:, b] = own.min(axis=0), own.max(axis=0)
        return centers, low, high, numbers, np.empty(0, dtype=f"i{centers.itemsize}")

    def _by_products(self, seen: Any) -> np.ndarray:
        """The minimum of |center|² / 2 - row · center, relative to the mean of the centers to reduce rounding."""
        dense = isinstance(seen, np.ndarray)
        middle = self.centers.mean(axis=0) if dense else np.zeros(1, dtype=self.centers.dtype)
        centers = self.centers - middle
        offsets = (centers * centers).sum(axis=1) / 2
        labels = np.empty(seen.shape[0], dtype=smallest_int(len(centers) - 1))
        step = max(64, PRODUCTS // len(centers))
        for start in range(0, seen.shape[0], step):
            part = seen[start : start + step]
            distances = (part - middle if dense else part) @ centers.T
            np.subtract(offsets, distances, out=distances)
            labels[start : start + step] = np.argmin(distances, axis=1)
        return labels


def _boxed(centers: np.ndarray, numbers: np.ndarray) -> list[np.ndarray]:
    """Halve the centers along their widest feature until they fit into boxes, most of which are full."""
    if len(numbers) <= BOX:
        return [numbers]
    own = centers[numbers]
    order = np.argsort(own[:, np.argmax(np.ptp(own, axis=0))], kind="stable")
    n_boxes = -(-len(numbers) // BOX)
    half = n_boxes // 2 * BOX
    return _boxed(centers, np.sort(numbers[order[:half]])) + _boxed(centers, np.sort(numbers[order[half:]]))
