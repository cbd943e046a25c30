"""Selectors that build neighborhoods: sets of objects known to be together, each apart from the others."""

from abc import ABC, abstractmethod
from numbers import Integral
from typing import Any

import numpy as np
import sklearn

from pluribus._engine import RandomState, seeds
from pluribus.constraints.answers import Answers, check_answers
from pluribus.constraints.errors import ConstraintError


class NeighborhoodSelector(ABC):
    """Take an object, and compare it with one neighborhood after the other until one is its own.

    Which object is next, and in which order it is compared, is up to the method.
    """

    def __init__(self, X: Any, n_clusters: int | None = None, *, random_state: RandomState = None) -> None:
        self.X = sklearn.utils.check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32], ensure_min_samples=2)
        self.n_objects = self.X.shape[0]
        if n_clusters is not None and not (isinstance(n_clusters, Integral) and 2 <= n_clusters <= self.n_objects):
            raise ConstraintError(
                f"n_clusters={n_clusters!r}: give None, or a whole number from 2 to the {self.n_objects} objects"
            )
        self.n_clusters = n_clusters
        self._seed = seeds(random_state, 1)[0]
        self._order = np.random.default_rng(self._seed).permutation(self.n_objects)
        self._seen: set[int] = set()
        self._distance = np.full(self.n_objects, np.inf)  # to the nearest object seen

    def next_pair(self, answers: Answers) -> tuple[int, int] | None:
        """The pair to ask about next: a member of a neighborhood, and an object that has none yet."""
        check_answers(answers, self.n_objects)
        groups = answers.groups() or [self._order[:1]]
        homes, waiting = self._sort_out(groups, answers)
        if waiting is None:
            waiting = self._choose(homes, np.concatenate(groups))
        if waiting is None:
            return None
        for home in self._by_nearness(waiting, homes):
            if answers.relation(home[0], waiting) is None:
                return int(home[self._nearest(waiting, home)]), int(waiting)
        return None

    @abstractmethod
    def _choose(self, homes: list[np.ndarray], seen: np.ndarray) -> int | None:
        """An object of which nothing is known."""

    @abstractmethod
    def _by_nearness(self, x: int, homes: list[np.ndarray]) -> list[np.ndarray]:
        """The neighborhoods, the likeliest for object x first."""

    def _sort_out(self, groups: list[np.ndarray], answers: Answers) -> tuple[list[np.ndarray], int | None]:
        """The neighborhoods, and an object that was compared with some of them but not yet with its own."""
        homes: list[np.ndarray] = []
        others: list[np.ndarray] = []
        for group in groups:
            apart = all(answers.relation(home[0], group[0]) == "apart" for home in homes)
            (homes if apart else others).append(group)
        for group in others:
            known = [answers.relation(home[0], group[0]) for home in homes]
            by_elimination = self.n_clusters is not None and known.count("apart") >= self.n_clusters - 1
            if None in known and not by_elimination:
                return homes, int(group[0])
        return homes, None

    def _farthest(self, seen: np.ndarray) -> int | None:
        """The object that is farthest from all that was seen; among equals, the first in a random order."""
        if len(seen) == self.n_objects:
            return None
        if not self._seen.issubset(seen.tolist()):  # an answer was taken back
            self._seen, self._distance = set(), np.full(self.n_objects, np.inf)
        new = [i for i in seen.tolist() if i not in self._seen]
        if new:
            _, distance = sklearn.metrics.pairwise_distances_argmin_min(self.X, self.X[new])
            self._distance = np.minimum(self._distance, distance)
            self._seen.update(new)
        distance = self._distance[self._order]
        distance[np.isin(self._order, seen)] = -1
        return int(self._order[np.argmax(distance)])

    def _any(self, seen: np.ndarray) -> int | None:
        """The first object in a random order that was not seen."""
        left = np.flatnonzero(~np.isin(self._order, seen))
        return int(self._order[left[0]]) if len(left) else None

    def _nearest(self, x: int, members: np.ndarray) -> int:
        return int(np.argmin(sklearn.metrics.pairwise.euclidean_distances(self.X[[x]], self.X[members])))

    def _means(self, homes: list[np.ndarray]) -> np.ndarray:
        return np.vstack([np.asarray(self.X[home].mean(axis=0)).reshape(1, -1) for home in homes])


class FarthestFirst(NeighborhoodSelector):
    """Find one object of each cluster, then give random objects to them: explore and consolidate.

    Exploring takes the object that is farthest from all that were asked about, and compares it with each neighborhood;
    if it is apart from all, it founds a new one. With `n_clusters` neighborhoods all clusters have been met, and
    consolidating begins: objects at random, each compared with the nearest neighborhood first.

    Prefer it when the number of clusters is known and must-links are worth most. Outliers are far away too: where there
    are many, the first questions are about odd objects.

    Parameters
    ----------
    X : array, sparse matrix or data frame of shape (n, d)
    n_clusters : int, optional
        If it is not known, exploring ends when three times as many objects as there are neighborhoods were seen, and
        three more.
    random_state : int, RandomState, Generator or None

    References
    ----------
    Basu, Banerjee and Mooney, "Active semi-supervision for pairwise constrained clustering", SDM 2004.

    Examples
    --------
    >>> from pluribus.constraints import FarthestFirst, ask
    >>> X = [[0, 0], [0, 1], [8, 0], [8, 1], [0, 8], [1, 8]]
    >>> ask(FarthestFirst(X, 3, random_state=0), oracle=[0, 0, 1, 1, 2, 2]).closure().chunk_of.tolist()
    [0, 0, 1, 1, 2, 2]
    """

    def _choose(self, homes: list[np.ndarray], seen: np.ndarray) -> int | None:
        met_all = len(homes) >= self.n_clusters if self.n_clusters else len(seen) >= 3 * len(homes) + 3
        return self._any(seen) if met_all else self._farthest(seen)

    def _by_nearness(self, x: int, homes: list[np.ndarray]) -> list[np.ndarray]:
        distance = sklearn.metrics.pairwise.euclidean_distances(self.X[[x]], self._means(homes))[0]
        return [homes[h] for h in np.argsort(distance, kind="stable")]


class MinMax(NeighborhoodSelector):
    """Always ask about the object that is least like all that were asked about.

    It explores as :class:`FarthestFirst` does, and goes on in the same way when all clusters have been met: the next
    object is the one whose greatest similarity to any known object is the smallest. It is compared with the
    neighborhood of the most similar object first. (For any similarity that falls with the distance this is the same.)

    Parameters
    ----------
    X : array, sparse matrix or data frame of shape (n, d)
    n_clusters : int, optional
        If given, an object that is apart from all neighborhoods but one is not asked about any more.
    random_state : int, RandomState, Generator or None

    References
    ----------
    Mallapragada, Jin and Jain, "Active query selection for semi-supervised clustering", ICPR 2008.

    Examples
    --------
    >>> from pluribus.constraints import MinMax, ask
    >>> ask(MinMax([[0], [1], [9], [10]], random_state=0), oracle=["a", "a", "b", "b"])
    <Constraints: 4 objects, 2 must-links, 1 cannot-link>
    """

    def _choose(self, homes: list[np.ndarray], seen: np.ndarray) -> int | None:
        return self._farthest(seen)

    def _by_nearness(self, x: int, homes: list[np.ndarray]) -> list[np.ndarray]:
        rows = self.X[[x]]
        nearest = [sklearn.metrics.pairwise.euclidean_distances(rows, self.X[home]).min() for home in homes]
        return [homes[h] for h in np.argsort(nearest, kind="stable")]
