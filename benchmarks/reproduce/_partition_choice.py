"""Which partition an index selects: 45 candidates for each of seven held-out sets, and how right the selected one is.

The candidates are cuts of single link into 1 to 12 clusters, and of average link, Ward's linkage and k-means into 2 to
12. The share of objects that are right is that under the best matching of clusters with classes (the consistency
index). Neither the description length nor DBCV was adjusted to these sets.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from sklearn.cluster import KMeans

from benchmarks._increments_sets import HELD_OUT_SEEDS, held_out_sets
from benchmarks._scores import accuracy
from benchmarks.reproduce._show import Grid

MOST_CLUSTERS = 12
PUBLISHED = {"description length": 0.940, "silhouette": 0.618, "best available": 0.998}  # of the reference run

Index = Callable[[np.ndarray, np.ndarray], float]


def choice_table(quick: bool = False) -> Grid:
    """For each set, the mean over seeds of the share of objects that are right in the partition each index selects."""
    shares = selected_shares(HELD_OUT_SEEDS[:1] if quick else HELD_OUT_SEEDS)
    names = list(next(iter(shares.values())))
    rows = [(name, *(f"{np.mean(found[index]):.3f}" for index in names)) for name, found in shares.items()]
    means = [f"{np.mean([found[index] for found in shares.values()]):.3f}" for index in names]
    theirs = [f"{PUBLISHED[index]:.3f}" if index in PUBLISHED else "–" for index in names]
    return Grid(
        title="Objects that are right in the partition that an index selects among 45",
        header=("set", *names),
        rows=[*rows, ("mean", *means), ("reference run", *theirs)],
        words=("The reference run drew sets of the same kinds; where its parameters are not known, ours differ.",),
    )


def selected_shares(seeds: tuple[int, ...]) -> dict[str, dict[str, list[float]]]:
    """By set and index, for each seed the share of objects that are right; last the best of all candidates."""
    shares: dict[str, dict[str, list[float]]] = {}
    for seed in seeds:
        for name, (X, truth) in held_out_sets(seed).items():
            found = shares.setdefault(name, {})
            partitions = candidates(X, seed)
            right = [accuracy(truth, labels) for labels in partitions]
            for index, value in _indices().items():
                best = int(np.argmax([value(labels, X) for labels in partitions]))
                found.setdefault(index, []).append(right[best])
            found.setdefault("best available", []).append(max(right))
    return shares


def candidates(X: np.ndarray, seed: int) -> list[np.ndarray]:
    """45 partitions of the rows of X."""
    found = []
    for method, fewest in (("single", 1), ("average", 2), ("ward", 2)):
        merges = linkage(X, method)
        found += [fcluster(merges, k, "maxclust") for k in range(fewest, MOST_CLUSTERS + 1)]
    return found + [
        KMeans(k, n_init=10, random_state=seed).fit_predict(X).astype(np.int64) for k in range(2, MOST_CLUSTERS + 1)
    ]


def _indices() -> dict[str, Index]:
    """More is better, and an index that is not defined for one cluster never selects it."""
    from pluribus.validate import dbcv_index, description_length_cost, silhouette_index

    def of_several(index: Any) -> Index:
        return lambda labels, X: index(labels, X) if len(np.unique(labels)) > 1 else -np.inf

    return {
        "description length": lambda labels, X: -description_length_cost(labels, X),
        "DBCV": of_several(dbcv_index),
        "silhouette": of_several(silhouette_index),
        "description length, nearest": lambda labels, X: -description_length_cost(labels, X, increments="nearest"),
        "description length, exponential": lambda labels, X: -description_length_cost(labels, X, model="exponential"),
    }
