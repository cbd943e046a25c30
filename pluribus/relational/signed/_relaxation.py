"""The linear relaxation of correlation clustering, and the exact integer program."""

import time
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, linprog, milp

from pluribus._engine import track

_VIOLATED = 1e-7  # by which a triangle inequality may be broken
_INTEGRAL = 1e-6
_ROUNDS = 200


class Relaxation(NamedTuple):
    """A solution x, 0 = together and 1 = apart, of (13.4), or what was found of it in the time allowed.

    ``value`` is the least sum of score · x that is proven: that of the relaxation, or of a weaker one if it is not
    ``solved``; then x may break triangle inequalities.
    """

    x: np.ndarray  # (n, n), symmetric
    value: float
    solved: bool
    rows: "Triangles"

    @property
    def is_integral(self) -> bool:
        """Whether x is a partition."""
        return self.solved and bool((np.minimum(self.x, 1 - self.x) < _INTEGRAL).all())


class Triangles:
    """Inequalities x(v, w) ≤ x(u, v) + x(u, w), added as they are broken; pairs are numbered as in ``np.triu``."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.one, self.other = np.triu_indices(n, k=1)
        self.number = np.zeros((n, n), np.int64)
        self.number[self.one, self.other] = self.number[self.other, self.one] = np.arange(len(self.one))
        self.columns = np.empty((0, 3), np.int64)

    def add_broken(self, x: np.ndarray) -> int:
        """Add, for each pair, the inequality that x breaks the most; how many were added."""
        worst = np.full(x.shape, _VIOLATED)
        through = np.full(x.shape, -1)
        for u in range(self.n):  # n passes over n × n
            broken = x - x[u][:, None] - x[u][None, :]
            more = broken > worst
            worst[more] = broken[more]
            through[more] = u
        v, w = np.nonzero(np.triu(through >= 0, k=1))
        middle = through[v, w]
        new = np.column_stack([self.number[v, w], self.number[middle, v], self.number[middle, w]])
        self.columns = np.unique(np.concatenate([self.columns, new]), axis=0)
        return len(new)

    def matrix(self) -> sparse.csr_array:
        """The inequalities as rows of A x ≤ 0."""
        m = len(self.columns)
        data = np.tile([1.0, -1.0, -1.0], m)
        rows = np.repeat(np.arange(m), 3)
        return sparse.coo_array((data, (rows, self.columns.ravel())), shape=(m, len(self.one))).tocsr()

    def square(self, values: np.ndarray) -> np.ndarray:
        """The values of pairs as a symmetric matrix."""
        x = np.zeros((self.n, self.n))
        x[self.one, self.other] = x[self.other, self.one] = values
        return x


def relax(scores: np.ndarray, seconds: float, *, verbose: bool = True) -> Relaxation:
    """Minimize the sum of score · x over pairs, with triangle inequalities (13.4).

    Each round solves a linear program with the inequalities that earlier solutions broke, so its value is a lower bound
    at any time. Pairs of score minus infinity must be apart: x = 1, and they do not count in the value.
    """
    rows, deadline = Triangles(len(scores)), time.monotonic() + seconds
    costs, low = _costs(scores, rows)
    values = np.maximum(costs <= 0, low).astype(float)
    value, solved = float(costs @ values), False
    for _ in track(range(_ROUNDS), "linear relaxation", verbose=verbose):
        if not rows.add_broken(rows.square(values)):
            solved = True
            break
        left = deadline - time.monotonic()
        if left <= 0:
            break
        answer = linprog(
            costs,
            A_ub=rows.matrix(),
            b_ub=np.zeros(len(rows.columns)),
            bounds=np.column_stack([low, np.ones(len(low))]),
            method="highs",
            options={"time_limit": left},
        )
        if answer.status != 0:  # out of time: the solution before is what there is
            break
        values, value = np.clip(answer.x, low, 1.0), float(answer.fun)
    return Relaxation(rows.square(values), value, solved, rows)


def solve_exactly(
    scores: np.ndarray, relaxation: Relaxation, seconds: float, *, verbose: bool = True
) -> tuple[np.ndarray | None, float]:
    """The best partition as x, and the proven value; None if the time was not enough.

    An integer program with the inequalities of the relaxation; those that its solution breaks are added, until it is a
    partition.
    """
    if relaxation.is_integral:
        return relaxation.x, relaxation.value
    rows, deadline = relaxation.rows, time.monotonic() + seconds
    costs, low = _costs(scores, rows)
    proven = relaxation.value
    for _ in track(range(_ROUNDS), "integer program", verbose=verbose):
        left = deadline - time.monotonic()
        if left <= 0:
            break
        constraints = [LinearConstraint(rows.matrix(), -np.inf, 0.0)] if len(rows.columns) else []
        answer = milp(
            costs,
            constraints=constraints,
            integrality=np.ones(len(costs)),
            bounds=Bounds(low, np.ones(len(low))),
            options={"time_limit": left, "mip_rel_gap": 0.0},
        )
        if answer.mip_dual_bound is not None and np.isfinite(answer.mip_dual_bound):
            proven = max(proven, float(answer.mip_dual_bound))
        if answer.status != 0:
            break
        x = rows.square(np.round(answer.x))
        if not rows.add_broken(x):
            return x, float(costs @ np.round(answer.x))
    return None, proven


def _costs(scores: np.ndarray, rows: Triangles) -> tuple[np.ndarray, np.ndarray]:
    """The cost of each pair being apart, and the least that its x can be."""
    costs = scores[rows.one, rows.other]
    walls = np.isneginf(costs)
    return np.where(walls, 0.0, costs), walls.astype(float)
