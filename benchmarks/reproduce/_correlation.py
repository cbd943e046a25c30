"""Correlation clustering (chapter 13 of Constrained Clustering): rows of its tables.

The chapter measures nothing itself. It reports that local search beats BALLS, and that rounding the linear relaxation
is best where it can be solved. The ranking is checked on ensembles of 20 runs of k-means on iris and wine
(standardized), with 2 to 10 clusters and one random start each. The signed links are those of traders who rate each
other.
"""

import time
from typing import Any

import numpy as np
import pandas as pd

from benchmarks import _data

# Best first, as the chapter and the papers that it cites have it.
RANKING = ("LP bound", "local search", "pivot, best of 100", "best member", "BALLS, 0.25")
_PIVOTS, _STARTS = 100, 22


def ranking(name: str) -> dict[str, float]:
    """Disagreements of each method with the ensemble of a set, "iris" or "wine"."""
    from pluribus import Ensemble
    from pluribus.evidence._internal import SignedGraph, ensemble_graph, pivot
    from pluribus.evidence._internal import search as local_search
    from pluribus.relational import CorrelationClustering

    X, y = _set(name)
    labels = _members(X)
    ensemble = Ensemble(labels)
    n = len(X)
    graph: SignedGraph = ensemble_graph(ensemble, np.arange(n), np.empty((0, 2), np.int64))
    relaxed = CorrelationClustering(solver="lp", max_lp_n=n, random_state=0, verbose=False).fit(ensemble)
    starts = [local_search(graph, [seed], verbose=False)[1] for seed in range(_STARTS)]
    _, pivots = pivot(graph, range(_PIVOTS), verbose=False)
    return {
        "LP bound": relaxed.lower_bound_,
        "local search": min(starts),
        "pivot, best of 100": pivots.min(),
        "best member": min(graph.cost(column.astype(np.int64)) for column in ensemble.labels.T),
        "BALLS, 0.4": graph.cost(balls(labels, 0.4)),
        "BALLS, 0.25": graph.cost(balls(labels, 0.25)),
        "local search, worst start": max(starts),
        "pivot, mean of 100": pivots.mean(),
        "all apart": graph.cost(np.arange(n)),
        "one cluster": graph.cost(np.zeros(n, np.int64)),
        "true classes": graph.cost(y.astype(np.int64)),
        "LP and rounding": relaxed.cost_,
    }


def balls(labels: np.ndarray, alpha: float) -> np.ndarray:
    """BALLS of Gionis, Mannila and Tsaparas: an object and all within 1/2, if they are within alpha on average."""
    distance = (labels[:, None, :] != labels[None, :, :]).mean(axis=2)
    found, n_clusters = np.full(len(labels), -1), 0
    for u in np.argsort(distance.sum(axis=1), kind="stable"):
        if found[u] >= 0:
            continue
        near = np.flatnonzero((found < 0) & (distance[u] <= 0.5))
        near = near[near != u]
        if len(near) and distance[u, near].mean() <= alpha:
            found[near] = n_clusters
        found[u] = n_clusters
        n_clusters += 1
    return found


def signed_links() -> dict[str, float]:
    """Disagreements on the signed links of 5,878 traders, with a bound, and processor seconds."""
    from pluribus.relational import CorrelationClustering

    links = pd.read_csv(_data.FOLDER / "signed_bitcoin_otc.csv.gz")
    CorrelationClustering(random_state=0, verbose=False, solver="local_search").fit(links[:100])  # compiles
    started = time.process_time()
    found = CorrelationClustering(random_state=0, verbose=False).fit(links)
    return {
        "disagreements": found.cost_,
        "lower bound": found.lower_bound_,
        "clusters": found.n_clusters_,
        "seconds": time.process_time() - started,
    }


def _set(name: str) -> tuple[np.ndarray, np.ndarray]:
    from sklearn.datasets import load_iris, load_wine
    from sklearn.preprocessing import StandardScaler

    given: Any = {"iris": load_iris, "wine": load_wine}[name]()
    return StandardScaler().fit_transform(given.data), given.target


def _members(X: np.ndarray) -> np.ndarray:
    from sklearn.cluster import KMeans

    rng = np.random.default_rng(0)
    members = [
        KMeans(rng.integers(2, 11), init="random", n_init=1, random_state=seed).fit_predict(X) for seed in range(20)
    ]
    return np.column_stack(members)
