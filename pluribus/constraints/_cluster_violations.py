"""Which statements about clusters a partition breaks."""

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment
from scipy.sparse.csgraph import connected_components

from pluribus.constraints._stated_arrays import Statements, symmetric
from pluribus.constraints._statements import Indices


def find_cluster_violations(said: Statements, clusters: Indices, names: npt.NDArray[Any]) -> dict[str, Any]:
    """Objects outside their allowed labels, clusters of a wrong size, and clusters that are not connected."""
    sizes = np.bincount(clusters[clusters >= 0], minlength=len(names))
    cluster_of = _clusters_of_labels(said, clusters, sizes) if said.names_clusters else np.empty(0, np.int64)
    disconnected = _disconnected(said, clusters)
    wrong = _wrong_sizes(said, cluster_of, sizes)
    return {
        "outside": _outside(said, clusters, cluster_of),
        "wrong_sizes": (
            *zip(names[wrong].tolist(), sizes[wrong].tolist(), strict=True),
            *((label, 0) for label in said.classes[_missing(said, cluster_of, sizes)].tolist()),
        ),
        "disconnected": tuple(names[disconnected].tolist()),
    }


def _clusters_of_labels(said: Statements, clusters: Indices, sizes: Indices) -> Indices:
    """The cluster of each label: first those of known labels, then so that the fewest objects are outside, then so that
    the sizes fit best.

    A label may have no cluster; it then gets a number beyond those of the clusters.
    """
    c, k = len(said.classes), len(sizes) + len(said.classes)
    known = np.flatnonzero(said.labels >= 0)
    own = _counts(np.column_stack([known, said.labels[known]]), clusters, c, k)
    is_known = own.any(axis=1)
    cluster_of = np.empty(c, np.int64)
    cluster_of[is_known] = linear_sum_assignment(own[is_known], maximize=True)[1]
    left = np.setdiff1d(np.arange(k), cluster_of[is_known])
    inside = _counts(said.about.allowed, clusters, c, k)[~is_known][:, left]
    of_left = np.pad(sizes, (0, k - len(sizes)))[left]
    bounds = said.about.sizes[1:][~is_known]
    misfit = np.maximum(bounds[:, :1] - of_left, 0) + np.maximum(of_left - bounds[:, 1:], 0)
    weight = 1 + int(misfit.max(initial=0)) * c  # one object inside outweighs all sizes
    cluster_of[~is_known] = left[linear_sum_assignment(weight * inside - misfit, maximize=True)[1]]
    return cluster_of


def _counts(pairs: Indices, clusters: Indices, c: int, k: int) -> Indices:
    """How many of the objects that may have each of c labels are in each of k clusters."""
    pairs = pairs[clusters[pairs[:, 0]] >= 0]
    return np.bincount(pairs[:, 1] * k + clusters[pairs[:, 0]], minlength=c * k).reshape(c, k)


def _outside(said: Statements, clusters: Indices, cluster_of: Indices) -> Indices:
    """Known labels have their own violations, so only objects with several allowed labels count."""
    allowed = said.about.allowed
    if not len(allowed):
        return np.empty(0, np.int64)
    inside = allowed[cluster_of[allowed[:, 1]] == clusters[allowed[:, 0]], 0]
    judged = np.unique(allowed[clusters[allowed[:, 0]] >= 0, 0])
    return np.setdiff1d(judged, inside)


def _wrong_sizes(said: Statements, cluster_of: Indices, sizes: Indices) -> Indices:
    """Clusters that have objects, and those of labels, by their bounds."""
    lower, upper = np.full(len(sizes), said.about.sizes[0, 0]), np.full(len(sizes), said.about.sizes[0, 1])
    there = cluster_of < len(sizes)
    at = cluster_of[there]
    of_labels = said.about.sizes[1:][: len(cluster_of)][there]
    lower[at] = np.maximum(lower[at], of_labels[:, 0])
    upper[at] = np.minimum(upper[at], of_labels[:, 1])
    return np.flatnonzero((sizes < lower) | (sizes > upper))


def _missing(said: Statements, cluster_of: Indices, sizes: Indices) -> Indices:
    """Labels that must have objects, but have no cluster."""
    least = said.about.sizes[1:, 0][: len(cluster_of)]
    return np.flatnonzero((cluster_of >= len(sizes)) & (least > 0))


def _disconnected(said: Statements, clusters: Indices) -> Indices:
    links = said.about.graph
    if links is None:
        return np.empty(0, np.int64)
    inside = links[(clusters[links[:, 0]] == clusters[links[:, 1]]) & (clusters[links[:, 0]] >= 0)]
    _, part = connected_components(symmetric(inside, np.ones(len(inside)), said.n_objects), directed=False)
    seen = clusters >= 0
    pairs = np.unique(np.column_stack([clusters[seen], part[seen]]), axis=0)
    return np.flatnonzero(np.bincount(pairs[:, 0], minlength=1) > 1)
