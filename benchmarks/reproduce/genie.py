"""Genie with three bounds on the inequality of sizes, on sets of the benchmark suite of its author.

The bound is the Gini index of the sizes above which one of the smallest clusters is merged. Ours is the code behind
``Generator(linkage="genie")`` and ``EvidenceAccumulation(linkage="genie")``, on the features as they are: the source
scales all of them by one number, which changes no merge, and adds a little noise, which decides ties.
"""

import numpy as np

from benchmarks import _data
from benchmarks.reproduce._published import Published, present

PAPER = (
    "Gagolewski, genieclust: fast and robust hierarchical clustering, SoftwareX 2021, documentation of the package: "
    "detailed results on the Benchmark Suite for Clustering Algorithms, version 1."
)
THRESHOLDS = (0.1, 0.3, 0.5)
METHODS = tuple(f"Genie {threshold}" for threshold in THRESHOLDS)
OF_SCIKIT_LEARN = ("iris", "wine")  # in all others the class 0 is noise
LARGE = ("engytime", "s1")
_TITLE = "Benchmark suite, version 1"

THEIRS = {
    "engytime": (0.84, 0.84, 0.84),
    "lsun": (1.00, 1.00, 1.00),
    "target": (1.00, 1.00, 1.00),
    "twodiamonds": (0.98, 0.98, 0.98),
    "wingnut": (1.00, 1.00, 1.00),
    "iris": (0.89, 0.89, 0.56),
    "aggregation": (0.48, 0.57, 0.88),
    "compound": (0.78, 0.78, 0.88),
    "flame": (1.00, 1.00, 1.00),
    "jain": (0.04, 1.00, 1.00),
    "pathbased": (0.97, 0.97, 0.70),
    "r15": (0.99, 0.99, 1.00),
    "s1": (0.99, 0.99, 0.99),
    "spiral": (1.00, 1.00, 1.00),
    "glass": (0.12, 0.25, 0.22),
    "ionosphere": (0.21, 0.21, 0.00),
    "wine": (0.36, 0.36, 0.25),
}


def tables(quick: bool) -> list[Published]:
    """One table; the quick form leaves out the two largest sets."""
    rows = {name: values for name, values in THEIRS.items() if not (quick and name in LARGE)}
    return present([Published(_TITLE, "adjusted Rand index", True, METHODS, rows)], lambda table, row: row)


def n_runs(quick: bool) -> int:
    """One: nothing is random."""
    return 1


def score(table: str, row: str, run: int, quick: bool) -> dict[str, float]:
    """The adjusted Rand index at each bound, with the true number of clusters; noise is clustered, but not scored."""
    from sklearn.metrics import adjusted_rand_score

    X, y = _data.load_raw(row)
    scored = np.full(len(y), True) if row in OF_SCIKIT_LEARN else y != 0
    k = len(np.unique(y[scored]))
    return {
        method: float(adjusted_rand_score(y[scored], genie(X, k, threshold)[scored]))
        for method, threshold in zip(METHODS, THRESHOLDS, strict=True)
    }


def genie(X: np.ndarray, k: int, threshold: float) -> np.ndarray:
    """The labels of Genie on the Euclidean spanning tree."""
    from pluribus._kernels.linkage.genie import genie_labels
    from pluribus._kernels.linkage.spanning_tree import tree_of_features

    first, second, length = tree_of_features(np.ascontiguousarray(X, np.float64), np.arange(len(X)))
    low, high = np.minimum(first, second), np.maximum(first, second)
    order = np.lexsort((high, low, length))
    return genie_labels(low[order], high[order], k, threshold)
