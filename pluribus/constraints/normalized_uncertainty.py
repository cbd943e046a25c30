"""Asking about the objects of which a clustering under the answers so far is least sure (NPU)."""

from typing import Any

import numpy as np
import sklearn
from scipy.special import entr

from pluribus._engine import RandomState
from pluribus.constraints.errors import ConstraintError
from pluribus.constraints.neighborhoods import NeighborhoodSelector

_TREES = 50
_ROWS_PER_TREE = 2_000


class NormalizedUncertainty(NeighborhoodSelector):
    """Ask about the object whose neighborhood is least certain, for the number of questions that it will take (NPU).

    The data are clustered under the answers so far, by k-means that starts from the neighborhoods. A random forest
    learns these clusters; two objects are as similar as the share of trees that put them into one leaf. The mean
    similarity to each neighborhood gives the probability that an object belongs there. The next object is the one with
    the most entropy for each question it is expected to take, likeliest neighborhoods first. All is done anew after
    each object that finds its neighborhood: some tenths of a second for a thousand rows.

    Prefer it after the first dozen of answers, and where clusters touch. While there is one neighborhood it takes the
    farthest object.

    Parameters
    ----------
    X : array, sparse matrix or data frame of shape (n, d)
    n_clusters : int
    random_state : int, RandomState, Generator or None

    References
    ----------
    Xiong, Azimi and Fern, "Active learning of constraints for semi-supervised clustering", IEEE TKDE 26(1), 2014.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from pluribus.constraints import NormalizedUncertainty, ask
    >>> X, y = load_iris(return_X_y=True)
    >>> known = ask(NormalizedUncertainty(X, 3, random_state=0), y, n_questions=12)
    >>> len(known.must_link) + len(known.cannot_link)
    12
    """

    def __init__(self, X: Any, n_clusters: int, *, random_state: RandomState = None) -> None:
        if n_clusters is None:
            raise ConstraintError("n_clusters is None: NormalizedUncertainty needs the number of clusters")
        super().__init__(X, n_clusters, random_state=random_state)
        self._of: list[list[int]] = []  # the neighborhoods that the probabilities are about
        self._probability = np.empty((self.n_objects, 0))

    def _choose(self, homes: list[np.ndarray], seen: np.ndarray) -> int | None:
        if len(homes) < 2 or len(seen) == self.n_objects:
            return self._farthest(seen)
        probability = self._probabilities(homes)
        likeliest_first = -np.sort(-probability, axis=1)
        n_questions = likeliest_first @ np.arange(1, len(homes) + 1)
        score = entr(probability).sum(axis=1) / n_questions
        score[seen] = -1
        return int(self._order[np.argmax(score[self._order])])

    def _by_nearness(self, x: int, homes: list[np.ndarray]) -> list[np.ndarray]:
        return [homes[h] for h in np.argsort(-self._probabilities(homes)[x], kind="stable")]

    def _probabilities(self, homes: list[np.ndarray]) -> np.ndarray:
        """Of each object for each neighborhood, from the trees that put them together."""
        members = [home.tolist() for home in homes]
        if members != self._of:
            similarity = self._similarities(homes)
            total = similarity.sum(axis=1, keepdims=True)
            alike = np.full_like(similarity, 1 / len(homes))
            self._probability = np.divide(similarity, total, out=alike, where=total > 0)
            self._of = members
        return self._probability

    def _similarities(self, homes: list[np.ndarray]) -> np.ndarray:
        forest = sklearn.ensemble.RandomForestClassifier(
            _TREES, max_samples=min(self.n_objects, _ROWS_PER_TREE), random_state=self._seed
        ).fit(self.X, self._clusters(homes))
        leaves = forest.apply(self.X)  # (n, trees)
        tree = np.arange(leaves.shape[1])
        result = np.empty((self.n_objects, len(homes)))
        for h, home in enumerate(homes):
            in_leaf = np.zeros((leaves.shape[1], leaves.max() + 1))
            np.add.at(in_leaf, (tree, leaves[home]), 1 / len(home))
            result[:, h] = in_leaf[tree, leaves].mean(axis=1)
        return result

    def _clusters(self, homes: list[np.ndarray]) -> np.ndarray:
        """k-means from the neighborhoods; clusters that have none yet start from the farthest objects."""
        seen = np.concatenate(homes)
        starts = self._means(homes)
        far = self._farthest(seen)
        while len(starts) < (self.n_clusters or 0) and far is not None:
            seen = np.append(seen, far)
            starts = np.vstack([starts, self._means([seen[-1:]])])
            far = self._farthest(seen)
        kmeans = sklearn.cluster.KMeans(len(starts), init=starts, n_init=1).fit(self.X)
        labels = kmeans.labels_.copy()
        for h, home in enumerate(homes):
            labels[home] = h
        return labels
