"""Hubert's normalized statistic: do the distances of objects follow those of the centers of their clusters?"""

from typing import Any

import numpy as np

from pluribus.validate._centroids import centers_of
from pluribus.validate._pairs import Pairs
from pluribus.validate._partition import Missing, with_pairs
from pluribus.validate._sampling import check_sample_size, estimate, limit_of
from pluribus.validate.estimate import Estimate


def hubert_index(
    labels: Any,
    X: Any = None,
    *,
    distances: Any = None,
    missing: Missing = "error",
    sample_size: int | str | None = "auto",
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> Estimate:
    """The correlation of the distances of all pairs with those of the centers of their clusters: more is better.

    It is between -1 and 1, grows with the number of clusters, and is 1 if each object is a cluster of its own.

    Parameters
    ----------
    labels, X, distances, missing, sample_size, random_state, n_jobs : see ``silhouette_index``
        Distances between features are Euclidean.

    Returns
    -------
    Estimate
        nan if all distances are equal.

    References
    ----------
    Hubert and Schultz, "Quadratic assignment as a general data-analysis strategy", British J. Math. Stat. Psych. 29,
    1976.

    Examples
    --------
    >>> from pluribus.validate import hubert_index
    >>> round(hubert_index([0, 0, 1, 1], X=[[0], [2], [10], [12]]), 4)
    0.9562
    """
    check_sample_size(sample_size)
    codes, pairs = with_pairs(labels, X, distances, None, missing=missing, n_jobs=n_jobs)
    return estimate(_correlation, pairs, codes, limit_of(sample_size), random_state)


def _correlation(pairs: Pairs, codes: np.ndarray, weights: np.ndarray) -> float:
    """Over the pairs of different objects, each weighted by how many pairs it stands for."""
    between = centers_of(pairs, codes).between

    def sums(start: int, stop: int) -> np.ndarray:
        apart, centers = pairs.rows(np.arange(start, stop)), between[codes[start:stop]][:, codes]
        weight = weights[start:stop, None] * weights
        weight[np.arange(stop - start), np.arange(start, stop)] = 0
        terms = (np.ones_like(apart), apart, centers, apart**2, centers**2, apart * centers)
        return np.array([(weight * term).sum() for term in terms])

    total, x, y, xx, yy, xy = np.sum(pairs.over_rows(sums), axis=0)
    varied = (xx / total - (x / total) ** 2) * (yy / total - (y / total) ** 2)
    return float((xy / total - x * y / total**2) / np.sqrt(varied)) if varied > 0 else float("nan")
