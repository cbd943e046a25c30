"""Conditions on counts, and assignments to fixed centers that satisfy them.

Rows that count for the same condition are a class. If no row counts for two conditions, the classes are independent:
each is assigned by itself, exactly (a flow) or by pivot movement, and all other rows go to their nearest center.
"""

from typing import NamedTuple, Protocol

import numpy as np
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, milp

from pluribus._kernels.assignment.pivot_moves import move_at_random, move_by_looking_ahead, move_in_cycles
from pluribus.constrained.conditions._requirements import Requirements
from pluribus.constraints import InfeasibleError
from pluribus.partitions import assign_sizes

_MOST_VARIABLES = 10_000  # rows that count times clusters, of the program for classes that overlap
_MOST_SECONDS = 20.0


class CountClass(NamedTuple):
    """Rows of which each cluster must have a number within bounds."""

    rows: np.ndarray | slice
    size: int
    low: int
    high: int


class Assigns(Protocol):
    """An assignment step: rows to clusters, by their costs there."""

    def __call__(self, cost: np.ndarray, labels: np.ndarray | None, /) -> np.ndarray | None:
        """New labels that satisfy the conditions, from such labels; None if none were found."""


def count_bounds(requirements: Requirements) -> dict[bytes, tuple[np.ndarray, int, int]] | None:
    """The bounds on counts, for each set of rows; None if there are other conditions too.

    The bound that no cluster is empty is left out if another bound implies it.
    """
    if requirements.diverse or not all(rule.is_count for rule in requirements.linear):
        return None
    bounds: dict[bytes, tuple[np.ndarray, int, int]] = {}
    for rule in requirements.linear:
        rows = rule.amounts > 0
        key = np.packbits(rows).tobytes()
        low, high = int(max(rule.low, 0)), int(min(rule.high, rows.sum()))
        if key in bounds:
            low, high = max(low, bounds[key][1]), min(high, bounds[key][2])
        bounds[key] = rows, low, high
    binding = {key: bound for key, bound in bounds.items() if bound[1] > 0 or bound[2] < bound[0].sum()}
    all_rows = np.packbits(np.ones(requirements.n_rows, bool)).tobytes()
    if len(binding) > 1 and all_rows in binding and _is_implied(binding, all_rows):
        del binding[all_rows]
    return binding


def _is_implied(binding: dict[bytes, tuple[np.ndarray, int, int]], all_rows: bytes) -> bool:
    rows, low, high = binding[all_rows]
    others = [bound[1] for key, bound in binding.items() if key != all_rows]
    return high >= rows.sum() and (low <= max(others) or low == 1)  # empty clusters are repaired when they arise


def disjoint_classes(requirements: Requirements) -> list[CountClass] | None:
    """The classes, if no row is in two of them; None otherwise, or if there are other conditions."""
    bounds = count_bounds(requirements)
    if bounds is None or np.sum([rows for rows, _, _ in bounds.values()], axis=0).max() > 1:
        return None
    return [
        CountClass(slice(None) if rows.all() else np.flatnonzero(rows), int(rows.sum()), low, high)
        for rows, low, high in bounds.values()
    ]


class Flow:
    """The cheapest assignment that satisfies the conditions, exactly."""

    def __init__(self, classes: list[CountClass]) -> None:
        self.classes = classes
        self._prices: list[np.ndarray | None] = [None] * len(classes)

    def __call__(self, cost: np.ndarray, labels: np.ndarray | None) -> np.ndarray | None:
        """The cheapest labels."""
        assigned = nearest(cost, self.classes)
        for at, counted in enumerate(self.classes):
            cheapest = assign_sizes(cost[counted.rows], counted.low, counted.high, prices=self._prices[at])
            self._prices[at] = cheapest.prices
            assigned[counted.rows] = cheapest.labels
        return assigned


class Pivots:
    """Pivot movement, as in the source: rows that count move to nearer centers if their cluster can spare them."""

    def __init__(self, classes: list[CountClass], look_ahead: int, deadlock: bool, seed: int) -> None:
        self.classes, self.look_ahead, self.deadlock = classes, look_ahead, deadlock
        self.random = np.random.default_rng(seed)

    def __call__(self, cost: np.ndarray, labels: np.ndarray | None) -> np.ndarray | None:
        """Labels after pivot movement and the resolution of deadlocks; without labels before, those of the flow."""
        if labels is None:
            return Flow(self.classes)(cost, None)
        assigned = nearest(cost, self.classes)
        for counted in self.classes:
            some, own = cost[counted.rows], np.array(labels[counted.rows], dtype=np.int64)
            gains = np.take_along_axis(some, own[:, None], axis=1)[:, 0] - some.min(axis=1)
            self.move(gains, some.argmin(axis=1), own, counted.low, cost.shape[1])
            assigned[counted.rows] = own
        return assigned

    def move(self, gains: np.ndarray, near: np.ndarray, labels: np.ndarray, low: int, c: int) -> None:
        """Change the labels of a class of which each of c clusters must have at least a given number of rows.

        Parameters
        ----------
        gains : ndarray
            How much less each row costs at its nearest center than at its own.
        near : ndarray
            The nearest center.
        labels : ndarray
        low : int
            The minimum number in each cluster.
        c : int
        """
        gains = gains.astype(np.float64)
        unstable = np.flatnonzero(gains > 0)
        edges = labels[unstable] * c + near[unstable]
        order = unstable[np.lexsort((-gains[unstable], edges))]
        stop = np.cumsum(np.bincount(edges, minlength=c * c))
        head = np.r_[0, stop[:-1]]
        counts = np.bincount(labels, minlength=c)
        if self.look_ahead:
            move_by_looking_ahead(order, gains, head, stop, low, self.look_ahead, labels, counts)
        else:
            move_at_random(order, head, stop, low, int(self.random.integers(2**31)), labels, counts)
        if self.deadlock:
            move_in_cycles(order, head, stop, labels, counts)


class Program:
    """The cheapest assignment where classes overlap, by an integer program."""

    def __init__(self, bounds: dict[bytes, tuple[np.ndarray, int, int]]) -> None:
        self.bounds = list(bounds.values())
        self.counted = np.flatnonzero(np.any([rows for rows, _, _ in self.bounds], axis=0))

    @classmethod
    def of(cls, requirements: Requirements, n_clusters: int) -> "Program | None":
        """None if there are conditions other than counts, or if the program would take too long to solve."""
        bounds = count_bounds(requirements)
        program = None if bounds is None else cls(bounds)
        return program if program and len(program.counted) * n_clusters <= _MOST_VARIABLES else None

    def __call__(self, cost: np.ndarray, labels: np.ndarray | None) -> np.ndarray | None:
        """The cheapest labels, or None if the search took too long; raises if there are none."""
        some = cost[self.counted].astype(np.float64)
        m, c = some.shape
        each_once = sparse.kron(sparse.eye_array(m), np.ones((1, c)), format="csr")
        parts, low, high = [each_once], [np.ones(m)], [np.ones(m)]
        for rows, least, most in self.bounds:
            inside = sparse.csr_array(rows[self.counted].astype(float)[None, :])
            parts.append(sparse.kron(inside, sparse.eye_array(c), format="csr"))
            low.append(np.full(c, float(least)))
            high.append(np.full(c, float(most)))
        limits = LinearConstraint(sparse.vstack(parts, format="csr"), np.concatenate(low), np.concatenate(high))
        scale = max(float(np.abs(some).max()), np.finfo(float).tiny)
        solution = milp(
            some.ravel() / scale,
            integrality=np.ones(m * c),
            bounds=Bounds(0, 1),
            constraints=limits,
            options={"time_limit": _MOST_SECONDS},
        )
        if solution.status == 2:
            raise InfeasibleError(
                f"the conditions contradict each other: it was proven that no {c} clusters satisfy all of them. Use "
                "fewer clusters, or relax one of the conditions",
                k=c,
            )
        if solution.x is None:
            return None
        labels = cost.argmin(axis=1)
        labels[self.counted] = solution.x.reshape(m, c).argmax(axis=1)
        return labels


def nearest(cost: np.ndarray, classes: list[CountClass]) -> np.ndarray:
    """The nearest center of each row; zeros if a class contains all rows, which are then assigned anyway."""
    if any(isinstance(counted.rows, slice) for counted in classes):
        return np.zeros(len(cost), np.int64)
    return cost.argmin(axis=1)
