"""Products with the co-association, without building it."""

import numpy as np

from pluribus._engine import over_blocks
from pluribus._kernels.labels.co_association import product_rows, sum_by_cluster, sum_of_clusters
from pluribus.evidence._label_lists import Lists, rows_per_block


def multiply(lists: Lists, factor: np.ndarray, n_jobs: int | None) -> np.ndarray:
    """C V for V (n, k)."""
    return _by_clusters(lists, factor, n_jobs) if lists.everywhere else _by_rows(lists, factor, n_jobs)


def _by_clusters(lists: Lists, factor: np.ndarray, n_jobs: int | None) -> np.ndarray:
    """Without missing labels, C V = H (Hᵀ V) / r: sums over clusters, then over the clusters of each object."""
    labels, offsets = lists.labels, lists.offsets
    n = len(factor)
    block = max(16_384, n // 8)
    parts = over_blocks(
        lambda start, stop: sum_by_cluster(labels, offsets, factor, start, stop), n, n_jobs=n_jobs, block=block
    )
    sums = sum(parts[1:], start=parts[0])
    sums *= np.repeat(lists.weights / lists.everywhere, np.diff(offsets))[:, None]
    out = np.empty_like(factor)
    over_blocks(
        lambda start, stop: sum_of_clusters(labels, offsets, sums, start, stop, out),
        n,
        n_jobs=n_jobs,
        block=block,
    )
    return out


def _by_rows(lists: Lists, factor: np.ndarray, n_jobs: int | None) -> np.ndarray:
    """With missing labels, rows are computed one by one and not stored."""
    n = len(factor)
    out = np.empty_like(factor)
    over_blocks(
        lambda start, stop: product_rows(*lists, factor, start, stop, out),
        n,
        n_jobs=n_jobs,
        block=rows_per_block(n),
    )
    return out
