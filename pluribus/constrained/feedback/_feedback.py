"""What a person says while looking at a clustering, and what it means for pairs, places and weights of terms."""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from pluribus.constrained.feedback._term_mixture import divergences, divergences_from
from pluribus.constraints import ConstraintError, Constraints

# What each verb speaks of: (o)bjects and (c)lusters.
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
    """One statement: a verb, the objects and clusters it is about, and how much it counts (infinite: it must hold).

    The verbs of :class:`FeedbackClusterer` make them, ``feedback_`` keeps them, and ``tell`` takes several at once.

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
        """Whether it names no object."""
        return "o" not in VERBS[self.verb]

    @property
    def is_about_pairs(self) -> bool:
        """Whether it names two objects."""
        return VERBS[self.verb] == "oo"


def check_feedback(feedback: tuple[Any, ...], n_objects: int, n_clusters: int) -> tuple[Feedback, ...]:
    """The statements, or an error that says what is wrong with one."""
    checked = tuple(_checked(Feedback(*each), n_objects, n_clusters) for each in feedback)
    alone = [each.verb for each in checked if each.verb in RENUMBER]
    if alone and len(checked) > 1:
        raise ValueError(f"{alone[0]!r} changes the numbers of clusters: tell it alone, then what follows from it.")
    return checked


def _checked(said: Feedback, n_objects: int, n_clusters: int) -> Feedback:
    if said.verb not in VERBS:
        raise ValueError(f"no verb is called {said.verb!r}; there are {', '.join(VERBS)}.")
    kinds = VERBS[said.verb]
    if len(said.about) != len(kinds):
        raise ValueError(f"{said.verb!r} is about {len(kinds)} numbers, got {said.about}.")
    about = tuple(int(number) for number in said.about)
    if about != tuple(said.about):
        raise ValueError(f"{said.verb!r} is about row numbers and cluster numbers, got {said.about}.")
    for kind, number in zip(kinds, about, strict=True):
        what, count = ("object", n_objects) if kind == "o" else ("cluster", n_clusters)
        if not 0 <= number < count:
            raise ValueError(f"{said.verb!r}: there is no {what} {number}; they are numbered 0 to {count - 1}.")
    if kinds in ("oo", "cc") and about[0] == about[1]:
        raise ValueError(f"{said.verb!r} is about two different {what}s, got {about}.")
    weight = np.inf if said.weight is None else float(said.weight)
    if not weight > 0:
        raise ValueError(f"weight={said.weight}: a number above 0, or None if it must hold.")
    return Feedback(said.verb, about, weight)


def with_pairs(constraints: Constraints, feedback: tuple[Feedback, ...]) -> Constraints:
    """The constraints and the pairs that were said to belong together or apart."""
    parts: dict[str, Any] = {}
    for verb, kind in (("together", "must"), ("apart", "cannot")):
        said = [each for each in feedback if each.verb == verb]
        parts[f"{kind}_link"] = np.array([each.about for each in said], dtype=np.int64).reshape(-1, 2)
        parts[f"{kind}_weight"] = [each.weight for each in said]
    return constraints.merge(Constraints(constraints.n_objects, **parts))


def barred_places(feedback: tuple[Feedback, ...], n_clusters: int) -> tuple[np.ndarray, np.ndarray]:
    """Objects that must not be in some clusters, and minus infinity where (objects, k); zero elsewhere."""
    hard = [each for each in feedback if VERBS[each.verb] == "oc" and np.isinf(each.weight)]
    rows = np.unique(np.array([each.about[0] for each in hard], dtype=np.int64))
    barred = np.zeros((len(rows), n_clusters))
    for each in hard:
        place, cluster = np.searchsorted(rows, each.about[0]), each.about[1]
        barred[place, np.arange(n_clusters) != cluster if each.verb == "move" else cluster] = -np.inf
    nowhere = rows[np.isinf(barred).all(axis=1)]
    if len(nowhere):
        said = [f"{each.verb}{each.about}" for each in hard if each.about[0] == nowhere[0]]
        raise ConstraintError(
            f"object {nowhere[0]} is left no cluster by {', '.join(said)}: take one back, or give one a weight."
        )
    return rows, barred


class Told(NamedTuple):
    """What was said, with finite weights."""

    pairs: np.ndarray  # (m, 2)
    together: np.ndarray  # (m,)
    weights: np.ndarray  # (m,)
    places: tuple[Feedback, ...]  # move and not_in

    def broken_places(self, labels: np.ndarray) -> list[Feedback]:
        """Those moves and exclusions that the labels do not follow."""
        return [each for each in self.places if (labels[each.about[0]] == each.about[1]) != (each.verb == "move")]

    def broken_pairs(self, labels: np.ndarray) -> np.ndarray:
        """Which pairs the labels break."""
        one, other = labels[self.pairs].T
        return (one == other) != self.together

    def cost(self, labels: np.ndarray) -> float:
        """Weight of what the labels break."""
        places = sum(each.weight for each in self.broken_places(labels))
        return float(self.weights[self.broken_pairs(labels)].sum() + places)


def told_by(constraints: Constraints, feedback: tuple[Feedback, ...] = ()) -> Told:
    """The pairs as they were said; of groups and labels, each object with the first, and the first of each apart."""
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
    weighed = zip(places, weight[len(pairs) :].tolist(), strict=True)
    return Told(pairs, together, weight[: len(pairs)], tuple(each._replace(weight=w) for each, w in weighed))


def gradient_of_broken(X: Any, told: Told, labels: np.ndarray, smoothing: float) -> np.ndarray:
    """Where the weights of the terms should go: up if they separate what belongs apart, else down."""
    broken = told.broken_pairs(labels)
    rows = sparse.csr_array(X[told.pairs[broken].ravel()], dtype=np.float64)
    each = divergences(rows[::2], rows[1::2], smoothing)
    total = np.where(told.together[broken], -1.0, 1.0) * told.weights[broken] @ each
    for said in told.broken_places(labels):
        i, cluster = said.about
        here = divergences_from(counts_of(X, labels == labels[i]), X[[i]], smoothing)
        there = divergences_from(counts_of(X, labels == cluster), X[[i]], smoothing) if said.verb == "move" else 0
        total = total + said.weight * (here - there)
    return total


def gradient_of_clusters(X: Any, said: Feedback, labels: np.ndarray, smoothing: float) -> np.ndarray:
    """The same for a statement about clusters: what varies within one that is good matters less, within others more."""
    inside = labels == said.about[0]
    if said.verb == "merge":
        one, other = counts_of(X, inside), counts_of(X, labels == said.about[1])
        return -divergences_from(one, other[None, :], smoothing)
    sign = -1.0 if said.verb == "good" else 1.0
    return sign * divergences_from(counts_of(X, inside), X[inside], smoothing)


def counts_of(X: Any, inside: np.ndarray) -> np.ndarray:
    """How often each term is in these documents together."""
    return np.asarray(X[inside].sum(axis=0), dtype=np.float64).ravel()


def satisfied(feedback: tuple[Feedback, ...], labels: np.ndarray) -> np.ndarray:
    """Which statements hold; those about clusters were followed once, and count as done."""
    found = []
    for said in feedback:
        if said.is_about_clusters:
            found.append(True)
        elif said.is_about_pairs:
            found.append(bool(labels[said.about[0]] == labels[said.about[1]]) == (said.verb == "together"))
        else:
            found.append(bool(labels[said.about[0]] == said.about[1]) == (said.verb == "move"))
    return np.array(found, dtype=bool)
