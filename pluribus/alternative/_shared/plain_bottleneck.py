"""The information bottleneck with nothing known, as a clusterer of counts for other methods."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from pluribus.alternative._shared.bottleneck import Cooling, by_annealing, distinct_rows, one_hot
from pluribus.alternative._shared.families import MULTINOMIAL, prepare_rows
from pluribus.alternative._shared.group_scores import GroupScores


class PlainBottleneck(BaseEstimator):
    """Cluster rows of counts by how their features are distributed; annealing needs no random start.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus.alternative._shared.plain_bottleneck import PlainBottleneck
    >>> model = PlainBottleneck(2).fit(np.array([[8, 1, 1], [9, 0, 1], [1, 7, 2], [0, 9, 1]]))
    >>> model.labels_.tolist() in ([0, 0, 1, 1], [1, 1, 0, 0])
    True
    >>> bool(model.predict(np.array([[5, 1, 0]]))[0] == model.labels_[0])
    True
    """

    def __init__(self, n_clusters: int) -> None:
        self.n_clusters = n_clusters

    def fit(self, X: Any) -> "PlainBottleneck":
        """Maximize I(C;F)."""
        shares = prepare_rows(X, MULTINOMIAL)
        nothing = np.zeros(X.shape[0], dtype=np.int64)
        first, inverse = distinct_rows(shares, nothing)
        weights = np.bincount(inverse) / len(inverse)
        data = GroupScores(shares[first], nothing[first], weights, MULTINOMIAL)
        used, labels = np.unique(by_annealing(data, self.n_clusters, 0.0, Cooling()).labels, return_inverse=True)
        self._data, self._profiles = data, data.profiles(one_hot(labels, len(used)))
        self.labels_ = labels[inverse]
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The cluster that explains each row best."""
        shares = prepare_rows(X, MULTINOMIAL)
        return self._data.scores_of_new(shares, np.zeros(X.shape[0], np.int64), self._profiles, 0.0).argmax(axis=1)
