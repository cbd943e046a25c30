"""The record of the merges of a fitted method on increments."""

from typing import Any

import numpy as np
import pandas as pd
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform

from pluribus.increments import IncrementsHierarchy, IncrementsMixture
from pluribus.increments._internal import FeatureDissimilarities, GivenDissimilarities
from pluribus.pipeline.merge_record import COLUMNS, HEIGHTS, MergeRecord

_MERGED = ("merge", "small-merge")
_OUTCOMES = {
    "merge": "merged: the gaps and increments of both agree",
    "small-merge": "merged: a small cluster that is near enough",
    "small-reject": "kept apart: too far for so small a cluster, in mean increments",
    "isolate-first": "isolated: the gap is too large for the first cluster, in mean increments",
    "isolate-second": "isolated: the gap is too large for the second cluster, in mean increments",
    "isolate-both": "isolated: the gap is too large for both clusters, in mean increments",
    "reject": "kept apart: one distribution does not describe the increments of both",
}


def merge_record(method: Any, X: np.ndarray) -> MergeRecord | None:
    """The merges of a method that was fitted to features or distances; None if it makes no tests."""
    if isinstance(method, IncrementsHierarchy):
        parts = _of_hierarchy(method)
    elif isinstance(method, IncrementsMixture):
        parts = _of_mixture(method)
    else:
        return None
    paired = getattr(method, "metric", "euclidean") == "precomputed"
    objects = GivenDissimilarities(X) if paired else FeatureDissimilarities(np.asarray(X, dtype=np.float64, order="C"))
    increments, means = np.full(len(method.labels_), np.nan), np.full(method.n_clusters_, np.nan)
    for cluster in range(method.n_clusters_):
        members = np.flatnonzero(method.labels_ == cluster)
        if len(members) >= 3:
            increments[members] = objects.take(members).nearest_increments().value
            means[cluster] = increments[members].mean()
    return MergeRecord(*parts, increments, means, method.model)


def _of_hierarchy(method: IncrementsHierarchy) -> tuple[np.ndarray, int, str, np.ndarray, np.ndarray, pd.DataFrame]:
    n = len(method.labels_)
    tests = method.tests_
    merged = tests["outcome"].isin(_MERGED).to_numpy()
    node = np.where(merged, n - 1 + np.cumsum(merged), -1)
    table = _table(tests["first"], tests["second"], node, tests["distance"], tests["outcome"], tests["statistic"])
    tree = np.where(np.isfinite(method.linkage_), method.linkage_, 0)
    return tree, len(method.merges_), HEIGHTS[0], method.labels_, np.ones(n, dtype=np.int64), table


def _of_mixture(method: IncrementsMixture) -> tuple[np.ndarray, int, str, np.ndarray, np.ndarray, pd.DataFrame]:
    tests = method.merges_
    sizes = np.bincount(method.start_labels_)
    m = len(sizes)
    made = tests[tests["accepted"].astype(bool)].sort_values("cluster")  # without tests, the column has no type
    totals = np.concatenate([sizes, made["first_size"] + made["second_size"]])
    rows = [
        (*row, total) for *row, total in zip(made["first"], made["second"], made["distance"], totals[m:], strict=True)
    ]
    parents = {*made["first"], *made["second"]}
    left = [node for node in range(m + len(made)) if node not in parents]
    rows += _completed(left, tests, totals, m + len(made))
    outcome = np.where(
        tests["forced"], "merged to reach the number of clusters", "merged: one distribution describes both"
    )
    outcome = np.where(tests["accepted"], outcome, "kept apart: two distributions describe the increments better")
    table = _table(tests["first"], tests["second"], tests["cluster"], tests["distance"], outcome, tests["statistic"])
    leaf_labels = method.labels_[np.unique(method.start_labels_, return_index=True)[1]]
    tree = np.array(rows, dtype=float).reshape(-1, 4)
    tree[:, 2] = np.arange(1, len(tree) + 1)  # distances between components of different shape do not compare
    return tree, len(made), HEIGHTS[1], leaf_labels, sizes, table


def _completed(left: list[int], tests: pd.DataFrame, totals: np.ndarray, first: int) -> list[tuple[Any, ...]]:
    """Single link over the clusters that are left, by the distances of their tests."""
    if len(left) < 2:
        return []
    place = {node: position for position, node in enumerate(left)}
    last = tests[tests["first"].isin(left) & tests["second"].isin(left)]
    most = float(tests["distance"].max()) if len(tests) else 1.0
    D = np.full((len(left), len(left)), most)
    i, j = last["first"].map(place).to_numpy(dtype=int), last["second"].map(place).to_numpy(dtype=int)
    D[i, j] = D[j, i] = last["distance"]
    np.fill_diagonal(D, 0)
    nodes, sizes = list(left), [int(totals[node]) for node in left]
    rows: list[tuple[Any, ...]] = []
    for one, other, height, _ in linkage(squareform(D, checks=False), "single"):
        one, other = int(one), int(other)
        rows.append((nodes[one], nodes[other], height, sizes[one] + sizes[other]))
        nodes.append(first + len(rows) - 1)
        sizes.append(rows[-1][3])
    return rows


def _table(*columns: Any) -> pd.DataFrame:
    left, right, node, distance, outcome, statistic = (np.asarray(column) for column in columns)
    words = np.array([_OUTCOMES.get(str(word), str(word)) for word in outcome], dtype=object)
    whole = [np.asarray(column, dtype=np.int64) for column in (left, right, node)]
    numbers = [np.asarray(column, dtype=np.float64) for column in (distance, statistic)]
    return pd.DataFrame(dict(zip(COLUMNS, [*whole, numbers[0], words, numbers[1]], strict=True)))
