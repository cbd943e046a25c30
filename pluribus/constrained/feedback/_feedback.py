"""Statements of a user about a clustering, and what they mean for pairs, clusters of objects and term weights."""

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from pluribus.constrained.feedback._term_mixture import Separation, divergences, divergences_from
from pluribus.constraints import ConstraintError, Constraints

# What each verb is about: (o)bjects and (c)lusters.
VERBS = {
    "apart": "oo",
    "together": "oo",
    "move": "oc",
    "not_in": "oc",
    "good": "c",
    "bad": "c",
    "split": "c",
    "merge": "cc",
}
RENUMBER = ("split", "merge")


class Feedback(NamedTuple):
    """One statement: a verb, the objects and clusters it is about, and its weight (infinite: it must hold).

    The verbs of :class:`FeedbackClusterer` make statements, ``feedback_`` keeps them, and ``tell`` takes several.

    Examples
    --------
    >>> from pluribus.constrained import Feedback
    >>> Feedback("apart", (0, 2))
    Feedback(verb='apart', about=(0, 2), weight=inf)
    """

    verb: str
    about: tuple[int, ...]
    weight: float = np.inf

    @property
    def is_about_clusters(self) -> bool:
        """Whether it is about clusters only."""
        return "o" not in VERBS[self.verb]

    @property
    def is_about_pairs(self) -> bool:
        """Whether it is about two objects."""
        return VERBS[self.verb] == "oo"


def check_feedback(feedback: tuple[Any, ...], n_objects: int, n_clusters: int) -> tuple[Feedback, ...]:
    """The statements, or an error that says what is wrong with one."""
    checked = tuple(_checked(_statement(each), n_objects, n_clusters) for each in feedback)
    alone = [each.verb for each in checked if each.verb in RENUMBER]
    if alone and len(checked) > 1:
        raise ValueError(f"{alone[0]!r} renumbers the clusters: give it alone, and other statements after it.")
    return checked


def _statement(given: Any) -> Feedback:
    """A statement, or one spelled as (verb, about) or (verb, about, weight)."""
    if isinstance(given, tuple | list) and len(given) in (2, 3):
        return Feedback(*given)
    raise ValueError(
        f"{given!r:.200} is not a statement: give Feedback(verb, about), such as Feedback('apart', (0, 2))."
    )


def _checked(statement: Feedback, n_objects: int, n_clusters: int) -> Feedback:
    if not isinstance(statement.verb, str) or statement.verb not in VERBS:
        raise ValueError(f"no verb is called {statement.verb!r}; there are {', '.join(VERBS)}.")
    kinds = VERBS[statement.verb]
    numbers = statement.about if isinstance(statement.about, Sequence | np.ndarray) else ()
    if len(numbers) != len(kinds):
        raise ValueError(f"{statement.verb!r} is about {len(kinds)} numbers, got {statement.about!r:.200}.")
    if not all(isinstance(number, Integral) and not isinstance(number, bool) for number in numbers):
        raise ValueError(f"{statement.verb!r} is about row numbers and cluster numbers, got {statement.about!r:.200}.")
    about = tuple(int(number) for number in numbers)
    for kind, number in zip(kinds, about, strict=True):
        what, count = ("object", n_objects) if kind == "o" else ("cluster", n_clusters)
        if not 0 <= number < count:
            raise ValueError(f"{statement.verb!r}: there is no {what} {number}; they are numbered 0 to {count - 1}.")
    if kinds in ("oo", "cc") and about[0] == about[1]:
        raise ValueError(f"{statement.verb!r} is about two different {what}s, got {about}.")
    weight = np.inf if statement.weight is None else statement.weight
    if not isinstance(weight, Real) or isinstance(weight, bool) or not weight > 0:
        raise ValueError(f"weight={weight!r:.200}: give a number above 0, or None if the statement must hold.")
    return Feedback(statement.verb, about, float(weight))


def with_pairs(constraints: Constraints, feedback: tuple[Feedback, ...]) -> Constraints:
    """The constraints, and the pairs of ``together`` and ``apart``."""
    parts: dict[str, Any] = {}
    for verb, kind in (("together", "must"), ("apart", "cannot")):
        statements = [each for each in feedback if each.verb == verb]
        parts[f"{kind}_link"] = np.array([each.about for each in statements], dtype=np.int64).reshape(-1, 2)
        parts[f"{kind}_weight"] = [each.weight for each in statements]
    return constraints.merge(Constraints(constraints.n_objects, **parts))


def barred_places(feedback: tuple[Feedback, ...], n_clusters: int) -> tuple[np.ndarray, np.ndarray]:
    """Objects with forbidden clusters, and a mask (objects, k): minus infinity where forbidden, zero elsewhere."""
    hard = [each for each in feedback if VERBS[each.verb] == "oc" and np.isinf(each.weight)]
    rows = np.unique(np.array([each.about[0] for each in hard], dtype=np.int64))
    barred = np.zeros((len(rows), n_clusters))
    for each in hard:
        place, cluster = np.searchsorted(rows, each.about[0]), each.about[1]
        barred[place, np.arange(n_clusters) != cluster if each.verb == "move" else cluster] = -np.inf
    nowhere = rows[np.isinf(barred).all(axis=1)]
    if len(nowhere):
        contradictory = [f"{each.verb}{each.about}" for each in hard if each.about[0] == nowhere[0]]
        raise ConstraintError(
            f"object {nowhere[0]} has no permitted cluster after {', '.join(contradictory)}: undo one of them, or "
            "give one a weight."
        )
    return rows, barred


class Preferences(NamedTuple):
    """Pairs, and statements on the clusters of objects, with finite weights: infinite ones get the largest of these."""

    pairs: np.ndarray  # (m, 2)
    together: np.ndarray  # (m,)
    weights: np.ndarray  # (m,)
    places: tuple[Feedback, ...]  # move and not_in

    def broken_places(self, labels: np.ndarray) -> list[Feedback]:
        """The statements on clusters of objects that the labels break."""
        return [each for each in self.places if (labels[each.about[0]] == each.about[1]) != (each.verb == "move")]

    def broken_pairs(self, labels: np.ndarray) -> np.ndarray:
        """Which pairs the labels break."""
        one, other = labels[self.pairs].T
        return (one == other) != self.together

    def cost(self, labels: np.ndarray) -> float:
        """Total weight of the broken preferences."""
        places = sum(each.weight for each in self.broken_places(labels))
        return float(self.weights[self.broken_pairs(labels)].sum() + places)


def preferences_of(constraints: Constraints, feedback: tuple[Feedback, ...] = ()) -> Preferences:
    """The pairs as given; for groups and labels, each object with the first one, and the first ones apart."""
    must, cannot = [constraints.must_link], [constraints.cannot_link]
    weights = [constraints.must_weight, constraints.cannot_weight]
    if len(constraints.group_names) or len(constraints.classes):
        closure = constraints.closure()
        first = closure.representatives
        alone = np.arange(constraints.n_objects)
        linked = np.flatnonzero(first[closure.chunk_of] != alone)
        must.append(np.column_stack([first[closure.chunk_of[linked]], linked]))
        cannot.append(first[closure.cannot_link])
        weights = [weights[0], np.full(len(must[1]), np.inf), weights[1], np.full(len(cannot[1]), np.inf)]
    places = [each for each in feedback if VERBS[each.verb] == "oc"]
    weight = np.concatenate([*weights, [each.weight for each in places]])
    weight = np.where(np.isinf(weight), weight[np.isfinite(weight)].max(initial=1), weight)
    pairs = np.concatenate([*must, *cannot])
    together = np.arange(len(pairs)) < sum(map(len, must))
    weighted = zip(places, weight[len(pairs) :].tolist(), strict=True)
    return Preferences(pairs, together, weight[: len(pairs)], tuple(each._replace(weight=w) for each, w in weighted))


def gradient_of_broken(X: Any, preferences: Preferences, labels: np.ndarray, separation: Separation) -> np.ndarray:
    """Gradient of the term weights: up for terms that separate documents that belong apart, down for the others."""
    broken = preferences.broken_pairs(labels)
    rows = sparse.csr_array(X[preferences.pairs[broken].ravel()], dtype=np.float64)
    each = divergences(rows[::2], rows[1::2], separation)
    total = np.where(preferences.together[broken], -1.0, 1.0) * preferences.weights[broken] @ each
    for statement in preferences.broken_places(labels):
        i, cluster = statement.about
        here = divergences_from(counts_of(X, labels == labels[i]), X[[i]], separation)
        there = divergences_from(counts_of(X, labels == cluster), X[[i]], separation) if statement.verb == "move" else 0
        total = total + statement.weight * (here - there)
    return total


def gradient_of_clusters(X: Any, statement: Feedback, labels: np.ndarray, separation: Separation) -> np.ndarray:
    """The same for a statement about clusters: down for terms that vary within a good cluster, up for the others."""
    inside = labels == statement.about[0]
    if statement.verb == "merge":
        one, other = counts_of(X, inside), counts_of(X, labels == statement.about[1])
        return -divergences_from(one, other[None, :], separation)
    sign = -1.0 if statement.verb == "good" else 1.0
    return sign * divergences_from(counts_of(X, inside), X[inside], separation)


def counts_of(X: Any, inside: np.ndarray) -> np.ndarray:
    """The total count of each term in these documents."""
    return np.asarray(X[inside].sum(axis=0), dtype=np.float64).ravel()


def satisfied(feedback: tuple[Feedback, ...], labels: np.ndarray) -> np.ndarray:
    """Which statements hold; those about clusters are applied once and count as satisfied."""
    holds = []
    for statement in feedback:
        if statement.is_about_clusters:
            holds.append(True)
        elif statement.is_about_pairs:
            holds.append(
                bool(labels[statement.about[0]] == labels[statement.about[1]]) == (statement.verb == "together")
            )
        else:
            holds.append(bool(labels[statement.about[0]] == statement.about[1]) == (statement.verb == "move"))
    return np.array(holds, dtype=bool)
