"""Rows grouped into micro-clusters, for speed: the rows of a group have the same costs and the same class."""

from typing import NamedTuple

import numpy as np
import sklearn

from pluribus._kernels.assignment.admissible_moves import means_of
from pluribus.constrained.conditions._count_classes import CountClass
from pluribus.partitions import assign_sizes

_MOST_AT_ONCE = 64  # groups; more are made in two steps
_SAMPLED = 50  # rows for each group, from which its place is learned
_PASSES = 10


class MicroClusters(NamedTuple):
    """Groups of similar rows; all rows of a group are in the same class, or in none."""

    group_of: np.ndarray  # (n,)
    kind: np.ndarray  # (groups,) the class of the rows, from 1, or 0
    sizes: np.ndarray  # (groups,)
    means: np.ndarray  # (groups, d)
    spread: float  # squared distances of the rows to the means of their groups

    @classmethod
    def of(cls, X: np.ndarray, n_groups: int, classes: list[CountClass], seed: int) -> "MicroClusters":
        """Groups by k-means, then by class."""
        kind = np.zeros(len(X), np.int64)
        for number, counted in enumerate(classes, start=1):
            kind[counted.rows] = number
        n_kinds = len(classes) + 1
        codes, group_of = np.unique(_near(X, n_groups, seed) * n_kinds + kind, return_inverse=True)
        means: np.ndarray = np.empty((len(codes), X.shape[1]))
        sizes = np.empty(len(codes), np.int64)
        means_of(X, group_of, means, sizes)
        away = X - means[group_of]
        return cls(group_of, codes % n_kinds, sizes, means.astype(X.dtype), float(np.einsum("ij,ij->", away, away)))

    def numbers(self, labels: np.ndarray, n_clusters: int) -> np.ndarray:
        """How many rows of each group are in each cluster."""
        cells = np.bincount(self.group_of * n_clusters + labels, minlength=len(self.sizes) * n_clusters)
        return cells.reshape(-1, n_clusters)

    def labels(self, numbers: np.ndarray) -> np.ndarray:
        """Some labels with these numbers."""
        labels = np.empty(len(self.group_of), np.int64)
        clusters = np.tile(np.arange(numbers.shape[1]), len(numbers))
        labels[np.argsort(self.group_of, kind="stable")] = np.repeat(clusters, numbers.ravel())
        return labels

    def identities(self, X: np.ndarray, numbers: np.ndarray, centers: np.ndarray) -> np.ndarray:
        """The labels with these numbers that have the least cost."""
        labels = self.labels(numbers)
        order = np.argsort(self.group_of, kind="stable")
        stops = np.cumsum(self.sizes)
        for group in np.flatnonzero((numbers > 0).sum(axis=1) > 1):  # those that clusters share
            rows = order[stops[group] - self.sizes[group] : stops[group]]
            clusters = np.flatnonzero(numbers[group])
            quota = numbers[group, clusters]
            cost = sklearn.metrics.pairwise.euclidean_distances(
                X[rows].astype(np.float64), centers[clusters], squared=True
            )
            labels[rows] = clusters[assign_sizes(cost, quota, quota).labels]
        return labels


def _near(X: np.ndarray, n_groups: int, seed: int) -> np.ndarray:
    """About this number of groups of rows, by k-means of a sample; many groups are made within larger groups."""
    if n_groups >= len(X):
        return np.arange(len(X))
    if n_groups <= _MOST_AT_ONCE:
        return _nearest_of(X, n_groups, seed)
    coarse = _nearest_of(X, int(np.sqrt(n_groups)), seed)
    order, stops = np.argsort(coarse, kind="stable"), np.cumsum(np.bincount(coarse))
    group_of = np.empty(len(X), np.int64)
    first = 0
    for start, stop in zip(np.r_[0, stops[:-1]], stops, strict=True):
        rows = order[start:stop]
        if len(rows):
            n_inside = max(1, round(n_groups * len(rows) / len(X)))
            group_of[rows] = first + _nearest_of(X[rows], n_inside, seed)
            first += n_inside
    return group_of


def _nearest_of(X: np.ndarray, n_groups: int, seed: int) -> np.ndarray:
    if n_groups == 1:
        return np.zeros(len(X), np.int64)
    random = np.random.RandomState(seed)
    sample = X if len(X) <= _SAMPLED * n_groups else X[np.sort(random.choice(len(X), _SAMPLED * n_groups, False))]
    places, _ = sklearn.cluster.kmeans_plusplus(sample, n_groups, random_state=random)
    for _ in range(_PASSES):
        labels = sklearn.metrics.pairwise_distances_argmin(sample, places)
        means, sizes = np.empty((n_groups, X.shape[1])), np.empty(n_groups, np.int64)
        means_of(sample, labels, means, sizes)
        places = np.where(sizes[:, None] > 0, means, places).astype(X.dtype)
    return sklearn.metrics.pairwise_distances_argmin(X, places)
