"""Clustering weighted points, such as lifted clusters or embedded objects: k-means from many starts, and linkages."""

import numpy as np
from scipy.cluster.hierarchy import linkage as scipy_linkage
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans

from pluribus._engine import run_tasks, seeds
from pluribus._kernels._dendrogram import merges_to_linkage
from pluribus._kernels._weighted_link import merge_weighted
from pluribus.partitions import encode_labels


def k_means(
    points: np.ndarray,
    n_clusters: int,
    weights: np.ndarray,
    *,
    n_init: int,
    random_state: int,
    n_jobs: int | None = None,
) -> np.ndarray:
    """Labels of the best of ``n_init`` starts, numbered by first occurrence; at most ``n_clusters``."""
    n_distinct = len(np.unique(points, axis=0)) if len(points) <= 10_000 else len(points)

    def start(seed: int) -> KMeans:
        return KMeans(min(n_clusters, n_distinct), n_init=1, random_state=seed).fit(points, sample_weight=weights)

    ends = run_tasks(start, seeds(random_state, n_init), n_jobs=n_jobs, verbose=False)
    best = min(ends, key=lambda end: end.inertia_)
    return encode_labels(best.labels_)[0]


def link(points: np.ndarray, weights: np.ndarray, method: str) -> np.ndarray:
    """A hierarchy in scipy's linkage format, each point counting by its weight in "ward" and "average".

    The other linkages have no use for weights.
    """
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
