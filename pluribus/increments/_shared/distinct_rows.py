"""Equal rows: one place for each distinct row, and the objects that stand there."""

from typing import NamedTuple

import numpy as np


class DistinctRows(NamedTuple):
    """Groups of equal rows, ordered by the first object of each."""

    group: np.ndarray  # (n,), of each object
    first: np.ndarray  # of each group: its first object
    members: np.ndarray  # (n,), the objects group by group, each group in order
    starts: np.ndarray  # where each group starts in members
    sizes: np.ndarray


def distinct_rows(X: np.ndarray) -> DistinctRows:
    """The groups of equal rows of X."""
    n = len(X)
    order = np.lexsort(X.T[::-1])  # stable: equal rows stay in order
    begins = np.ones(n, dtype=bool)
    begins[1:] = (X[order[1:]] != X[order[:-1]]).any(axis=1)
    first = order[begins]
    number = np.empty(len(first), dtype=np.int64)
    number[np.argsort(first)] = np.arange(len(first))
    group = np.empty(n, dtype=np.int64)
    group[order] = number[np.cumsum(begins) - 1]
    sizes = np.bincount(group)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    return DistinctRows(group, np.sort(first), np.argsort(group, kind="stable"), starts, sizes)
