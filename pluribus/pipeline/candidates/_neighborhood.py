"""The nearest neighbors of each object, and spanning trees that start from them."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.spatial import cKDTree
from sklearn.neighbors import NearestNeighbors

from pluribus._engine import one_blas_thread, over_blocks
from pluribus._kernels.linkage.neighbor_tree import certain_edges, shorten_links, shorten_links_by_boxes
from pluribus._kernels.linkage.spanning_tree import tree_of_distances
from pluribus._kernels.points.landmarks import distances_to

_FEW_FEATURES = 8  # up to here a k-d tree finds neighbors faster than matrix products
_BLOCK = 1024  # rows and columns of a block of distances


class Neighborhood(NamedTuple):
    """The nearest others of each object, (n, p), and their squared distances, by distance and then by number."""

    places: np.ndarray
    squared: np.ndarray


class Tree(NamedTuple):
    """A spanning tree: both ends of each edge and its length, by length and then by the numbers of the ends."""

    first: np.ndarray
    second: np.ndarray
    length: np.ndarray


def nearest_others(X: np.ndarray, n_neighbors: int, n_jobs: int | None = None) -> Neighborhood:
    """The nearest others of each row; fewer, if there are fewer."""
    n = len(X)
    search = _search(X, min(n_neighbors, n - 1) + 1)  # one more: a row finds itself, or a duplicate

    def in_block(start: int, stop: int) -> Neighborhood:
        places = np.ascontiguousarray(search(start, stop), dtype=np.int64)
        squared = np.empty(places.shape)
        distances_to(X[start:stop], X, places, squared)
        squared[places == np.arange(start, stop)[:, None]] = np.inf
        return _taken(Neighborhood(places, squared), np.lexsort((places, squared), axis=1)[:, :-1])

    parts = over_blocks(in_block, n, n_jobs=n_jobs, block=_BLOCK)
    return Neighborhood(*(np.concatenate(part) for part in zip(*parts, strict=True)))


def _search(X: np.ndarray, n_asked: int) -> Callable[[int, int], np.ndarray]:
    """A function that finds the nearest rows of a block of rows."""
    if X.shape[1] <= _FEW_FEATURES:
        tree = cKDTree(X)
        return lambda start, stop: tree.query(X[start:stop], k=np.arange(1, n_asked + 1))[1]
    centered = X - X.mean(axis=0)
    brute = NearestNeighbors(n_neighbors=n_asked, algorithm="brute").fit(centered)
    return lambda start, stop: brute.kneighbors(centered[start:stop], return_distance=False)


def euclidean_tree(X: np.ndarray, near: Neighborhood) -> Tree:
    """A minimum spanning tree by Euclidean distance."""
    return _spanning_tree(X, near, np.zeros(len(X)))


def reachability_tree(X: np.ndarray, near: Neighborhood, core_neighbor: int) -> Tree:
    """A minimum spanning tree by mutual reachability: max(κ_i, κ_j, distance), κ the distance of the m-th neighbor."""
    return _spanning_tree(X, near, near.squared[:, min(core_neighbor, near.squared.shape[1]) - 1].copy())


def _spanning_tree(X: np.ndarray, near: Neighborhood, core: np.ndarray) -> Tree:
    n = len(X)
    reach = np.maximum(near.squared, np.maximum(core[:, None], core[near.places]))
    near = _taken(near, np.lexsort((near.places, near.squared, reach), axis=1))
    component = np.arange(n)
    first, second, length = np.empty(n - 1, np.int64), np.empty(n - 1, np.int64), np.empty(n - 1)
    n_edges = certain_edges(*near, core, component, first, second, length)
    if n_edges < n - 1:
        first[n_edges:], second[n_edges:], length[n_edges:] = _links(X, core, component)
    low, high = np.minimum(first, second), np.maximum(first, second)
    order = np.lexsort((high, low, length))
    return Tree(low[order], high[order], np.sqrt(length[order]))


def _links(X: np.ndarray, core: np.ndarray, component: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The edges that connect components to a minimum spanning tree: their ends and squared lengths."""
    group = np.unique(component, return_inverse=True)[1]
    m = int(group.max()) + 1
    reach, apart, ends = np.full((m, m), np.inf), np.full((m, m), np.inf), np.zeros((m, m, 2), np.int64)
    if X.shape[1] <= _FEW_FEATURES:
        kept = np.unique(np.column_stack([group, X]), axis=0, return_index=True)[1]  # one of each place in a group
        shorten_links_by_boxes(X[kept], core[kept], group[kept], reach, apart, ends)
        ends = kept[ends]
    else:
        _shorten_by_products(X, core, group, reach, apart, ends)
    rank = np.argsort(np.lexsort((apart.ravel(), reach.ravel()))).reshape(m, m).astype(np.float64)
    one, other, _ = tree_of_distances(np.minimum(rank, rank.T), np.arange(m))
    return ends[one, other, 0], ends[one, other, 1], reach[one, other]


def _shorten_by_products(X: np.ndarray, core: np.ndarray, group: np.ndarray, *links: np.ndarray) -> None:
    """The shortest links between groups by products: x and y are (-2x, |x|², 1) · (y, 1, |y|²) apart, squared."""
    n, d = X.shape
    order = np.argsort(group, kind="stable")
    mean = X.mean(axis=0, dtype=np.float64)
    norms = np.concatenate([((X[s : s + _BLOCK] - mean) ** 2).sum(axis=1) for s in range(0, n, _BLOCK)])
    error = 16 * (d + 4) * np.finfo(np.float64).eps * float(norms.max())
    with one_blas_thread():
        for start in range(0, n, _BLOCK):
            rows = order[start : start + _BLOCK]
            left = np.column_stack([-2 * (X[rows] - mean), norms[rows], np.ones(len(rows))])
            for other in range(start, n, _BLOCK):
                columns = order[other : other + _BLOCK]
                if group[rows[0]] == group[columns[-1]]:
                    continue  # in order, so that all are in one group
                right = np.column_stack([X[columns] - mean, np.ones(len(columns)), norms[columns]])
                shorten_links(X, core, group, rows, columns, left @ right.T, error, *links)


def _taken(near: Neighborhood, order: np.ndarray) -> Neighborhood:
    """The neighbors of each object in an order, or the first of them."""
    return Neighborhood(np.take_along_axis(near.places, order, 1), np.take_along_axis(near.squared, order, 1))
