"""The least-squares fit of memberships y_i·y_j to pairwise evidence c_ij, and its gradient."""

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np
from scipy import sparse

from pluribus._engine import over_blocks
from pluribus._kernels.labels.co_association import sum_by_cluster, sum_of_clusters, sum_of_squares
from pluribus._kernels.labels.pair_counts import member_lists
from pluribus.evidence import CoAssociation, MemoryLimitError
from pluribus.partitions import Ensemble

# With few distinct objects per partition, products with the matrix are faster than sums over labels.
_OBJECTS_PER_PARTITION, _DENSE_UP_TO = 8, 4_000
_ROWS_IN_BLOCK = 4_096


class Point(NamedTuple):
    """Memberships Y, P(Y), G = (W∘(C - Y Yᵀ)) Y and (W∘C) Y. The gradient of P is -4 G, for each object of a group."""

    membership: np.ndarray
    objective: float
    gain: np.ndarray
    pull: np.ndarray


class PairFit(ABC):
    """P(Y) = Σ_ij W_ij (C_ij - y_i·y_j)² over objects, with equal objects as one group.

    Parameters
    ----------
    sizes : ndarray of shape (g,)
        The number of objects of each group. Y has one row for each group.
    self_weight, self_evidence : ndarrays of shape (g,)
        W_ii and C_ii.
    row_weight : ndarray of shape (g,)
        Σ_j W_ij over objects j.
    constant : float
        P(0), diagonal included.
    diagonal : bool
        Whether the pairs (i, i) belong to the fit.
    """

    def __init__(self, sizes, self_weight, self_evidence, row_weight, constant, diagonal) -> None:
        self.sizes = sizes.astype(float)
        self.left_out = None if diagonal else (self_weight[:, None], (self_weight * self_evidence)[:, None])
        self.row_weight = row_weight if diagonal else row_weight - self_weight
        self.constant = float(constant)
        if not diagonal:
            self.constant -= float((sizes * self_weight * self_evidence**2).sum())

    def at(self, Y: np.ndarray, pull: np.ndarray | None = None) -> Point:
        """The objective and its gradient at Y; ``pull``, the expensive part, may be given: it is linear in Y."""
        weighted = self.sizes[:, None] * Y
        if pull is None:
            pull = self._pull(weighted)
            if self.left_out is not None:
                pull -= self.left_out[1] * Y
        push = self._push(Y, weighted)
        if self.left_out is not None:
            push -= self.left_out[0] * (Y * Y).sum(axis=1, keepdims=True) * Y
        objective = self.constant - 2 * np.vdot(weighted, pull) + np.vdot(weighted, push)
        # A sum of squares can be below 0 only by rounding.
        return Point(Y, max(float(objective), 0.0), pull - push, pull)

    @abstractmethod
    def _pull(self, weighted: np.ndarray) -> np.ndarray:
        """Σ_j W_ij C_ij y_j."""

    def _push(self, Y: np.ndarray, weighted: np.ndarray) -> np.ndarray:
        """Σ_j W_ij (y_i·y_j) y_j; with equal weights it is (Yᵀ Y) y_i."""
        return Y @ (Y.T @ weighted)


class MatrixFit(PairFit):
    """The fit to a matrix: ``weighted_evidence`` is W∘C (dense or sparse), ``weight`` is W, or None for ones."""

    def __init__(self, weighted_evidence, weight, *, sizes, self_evidence, constant, diagonal) -> None:
        self.weighted_evidence, self.weight = weighted_evidence, weight
        ones = np.ones(len(sizes))
        self_weight = ones if weight is None else weight.diagonal()
        row_weight = ones * sizes.sum() if weight is None else weight @ sizes
        super().__init__(sizes, self_weight, self_evidence, row_weight, constant, diagonal)

    def _pull(self, weighted: np.ndarray) -> np.ndarray:
        return np.asarray(self.weighted_evidence @ weighted)

    def _push(self, Y: np.ndarray, weighted: np.ndarray) -> np.ndarray:
        if self.weight is None:
            return super()._push(Y, weighted)
        return (self.weight * (Y @ Y.T)) @ weighted


class LabelFit(PairFit):
    """The fit to the labels of an ensemble, with pairs weighted by the partitions that cover both; no n × n matrix.

    Then W∘C = H Hᵀ / r even if labels are missing, because the denominator cancels: O(n r k) time.
    """

    def __init__(self, ensemble: Ensemble, *, sizes, constant, diagonal) -> None:
        self.labels, self.offsets = ensemble.labels, ensemble.offsets
        shares = ensemble.weights / ensemble.weights.sum()
        self.cluster_shares = np.repeat(shares, ensemble.n_clusters)[:, None]
        self.shares = shares if ensemble.has_missing else None
        self_weight, row_weight = np.ones(len(sizes)), np.full(len(sizes), float(sizes.sum()))
        if ensemble.has_missing:
            covered = ensemble.labels >= 0
            self_weight = covered @ shares
            row_weight = covered @ (shares * (sizes @ covered))
        super().__init__(sizes, self_weight, np.ones(len(sizes)), row_weight, constant, diagonal)

    def _pull(self, weighted: np.ndarray) -> np.ndarray:
        n = len(weighted)
        sums = sum_by_cluster(self.labels, self.offsets, weighted, 0, n)
        sums *= self.cluster_shares
        out = np.empty_like(weighted)
        sum_of_clusters(self.labels, self.offsets, sums, 0, n, out)
        return out

    def _push(self, Y: np.ndarray, weighted: np.ndarray) -> np.ndarray:
        if self.shares is None:
            return super()._push(Y, weighted)
        # (Σ_p share_p M_ip A_p) y_i, where A_p sums y_j y_jᵀ over the objects that partition p covers. Only the upper
        # triangle of these symmetric k × k matrices is stored, and only for a block of objects at a time.
        k = Y.shape[1]
        upper = np.triu_indices(k)
        place = np.zeros((k, k), np.int64)
        place[upper] = place.T[upper] = np.arange(len(upper[0]))
        blocks = [slice(start, start + _ROWS_IN_BLOCK) for start in range(0, len(Y), _ROWS_IN_BLOCK)]
        of_partition = np.zeros((len(self.shares), len(upper[0])))
        for rows in blocks:
            covered = (self.labels[rows] >= 0).astype(float)
            of_partition += covered.T @ (weighted[rows][:, upper[0]] * Y[rows][:, upper[1]])
        of_partition *= self.shares[:, None]
        out = np.empty_like(Y)
        for rows in blocks:
            of_object = (self.labels[rows] >= 0).astype(float) @ of_partition
            out[rows] = np.einsum("iab,ib->ia", of_object[:, place], Y[rows])
        return out


class GroupedFit(NamedTuple):
    """A fit whose rows are groups of equal objects; object i is in group ``inverse[i]``."""

    fit: PairFit
    inverse: np.ndarray


def fit_to_labels(ensemble: Ensemble, *, by_counts: bool, diagonal: bool, n_jobs: int | None = None) -> GroupedFit:
    """The fit to an ensemble, with pairs weighted by the partitions that cover both (``by_counts``), or equally.

    With missing labels and weights by counts, the objective is the squared error over single observations (is the pair
    together in this partition?). It differs from the error over pairs by a constant, which would need all pairs.
    """
    distinct, sizes, inverse = ensemble.unique_rows()
    if distinct.has_missing and not by_counts:
        return GroupedFit(_matrix_fit(_dense_evidence(distinct, n_jobs), sizes, diagonal), inverse)
    constant = _squares(distinct, sizes, n_jobs)
    if distinct.n_objects > min(_OBJECTS_PER_PARTITION * distinct.n_partitions, _DENSE_UP_TO):
        return GroupedFit(LabelFit(distinct, sizes=sizes, constant=constant, diagonal=diagonal), inverse)
    shares = distinct.weights / distinct.weights.sum()
    one_hot = distinct.one_hot()
    together = ((one_hot * np.repeat(shares, distinct.n_clusters)) @ one_hot.T).toarray()
    covered = (distinct.labels >= 0).astype(float)
    weight = (covered * shares) @ covered.T if distinct.has_missing else None
    always = np.ones(distinct.n_objects)
    fit = MatrixFit(together, weight, sizes=sizes, self_evidence=always, constant=constant, diagonal=diagonal)
    return GroupedFit(fit, inverse)


def _squares(ensemble: Ensemble, sizes: np.ndarray, n_jobs: int | None) -> float:
    """P(0): Σ_ij C_ij² over all pairs; with missing labels the sum over observations, Σ_ij W_ij C_ij."""
    labels, offsets = ensemble.labels, ensemble.offsets
    shares = np.repeat(ensemble.weights / ensemble.weights.sum(), ensemble.n_clusters)
    if ensemble.has_missing:
        members = sum_by_cluster(labels, offsets, sizes[:, None].astype(float), 0, len(labels))
        return float(shares @ members[:, 0] ** 2)
    starts, members = member_lists(labels, offsets)
    parts = over_blocks(
        lambda start, stop: sum_of_squares(labels, offsets, shares, starts, members, sizes, start, stop),
        len(shares),
        n_jobs=n_jobs,
        block=max(1, len(shares) // 16),
    )
    return float(sum(parts))


def _dense_evidence(ensemble: Ensemble, n_jobs: int | None) -> np.ndarray:
    try:
        return CoAssociation(ensemble, form="operator", n_jobs=n_jobs).to_dense()
    except MemoryLimitError as error:
        raise MemoryLimitError(
            f"With missing labels and pair_weights=None, the {ensemble.n_objects} distinct objects need a dense matrix "
            "that is too large. Use pair_weights='counts', which does not need it."
        ) from error


def fit_to_matrix(evidence: CoAssociation, *, weight: np.ndarray | None, diagonal: bool) -> GroupedFit:
    """The fit to a matrix of evidence, with or without weights of pairs."""
    n = evidence.shape[0]
    sizes = np.ones(n, np.int64)
    if weight is None:
        held = evidence.to_sparse() if evidence.form in ("sparse", "neighbors") else evidence.to_dense()
        return GroupedFit(_matrix_fit(held, sizes, diagonal), np.arange(n))
    C = evidence.to_dense()
    constant = np.vdot(weight, C * C)
    self_evidence = C.diagonal().copy()
    C *= weight
    fit = MatrixFit(C, weight, sizes=sizes, self_evidence=self_evidence, constant=constant, diagonal=diagonal)
    return GroupedFit(fit, np.arange(n))


def _matrix_fit(C: np.ndarray | sparse.csr_array, sizes: np.ndarray, diagonal: bool) -> MatrixFit:
    constant = float(sizes @ ((C * C) @ sizes))
    return MatrixFit(C, None, sizes=sizes, self_evidence=C.diagonal(), constant=constant, diagonal=diagonal)
