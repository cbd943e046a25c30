"""Davies and Bouldin's cost, and Calinski and Harabasz's index: clusters as balls around their centers."""

from typing import Any, Literal

import numpy as np

from pluribus._engine import is_one_of
from pluribus.validate._centroids import centers_of
from pluribus.validate._pairs import SimilarityPairs
from pluribus.validate._partition import Missing, with_pairs
from pluribus.validate._sampling import check_sample_size, estimate, sums_limit
from pluribus.validate.estimate import Estimate

_NOTHING = 1e-9  # sums of an object's similarities up to which they are rounding errors


def davies_bouldin_cost(
    labels: Any,
    X: Any = None,
    *,
    distances: Any = None,
    similarity: Any = None,
    between: Literal["medoids", "mean"] = "medoids",
    missing: Missing = "error",
    sample_size: int | str | None = "auto",
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> Estimate:
    """How much each cluster overlaps with the one it is most like, on average: less is better.

    Overlap is the sum of the mean distances to the two centers, divided by the distance between the centers. Features
    give it in O(n d) for any n; distances give the same if they are Euclidean. With similarities it is the similarity
    of the two medoids divided by the sum of the mean similarities within: on evidence from fine members medoids are
    seldom together, and the cost is 0 for many partitions; ``between="mean"`` tells them apart.

    Parameters
    ----------
    labels, X, distances, similarity, missing, random_state, n_jobs : see ``silhouette_index``
        Distances between features are Euclidean.
    between : {"medoids", "mean"}
        For similarities, how alike two clusters are: as their medoids are (the source), or as their pairs are on
        average.
    sample_size : "auto", int or None
        For similarities that do not give sums over clusters in linear time (an ensemble with missing labels); all
        others are exact. The medoids of a sample are not those of all objects, so that with ``between="medoids"`` it
        has no interval; with "mean" it has.

    Returns
    -------
    Estimate
        Infinite if two clusters have the same center (scikit-learn leaves such pairs out).

    References
    ----------
    Davies and Bouldin, "A cluster separation measure", IEEE TPAMI 1, 1979.

    Examples
    --------
    >>> from pluribus.validate import davies_bouldin_cost
    >>> float(davies_bouldin_cost([0, 0, 1, 1], X=[[0], [2], [10], [12]]))
    0.2
    """
    check_sample_size(sample_size)
    if not is_one_of(between, ("medoids", "mean")):
        raise ValueError(f"between must be 'medoids' or 'mean'; got {between!r}.")
    if between != "medoids" and similarity is None:
        raise ValueError(
            "between='mean' is for similarities; with distances clusters are as far apart as their centers."
        )
    codes, pairs = with_pairs(labels, X, distances, similarity, missing=missing, n_jobs=n_jobs)
    if not isinstance(pairs, SimilarityPairs):
        centers = centers_of(pairs, codes)
        overlap = _overlap(centers.to_own[:, None] + centers.to_own, centers.between, if_both_zero=np.inf)
        return Estimate(overlap)

    def statistic(pairs: Any, codes: np.ndarray, weights: np.ndarray) -> float:
        return _by_similarity(pairs, codes, between)

    limit = sums_limit(pairs, codes, sample_size)
    return estimate(statistic, pairs, codes, limit, random_state, interval=between == "mean")


def calinski_harabasz_index(
    labels: Any,
    X: Any = None,
    *,
    distances: Any = None,
    missing: Missing = "error",
    n_jobs: int | None = None,
) -> Estimate:
    """How much more clusters differ from each other than their objects do: more is better.

    The ratio of the variances between and within clusters, each by its degrees of freedom. Exact in O(n d); from
    distances, the same if they are Euclidean. It is at home where clusters are round and of one size.

    Parameters
    ----------
    labels, X, distances, missing, n_jobs : see ``silhouette_index``

    Returns
    -------
    Estimate
        Infinite if the objects of each cluster are all equal, nan if each is a cluster of its own.

    References
    ----------
    Calinski and Harabasz, "A dendrite method for cluster analysis", Communications in Statistics 3, 1974.

    Examples
    --------
    >>> from pluribus.validate import calinski_harabasz_index
    >>> float(calinski_harabasz_index([0, 0, 1, 1], X=[[0], [2], [10], [12]]))
    50.0
    """
    codes, pairs = with_pairs(labels, X, distances, None, missing=missing, n_jobs=n_jobs)
    centers = centers_of(pairs, codes)
    n, k = len(codes), len(centers.to_own)
    if n == k:
        return Estimate(np.nan)
    between = max(centers.total - centers.within, 0) / (k - 1)
    within = centers.within / (n - k)
    if within > 0:
        return Estimate(between / within)
    return Estimate(np.inf if between > 0 else np.nan)


def _by_similarity(pairs: SimilarityPairs, codes: np.ndarray, between: str) -> float:
    k = int(codes.max()) + 1
    sizes = np.bincount(codes)
    sums = pairs.sums(codes, k)
    own = sums[np.arange(len(codes)), codes]
    own = np.where(own > _NOTHING, own, 0.0)
    spread = np.bincount(codes, own) / np.maximum(sizes * (sizes - 1), 1)
    spread[sizes == 1] = 1
    if between == "mean":
        alike = np.stack([np.bincount(codes, column, minlength=k) for column in sums.T], axis=1) / np.outer(
            sizes, sizes
        )
    else:
        first = np.lexsort((np.arange(len(codes)), -own, codes))  # in each cluster the medoid first
        medoids = first[np.cumsum(sizes) - sizes]
        alike = pairs.take(medoids).rows(np.arange(k))
    return _overlap(alike, spread[:, None] + spread, if_both_zero=0.0)


def _overlap(numerator: np.ndarray, denominator: np.ndarray, *, if_both_zero: float) -> float:
    """The mean over clusters of the largest ratio with another."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = numerator / denominator
    ratio[(numerator == 0) & (denominator == 0)] = if_both_zero
    np.fill_diagonal(ratio, -np.inf)
    return float(ratio.max(axis=1).mean())
