"""How far apart objects are: Euclidean distances of features, or dissimilarities that were given."""

from abc import ABC, abstractmethod
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy.spatial.distance import cdist

from pluribus._engine import over_blocks
from pluribus._kernels.linkage.euclidean_tree import distinct_points_tree
from pluribus._kernels.linkage.spanning_tree import growth_increments, tree_of_distances, tree_of_features
from pluribus._kernels.points.two_nearest import increments_of
from pluribus.increments._shared.distinct_rows import distinct_rows
from pluribus.increments._shared.nearest import FEW_FEATURES, Nearest, two_nearest, two_nearest_by_distances
from pluribus.tables._internal import check_distances, check_features

_DENSE_TREE = 3000  # objects up to which a tree is grown over all pairs
_EXACT_DIAMETER = 5000
_NUMBERS_IN_BLOCK = 2**21


Kind = Literal["nearest", "tree"]


class Tree(NamedTuple):
    """A minimum spanning tree: both ends of each edge, as places in ``members``, and its length."""

    first: np.ndarray
    second: np.ndarray
    length: np.ndarray

    def increments(self) -> np.ndarray:
        """The growth increments: each edge of a vertex minus the shortest edge of that vertex, that one left out."""
        return growth_increments(*self)


class Increments(NamedTuple):
    """Increments, and the triplet (i, j, k) of objects behind each."""

    value: np.ndarray
    triplet: np.ndarray


class Dissimilarities(ABC):
    """The dissimilarities of n objects. ``members`` are places of objects, in order."""

    n: int

    @abstractmethod
    def take(self, members: np.ndarray) -> "Dissimilarities":
        """The dissimilarities among some of the objects."""

    @abstractmethod
    def between(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """The dissimilarities of some objects with others, (len(rows), len(columns))."""

    @abstractmethod
    def tree(self) -> Tree:
        """The minimum spanning tree; equal lengths are ordered by the lower and the higher number of their ends."""

    @abstractmethod
    def two_nearest(self) -> Nearest:
        """The two nearest others of each object, of which there are at least three."""

    def diameter(self) -> float:
        """The largest dissimilarity."""
        everyone = np.arange(self.n)

        def largest(start: int, stop: int) -> float:
            return float(self.between(everyone[start:stop], everyone).max())

        return max(over_blocks(largest, self.n, block=max(1, _NUMBERS_IN_BLOCK // self.n)))

    def increments(self, kind: Kind) -> np.ndarray:
        """The increments of a kind, without the objects behind them."""
        return self.tree().increments() if kind == "tree" else self.nearest_increments().value

    def nearest_increments(self) -> Increments:
        """|d(i, j) - d(j, k)|, where j is nearest to i and k is nearest to j but for i."""
        nearest = self.two_nearest()
        value, triplet = np.empty(self.n), np.empty((self.n, 3), dtype=np.int64)
        increments_of(*nearest, triplet, value)
        return Increments(value, triplet)

    def tree_increments(self) -> Increments:
        """The growth increments of the spanning tree, each with its vertex between the ends of the two edges."""
        tree = self.tree()
        ends = np.column_stack([tree.first, tree.second])
        by_vertex = np.lexsort((ends[:, ::-1].ravel(), np.repeat(tree.length, 2), ends.ravel()))
        vertex, other = ends.ravel()[by_vertex], ends[:, ::-1].ravel()[by_vertex]
        length = np.repeat(tree.length, 2)[by_vertex]
        is_shortest = np.ones(len(vertex), dtype=bool)
        is_shortest[1:] = vertex[1:] != vertex[:-1]
        shortest = np.maximum.accumulate(np.where(is_shortest, np.arange(len(vertex)), 0))
        later = np.flatnonzero(~is_shortest)
        triplet = np.column_stack([other[shortest[later]], vertex[later], other[later]])
        return Increments(length[later] - length[shortest[later]], triplet)


class FeatureDissimilarities(Dissimilarities):
    """Euclidean distances between the rows of X."""

    def __init__(self, X: np.ndarray) -> None:
        self.X, self.n = X, len(X)

    def take(self, members: np.ndarray) -> "FeatureDissimilarities":
        return FeatureDissimilarities(self.X[members])

    def between(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        return cdist(self.X[rows], self.X[columns])

    def diameter(self) -> float:
        """The largest distance; beyond 5,000 objects a bound, twice the largest distance to the center."""
        if self.n <= _EXACT_DIAMETER:
            return super().diameter()
        return 2 * float(np.sqrt(((self.X - self.X.mean(axis=0)) ** 2).sum(axis=1).max()))

    def tree(self) -> Tree:
        if self.n <= _DENSE_TREE or self.X.shape[1] > FEW_FEATURES:
            return Tree(*tree_of_features(self.X, np.arange(self.n)))
        rows = distinct_rows(self.X)
        first, second, length = distinct_points_tree(self.X[rows.first])
        copies = np.setdiff1d(np.arange(self.n), rows.first)
        return Tree(
            np.concatenate([rows.first[rows.group[copies]], rows.first[first]]),
            np.concatenate([copies, rows.first[second]]),
            np.concatenate([np.zeros(len(copies)), length]),
        )

    def two_nearest(self) -> Nearest:
        return two_nearest(self.X)


class GivenDissimilarities(Dissimilarities):
    """Dissimilarities that were given as a matrix."""

    def __init__(self, D: np.ndarray) -> None:
        self.D, self.n = D, len(D)

    def take(self, members: np.ndarray) -> "GivenDissimilarities":
        return GivenDissimilarities(self.D[np.ix_(members, members)])

    def between(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        return np.asarray(self.D[np.ix_(rows, columns)])

    def tree(self) -> Tree:
        return Tree(*tree_of_distances(self.D, np.arange(self.n)))

    def two_nearest(self) -> Nearest:
        return two_nearest_by_distances(self.D)


def as_dissimilarities(X: Any = None, distances: Any = None, *, at_least: int = 3) -> Dissimilarities:
    """The dissimilarities of objects, from features or from a matrix: the one of the two that is given."""
    if (X is None) == (distances is None):
        raise ValueError(f"Give either X (features) or distances; got {'neither' if X is None else 'both'}.")
    made: Dissimilarities
    if X is not None:
        features = check_features(X)
        if not isinstance(features, np.ndarray):
            raise ValueError(
                "X is sparse, and increments need dense features: reduce it to a few columns, for example by "
                "sklearn.decomposition.TruncatedSVD, or give distances."
            )
        made = FeatureDissimilarities(np.ascontiguousarray(features, dtype=np.float64))
    else:
        made = GivenDissimilarities(np.ascontiguousarray(check_distances(distances), dtype=np.float64))
    if made.n < at_least:
        raise ValueError(f"Increments need at least {at_least} objects; got {made.n}.")
    return made
