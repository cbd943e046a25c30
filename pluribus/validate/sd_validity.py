"""SD: compact clusters, and centers that lie evenly apart."""

from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from pluribus._engine import real_number
from pluribus.validate._moments import Moments, moments_of
from pluribus.validate._partition import Missing
from pluribus.validate.estimate import Estimate


def sd_cost(
    labels: Any,
    X: Any = None,
    *,
    distances: Any = None,
    scatter_weight: float = 1.0,
    missing: Missing = "error",
) -> Estimate:
    """The weighted sum of the scatter within clusters and the spacing of their centers (SD): less is better.

    The scatter is that of ``s_dbw_cost``. The spacing is the ratio of the largest to the least distance of two centers,
    times the sum over centers of 1 / (sum of the distances to the others). It depends on the unit of the features, and
    so does the weight: the source takes the spacing of the partition with the most clusters, as ``validity_weights``
    does. Exact in O(n d).

    Parameters
    ----------
    labels, X, missing : see ``silhouette_index``
    distances : None
        Not enough: the index needs the features.
    scatter_weight : float
        Weight of the scatter.

    Returns
    -------
    Estimate
        Infinite if two clusters have the same center.

    References
    ----------
    Halkidi, Vazirgiannis and Batistakis, "Quality scheme assessment in the clustering process", PKDD 2000.

    Examples
    --------
    >>> from pluribus.validate import sd_cost
    >>> round(sd_cost([0, 0, 0, 1, 1, 1], X=[[0], [1], [2], [10], [11], [12]]), 4)
    0.226
    """
    scatter_weight = real_number("scatter_weight", scatter_weight, 0, np.inf)
    moments = moments_of(labels, X, distances, missing)
    return Estimate(scatter_weight * moments.mean_scatter + spacing(moments))


def spacing(moments: Moments) -> float:
    """How unevenly, and how closely, the centers lie (Dis)."""
    between = cdist(moments.means, moments.means)
    apart = between[np.triu_indices(len(between), 1)]
    return float(apart.max() / apart.min() * (1 / between.sum(axis=1)).sum()) if apart.min() > 0 else np.inf
