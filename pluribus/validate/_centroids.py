"""What indices of compactness need: how far objects are from the centers of clusters, and these from each other.

Centers exist in the space of features only; but if distances are Euclidean, those from and between centers follow from
them, and then the indices are the same with either.
"""

from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist

from pluribus.validate._pairs import FeaturePairs, Pairs

_MOST = 1e140  # a distance whose square, and sums of it, are finite
_ROWS = 65_536
_MOST_BETWEEN = 2**26  # distances between centers


class Centers(NamedTuple):
    """Of k clusters."""

    to_own: np.ndarray  # (k,) mean distance of the members from the center
    between: np.ndarray  # (k, k) distances between centers
    within: float  # sum of the squared distances from the centers
    total: float  # sum of the squared distances from the center of all


def centers_of(pairs: Pairs, codes: np.ndarray) -> Centers:
    """From features in O(n d), from distances in O(n²) time and O(n k) memory."""
    k = int(codes.max()) + 1
    if k**2 > _MOST_BETWEEN:
        raise ValueError(f"{k:,} clusters have too many distances between their centers; merge the small ones.")
    return _of_features(pairs.X, codes) if isinstance(pairs, FeaturePairs) else _of_distances(pairs, codes)


def _of_features(X, codes: np.ndarray) -> Centers:
    n = len(codes)
    sizes = np.bincount(codes)
    k = len(sizes)
    members = sparse.csr_array((np.ones(n), (codes, np.arange(n))), shape=(k, n))
    sums = members @ X
    means = (sums.toarray() if sparse.issparse(sums) else sums) / sizes[:, None]
    mean = sizes @ means / n
    spread, within = np.zeros(k), 0.0
    for start in range(0, n, _ROWS):
        some = codes[start : start + _ROWS]
        squared = _squared_to(X[start : start + _ROWS], means, some)
        within += float(squared.sum())
        spread += np.bincount(some, np.sqrt(squared), minlength=k)
    between_all = float(sizes @ ((means - mean) ** 2).sum(axis=1))
    return Centers(spread / sizes, cdist(means, means), within, within + between_all)


def _squared_to(X, means: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Squared distance of each row to the center of its cluster."""
    if not sparse.issparse(X):
        return ((X - means[codes]) ** 2).sum(axis=1)
    norms = (means**2).sum(axis=1)
    products = np.asarray((X @ means.T)[np.arange(len(codes)), codes])
    out = np.maximum(np.asarray(X.multiply(X).sum(axis=1)).ravel() - 2 * products + norms[codes], 0)
    out[np.bincount(codes, minlength=len(means))[codes] == 1] = 0  # not what rounding leaves of it
    return out


def _of_distances(pairs: Pairs, codes: np.ndarray) -> Centers:
    sizes = np.bincount(codes)
    k, n = len(sizes), len(codes)
    members = sparse.csr_array((np.ones(n), (codes, np.arange(n))), shape=(k, n))

    def means(start: int, stop: int) -> np.ndarray:
        rows = pairs.rows(np.arange(start, stop))
        if rows.max(initial=0) > _MOST:
            raise ValueError(
                f"distances are up to {rows.max():.3g}: their squares are infinite. Divide them by a number."
            )
        return (members @ (rows**2).T).T / sizes

    to_cluster = np.concatenate(pairs.over_rows(means))  # mean squared distance of each object to each cluster
    cluster_means = (members @ to_cluster) / sizes[:, None]
    inertia = cluster_means.diagonal() / 2  # mean squared distance to the own center
    squared = np.maximum(to_cluster[np.arange(n), codes] - inertia[codes], 0)
    squared[sizes[codes] == 1] = 0  # not what rounding leaves of it
    between = np.sqrt(np.maximum(cluster_means - inertia[:, None] - inertia, 0))
    total = float(sizes @ cluster_means @ sizes) / (2 * n)
    return Centers(np.bincount(codes, np.sqrt(squared)) / sizes, between, float(sizes @ inertia), total)
