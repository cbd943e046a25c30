"""The overlap of two partitions: the cells of their contingency table, its margins, and n. All follows from it."""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from pluribus.partitions import contingency, contingency_of_codes


class Overlap(NamedTuple):
    """The objects that clusters of two partitions share. At most n cells, however many clusters there are."""

    shared: np.ndarray  # objects of each cell that is not empty
    row: np.ndarray  # its cluster in the first partition
    column: np.ndarray  # and in the second
    a: np.ndarray  # sizes of the first partition's clusters
    b: np.ndarray
    n: int

    @classmethod
    def of(cls, a: Any, b: Any) -> "Overlap":
        """From two label sequences, or from an overlap that is already there (then ``b`` is not looked at)."""
        if isinstance(a, Overlap):
            return a
        return cls._of_table(contingency(a, b, sparse=True), "both partitions")

    @classmethod
    def of_codes(cls, a: np.ndarray, b: np.ndarray, k_a: int, k_b: int, names: str) -> "Overlap":
        """The same for labels coded 0 … k - 1 (-1 = missing); an error calls the two partitions by ``names``."""
        many_cells = k_a * k_b > len(a)
        return cls._of_table(contingency_of_codes(a, b, k_a, k_b, sparse=many_cells), names)

    @classmethod
    def _of_table(cls, table: np.ndarray | sparse.csr_array, names: str) -> "Overlap":
        table = sparse.coo_array(table)
        row, column, count = table.row, table.col, table.data
        n = int(count.sum())
        if n == 0:
            raise ValueError(f"No object is in {names}, so they cannot be compared.")
        sizes_a = np.bincount(row, count, minlength=table.shape[0]).astype(np.int64)
        sizes_b = np.bincount(column, count, minlength=table.shape[1]).astype(np.int64)
        return cls(count, row, column, sizes_a, sizes_b, n)
