"""Pairwise probabilistic clustering (PPC): accuracy on ensembles by linkage, k-means, and all of them.

Four algorithms, single link (E_SL), average link (E_AL), complete link (E_CL) and k-means (E_KM), cluster sub-samples
of 90 % of the objects, 100 for each number of clusters from k to 10, 15 and 20; E_All is all of them together.
Consensus: PPC, and the three linkages on the co-association matrix.

The source has bar charts only. What stands for them is a single run of its protocol, made before and apart from this
library: iris and house votes with 100 sub-samples, breast cancer with 30. Its two other sets, the cell cycle of yeast
and a drawn image, are not at hand.
"""

from functools import lru_cache
from typing import Any

import numpy as np

from benchmarks import _data
from benchmarks._scores import accuracy
from benchmarks.reproduce._published import Published, present

PAPER = (
    "Rota Bulò, Lourenço, Fred and Pelillo, Pairwise probabilistic clustering using evidence accumulation, "
    "S+SSPR 2010, figures 2 and 4."
)
METHODS = ("PPC", "SL", "AL", "CL")
LINKAGES = {"SL": "single", "AL": "average", "CL": "complete"}
ALGORITHMS = {
    "E_SL": ("agglomerative", "single"),
    "E_AL": ("agglomerative", "average"),
    "E_CL": ("agglomerative", "complete"),
    "E_KM": ("kmeans", "average"),
}
N_CLUSTERS = {"iris": 3, "house_votes": 2, "breast_w": 2}
ENTROPY = "breast_w, entropy"

REFERENCE: dict[str, dict[str, tuple[float, ...]]] = {
    "iris": {
        "E_SL": (0.660, 0.680, 0.680, 0.680),
        "E_AL": (0.907, 0.747, 0.747, 0.747),
        "E_CL": (0.847, 0.747, 0.840, 0.840),
        "E_KM": (0.900, 0.840, 0.893, 0.840),
        "E_All": (0.900, 0.747, 0.693, 0.747),
    },
    "house_votes": {
        "E_SL": (0.522, 0.530, 0.530, 0.530),
        "E_AL": (0.897, 0.530, 0.866, 0.909),
        "E_CL": (0.901, 0.530, 0.909, 0.909),
        "E_KM": (0.897, 0.530, 0.871, 0.772),
        "E_All": (0.897, 0.530, 0.530, 0.888),
    },
    "breast_w": {
        "E_SL": (0.659, 0.652, 0.652, 0.652),
        "E_AL": (0.950, 0.652, 0.944, 0.944),
        "E_CL": (0.956, 0.656, 0.912, 0.854),
        "E_KM": (0.968, 0.616, 0.952, 0.962),
        "E_All": (0.956, 0.652, 0.653, 0.663),
    },
}
NOTE = "Theirs is a single run of the protocol, apart from this library: the source has only charts."
REFERENCE_ENTROPY = {  # benign, malignant
    "E_SL": (0.001, 0.081),
    "E_AL": (0.014, 0.457),
    "E_CL": (0.039, 0.671),
    "E_KM": (0.725, 0.564),
    "E_All": (0.369, 0.806),
}


def tables(quick: bool) -> list[Published]:
    found = [Published(name, "accuracy", True, METHODS, dict(rows), NOTE) for name, rows in REFERENCE.items()]
    classes = ("benign", "malignant")
    found.append(Published(ENTROPY, "mean entropy of the class", False, classes, dict(REFERENCE_ENTROPY), NOTE))
    return present(found, lambda table, row: table.removesuffix(", entropy"))


def n_runs(quick: bool) -> int:
    return 2 if quick else 5


def score(table: str, row: str, run: int, quick: bool) -> dict[str, float]:
    from pluribus.consensus import EvidenceAccumulation
    from pluribus.evidence import CoAssociation

    name = table.removesuffix(", entropy")
    y = _data.load(name).y
    labels, uncertainty = _ppc(name, row, run, quick)
    if table == ENTROPY:
        return {str(c): float(uncertainty[y == c].mean()) for c in np.unique(y)}
    found = {"PPC": accuracy(y, labels)}
    evidence = CoAssociation(_ensemble(name, row, run, quick), form="dense")  # all pairs alike, as in the source
    for method, linkage in LINKAGES.items():
        consensus = EvidenceAccumulation(N_CLUSTERS[name], linkage=linkage, verbose=False)
        found[method] = accuracy(y, consensus.fit(evidence).labels_)
    return found


@lru_cache(maxsize=128)  # the accuracies and the entropies are of the same fit
def _ppc(name: str, title: str, run: int, quick: bool) -> tuple[np.ndarray, np.ndarray]:
    from pluribus.consensus import PairwiseProbabilistic

    ppc = PairwiseProbabilistic(N_CLUSTERS[name], random_state=run, verbose=False)
    ppc.fit(_ensemble(name, title, run, quick))
    return ppc.labels_, ppc.uncertainty_


@lru_cache(maxsize=128)  # E_All consists of the others
def _ensemble(name: str, title: str, run: int, quick: bool) -> Any:
    from pluribus.generate import Generator, mix
    from pluribus.partitions import Ensemble

    if title == "E_All":
        return Ensemble.concat([_ensemble(name, part, run, quick) for part in ALGORITHMS])
    clusterer, linkage = ALGORITHMS[title]
    n_members = 5 if quick else 100
    each_k = (
        Generator(clusterer, linkage=linkage, n_clusters=k, n_members=n_members, subsample=0.9, verbose=False)
        for k in (*range(N_CLUSTERS[name], 11), 15, 20)
    )
    seed = len(ALGORITHMS) * run + list(ALGORITHMS).index(title)
    return mix(*each_k, random_state=seed, verbose=False).generate(_data.load(name).X)
