"""What is known about rows and columns, and which patterns agree with it."""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from pluribus._engine import number_array
from pluribus._kernels.patterns.pattern_gaps import pattern_gaps
from pluribus.constrained.coclusters._bi_sets import BiSets
from pluribus.constraints import ConstraintError, Constraints, ContradictionError, InfeasibleError
from pluribus.constraints._internal import as_constraints


class Gaps(NamedTuple):
    """Bounds on the elements skipped between consecutive members of a pattern, on one side of the table."""

    order: np.ndarray  # the elements from first to last
    most: int | None
    least: int | None
    cyclic: bool

    @classmethod
    def of(cls, side: str, n: int, keys: Any, most: int | None, least: int | None, *, cyclic: bool) -> "Gaps":
        """Checked bounds; elements with equal keys keep their order in the table."""
        if most is not None and least is not None and most < least:
            raise ValueError(
                f"max_{side}_gap={most} is less than min_{side}_gap={least}: no pattern of two members has such gaps."
            )
        most, least = (None if bound is None else min(bound, n) for bound in (most, least))
        if keys is None:
            return cls(np.arange(n), most, least, cyclic)
        keys = number_array(f"{side}_order", keys)
        if keys.shape != (n,) or np.isnan(keys).any():
            given = "NaN" if keys.shape == (n,) else f"the shape {keys.shape}"
            raise ValueError(f"{side}_order has {given}: give a number for each of the {n} {side}s.")
        return cls(np.argsort(keys, kind="stable"), most, least, cyclic)

    def admit(self, sets: sparse.csr_array, kind_of: np.ndarray) -> np.ndarray:
        """Whether each set keeps to the bounds."""
        if self.most is None and self.least is None:
            return np.ones(sets.shape[0], dtype=bool)
        kind_at = kind_of[self.order]
        largest, smallest = pattern_gaps(sets.indptr, sets.indices, kind_at, sets.shape[1], self.cyclic)
        kept = np.ones(sets.shape[0], dtype=bool)
        if self.most is not None:
            kept &= largest <= self.most
        if self.least is not None:
            kept &= smallest >= self.least
        return kept

    def jumps(self, labels: np.ndarray) -> int:
        """How often the order leaves a cluster and comes back to it: 0 if all clusters are intervals."""
        inside = labels[self.order]
        total, n = 0, len(labels)
        for cluster in np.unique(inside[inside >= 0]):
            places = np.flatnonzero(inside == cluster)
            holes = int((np.diff(places) > 1).sum())
            if self.cyclic:
                holes = max(holes + int(places[0] + n - 1 - places[-1] > 0) - 1, 0)
            total += holes
        return total


class Known:
    """Constraints on rows, columns and pairs of both, as one statement about m + n elements: rows, then columns."""

    def __init__(self, shape: tuple[int, int], rows: Any, columns: Any, together: Any, apart: Any) -> None:
        m, n = self.shape = shape
        self.rows = _hard(as_constraints(rows, m), "constraints")
        try:
            self.columns = _hard(as_constraints(columns, n), "column_constraints")
        except ConstraintError as error:
            raise ConstraintError(f"column_constraints: {error}") from None
        sides = [(self.rows.closure(), 0), (self.columns.closure(), m)]
        linked = [np.column_stack([c.representatives[c.chunk_of], np.arange(len(c.chunk_of))]) + s for c, s in sides]
        parted = [c.representatives[c.cannot_link].reshape(-1, 2) + start for c, start in sides]
        linked.append(_mixed(together, "mixed_must_link", shape))
        parted.append(_mixed(apart, "mixed_cannot_link", shape))
        try:
            self.elements = Constraints(m + n, np.concatenate(linked), np.concatenate(parted))
        except ContradictionError as error:
            raise error.renamed(self.name) from None
        closure = self.elements.closure()
        self.chunk_of, self.sizes, self.apart = closure.chunk_of, closure.chunk_sizes, closure.cannot_link
        self.first = closure.representatives

    def name(self, element: int) -> str:
        """An element in words."""
        m = self.shape[0]
        return f"row {element}" if element < m else f"column {element - m}"

    def check_feasible(self, k: int) -> None:
        """Refuse constraints that k clusters cannot satisfy."""
        found = self.elements.check(k)
        if found.status == "infeasible":
            who = [] if found.witness is None else [self.name(int(element)) for element in found.witness]
            about = f" ({', '.join(who[:8])}{', …' if len(who) > 8 else ''})" if who else ""
            raise InfeasibleError(
                f"The cannot-links do not fit into n_clusters={k}{about}: {found.reason}. Use more clusters, or take "
                "back a cannot-link.",
                k=k,
                reason=found.reason,
                witness=found.witness,
            )

    def parted_columns(self) -> sparse.csr_array:
        """True for two columns that must be apart."""
        m, n = self.shape
        inside = sparse.csr_array((np.ones(n), (np.arange(n), self.chunk_of[m:])), shape=(n, len(self.sizes)))
        return sparse.csr_array((inside @ _graph(self.apart, len(self.sizes)) @ inside.T) > 0)

    def admit(self, patterns: BiSets) -> np.ndarray:
        """Whether each pattern has all or none of what belongs together, and not two that must be apart."""
        places, members = self.places(patterns), patterns.members
        linked = np.flatnonzero(self.sizes > 1)
        kept = np.ones(len(patterns), dtype=bool)
        if len(linked):
            of_chunk = np.full(len(self.sizes), -1)
            of_chunk[linked] = np.arange(len(linked))
            element = np.flatnonzero(of_chunk[self.chunk_of] >= 0)
            shape = members.shape[1], len(linked)
            inside = sparse.csr_array(
                (np.ones(len(element)), (places[element], of_chunk[self.chunk_of[element]])), shape
            )
            counts = sparse.csr_array(members @ inside)
            part = counts.data != inside.sum(axis=0)[counts.indices]
            kept[np.repeat(np.arange(len(patterns)), np.diff(counts.indptr))[part]] = False
        if len(self.apart):
            held, graph = self.held(patterns)
            kept &= (held @ graph).multiply(held).sum(axis=1) == 0
        return kept

    def places(self, patterns: BiSets) -> np.ndarray:
        """Where each element is among the members of patterns: kinds of rows, then columns."""
        return np.concatenate([patterns.kind_of, patterns.n_kinds + np.arange(self.shape[1])])

    def held(self, patterns: BiSets) -> tuple[sparse.csr_array, sparse.csr_array]:
        """Which patterns hold what must be apart from something, and from what."""
        places = self.places(patterns)[self.first[self.apart]].reshape(-1, 2)
        constrained, pairs = np.unique(places, return_inverse=True)
        held = sparse.csr_array(patterns.members[:, constrained])
        return held, _graph(pairs.reshape(-1, 2), len(constrained))

    def check_covered(self, patterns: BiSets) -> None:
        """Refuse cannot-links of two elements that no pattern has: nothing could tell them apart."""
        covered = np.bincount(patterns.members.indices, minlength=patterns.members.shape[1]) > 0
        parted = self.first[self.apart].reshape(-1, 2)
        lost = parted[~covered[self.places(patterns)[parted]].any(axis=1)]
        if len(lost):
            one, other = (self.name(int(element)) for element in lost[0])
            raise InfeasibleError(
                f"{one} and {other} must be apart, but no pattern that agrees with the constraints has one of them: "
                "take back a constraint, or admit smaller patterns (min_rows, min_columns).",
                witness=lost[0],
            )


def _hard(constraints: Constraints, name: str) -> Constraints:
    n_soft = int(np.isfinite(constraints.must_weight).sum() + np.isfinite(constraints.cannot_weight).sum())
    if n_soft:
        raise ConstraintError(
            f"{n_soft} pairs of {name} have a finite weight, but patterns agree with a pair or not: leave the weights "
            "out to make the pairs hard."
        )
    return constraints


def _mixed(pairs: Any, name: str, shape: tuple[int, int]) -> np.ndarray:
    """Pairs of a row and a column as pairs of elements."""
    given = number_array(name, [] if pairs is None else pairs, error=ConstraintError)
    if given.size == 0:
        return np.empty((0, 2), dtype=np.int64)
    if given.ndim != 2 or given.shape[1] != 2 or (given != np.floor(given)).any():
        raise ConstraintError(
            f"{name} has the shape {given.shape}: give pairs (row, column), such as [(0, 2), (5, 1)]."
        )
    wrong = np.flatnonzero(((given < 0) | (given >= shape)).any(axis=1))
    if len(wrong):
        row, column = given[wrong[0]]
        raise ConstraintError(
            f"{name} has the pair ({row:g}, {column:g}), but rows go from 0 to {shape[0] - 1} and columns from 0 to "
            f"{shape[1] - 1}."
        )
    return given.astype(np.int64) + [0, shape[0]]


def _graph(pairs: np.ndarray, n: int) -> sparse.csr_array:
    """A symmetric matrix with ones for these pairs."""
    one, other = pairs.T
    ends = np.concatenate([one, other]), np.concatenate([other, one])
    graph = sparse.csr_array((np.ones(2 * len(pairs)), ends), shape=(n, n))
    graph.sum_duplicates()
    graph.data[:] = 1
    return graph
