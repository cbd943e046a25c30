"""The first labels or centers of k-means under conditions."""

from typing import Any, NamedTuple

import numpy as np
import sklearn

from pluribus._engine import plain_array
from pluribus.constrained.conditions._requirements import Requirements

_MOST_DRAWN = 200_000  # rows among which k-means++ draws its centers


class Start(NamedTuple):
    """Labels, or centers if there are no labels."""

    labels: np.ndarray | None
    centers: np.ndarray


def given_start(init: Any, n_clusters: int, requirements: Requirements, shift: np.ndarray) -> Start:
    """Labels or centers that the user gave, checked; centers with the shift subtracted."""
    n, shape = requirements.n_rows, (n_clusters, len(shift))
    given = plain_array("init", init)
    if given.shape == (n,):
        if given.dtype.kind not in "iu" or given.min() < 0 or given.max() >= n_clusters:
            raise ValueError(f"init has labels other than the whole numbers from 0 to {n_clusters - 1}.")
        short = np.flatnonzero(requirements.shortfalls(given, n_clusters))
        if len(short):
            raise ValueError(
                f"init has labels with {len(short)} clusters that break the conditions or are empty, such as cluster "
                f"{short[0]}: give labels that satisfy the conditions, or give centers."
            )
        return Start(given.astype(np.int64), np.zeros(shape))
    if given.shape != shape:
        raise ValueError(f"init has shape {given.shape}: give centers, of shape {shape}, or labels, of shape {(n,)}.")
    if given.dtype.kind not in "biuf" or not np.isfinite(given).all():
        raise ValueError("init has centers with values that are not finite numbers: give finite centers.")
    return Start(None, given.astype(np.float64) - shift)


def drawn_start(rows: np.ndarray, weights: np.ndarray | None, n_clusters: int, seed: int) -> Start:
    """Centers by k-means++, among all rows or, if there are very many, among a sample of them."""
    random = np.random.RandomState(seed)
    if len(rows) > _MOST_DRAWN:
        some = np.sort(random.choice(len(rows), _MOST_DRAWN, replace=False))
        rows, weights = rows[some], None if weights is None else weights[some]
    if len(rows) < n_clusters:  # micro-clusters of many equal rows
        return Start(None, np.resize(rows, (n_clusters, rows.shape[1])).astype(np.float64))
    centers = sklearn.cluster.kmeans_plusplus(rows, n_clusters, sample_weight=weights, random_state=random)[0]
    return Start(None, centers.astype(np.float64))
