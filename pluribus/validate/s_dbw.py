"""S_Dbw: compact clusters, and few objects in the middle between two."""

from typing import Any

import numpy as np
from sklearn.metrics import pairwise_distances

from pluribus.validate._moments import Moments, moments_of
from pluribus.validate._partition import Missing
from pluribus.validate.estimate import Estimate


def s_dbw_cost(labels: Any, X: Any = None, *, distances: Any = None, missing: Missing = "error") -> Estimate:
    """Scatter within clusters plus density between them (S_Dbw): less is better.

    The scatter is the mean norm of the variances of clusters, as a share of that of all objects. The density between
    two clusters counts their objects around the middle of their centers, as a share of those around the denser center.
    "Around" is within the mean standard deviation of the clusters. Exact in O(n k d).

    Parameters
    ----------
    labels, X, missing : see ``silhouette_index``
    distances : None
        Not enough: the index needs the features.

    Returns
    -------
    Estimate

    References
    ----------
    Halkidi and Vazirgiannis, "Clustering validity assessment: finding the optimal partitioning of a data set", ICDM
    2001.

    Examples
    --------
    >>> from pluribus.validate import s_dbw_cost
    >>> round(s_dbw_cost([0, 0, 0, 1, 1, 1], X=[[0], [1], [2], [10], [11], [12]]), 4)
    0.026
    """
    moments = moments_of(labels, X, distances, missing)
    return Estimate(moments.mean_scatter + _density_between(moments))


def _density_between(moments: Moments) -> float:
    """The mean over pairs of clusters of the density in the middle, as a share of that at the denser center."""
    k, means = len(moments.sizes), moments.means
    radius = np.sqrt(moments.scatter.sum()) / k
    in_middle, at_center = np.zeros((k, k)), np.zeros((k, k))
    order = np.argsort(moments.codes, kind="stable")
    rows = np.split(order, np.cumsum(moments.sizes)[:-1])
    for i in range(k):  # objects of i around the middle to j, and around the center of j
        own = moments.X[rows[i]]
        in_middle[i] = _around(own, (means + means[i]) / 2, radius)
        at_center[i] = _around(own, means, radius)
    one, other = np.triu_indices(k, 1)
    middle = in_middle[one, other] + in_middle[other, one]
    first = at_center[one, one] + at_center[other, one]
    second = at_center[other, other] + at_center[one, other]
    return float((middle / np.maximum(np.maximum(first, second), 1)).mean())


def _around(rows: Any, points: np.ndarray, radius: float) -> np.ndarray:
    """How many rows are within the radius of each point."""
    return (pairwise_distances(rows, points) <= radius * (1 + 1e-12)).sum(axis=0)
