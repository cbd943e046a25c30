"""Groups of objects that no partition ever links: the evidence says nothing about how to merge them."""

import heapq
import warnings
from typing import Any

import numpy as np
from scipy import sparse

from pluribus._kernels.labels.components import linked_by_clusters
from pluribus.consensus._shared.canonical_order import canonical_order
from pluribus.consensus._shared.dendrogram import cut_into
from pluribus.consensus._shared.weighted_points import link
from pluribus.evidence import CoAssociation
from pluribus.partitions import Ensemble
from pluribus.tables import Rows
from pluribus.tables._internal import BLOCK

_MOST_GROUPS = 5_000  # that are merged by their distances, whose matrix is dense


def separate_groups(ensemble: Ensemble | CoAssociation) -> np.ndarray | None:
    """The group of each object: objects in one cluster of a partition are in one group; None if only pairs are known.

    Examples
    --------
    >>> from pluribus import Ensemble
    >>> from pluribus.consensus._shared.separate_groups import separate_groups
    >>> separate_groups(Ensemble([[0, 0, 1, 1, 2], [0, 0, 1, 1, -1], [0, 0, 0, 1, 2]])).tolist()
    [0, 0, 0, 0, 1]
    """
    source = ensemble.ensemble if isinstance(ensemble, CoAssociation) else ensemble
    if source is None or source.memberships is not None:
        return None
    return linked_by_clusters(source.labels, source.offsets, source.weights > 0)


def merge_separate(ensemble: Ensemble, groups: np.ndarray, n_clusters: int, X: Any = None) -> np.ndarray:
    """Labels in n_clusters clusters, fewer than there are separate groups.

    Groups are merged by their distance in X (Ward). Without X the two smallest are merged again and again: that is
    arbitrary, but it does not depend on the order of the objects, and concerns the fewest of them.
    """
    sizes = np.bincount(groups).astype(np.float64)
    if X is not None and len(sizes) <= _MOST_GROUPS:
        return cut_into(link(_means(X, groups, sizes), sizes, "ward"), n_clusters)[groups]
    rank = np.empty(len(groups), np.int64)
    rank[canonical_order(ensemble)] = np.arange(len(groups))
    first = np.full(len(sizes), len(groups))
    np.minimum.at(first, groups, rank)
    return _join_smallest(sizes, first, n_clusters)[groups]


def _join_smallest(sizes: np.ndarray, rank: np.ndarray, n_clusters: int) -> np.ndarray:
    """The cluster of each group: two smallest first, the ones of lower rank if several are equally small."""
    queue = [(size, int(first), [group]) for group, (size, first) in enumerate(zip(sizes, rank, strict=True))]
    heapq.heapify(queue)
    while len(queue) > n_clusters:
        size, first, one = heapq.heappop(queue)
        other_size, other_first, other = heapq.heappop(queue)
        heapq.heappush(queue, (size + other_size, min(first, other_first), one + other))
    cluster = np.empty(len(sizes), np.int64)
    for number, (_, _, joined) in enumerate(sorted(queue)):
        cluster[joined] = number
    return cluster


def _means(X: Any, groups: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """The mean row of each group."""
    total = np.zeros((len(sizes), X.shape[1]))
    for start, block in X.blocks(BLOCK) if isinstance(X, Rows) else [(0, X)]:
        here = groups[start : start + block.shape[0]]
        share = sparse.csr_array((1 / sizes[here], (here, np.arange(len(here)))), shape=(len(sizes), len(here)))
        total += share @ block
    return total


def admit_doubt(membership: np.ndarray, labels: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """The memberships, spread over all clusters as far as a cluster was put together without any evidence.

    An object whose group is the share s of its cluster keeps s of its membership; the rest is spread evenly. A small
    group that was added to a large one is thus uncertain, and the large one is not.
    """
    n, k = membership.shape
    inside = np.flatnonzero(labels >= 0)
    pairs = groups[inside] * k + labels[inside]
    group_sizes = np.bincount(pairs, minlength=(int(groups.max()) + 1) * k)
    share = np.ones(n)
    share[inside] = group_sizes[pairs] / np.bincount(labels[inside], minlength=k)[labels[inside]]
    return share[:, None] * membership + (1 - share[:, None]) / k


def warn_of_doubt(n_clusters: int, n_groups: int) -> None:
    """Say that clusters were put together without evidence."""
    warnings.warn(
        f"The ensemble separates {n_groups} groups that no partition links, but the result has {n_clusters} clusters: "
        "which groups are merged is arbitrary, and their objects are uncertain. Ask for more clusters, add partitions "
        "with fewer clusters, or give the features (EnsembleClusterer, pluribus.cluster), which then decide.",
        UserWarning,
        stacklevel=5,
    )
