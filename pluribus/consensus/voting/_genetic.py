"""The genetic algorithm of ACCCS: label vectors that exchange their ends."""

import numpy as np
from scipy.optimize import linear_sum_assignment

from pluribus._engine import track
from pluribus.consensus.voting._consistency_problem import Problem

_CROSSING, _MUTATION = 0.8, 0.01  # probabilities of the source


def evolve(
    population: np.ndarray, problem: Problem, n_generations: int, rng: np.random.Generator, *, verbose: bool
) -> tuple[np.ndarray, list[float]]:
    """The best labels of chunklets after all generations, and the best J of each.

    The source does not say which individuals remain: here the best of parents and children, so J never falls. Children
    that break hard cannot-links die.
    """
    fitness = np.array([problem.objective(units) for units in population])
    path = [float(fitness.max())]
    for _ in track(range(n_generations), "generations", verbose=verbose):
        children = _children(population, fitness, problem.k, rng)
        scores = np.array([_fitness(units, problem) for units in children])
        everybody, all_fitness = np.concatenate([population, children]), np.concatenate([fitness, scores])
        best = np.argsort(-all_fitness, kind="stable")[: len(population)]
        population, fitness = everybody[best], all_fitness[best]
        path.append(float(fitness[0]))
    return population[fitness.argmax()], path


def _children(population: np.ndarray, fitness: np.ndarray, k: int, rng: np.random.Generator) -> np.ndarray:
    """As many children as there are parents: drawn by fitness, crossed in pairs, and mutated."""
    size, length = population.shape
    chance = fitness / fitness.sum() if fitness.sum() > 0 else None
    children = population[rng.choice(size, size + size % 2, p=chance)]
    for a in range(0, len(children), 2):
        if length > 1 and rng.random() < _CROSSING:
            other = renamed(children[a + 1], children[a], k)
            cut = rng.integers(1, length)
            children[a + 1] = np.concatenate([other[:cut], children[a, cut:]])
            children[a, cut:] = other[cut:]
    mutated = rng.random(children.shape) < _MUTATION
    children[mutated] = rng.integers(0, k, int(mutated.sum()))
    return children[:size]


def renamed(labels: np.ndarray, like: np.ndarray, k: int) -> np.ndarray:
    """The labels under the names with which most of them are equal to ``like``."""
    table = np.zeros((k, k))
    np.add.at(table, (labels, like), 1)
    return linear_sum_assignment(-table)[1][labels]


def _fitness(units: np.ndarray, problem: Problem) -> float:
    apart = problem.closure.cannot_graph.tocoo()
    return -np.inf if (units[apart.row] == units[apart.col]).any() else problem.objective(units)
