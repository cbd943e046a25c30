"""Clusterings between statements of the user, and the effect of statements about clusters."""

from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment

from pluribus.constrained._shared.errors import NoFeasibleAssignmentError
from pluribus.constrained._shared.pair_network import hard_network
from pluribus.constrained.feedback._feedback import VERBS, Feedback, Preferences
from pluribus.constrained.feedback._term_mixture import Corpus, TermMixture
from pluribus.constraints import Constraints, InfeasibleError


class Round(NamedTuple):
    """A clustering with given term weights."""

    mixture: TermMixture
    term_weights: np.ndarray
    scores: np.ndarray  # (n, k)
    cost: float  # total weight of the broken preferences

    @classmethod
    def of(cls, mixture: TermMixture, term_weights: np.ndarray, corpus: Corpus, preferences: Preferences) -> "Round":
        """The mixture with the scores of the documents, and the preferences that these break."""
        scores = mixture.scores(corpus.X, term_weights)
        return cls(mixture, term_weights, scores, preferences.cost(scores.argmax(axis=1)))


class Step(NamedTuple):
    """A clustering in the history, and the statements up to it."""

    feedback: tuple[Feedback, ...]
    labels: np.ndarray
    mixture: TermMixture
    term_weights: np.ndarray
    first_weights: np.ndarray  # before learning from statements about objects
    n_rounds: int  # how often the term weights were changed for it


def with_new_prototype(step: Step, corpus: Corpus, cluster: int, seed: int) -> Step:
    """The step with a new prototype of one cluster."""
    theta = step.mixture.theta.copy()
    theta[cluster] = corpus.draw(1, step.term_weights, seed).theta[0]
    return step._replace(mixture=step.mixture._replace(theta=theta))


def split_in_two(step: Step, corpus: Corpus, cluster: int, starts: list[int]) -> Step:
    """The step with a cluster split in two; the smaller part becomes the last cluster."""
    inside = np.flatnonzero(step.labels == cluster)
    if len(inside) < 2:
        raise ValueError(f"cluster {cluster} has {len(inside)} objects: it cannot be split.")
    part = corpus.unbarred()._replace(X=corpus.X[inside], weights=corpus.weights[inside])
    halves = max((part.fit(2, step.term_weights, seed) for seed in starts), key=lambda fit: fit.path[-1])
    lean = halves.scores(part.X, step.term_weights) @ [-1, 1]
    second = lean > 0
    if second.all() or not second.any():
        second = lean > np.median(lean)
    if not second.any():
        raise ValueError(f"cluster {cluster} cannot be split: its {len(inside)} objects do not differ in any term.")
    smaller = second if 2 * second.sum() <= len(second) else ~second
    labels, k = step.labels.copy(), len(step.mixture.prior)
    labels[inside[smaller]] = k
    return _from_labels(step, corpus, labels, k + 1)


def merged(step: Step, corpus: Corpus, one: int, other: int) -> Step:
    """The step with two clusters merged; statements about objects get the new numbers of clusters."""
    k = len(step.mixture.prior)
    low, high = min(one, other), max(one, other)
    number = np.arange(k) - (np.arange(k) > high)
    number[high] = low
    feedback = tuple(
        each._replace(about=(each.about[0], int(number[each.about[1]]))) if VERBS[each.verb] == "oc" else each
        for each in step.feedback
    )
    return _from_labels(step._replace(feedback=feedback), corpus, number[step.labels], k - 1)


def _from_labels(step: Step, corpus: Corpus, labels: np.ndarray, n_clusters: int) -> Step:
    shares = np.eye(n_clusters)[labels] * corpus.weights[:, None]
    mixture = corpus.maximize(shares, step.term_weights)
    return step._replace(labels=labels, mixture=mixture)


def most_likely_labels(
    constraints: Constraints, scores: np.ndarray, witness: np.ndarray | None, corpus: Corpus
) -> np.ndarray:
    """The labels with the highest scores that satisfy the hard constraints and avoid forbidden clusters."""
    closure = constraints.closure()
    scores[corpus.rows] += corpus.barred
    cost = -(closure.chunk_indicator @ scores)
    labels = cost.argmin(axis=1)
    if len(closure.cannot_link) or len(corpus.rows):
        network, apart = hard_network(closure, scores.shape[1], also=closure.chunk_of[corpus.rows])
        of_nodes = None if witness is None else witness[closure.representatives][network.nodes]
        try:
            labels[network.nodes] = network.assign(cost[network.nodes], apart, witness=of_nodes)
        except NoFeasibleAssignmentError as error:
            raise InfeasibleError(f"the statements cannot all hold: {error}.", k=scores.shape[1]) from None
    return labels[closure.chunk_of]


def matched_to(labels: np.ndarray, mixture: TermMixture, X: Any, term_weights: np.ndarray) -> TermMixture:
    """The mixture with its clusters numbered like the most similar ones of these labels."""
    k = len(mixture.prior)
    shared = np.zeros((k, k))
    np.add.at(shared, (labels, mixture.scores(X, term_weights).argmax(axis=1)), 1)
    return mixture.take(linear_sum_assignment(shared, maximize=True)[1])
