"""The cluster of new rows, by the rows that were clustered."""

from functools import cached_property
from typing import Any

import numpy as np
import sklearn
from scipy import sparse

from pluribus.tables import Rows
from pluribus.tables._internal import check_new_scale

_NEIGHBORS = 5  # that vote on the cluster of a new row
KEPT = 100_000  # rows that are kept to be searched
FEWEST = 50  # of them in a cluster, if it has as many
_AT_ONCE = 10_000  # new rows, for which memberships are averaged at a time


class NearestRows:
    """Rows, their clusters and memberships, searched when the first new row asks.

    If there are more than `KEPT`, a sample of each cluster is kept: ``index`` has the places of the kept rows.
    """

    def __init__(self, X: Any, labels: np.ndarray, membership: np.ndarray, seed: int) -> None:
        self.index = np.arange(len(labels)) if len(labels) <= KEPT else _sample(labels, seed)
        if isinstance(X, Rows):
            self.rows = X.take(self.index)
        else:
            self.rows = X if len(self.index) == len(labels) else X[self.index]
        self.labels = labels[self.index]
        self.membership = membership[self.index]

    @classmethod
    def kept(cls, rows: Any, labels: np.ndarray, membership: np.ndarray, index: np.ndarray) -> "NearestRows":
        """Rows that were kept before, with their clusters, memberships and places."""
        made = cls.__new__(cls)
        made.rows, made.labels, made.membership, made.index = rows, labels, membership, index
        return made

    def predict(self, X: Any) -> np.ndarray:
        """Return the cluster of the nearest rows, nearer ones counting for more."""
        check_new_scale(X)
        return self._search.predict(self._in_form(X))

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the mean membership of the nearest rows, nearer ones counting for more; rows sum to 1."""
        check_new_scale(X)
        return np.concatenate([self._mean(X[start : start + _AT_ONCE]) for start in range(0, X.shape[0], _AT_ONCE)])

    def _mean(self, X: Any) -> np.ndarray:
        distance, neighbors = self._search.kneighbors(self._in_form(X))
        same = distance == 0
        with np.errstate(divide="ignore"):
            weight = np.where(same.any(axis=1, keepdims=True), same, 1 / distance)
        mean = np.einsum("ij,ijk->ik", weight, self.membership[neighbors])
        return mean / mean.sum(axis=1, keepdims=True)

    def _in_form(self, X: Any) -> Any:
        """New rows, dense if those that were kept are."""
        return X.toarray() if sparse.issparse(X) and not sparse.issparse(self.rows) else X

    @cached_property
    def _search(self) -> Any:
        n_neighbors = min(_NEIGHBORS, len(self.labels))
        return sklearn.neighbors.KNeighborsClassifier(n_neighbors, weights="distance").fit(self.rows, self.labels)


def _sample(labels: np.ndarray, seed: int) -> np.ndarray:
    """Draw rows from each cluster in proportion to its size, but not too few."""
    sizes = np.bincount(labels)
    quota = np.maximum(np.round(KEPT * (sizes / len(labels))), np.minimum(sizes, FEWEST))
    shuffled = np.random.default_rng(seed).permutation(len(labels))
    by_cluster = shuffled[np.argsort(labels[shuffled], kind="stable")]
    ranks = np.arange(len(labels)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.sort(by_cluster[ranks < np.repeat(quota, sizes)])
