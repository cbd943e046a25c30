"""Five terms by which partitions into the same number of clusters are compared; none of them needs classes."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import sparse
from sklearn.metrics.pairwise import euclidean_distances

from pluribus._kernels.labels.label_neighbors import fill_union, union_degrees
from pluribus.compare import adjusted_rand_index
from pluribus.pipeline.candidates._neighborhood import Neighborhood, Tree

_NEAREST = 10  # neighbors that near looks at
_INSIDE = 0.98  # quantile of the edges inside of a cluster


class Links(NamedTuple):
    """The symmetric graph of neighbors: both ends of each edge, once in each direction."""

    first: np.ndarray
    second: np.ndarray


def links_of(near: Neighborhood) -> Links:
    """An edge for each two objects, if either is a neighbor of the other."""
    places = near.places.astype(np.int32)
    indptr = np.concatenate([[0], np.cumsum(union_degrees(places))])
    second = np.empty(indptr[-1], np.int32)
    fill_union(places, indptr, second)
    first = np.repeat(np.arange(len(places), dtype=np.int32), np.diff(indptr))
    apart = first != second
    return Links(first[apart], second[apart])


def agreements(labels: Sequence[np.ndarray] | np.ndarray) -> np.ndarray:
    """The adjusted Rand index of each two partitions, (m, m)."""
    m = len(labels)
    between = np.ones((m, m))
    for i in range(m):
        for j in range(i):
            between[i, j] = between[j, i] = adjusted_rand_index(labels[i], labels[j])
    return between


def mean_with_others(between: np.ndarray) -> np.ndarray:
    """The mean agreement of each partition with all others: the term ``agree``."""
    return (between.sum(axis=1) - np.diag(between)) / (len(between) - 1)


def cut(labels: np.ndarray, links: Links) -> float:
    """The mean share of edge ends of a cluster that lead out of it."""
    here, there = labels[links.first], labels[links.second]
    ends = np.bincount(here)
    return float((np.bincount(here[here != there], minlength=len(ends)) / ends).mean())


def nearness(labels: np.ndarray, neighbors: Neighborhood, n_nearest: int = _NEAREST) -> float:
    """The share of the nearest objects in the same cluster, ``near``: averaged in each cluster, then over clusters."""
    same = (labels[neighbors.places[:, :n_nearest]] == labels[:, None]).mean(axis=1)
    return float((np.bincount(labels, same) / np.bincount(labels)).mean())


def compactness(labels: np.ndarray, X: np.ndarray) -> float:
    """The simplified silhouette, ``round``: the distance to the own mean against that to the nearest other mean."""
    sizes = np.bincount(labels)
    chosen = sparse.csr_array((np.ones(len(X)), (labels, np.arange(len(X)))), shape=(len(sizes), len(X)))
    means = (chosen @ X) / sizes[:, None]
    distances = euclidean_distances(X, means.astype(X.dtype))
    everyone = np.arange(len(X))
    own = distances[everyone, labels]
    distances[everyone, labels] = np.inf
    other = distances.min(axis=1)
    larger = np.maximum(own, other)
    return float(np.divide(other - own, larger, out=np.zeros_like(own), where=larger > 0).mean(dtype=np.float64))


def gap(labels: np.ndarray, tree: Tree) -> float:
    """How much longer the shortest edge that leaves a cluster is than the long edges inside, relative to the longer."""
    first, second = labels[tree.first], labels[tree.second]
    inside = first == second
    sizes = np.bincount(labels)
    total = 0.0
    for c, size in enumerate(sizes):
        own = tree.length[inside & (first == c)]
        leaving = tree.length[~inside & ((first == c) | (second == c))]
        within = np.quantile(own, _INSIDE) if len(own) else 0.0
        out = leaving[0] if len(leaving) else tree.length[-1]
        longer = max(out, within)
        total += size / len(labels) * (out - within) / longer if longer > 0 else 0.0
    return float(total)
