"""k-means of chunklets in few dimensions, where some must be apart and others prefer to be together or apart."""

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.metrics import euclidean_distances

from pluribus._kernels.assignment.pair_costs import assign_greedily, improve, scratch
from pluribus.constraints import Closure

_ROUNDS, _SWEEPS = 50, 20


def cluster_rows(rows: np.ndarray, closure: Closure, k: int, fallback: np.ndarray | None, seed: int) -> np.ndarray:
    """The cluster of each chunklet; `fallback` are labels of chunklets that respect what is hard."""
    sizes = closure.chunk_sizes
    model = KMeans(k, n_init=10, random_state=seed % 2**32).fit(rows, sample_weight=sizes)
    graph, together, apart = _pair_costs(closure, k, unit=float(sizes @ (rows**2).sum(axis=1)) / sizes.sum())
    if not graph.nnz:
        return model.labels_.astype(np.int64)
    centers = model.cluster_centers_.astype(np.float64)
    indptr, indices, edge = (part.astype(np.int64) for part in (graph.indptr, graph.indices, graph.data - 1))
    nodes = np.arange(len(rows))
    labels = np.full(len(rows), -1)
    unary = _costs(rows, centers, sizes)
    if not assign_greedily(indptr, indices, edge, unary, together, apart, closure.order.astype(np.int64), labels):
        if fallback is None:  # nobody knows whether it is possible
            return model.labels_.astype(np.int64)
        labels = fallback.astype(np.int64)
    for _ in range(_ROUNDS):
        before = labels.copy()
        unary = _costs(rows, centers, sizes)
        improve(indptr, indices, edge, unary, together, apart, nodes, labels, _SWEEPS, scratch(len(rows), k))
        weight = np.bincount(labels, sizes, k)
        sums = np.stack([np.bincount(labels, sizes * column, k) for column in rows.T], axis=1)
        moved = np.where(weight[:, None] > 0, sums / np.maximum(weight, 1)[:, None], centers)
        if np.array_equal(labels, before) and np.array_equal(moved, centers):
            break
        centers = moved
    return labels


def _costs(rows: np.ndarray, centers: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Squared distances to all centers, of all objects of each chunklet."""
    return sizes[:, None] * euclidean_distances(rows, centers, squared=True)


def _pair_costs(closure: Closure, k: int, unit: float) -> tuple[Any, np.ndarray, np.ndarray]:
    """A graph whose entries number the pairs from 1, and what each pair costs together and apart."""
    hard, soft = closure.cannot_link, sparse.triu(closure.coupling, 1).tocoo()
    pairs = np.concatenate([hard, np.stack([soft.row, soft.col], axis=1)]).reshape(-1, 2)
    weights = np.concatenate([np.full(len(hard), -np.inf), unit * soft.data])
    together = np.repeat(np.maximum(-weights, 0)[:, None], k, axis=1)
    apart = np.repeat(np.maximum(weights, 0)[:, None] / 2, k, axis=1)
    number = np.arange(1, len(pairs) + 1)
    one, other = pairs.T
    ends = (np.concatenate([one, other]), np.concatenate([other, one]))
    graph = sparse.csr_array((np.concatenate([number, number]), ends), shape=(closure.n_chunks, closure.n_chunks))
    return graph, together, apart
