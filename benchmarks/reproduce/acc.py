"""Average cluster consistency (ACC) as a choice among consensus partitions, and members weighted by validity (WEACS).

Ensembles of 50 partitions of 10 to 30 clusters, each on 80 % of the objects, by single, average and complete link and
k-means, and all of these together. Candidates have as many clusters as classes: evidence accumulation without weights
(EAC) and with the mean of ten validity indices (JWEACS), by k-means on the rows of the evidence, single and average
link and Ward. Each candidate is scored by four measures against its own ensemble. The tables have the correlation of
each measure with the share of objects that are right, and this share for the candidate that it selects: the maximum of
ACC and ANMI, the median of the two diversities. The third table has the weights by each index.

The source has ten base clusterers and ensembles of 100; CLARANS, Chameleon, CLIQUE, CURE, DBSCAN and STING are not used
here, and neither are the sets of yeast.
"""

from functools import cache
from typing import Any

import numpy as np

from benchmarks import _data
from benchmarks._scores import accuracy
from benchmarks.reproduce._published import Published, present

PAPER = (
    "Duarte, Duarte, Fred and Rodrigues, Average cluster consistency for cluster ensemble selection, IC3K 2009, tables "
    "2, 4 and 5."
)
CORRELATION, SELECTED, WEIGHTS = "Table 4: correlation", "Table 5: selected", "Table 2: optdigits"
MEASURES = ("Div1", "Div3", "ANMI", "ACC")
N_MEMBERS, SHARE, K_RANGE = 50, 0.8, (10, 30)
BASES = ("SL", "AL", "CL", "KM", "all")
LINKS = {"SL": "single", "AL": "average", "CL": "complete"}
EXTRACTIONS = ("KM", "SL", "AL", "WR")
INDICES = {
    "HubN": "hubert",
    "Dunn": "dunn",
    "S_Dbw": "s_dbw",
    "CH": "calinski_harabasz",
    "S": "silhouette",
    "I": "maulik_bandyopadhyay",
    "XB": "xie_beni",
    "DB": "davies_bouldin",
    "SD": "sd",
    "PS": "point_symmetry",
}
QUICK = ("iris", "half_rings")

THEIRS_4: dict[str, tuple[float, ...]] = {
    "iris": (-0.3010, 0.2578, 0.6856, 0.8785),
    "breast_w": (-0.6006, 0.6487, 0.7979, 0.8684),
    "optdigits": (-0.7922, 0.7123, 0.7785, 0.9149),
    "bars": (-0.5712, 0.6266, 0.8635, 0.8480),
    "cigar": (-0.3855, 0.4367, 0.6293, 0.6154),
    "half_rings": (-0.6444, 0.6838, 0.8480, 0.9308),
    "spiral": (0.0044, 0.0450, 0.1095, 0.4187),
}
THEIRS_5: dict[str, tuple[float, ...]] = {
    "iris": (0.8735, 0.8512, 0.6804, 0.9067, 0.9737),
    "breast_w": (0.9511, 0.9538, 0.9692, 0.9707, 0.9720),
    "optdigits": (0.5855, 0.3060, 0.8431, 0.8431, 0.8803),
    "bars": (0.9547, 0.9950, 0.9575, 0.9950, 0.9950),
    "cigar": (0.9793, 1.0000, 0.9785, 0.7097, 1.0000),
    "half_rings": (0.9990, 1.0000, 1.0000, 0.9520, 1.0000),
    "spiral": (0.5168, 0.5194, 0.5163, 1.0000, 1.0000),
}
# EAC, JWEACS, and the ten indices in their order; in percent.
THEIRS_2: dict[str, tuple[float, ...]] = {
    "SL, KM": (39.75, 34.47, 36.89, 36.66, 38.14, 35.29, 10.00, 39.16, 38.03, 33.84, 42.09, 33.55),
    "SL, SL": (10.60, 10.60, 10.60, 10.60, 10.60, 10.60, 10.10, 10.60, 10.60, 10.60, 10.60, 10.60),
    "SL, AL": (10.60, 10.60, 10.60, 10.60, 10.60, 10.60, 10.10, 10.60, 10.60, 10.60, 10.60, 10.60),
    "SL, WR": (40.31, 40.31, 40.53, 40.30, 40.40, 40.31, 10.10, 40.30, 40.31, 40.40, 40.49, 40.31),
    "AL, KM": (70.33, 69.84, 71.09, 68.83, 70.40, 71.47, 70.42, 72.19, 69.59, 67.68, 69.49, 68.83),
    "AL, SL": (60.14, 60.21, 60.14, 60.14, 51.48, 60.37, 60.14, 60.37, 60.14, 60.14, 60.14, 60.14),
    "AL, AL": (67.29, 67.28, 67.29, 67.29, 67.29, 67.30, 67.29, 69.42, 67.28, 67.29, 67.29, 67.29),
    "AL, WR": (82.10, 82.06, 82.10, 82.10, 83.57, 84.31, 82.10, 84.31, 82.10, 82.10, 82.10, 82.09),
    "CL, KM": (62.77, 62.39, 64.20, 63.05, 62.28, 64.97, 64.82, 66.30, 62.97, 63.78, 68.95, 62.92),
    "CL, SL": (53.76, 52.54, 53.80, 53.80, 53.80, 58.45, 58.57, 58.25, 52.72, 53.80, 52.47, 52.52),
    "CL, AL": (69.28, 70.97, 70.94, 70.94, 69.28, 70.89, 71.21, 63.50, 69.28, 70.94, 70.94, 70.94),
    "CL, WR": (76.27, 76.34, 76.35, 76.27, 76.27, 71.16, 76.35, 71.14, 76.34, 76.26, 76.35, 76.35),
    "KM, KM": (68.77, 69.43, 72.56, 69.97, 73.75, 73.43, 69.52, 70.94, 69.57, 69.29, 71.81, 74.39),
    "KM, SL": (30.59, 30.60, 30.21, 30.60, 30.78, 30.21, 30.78, 30.69, 30.78, 30.60, 30.60, 30.60),
    "KM, AL": (79.78, 79.43, 79.42, 79.51, 79.32, 77.49, 79.41, 77.54, 79.41, 79.78, 79.41, 79.60),
    "KM, WR": (79.51, 79.67, 79.49, 79.85, 79.71, 77.11, 78.85, 77.00, 78.74, 78.97, 78.87, 79.75),
}


def tables(quick: bool) -> list[Published]:
    """The quick form has two small sets and no table of weights."""
    drawn = "Bars, cigar, half rings and spiral are drawn here by their descriptions, again for each run."

    def few(rows: dict[str, tuple[float, ...]]) -> dict[str, tuple[float, ...]]:
        return {name: values for name, values in rows.items() if name in QUICK or not quick}

    weights = {row: tuple(value / 100 for value in values) for row, values in THEIRS_2.items()}
    found = [
        Published(CORRELATION, "correlation", True, MEASURES, few(THEIRS_4), drawn),
        Published(SELECTED, "accuracy", True, (*MEASURES, "best"), few(THEIRS_5), drawn),
    ]
    if not quick:
        note = "Rows: the clusterer of the members, and how clusters are extracted from the evidence."
        found.append(Published(WEIGHTS, "accuracy", True, ("EAC", "JWEACS", *INDICES), weights, note))
    return present(found, lambda table, row: "optdigits" if table == WEIGHTS else row)


def n_runs(quick: bool) -> int:
    return 1 if quick else 3


def score(table: str, row: str, run: int, quick: bool) -> dict[str, float]:
    if table == WEIGHTS:
        return _weighted(row, run)
    right, measured = _measured(row, run)
    if table == CORRELATION:
        return {name: float(np.corrcoef(values, right)[0, 1]) for name, values in measured.items()}
    middle = (len(right) - 1) // 2
    places = {"Div1": middle, "Div3": middle, "ANMI": -1, "ACC": -1}  # in ascending order
    chosen = {name: float(right[np.argsort(measured[name], kind="stable")[at]]) for name, at in places.items()}
    return chosen | {"best": float(right.max())}


@cache
def _measured(name: str, run: int) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """The share of right objects of all candidates, and their four measures."""
    _, y = _data.load(name, run)
    right: list[float] = []
    measured: dict[str, list[float]] = {name: [] for name in MEASURES}
    for base in BASES:
        ensemble = _ensemble(name, base, run)
        for weights in (None, _weights(name, base, run, None)):
            for extraction in EXTRACTIONS:
                labels = _extract(ensemble, weights, len(np.unique(y)), extraction, run)
                right.append(accuracy(y, labels))
                for measure, value in _measures(labels, ensemble).items():
                    measured[measure].append(value)
    return np.array(right), {measure: np.array(values) for measure, values in measured.items()}


def _measures(labels: np.ndarray, ensemble: Any) -> dict[str, float]:
    from sklearn.metrics import adjusted_rand_score

    from pluribus.validate import average_consistency_index, average_mutual_information_index

    apart = np.array(
        [1 - adjusted_rand_score(labels[column >= 0], column[column >= 0]) for column in ensemble.labels.T]
    )
    return {
        "Div1": float(apart.mean()),
        "Div3": float((1 - apart.mean() + apart.std(ddof=1)) / 2),
        "ANMI": float(average_mutual_information_index(labels, ensemble)),
        "ACC": float(average_consistency_index(labels, ensemble)),
    }


def _weighted(row: str, run: int) -> dict[str, float]:
    base, extraction = row.split(", ")
    _, y = _data.load("optdigits", run)
    ensemble = _ensemble("optdigits", base, run)
    weights = {
        "EAC": None,
        "JWEACS": _weights("optdigits", base, run, None),
        **{title: _weights("optdigits", base, run, index) for title, index in INDICES.items()},
    }
    return {title: accuracy(y, _extract(ensemble, own, 10, extraction, run)) for title, own in weights.items()}


@cache
def _ensemble(name: str, base: str, run: int) -> Any:
    from pluribus import Ensemble
    from pluribus.generate import Generator

    if base == "all":
        return Ensemble.concat([_ensemble(name, own, run) for own in BASES[:-1]])
    clusterer = ("kmeans", {}) if base == "KM" else ("agglomerative", {"linkage": LINKS[base]})
    generator = Generator(
        clusterer[0], n_members=N_MEMBERS, n_clusters=K_RANGE, subsample=SHARE, random_state=run, n_jobs=1,
        verbose=False, **clusterer[1],
    )  # fmt: skip
    return generator.generate(_data.load(name, run).X)


@cache
def _weights(name: str, base: str, run: int, index: str | None) -> np.ndarray:
    """By one index, or by the mean of all ten."""
    from pluribus.validate import validity_weights

    if index is None:
        return np.mean([_weights(name, base, run, own) for own in INDICES.values()], axis=0)
    X = _data.load(name, run).X
    return validity_weights(_ensemble(name, base, run), X, index, n_jobs=1, verbose=False)


def _extract(ensemble: Any, weights: np.ndarray | None, k: int, extraction: str, run: int) -> np.ndarray:
    from sklearn.cluster import KMeans

    from pluribus import Ensemble
    from pluribus.consensus import EvidenceAccumulation
    from pluribus.evidence import CoAssociation

    weighted = ensemble if weights is None else Ensemble(ensemble, weights=weights)
    if extraction == "KM":
        rows = CoAssociation(weighted, normalize="count").to_dense()
        return KMeans(k, n_init=1, init="random", random_state=run).fit_predict(rows)
    linkage = {"SL": "single", "AL": "average", "WR": "ward"}[extraction]
    model = EvidenceAccumulation(k, linkage=linkage, normalize="count", metric="raw", missing="zero", verbose=False)
    return model.fit(weighted).labels_
