"""Pairs to ask about: those on which an ensemble is most divided."""

from typing import Any

import numpy as np

from pluribus._engine import RandomState, seeds
from pluribus.constraints import Answers
from pluribus.constraints._internal import check_answers
from pluribus.evidence.co_association import CoAssociation
from pluribus.partitions import Ensemble, as_ensemble

_CANDIDATES = 10_000


class DividedPairs:
    """Ask about the pairs on which the partitions of an ensemble are most divided.

    An answer is useful if about half of the partitions put the pair together (c near 1/2), if the two objects represent
    many others, and if no earlier answer was about similar objects. The score of a pair is 4 c (1 - c) · √(reach of one
    · reach of the other) · Π (1 - similarity to an answered pair). The reach of an object is the mean share of objects
    in its clusters. The similarity of two pairs is the product of the evidence between their objects.

    Objects with equal labels count as one. There is no n × n matrix: candidates are 10,000 random pairs that share a
    cluster of some partition (all pairs, if there are fewer).

    It is a selector like those in ``pluribus.constraints``. Prefer an ensemble with about as many clusters as the
    result: finer members also divide pairs that are not in doubt.

    Parameters
    ----------
    ensemble : Ensemble, or labels that can be one
    random_state : int, RandomState, Generator or None

    Examples
    --------
    >>> from pluribus.constraints import ask
    >>> from pluribus.evidence import DividedPairs
    >>> labels = [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1]]
    >>> asked = []
    >>> def oracle(i, j):
    ...     asked.append((i, j))
    ...     return "together" if {i, j} <= {0, 1, 2} else "apart"
    >>> known = ask(DividedPairs(labels, random_state=0), oracle)
    >>> sorted(asked)  # is object 2 with the first two, or with the last three?
    [(0, 2), (2, 3)]
    """

    def __init__(self, ensemble: Any, *, random_state: RandomState = None) -> None:
        ensemble = as_ensemble(ensemble)
        self.n_objects = ensemble.n_objects
        rows = ensemble.unique_rows()
        _, self._object = np.unique(rows.inverse, return_index=True)  # the first of each group of equal rows
        rng = np.random.default_rng(seeds(random_state, 1)[0])
        self._group_of = rows.inverse
        self._evidence = CoAssociation(rows.ensemble, form="operator")
        one, other = _candidates(rows.ensemble, rows.counts, rng)
        c = self._evidence.pairs(one, other)
        reach = _reach(rows.ensemble, rows.counts)
        score = 4 * c * (1 - c) * np.sqrt(reach[one] * reach[other])
        divided = np.flatnonzero(score > 0)
        divided = divided[rng.permutation(len(divided))]  # ties in a random order
        self._pairs = np.column_stack([one, other])[divided]
        self._score = score[divided]
        self._new = np.ones(len(divided))  # 1 - similarity of each pair to the answered ones
        self._considered: list[tuple[int, int]] = []

    def next_pair(self, answers: Answers) -> tuple[int, int] | None:
        """The pair with the highest score among those without an answer."""
        check_answers(answers, self.n_objects)
        self._consider([(a.one, a.other) for a in answers.given])
        for at in np.argsort(-self._score * self._new, kind="stable"):
            i, j = self._object[self._pairs[at]].tolist()
            if answers.relation(i, j) is None:
                return min(i, j), max(i, j)
        return None

    def _consider(self, asked: list[tuple[int, int]]) -> None:
        """Lower the score of pairs that are similar to an answered one."""
        if asked[: len(self._considered)] != self._considered:  # an answer was undone
            self._new[:] = 1
            self._considered = []
        for i, j in asked[len(self._considered) :]:
            (a, b), (x, y) = self._pairs.T, self._group_of[[i, j]]
            x, y = np.full(len(a), x), np.full(len(a), y)
            straight = self._evidence.pairs(a, x) * self._evidence.pairs(b, y)
            crossed = self._evidence.pairs(a, y) * self._evidence.pairs(b, x)
            self._new *= 1 - np.maximum(straight, crossed)
        self._considered = asked


def _candidates(ensemble: Ensemble, counts: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of distinct rows, one < other: all, or random pairs within the clusters of each partition."""
    n, r = ensemble.labels.shape
    if n * (n - 1) // 2 <= _CANDIDATES:
        return np.triu_indices(n, k=1)
    chosen = []
    per_partition = -(-_CANDIDATES // r)
    for labels in ensemble.labels.T:
        covered = np.flatnonzero(labels >= 0)
        by_cluster = covered[np.argsort(labels[covered], kind="stable")]
        start = np.searchsorted(labels[by_cluster], np.arange(labels.max() + 2))
        one = rng.choice(covered, per_partition, p=counts[covered] / counts[covered].sum())
        low, high = start[labels[one]], start[labels[one] + 1]
        chosen.append(np.column_stack([one, by_cluster[rng.integers(low, high)]]))
    pairs = np.sort(np.concatenate(chosen), axis=1)
    pairs = np.unique(pairs[pairs[:, 0] < pairs[:, 1]], axis=0)
    return pairs[:, 0], pairs[:, 1]


def _reach(ensemble: Ensemble, counts: np.ndarray) -> np.ndarray:
    """The mean share of objects in the clusters of each row."""
    total, weight = np.zeros(len(counts)), np.zeros(len(counts))
    for labels, w in zip(ensemble.labels.T, ensemble.weights, strict=True):
        covered = labels >= 0
        sizes = np.bincount(labels[covered], weights=counts[covered])
        total[covered] += w * sizes[labels[covered]] / sizes.sum()
        weight[covered] += w
    return np.divide(total, weight, out=np.zeros(len(counts)), where=weight > 0)
