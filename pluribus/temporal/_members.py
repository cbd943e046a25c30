"""The members of a temporal ensemble, made again for each part of the rows."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pluribus._kernels.points.small_kmeans import random_starts, small_kmeans
from pluribus.generate._internal import grid_partitions, squared_distances
from pluribus.temporal._rows import OrderedRows

_STEPS = 100  # iterations of k-means

# Makes the labels (rows, members) of some of the sorted rows.
MakeMembers = Callable[[np.ndarray], np.ndarray]


class GridMembers:
    """Spectral members at a grid of widths, k-means members, or both.

    The distances are computed once, for all rows. Each part of the rows is clustered from the same seed, so that the
    same part always gets the same members, and two parts differ by their rows and not by chance.
    """

    def __init__(
        self,
        rows: OrderedRows,
        cuts: Sequence[str],
        widths: Sequence[float],
        numbers: Sequence[int],
        n_kmeans: int,
        seed: int,
    ) -> None:
        self.rows = np.ascontiguousarray(rows.rows)
        self.squared = squared_distances(self.rows) if cuts else None
        self.cuts, self.widths, self.numbers = tuple(cuts), tuple(widths), tuple(numbers)
        self.n_kmeans = n_kmeans
        self.seed = seed

    def __call__(self, index: np.ndarray) -> np.ndarray:
        """The labels of these rows."""
        numbers = [k for k in self.numbers if k <= len(index)]
        parts = []
        if self.squared is not None:
            squared = self.squared[np.ix_(index, index)]
            parts.append(grid_partitions(squared, self.widths, numbers, self.cuts, self.seed))
        if self.n_kmeans:
            points = self.rows[index]
            draws = np.random.default_rng([1, self.seed]).random((self.n_kmeans, max(self.numbers)))
            starts = [
                random_starts(len(points), numbers[member % len(numbers)], draws[member])
                for member in range(self.n_kmeans)
            ]
            labels = [small_kmeans(points, own, _STEPS) for own in starts]
            parts.append(np.column_stack(labels).astype(np.int32))
        return np.concatenate(parts, axis=1)


class GivenMembers:
    """Members by a function of the user, which gets the rows in the order of time."""

    def __init__(self, rows: OrderedRows, X: np.ndarray, function: Callable[..., Any], seed: int) -> None:
        self.order = rows.order
        self.X, self.function, self.seed = X, function, seed

    def __call__(self, index: np.ndarray) -> np.ndarray:
        """The labels of these rows."""
        in_time = np.sort(self.order[index])
        given = np.asarray(self.function(self.X[in_time], self.seed))
        if given.ndim != 2 or given.shape[1] != len(index) or len(given) == 0 or given.dtype.kind not in "iub":
            raise ValueError(
                f"ensemble gave an array of shape {given.shape} and type {given.dtype} for {len(index)} rows: it must "
                "return whole numbers, one row of labels for each partition."
            )
        places = np.searchsorted(in_time, self.order[index])
        return np.column_stack([np.unique(labels, return_inverse=True)[1].ravel()[places] for labels in given])


def co_association(labels: np.ndarray) -> np.ndarray:
    """The share of the members (columns) that put each two rows together."""
    n, n_members = labels.shape
    numbers = labels.max(axis=0) + 1
    together = np.zeros((n, int(numbers.sum())), dtype=np.float32)
    starts = np.concatenate([[0], np.cumsum(numbers)[:-1]])
    together[np.arange(n)[:, None], starts + labels] = 1
    return (together @ together.T).astype(np.float64) / n_members
