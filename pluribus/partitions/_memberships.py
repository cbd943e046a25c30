"""Soft partitions: n × k memberships, rows on the simplex."""

from typing import Any

import numpy as np

from pluribus._engine import number_array

_BLOCK = 16_384  # rows whose entropies are computed at a time


def check_membership(membership: Any, name: str = "membership") -> np.ndarray:
    """Validate a membership matrix: finite, non-negative, rows that sum to 1 (or all 0 = not clustered here).

    Examples
    --------
    >>> from pluribus.partitions._internal import check_membership
    >>> check_membership([[0.5, 0.5], [1, 0]]).shape
    (2, 2)
    """
    u = number_array(name, membership)
    if u.ndim != 2 or u.shape[1] == 0:
        raise ValueError(f"{name} must be an n × k matrix with k >= 1; got shape {u.shape}.")
    if not np.isfinite(u).all() or (u < 0).any():
        raise ValueError(f"{name} must be finite and non-negative.")
    total = u.sum(axis=1)
    off = np.flatnonzero((np.abs(total - 1) > 1e-6) & (total != 0))
    if off.size:
        raise ValueError(
            f"{name}: the rows must sum to 1 (or be all 0 where an object is not clustered); row {off[0]} sums "
            f"to {total[off[0]]:.6g}, and {off.size} rows are off. Divide each row by its sum."
        )
    return u


def harden(membership: np.ndarray) -> np.ndarray:
    """The cluster with the highest membership, the first on ties; ``-1`` where a row is all zero.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus.partitions import harden
    >>> harden(np.array([[0.2, 0.8], [0.5, 0.5], [0.0, 0.0]])).tolist()
    [1, 0, -1]
    """
    if not isinstance(membership, np.ndarray) or membership.dtype.kind != "f":
        membership = number_array("membership", membership)
    if membership.ndim != 2 or membership.shape[1] == 0:
        raise ValueError(f"membership must be an n × k matrix with k >= 1; got shape {membership.shape}.")
    with np.errstate(over="ignore"):
        return np.where(membership.sum(axis=1) > 0, membership.argmax(axis=1), -1)


def normalized_entropy(membership: np.ndarray) -> np.ndarray:
    """Uncertainty of each row: entropy divided by log k, so 0 is certain and 1 knows nothing.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus.partitions._internal import normalized_entropy
    >>> normalized_entropy(np.array([[1.0, 0.0], [0.5, 0.5]])).tolist()
    [0.0, 1.0]
    """
    k = membership.shape[1]
    if k == 1:
        return np.zeros(len(membership))
    entropy = np.empty(len(membership))
    for start in range(0, len(membership), _BLOCK):
        block = membership[start : start + _BLOCK]
        log = np.log(block, where=block > 0, out=np.zeros_like(block))
        entropy[start : start + _BLOCK] = (block * -log).sum(axis=1)
    return np.clip(entropy / np.log(k), 0, 1)
