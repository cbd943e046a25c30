"""The cluster of new rows, by the rows that were clustered."""

from functools import cached_property
from typing import Any

import numpy as np
import sklearn

from pluribus.tables import Rows

_NEIGHBORS = 5  # that vote on the cluster of a new row
KEPT = 100_000  # rows that are kept to be searched
FEWEST = 50  # of them in a cluster, if it has as many


class NearestRows:
    """Rows and their clusters, searched when the first new row asks; of more than `KEPT` a sample of each cluster."""

    def __init__(self, X: Any, labels: np.ndarray, seed: int) -> None:
        kept = np.arange(len(labels)) if len(labels) <= KEPT else _sample(labels, seed)
        if isinstance(X, Rows):
            self.rows = X.take(kept)
        else:
            self.rows = X if len(kept) == len(labels) else X[kept]
        self.labels = labels[kept]

    def predict(self, X: Any) -> np.ndarray:
        """Return the cluster of the nearest rows, nearer ones counting for more."""
        return self._search.predict(X)

    @cached_property
    def _search(self) -> Any:
        n_neighbors = min(_NEIGHBORS, len(self.labels))
        return sklearn.neighbors.KNeighborsClassifier(n_neighbors, weights="distance").fit(self.rows, self.labels)


def _sample(labels: np.ndarray, seed: int) -> np.ndarray:
    """Draw rows from each cluster, as many as its share of all is, but not too few."""
    sizes = np.bincount(labels)
    quota = np.maximum(np.round(KEPT * (sizes / len(labels))), np.minimum(sizes, FEWEST))
    shuffled = np.random.default_rng(seed).permutation(len(labels))
    by_cluster = shuffled[np.argsort(labels[shuffled], kind="stable")]
    ranks = np.arange(len(labels)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.sort(by_cluster[ranks < np.repeat(quota, sizes)])
