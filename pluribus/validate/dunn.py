"""Dunn's index: the narrowest gap between clusters against the widest cluster."""

import warnings
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import minimum_spanning_tree

from pluribus._engine import is_one_of
from pluribus.validate._pairs import Pairs, SimilarityPairs
from pluribus.validate._partition import Missing, with_pairs
from pluribus.validate._sampling import check_sample_size, estimate, limit_of
from pluribus.validate.estimate import Estimate

_LOW = 0.05  # the quantile of the variant that is robust against single pairs

Within = Literal["extreme", "quantile", "bottleneck"]


def dunn_index(
    labels: Any,
    X: Any = None,
    *,
    distances: Any = None,
    similarity: Any = None,
    within: Within = "extreme",
    metric: str = "euclidean",
    missing: Missing = "error",
    sample_size: int | str | None = "auto",
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> Estimate:
    """The smallest distance between two clusters, divided by the largest within one: more is better.

    With similarities, the lowest similarity within a cluster divided by 1 + the highest between two, from 0 to 1. On
    evidence from fine members it is 0 for nearly every partition, because some pair of each cluster is never together:
    then look at the robust forms, or at another index.

    Parameters
    ----------
    labels, X, distances, similarity, metric, missing, random_state, n_jobs : see ``silhouette_index``
    within : {"extreme", "quantile", "bottleneck"}
        For similarities, what stands for a cluster: its lowest similarity as in the source; the similarity that 5 % of
        its pairs do not reach; or the weakest link of the tree that joins it by its strongest links.
    sample_size : "auto", int or None
        As there; but extremes cannot be estimated from a sample, only bounded: ``high`` is the value, which the true
        one does not exceed, and ``low`` is 0. (With ``within="quantile"`` or "bottleneck" neither holds strictly.)

    Returns
    -------
    Estimate
        Infinite, with a warning, if each object is a cluster of its own; nan if all distances are 0.

    References
    ----------
    Dunn, "Well-separated clusters and optimal fuzzy partitions", J. Cybernetics 4, 1974.

    Examples
    --------
    >>> from pluribus.validate import dunn_index
    >>> float(dunn_index([0, 0, 1, 1], X=[[0], [1], [5], [7]]))
    2.0
    """
    check_sample_size(sample_size)
    if not is_one_of(within, ("extreme", "quantile", "bottleneck")):
        raise ValueError(f"within must be 'extreme', 'quantile' or 'bottleneck'; got {within!r}.")
    if within != "extreme" and similarity is None:
        raise ValueError(f"within={within!r} is for similarities; with distances it is 'extreme'.")
    codes, pairs = with_pairs(labels, X, distances, similarity, missing=missing, metric=metric, n_jobs=n_jobs)
    limit = limit_of(sample_size)
    if isinstance(pairs, SimilarityPairs):
        if sample_size == "auto" and pairs.held_sparse:
            limit = None

        def statistic(pairs: Any, codes: np.ndarray, weights: np.ndarray) -> float:
            return _by_similarity(pairs, codes, within)
    else:
        statistic = _by_distance
    value = estimate(statistic, pairs, codes, limit, random_state, interval=False)
    return value if value.exact else Estimate(value, low=0.0, high=value, n_sampled=value.n_sampled)


def _by_distance(pairs: Pairs, codes: np.ndarray, weights: np.ndarray) -> float:
    def extremes(start: int, stop: int) -> tuple[float, float]:
        rows = pairs.rows(np.arange(start, stop))
        same = codes[start:stop, None] == codes
        return float(np.where(same, np.inf, rows).min()), float(np.where(same, rows, 0).max())

    gaps, diameters = zip(*pairs.over_rows(extremes), strict=True)
    gap, diameter = min(gaps), max(diameters)
    if diameter > 0:
        return gap / diameter
    if gap == 0:
        warnings.warn("All distances are 0, so that Dunn's index is not defined (nan).", UserWarning, stacklevel=4)
        return float("nan")
    warnings.warn("No cluster has two different objects, so that Dunn's index is infinite.", UserWarning, stacklevel=4)
    return float("inf")


class _Links(NamedTuple):
    """The positive similarities i < j within clusters, and the highest between clusters."""

    i: np.ndarray
    j: np.ndarray
    value: np.ndarray
    highest_between: float


def _by_similarity(pairs: SimilarityPairs, codes: np.ndarray, within: str) -> float:
    links = _links(pairs, codes)
    sizes = np.bincount(codes)
    of_cluster = codes[links.i]
    n_positive = np.bincount(of_cluster, minlength=len(sizes))
    n_pairs = sizes * (sizes - 1) // 2
    inside = np.ones(len(sizes))  # of an object alone
    by_value = np.lexsort((links.value, of_cluster))
    first = np.cumsum(n_positive) - n_positive
    if within == "bottleneck":
        inside = _bottlenecks(links, codes, sizes)
    else:
        # The pairs that are not held are 0 and come first.
        place = np.floor((0 if within == "extreme" else _LOW) * (n_pairs - 1)).astype(np.int64) - (n_pairs - n_positive)
        some = np.flatnonzero(n_pairs > 0)
        inside[some] = 0
        held = some[place[some] >= 0]
        inside[held] = links.value[by_value][first[held] + place[held]]
    return float(inside.min() / (1 + links.highest_between))


def _links(pairs: SimilarityPairs, codes: np.ndarray) -> _Links:
    if pairs.held_sparse:
        return _split(pairs.evidence.to_sparse().tocoo(), codes, 0)
    parts = pairs.over_rows(
        lambda start, stop: _split(sparse.coo_array(pairs.rows(np.arange(start, stop))), codes, start)
    )
    i, j, value, highest = zip(*parts, strict=True)
    return _Links(np.concatenate(i), np.concatenate(j), np.concatenate(value), max(highest))


def _split(entries: sparse.coo_array, codes: np.ndarray, start: int) -> _Links:
    i, j = entries.coords[0].astype(np.int64) + start, entries.coords[1].astype(np.int64)
    upper = (i < j) & (entries.data > 0)
    i, j, value = i[upper], j[upper], entries.data[upper]
    same = codes[i] == codes[j]
    return _Links(i[same], j[same], value[same], float(value[~same].max(initial=0.0)))


def _bottlenecks(links: _Links, codes: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """The weakest link of each cluster's tree of strongest links; 0 if it does not hold together."""
    n = len(codes)
    tree = minimum_spanning_tree(sparse.csr_array((2 - links.value, (links.i, links.j)), shape=(n, n))).tocoo()
    of_cluster = codes[tree.coords[0]]
    out = np.ones(len(sizes))
    np.minimum.at(out, of_cluster, 2 - tree.data)
    out[np.bincount(of_cluster, minlength=len(sizes)) < sizes - 1] = 0
    return out
