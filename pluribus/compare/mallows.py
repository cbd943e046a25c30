"""CC: the transport distance between the clusters of two partitions (Mallows)."""

from typing import Any, Literal, NamedTuple

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist

from pluribus._engine import is_one_of, real_number
from pluribus.compare._partitions import SoftPair, as_partitions
from pluribus.compare._places import Places
from pluribus.compare._transport import transport_cost

_BLOCK = 8192  # rows
_LARGEST_POWER = 100  # beyond, powers of ways that are a thousandth of the longest are 0

Representation = Literal["centroid", "membership"]


class Centroids(NamedTuple):
    """One partition as a distribution over its centroids."""

    centers: np.ndarray
    shares: np.ndarray
    p: float


def centroids(places: Places, X: Any, *, p: float = 1) -> list[Centroids]:
    """The centroids of all partitions."""
    p = real_number("p", p, 1, _LARGEST_POWER)
    X = places.check_vectors(X)
    places.check_tables()
    sums = np.zeros((len(places.masses), X.shape[1]))
    for start in range(0, places.n_objects, _BLOCK):  # X as float64 is copied in parts only
        rows = slice(start, start + _BLOCK)
        part = places.memberships[rows].T @ X[rows].astype(float)
        sums += part.toarray() if sparse.issparse(part) else part
    centers = sums / places.masses[:, None]
    return [Centroids(centers[clusters], places.shares(clusters), p) for clusters in places.slices]


def between(a: Centroids, b: Centroids) -> float:
    """The p-th root of the least cost, where a unit of mass costs the p-th power of its way."""
    return _least_way(a.shares, b.shares, cdist(a.centers, b.centers), a.p)


def cc_distance(a: Any, b: Any, X: Any = None, *, representation: Representation = "centroid", p: float = 1) -> float:
    """Least cost of moving one partition's clusters onto the other's, as far as their centers are apart (CC).

    With "centroid" it is in the units of X, and a metric but for partitions that share all centroids, such as
    concentric rings. With "membership" the way between two clusters is the share of the objects that are in one of
    them only (for soft ones the mean difference of their memberships), X is not looked at, and both partitions count
    on the objects they both cover.

    Parameters
    ----------
    a, b : sequences of n labels, or n × k memberships
    X : array or sparse matrix of shape (n, d)
    representation : {"centroid", "membership"}
    p : float
        From 1 to 100: the p-th root of the mean p-th power.

    References
    ----------
    Zhou, Li and Zha, "A new Mallows distance based metric for comparing clusterings", ICML 2005.

    Examples
    --------
    >>> from pluribus.compare import cc_distance
    >>> X = [[0], [1], [2], [3], [7], [8], [9], [10]]
    >>> a, near, far = [0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 0, 1, 1, 1], [1, 0, 0, 0, 1, 1, 1, 0]
    >>> cc_distance(a, near, X), cc_distance(a, far, X)
    (1.0, 2.5)
    >>> cc_distance(a, near, representation="membership")
    0.25
    """
    if not is_one_of(representation, ("centroid", "membership")):
        raise ValueError(f"representation must be 'centroid' or 'membership'; got {representation!r}.")
    if representation == "centroid":
        return between(*centroids(Places.of_pair(a, b), X, p=p))
    p = real_number("p", p, 1, _LARGEST_POWER)
    pair = SoftPair(*as_partitions(a, b))
    return _least_way(pair.u.mean(axis=0), pair.v.mean(axis=0), pair.cost / pair.n, p)


def _least_way(shares_a: np.ndarray, shares_b: np.ndarray, ways: np.ndarray, p: float) -> float:
    """The p-th root of the least cost; ways are measured by the longest, whose powers stay numbers."""
    longest = float(ways.max())
    if p == 1 or longest == 0 or not np.isfinite(longest):
        return transport_cost(shares_a, shares_b, ways)
    return longest * transport_cost(shares_a, shares_b, (ways / longest) ** p) ** (1 / p)
