"""The partition that is validated: its labels as codes, and what to do with objects that have none."""

from typing import Any, Literal

import numpy as np

from pluribus._engine import check_n_jobs
from pluribus.partitions._internal import encode_labels
from pluribus.validate._pairs import Pairs, as_pairs

Missing = Literal["error", "ignore", "singletons"]


def check_labels(labels: Any, missing: str, *, at_least: int = 2, name: str = "labels") -> np.ndarray:
    """Codes 0 … k - 1 (-1 only if ``missing`` is "ignore") of a partition with enough clusters."""
    if not isinstance(missing, str) or missing not in ("error", "ignore", "singletons"):
        raise ValueError(f"missing must be 'error', 'ignore' or 'singletons'; got {missing!r}.")
    codes, classes = encode_labels(labels, name)
    n_left_out = int((codes < 0).sum())
    if n_left_out and missing == "error":
        raise ValueError(
            f"{name} has no cluster for {n_left_out:,} of {len(codes):,} objects (-1 or missing). Give "
            "missing='ignore' to judge the others only, or 'singletons' to count each as a cluster of its own."
        )
    n_clusters = len(classes)
    if missing == "singletons":
        codes = np.where(codes < 0, n_clusters + np.cumsum(codes < 0) - 1, codes)
        n_clusters += n_left_out
    if n_clusters < at_least:
        what = "no cluster" if n_clusters == 0 else "one cluster only"
        raise ValueError(f"{name} has {what}: this index compares clusters, so there must be at least {at_least}.")
    return codes


def with_pairs(
    labels: Any,
    X: Any,
    distances: Any,
    similarity: Any,
    *,
    missing: str,
    metric: str = "euclidean",
    n_jobs: int | None = None,
    at_least: int = 2,
) -> tuple[np.ndarray, Pairs]:
    """Codes and pairs of the objects that are clustered."""
    check_n_jobs(n_jobs)
    codes = check_labels(labels, missing, at_least=at_least)
    pairs = as_pairs(len(codes), X, distances, similarity, metric=metric, n_jobs=n_jobs)
    clustered = np.flatnonzero(codes >= 0)
    if len(clustered) < len(codes):
        codes, pairs = codes[clustered], pairs.take(clustered)
    return codes, pairs
