"""Two ways to find the block to remove: a grid of all blocks, and the genetic algorithm of the source."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from pluribus._engine import track
from pluribus.temporal._blocks import Block, Limits, removed_rows
from pluribus.temporal._evaluation import Evaluation, Score

GRID = 25  # steps of the coarse grid: some 200 blocks, whose ends are then moved by single rows


class Evolution(NamedTuple):
    """The parameters of the genetic algorithm."""

    population: int
    generations: int
    p_recomb: float
    p_mut: float
    n_mut: int
    elitism: bool


def grid_search(evaluation: Evaluation, limits: Limits, *, verbose: bool = True) -> list[float]:
    """One block: nothing removed, then blocks of a coarse grid from the shortest on, then finer steps around the best.

    It stops at a length where a block reaches the goal: all longer ones are worse. Returns the best F after each
    length.
    """
    n = evaluation.n
    step = max(1, n // GRID)
    evaluation.whole(limits.least)
    history = [evaluation.best().fitness.total]
    lengths = range(step, limits.most_removed + 1, step) or [limits.most_removed]
    for length in track(lengths, "searching for the transition", verbose=verbose):
        if _cannot_improve(evaluation, length):
            break
        evaluation.of((start, start + length - 1) for start in grid_starts(n, length, limits.least, step))
        history.append(evaluation.best().fitness.total)
    while step > 1 and removed_rows(evaluation.best().block):
        step = -(-step // 2)
        _climb(evaluation, limits, step)
    return [*history, evaluation.best().fitness.total]


def _cannot_improve(evaluation: Evaluation, length: int) -> bool:
    """Whether no block of this length or longer can be better than the best so far: F is at most 1."""
    goal, best = evaluation.goal, evaluation.best()
    if goal.penalty > 0:
        return 1 - goal.penalty * length / evaluation.n < goal.value(best, evaluation.n)
    return goal.reached(best)


def grid_starts(n: int, length: int, least: int, step: int) -> list[int]:
    """The first rows of blocks of a length: the same from both ends of the series."""
    low, high = least, n - length - least
    middle = (low + high) / 2
    from_low = [start for start in range(low, high + 1, step) if start <= middle]
    from_high = [start for start in range(high, low - 1, -step) if start >= middle]
    return sorted({*from_low, *from_high})


def _climb(evaluation: Evaluation, limits: Limits, step: int) -> None:
    """Move the ends of the best block by a step as long as that is better."""
    shifts = (-step, 0, step)
    while True:
        best = evaluation.best()
        first, last = best.block
        near = [(first + a, last + b) for a in shifts for b in shifts if last + b >= first + a]
        evaluation.of([block for block in near if limits.allows(block)])
        if evaluation.best().block == best.block:
            return


def genetic_search(
    evaluation: Evaluation, limits: Limits, evolution: Evolution, seed: int, *, verbose: bool = True
) -> list[float]:
    """The genetic algorithm of the source, with the best solution of all generations. Returns the best F after each."""
    rng = np.random.default_rng(seed)
    goal, n = evaluation.goal, evaluation.n
    population = [limits.drawn(rng) for _ in range(evolution.population)]
    history = []
    for _ in track(range(evolution.generations), "evolving the transition", verbose=verbose):
        scores = evaluation.of(population)
        best = evaluation.best()
        history.append(best.fitness.total)
        if goal.reached(best):
            break
        population = [best.block] if evolution.elitism else []
        offspring = _offspring(scores, lambda score: goal.rank(score, n), limits, evolution, rng)
        while len(population) < evolution.population:
            population.append(next(offspring))
    return history


def _offspring(
    scores: list[Score],
    rank: Callable[[Score], tuple[float, ...]],
    limits: Limits,
    evolution: Evolution,
    rng: np.random.Generator,
) -> Iterator[Block]:
    """Children without end, two from each pair of parents."""
    ranks = [rank(score) for score in scores]

    def parent() -> Block:
        a, b = rng.choice(len(scores), 2, replace=False)
        return scores[a if ranks[a] >= ranks[b] else b].block

    while True:
        parents = np.array([parent(), parent()])
        recombined = rng.random() < evolution.p_recomb
        for child in parents:
            if recombined:
                child = rng.integers(parents.min(axis=0), parents.max(axis=0), endpoint=True)
            shifts = rng.integers(0, evolution.n_mut, len(child), endpoint=True) * rng.choice([-1, 1], len(child))
            shifted = child + np.where(rng.random(len(child)) < evolution.p_mut, shifts, 0)
            yield limits.mended([int(limit) for limit in shifted])
