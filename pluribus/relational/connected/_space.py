"""Attributes and the graph between objects: distances to centers, growth of clusters, and the centers of clusters."""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import cdist

from pluribus._kernels.graphs.connected_growth import grow, reach

_ALL_CENTERS = 2000  # objects of a cluster up to which each is tried as its center
_NEAR_MEAN = 50  # objects that are tried in larger clusters
_PAIRS = 1_000_000  # distances within a cluster that are held at once
_TRIPLES = 200_000  # that are looked at to see whether given distances are a metric


class Growth(NamedTuple):
    """Connected clusters: the cluster of each object, and the radius at which it was absorbed."""

    labels: np.ndarray
    absorbed: np.ndarray


class Space:
    """Objects as points, sparse points or given distances, linked by a graph.

    With the metric "cosine" rows are scaled to length 1 and distances are those of points on the sphere, d² = 2 (1 -
    cos): they order pairs as cosine distances do, and they are a metric. ``shown`` turns them into cosine distances.
    """

    def __init__(self, X: Any, graph: Any, metric: str) -> None:
        self.metric, self.n = metric, X.shape[0]
        self.indptr, self.indices = graph.indptr.astype(np.int64), graph.indices.astype(np.int64)
        self.degrees = np.diff(self.indptr)
        self.n_components, self.component = connected_components(graph, directed=False)
        self.X = _unit_rows(X) if metric == "cosine" else X

    @property
    def precomputed(self) -> bool:
        return self.metric == "precomputed"

    def shown(self, distance: Any) -> Any:
        """A distance in the metric that was asked for."""
        return np.square(distance) / 2 if self.metric == "cosine" else distance

    def from_object(self, c: int) -> np.ndarray:
        """The distances of all objects to one of them."""
        if self.precomputed:
            return np.ascontiguousarray(self.X[:, c], dtype=np.float64)
        return self.to_points(_rows(self.X, [c]))[:, 0]

    def to_points(self, points: np.ndarray) -> np.ndarray:
        """The distances of all objects to some points, (n, k)."""
        return _to_points(self.X, points)

    def grow(self, seeds: np.ndarray, points: np.ndarray | None = None) -> Growth:
        """Connected clusters from these objects, by distances to them, or to given points in their place."""
        labels, absorbed = np.empty(self.n, dtype=np.int32), np.empty(self.n)
        values, centers = self._for_kernel(seeds, points)
        grow(self.indptr, self.indices, values, centers, seeds, labels, absorbed)
        return Growth(labels, absorbed)

    def _for_kernel(self, seeds: np.ndarray, points: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
        if self.precomputed:
            return np.ascontiguousarray(self.X[:, seeds], dtype=np.float64), np.empty((len(seeds), 0))
        points = _rows(self.X, seeds) if points is None else points
        if sparse.issparse(self.X):
            return self.to_points(points), np.empty((len(seeds), 0))
        return self.X, points

    def reach(self, c: int) -> np.ndarray:
        """ρ(c → v): the least radius around c within which v is connected to c; inf if it never is."""
        out = np.empty(self.n)
        reach(self.indptr, self.indices, self.from_object(c), c, out)
        return out

    def means(self, labels: np.ndarray, k: int) -> np.ndarray:
        """The mean of each cluster; on the sphere, its direction."""
        joined = sparse.csr_array((np.ones(self.n), (labels, np.arange(self.n))), shape=(k, self.n))
        total = joined @ self.X
        dense = total.toarray() if sparse.issparse(total) else np.asarray(total)
        means = dense / np.bincount(labels, minlength=k)[:, None]
        return _unit_rows(means) if self.metric == "cosine" else means

    def squared_error(self, labels: np.ndarray, points: np.ndarray) -> float:
        """The sum of squared distances of all objects to the points of their clusters."""
        total = 0.0
        for j in range(len(points)):
            total += float(np.square(self._between(np.flatnonzero(labels == j), points[j : j + 1])).sum())
        return total

    def smooth(self, steps: int) -> None:
        """Average the attributes over neighbors, each object counting as its own neighbor, weighted by √degrees."""
        n = self.n
        links = sparse.csr_array((np.ones(len(self.indices)), self.indices, self.indptr), shape=(n, n))
        root = sparse.diags_array((self.degrees + 1.0) ** -0.5)
        average = root @ (links + sparse.eye_array(n)) @ root
        for _ in range(steps):
            self.X = average @ self.X
        self.X = sparse.csr_array(self.X) if sparse.issparse(self.X) else np.ascontiguousarray(self.X)
        if self.metric == "cosine":
            self.X = _unit_rows(self.X)

    def nearest_members(self, labels: np.ndarray, points: np.ndarray) -> np.ndarray:
        """The member of each cluster that is nearest to its point; the first of several."""
        own = np.empty(self.n)
        for j in range(len(points)):
            members = np.flatnonzero(labels == j)
            own[members] = self._between(members, points[j : j + 1])[:, 0]
        order = np.lexsort((np.arange(self.n), own, labels))
        return order[np.searchsorted(labels[order], np.arange(len(points)))]

    def centers(self, labels: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
        """The object of each cluster with the least radius, and that radius; of large clusters, among a few."""
        found, radii = np.empty(k, dtype=np.int64), np.empty(k)
        for j in range(k):
            members = np.flatnonzero(labels == j)
            tried = members
            if len(members) > _ALL_CENTERS and not self.precomputed:
                from_mean = self._between(members, self._mean_of(members))[:, 0]
                nearest = np.argsort(from_mean, kind="stable")[:_NEAR_MEAN]
                tried = members[np.sort(nearest)]
            far = self._farthest(tried, members)
            found[j], radii[j] = tried[far.argmin()], far.min()
        return found, radii

    def _mean_of(self, members: np.ndarray) -> np.ndarray:
        mean = np.asarray(self.X[members].mean(axis=0)).reshape(1, -1)
        return _unit_rows(mean) if self.metric == "cosine" else mean

    def _farthest(self, tried: np.ndarray, members: np.ndarray) -> np.ndarray:
        if self.precomputed:
            return self.X[np.ix_(tried, members)].max(axis=1)
        inside, step = self.X[members], max(1, _PAIRS // len(members))
        parts = [tried[start : start + step] for start in range(0, len(tried), step)]
        return np.concatenate([_to_points(inside, _rows(self.X, part)).max(axis=0) for part in parts])

    def _between(self, members: np.ndarray, points: np.ndarray) -> np.ndarray:
        return _to_points(self.X[members], points)

    def is_metric(self, rng: np.random.Generator) -> bool:
        """Whether given distances obey the triangle inequality, as far as random triples show; others always do."""
        if not self.precomputed:
            return True
        i, j, m = rng.integers(0, self.n, size=(3, _TRIPLES))
        return bool((self.X[i, j] <= (self.X[i, m] + self.X[m, j]) * (1 + 1e-9)).all())


def _to_points(X: Any, points: np.ndarray) -> np.ndarray:
    if not sparse.issparse(X):
        return cdist(X, points)
    squares = np.asarray(X.multiply(X).sum(axis=1)).ravel()
    squared = squares[:, None] + (points**2).sum(axis=1) - 2 * np.asarray(X @ points.T)
    return np.sqrt(np.maximum(squared, 0))


def _rows(X: Any, places: Any) -> np.ndarray:
    rows = X[places]
    return rows.toarray() if sparse.issparse(rows) else np.asarray(rows)


def _unit_rows(X: Any) -> Any:
    if sparse.issparse(X):
        lengths = np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())
        return sparse.csr_array(sparse.diags_array(1 / np.where(lengths > 0, lengths, 1)) @ X)
    lengths = np.linalg.norm(X, axis=1, keepdims=True)
    return X / np.where(lengths > 0, lengths, 1)
