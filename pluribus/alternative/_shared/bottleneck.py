"""Partitions of much information about features: by annealing, by single moves, and by moves of all rows at once."""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from pluribus.alternative._shared.annealing import anneal
from pluribus.alternative._shared.group_scores import GroupScores
from pluribus.alternative._shared.information_moves import move_until_stable

_LN2 = np.log(2)
_PASSES = 100  # of single moves
_ORDERS = 5  # in which rows move after annealing; the best counts


class Cooling(NamedTuple):
    """How annealing cools."""

    factor: float = 1.1  # between two temperatures
    tol: float = 1e-4
    max_iter: int = 200  # at one temperature
    max_information: float = np.inf  # I(C;X) in bits at which it stops


class Partition(NamedTuple):
    """Clusters, and the way to them."""

    q: np.ndarray  # (n, k), hard unless annealing stopped early
    objective: np.ndarray  # in bits
    temperatures: np.ndarray  # of each iteration; 0 = memberships are hard
    critical_temperature: float
    soft: bool
    converged: bool

    @property
    def labels(self) -> np.ndarray:
        """The cluster of each row."""
        return self.q.argmax(axis=1)


def objective_of(data: Any, q: np.ndarray, coordination: float) -> float:
    """I(C;F|Z) + λ I(C;F) in bits."""
    within, overall = data.informations(q)
    return (within + coordination * overall) / _LN2


def by_annealing(data: Any, k: int, coordination: float, cooling: Cooling) -> Partition:
    """Deterministic annealing, then single moves until none raises I(C;F|Z) + λ I(C;F)."""
    cooled = anneal(
        data,
        k,
        coordination,
        cooling=cooling.factor,
        tol=cooling.tol,
        max_iter=cooling.max_iter,
        max_information=cooling.max_information * _LN2,
    )
    constant = float(data.entropies @ (1, coordination))
    objective, temperatures = (cooled.objective + constant) / _LN2, 1 / cooled.betas
    soft = not cooled.hard and np.isfinite(cooling.max_information)
    if soft:
        return Partition(cooled.q, objective, temperatures, 1 / cooled.first_beta, True, True)
    labels = cooled.q.argmax(axis=1)
    orders = [_polished(data, labels, k, coordination, seed) for seed in range(_ORDERS)]
    found = max(orders, key=lambda run: run.objective[-1])
    return Partition(
        found.q,
        np.append(objective, found.objective),
        np.append(temperatures, found.temperatures),
        1 / cooled.first_beta,
        False,
        cooled.hard or not len(cooled.betas),
    )


def by_moves(data: GroupScores, k: int, coordination: float, seed: int) -> Partition:
    """Single moves from a random partition."""
    return _polished(data, _random_labels(data.n, k, seed), k, coordination, seed)


def by_reassignment(data: Any, k: int, coordination: float, seed: int, max_iter: int) -> Partition:
    """All rows move to the cluster that explains them best, and the clusters follow, until nothing changes (Lloyd)."""
    labels, objective, stable = _random_labels(data.n, k, seed), [], False
    for _ in range(max_iter):
        q = one_hot(labels, k)
        objective.append(objective_of(data, q, coordination))
        scores = data.scores(q, coordination)
        new = _filled(scores.argmax(axis=1), scores, k)
        stable = bool((new == labels).all()) or (len(objective) > 1 and objective[-1] <= objective[-2])
        if stable:
            break
        labels = new
    return Partition(one_hot(labels, k), np.array(objective), np.zeros(len(objective)), np.nan, False, stable)


def one_hot(labels: np.ndarray, k: int) -> np.ndarray:
    """Hard memberships."""
    return np.eye(k)[labels]


def distinct_rows(X: Any, groups: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The first of each set of equal rows in one group, and the set of each row.

    Equal rows have equal products with random vectors, to the last bit; other rows do not.
    """
    probes = np.random.default_rng(0).normal(size=(X.shape[1], 2))
    if sparse.issparse(X):
        products = X @ probes
    else:  # row by row, since the sums of a matrix product may depend on the place of the row
        products = np.column_stack([np.einsum("ij,j->i", X, probe) for probe in probes.T])
    columns = np.column_stack([products, groups])
    _, first, inverse = np.unique(columns, axis=0, return_index=True, return_inverse=True)
    return first, inverse.ravel()


def _polished(data: Any, labels: np.ndarray, k: int, coordination: float, seed: int) -> Partition:
    q, objective, stable = one_hot(labels, k), [objective_of(data, one_hot(labels, k), coordination)], True
    if isinstance(data, GroupScores):
        labels, stable = move_until_stable(data, labels, k, coordination, seed, _PASSES)
        q = one_hot(labels, k)
        objective.append(objective_of(data, q, coordination))
    return Partition(q, np.array(objective), np.zeros(len(objective)), np.nan, False, stable)


def _random_labels(n: int, k: int, seed: int) -> np.ndarray:
    """Each cluster has as many rows as any other, or one more."""
    return np.random.default_rng(seed).permutation(np.arange(n) % k)


def _filled(labels: np.ndarray, scores: np.ndarray, k: int) -> np.ndarray:
    """A cluster that lost all rows gets the row that is explained worst; to divide a cluster loses no information."""
    for c in np.flatnonzero(np.bincount(labels, minlength=k) == 0):
        alone = np.bincount(labels, minlength=k)[labels] == 1
        own = np.where(alone, np.inf, scores[np.arange(len(labels)), labels])
        if np.isfinite(own).any():
            labels[own.argmin()] = c
    return labels
