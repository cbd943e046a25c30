"""Rows grouped into micro-clusters, for speed: rows of a group that count alike cost the same everywhere."""

from typing import NamedTuple

import numpy as np
import sklearn

from pluribus._kernels._admissible_moves import means_of
from pluribus.partitions import assign_sizes

from ._count_classes import CountClass


class MicroClusters(NamedTuple):
    """Groups of near rows; in one group, all rows are in the same class, or in none."""

    group_of: np.ndarray  # (n,)
    means: np.ndarray  # (groups, d)
    spread: float  # squared distances of the rows to the means of their groups

    @classmethod
    def of(cls, X: np.ndarray, n_groups: int, classes: list[CountClass], seed: int) -> "MicroClusters":
        """Groups by k-means, then by class."""
        if n_groups >= len(X):
            near = np.arange(len(X))
        else:
            grouping = sklearn.cluster.MiniBatchKMeans(n_groups, n_init=1, random_state=seed, compute_labels=True)
            near = grouping.fit(X).labels_.astype(np.int64)
        kind = np.zeros(len(X), np.int64)
        for number, of in enumerate(classes, start=1):
            kind[of.rows] = number
        group_of = np.unique(near * (len(classes) + 1) + kind, return_inverse=True)[1].ravel()
        n_found = int(group_of.max()) + 1
        means: np.ndarray = np.empty((n_found, X.shape[1]))
        shift = X.mean(axis=0, dtype=np.float64)
        away = X - shift
        means_of(away, group_of, means, np.empty(n_found, np.int64))
        away -= means[group_of]
        return cls(group_of, (means + shift).astype(X.dtype), float(np.einsum("ij,ij->", away, away)))

    def identities(self, X: np.ndarray, labels: np.ndarray, centers: np.ndarray) -> np.ndarray:
        """Which rows of each group go where, at the least cost; the numbers are those of the labels."""
        found = labels.copy()
        order = np.argsort(self.group_of, kind="stable")
        stops = np.cumsum(np.bincount(self.group_of))
        lowest = np.minimum.reduceat(labels[order], np.r_[0, stops[:-1]])
        highest = np.maximum.reduceat(labels[order], np.r_[0, stops[:-1]])
        for group in np.flatnonzero(lowest < highest):  # those that clusters share
            rows = order[stops[group - 1] if group else 0 : stops[group]]
            clusters, quota = np.unique(labels[rows], return_counts=True)
            cost = sklearn.metrics.pairwise.euclidean_distances(
                X[rows].astype(np.float64), centers[clusters], squared=True
            )
            found[rows] = clusters[assign_sizes(cost, quota, quota).labels]
        return found
