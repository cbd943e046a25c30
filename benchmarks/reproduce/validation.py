"""Validity of consensus partitions: which of five linkages each of ten indices selects, and how right it is.

Ensembles of 150 k-means partitions: with a fixed number of clusters (A) or 10 to 30 (B). Evidence accumulation with
single, average, complete, centroid and Ward's linkage (on 1 - C, as in the source) gives five candidates with as many
clusters as classes. Each index selects one of them. The cells are its normalized mutual information (geometric mean)
with the classes. Ties go to the first candidate in this order; the source does not say how it broke them.
"""

from functools import cache
from typing import Any

import numpy as np

from benchmarks import _data
from benchmarks.reproduce._published import Published, present

PAPER = "Duarte, Fred, Lourenço and Duarte, On consensus clustering validation, S+SSPR 2010, tables 1 and 2."
A, B = "Method A: a fixed number of clusters", "Method B: 10 to 30 clusters"
LINKAGES = ("single", "average", "complete", "centroid", "ward")
METHODS = ("L_o", "S_o", "D_o", "DB_o", "L_s", "S_s", "D_s", "DB_s", "ANMI", "ACC", "best")
N_MEMBERS = 150
FIXED = {"iris": 20, "rings": 50}  # 30 for all others
DRAWN = ("cigar", "spiral", "bars", "half_rings", "rings")
QUICK = ("iris", "wine", "house_votes", "half_rings")

THEIRS: dict[str, dict[str, tuple[float, ...]]] = {
    A: {
        "iris": (0.81, 0.81, 0.71, 0.71, 0.81, 0.81, 0.71, 0.81, 0.81, 0.81, 0.81),
        "optdigits": (0.81, 0.81, 0.71, 0.63, 0.81, 0.81, 0.63, 0.81, 0.81, 0.81, 0.81),
        "house_votes": (0.50, 0.50, 0.03, 0.03, 0.50, 0.14, 0.14, 0.14, 0.50, 0.50, 0.50),
        "wine": (0.77, 0.77, 0.66, 0.08, 0.77, 0.66, 0.08, 0.66, 0.77, 0.77, 0.77),
        "cigar": (1.00, 1.00, 1.00, 0.23, 1.00, 1.00, 1.00, 1.00, 1.00, 1.00, 1.00),
        "spiral": (1.00, 0.00, 0.05, 0.05, 1.00, 0.00, 1.00, 1.00, 0.00, 0.00, 1.00),
        "bars": (0.94, 0.94, 0.06, 0.06, 0.94, 0.94, 0.06, 0.94, 0.94, 0.94, 0.94),
        "half_rings": (0.99, 0.99, 0.17, 0.17, 0.99, 0.99, 0.99, 0.99, 0.99, 0.99, 0.99),
        "rings": (1.00, 1.00, 0.09, 0.09, 1.00, 1.00, 1.00, 1.00, 1.00, 1.00, 1.00),
    },
    B: {
        "iris": (0.81, 0.81, 0.72, 0.72, 0.81, 0.81, 0.72, 0.72, 0.81, 0.81, 0.81),
        "optdigits": (0.81, 0.83, 0.83, 0.72, 0.81, 0.81, 0.72, 0.83, 0.81, 0.83, 0.83),
        "house_votes": (0.49, 0.49, 0.02, 0.49, 0.49, 0.49, 0.14, 0.14, 0.49, 0.49, 0.49),
        "wine": (0.77, 0.80, 0.06, 0.17, 0.80, 0.77, 0.17, 0.06, 0.77, 0.77, 0.80),
        "cigar": (0.84, 1.00, 1.00, 1.00, 0.84, 1.00, 0.38, 1.00, 0.84, 0.84, 1.00),
        "spiral": (0.01, 0.01, 0.08, 0.08, 0.01, 0.01, 1.00, 1.00, 0.01, 0.01, 1.00),
        "bars": (0.94, 0.94, 0.21, 0.21, 0.94, 0.94, 0.21, 0.21, 0.94, 0.94, 0.94),
        "half_rings": (0.87, 0.99, 0.21, 0.21, 0.87, 0.87, 0.99, 0.99, 0.87, 0.87, 0.99),
        "rings": (0.70, 1.00, 0.14, 0.14, 0.70, 0.70, 1.00, 1.00, 0.70, 0.70, 1.00),
    },
}


def tables(quick: bool) -> list[Published]:
    drawn = "Cigar, spiral, bars and rings are drawn here by their descriptions, again for each run."
    found = [
        Published(
            title, "mutual information", True, METHODS,
            {name: values for name, values in rows.items() if name in QUICK or not quick}, drawn,
        )
        for title, rows in THEIRS.items()
    ]  # fmt: skip
    return present(found, lambda table, row: row)


def n_runs(quick: bool) -> int:
    return 1 if quick else 5


def score(table: str, row: str, run: int, quick: bool) -> dict[str, float]:
    from sklearn.metrics import normalized_mutual_info_score

    X, y, ensemble, candidates = _candidates(table, row, run)
    right = [normalized_mutual_info_score(y, labels, average_method="geometric") for labels in candidates]
    values = {name: [index(labels) for labels in candidates] for name, index in _indices(X, ensemble).items()}
    chosen = {name: int(np.argmax(np.nan_to_num(found, nan=-np.inf))) for name, found in values.items()}
    return {name: float(right[place]) for name, place in chosen.items()} | {"best": float(max(right))}


@cache
def _candidates(table: str, name: str, run: int) -> tuple[Any, np.ndarray, Any, list[np.ndarray]]:
    from pluribus.consensus import EvidenceAccumulation
    from pluribus.generate import Generator

    X, y = _data.load(name, run)
    if name == "house_votes":
        X = _data.standardized(X)
    k = FIXED.get(name, 30) if table == A else (10, 30)
    generator = Generator("kmeans", n_members=N_MEMBERS, n_clusters=k, random_state=run, n_jobs=1, verbose=False)
    ensemble = generator.generate(X)
    n_classes = len(np.unique(y))
    models = [EvidenceAccumulation(n_classes, linkage=link, metric="raw", verbose=False) for link in LINKAGES]
    return X, y, ensemble, [model.fit(ensemble).labels_ for model in models]


def _indices(X: np.ndarray, ensemble: Any) -> dict[str, Any]:
    """The ten indices, more is better; extremes and medoids as in the source."""
    from pluribus import validate as v
    from pluribus.evidence import CoAssociation

    evidence = CoAssociation(ensemble)
    return {
        "L_o": lambda labels: v.neighbor_density_index(labels, X),
        "S_o": lambda labels: v.silhouette_index(labels, X),
        "D_o": lambda labels: v.dunn_index(labels, X),
        "DB_o": lambda labels: -v.davies_bouldin_cost(labels, X),
        "L_s": lambda labels: v.neighbor_density_index(labels, similarity=evidence),
        "S_s": lambda labels: v.silhouette_index(labels, similarity=evidence),
        "D_s": lambda labels: v.dunn_index(labels, similarity=evidence),
        "DB_s": lambda labels: -v.davies_bouldin_cost(labels, similarity=evidence),
        "ANMI": lambda labels: v.average_mutual_information_index(labels, ensemble),
        "ACC": lambda labels: v.average_consistency_index(labels, ensemble),
    }
