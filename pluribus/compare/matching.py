"""Indices that match clusters with clusters.

The best one-to-one matching extends to soft partitions: half of what their memberships differ by, column by column.
"""

from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import min_weight_full_bipartite_matching

from pluribus.compare._overlap import Overlap, hard_overlap, pair_of
from pluribus.compare._partitions import SoftPair


def best_matching(overlap: Overlap) -> tuple[np.ndarray, np.ndarray]:
    """The one-to-one matching of clusters that brings the most objects together: clusters of a, and theirs in b.

    On the sparse table: each cluster may also stay unmatched, as a partner of its own that it shares nothing with.
    """
    k_a, k_b = len(overlap.a), len(overlap.b)
    most = int(overlap.shared.max())
    unmatched_a, unmatched_b = np.arange(k_a), np.arange(k_b)
    row = np.concatenate([overlap.row, unmatched_a, k_a + unmatched_b, k_a + overlap.column])
    column = np.concatenate([overlap.column, k_b + unmatched_a, unmatched_b, k_b + overlap.row])
    # Costs must not be 0, which the sparse graph would not hold. The last part lets partners of matched clusters pair.
    cost = np.concatenate(
        [most + 1 - overlap.shared, np.full(k_a + k_b, most + 1), np.full(len(overlap.shared), most + 1)]
    )
    graph = sparse.csr_array((cost, (row, column)), shape=(k_a + k_b, k_a + k_b))
    first, second = min_weight_full_bipartite_matching(graph)
    matched = (first < k_a) & (second < k_b)
    return first[matched], second[matched]


def _misplaced(a: Any, b: Any) -> tuple[float, int]:
    """Objects outside matching clusters, and all objects."""
    pair = pair_of(a, b)
    if isinstance(pair, SoftPair):
        return pair.misplaced, pair.n
    partner = np.full(len(pair.a), -1)
    first, second = best_matching(pair)
    partner[first] = second
    return pair.n - int(pair.shared[partner[pair.row] == pair.column].sum()), pair.n


def accuracy_index(a: Any, b: Any) -> float:
    """Share of the objects in matching clusters, under the best one-to-one matching.

    Examples
    --------
    >>> from pluribus.compare import accuracy_index
    >>> accuracy_index([0, 0, 1, 1], [1, 1, 0, 2])
    0.75
    """
    misplaced, n = _misplaced(a, b)
    return (n - misplaced) / n


def edit_distance(a: Any, b: Any) -> float:
    """How many objects must change their cluster to turn one partition into the other. A metric.

    Examples
    --------
    >>> from pluribus.compare import edit_distance
    >>> edit_distance([0, 0, 1, 1], [1, 1, 0, 2])
    1.0
    """
    return float(_misplaced(a, b)[0])


def purity_index(a: Any, b: Any) -> float:
    """Share of the objects in the largest class of ``a`` within their cluster of ``b``. Not symmetric.

    Examples
    --------
    >>> from pluribus.compare import purity_index
    >>> purity_index([0, 0, 1, 1], [0, 0, 1, 2]), purity_index([0, 0, 1, 2], [0, 0, 1, 1])
    (1.0, 0.75)
    """
    overlap = hard_overlap(a, b, "purity_index")
    return _largest_shares(overlap.column, overlap.shared, len(overlap.b)) / overlap.n


def van_dongen_distance(a: Any, b: Any) -> float:
    """2 n minus the largest overlaps of all clusters of both partitions. A metric.

    Examples
    --------
    >>> from pluribus.compare import van_dongen_distance
    >>> van_dongen_distance([0, 0, 1, 1], [0, 0, 1, 2])
    1.0
    """
    overlap = hard_overlap(a, b, "van_dongen_distance")
    by_row = _largest_shares(overlap.row, overlap.shared, len(overlap.a))
    return float(2 * overlap.n - by_row - _largest_shares(overlap.column, overlap.shared, len(overlap.b)))


def _largest_shares(cluster: np.ndarray, count: np.ndarray, k: int) -> int:
    """Sum over the clusters of their largest cell."""
    largest = np.zeros(k, dtype=np.int64)
    np.maximum.at(largest, cluster, count)
    return int(largest.sum())
