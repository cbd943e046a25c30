"""What was answered so far, and what follows from it."""

import os
from numbers import Integral
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pluribus._engine import atomic_path, whole_number
from pluribus.constraints._csv import answers_from_csv, answers_to_csv
from pluribus.constraints._objects import Objects
from pluribus.constraints.constraints import Constraints
from pluribus.constraints.errors import ConstraintError, ContradictionError

ANSWERS = ("together", "apart", "unsure")


class Answer(NamedTuple):
    """An answer about two objects."""

    one: int
    other: int
    answer: str  # "together", "apart" or "unsure"


class Answers:
    """The answers about pairs of n objects, in the order given, with all that follows from them.

    If 0 is with 1, and 1 apart from 2, then 0 is apart from 2: :meth:`relation` knows, and nobody is asked. What
    follows is kept up to date with each answer, without a new look at all the others.

    Parameters
    ----------
    n_objects : int
    known : Constraints, optional
        What is known beforehand; its soft pairs decide nothing here.

    Attributes
    ----------
    n_objects : int
    known : Constraints
    given : tuple of Answer
        The answers, each ``(one, other, answer)``.

    Examples
    --------
    >>> from pluribus.constraints import Answers
    >>> answers = Answers(4)
    >>> answers.tell(0, 1, "together")
    >>> answers.tell(1, 2, "apart")
    >>> answers.relation(0, 2), answers.relation(0, 3)
    ('apart', None)
    >>> answers.undo()
    Answer(one=1, other=2, answer='apart')
    >>> answers.constraints
    <Constraints: 4 objects, 1 must-link>
    """

    def __init__(self, n_objects: int, known: Constraints | None = None) -> None:
        n_objects = whole_number("n_objects", n_objects, 1, error=ConstraintError)
        self.known = Constraints(n_objects) if known is None else known
        if not isinstance(self.known, Constraints):
            raise ConstraintError(f"known must be None or a pluribus.Constraints, got {type(known).__name__}")
        if self.known.n_objects != n_objects:
            raise ConstraintError(
                f"known is about {self.known.n_objects} objects, but the answers are about {n_objects}: give the "
                "constraints of the same objects"
            )
        self.n_objects = n_objects
        self._given: list[Answer] = []
        self._start()

    @property
    def given(self) -> tuple[Answer, ...]:
        """The answers in the order given."""
        return tuple(self._given)

    def __len__(self) -> int:
        return len(self._given)

    def __repr__(self) -> str:
        counts = ", ".join(f"{sum(a.answer == kind for a in self._given)} {kind}" for kind in ANSWERS)
        return f"<Answers: {self.n_objects} objects, {counts}>"

    def tell(self, one: int, other: int, answer: str) -> None:
        """Add an answer: ``"together"``, ``"apart"``, or ``"unsure"``, which decides nothing and is not asked again.

        Raises
        ------
        ContradictionError
            If the opposite follows from the answers before, with the chain of links it follows from.
        """
        if not isinstance(answer, str) or answer not in ANSWERS:
            raise ConstraintError(f"an answer is one of {', '.join(ANSWERS)}; got {answer!r}")
        one, other = self._check(one), self._check(other)
        if one == other:
            raise ConstraintError(f"objects {one} and {other} are the same: an answer is about two objects")
        opposite = {"together": "apart", "apart": "together"}.get(answer)
        if opposite is not None and self.relation(one, other) == opposite:
            self._all([*self._given, Answer(one, other, answer)])  # raises ContradictionError
        self._given.append(Answer(one, other, answer))
        self._apply(self._given[-1])

    def undo(self) -> Answer:
        """Take the last answer back, and return it."""
        if not self._given:
            raise ConstraintError("there is no answer to take back")
        last = self._given.pop()
        self._start()
        for answer in self._given:
            self._apply(answer)
        return last

    def relation(self, one: int, other: int) -> str | None:
        """What is known of two objects: "together", "apart", "unsure" if only that was answered, or None."""
        a, b = self._group(self._check(one)), self._group(self._check(other))
        if a == b:
            return "together"
        if b in self._apart.get(a, ()) or {a, b} <= self._labeled:
            return "apart"
        return "unsure" if b in self._unsure.get(a, ()) else None

    def groups(self) -> list[np.ndarray]:
        """The objects of which anything is known, those together in one array, by the order of first mention."""
        return [np.array(members) for members in self._members.values()]

    @property
    def constraints(self) -> Constraints:
        """What was known beforehand and what was answered, as constraints."""
        return self._all(self._given)

    @classmethod
    def read(
        cls, path: str | os.PathLike[str], n_objects: int, *, ids: object = None, known: Constraints | None = None
    ) -> "Answers":
        """Read a file of answers, to go on with it; objects are called by index or, if `ids` are given, by id."""
        objects = Objects(Path(path), n_objects, ids)
        result = cls(n_objects, known)
        try:
            for one, other, answer in answers_from_csv(objects.text(), objects):
                result.tell(one, other, answer)
        except ContradictionError as error:
            raise error.renamed(objects.name) from None
        return result

    def write(self, path: str | os.PathLike[str], *, ids: object = None) -> None:
        """Write the answers, in their order, to a CSV file that :meth:`Constraints.read` takes too.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> from pluribus import Constraints
        >>> from pluribus.constraints import Answers
        >>> answers = Answers(3)
        >>> answers.tell(0, 2, "together")
        >>> answers.tell(0, 1, "unsure")
        >>> path = Path(tempfile.mkdtemp()) / "answers.csv"
        >>> answers.write(path, ids=["ann", "bob", "eve"])
        >>> print(path.read_text())
        one,other,type
        ann,eve,must-link
        ann,bob,unsure
        <BLANKLINE>
        >>> Constraints.read(path, ids=["ann", "bob", "eve"])
        <Constraints: 3 objects, 1 must-link>
        """
        objects = Objects(Path(path), self.n_objects, ids)
        with atomic_path(path) as temporary:
            temporary.write_text(answers_to_csv(self._given, objects), encoding="utf-8")

    # -- how: groups of chunklets of what was known, in dictionaries that hold only what was spoken of -----------

    def _start(self) -> None:
        closure = self.known.closure()
        self._chunk_of = closure.chunk_of
        self._into: dict[int, int] = {}  # a chunklet that was joined to another
        self._apart: dict[int, set[int]] = {}
        self._unsure: dict[int, set[int]] = {}
        self._members: dict[int, list[int]] = {}
        self._labeled = set(closure.class_chunks.tolist())  # groups with a known label: all apart from each other
        spoken_of = np.union1d(
            np.flatnonzero(closure.chunk_sizes > 1), np.append(closure.told_apart, closure.class_chunks)
        )
        rows = closure.chunk_indicator
        for chunk in spoken_of[np.argsort(-closure.chunk_sizes[spoken_of], kind="stable")].tolist():
            self._members[chunk] = rows.indices[rows.indptr[chunk] : rows.indptr[chunk + 1]].tolist()
        self._place = {group: at for at, group in enumerate(self._members)}  # order of first mention
        for a, b in closure.told_apart.tolist():
            _note(self._apart, a, b)

    def _group(self, i: int) -> int:
        chunk = int(self._chunk_of[i])
        while chunk in self._into:
            chunk = self._into[chunk]
        return chunk

    def _apply(self, answer: Answer) -> None:
        a, b = self._group(answer.one), self._group(answer.other)
        for group, i in ((a, answer.one), (b, answer.other)):
            if group not in self._members:
                self._members[group] = [i]
                self._place[group] = len(self._place)
        if answer.answer == "unsure":
            _note(self._unsure, a, b)
        elif answer.answer == "apart":
            _note(self._apart, a, b)
        elif a != b:
            first, second = sorted((a, b), key=self._place.__getitem__)  # the one spoken of first keeps its place
            self._into[second] = first
            if second in self._labeled:
                self._labeled.remove(second)
                self._labeled.add(first)
            self._members[first] += self._members.pop(second)
            for relation in (self._apart, self._unsure):
                for c in relation.pop(second, set()):
                    relation[c].discard(second)
                    if c != first:
                        _note(relation, first, c)

    def _all(self, given: list[Answer]) -> Constraints:
        pairs = {kind: [(a.one, a.other) for a in given if a.answer == kind] for kind in ANSWERS}
        return self.known.merge(Constraints(self.n_objects, pairs["together"], pairs["apart"]))

    def _check(self, i: int) -> int:
        if not isinstance(i, Integral) or isinstance(i, bool) or not 0 <= i < self.n_objects:
            raise ConstraintError(f"object {i!r} is not there: the indices of {self.n_objects} objects go from 0")
        return int(i)


def check_answers(answers: Any, n_objects: int) -> None:
    """Refuse what is not an ``Answers`` about so many objects."""
    if not isinstance(answers, Answers):
        raise ConstraintError(f"answers must be a pluribus.constraints.Answers, got {type(answers).__name__}")
    if answers.n_objects != n_objects:
        raise ConstraintError(
            f"answers are about {answers.n_objects} objects, but the selector chooses among {n_objects}"
        )


def _note(relation: dict[int, set[int]], a: int, b: int) -> None:
    relation.setdefault(a, set()).add(b)
    relation.setdefault(b, set()).add(a)
