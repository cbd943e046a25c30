"""Nearest neighbors from a matrix of distances: graphs, geodesics, and reconstruction from neighbors."""

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components, dijkstra

_ROWS = 512
_RIDGE = 1e-3
_SHORTEST = 1e-12  # length of an edge; an edge of length 0 would be missing


def nearest(distances: np.ndarray, n_neighbors: int) -> np.ndarray:
    """The nearest other objects of each object, (n, p); ties go to the lowest index."""
    n = len(distances)
    neighbors = np.empty((n, min(n_neighbors, n - 1)), dtype=np.int64)
    for start in range(0, n, _ROWS):
        block = distances[start : start + _ROWS].copy()
        here = np.arange(len(block))
        block[here, start + here] = -1  # itself comes first
        neighbors[start : start + _ROWS] = np.argsort(block, axis=1, kind="stable")[:, 1 : n_neighbors + 1]
    return neighbors


def unweighted(distances: np.ndarray, counts: np.ndarray, n_neighbors: int) -> sparse.csr_array:
    """1 for two objects if one is among the nearest of the other.

    Equal objects count as neighbors: an object with ``n_neighbors`` equals has no others. The diagonal is the weight of
    the links to its equals.
    """
    n = len(counts)
    near = nearest(distances, n_neighbors)
    taken = counts[:, None] - 1 + np.cumsum(counts[near], axis=1) - counts[near]
    i, t = np.nonzero(taken < n_neighbors)
    directed = sparse.csr_array((np.ones(len(i)), (i, near[i, t])), shape=(n, n))
    return sparse.csr_array(directed.maximum(directed.T) + sparse.diags_array(1 - 1 / counts))


def geodesics(distances: np.ndarray, n_neighbors: int) -> tuple[np.ndarray, int]:
    """Lengths of the shortest paths along nearest neighbors, (n, n), and the number of connected components.

    Each two components are joined by the shortest edge between them.
    """
    n = len(distances)
    near = nearest(distances, n_neighbors)
    i, j = np.repeat(np.arange(n), near.shape[1]), near.ravel()
    n_connected, component = connected_components(
        sparse.csr_array((np.ones(len(i)), (i, j)), shape=(n, n)), directed=False
    )
    bridges = [_bridges(distances, component, c) for c in range(n_connected - 1)]
    i, j = (np.concatenate(ends) for ends in zip((i, j), *bridges, strict=True))
    length = np.maximum(distances[i, j], _SHORTEST)
    graph = sparse.csr_array((length, (i, j)), shape=(n, n))
    return dijkstra(graph, directed=False), int(n_connected)


def _bridges(distances: np.ndarray, component: np.ndarray, c: int) -> tuple[np.ndarray, np.ndarray]:
    """The shortest edges from component c to each later one."""
    own, later = np.flatnonzero(component == c), np.flatnonzero(component > c)
    block = distances[np.ix_(own, later)]
    closest = block.argmin(axis=0)
    order = np.lexsort((block[closest, np.arange(len(later))], component[later]))
    _, first = np.unique(component[later][order], return_index=True)
    return own[closest[order[first]]], later[order[first]]


def residual_of_reconstruction(distances: np.ndarray, n_neighbors: int) -> sparse.csr_array:
    """I - W, where row i of W has the weights, with sum 1, that best reconstruct i as a mean of its nearest objects.

    The inner products of the neighbors, relative to i, follow from distances. Non-Euclidean distances give negative
    eigenvalues, which count as 0. A ridge makes the weights of coinciding neighbors unique.
    """
    n = len(distances)
    near = nearest(distances, n_neighbors)
    p = near.shape[1]
    to_i = np.take_along_axis(distances, near, axis=1) ** 2
    among = distances[near[:, :, None], near[:, None, :]] ** 2
    values, vectors = np.linalg.eigh((to_i[:, :, None] + to_i[:, None, :] - among) / 2)
    values = np.clip(values, 0, None)
    values += _RIDGE * np.maximum(values.sum(axis=1, keepdims=True), 1e-12)
    weights = np.einsum("nij,nj->ni", vectors, vectors.sum(axis=1) / values)  # G⁻¹ 1
    weights /= weights.sum(axis=1, keepdims=True)
    reconstruction = sparse.csr_array((weights.ravel(), (np.repeat(np.arange(n), p), near.ravel())), shape=(n, n))
    return sparse.csr_array(sparse.eye_array(n) - reconstruction)
