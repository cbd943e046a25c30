"""The steps of balanced clustering: draw a sample, cluster it, and populate the clusters with the other rows."""

import warnings
from typing import Any

import numpy as np
from scipy import stats

from pluribus._engine import over_blocks, seeds
from pluribus._kernels.assignment.stable_matching import match_stably
from pluribus.constrained._shared.sized_points import SizedPoints
from pluribus.constrained.sizes._sized_kmeans import SizedObjects, SizedRun, alternate_within
from pluribus.generate import Generator
from pluribus.partitions import assign_sizes

_FEW, _MANY = 10, 20  # rows of each cluster that a sample should have, and with many features
_MANY_FEATURES = 50
_UNEQUAL = 2.0  # the mean size of a cluster relative to the smallest, as assumed
_RISK = 0.01  # that a cluster has fewer rows in the sample
_STARTS = 10  # of k-means on a sample


def sample_size(n_clusters: int, n_features: int) -> int:
    """The fewest rows that contain enough rows of each cluster, except with a small risk.

    It follows from the binomial distribution of each cluster and the union bound over the clusters. The source's
    n = c s l ln k is a looser bound.
    """
    least = _FEW if n_features <= _MANY_FEATURES else _MANY
    share = 1 / (_UNEQUAL * n_clusters)

    def is_enough(size: int) -> bool:
        return n_clusters * stats.binom.cdf(least - 1, size, share) <= _RISK

    too_few, enough = least, 2 * least
    while not is_enough(enough):
        too_few, enough = enough, 2 * enough
    while enough - too_few > 1:
        middle = (too_few + enough) // 2
        too_few, enough = (too_few, middle) if is_enough(middle) else (middle, enough)
    return enough


def drawn_sample(weights: np.ndarray, size: int, n_clusters: int, random: np.random.RandomState) -> np.ndarray:
    """Rows of the sample, in order; of rows with a weight, if there are enough of them."""
    if size >= len(weights):
        return np.arange(len(weights))
    counting = np.flatnonzero(weights)
    if len(counting) < max(size, n_clusters):
        counting = np.arange(len(weights))
    return np.sort(random.choice(counting, size, replace=False))


def cluster_sample(
    points: SizedPoints, n_clusters: int, base: Any, seed: int, several: bool, max_iter: int, tol: float
) -> tuple[np.ndarray, np.ndarray]:
    """Labels of the rows of the sample, and centers, by the base clusterer or by k-means (spherical for directions)."""
    if base is not None:
        how: Any = {"n_members": 1, "n_clusters": n_clusters, "random_state": seed, "verbose": False}
        try:
            ensemble = Generator(base, **how).generate(points.rows)
        except (ValueError, TypeError) as error:
            raise ValueError(
                f"base={base!r} did not assign each of the {len(points.weights)} sampled rows to a cluster: {error}"
            ) from error
        labels = ensemble.labels[:, 0].astype(np.int64)
        if ensemble.n_clusters[0] != n_clusters:
            raise ValueError(
                f"base made {ensemble.n_clusters[0]} clusters of {len(labels)} sampled rows, but n_clusters="
                f"{n_clusters}: set n_clusters to this number, or give a base whose number of clusters can be set."
            )
        return labels, points.step(labels, np.ones((n_clusters, points.rows.shape[1])))[1]
    unbounded = SizedObjects(np.zeros(n_clusters, np.int64), np.full(n_clusters, len(points.weights)))
    starts = [points.drawn(n_clusters, start) for start in (seeds(seed, _STARTS) if several else [seed])]
    runs = (alternate_within(points, unbounded, centers, max_iter, tol) for centers in starts)
    best: SizedRun = min(runs, key=lambda run: run.path[-1])
    return best.labels, best.centers


def populate(
    points: SizedPoints, sampled: np.ndarray, sample_labels: np.ndarray, centers: np.ndarray, lower: int, how: str
) -> np.ndarray:
    """Labels of all rows: clusters are filled to the lower bound, by stable matching or at the least total cost.

    All other rows go to the nearest center. If the sample's clusters are too unequal for this, all rows are matched,
    also those of the sample.
    """
    n, k = len(points.weights), len(centers)
    labels = np.full(n, -1)
    labels[sampled] = sample_labels
    free = np.flatnonzero(labels < 0)
    quotas = np.maximum(lower - np.bincount(sample_labels, minlength=k), 0)
    if quotas.sum() > len(free):
        if len(free):
            warnings.warn(
                f"the clusters of the sample need {quotas.sum():,} more rows, but only {len(free):,} are not in the "
                "sample: all rows are matched instead. A smaller sample leaves more rows.",
                stacklevel=5,
            )
        free, quotas = np.arange(n), np.full(k, lower)
    if not len(free):
        return labels
    distances = _distances(points, free, centers)
    if how == "stable":
        matched = np.empty(len(free), np.int64)
        match_stably(distances, quotas, matched)
        labels[free] = np.where(matched < 0, distances.argmin(axis=1), matched)
    else:
        labels[free] = assign_sizes(distances, quotas).labels
    return labels


def _distances(points: SizedPoints, rows: np.ndarray, centers: np.ndarray) -> np.ndarray:
    """Of these rows to the centers; for directions this is 2 (1 - cosine), which has the same order."""
    out = np.empty((len(rows), len(centers)), points.rows.dtype)

    def fill(start: int, stop: int) -> None:
        out[start:stop] = points.distances(rows[start:stop], centers)

    over_blocks(fill, len(rows), n_jobs=points.n_jobs or 1)
    return out
