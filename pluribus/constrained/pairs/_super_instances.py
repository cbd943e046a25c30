"""Super-instances: regions of rows that a tree of k-means splits makes finer and finer."""

import warnings
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import pairwise_distances_argmin
from sklearn.metrics.pairwise import euclidean_distances

from pluribus._engine import run_tasks
from pluribus.partitions._internal import number_by_size
from pluribus.tables._internal import check_scale

_STARTS = 10  # of each k-means


class Part(NamedTuple):
    """Some rows around a center, and the row that speaks for them."""

    rows: np.ndarray
    center: np.ndarray
    medoid: int


class Stage(NamedTuple):
    """The clusters of the super-instances there were after a number of questions."""

    n_questions: int
    super_instances: np.ndarray  # their numbers in the tree
    clusters: np.ndarray  # of each, from 0

    @property
    def n_clusters(self) -> int:
        """How many clusters there were."""
        return int(self.clusters.max()) + 1


class SuperInstances:
    """The tree of super-instances. Number 0 holds all rows, and those that were split come before their parts.

    Attributes
    ----------
    leaf_of : ndarray of shape (n,)
        The super-instance of each row.
    medoids : list of int
        The row that speaks for each super-instance: the nearest to its center.
    """

    def __init__(self, X: Any, weights: np.ndarray, seed: int) -> None:
        n = X.shape[0]
        # Distances by products are exact only near the origin.
        self._shift = None if sparse.issparse(X) else X.mean(axis=0, dtype=np.float64).astype(X.dtype)
        self._X, self._weights = self._moved(X), weights
        check_scale(self._X)
        self._rng = np.random.default_rng(seed)
        self.leaf_of = np.zeros(n, dtype=np.int32)
        self.medoids = [0]  # nobody asks about all rows
        self.parents = [-1]
        self._sizes = [float(weights.sum())]
        self._centers = [np.empty(0)]
        self._children: dict[int, np.ndarray] = {}
        self._whole = {0} if n == 1 else set()  # those that cannot be split

    @property
    def leaves(self) -> np.ndarray:
        """The numbers of the super-instances that are not split."""
        return np.setdiff1d(np.arange(len(self.parents)), list(self._children))

    def largest(self) -> int | None:
        """The super-instance of the largest weight that can be split, the first among equals; None if there is none."""
        left = [node for node in self.leaves.tolist() if node not in self._whole]
        return max(left, key=self._sizes.__getitem__, default=None)

    def rows_of(self, node: int) -> np.ndarray:
        """The rows of a super-instance."""
        return np.flatnonzero(self.leaf_of == node)

    def parts_of(self, rows: np.ndarray, k: int) -> list[Part]:
        """At most k parts of some rows by k-means; a single one if they are all equal."""
        weights = self._weights[rows]
        counting = np.flatnonzero(weights)
        if not len(counting):  # equal weights, if none counts
            weights, counting = np.ones_like(weights), np.arange(len(rows))
        k, X = min(k, len(counting)), self._X[rows]
        seed = int(self._rng.integers(2**31))
        if k == 1:
            return [Part(rows, np.empty(0), int(rows[counting[0]]))]
        model = run_tasks(lambda seed: _k_means(X, k, weights, seed), [seed], verbose=False)[0]
        parts = []
        for h in np.unique(model.labels_).tolist():
            own = np.flatnonzero(model.labels_ == h)
            voters = own[weights[own] > 0] if weights[own].any() else own
            center = model.cluster_centers_[h]
            medoid = voters[np.argmin(euclidean_distances(X[voters], center[None])[:, 0])]
            parts.append(Part(rows[own], center, int(rows[medoid])))
        return sorted(parts, key=lambda part: part.rows[0])  # k-means numbers them at random

    def keep_whole(self, node: int) -> None:
        """Do not try again to split a super-instance."""
        self._whole.add(node)

    def split(self, node: int, k: int) -> np.ndarray:
        """Split a super-instance into at most k, and return their numbers."""
        parts = self.parts_of(self.rows_of(node), k)
        first = len(self.parents)
        numbers = np.arange(first, first + len(parts))
        for number, part in zip(numbers.tolist(), parts, strict=True):
            self.leaf_of[part.rows] = number
            self.parents.append(node)
            self.medoids.append(part.medoid)
            self._centers.append(part.center)
            self._sizes.append(float(self._weights[part.rows].sum()))
            if len(part.rows) == 1:
                self._whole.add(number)
        self._children[node] = numbers
        return numbers

    def distances(self, some: np.ndarray, others: np.ndarray) -> np.ndarray:
        """Distances between the medoids of super-instances."""
        medoids = np.array(self.medoids)
        return euclidean_distances(self._X[medoids[some]], self._X[medoids[others]])

    def labels(self, stage: Stage) -> np.ndarray:
        """The cluster of each row at a stage, numbered from the largest."""
        cluster = np.full(len(self.parents), -1)
        cluster[stage.super_instances] = stage.clusters
        return number_by_size(cluster[self.whole_of(stage)[self.leaf_of]], stage.n_clusters)

    def whole_of(self, stage: Stage) -> np.ndarray:
        """The super-instance of a stage that each one of the tree is a part of; -1 for those that were split before."""
        whole = np.full(len(self.parents), -1)
        whole[stage.super_instances] = stage.super_instances
        for node, parent in enumerate(self.parents[1:], start=1):
            if whole[node] < 0:
                whole[node] = whole[parent]
        return whole

    def find(self, X: Any, stage: Stage) -> np.ndarray:
        """The super-instance of new rows at a stage: at each split, that of the nearest center."""
        X, there = self._moved(X), set(stage.super_instances.tolist())
        node_of = np.zeros(X.shape[0], dtype=np.int32)
        for node, children in self._children.items():
            own = np.flatnonzero(node_of == node)
            if node in there or not len(own):
                continue
            centers = np.array([self._centers[child] for child in children], dtype=X.dtype)
            node_of[own] = children[pairwise_distances_argmin(X[own], centers)]
        return node_of

    def _moved(self, X: Any) -> Any:
        return X if self._shift is None else X - self._shift

    def forget(self) -> None:
        """Let go of the rows: the tree alone is kept."""
        self._X = self._weights = np.empty(0)


def _k_means(X: Any, k: int, weights: np.ndarray, seed: int) -> KMeans:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer distinct rows than clusters
        model = KMeans(k, n_init=_STARTS, random_state=seed)
        return model.fit(X, sample_weight=weights)
