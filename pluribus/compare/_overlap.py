"""The overlap of two partitions: the cells of their contingency table, its margins, and n. All follows from it."""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from pluribus.compare._partitions import SoftPair, as_partitions
from pluribus.partitions._internal import contingency_of_codes


class Overlap(NamedTuple):
    """The objects that clusters of two partitions share. At most n cells, however many clusters there are.

    Whole numbers for hard partitions; for soft ones the products of memberships, summed over the objects.
    """

    shared: np.ndarray  # objects of each cell that is not empty
    row: np.ndarray  # its cluster in the first partition
    column: np.ndarray  # and in the second
    a: np.ndarray  # sizes of the first partition's clusters
    b: np.ndarray
    n: int

    @classmethod
    def of_codes(cls, a: np.ndarray, b: np.ndarray) -> "Overlap":
        """From labels coded 0 … k-1, -1 = missing."""
        k_a, k_b = int(a.max(initial=-1)) + 1, int(b.max(initial=-1)) + 1
        if k_a * k_b <= max(2 * len(a), 2**16):
            return cls._of_table(np.asarray(contingency_of_codes(a, b, k_a, k_b)))
        table = sparse.coo_array(contingency_of_codes(a, b, k_a, k_b, sparse=True))
        row, column, count = table.row, table.col, table.data
        sizes_a = np.bincount(row, count, minlength=k_a).astype(np.int64)
        sizes_b = np.bincount(column, count, minlength=k_b).astype(np.int64)
        return cls(count, row, column, sizes_a, sizes_b, int(count.sum()))._checked()

    @classmethod
    def of_memberships(cls, pair: SoftPair) -> "Overlap":
        """The contingency table of soft partitions: Σ_x u_xi v_xj."""
        return cls._of_table(pair.u.T @ pair.v)._replace(n=pair.n)

    @classmethod
    def _of_table(cls, table: np.ndarray) -> "Overlap":
        row, column = np.nonzero(table)
        cells = table[row, column]
        return cls(cells, row, column, table.sum(axis=1), table.sum(axis=0), int(table.sum()))._checked()

    def _checked(self) -> "Overlap":
        if not len(self.shared):
            raise ValueError("No object is in both partitions, so they cannot be compared.")
        return self


Pair = Overlap | SoftPair


def pair_of(a: Any, b: Any) -> Pair:
    """Two partitions, ready to be compared; or a pair that is there already (then ``b`` is not looked at)."""
    if isinstance(a, Overlap | SoftPair):
        return a
    return pair_of_parsed(*as_partitions(a, b))


def pair_of_parsed(a: np.ndarray, b: np.ndarray) -> Pair:
    """The same for what ``as_partition`` returned."""
    return Overlap.of_codes(a, b) if a.ndim == b.ndim == 1 else SoftPair(a, b)


def hard_overlap(a: Any, b: Any, measure: str) -> Overlap:
    """For measures that have no fuzzy form."""
    pair = pair_of(a, b)
    if isinstance(pair, SoftPair):
        raise ValueError(
            f"{measure} has no fuzzy form. Harden the memberships first (pluribus.partitions.harden), or use a measure "
            "that takes them, such as rand_index, normalized_mutual_information_index or accuracy_index."
        )
    return pair


def any_overlap(a: Any, b: Any) -> Overlap:
    """For measures of the contingency table, which soft partitions have too."""
    pair = pair_of(a, b)
    return Overlap.of_memberships(pair) if isinstance(pair, SoftPair) else pair
