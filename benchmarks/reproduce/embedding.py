"""Embedding the evidence (DR-EAC): eight clusterers on nine embeddings, the evidence as features and as similarities.

Ensembles of 200 k-means partitions, k uniform from max(√n / 2, n / 50) to 20 more. The co-association matrix is read in
two ways: its rows are the objects' features, or its entries their similarities. Each of eight methods embeds it;
k-means and seven linkages cluster the coordinates, and also the matrix itself (EAC_F: its rows; EAC: the linkages on
1 - C). The tables have the best accuracy of the eight, and their mean. The spectral embedding of the whole evidence,
which is this library's default, is not in the source.

The source names neither the neighbors nor the dimensions that each method chose by a criterion of its own. Here it is
30 neighbors, and one dimension less than classes, for all. Its cells are single runs. Ten drawn sets are pictures only;
the cell cycle of yeast and the crabs are not at hand.
"""

from functools import cache
from typing import Any

import numpy as np

from benchmarks import _data
from benchmarks._scores import accuracy
from benchmarks.reproduce._published import Published, present

PAPER = (
    "Aidos and Fred, A study of embedding methods under the evidence accumulation framework, SIMBAD 2011, tables 1 "
    "to 3."
)
EMBEDDINGS = ("LPP", "NPE", "Sammon", "CCA", "Isomap", "CDA", "LLE", "LE", "spectral")
LINKAGES = ("single", "complete", "average", "ward", "centroid", "median", "weighted")
N_MEMBERS = 200
N_NEIGHBORS = 30
N_CLUSTERS = {"wine": 3, "pima": 2, "optdigits": 10, "iris": 3, "breast_w": 2, "house_votes": 2}
QUICK = ("wine", "iris", "house_votes")

# By view and set: the matrix itself, then the eight embeddings in their order; in percent.
BEST: dict[str, dict[str, tuple[float, ...]]] = {
    "features": {
        "wine": (96.07, 98.31, 90.45, 96.07, 72.47, 96.63, 84.27, 61.24, 96.63),
        "pima": (64.71, 64.71, 65.36, 66.02, 65.10, 64.71, 65.23, 64.71, 64.58),
        "optdigits": (87.90, 49.60, 52.00, 85.40, 22.50, 84.10, 17.60, 46.30, 55.90),
        "iris": (84.00, 90.67, 70.67, 90.67, 58.67, 94.00, 49.33, 53.33, 90.67),
        "breast_w": (62.96, 68.81, 58.13, 64.86, 64.86, 94.58, 74.23, 75.55, 68.67),
        "house_votes": (89.22, 88.36, 81.90, 87.93, 81.47, 87.07, 61.21, 64.66, 74.14),
    },
    "similarities": {
        "wine": (93.82, 98.31, 73.03, 97.75, 97.19, 94.94, 94.94, 91.01, 91.57),
        "pima": (65.10, 71.35, 65.63, 64.71, 68.49, 64.71, 64.71, 65.76, 64.71),
        "optdigits": (80.70, 56.60, 23.60, 81.90, 82.70, 82.60, 80.90, 47.10, 72.00),
        "iris": (90.67, 90.00, 95.33, 89.33, 90.67, 94.67, 90.67, 79.33, 90.67),
        "breast_w": (69.84, 95.75, 81.41, 94.29, 85.65, 97.07, 97.22, 88.43, 96.05),
        "house_votes": (88.36, 90.09, 90.09, 89.22, 94.40, 88.36, 89.22, 59.91, 66.81),
    },
}
MEAN: dict[str, dict[str, tuple[float, ...]]] = {
    "features": {
        "wine": (75.91, 94.03, 77.18, 71.07, 46.49, 88.48, 58.43, 47.68, 94.66),
        "pima": (56.95, 64.34, 63.95, 57.86, 60.90, 60.12, 60.16, 64.49, 57.03),
        "optdigits": (69.75, 31.06, 39.34, 74.42, 17.46, 71.18, 14.53, 43.91, 38.61),
        "iris": (63.17, 84.83, 62.08, 68.42, 45.17, 86.58, 39.75, 53.00, 90.42),
        "breast_w": (56.81, 61.11, 56.44, 61.68, 60.65, 86.09, 64.81, 67.84, 60.45),
        "house_votes": (74.52, 71.28, 63.31, 73.81, 59.37, 69.34, 54.69, 57.81, 62.88),
    },
    "similarities": {
        "wine": (72.12, 92.84, 61.45, 70.86, 68.40, 82.80, 82.94, 85.74, 86.24),
        "pima": (62.91, 65.74, 61.95, 60.81, 60.03, 62.04, 58.41, 64.13, 63.49),
        "optdigits": (55.41, 43.86, 20.92, 70.91, 64.61, 70.74, 72.30, 36.24, 60.35),
        "iris": (75.62, 83.92, 88.75, 70.75, 67.75, 91.17, 71.83, 57.25, 90.67),
        "breast_w": (62.12, 88.54, 71.34, 75.35, 65.96, 92.22, 92.90, 72.29, 64.79),
        "house_votes": (68.53, 84.80, 88.79, 72.90, 70.53, 81.14, 85.67, 59.54, 66.81),
    },
}
ITSELF = {"features": "EAC_F", "similarities": "EAC"}
SEPARATION = "Table 3, how far the classes are apart"
SEPARATIONS = {  # in the order of N_CLUSTERS
    "N1": (0.118, 0.438, 0.059, 0.100, 0.057, 0.159),
    "silhouette": (0.4368, 0.1524, 0.2892, 0.6565, 0.7178, 0.4471),
}
_TABLES = {f"Table {number}, evidence as {view}": view for number, view in enumerate(ITSELF, start=1)}


def tables(quick: bool) -> list[Published]:
    """The quick form has the three smallest sets."""
    found = []
    for title, view in _TABLES.items():
        theirs = {}
        for name in QUICK if quick else N_CLUSTERS:
            for which, percent in (("best", BEST), ("mean", MEAN)):
                theirs[f"{name}, {which}"] = (*(value / 100 for value in percent[view][name]), None)
        found.append(Published(title, "accuracy", True, (ITSELF[view], *EMBEDDINGS), theirs))
    note = "A check of the data: the silhouette is of squared distances; for N1 features have the range 0 to 1."
    separation = Published(SEPARATION, "N1 and silhouette", True, tuple(N_CLUSTERS), dict(SEPARATIONS), note)
    return [*present(found, lambda table, row: row.partition(",")[0]), separation]


def n_runs(quick: bool) -> int:
    return 1 if quick else 3


def score(table: str, row: str, run: int, quick: bool) -> dict[str, float]:
    if table == SEPARATION:
        measure = _n1 if row == "N1" else _silhouette
        return {name: measure(*_data_set(name)) for name in N_CLUSTERS if _data.available(name)}
    name, _, which = row.partition(", ")
    combine = np.max if which == "best" else np.mean
    return {method: float(combine(found)) for method, found in _accuracies(_TABLES[table], name, run).items()}


@cache  # the best and the mean are of the same runs
def _accuracies(view: str, name: str, run: int) -> dict[str, list[float]]:
    """Of each clusterer, by method."""
    from pluribus.consensus import EmbeddedEvidence

    y, k = _data_set(name).y, N_CLUSTERS[name]
    ensemble = _ensemble(name, run)
    found = {ITSELF[view]: [accuracy(y, labels) for labels in _of_the_matrix(view, ensemble, k, run)]}
    for method in EMBEDDINGS:
        embedded = EmbeddedEvidence(k, method=method.lower(), view=view, n_components=k - 1, n_neighbors=N_NEIGHBORS)
        embedded.set_params(random_state=run, verbose=False)
        columns = embedded.fit(ensemble).compare_extractors().labels.T
        found[method] = [accuracy(y, labels) for labels in columns]
    return found


def _of_the_matrix(view: str, ensemble: Any, k: int, run: int) -> list[np.ndarray]:
    """k-means on the rows of the co-association matrix, and linkages of their distances, or of 1 - C."""
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import pdist, squareform
    from sklearn.cluster import KMeans

    from pluribus.consensus._shared.dendrogram import cut_into
    from pluribus.evidence import CoAssociation

    C = CoAssociation(ensemble, form="dense").to_dense()
    distances = pdist(C) if view == "features" else squareform(1 - C, checks=False)
    found = [cut_into(linkage(distances, method), k) for method in LINKAGES]
    if view == "features":
        found.append(KMeans(k, n_init=10, random_state=run).fit_predict(C))
    return found


@cache
def _ensemble(name: str, run: int) -> Any:
    from pluribus.generate import Generator

    X = _data_set(name).X
    generator = Generator(n_members=N_MEMBERS, n_clusters="sqrt-or-50", random_state=run, verbose=False)
    return generator.generate(X)


@cache
def _data_set(name: str) -> _data.DataSet:
    """Scaled as the source did: the silhouettes of its third table tell."""
    X, y = _data.load(name)
    return _data.DataSet(_data.standardized(X) if name == "house_votes" else X, y)


def _silhouette(X: np.ndarray, y: np.ndarray) -> float:
    from sklearn.metrics import silhouette_score

    return float(silhouette_score(X, y, metric="sqeuclidean"))


def _n1(X: np.ndarray, y: np.ndarray) -> float:
    """The share of objects that an edge of the minimum spanning tree joins to one of another class."""
    from scipy.sparse.csgraph import minimum_spanning_tree
    from scipy.spatial.distance import pdist, squareform

    spread = np.ptp(X, axis=0)
    distances = squareform(pdist(X[:, spread > 0] / spread[spread > 0]) + 1e-9)  # 0 would be no edge
    a, b = minimum_spanning_tree(distances).nonzero()
    apart = y[a] != y[b]
    return len(np.union1d(a[apart], b[apart])) / len(y)
