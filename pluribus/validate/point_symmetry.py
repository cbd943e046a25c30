"""Point symmetry: each object has a counterpart on the other side of the center of its cluster."""

from typing import Any

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist

from pluribus.validate._pairs import Pairs
from pluribus.validate._partition import Missing, with_pairs
from pluribus.validate._sampling import check_sample_size, estimate, limit_of
from pluribus.validate.estimate import Estimate

_PRODUCTS = 2**21  # of the rows of a cluster that are held at a time


def point_symmetry_cost(
    labels: Any,
    X: Any = None,
    *,
    distances: Any = None,
    missing: Missing = "error",
    sample_size: int | str | None = "auto",
    random_state: Any = 0,
) -> Estimate:
    """How far clusters are from being symmetric around their centers: less is better.

    The asymmetry of an object x is the least ‖(x - v) + (y - v)‖ / (‖x - v‖ + ‖y - v‖) over the other objects y of its
    cluster with center v: 0 if one lies opposite. It is multiplied by the distance ‖x - v‖, averaged over the objects
    of each cluster and over clusters, and divided by the least distance of two centers. The time is that of all pairs
    within clusters.

    Parameters
    ----------
    labels, X, missing, sample_size, random_state : see ``silhouette_index``
        In a sample fewer objects have a counterpart, so the value is too high; it has no interval.
    distances : None
        Not enough: the index needs the features.

    Returns
    -------
    Estimate
        Infinite if two clusters have the same center.

    References
    ----------
    Chou, Su and Lai, "Symmetry as a new measure for cluster validity", WSEAS 2002.

    Examples
    --------
    >>> from pluribus.validate import point_symmetry_cost
    >>> float(point_symmetry_cost([0, 0, 0, 1, 1, 1], X=[[0], [1], [2], [10], [11], [12]]))
    0.0
    """
    check_sample_size(sample_size)
    if X is None:
        raise ValueError("This index needs X, the features: distances do not tell what lies opposite.")
    codes, pairs = with_pairs(labels, X, distances, None, missing=missing)
    return estimate(_cost, pairs, codes, limit_of(sample_size), random_state, interval=False)


def _cost(pairs: Pairs, codes: np.ndarray, weights: np.ndarray) -> float:
    X: Any = pairs.X  # type: ignore[attr-defined]
    order, sizes = np.argsort(codes, kind="stable"), np.bincount(codes)
    means, values = [], []
    for index in np.split(order, np.cumsum(sizes)[:-1]):
        rows = X[index]
        means.append(np.asarray(rows.mean(axis=0), dtype=np.float64).ravel())
        values.append(_asymmetry(rows, means[-1]))
    apart = cdist(means, means)[np.triu_indices(len(means), 1)].min()
    return float(np.mean(values) / apart) if apart > 0 else float("inf")


def _asymmetry(rows: Any, center: np.ndarray) -> float:
    """The mean over the objects of a cluster; an object alone is its own center."""
    m = rows.shape[0]
    if m == 1:
        return 0.0
    if sparse.issparse(rows):  # the products of centered rows follow from those of the rows
        to_center, norm = rows @ center, float(center @ center)
        squares = np.asarray(rows.multiply(rows).sum(axis=1)).ravel() - 2 * to_center + norm
    else:
        rows = rows - center
        to_center, norm = np.zeros(m), 0.0
        squares = (rows**2).sum(axis=1)
    squares = np.maximum(squares, 0)
    lengths = np.sqrt(squares)
    total = 0.0
    block = max(1, _PRODUCTS // m)
    for start in range(0, m, block):
        here = np.arange(start, min(start + block, m))
        products = rows[here] @ rows.T
        products = products.toarray() if sparse.issparse(products) else products
        products = products - to_center[here, None] - to_center + norm
        opposite = np.sqrt(np.maximum(squares[here, None] + squares + 2 * products, 0))
        both = lengths[here, None] + lengths
        ratio = np.divide(opposite, both, out=np.zeros_like(opposite), where=both > 0)
        ratio[here - start, here] = np.inf
        total += float(ratio.min(axis=1) @ lengths[here])
    return total / m
