"""Blocks of rows to remove: what is allowed, drawing them, and mending those that are not allowed.

A solution with g gaps is a tuple (first, last, first, last, …) of 2 g row numbers, both ends of each block included. A
block whose last row is the one before its first removes nothing, and marks a change without a transition.
"""

from math import ceil, floor
from typing import NamedTuple

import numpy as np

Block = tuple[int, ...]


class Limits(NamedTuple):
    """The guards: rows, gaps, the fewest rows of a segment, the most rows that are removed."""

    n: int
    n_gaps: int
    least: int
    most_removed: int

    @classmethod
    def of(cls, n: int, n_gaps: int, min_segment: float, max_removed: float) -> "Limits":
        """From shares of the rows; refused if no solution obeys them."""
        least = max(3, ceil(min_segment * n))
        needed = (n_gaps + 1) * least + n_gaps
        if n < needed:
            raise ValueError(
                f"X has {n} rows, but {n_gaps + 1} segments of at least {least} rows and {n_gaps} removed need "
                f"{needed}: give more rows, fewer gaps, or a smaller min_segment (at least 3 rows are kept in any "
                "case)."
            )
        most = min(floor(max_removed * n), n - (n_gaps + 1) * least)
        if most < n_gaps:
            raise ValueError(
                f"max_removed={max_removed} of {n} rows is less than one row for each of {n_gaps} gaps: give a larger "
                "share."
            )
        return cls(n, n_gaps, least, most)

    def drawn(self, rng: np.random.Generator) -> Block:
        """A random solution: the number of removed rows, then how they and the kept rows are spread."""
        removed = int(rng.integers(self.n_gaps, self.most_removed + 1))
        gaps = 1 + _spread(removed - self.n_gaps, self.n_gaps, rng)
        kept = self.n - removed - (self.n_gaps + 1) * self.least
        segments = self.least + _spread(kept, self.n_gaps + 1, rng)
        limits: list[int] = []
        place = 0
        for segment, gap in zip(segments, gaps, strict=False):
            limits += [place + int(segment), place + int(segment + gap) - 1]
            place = limits[-1] + 1
        return tuple(limits)

    def mended(self, limits: list[int]) -> Block:
        """The nearest solution that obeys the guards: limits in order, pushed apart, and blocks that are too long."""
        v = sorted(limits)
        last = len(v) - 1
        for i in range(len(v)):
            floor_ = self.least if i == 0 else v[i - 1] if i % 2 else v[i - 1] + self.least + 1
            v[i] = max(v[i], floor_)
        for i in range(last, -1, -1):
            ceiling = self.n - 1 - self.least if i == last else v[i + 1] - self.least - 1 if i % 2 else v[i + 1]
            v[i] = min(v[i], ceiling)
        excess = removed_rows(tuple(v)) - self.most_removed
        for gap in sorted(range(self.n_gaps), key=lambda gap: v[2 * gap] - v[2 * gap + 1]):
            cut = min(max(excess, 0), v[2 * gap + 1] - v[2 * gap])
            v[2 * gap] += cut // 2
            v[2 * gap + 1] -= cut - cut // 2
            excess -= cut
        return tuple(v)

    def allows(self, block: Block) -> bool:
        """Whether a solution obeys the guards."""
        return self.mended(list(block)) == block


def removed_rows(block: Block) -> int:
    """How many rows a solution removes."""
    return sum(last - first + 1 for first, last in zip(block[::2], block[1::2], strict=True))


def segments_of(block: Block, n: int) -> np.ndarray:
    """The number of the segment of each row, -1 for removed rows."""
    segment = np.zeros(n, dtype=np.int64)
    for number, (first, last) in enumerate(zip(block[::2], block[1::2], strict=True), 1):
        segment[first : last + 1] = -1
        segment[last + 1 :] = number
    return segment


def _spread(total: int, parts: int, rng: np.random.Generator) -> np.ndarray:
    """A total as a sum of parts, all ways equally likely."""
    bars = np.sort(rng.choice(total + parts - 1, parts - 1, replace=False)) if parts > 1 else np.empty(0, np.int64)
    return np.diff(np.concatenate([[-1], bars, [total + parts - 1]])) - 1
