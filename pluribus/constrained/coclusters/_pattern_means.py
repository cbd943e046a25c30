"""CDK-means: k-means over patterns, with centroids that weigh rows and columns."""

from typing import NamedTuple

import numpy as np
from scipy import sparse

from pluribus._kernels.patterns.apart_assignment import apart_assignment
from pluribus.constrained.coclusters._bi_sets import BiSets


class PatternClusters(NamedTuple):
    """The result of one start."""

    labels: np.ndarray  # (N,), -1: left out
    kinds: np.ndarray  # (k, kinds of rows): the weight of each in each cluster
    columns: np.ndarray  # (k, n)
    objective: list[float]  # in each iteration


class PatternMeans:
    """Patterns to cluster: their distances to centroids, their assignment under cannot-links, and their means.

    ``held`` has the members of each pattern that must be apart from something, and ``apart`` from what.
    """

    def __init__(
        self, patterns: BiSets, weights: np.ndarray, held: sparse.csr_array | None, apart: sparse.csr_array | None
    ) -> None:
        self.sides = (
            (patterns.kinds, patterns.kind_sizes.astype(np.float64)),
            (
                patterns.columns,
                np.ones(patterns.columns.shape[1]),
            ),
        )
        self.weights, self.held, self.apart = weights, held, apart

    def run(self, first: np.ndarray, max_iter: int, *, leave_out: bool) -> PatternClusters | None:
        """k-means from the given patterns; None if a pattern fits into no cluster and may not be left out."""
        centroids = tuple(side[first].toarray() for side, _ in self.sides)
        before, objective = centroids, []
        for _ in range(max_iter):
            distance = self.distances(*centroids)
            labels = self.assign(distance)
            kept = np.flatnonzero(labels >= 0)
            if len(kept) < len(labels) and not leave_out:
                return None
            objective.append(float(self.weights[kept] @ distance[kept, labels[kept]]))
            previous, before, centroids = before, centroids, self.means(labels, centroids)
            if _same(centroids, before) or _same(centroids, previous):  # done, or two partitions in turn
                break
        return PatternClusters(labels, centroids[0], centroids[1], objective)

    def distances(self, kinds: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """The distance of each pattern to each centroid: half that of its rows plus half that of its columns."""
        rows, others = self.sides
        return (_side_distance(*rows, kinds) + _side_distance(*others, columns)) / 2

    def assign(self, distance: np.ndarray) -> np.ndarray:
        """The nearest centroid of each pattern; under cannot-links one after another, and the nearest that is free."""
        if self.held is None or self.apart is None:
            return distance.argmin(axis=1).astype(np.int32)
        held, apart = self.held, self.apart
        return apart_assignment(distance, held.indptr, held.indices, apart.indptr, apart.indices)

    def means(self, labels: np.ndarray, before: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
        """The share of the patterns of each cluster that have each member; an empty cluster stays where it was."""
        k, kept = len(before[0]), np.flatnonzero(labels >= 0)
        shape = k, len(labels)
        joined = sparse.csr_array((self.weights[kept], (labels[kept], kept)), shape=shape)
        total = joined.sum(axis=1)[:, None]
        return tuple(
            np.divide((joined @ members).toarray(), total, out=old.copy(), where=total > 0)
            for (members, _), old in zip(self.sides, before, strict=True)
        )


def _side_distance(members: sparse.csr_array, times: np.ndarray, centroid: np.ndarray) -> np.ndarray:
    """One minus |t ∩ τ| / |t ∪ τ|, where a shared member counts (1 + τ_i) / 2, and each member its times."""
    shared = members @ ((centroid + (centroid > 0)) * times).T
    return 1 - shared / ((members @ times)[:, None] + centroid @ times)


def _same(one: tuple[np.ndarray, ...], other: tuple[np.ndarray, ...]) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))
