"""Asking: a selector proposes pairs, somebody answers, and nothing is asked that follows from the answers."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol

from pluribus._engine import whole_number
from pluribus.constraints._statements import parse_names
from pluribus.constraints.answers import Answers, check_answers
from pluribus.constraints.constraints import Constraints
from pluribus.constraints.errors import ConstraintError


class Selector(Protocol):
    """What chooses the next pair: a function of the answers alone, so that one can undo them, or go on tomorrow.

    Examples
    --------
    >>> from pluribus.constraints import ask
    >>> class InOrder:
    ...     n_objects = 4
    ...
    ...     def next_pair(self, answers):
    ...         return next(((0, j) for j in range(1, 4) if answers.relation(0, j) is None), None)
    >>> ask(InOrder(), oracle=["a", "a", "b", "b"], n_questions=10)
    <Constraints: 4 objects, 1 must-link, 2 cannot-links>
    """

    n_objects: int

    def next_pair(self, answers: Answers) -> tuple[int, int] | None:
        """The pair of which most is to be learned and nothing is known, or None if there is none left."""


class Question(NamedTuple):
    """Do two objects belong together? Made by :func:`questions`."""

    one: int
    other: int
    answers: Answers

    def answer(self, answer: str) -> None:
        """Say "together", "apart" or "unsure"."""
        self.answers.tell(self.one, self.other, answer)


def questions(
    selector: Selector, n_questions: int | None = None, *, answers: Answers | None = None
) -> Iterator[Question]:
    """Yield what to ask next, one pair after the other; answer each before you take the next.

    Parameters
    ----------
    selector : Selector
        :class:`FarthestFirst`, :class:`MinMax`, :class:`NormalizedUncertainty`, ``pluribus.evidence.DividedPairs``, or
        one of your own.
    n_questions : int, optional
        How many answers to get; by default until the selector has no more questions.
    answers : Answers, optional
        Where to keep the answers. If it holds some already, asking goes on from there. An answer that you take back by
        its ``undo()`` is asked for anew.

    Examples
    --------
    >>> from pluribus.constraints import Answers, MinMax, questions
    >>> X = [[0], [1], [9], [10]]
    >>> answers = Answers(4)
    >>> for question in questions(MinMax(X, random_state=0), answers=answers):
    ...     question.answer("together" if abs(X[question.one][0] - X[question.other][0]) < 5 else "apart")
    >>> answers
    <Answers: 4 objects, 2 together, 1 apart, 0 unsure>
    """
    if n_questions is not None:
        n_questions = whole_number("n_questions", n_questions, 0, error=ConstraintError)
    kept = _kept(selector, answers)
    target = None if n_questions is None else len(kept) + n_questions
    while target is None or len(kept) < target:
        pair = selector.next_pair(kept)
        if pair is None:
            return
        before = len(kept)
        yield Question(*pair, kept)
        if len(kept) == before:
            raise ConstraintError(f"the question about {pair} was not answered: say 'unsure' to pass over it")


def ask(
    selector: Selector, oracle: Any, n_questions: int | None = None, *, answers: Answers | None = None
) -> Constraints:
    """Ask somebody who knows, and return the answers as constraints.

    Parameters
    ----------
    selector, n_questions, answers
        As in :func:`questions`.
    oracle : sequence of length n, or callable
        The true labels (-1, None or NaN where unknown: then the answer is "unsure"); or a function that takes the two
        objects and returns "together", "apart" or "unsure".

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from pluribus.constraints import FarthestFirst, ask
    >>> X, y = load_iris(return_X_y=True)
    >>> ask(FarthestFirst(X, 3, random_state=0), y, n_questions=20)
    <Constraints: 150 objects, 16 must-links, 4 cannot-links>
    """
    kept = _kept(selector, answers)
    reply = as_reply(oracle, selector.n_objects)
    for question in questions(selector, n_questions, answers=kept):
        question.answer(reply(question.one, question.other))
    return kept.constraints


def _kept(selector: Any, answers: Any) -> Answers:
    """Where the answers are kept; raises if the selector chooses no pairs, or among other objects."""
    if not hasattr(selector, "next_pair") or not hasattr(selector, "n_objects"):
        raise ConstraintError(
            f"selector must have n_objects and next_pair(answers), such as MinMax(X); got {type(selector).__name__}"
        )
    kept = Answers(selector.n_objects) if answers is None else answers
    check_answers(kept, selector.n_objects)
    return kept


def as_reply(oracle: Any, n: int) -> Callable[[int, int], str]:
    """A function that answers about two of n objects, from an oracle as in :func:`ask`."""
    return oracle if callable(oracle) else _by_labels(oracle, n)


def _by_labels(y: Any, n: int) -> Callable[[int, int], str]:
    codes, _ = parse_names(y, n, "oracle")

    def reply(i: int, j: int) -> str:
        if codes[i] < 0 or codes[j] < 0:
            return "unsure"
        return "together" if codes[i] == codes[j] else "apart"

    return reply
