"""How much a partition explains of the rows: at all, and beyond the known groups."""

from typing import Any

import numpy as np
from scipy import sparse

from pluribus.alternative._shared.known import Known
from pluribus.alternative._shared.residuals import Residuals, sum_rows

# Weight of what a partition explains of all rows, next to what it explains within the known groups. It makes clusters
# mean the same in every group, and is low, or a known partition that dominates the features would come back.
COORDINATION = 0.05


def explained_share(X: Any, labels: np.ndarray) -> float:
    """The share of the variance of X that lies between the clusters, 0 to 1; objects without a cluster are left out.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus.alternative._shared.criteria import explained_share
    >>> explained_share(np.array([[0.0], [2.0], [10.0], [12.0]]), np.array([0, 0, 1, 1])).__round__(4)
    0.9615
    """
    inside = np.flatnonzero(labels >= 0)
    X, labels = (X, labels) if len(inside) == len(labels) else (X[inside], labels[inside])
    centered = Residuals(X, np.zeros(X.shape[0], dtype=np.int64), 1)
    total = float(centered.squared_norms().sum())
    return _between(centered, labels, int(labels.max(initial=-1)) + 1) / total if total > 0 else 0.0


def explained_beyond(residuals: Residuals, labels: np.ndarray, known: Known) -> float:
    """Variance of the residuals that lies between the cells of clusters and groups, and between the clusters."""
    inside = labels >= 0
    labels = np.where(inside, labels, labels.max() + 1)  # those without a cluster are one of their own
    k = int(labels.max()) + 1
    within_groups = _between(residuals, _cells(labels, known), k * (known.n_groups + 1))
    return within_groups + COORDINATION * _between(residuals, labels, k)


def information_beyond(X: Any, labels: np.ndarray, known: Known) -> float:
    """I(C; F | Z) + λ I(C; F) in bits: what clusters tell about features, within the known groups and in all.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus.alternative._shared.criteria import COORDINATION, information_beyond
    >>> from pluribus.alternative._shared.known import read_known
    >>> X = np.array([[1, 0, 1, 0], [1, 0, 0, 1], [0, 1, 1, 0], [0, 1, 0, 1]], dtype=float)
    >>> known = read_known([0, 0, 1, 1], 4)
    >>> round(information_beyond(X, np.array([0, 1, 0, 1]), known) / (1 + COORDINATION), 6)
    0.5
    """
    labels = np.where(labels >= 0, labels, labels.max() + 1)
    k, n_groups = int(labels.max()) + 1, known.n_groups + 1
    shares = _row_shares(X)
    joint = (sum_rows(shares, _cells(labels, known), k * n_groups) / X.shape[0]).reshape(k, n_groups, -1)
    in_cells, in_groups, in_clusters = joint.sum(axis=2), joint.sum(axis=0), joint.sum(axis=1)
    conditional = _plogp(joint) - _plogp(in_cells) - _plogp(in_groups) + _plogp(in_groups.sum(axis=1))
    overall = _plogp(in_clusters) - _plogp(in_clusters.sum(axis=1)) - _plogp(in_clusters.sum(axis=0))
    return conditional + COORDINATION * (overall + _plogp(joint.sum()))


def _cells(labels: np.ndarray, known: Known) -> np.ndarray:
    group = np.where(known.codes < 0, known.n_groups, known.codes)
    return labels.astype(np.int64) * (known.n_groups + 1) + group


def _between(residuals: Residuals, labels: np.ndarray, n_labels: int) -> float:
    sizes = np.bincount(labels, minlength=n_labels)
    sums = residuals.sums(labels, n_labels)
    return float(((sums**2).sum(axis=1) / np.maximum(sizes, 1)).sum())


def _row_shares(X: Any) -> Any:
    total = np.asarray(X.sum(axis=1), dtype=np.float64).ravel()
    scale = np.divide(1.0, total, out=np.zeros_like(total), where=total > 0)
    return X.multiply(scale[:, None]).tocsr() if sparse.issparse(X) else X * scale[:, None]


def _plogp(p: Any) -> float:
    p = np.asarray(p, dtype=np.float64)
    p = p[p > 0]
    return float((p * np.log2(p)).sum())
