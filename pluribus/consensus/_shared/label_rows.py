"""The distinct label rows of an ensemble, and products with its one-hot matrix without building it."""

import warnings
from collections.abc import Callable

import numpy as np
from scipy import sparse

from pluribus._engine import over_blocks
from pluribus._kernels.labels.co_association import sum_of_clusters
from pluribus._kernels.labels.label_tables import sum_nonzero_by_cluster
from pluribus.partitions import Ensemble


class LabelRows:
    """Distinct label rows with their counts. Soft partitions are not collapsed.

    H is the one-hot matrix of the rows, with a column for each of the q clusters of the ensemble, or the memberships of
    soft partitions. The product of H with a table of q rows costs r additions for each row and column.

    Attributes
    ----------
    n : int
        Number of rows.
    counts : ndarray of shape (n,)
        The number of objects of each row.
    inverse : ndarray
        The row of each object.
    weights : ndarray of shape (q,)
        The weight of each cluster's partition.
    """

    def __init__(self, ensemble: Ensemble, n_jobs: int | None = None) -> None:
        _check_weighted_coverage(ensemble)
        if ensemble.memberships is None:
            rows = ensemble.unique_rows()
            self.counts, self.inverse = rows.counts.astype(float), rows.inverse
            self._labels: np.ndarray = rows.ensemble.labels
            self._soft: sparse.csr_array | None = None
        else:
            self.counts, self.inverse = np.ones(ensemble.n_objects), np.arange(ensemble.n_objects)
            self._labels = ensemble.labels
            self._soft = ensemble.soft_one_hot()
        self.n = len(self.counts)
        self.n_clusters = ensemble.n_clusters
        self.offsets = ensemble.offsets
        self.partition_weights = ensemble.weights
        self.weights = self.spread(ensemble.weights)
        self.n_jobs = n_jobs

    def partition(self, p: int) -> "LabelRows":
        """The same rows with one partition only."""
        part = object.__new__(LabelRows)
        part.__dict__.update(self.__dict__)
        first, last = self.offsets[p], self.offsets[p + 1]
        part._labels = np.ascontiguousarray(self._labels[:, p : p + 1])
        part._soft = None if self._soft is None else self._soft[:, first:last]
        part.n_clusters = self.n_clusters[p : p + 1]
        part.offsets = np.array([0, last - first])
        part.partition_weights = self.partition_weights[p : p + 1]
        part.weights = self.weights[first:last]
        return part

    # -- tables of q rows ------------------------------------------------------------------------------------------

    def by_partition(self, table: np.ndarray) -> np.ndarray:
        """Sums over the clusters of each partition: q rows -> r rows."""
        return np.add.reduceat(table, self.offsets[:-1], axis=0)

    def spread(self, table: np.ndarray) -> np.ndarray:
        """Each partition's row repeated for each of its clusters: r rows -> q rows."""
        return np.repeat(table, self.n_clusters, axis=0)

    # -- products with H -------------------------------------------------------------------------------------------

    def look_up(self, table: np.ndarray, start: int = 0, stop: int | None = None) -> np.ndarray:
        """H T for the rows start … stop: the sum of the table's rows for the clusters of each."""
        stop = self.n if stop is None else stop
        if self._soft is not None:
            return self._soft[start:stop] @ table
        out = np.empty((stop - start, table.shape[1]))
        sum_of_clusters(self._labels[start:stop], self.offsets, table, 0, stop - start, out)
        return out

    def sum_by(self, values: np.ndarray, start: int = 0, stop: int | None = None) -> np.ndarray:
        """Hᵀ V over the rows start … stop: the sum of ``values`` over the members of each cluster."""
        stop = self.n if stop is None else stop
        if self._soft is not None:
            return self._soft[start:stop].T @ values
        return sum_nonzero_by_cluster(self._labels[start:stop], self.offsets, values)

    def squared_norms(self) -> np.ndarray:
        """Weighted squared length of each row of H; for hard partitions the weight of the partitions that cover it."""
        if self._soft is not None:
            return self._soft.power(2) @ self.weights
        return self.look_up(self.weights[:, None])[:, 0]

    def over_blocks(self, function: Callable[[int, int], tuple], n_columns: int) -> tuple:
        """The sums of the results of ``function(start, stop)`` over blocks of rows, computed on threads."""
        # The labels of a block are larger than its q × n_columns table, so all tables together are smaller than the
        # labels.
        block = max(16_384, 4 * len(self.weights) * n_columns // len(self.n_clusters))
        parts = over_blocks(function, self.n, n_jobs=self.n_jobs, block=block)
        return tuple(sum(terms[1:], start=terms[0]) for terms in zip(*parts, strict=True))


def reachable(n_clusters: int, rows: LabelRows) -> int:
    """The number of clusters, at most the number of distinct rows."""
    if n_clusters > rows.n:
        warnings.warn(
            f"The ensemble separates only {rows.n} groups of objects, so there are fewer than n_clusters={n_clusters}.",
            UserWarning,
            stacklevel=3,
        )
    return min(n_clusters, rows.n)


def nonempty_clusters(labels: np.ndarray, n_clusters: int) -> np.ndarray:
    """The clusters that are not empty; warns if some are."""
    nonempty = np.flatnonzero(np.bincount(labels, minlength=n_clusters))
    if len(nonempty) < n_clusters:
        warnings.warn(
            f"{n_clusters - len(nonempty)} of {n_clusters} clusters are empty and left out.",
            UserWarning,
            stacklevel=3,
        )
    return nonempty


def _check_weighted_coverage(ensemble: Ensemble) -> None:
    counted = ensemble.weights > 0
    if counted.all():
        return
    uncovered = np.flatnonzero((ensemble.labels[:, counted] < 0).all(axis=1))
    if uncovered.size:
        raise ValueError(
            f"Only partitions of weight 0 cover {uncovered.size} objects (the first are rows "
            f"{uncovered[:5].tolist()}), so they cannot be clustered. Raise a weight, or drop these rows."
        )
