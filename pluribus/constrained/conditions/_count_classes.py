"""Conditions on counts alone, and assignments to fixed centers that satisfy them.

Rows that count for the same conditions are a class. As long as no row counts for two different ones, the classes do not
interfere: each is assigned by itself, exactly (a flow) or by pivot movement, and all other rows go to their nearest
center.
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
    """What assigns rows to clusters by what they cost there."""

    def __call__(self, cost: np.ndarray, labels: np.ndarray | None) -> np.ndarray | None:
        """New labels, from labels that satisfy the conditions; None if none were found."""


def count_bounds(needed: Requirements) -> dict[bytes, tuple[np.ndarray, int, int]] | None:
    """The bounds on counts, for each set of rows that count once; None if there are other conditions too.

    That no cluster is empty is left out where another bound implies it.
    """
    if needed.diverse or not all(rule.is_count for rule in needed.linear):
        return None
    found: dict[bytes, tuple[np.ndarray, int, int]] = {}
    for rule in needed.linear:
        rows = rule.amounts > 0
        key = np.packbits(rows).tobytes()
        low, high = int(max(rule.low, 0)), int(min(rule.high, rows.sum()))
        if key in found:
            low, high = max(low, found[key][1]), min(high, found[key][2])
        found[key] = rows, low, high
    binding = {key: bound for key, bound in found.items() if bound[1] > 0 or bound[2] < bound[0].sum()}
    everyone = np.packbits(np.ones(needed.n_rows, bool)).tobytes()
    if len(binding) > 1 and everyone in binding and _is_implied(binding, everyone):
        del binding[everyone]
    return binding


def _is_implied(binding: dict[bytes, tuple[np.ndarray, int, int]], everyone: bytes) -> bool:
    rows, low, high = binding[everyone]
    others = [bound[1] for key, bound in binding.items() if key != everyone]
    return high >= rows.sum() and (low <= max(others) or low == 1)  # empty clusters are mended where they arise


def separate(needed: Requirements) -> list[CountClass] | None:
    """The classes, if no row is in two of them; None otherwise, or if there are other conditions."""
    bounds = count_bounds(needed)
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
        found = nearest(cost, self.classes)
        for at, of in enumerate(self.classes):
            assigned = assign_sizes(cost[of.rows], of.low, of.high, prices=self._prices[at])
            self._prices[at] = assigned.prices
            found[of.rows] = assigned.labels
        return found


class Pivots:
    """The source's way: rows that count move to nearer centers as far as their clusters can spare them."""

    def __init__(self, classes: list[CountClass], look_ahead: int, deadlock: bool, seed: int) -> None:
        self.classes, self.look_ahead, self.deadlock = classes, look_ahead, deadlock
        self.random = np.random.default_rng(seed)

    def __call__(self, cost: np.ndarray, labels: np.ndarray | None) -> np.ndarray | None:
        """Labels after pivot movement, and after deadlocks are resolved; without labels, those of the flow."""
        if labels is None:
            return Flow(self.classes)(cost, None)
        found = nearest(cost, self.classes)
        for of in self.classes:
            some, own = cost[of.rows], np.array(labels[of.rows], dtype=np.int64)
            gains = np.take_along_axis(some, own[:, None], axis=1)[:, 0] - some.min(axis=1)
            self.move(gains, some.argmin(axis=1), own, of.low, cost.shape[1])
            found[of.rows] = own
        return found

    def move(self, gains: np.ndarray, near: np.ndarray, labels: np.ndarray, fewest: int, c: int) -> None:
        """Change the labels of a class of which each cluster must have so many.

        Parameters
        ----------
        gains : ndarray
            By how much each row would be nearer to its nearest center than it is to its own.
        near : ndarray
            That center.
        labels : ndarray
        fewest, c : int
        """
        gains = gains.astype(np.float64)
        unstable = np.flatnonzero(gains > 0)
        edges = labels[unstable] * c + near[unstable]
        order = unstable[np.lexsort((-gains[unstable], edges))]
        stop = np.cumsum(np.bincount(edges, minlength=c * c))
        head = np.r_[0, stop[:-1]]
        counts = np.bincount(labels, minlength=c)
        if self.look_ahead:
            move_by_looking_ahead(order, gains, head, stop, fewest, self.look_ahead, labels, counts)
        else:
            move_at_random(order, head, stop, fewest, int(self.random.integers(2**31)), labels, counts)
        if self.deadlock:
            move_in_cycles(order, head, stop, labels, counts)


class Program:
    """The cheapest assignment where classes overlap, by an integer program."""

    def __init__(self, bounds: dict[bytes, tuple[np.ndarray, int, int]]) -> None:
        self.bounds = list(bounds.values())
        self.counted = np.flatnonzero(np.any([rows for rows, _, _ in self.bounds], axis=0))

    @classmethod
    def of(cls, needed: Requirements, n_clusters: int) -> "Program | None":
        """If there are only conditions on counts, and the program is small enough to be solved in reasonable time."""
        bounds = count_bounds(needed)
        program = None if bounds is None else cls(bounds)
        return program if program and len(program.counted) * n_clusters <= _MOST_VARIABLES else None

    def __call__(self, cost: np.ndarray, labels: np.ndarray | None) -> np.ndarray | None:
        """The cheapest labels, or None if the search took too long; raises if there are none."""
        some = cost[self.counted].astype(np.float64)
        m, c = some.shape
        each_once = sparse.kron(sparse.eye_array(m), np.ones((1, c)), format="csr")
        parts, low, high = [each_once], [np.ones(m)], [np.ones(m)]
        for rows, fewest, most in self.bounds:
            inside = sparse.csr_array(rows[self.counted].astype(float)[None, :])
            parts.append(sparse.kron(inside, sparse.eye_array(c), format="csr"))
            low.append(np.full(c, float(fewest)))
            high.append(np.full(c, float(most)))
        limits = LinearConstraint(sparse.vstack(parts, format="csr"), np.concatenate(low), np.concatenate(high))
        scale = max(float(np.abs(some).max()), np.finfo(float).tiny)
        found = milp(
            some.ravel() / scale,
            integrality=np.ones(m * c),
            bounds=Bounds(0, 1),
            constraints=limits,
            options={"time_limit": _MOST_SECONDS},
        )
        if found.status == 2:
            raise InfeasibleError(
                f"the conditions contradict each other: it was proven that no {c} clusters satisfy all of them. Ask "
                "for fewer clusters, or relax one of the conditions",
                k=c,
            )
        if found.x is None:
            return None
        labels = cost.argmin(axis=1)
        labels[self.counted] = found.x.reshape(m, c).argmax(axis=1)
        return labels


def nearest(cost: np.ndarray, classes: list[CountClass]) -> np.ndarray:
    """The nearest center of each row, unless all rows are assigned otherwise."""
    if any(isinstance(of.rows, slice) for of in classes):
        return np.zeros(len(cost), np.int64)
    return cost.argmin(axis=1)
