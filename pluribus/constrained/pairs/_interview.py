"""Answers about pairs of objects while there are questions left."""

from collections.abc import Callable
from itertools import count

from pluribus._engine import track
from pluribus.constraints import Answers


class OutOfQuestionsError(Exception):
    """An answer is needed, and nothing more may be asked."""


class Interview:
    """Look a pair up in the answers, and ask only about pairs that do not follow from them.

    Parameters
    ----------
    answers : Answers
        What is known; new answers are added.
    reply : callable or None
        Takes two objects and returns "together", "apart" or "unsure"; None if nobody can be asked.
    most : int or None
        How many questions may be asked; None is any number.
    """

    def __init__(self, answers: Answers, reply: Callable[[int, int], str] | None, most: int | None, verbose: bool):
        self.answers, self._reply, self._most = answers, reply, most
        steps = count() if most is None else range(most)
        self._progress = track(steps, "questions", verbose=verbose and reply is not None)
        next(self._progress, None)  # shows the bar

    def __enter__(self) -> "Interview":
        return self

    def __exit__(self, *error: object) -> None:
        self._progress.close()  # type: ignore[attr-defined]

    def relation(self, one: int, other: int) -> str:
        """ "together", "apart" or "unsure"; raises OutOfQuestionsError if it is not known and may not be asked."""
        known = self.answers.relation(one, other)
        if known is not None:
            return known
        if self._reply is None or (self._most is not None and len(self.answers) >= self._most):
            raise OutOfQuestionsError
        answer = self._reply(one, other)
        self.answers.tell(one, other, answer)
        next(self._progress, None)
        return answer
