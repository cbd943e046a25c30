"""Clustering of weighted points, such as lifted clusters or embedded objects, by k-means and linkages."""

import warnings
from typing import Any

import numpy as np
import sklearn
from scipy.cluster.hierarchy import linkage as scipy_linkage
from scipy.spatial.distance import cdist
from sklearn.exceptions import ConvergenceWarning

from pluribus._engine import run_tasks, seeds
from pluribus._kernels.linkage.dendrogram import merges_to_linkage
from pluribus._kernels.linkage.weighted_link import merge_weighted
from pluribus.partitions._internal import encode_labels


def k_means(
    points: np.ndarray,
    n_clusters: int,
    weights: np.ndarray | None = None,
    *,
    n_init: int = 10,
    random_state: Any,
    n_jobs: int | None = None,
    verbose: bool = False,
) -> np.ndarray:
    """Labels of the best of ``n_init`` starts, numbered by first occurrence; at most ``n_clusters``.

    Each start runs on one thread, so that the result does not depend on ``n_jobs``.
    """

    def start(seed: int) -> sklearn.cluster.KMeans:
        return sklearn.cluster.KMeans(n_clusters, n_init=1, random_state=seed).fit(points, sample_weight=weights)

    with warnings.catch_warnings():  # the caller warns of fewer distinct points than clusters
        warnings.simplefilter("ignore", ConvergenceWarning)
        ends = run_tasks(start, seeds(random_state, n_init), n_jobs=n_jobs, description="k-means", verbose=verbose)
    best = min(ends, key=lambda end: end.inertia_)
    return encode_labels(best.labels_)[0]


def link(points: np.ndarray, weights: np.ndarray, method: str) -> np.ndarray:
    """A hierarchy in scipy's format; "ward" and "average" weight the points, other linkages ignore the weights."""
    m = len(points)
    if m == 1:
        return np.empty((0, 4))
    if method not in ("ward", "average") or (weights == weights[0]).all():
        return scipy_linkage(points, method)
    distance = cdist(points, points)
    if method == "ward":
        distance **= 2
        distance *= 2 / (1 / weights[:, None] + 1 / weights)
    left, right, height = merge_weighted(distance, weights.astype(float), method == "ward")
    if method == "ward":
        height = np.sqrt(np.clip(height, 0, None))
    order = np.argsort(height, kind="stable")
    return merges_to_linkage(left[order], right[order], height[order], np.ones(m))
