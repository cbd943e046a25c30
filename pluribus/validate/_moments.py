"""Sizes, means and variances of clusters in the space of features."""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from pluribus.validate._partition import Missing, with_pairs


class Moments(NamedTuple):
    """Of k clusters in d dimensions."""

    X: Any  # the rows in a cluster
    codes: np.ndarray
    sizes: np.ndarray
    means: np.ndarray  # (k, d)
    scatter: np.ndarray  # (k,) the norm of the vector of variances
    total_scatter: float  # that of all objects

    @property
    def mean_scatter(self) -> float:
        """The mean scatter of clusters, as a share of that of all objects (Scat); 0 if all objects are equal."""
        return float(self.scatter.mean() / self.total_scatter) if self.total_scatter > 0 else 0.0


def moments_of(labels: Any, X: Any, distances: Any, missing: Missing) -> Moments:
    """Of labeled rows, in O(n d)."""
    if X is None:
        raise ValueError("This index needs X, the features: it looks at the space between clusters, not at distances.")
    codes, pairs = with_pairs(labels, X, distances, None, missing=missing)
    X = pairs.X  # type: ignore[attr-defined]
    sizes = np.bincount(codes)
    members = sparse.csr_array((np.ones(len(codes)), (codes, np.arange(len(codes)))), shape=(len(sizes), len(codes)))
    center = np.asarray(X.mean(axis=0), dtype=np.float64).ravel()
    if sparse.issparse(X):
        means = (members @ X).toarray() / sizes[:, None]
        variances = (members @ X.multiply(X)).toarray() / sizes[:, None] - means**2
        overall = np.asarray(X.multiply(X).mean(axis=0)).ravel() - center**2
    else:
        means = members @ (X - center) / sizes[:, None] + center
        variances = members @ ((X - means[codes]) ** 2) / sizes[:, None]
        overall = ((X - center) ** 2).mean(axis=0)
    return Moments(X, codes, sizes, means, _norms(variances), float(_norms(overall[None])[0]))


def _norms(variances: np.ndarray) -> np.ndarray:
    """Of each row; variances below 0 are rounding, and squares of very large ones overflow."""
    variances = np.maximum(variances, 0)
    unit = variances.max() or 1.0
    return np.linalg.norm(variances / unit, axis=1) * unit
