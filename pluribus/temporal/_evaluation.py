"""The fitness of solutions, computed once each, in parallel, and kept on disk for a search that is stopped."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from pluribus._engine import ArraySpec, TaskStore, run_tasks
from pluribus.temporal._blocks import Block, removed_rows, segments_of
from pluribus.temporal._fitness import Fitness, best_boundary, fitness_of
from pluribus.temporal._members import MakeMembers, co_association
from pluribus.temporal._rows import OrderedRows
from pluribus.temporal.extract_partitions import LINKAGES, extracted


class Score(NamedTuple):
    """A solution, its fitness, and how much stronger the evidence is within segments than between them."""

    block: Block
    fitness: Fitness
    contrast: float


class Goal(NamedTuple):
    """What a search looks for."""

    alpha: float
    threshold: float
    penalty: float

    def value(self, score: Score, n: int) -> float:
        """The objective: F - penalty * (share of removed rows)."""
        return score.fitness.total - self.penalty * removed_rows(score.block) / n

    def reached(self, score: Score) -> bool:
        """Whether the states are clean."""
        return score.fitness.total >= self.threshold - 1e-9

    def rank(self, score: Score, n: int) -> tuple[float, ...]:
        """Sorts solutions: the highest is the best.

        Without a penalty, the shortest of those that reach the threshold is the best; below it, the fittest. What the
        evidence says of the segments decides between equals, so that the first in time is not preferred.
        """
        removed, contrast = removed_rows(score.block), round(score.contrast, 9)
        value = round(self.value(score, n), 9)
        if self.penalty > 0:
            return value, -removed, contrast
        reached = self.reached(score)
        return (1, -removed, value, contrast) if reached else (0, value, -removed, contrast)


class Evaluation:
    """Computes scores of solutions."""

    def __init__(
        self,
        rows: OrderedRows,
        make: MakeMembers,
        goal: Goal,
        *,
        n_jobs: int | None = None,
        store: TaskStore | None = None,
    ) -> None:
        self.rows, self.make, self.goal = rows, make, goal
        self.n = len(rows)
        self.n_jobs, self.store = n_jobs, store
        self.scores: dict[Block, Score] = {}

    def of(self, blocks: Iterable[Block]) -> list[Score]:
        """The scores of some solutions; those that are known are not computed again."""
        wanted = list(blocks)
        new = [block for block in dict.fromkeys(wanted) if block not in self.scores]
        found = run_tasks(
            self._values,
            {self._number(block): block for block in new},
            n_jobs=self.n_jobs,
            verbose=False,
            store=self.store,
            expected=lambda _: ArraySpec("f", (4,)),
        )
        for block, values in zip(new, found, strict=True):
            self.scores[block] = Score(block, Fitness(*map(float, values[:3])), float(values[3]))
        return [self.scores[block] for block in wanted]

    def best(self) -> Score:
        """The best solution so far."""
        return max(self.scores.values(), key=lambda score: self.goal.rank(score, self.n))

    def whole(self, least: int) -> Score:
        """The best change between two rows, with nothing removed."""
        partitions, evidence = self._extract(np.arange(self.n))
        boundary, fitness = best_boundary(
            np.array([self.rows.in_time(labels) for labels in partitions]), self.goal.alpha, least
        )
        block = boundary, boundary - 1
        segment = segments_of(block, self.n)[self.rows.order]
        self.scores[block] = Score(block, fitness, _contrast(evidence, segment))
        return self.scores[block]

    def partitions(self, block: Block) -> np.ndarray:
        """The partitions of the kept rows by each linkage, in the order of time."""
        kept = np.flatnonzero(segments_of(block, self.n)[self.rows.order] >= 0)
        labels, _ = self._extract(kept)
        return labels[:, np.argsort(self.rows.order[kept])]

    def fitness(self, block: Block) -> Fitness:
        """The fitness of a solution alone."""
        return Fitness(*map(float, self._values(block)[:3]))

    def contrasts(self, blocks: Sequence[Block]) -> list[float]:
        """The contrast of solutions that keep the same rows, without partitions."""
        segments = [segments_of(block, self.n)[self.rows.order] for block in blocks]
        kept = np.flatnonzero(segments[0] >= 0)
        evidence = co_association(self.make(kept))
        return [_contrast(evidence, segment[kept]) for segment in segments]

    def _values(self, block: Block) -> np.ndarray:
        segment = segments_of(block, self.n)[self.rows.order]
        kept = np.flatnonzero(segment >= 0)
        partitions, evidence = self._extract(kept)
        fitness = fitness_of(partitions, segment[kept], self.goal.alpha)
        return np.array([*fitness, _contrast(evidence, segment[kept])])

    def _extract(self, index: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        evidence = co_association(self.make(index))
        return extracted(evidence, LINKAGES, None), evidence

    def _number(self, block: Block) -> int:
        """The name of a solution in the store."""
        number = 0
        for limit in block:
            number = number * (self.n + 1) + limit + 1
        return number


def _contrast(evidence: np.ndarray, segment: np.ndarray) -> float:
    inside = np.eye(int(segment.max()) + 1)[segment]
    sums = inside.T @ evidence @ inside
    pairs = np.outer(inside.sum(axis=0), inside.sum(axis=0))
    own = np.trace(sums) / np.trace(pairs)
    between = (sums.sum() - np.trace(sums)) / max(pairs.sum() - np.trace(pairs), 1.0)
    return float(own - between)
