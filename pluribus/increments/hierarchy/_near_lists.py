"""The nearest others of each object, as lists that are complete up to a known distance."""

from typing import NamedTuple

import numpy as np
from scipy.spatial import cKDTree

from pluribus._engine import over_blocks
from pluribus._kernels.points.near_lists import list_copies, list_nearest, listed_by
from pluribus.increments._shared.distinct_rows import distinct_rows
from pluribus.increments._shared.nearest import FEW_FEATURES

_LENGTH = 16
_ALL_PAIRS = 5000  # rows up to which all pairs are looked at


class NearLists(NamedTuple):
    """For each object its nearest others, nearest first (-1 = no more), and who has it on his list."""

    places: np.ndarray
    distances: np.ndarray
    reach: np.ndarray  # whoever is not listed comes after this distance and number
    last: np.ndarray
    listed_starts: np.ndarray
    listing: np.ndarray


def near_lists(matrix: np.ndarray, given: bool) -> NearLists:
    """The lists of objects by features, or by given distances."""
    n = len(matrix)
    k = min(_LENGTH, n - 1)
    places, distances = np.full((n, k), -1, dtype=np.int32), np.full((n, k), np.inf)
    out = places, distances, np.empty(n), np.empty(n, dtype=np.int64)
    if given or n <= _ALL_PAIRS or matrix.shape[1] > FEW_FEATURES:
        over_blocks(lambda start, stop: list_nearest(matrix, given, start, stop, *out), n)
    else:
        rows = distinct_rows(matrix)
        points, starts = matrix[rows.first], np.append(rows.starts, n)
        asked = min(k + 2, len(points))  # itself, and one to see where the list ends
        found = cKDTree(points).query(points, k=np.arange(1, asked + 1), workers=-1)[1]
        over_blocks(
            lambda start, stop: list_copies(matrix, found, rows.group, starts, rows.members, start, stop, *out), n
        )
    return NearLists(*out, *listed_by(places))
