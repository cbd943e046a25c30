"""Lifted consensus (LiftKm, LiftHAC): five partitions of five UCI sets and of MNIST's test part, Rand distance.

The partitions are by k-means (one random start), single, average and complete link, and Ward, each with as many
clusters as there are classes, and so has the consensus; the features are as published, not scaled. The source names
neither the width of its kernel nor the linkage of LiftHAC, and weighs all clusters alike, however small. LiftKm and
LiftHAC have the library's defaults here: the median distance, Ward, and clusters weighted by their size; random
features are 200, and 4,000 for MNIST, as in the source. "Source's form" is without weights, and objects are assigned by
the kernel. CSPA and HGPA may divide objects with equal labels and MCLA balances objects, as published.
"""

from functools import lru_cache
from threading import Lock
from typing import Any

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

from benchmarks import _data
from benchmarks.reproduce._published import Published, present

PAPER = (
    "Raman, Phillips and Venkatasubramanian, Spatially-aware comparison and consensus for clusterings, SDM 2011, "
    "table 3."
)
FORMS: dict[str, dict[str, Any]] = {"": {}, ", source's form": {"weights": None, "assign": "kernel"}}
METHODS = ("CSPA", "HGPA", "MCLA", *(f"{method}{form}" for form in FORMS for method in ("LiftKm", "LiftHAC")))

# By data set: Rand distance of CSPA, HGPA, MCLA, LiftKm and LiftHAC.
THEIRS: dict[str, tuple[float | None, ...]] = {
    "iris": (0.088, 0.270, 0.115, 0.114, 0.125),
    "glass": (0.277, 0.305, 0.428, 0.425, 0.430),
    "ionosphere": (0.422, 0.502, 0.410, 0.420, 0.410),
    "soybean_small": (0.188, 0.150, 0.163, 0.150, 0.154),
    "wine": (0.296, 0.374, 0.330, 0.320, 0.310),
    "mnist_test": (0.149, None, 0.163, 0.091, 0.110),
}
LINKAGES = ("single", "average", "complete", "ward")
_TITLE = "Table 3"
_ONE_AT_A_TIME = Lock()  # MNIST's distances take 1 GB


def tables(quick: bool) -> list[Published]:
    """Table 3; the quick form leaves out MNIST."""
    rows = {name: (*values, *values[3:]) for name, values in THEIRS.items() if not (quick and name == "mnist_test")}
    table = Published(_TITLE, "Rand distance", False, METHODS, rows, other_forms=METHODS[5:])
    return present([table], lambda table, row: row)


def n_runs(quick: bool) -> int:
    """The source does not say how many it made."""
    return 3 if quick else 5


def score(table: str, row: str, run: int, quick: bool) -> dict[str, float]:
    """Rand distance of each consensus to the classes."""
    from pluribus.compare import rand_distance

    _, y, found = consensuses(row, run)
    return {method: float(rand_distance(y, consensus)) for method, consensus in found.items()}


def consensuses(row: str, run: int) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    """The features, the classes, and the consensus of each method."""
    X, y = _data_set(row)
    k = len(np.unique(y))
    labels = np.column_stack([_k_means(X, k, run), *_linked(row, k)])
    return X, y, _label_methods(row, k, run, labels) | _lifted(row, k, run, labels, X)


def _label_methods(name: str, k: int, run: int, labels: np.ndarray) -> dict[str, np.ndarray]:
    from pluribus.consensus import HypergraphPartitioning, MetaClustering, SimilarityPartitioning

    found = {
        "CSPA": SimilarityPartitioning(k, collapse=False, random_state=run, verbose=False).fit(labels).labels_,
        "MCLA": MetaClustering(k, balance="objects", random_state=run, verbose=False).fit(labels).labels_,
    }
    if name != "mnist_test":  # as in the source
        found["HGPA"] = HypergraphPartitioning(k, collapse=False, random_state=run).fit(labels).labels_
    return found


def _lifted(name: str, k: int, run: int, labels: np.ndarray, X: np.ndarray) -> dict[str, np.ndarray]:
    from pluribus.consensus import LiftedConsensus

    shared: dict[str, Any] = {"n_features": 4000 if name == "mnist_test" else 200, "random_state": run}
    found = {}
    for form, settings in FORMS.items():
        for method, clusterer in (("LiftKm", "kmeans"), ("LiftHAC", "hac")):
            consensus = LiftedConsensus(k, clusterer=clusterer, verbose=False, **shared, **settings)
            found[f"{method}{form}"] = consensus.fit(labels, X=X).labels_
    return found


@lru_cache
def _data_set(name: str) -> _data.DataSet:
    return _data.load_raw(name)


def _k_means(X: np.ndarray, k: int, run: int) -> np.ndarray:
    from sklearn.cluster import KMeans

    return KMeans(k, init="random", n_init=1, random_state=run).fit(X).labels_


def _linked(name: str, k: int) -> list[np.ndarray]:
    """The partitions that are the same in each run."""
    with _ONE_AT_A_TIME:
        return _cut_trees(name, k)


@lru_cache
def _cut_trees(name: str, k: int) -> list[np.ndarray]:
    from sklearn.metrics import euclidean_distances

    distances = squareform(euclidean_distances(_data_set(name).X), checks=False)
    return [fcluster(linkage(distances, method), k, "maxclust") for method in LINKAGES]
