"""Statements of a user about a clustering: one method for each verb."""

from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from pluribus._engine import seeds, whole_number
from pluribus.constrained._shared.counts import term_names
from pluribus.constrained.feedback._feedback import Feedback
from pluribus.partitions import contingency
from pluribus.partitions._internal import encode_labels


class FeedbackVerbs(ABC):
    """Verbs that make one statement each, and cluster again from the current clusters.

    A statement about objects must hold unless it has a weight: then it is a preference.
    """

    labels_: np.ndarray
    term_probabilities_: np.ndarray
    cluster_weights_: np.ndarray
    random_state: Any

    @abstractmethod
    def tell(self, *feedback: Feedback) -> Self:
        """Apply statements, and cluster again."""

    def apart(self, i: int, j: int, *, weight: float | None = None) -> Self:
        """Objects i and j do not belong together."""
        return self._state("apart", i, j, weight=weight)

    def together(self, i: int, j: int, *, weight: float | None = None) -> Self:
        """Objects i and j belong together."""
        return self._state("together", i, j, weight=weight)

    def not_in(self, i: int, cluster: int, *, weight: float | None = None) -> Self:
        """Object i does not belong in this cluster; any other cluster is permitted."""
        return self._state("not_in", i, cluster, weight=weight)

    def move(self, i: int, cluster: int, *, weight: float | None = None) -> Self:
        """Object i belongs in this cluster."""
        return self._state("move", i, cluster, weight=weight)

    def good(self, cluster: int) -> Self:
        """This cluster is as it should be: terms that vary within it matter less."""
        return self._state("good", cluster)

    def bad(self, cluster: int) -> Self:
        """This cluster makes no sense: terms that vary within it matter more, and it gets a new start."""
        return self._state("bad", cluster)

    def split(self, cluster: int) -> Self:
        """This cluster is two: terms that vary within it matter more; the smaller part becomes the last cluster."""
        return self._state("split", cluster)

    def merge(self, one: int, other: int) -> Self:
        """These two clusters are one: terms that separate them matter less.

        The lower number stays; clusters above the higher number move down by one.
        """
        return self._state("merge", one, other)

    def top_terms(self, n_terms: int = 10, names: Any = None) -> list[list[Any]]:
        """The terms that distinguish each cluster from all documents, the most distinctive first.

        Parameters
        ----------
        n_terms : int
        names : sequence of length V, optional
            The terms. By default the column names in ``fit``, or the column numbers if there were no names.
        """
        check_is_fitted(self)
        theta = self.term_probabilities_
        n_terms, names = whole_number("n_terms", n_terms, 0), term_names(self, names)
        share = theta * np.log(theta / (self.cluster_weights_ @ theta))
        most = np.argsort(-share, axis=1, kind="stable")[:, :n_terms]
        return names[most].tolist()

    def run_oracle(self, y: Any, n_rounds: int = 10) -> Self:
        """Simulate a user who knows the classes y and states of two objects in one cluster that they belong apart.

        The two are drawn at random in each round, and the statement has a weight of 1. It ends early when no cluster
        contains two classes.
        """
        check_is_fitted(self)
        classes, _ = encode_labels(y)
        if len(classes) != len(self.labels_):
            raise ValueError(f"y has {len(classes)} labels, but there are {len(self.labels_)} objects.")
        for seed in seeds(self.random_state, whole_number("n_rounds", n_rounds, 0)):
            pair = _counterexample(self.labels_, classes, np.random.default_rng(seed))
            if pair is None:
                break
            self.apart(*pair, weight=1.0)
        return self

    def _state(self, verb: str, *about: int, weight: float | None = None) -> Self:
        return self.tell(Feedback(verb, about, float("inf") if weight is None else weight))


def _counterexample(labels: np.ndarray, classes: np.ndarray, rng: np.random.Generator) -> tuple[int, int] | None:
    """Two objects of one cluster and different classes, each such pair equally likely; None if there is none."""
    known = np.flatnonzero(classes >= 0)
    places, _ = encode_labels(labels[known])
    shared = contingency(places, classes[known])
    others = (shared.sum(axis=1, keepdims=True) - shared)[places, encode_labels(classes[known])[0]]
    if not others.any():
        return None
    i = rng.choice(len(known), p=others / others.sum())
    j = rng.choice(np.flatnonzero((places == places[i]) & (classes[known] != classes[known[i]])))
    return int(known[i]), int(known[j])
