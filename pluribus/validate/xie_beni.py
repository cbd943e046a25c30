"""Xie and Beni's cost: compact clusters, and no two centers close to each other."""

from typing import Any

import numpy as np

from pluribus.validate._centroids import centers_of
from pluribus.validate._partition import Missing, with_pairs
from pluribus.validate.estimate import Estimate


def xie_beni_cost(
    labels: Any, X: Any = None, *, distances: Any = None, missing: Missing = "error", n_jobs: int | None = None
) -> Estimate:
    """How compact clusters are against the two closest centers: less is better.

    The mean squared distance to the own center, divided by the least squared distance of two centers. Exact in O(n d);
    from distances, the same if they are Euclidean. This is the form for hard partitions. It falls as clusters become
    tiny: compare partitions whose numbers of clusters are far below n.

    Parameters
    ----------
    labels, X, distances, missing, n_jobs : see ``silhouette_index``

    Returns
    -------
    Estimate
        Infinite if two clusters have the same center.

    References
    ----------
    Xie and Beni, "A validity measure for fuzzy clustering", IEEE TPAMI 13, 1991.

    Examples
    --------
    >>> from pluribus.validate import xie_beni_cost
    >>> float(xie_beni_cost([0, 0, 1, 1], X=[[0], [2], [10], [12]]))
    0.01
    """
    codes, pairs = with_pairs(labels, X, distances, None, missing=missing, n_jobs=n_jobs)
    centers = centers_of(pairs, codes)
    apart = centers.between[np.triu_indices(len(centers.between), 1)].min()
    return Estimate(centers.within / len(codes) / apart**2 if apart > 0 else np.inf)
