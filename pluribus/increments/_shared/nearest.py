"""The two nearest rows of each row, by Euclidean distance; among equally near ones the first counts."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.spatial import cKDTree
from sklearn.neighbors import NearestNeighbors

from pluribus._engine import over_blocks
from pluribus._kernels.points.landmarks import distances_to
from pluribus._kernels.points.two_nearest import two_nearest_given, two_nearest_rows
from pluribus.increments._shared.distinct_rows import DistinctRows, distinct_rows

FEW_FEATURES = 8  # up to here a k-d tree is faster than looking at all pairs
_ALL_PAIRS = 2000  # rows up to which all pairs are looked at
_ALL_WIDE_PAIRS = 5000  # the same for many features
_CANDIDATES = 8  # rows that a matrix product finds to be near, among which the two nearest are looked for exactly
_MOST_NEIGHBORS = 2**22  # that are asked for at once


class Nearest(NamedTuple):
    """Places and distances of the two nearest others, both (n, 2), the nearest first."""

    places: np.ndarray
    distances: np.ndarray


# Of some rows and k: the distances and places of k candidates each, and what all others are at least away.
Candidates = Callable[[np.ndarray, int], tuple[np.ndarray, np.ndarray, np.ndarray]]


def two_nearest(X: np.ndarray, n_jobs: int | None = None) -> Nearest:
    """The two nearest of at least three rows."""
    n, d = X.shape
    if n <= (_ALL_PAIRS if d <= FEW_FEATURES else _ALL_WIDE_PAIRS):
        return _over_pairs(two_nearest_rows, X, n_jobs)
    return _of_distinct(_by_tree if d <= FEW_FEATURES else _by_products, X, n_jobs)


def two_nearest_by_distances(D: np.ndarray, n_jobs: int | None = None) -> Nearest:
    """The same from given distances of at least three objects."""
    return _over_pairs(two_nearest_given, D, n_jobs)


def _over_pairs(kernel: Callable[..., None], matrix: np.ndarray, n_jobs: int | None) -> Nearest:
    n = len(matrix)
    out = Nearest(np.empty((n, 2), dtype=np.int64), np.empty((n, 2)))
    over_blocks(lambda start, stop: kernel(matrix, start, stop, *out), n, n_jobs=n_jobs)
    return out


def _by_products(X: np.ndarray, n_jobs: int | None) -> Nearest:
    """Candidates by matrix products, which are inexact for near duplicates; then their distances by differences."""
    n, d = X.shape
    centered = X - X.mean(axis=0)
    search = NearestNeighbors(algorithm="brute", n_jobs=n_jobs).fit(centered)
    error = 8 * (d + 4) * np.finfo(np.float64).eps * float((centered**2).sum(axis=1).max())  # of squared distances

    def candidates(part: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        approximate, index = search.kneighbors(centered[part], n_neighbors=k)
        index, squared = np.ascontiguousarray(index), np.empty(index.shape)
        some = X[part]
        over_blocks(
            lambda start, stop: distances_to(some[start:stop], X, index[start:stop], squared[start:stop]),
            len(part),
            n_jobs=n_jobs,
        )
        return squared, index, approximate[:, -1] ** 2 - error

    found = _two_of_candidates(n, _CANDIDATES, candidates)
    return Nearest(found.places, np.sqrt(found.distances))


def _by_tree(X: np.ndarray, n_jobs: int | None) -> Nearest:
    tree = cKDTree(X)

    def candidates(part: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        distance, index = tree.query(X[part], k=k, workers=n_jobs or -1)
        return distance, index, distance[:, -1]

    return _two_of_candidates(len(X), 4, candidates)


def _two_of_candidates(n: int, k: int, candidates: Candidates) -> Nearest:
    """The two nearest of n rows among k candidates, and among more where those that were left out may be as near."""
    out = Nearest(np.empty((n, 2), dtype=np.int64), np.empty((n, 2)))
    rows, k = np.arange(n), min(k, n)
    while len(rows):
        tied = []
        for part in np.array_split(rows, max(1, len(rows) * k // _MOST_NEIGHBORS)):
            distance, index, others = candidates(part, k)
            distance[index == part[:, None]] = np.inf  # the row itself
            place = np.lexsort((index, distance), axis=1)[:, :2]
            out.places[part] = np.take_along_axis(index, place, 1)
            out.distances[part] = np.take_along_axis(distance, place, 1)
            tied.append(part[(out.distances[part, 1] >= others) & (k < n)])
        rows, k = np.concatenate(tied), min(2 * k, n)
    return out


def _of_distinct(search: Callable[..., Nearest], X: np.ndarray, n_jobs: int | None) -> Nearest:
    """The two nearest of all rows, by a search among the distinct ones: duplicates are many equally near rows."""
    rows = distinct_rows(X)
    if len(rows.first) == len(X):
        return search(X, n_jobs)
    if len(rows.first) < 3:
        return _few_places(X, rows)
    return _with_duplicates(rows, search(X[rows.first], n_jobs))


def _few_places(X: np.ndarray, rows: DistinctRows) -> Nearest:
    """One or two distinct rows: their first three objects hold the two nearest of all."""
    shown = np.sort(np.concatenate([rows.members[s : s + 3] for s in rows.starts]))
    squared = ((X[:, None, :].astype(np.float64) - X[shown]) ** 2).sum(axis=2)
    squared[shown, np.arange(len(shown))] = np.inf
    place = np.argsort(squared, axis=1, kind="stable")[:, :2]
    return Nearest(shown[place], np.sqrt(np.take_along_axis(squared, place, 1)))


def _with_duplicates(rows: DistinctRows, points: Nearest) -> Nearest:
    """The two nearest of all objects, from those of the distinct points."""
    first, second = rows.members[rows.starts], rows.members[rows.starts + np.minimum(1, rows.sizes - 1)]
    near, far = points.places[rows.group].T
    at_near, at_far = points.distances[rows.group].T
    # Alone at its place: the first object at the nearest point, then the second one there or the first at the next.
    index = np.column_stack([first[near], second[near]])
    distance = np.column_stack([at_near, at_near])
    next_point = (rows.sizes[near] == 1) | ((at_far == at_near) & (first[far] < second[near]))
    index[next_point, 1], distance[next_point, 1] = first[far[next_point]], at_far[next_point]
    # Two at a place: the other one, then the first at the nearest point. More: two others.
    here = np.arange(len(index))
    others = np.column_stack([rows.starts[rows.group] + shift for shift in range(3)])
    others = rows.members[np.minimum(others, len(rows.members) - 1)]
    pair, crowd = rows.sizes[rows.group] == 2, rows.sizes[rows.group] > 2
    partner = np.where(others[:, 0] == here, others[:, 1], others[:, 0])
    index[pair, 1], distance[pair, 1] = first[near[pair]], at_near[pair]
    index[pair, 0], distance[pair, 0] = partner[pair], 0
    in_front = (others[:, 0] == here) | (others[:, 1] == here)
    index[crowd, 0], index[crowd, 1] = partner[crowd], np.where(in_front, others[:, 2], others[:, 1])[crowd]
    distance[crowd] = 0
    return Nearest(index, distance)
