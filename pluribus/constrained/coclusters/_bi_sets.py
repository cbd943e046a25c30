"""Local patterns of a 0/1 table: sets of rows with sets of columns."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from pluribus.constrained.coclusters._boolean import as_boolean


@dataclass(frozen=True, eq=False)
class BiSets:
    """Patterns: each a set of rows and a set of columns.

    Equal rows of a table are one kind, which is in a pattern or not: patterns are stored by kind.

    Attributes
    ----------
    kinds : csr_array of shape (N, number of kinds)
        One where the rows of a kind are in a pattern.
    kind_of : ndarray of shape (m,)
        The kind of each row.
    columns : csr_array of shape (N, n)
        One where a column is in a pattern.
    rows : csr_array of shape (N, m)
        One where a row is in a pattern.

    Examples
    --------
    >>> from pluribus.constrained import concepts
    >>> found = concepts([[1, 1, 0], [1, 1, 0], [0, 1, 1]])
    >>> len(found)
    3
    >>> found.rows.toarray().astype(int).tolist(), found.columns.toarray().astype(int).tolist()
    ([[1, 1, 1], [1, 1, 0], [0, 0, 1]], [[0, 1, 0], [1, 1, 0], [0, 1, 1]])
    """

    kinds: sparse.csr_array
    kind_of: np.ndarray
    columns: sparse.csr_array

    def __len__(self) -> int:
        return self.kinds.shape[0]

    def __getitem__(self, chosen: Any) -> "BiSets":
        return BiSets(self.kinds[chosen], self.kind_of, self.columns[chosen])

    @property
    def n_rows(self) -> int:
        """The number of rows of the table."""
        return len(self.kind_of)

    @property
    def n_kinds(self) -> int:
        """The number of kinds of rows."""
        return self.kinds.shape[1]

    @cached_property
    def kind_sizes(self) -> np.ndarray:
        """The number of rows of each kind."""
        return np.bincount(self.kind_of, minlength=self.n_kinds)

    @cached_property
    def rows(self) -> sparse.csr_array:
        """One where a row is in a pattern."""
        return sparse.csr_array(self.kinds[:, self.kind_of])

    @cached_property
    def members(self) -> sparse.csr_array:
        """Kinds of rows, then columns: one where it is in a pattern."""
        return sparse.csr_array(sparse.hstack([self.kinds, self.columns], format="csr"))


def as_bi_sets(patterns: Any, shape: tuple[int, int]) -> BiSets:
    """Patterns of a table with this shape, as they were given: bi-sets, or a pair of 0/1 matrices."""
    if isinstance(patterns, BiSets):
        sides = patterns.n_rows, patterns.columns.shape[1]
        if sides != shape:
            raise ValueError(f"patterns are of a table with shape {sides}, but X has the shape {shape}.")
        return patterns
    if not (isinstance(patterns, tuple | list) and len(patterns) == 2):
        raise ValueError(
            f"patterns is of type {type(patterns).__name__}: give concepts(X, …), or a pair of 0/1 matrices, of "
            "patterns by rows and of patterns by columns."
        )
    rows, columns = (as_boolean(side, f"patterns[{place}]") for place, side in enumerate(patterns))
    if rows.shape[1] != shape[0] or columns.shape[1] != shape[1] or rows.shape[0] != columns.shape[0]:
        raise ValueError(
            f"patterns have the shapes {rows.shape} and {columns.shape}: for X of shape {shape} they must be "
            f"(N, {shape[0]}) and (N, {shape[1]})."
        )
    empty = np.flatnonzero((np.diff(rows.indptr) == 0) | (np.diff(columns.indptr) == 0))
    if len(empty):
        raise ValueError(f"pattern {empty[0]} has no rows or no columns: leave out empty patterns.")
    return BiSets(rows, np.arange(shape[0]), columns)
