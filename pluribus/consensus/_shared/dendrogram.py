"""Cutting dendrograms: a given number of clusters, a threshold, or the highest lifetime."""

import numpy as np

from pluribus._kernels.linkage.dendrogram import groups_after

_TIE = 1e-9
_NOTHING = 1e-3  # a share of evidence that counts as none on the logarithmic scale


def cut_into(linkage: np.ndarray, n_clusters: int) -> np.ndarray:
    """Labels after the first n - k merges, regardless of ties among the heights.

    scipy's ``fcluster(criterion="maxclust")`` cuts at a height and therefore cannot separate merges of equal height,
    which are common in co-associations.
    """
    n = len(linkage) + 1
    if not 1 <= n_clusters <= n:
        raise ValueError(f"n_clusters must be between 1 and the number of objects, {n}; got {n_clusters}.")
    return groups_after(linkage, n, n - n_clusters)


def cut_at(linkage: np.ndarray, threshold: float) -> np.ndarray:
    """Labels after all merges up to a height."""
    heights = np.maximum.accumulate(linkage[:, 2]) if len(linkage) else np.empty(0)
    return groups_after(linkage, len(linkage) + 1, int(np.searchsorted(heights, threshold + _TIE, side="right")))


def lifetimes(linkage: np.ndarray, top: float | None, scale: str = "share") -> np.ndarray:
    """Length of the interval of heights that yields exactly k clusters, at index k (0 … n).

    ``top`` is the largest possible dissimilarity, where the lifetime of one cluster ends. It is None if there is no
    such bound (Ward); one cluster then has lifetime 0. On the "log" scale heights between 0 and 1 become logarithms of
    the evidence 1 - h, scaled to 0 to 1.
    """
    heights = np.maximum.accumulate(linkage[:, 2]) if len(linkage) else np.empty(0)
    if scale == "log":
        heights = 1 - np.log1p(np.clip(1 - heights, 0, 1) / _NOTHING) / np.log1p(1 / _NOTHING)
    end = top if top is not None else (heights[-1] if len(heights) else 0.0)
    bounds = np.concatenate([[0.0], heights, [end]])
    lengths = np.maximum(np.diff(bounds), 0)  # of n, n - 1, …, 1 clusters
    return np.concatenate([[0.0], lengths[::-1]])


def longest_lived(lengths: np.ndarray, k_range: tuple[int, int] | None, allow_single_cluster: bool) -> int:
    """The k with the longest lifetime; on ties the smallest.

    Without ``k_range`` the candidates are 2 … n - 1. If no candidate has a lifetime (all objects always together, or
    never), one cluster and n singletons are candidates too.
    """
    n = len(lengths) - 1
    low, high = k_range if k_range is not None else (1 if allow_single_cluster else 2, n - 1)
    candidates = np.arange(max(low, 1), min(high, n) + 1)
    if len(candidates) == 0 or lengths[candidates].max() <= _TIE:
        candidates = np.arange(1, n + 1)
    best = lengths[candidates].max()
    return int(candidates[np.flatnonzero(lengths[candidates] >= best - _TIE)[0]])


def interval_of(linkage: np.ndarray, n_clusters: int, top: float | None) -> tuple[float, float]:
    """The interval of heights in which the dendrogram has this number of clusters."""
    n = len(linkage) + 1
    heights = np.maximum.accumulate(linkage[:, 2]) if n > 1 else np.empty(0)
    low = float(heights[n - n_clusters - 1]) if n_clusters < n else 0.0
    if n_clusters > 1:
        return low, float(heights[n - n_clusters])
    return low, low if top is None else float(top)
