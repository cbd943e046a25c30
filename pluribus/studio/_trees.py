"""Spanning trees of the objects: of features, of distances, or of the evidence of an ensemble."""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.decomposition import PCA, TruncatedSVD

from pluribus.consensus._internal import evidence_tree
from pluribus.increments._internal import FeatureDissimilarities, GivenDissimilarities
from pluribus.partitions import Ensemble

_DENSE = 20_000  # rows up to which the tree is that of all features
_COMPONENTS = 8  # that stand for the features of a larger table, if it has more


class Tree(NamedTuple):
    """The edges of a spanning tree, shortest first; equal lengths by the lower and the higher number of their ends."""

    first: np.ndarray
    second: np.ndarray
    length: np.ndarray

    @property
    def n_objects(self) -> int:
        """The objects that it spans."""
        return len(self.first) + 1


def _ordered(first: np.ndarray, second: np.ndarray, length: np.ndarray) -> Tree:
    low, high = np.minimum(first, second), np.maximum(first, second)
    order = np.lexsort((high, low, length))
    return Tree(low[order].astype(np.int64), high[order].astype(np.int64), length[order].astype(np.float64))


def tree_of_features(X: Any) -> tuple[Tree, str]:
    """The tree of the rows by Euclidean distance, and a note if it is not that of all features."""
    n, d = X.shape
    note = ""
    if d <= _COMPONENTS and sparse.issparse(X):
        X = X.toarray()
    if sparse.issparse(X) or (n > _DENSE and d > _COMPONENTS):
        reduce = TruncatedSVD if sparse.issparse(X) else PCA
        k = max(1, min(_COMPONENTS, d - 1, n - 1))
        X = reduce(k, random_state=0).fit_transform(X)
        note = f"Distances on the map of closest rows are those of {k} principal components of the {d:,} features."
    tree = FeatureDissimilarities(np.ascontiguousarray(X, dtype=np.float64)).tree()
    return _ordered(tree.first, tree.second, tree.length), note


def tree_of_distances(D: np.ndarray) -> Tree:
    """The tree of given distances."""
    tree = GivenDissimilarities(np.ascontiguousarray(D, dtype=np.float64)).tree()
    return _ordered(tree.first, tree.second, tree.length)


def tree_of_evidence(ensemble: Ensemble) -> Tree:
    """The tree of 1 - evidence."""
    return _ordered(*evidence_tree(ensemble, verbose=False))
