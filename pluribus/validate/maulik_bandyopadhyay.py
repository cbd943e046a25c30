"""Maulik and Bandyopadhyay's index I: compact clusters, and centers that are far apart."""

from typing import Any

import numpy as np

from pluribus.validate._centroids import centers_of
from pluribus.validate._partition import Missing, with_pairs
from pluribus.validate.estimate import Estimate


def maulik_bandyopadhyay_index(
    labels: Any, X: Any = None, *, distances: Any = None, missing: Missing = "error", n_jobs: int | None = None
) -> Estimate:
    """Index I, (E₁ / (k E_k) · D_k)²: more is better.

    E_k is the sum of the distances to the own centers, E₁ that to the center of all objects, and D_k the largest
    distance of two centers. It depends on the unit of the features: compare partitions of one table. Exact in O(n d);
    from distances, the same if they are Euclidean.

    Parameters
    ----------
    labels, X, distances, missing, n_jobs : see ``silhouette_index``

    Returns
    -------
    Estimate
        Infinite if the objects of each cluster are all equal.

    References
    ----------
    Maulik and Bandyopadhyay, "Performance evaluation of some clustering algorithms and validity indices", IEEE TPAMI
    24, 2002.

    Examples
    --------
    >>> from pluribus.validate import maulik_bandyopadhyay_index
    >>> float(maulik_bandyopadhyay_index([0, 0, 1, 1], X=[[0], [2], [10], [12]]))
    625.0
    """
    codes, pairs = with_pairs(labels, X, distances, None, missing=missing, n_jobs=n_jobs)
    centers = centers_of(pairs, codes)
    sizes = np.bincount(codes)
    spread = float(sizes @ centers.to_own)
    overall = len(codes) * float(centers_of(pairs, np.zeros_like(codes)).to_own[0])
    widest = float(centers.between.max())
    return Estimate((overall / (len(sizes) * spread) * widest) ** 2 if spread > 0 else np.inf)
