"""The formal concepts of a 0/1 table."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from pluribus._engine import free_memory, in_bytes, memory_limit, track, whole_number
from pluribus._kernels.patterns.close_by_one import close_by_one, pack_sets, set_members, set_sizes
from pluribus.constrained.coclusters._bi_sets import BiSets
from pluribus.constrained.coclusters._boolean import as_boolean, row_kinds
from pluribus.constrained.coclusters._errors import PatternExplosionError
from pluribus.constrained.coclusters._known import Gaps

MOST_PATTERNS = 1_000_000
_VISITS = 2_000_000  # nodes of the search in one step, after which it can be stopped
_BUFFER = 32 * 2**20  # bytes of concepts found in one step
_FLAT = 12  # bytes of a member of a set in a sparse matrix


def concepts(
    X: Any,
    *,
    min_rows: int = 1,
    min_columns: int = 1,
    max_patterns: int = MOST_PATTERNS,
    verbose: bool = True,
) -> BiSets:
    """Find the formal concepts of a 0/1 table: the all-ones rectangles that cannot be extended.

    The rows of a concept are all that have its columns, and its columns are all that its rows share. The search is
    Close-by-One over bit sets. Concepts are sorted: most rows first, then by their first rows.

    Parameters
    ----------
    X : array, sparse matrix or data frame of shape (m, n)
        Zeros and ones.
    min_rows, min_columns : int
        Smaller concepts are left out. ``min_rows`` also shortens the search.
    max_patterns : int
        More concepts than this are an error, before they fill the memory.
    verbose : bool
        Show progress (only on a terminal).

    Returns
    -------
    BiSets

    Raises
    ------
    PatternExplosionError
        If there are too many.

    References
    ----------
    Kuznetsov (1993), A fast algorithm for computing all intersections of objects from an arbitrary semilattice.
    Besson, Robardet, Boulicaut and Rome (2005), Constraint-based concept mining and its application to microarray
    data analysis, Intelligent Data Analysis 9.

    Examples
    --------
    >>> from pluribus.constrained import concepts
    >>> table = [[1, 0, 1, 1, 0], [0, 1, 0, 0, 1], [1, 0, 1, 1, 0], [0, 0, 1, 1, 0], [1, 1, 0, 0, 1]]
    >>> for rows, columns in zip(concepts(table).rows.toarray(), concepts(table).columns.toarray()):
    ...     print(rows.nonzero()[0].tolist(), columns.nonzero()[0].tolist())
    [0, 2, 3] [2, 3]
    [0, 2, 4] [0]
    [0, 2] [0, 2, 3]
    [1, 4] [1, 4]
    [4] [0, 1, 4]
    """
    least = whole_number("min_rows", min_rows, 1), whole_number("min_columns", min_columns, 1)
    most = whole_number("max_patterns", max_patterns, 1)
    return mine(as_boolean(X, "X"), least, most, verbose=verbose)


def mine(
    table: sparse.csr_array,
    least: tuple[int, int],
    most: int,
    apart: Any = None,
    gaps: Gaps | None = None,
    *,
    verbose: bool,
) -> BiSets:
    """The concepts of a checked table.

    ``apart`` (n, n) is True for columns that no concept may have both, and ``gaps`` has the smallest gap of columns.
    """
    least = min(least[0], table.shape[0] + 1), min(least[1], table.shape[1] + 1)
    kind_of, first = row_kinds(table)
    gaps = gaps or Gaps(np.arange(table.shape[1]), None, None, cyclic=False)
    places = np.flatnonzero((table.sum(axis=0) >= least[0])[gaps.order])
    spacing = places, gaps.least or 0, len(gaps.order) if gaps.cyclic else 0
    times, frequent = np.bincount(kind_of), gaps.order[places]
    kinds = table[first][:, frequent]  # other columns are in no concept of this many rows
    enough = np.diff(kinds.indptr) >= least[1]  # other rows are in no concept of this many columns
    never = None if apart is None else sparse.csr_array(apart)[frequent][:, frequent]
    extents, intents = _searched(kinds, times * enough, least, most, never, spacing, verbose)
    order = _largest_first(extents, times)
    columns = _as_matrix(intents[order], len(frequent))
    shape = len(order), table.shape[1]
    columns = sparse.csr_array((columns.data, frequent[columns.indices].astype(np.int32), columns.indptr), shape=shape)
    columns.sort_indices()
    return BiSets(_as_matrix(extents[order], len(times)), kind_of, columns)


def _searched(
    kinds: sparse.csr_array,
    times: np.ndarray,
    least: tuple[int, int],
    most: int,
    apart: Any,
    spacing: tuple[np.ndarray, int, int],
    verbose: bool,
) -> tuple[np.ndarray, np.ndarray]:
    """The concepts as bit sets of kinds and of columns; a kind counts as often as its times, 0 is left out."""
    n, counted = kinds.shape[1], times > 0
    columns = _packed(kinds.multiply(counted[:, None]).T)
    digits = np.arange(max(int(times.max(initial=1)).bit_length(), 1))
    planes = _packed((times >> digits[:, None]) & 1)
    never = np.empty((0, 0), np.uint64) if apart is None else _packed(apart)
    depths = min(n, int(np.diff(kinds.indptr).max(initial=0))) + 2
    extents = np.zeros((depths, columns.shape[1]), np.uint64)
    extents[0] = _packed(counted[None])[0]
    intents, following = np.zeros((depths, -(-n // 64)), np.uint64), np.full(depths, -1)
    size = 8 * (extents.shape[1] + intents.shape[1])
    places = max(min(_BUFFER // size, most + 1), 1)
    buffers = np.empty((places, extents.shape[1]), np.uint64), np.empty((places, intents.shape[1]), np.uint64)
    parts: list[tuple[np.ndarray, np.ndarray]] = []

    def steps() -> Iterator[int]:
        depth, total, taken, limit = 0, 0, 0, memory_limit()
        while depth >= 0:
            found, depth = close_by_one(
                columns, planes, never, spacing, least, extents, intents, following, depth, *buffers, _VISITS
            )
            parts.append((buffers[0][:found].copy(), buffers[1][:found].copy()))
            total += found
            taken += found * size + _FLAT * int(set_sizes(parts[-1][0]).sum() + set_sizes(parts[-1][1]).sum())
            if total > most:
                raise _too_many(f"more than max_patterns={most:,} concepts", least, "raise max_patterns")
            if taken > min(limit, free_memory()):
                raise _too_many(
                    f"concepts that take more memory than is allowed: {total:,} take {in_bytes(taken)} already",
                    least,
                    "allow more memory (memory_limit)",
                )
            yield total

    for _ in track(steps(), "concepts", verbose=verbose):
        pass
    return np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts])


def _too_many(what: str, least: tuple[int, int], otherwise: str) -> PatternExplosionError:
    return PatternExplosionError(
        f"The table has {what}. Ask for larger ones (min_rows above {least[0]:,}, min_columns above {least[1]:,}), or "
        f"{otherwise}."
    )


def _packed(sets: Any) -> np.ndarray:
    """The rows of a 0/1 matrix as bit sets."""
    sets = sparse.csr_array(sets)
    sets.eliminate_zeros()
    return pack_sets(sets.indptr, sets.indices, sets.shape[1])


def _largest_first(extents: np.ndarray, times: np.ndarray) -> np.ndarray:
    """The order by the number of rows, from the most, and then by the first rows."""
    members = _as_matrix(extents, len(times))
    # of two sets, the one with the first kind that the other has not: reversed bits, compared from the first word
    keys = [~_reversed_bits(extents[:, w]) for w in range(extents.shape[1])]
    return np.lexsort((*keys[::-1], -(members @ times)))


def _reversed_bits(words: np.ndarray) -> np.ndarray:
    octets = np.ascontiguousarray(words.astype("<u8")).view(np.uint8).reshape(-1, 8)
    turned = np.packbits(np.unpackbits(octets, axis=1, bitorder="little"), axis=1, bitorder="big")
    return np.ascontiguousarray(turned).view(">u8").ravel()


def _as_matrix(bits: np.ndarray, n: int) -> sparse.csr_array:
    """Bit sets as a sparse matrix of ones."""
    starts = np.concatenate([[0], np.cumsum(set_sizes(bits))])
    members = set_members(bits, starts)
    return sparse.csr_array((np.ones(len(members)), members, starts), shape=(len(bits), n))
