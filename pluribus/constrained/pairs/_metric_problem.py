"""The objective of k-means with pairs and a learned metric, and the steps that lower it."""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils.extmath import row_norms

from pluribus._kernels.points.centers import nearest_by_product
from pluribus.constrained._shared.base import Given
from pluribus.constrained._shared.pair_network import Costs, PairNetwork
from pluribus.constrained._shared.points import Points, dense
from pluribus.constrained.pairs._metrics import Metrics, inverse_of, outer, scatter_of, squared_lengths
from pluribus.constraints import Closure, Constraints

_BLOCK = 16_384


class SoftPairs(NamedTuple):
    """Soft pairs of one kind whose fate hard constraints do not decide."""

    differences: np.ndarray  # (P, d) of the two rows
    weights: np.ndarray  # (P,)
    edges: np.ndarray  # (P,) their pairs of chunklets in the network
    ends: np.ndarray  # (P, 2) the chunklets


class MetricProblem(NamedTuple):
    """The rows, their pairs and what is known of the metric; the same for all starts."""

    X: Any  # all objects, with the shift of the points subtracted
    weights: np.ndarray  # of all objects
    chunk_of: np.ndarray
    points: Points
    network: PairNetwork  # has all chunklets of several objects as nodes: their spread depends on the metric
    spread: sparse.csr_array  # (m, S) sums the objects of these chunklets, weighted
    residuals: Any  # (S, d) of those objects from the means of their chunklets
    n_hard: int  # the first pairs of the network are hard cannot-links
    must: SoftPairs
    cannot: SoftPairs
    witness: np.ndarray | None  # (m,) clusters of the nodes that break no hard constraint
    free_weights: np.ndarray  # (L,) of the points, zero for the nodes of the network
    prior: np.ndarray  # (d,) variances of the features
    covariance: np.ndarray  # (d,) the same, zero for constant features, or (d, d)
    n_clusters: int
    diagonal: bool
    per_cluster: bool

    @classmethod
    def of(
        cls,
        given: Given,
        closure: Closure,
        witness: np.ndarray | None,
        *,
        n_clusters: int,
        diagonal: bool,
        per_cluster: bool,
    ) -> "MetricProblem":
        """These rows; the witness is a cluster for each object that breaks no hard constraint."""
        points = Points.of(given, closure)
        X = given.X if sparse.issparse(given.X) else given.X - points.shift.astype(given.X.dtype)
        weights, L = given.weights.astype(np.float64), closure.n_chunks
        covariance = _covariance(X, weights, points.shift, diagonal=diagonal)
        variances = covariance if diagonal else np.diagonal(covariance)
        must, cannot = _open_pairs(given.constraints, closure)
        chunks = np.sort(closure.chunk_of[np.concatenate([must[0], cannot[0]])], axis=1)
        codes = np.unique(chunks @ [L, 1])
        hard = closure.cannot_link
        network = PairNetwork(
            np.concatenate([hard, np.column_stack(np.divmod(codes, L))]), np.flatnonzero(closure.chunk_sizes > 1)
        )
        several = np.flatnonzero(closure.chunk_sizes[closure.chunk_of] > 1)
        place = np.searchsorted(network.nodes, closure.chunk_of[several])
        spread = sparse.csr_array(
            (weights[several], (place, np.arange(len(several)))), shape=(len(network.nodes), len(several))
        )
        free_weights = points.weights.copy()
        free_weights[network.nodes] = 0
        soft = [
            SoftPairs(
                dense(X[pairs[:, 0]] - X[pairs[:, 1]]).astype(np.float64),
                pair_weights,
                len(hard) + np.searchsorted(codes, np.sort(closure.chunk_of[pairs], axis=1) @ [L, 1]),
                closure.chunk_of[pairs],
            )
            for pairs, pair_weights in (must, cannot)
        ]
        return cls(
            X=X,
            weights=weights,
            chunk_of=closure.chunk_of,
            points=points,
            network=network,
            spread=spread,
            residuals=X[several] - points.rows[closure.chunk_of[several]],
            n_hard=len(hard),
            must=soft[0],
            cannot=soft[1],
            witness=None if witness is None else witness[closure.representatives][network.nodes],
            free_weights=free_weights,
            prior=np.where(variances > 0, variances, 1.0),
            covariance=covariance,
            n_clusters=n_clusters,
            diagonal=diagonal,
            per_cluster=per_cluster,
        )

    def costs(self, metrics: Metrics) -> Costs:
        """What each pair of chunklets costs if it is broken: a must-link w·L², a cannot-link w·max(1 - L², 0).

        L² is the squared length of the pair, relative to the mean of all pairs of objects.
        """
        shape = len(self.network.pairs), self.n_clusters
        together, apart = np.zeros(shape), np.zeros(shape)
        together[: self.n_hard] = np.inf
        if len(self.must.weights):
            lengths = self.relative_lengths(self.must, metrics)
            np.add.at(apart, self.must.edges, self.must.weights[:, None] * lengths / 2)
        if len(self.cannot.weights):
            too_near = np.maximum(1 - self.relative_lengths(self.cannot, metrics), 0)
            np.add.at(together, self.cannot.edges, self.cannot.weights[:, None] * too_near)
        return Costs(together, apart)

    def relative_lengths(self, pairs: SoftPairs, metrics: Metrics) -> np.ndarray:
        """Squared lengths of pairs in each metric, relative to the mean of all pairs of objects, (P, m)."""
        lengths = squared_lengths(pairs.differences, np.zeros((len(metrics.roots), len(self.prior))), metrics)
        return lengths / self.mean_lengths(metrics)

    def mean_lengths(self, metrics: Metrics) -> np.ndarray:
        """The mean squared length of all pairs of objects in each metric."""
        axes = tuple(range(1, metrics.matrices.ndim))
        lengths = 2 * (metrics.matrices * self.covariance).sum(axis=axes)
        return np.where(lengths > 0, lengths, 1.0)

    def unary(self, centers: np.ndarray, metrics: Metrics) -> np.ndarray:
        """What each node of the network costs in each cluster."""
        nodes, origin = self.network.nodes, np.zeros_like(centers)
        lengths = squared_lengths(self.points.rows[nodes], centers, metrics) - metrics.log_dets
        spread = self.spread @ squared_lengths(self.residuals, origin, metrics)
        return self.points.weights[nodes, None] * lengths + spread

    def first_metrics(self) -> Metrics:
        """The inverse of the scatter within chunklets."""
        several = np.asarray(self.spread.sum(axis=1)).ravel()
        counts = np.maximum(np.diff(self.spread.indptr), 1)
        size = float((several * (1 - 1 / counts)).sum())
        n, d = self.residuals.shape
        scatter = scatter_of(
            self.residuals,
            np.asarray(self.spread.sum(axis=0)).ravel(),
            np.zeros(n, dtype=np.int32),
            np.zeros((1, d)),
            diagonal=self.diagonal,
        )
        first = inverse_of(scatter, np.array([size]), self.prior)
        n_metrics = self.n_clusters if self.per_cluster else 1
        return Metrics(*(np.repeat(part, n_metrics, axis=0) for part in first))

    def turned_points(self) -> Points:
        """The points in a space where the first metric is the Euclidean one."""
        root = self.first_metrics().roots[0]
        rows = self.points.rows
        if sparse.issparse(rows):
            rows = sparse.csr_array(rows.multiply(root)).astype(rows.dtype)
        else:
            rows = (rows * root if self.diagonal else rows @ root).astype(rows.dtype)
        return self.points._replace(rows=rows, norms=row_norms(rows, squared=True).astype(np.float64))

    def inertia(self, labels: np.ndarray, centers: np.ndarray, metrics: Metrics) -> float:
        """Squared lengths of the objects from their centers."""
        total = 0.0
        of_object = labels[self.chunk_of].astype(np.intp)
        for start in range(0, len(of_object), _BLOCK):
            block = slice(start, start + _BLOCK)
            lengths = squared_lengths(self.X[block], centers, metrics)
            total += float(self.weights[block] @ np.take_along_axis(lengths, of_object[block, None], axis=1)[:, 0])
        return total

    def objective(self, labels: np.ndarray, centers: np.ndarray, metrics: Metrics) -> float:
        """J: squared lengths minus log-determinants, the costs of broken pairs, and the prior of the metric."""
        sizes = np.bincount(labels[self.chunk_of], self.weights, minlength=self.n_clusters)
        total = self.inertia(labels, centers, metrics) - float((sizes * metrics.log_dets).sum())
        if len(self.network.nodes):
            total += self.network.penalty(self.costs(metrics), labels[self.network.nodes])
        matrices = metrics.matrices
        traces = matrices @ self.prior if self.diagonal else np.einsum("hii,i->h", matrices, self.prior)
        return total + float((traces - metrics.log_dets).sum())

    def assign(
        self, centers: np.ndarray, metrics: Metrics, before: np.ndarray | None, random: np.random.RandomState
    ) -> np.ndarray:
        """Labels that minimize J: nodes of the network jointly, other points at their nearest center."""
        points, nodes = self.points, self.network.nodes
        n, k = len(points.weights), len(centers)
        labels = np.empty(n, dtype=np.int32)
        for start in range(0, n, _BLOCK):
            block = slice(start, min(start + _BLOCK, n))
            nearness = metrics.log_dets - squared_lengths(points.rows[block], centers, metrics)
            nearest_by_product(nearness, np.zeros(k), points.weights[block], labels[block])
        if len(nodes):
            labels[nodes] = self.network.assign(
                self.unary(centers, metrics),
                self.costs(metrics),
                previous=None if before is None else before[nodes],
                witness=self.witness,
                random=random,
            )
        return labels

    def means(self, labels: np.ndarray, centers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The mean of each cluster, and the labels: an empty cluster gets the point farthest from its center."""
        return self.points.means(labels, centers, self.free_weights)

    def better_metric(self, labels: np.ndarray, centers: np.ndarray, metrics: Metrics) -> tuple[Metrics, float]:
        """The metric of eq. (9), unless the old one has a lower J: the mean length of pairs changes with it."""
        learned = self._learn(labels, centers, metrics)
        old, new = (self.objective(labels, centers, metric) for metric in (metrics, learned))
        return (learned, new) if new <= old else (metrics, old)

    def _learn(self, labels: np.ndarray, centers: np.ndarray, metrics: Metrics) -> Metrics:
        """The inverse of the scatter of each cluster and of its broken pairs, as in eq. (9) of the paper.

        The paper uses the farthest pair of all objects; here it is the mean of all pairs.
        """
        diagonal = self.diagonal
        of_object = labels[self.chunk_of]
        scatter = scatter_of(self.X, self.weights, of_object, centers, diagonal=diagonal)
        weight = 1 / self.mean_lengths(metrics)
        if not self.per_cluster:
            weight = np.repeat(weight, self.n_clusters)
        one, other = labels[self.must.ends].T
        for h in np.unique(np.concatenate([one[one != other], other[one != other]])):
            broken = (one != other) & ((one == h) | (other == h))
            weights = weight[h] / 2 * self.must.weights[broken]
            scatter[h] += outer(self.must.differences[broken], weights, diagonal=diagonal)
        one, other = labels[self.cannot.ends].T
        if (one == other).any():
            near = self.relative_lengths(self.cannot, metrics) < 1
            for h in np.unique(one[one == other]):
                broken = (one == other) & (one == h) & near[:, h if self.per_cluster else 0]
                weights = weight[h] * self.cannot.weights[broken]
                scatter[h] += 2 * weights.sum() * self.covariance
                scatter[h] -= outer(self.cannot.differences[broken], weights, diagonal=diagonal)
        sizes = np.bincount(of_object, self.weights, minlength=len(centers))
        if not self.per_cluster:
            scatter, sizes = scatter.sum(axis=0, keepdims=True), sizes.sum(keepdims=True)
        return inverse_of(scatter, sizes, self.prior)


def _open_pairs(constraints: Constraints, closure: Closure) -> list[tuple[np.ndarray, np.ndarray]]:
    """The soft must-links and cannot-links that the hard constraints do not decide, with their weights."""
    L = closure.n_chunks
    hard = closure.cannot_link @ [L, 1]
    open_pairs = []
    for pairs, weights in (
        (constraints.must_link, constraints.must_weight),
        (constraints.cannot_link, constraints.cannot_weight),
    ):
        chunks = np.sort(closure.chunk_of[pairs], axis=1)
        is_open = np.isfinite(weights) & (chunks[:, 0] != chunks[:, 1]) & ~np.isin(chunks @ [L, 1], hard)
        open_pairs.append((pairs[is_open], weights[is_open]))
    return open_pairs


def _covariance(X: Any, weights: np.ndarray, shift: np.ndarray, *, diagonal: bool) -> np.ndarray:
    """Of the features, or their variances; zero for a feature that is constant but for rounding."""
    shares = weights / weights.sum()
    squares = shares @ (X.power(2) if sparse.issparse(X) else X**2)
    variances = np.asarray(squares - (shares @ X) ** 2, dtype=np.float64).ravel()
    varies = variances > (1e-12 * shift) ** 2
    if diagonal:
        return np.where(varies, variances, 0.0)
    away = (X - shares @ X).astype(np.float64) * varies
    return (shares[:, None] * away).T @ away
