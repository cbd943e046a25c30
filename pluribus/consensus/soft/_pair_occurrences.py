"""Counts of the pairs that are together, and the E step over them: the data of the dyadic aspect model."""

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np
from scipy import sparse

from pluribus._engine import over_blocks
from pluribus._kernels.labels.aspects import explain_stored, explain_streamed
from pluribus.consensus._shared import evidence_linkages
from pluribus.consensus._shared.canonical_order import canonical_order
from pluribus.evidence import CoAssociation
from pluribus.partitions import Ensemble

_STORED_UP_TO = 5_000  # distinct objects; with more, pairs are computed in each step and not stored
_BLOCKS = 16  # blocks of rows, each with its own sums


class PairCounts(ABC):
    """Counts of the ordered pairs of objects that are together, with the E step over these pairs.

    Rows are groups of equal objects. The pairs of a group are summed: C_gh m_g m_h with another group, and
    C_gg m_g (m_g - 1) within, or C_gg m_g² if the pairs (i, i) count too.

    Attributes
    ----------
    n : int
        Number of groups.
    sizes : ndarray of shape (n,)
        The number of objects of each group.
    of_objects : ndarray of shape (n,)
        Occurrences of each group with all others and itself.
    total : float
        Occurrences of all ordered pairs.
    """

    def __init__(self, sizes: np.ndarray, of_objects: np.ndarray) -> None:
        self.sizes, self.of_objects = sizes, of_objects
        self.n, self.total = len(sizes), float(of_objects.sum())
        # The objects of a group share its probability: B_g / m_g for each of them.
        self._shared = 2 * float(of_objects @ np.log(sizes))

    def explain(self, p: np.ndarray, B: np.ndarray, n_jobs: int | None = None) -> tuple[np.ndarray, float]:
        """The occurrences for which each aspect is responsible, (n, k), and the log-likelihood."""
        block = max(_STORED_UP_TO, -(-self.n // _BLOCKS))
        parts = over_blocks(
            lambda start, stop: self._explain_rows(p, B, start, stop), self.n, n_jobs=n_jobs, block=block
        )
        pulled = sum((part[0] for part in parts[1:]), start=parts[0][0])
        return B * pulled, sum(part[1] for part in parts) - self._shared

    @abstractmethod
    def _explain_rows(self, p: np.ndarray, B: np.ndarray, start: int, stop: int) -> tuple[np.ndarray, float]:
        """The same for some rows, before the factor B and the shared term."""

    @abstractmethod
    def take(self, index: np.ndarray) -> "PairCounts":
        """The pairs among some of the groups."""

    @abstractmethod
    def pull(self, index: np.ndarray, values: np.ndarray) -> np.ndarray:
        """For each group the sum of ``values`` over its pairs with the groups ``index``, up to a factor per group."""


class IncidencePairs(PairCounts):
    """Pairs that share a cluster. Soft partitions give fractions: Σ_c w_c u_ic u_jc.

    Parameters
    ----------
    incidence : csr_array of shape (n, q)
    cluster_weights : ndarray of shape (q,)
        The count of a pair in each cluster.
    sizes : ndarray of shape (n,)
    diagonal : bool
        Whether the pairs (i, i) count.
    """

    def __init__(
        self, incidence: sparse.csr_array, cluster_weights: np.ndarray, sizes: np.ndarray, diagonal: bool
    ) -> None:
        self.incidence, self.cluster_weights, self.diagonal = incidence, cluster_weights, diagonal
        own = incidence.power(2) @ cluster_weights
        self.within = sizes * sizes if diagonal else sizes * (sizes - 1)
        everybody = incidence @ (cluster_weights * (incidence.T @ sizes))
        others = everybody if diagonal else everybody - own
        super().__init__(sizes, np.where(others > 1e-12 * everybody, sizes * others, 0.0))
        self._stored: sparse.csr_array | None = None
        if self.n <= _STORED_UP_TO:
            counts = sparse.triu((incidence * cluster_weights) @ incidence.T, 1)
            counts = counts.multiply(sizes[:, None]).multiply(sizes) + sparse.diags_array(own * self.within)
            self._stored = _positive(counts)
        self._columns = incidence.tocsc()

    def _explain_rows(self, p: np.ndarray, B: np.ndarray, start: int, stop: int) -> tuple[np.ndarray, float]:
        if self._stored is not None:
            stored = self._stored
            return explain_stored(stored.indptr, stored.indices, stored.data, p, B, start, stop)
        rows, columns = self.incidence, self._columns
        return explain_streamed(
            *(rows.indptr, rows.indices, rows.data),
            *(columns.indptr, columns.indices, columns.data),
            *(self.cluster_weights, self.sizes, self.within),
            *(p, B, start, stop),
        )

    def take(self, index: np.ndarray) -> "IncidencePairs":
        """The pairs among some of the groups."""
        return IncidencePairs(self.incidence[index], self.cluster_weights, self.sizes[index], self.diagonal)

    def pull(self, index: np.ndarray, values: np.ndarray) -> np.ndarray:
        """For each group the sum of ``values`` over its pairs with the groups ``index``, up to a factor per group."""
        of_clusters = self.incidence[index].T @ (self.sizes[index, None] * values)
        return np.asarray(self.incidence @ (self.cluster_weights[:, None] * of_clusters))


class MatrixPairs(PairCounts):
    """Pairs counted by a symmetric matrix."""

    def __init__(self, matrix: sparse.csr_array, diagonal: bool) -> None:
        self.matrix, self.diagonal = matrix, diagonal
        self._stored = _positive(sparse.triu(matrix, 0 if diagonal else 1))
        own = 0 if diagonal else matrix.diagonal()
        of_objects = np.maximum(matrix.sum(axis=1) - own, 0.0)
        super().__init__(np.ones(matrix.shape[0]), of_objects)

    def _explain_rows(self, p: np.ndarray, B: np.ndarray, start: int, stop: int) -> tuple[np.ndarray, float]:
        stored = self._stored
        return explain_stored(stored.indptr, stored.indices, stored.data, p, B, start, stop)

    def take(self, index: np.ndarray) -> "MatrixPairs":
        """The pairs among some of the objects."""
        return MatrixPairs(self.matrix[index][:, index], self.diagonal)

    def pull(self, index: np.ndarray, values: np.ndarray) -> np.ndarray:
        """For each object the sum of ``values`` over its pairs with the objects ``index``."""
        return np.asarray(self.matrix[:, index] @ values)


class Occurrences(NamedTuple):
    """The pairs of distinct objects, the row of each object, and the ensemble or matrix they come from.

    ``n_partitions`` is the total weight of the partitions, ``finest`` the largest number of clusters of a partition.
    """

    pairs: PairCounts
    row_of: np.ndarray
    source: Ensemble | CoAssociation
    n_partitions: float
    finest: int

    def link(self, index: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Average link of some rows, each repeated by its count, and the positions of the rows in it."""
        if isinstance(self.source, CoAssociation):
            evidence = CoAssociation.from_matrix(self.source.submatrix(index))
            return evidence_linkages.dense_link(evidence, "average"), np.arange(len(index))
        sizes = self.pairs.sizes[index].astype(np.int64)
        linkage = evidence_linkages.average_link(self.source.take_objects(np.repeat(index, sizes)), verbose=False)
        return linkage, np.cumsum(sizes) - sizes


def occurrences_of_labels(ensemble: Ensemble, *, by_size: bool, diagonal: bool) -> Occurrences:
    """Pairs that share a cluster; equal objects are collapsed, in canonical order."""
    order = canonical_order(ensemble)
    distinct = ensemble.take_objects(order)
    counts, inverse = np.ones(len(order)), np.arange(len(order))
    if distinct.memberships is None:
        distinct, counts, inverse = distinct.unique_rows()
    row_of = np.empty(len(order), dtype=np.int64)
    row_of[order] = inverse
    incidence, sizes = distinct.soft_one_hot(), counts.astype(float)
    weights = np.repeat(ensemble.weights, ensemble.n_clusters)
    if by_size:
        weights = weights / _pairs_per_object(incidence, sizes)
    pairs = IncidencePairs(incidence, weights, sizes, diagonal)
    return Occurrences(pairs, row_of, distinct, float(ensemble.weights.sum()), int(ensemble.n_clusters.max()))


def occurrences_of_matrix(evidence: CoAssociation, *, diagonal: bool) -> Occurrences:
    """Pairs counted by the entries of a matrix."""
    n = evidence.shape[0]
    return Occurrences(MatrixPairs(evidence.to_sparse(), diagonal), np.arange(n), evidence, 1.0, n)


def _pairs_per_object(incidence: sparse.csr_array, sizes: np.ndarray) -> np.ndarray:
    """m - 1 for a cluster of m objects, infinite if m = 1; (m² - Σ u²) / m for a soft one, where m = Σ u."""
    m, squares = incidence.T @ sizes, incidence.power(2).T @ sizes
    n_pairs = m * m - squares
    return np.divide(n_pairs, m, out=np.full_like(m, np.inf), where=n_pairs > 1e-9 * m * m)


def _positive(counts: sparse.sparray) -> sparse.csr_array:
    stored = sparse.csr_array(counts)
    stored.eliminate_zeros()
    return stored
