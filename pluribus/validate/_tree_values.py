"""What spanning trees are grown on: dense features, or distances."""

from typing import Any

import numpy as np
from scipy import sparse

from pluribus.validate._pairs import FeaturePairs

_MOST_DISTANCES = 10_000**2  # that are made at once, where they must be


def tree_values(pairs: Any) -> tuple[np.ndarray, bool]:
    """Features, or distances and True; those of sparse features are computed."""
    if not isinstance(pairs, FeaturePairs):
        return np.asarray(pairs.D, dtype=np.float64, order="C"), True
    if not sparse.issparse(pairs.X):
        return np.asarray(pairs.X, dtype=np.float64, order="C"), False
    if pairs.n**2 > _MOST_DISTANCES:
        raise ValueError(
            f"From sparse X the distances of {pairs.n:,} objects would be made at once. Reduce X to a few dense "
            "columns, or leave sample_size at 'auto'."
        )
    return pairs.rows(np.arange(pairs.n)), True
