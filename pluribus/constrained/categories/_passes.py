"""How many passes there are, how many words seeds keep in each, and what each pass did."""

from collections.abc import Iterator
from itertools import islice, repeat
from typing import NamedTuple

_MOST_FURTHER = 1000  # passes until no document moves


class Pass(NamedTuple):
    """What one pass did."""

    words: int  # kept in each seed
    before: int  # categories before it
    merged: int  # after merging
    kept: int  # after dropping small ones
    outliers: int  # documents that have left so far
    changed: int  # documents with another category than before


class Schedule(NamedTuple):
    """Words in a seed from pass to pass: multiplied by θ until there are as few as in the end.

    Examples
    --------
    >>> from pluribus.constrained.categories._passes import Schedule
    >>> list(Schedule(500, 200, 0.7, None, converge=False).words())
    [500, 350, 245, 200]
    >>> list(Schedule(500, 500, 1, 3, converge=False).words())
    [500, 500, 500]
    """

    start: int
    end: int
    theta: float
    max_iter: int | None
    converge: bool

    def check(self) -> None:
        """Refuse words that become more, and passes without an end."""
        if self.end > self.start:
            raise ValueError(
                f"words_end={self.end} is more than words_start={self.start}: seeds lose words from pass to pass."
            )
        if self.theta == 1 and self.max_iter is None:
            raise ValueError("theta=1 keeps the number of words: give max_iter, the number of passes.")

    @property
    def last(self) -> int:
        """The words in a seed once they stay."""
        return self.start if self.theta == 1 else self.end

    def words(self) -> Iterator[int]:
        """The words of each pass."""
        return islice(self._words(), self.max_iter)

    def _words(self) -> Iterator[int]:
        if self.theta == 1:
            yield from repeat(self.start)
        now = float(self.start)
        while now > self.end:
            yield round(now)
            now *= self.theta
        yield from repeat(self.end, _MOST_FURTHER if self.converge else 1)
