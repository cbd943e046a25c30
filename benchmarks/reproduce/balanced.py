"""Balanced clustering of documents: sample, populate and refine, and frequency-sensitive spherical k-means.

The source has charts only, on 20 newsgroups and on 2340 news pages ("yahoo", which is k1a of the CLUTO sets). Theirs
are runs of its protocol on k1a made before and apart from this library, mostly five of each. Documents are counts of
terms, scaled to length 1; samples are half of them. All methods of a run have the same start, by k-means++. How often
the stream, ``sfs``, passes by in theirs is not known: several passes come near, and one pass stands beside.
"""

from functools import cache
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks import _data
from benchmarks.reproduce._published import Published, present

PAPER = "Banerjee and Ghosh, chapter 8 of Basu, Davidson and Wagstaff (eds.), Constrained Clustering, 2009."
SET = "text_k1a"
MEASURES = {
    "NMI": True,
    "mean cosine to the own center (SOF)": True,
    "standard deviation of sizes / mean size (SDCS)": False,
    "smallest / mean size (RME)": True,
}
SIZED = ("SPKpr", "SPKpnr", "SPKgpr", "SPKgpnr", "exact flow", "SPKMeans")
LEARNED = ("SPKMeans", "pifs", "fifs", "sfs, L = 100", "sfs, L = 1000", "one pass, L = 100", "one pass, L = 1000")
# By row and method: NMI, SOF, SDCS in documents, RME; None where there is no reference.
Scores = tuple[float | None, float | None, float | None, float | None]
GREEDY: dict[str, Scores] = {"SPKgpr": (0.535, 0.510, 137.1, 0.051), "SPKgpnr": (0.517, 0.506, 141.5, 0.045)}
ALONE: dict[str, Scores] = {"SPKMeans": (0.544, 0.517, 109.6, 0.080)}
BOUND: dict[str, dict[str, Scores]] = {
    "b = .3": {
        "SPKpr": (0.539, 0.514, 114.8, 0.299), "SPKpnr": (0.497, 0.504, 123.9, 0.299),
        "exact flow": (0.543, 0.515, 113.4, 0.306), **GREEDY, **ALONE,
    },
    "b = .5": {
        "SPKpr": (0.529, 0.512, 88.5, 0.496), "SPKpnr": (0.475, 0.501, 100.9, 0.496),
        "exact flow": (0.542, 0.515, 89.5, 0.496), **GREEDY, **ALONE,
    },
    "b = .9": {
        "SPKpr": (0.492, 0.507, 33.9, 0.897), "SPKpnr": (0.420, 0.494, 30.4, 0.897),
        "exact flow": (0.536, 0.514, 30.2, 0.897), **GREEDY, **ALONE,
    },
}  # fmt: skip
SENSITIVE: dict[str, dict[str, Scores]] = {
    "k = 10": {
        "SPKMeans": (0.512, 0.489, 200, 0.165), "pifs": (0.534, None, None, 0.904), "fifs": (0.506, None, None, 0.908),
        "sfs, L = 100": (0.535, 0.491, 148, 0.408), "sfs, L = 1000": (0.494, 0.484, 11.4, 0.933),
    },
    "k = 20": {
        "SPKMeans": (0.541, 0.515, 116, 0.068), "pifs": (0.545, None, None, 0.939), "fifs": (0.524, None, None, 0.940),
        "sfs, L = 100": (0.567, 0.518, 51, 0.336), "sfs, L = 1000": (0.531, 0.512, 3.9, 0.937),
    },
    "k = 40": {"SPKMeans": (0.546, 0.540, 73, 0.003)},
}  # fmt: skip
_N = 2340  # documents


def tables(quick: bool) -> list[Published]:
    found = []
    for rows, methods, what in ((BOUND, SIZED, "Figure 8.2, k = 20"), (SENSITIVE, LEARNED, "Figures 8.4 and 8.6")):
        for place, (measure, more) in enumerate(MEASURES.items()):
            theirs = {
                row: tuple(_theirs(row, scores.get(method), place) for method in methods)
                for row, scores in rows.items()
                if not quick or row in ("b = .9", "k = 10")
            }
            found.append(Published(f"{what}, {measure.split()[-1].strip('()')}", measure, more, methods, theirs))
    return present(found, lambda table, row: SET)


def n_runs(quick: bool) -> int:
    return 2 if quick else 10


def score(table: str, row: str, run: int, quick: bool) -> dict[str, float]:
    place = [measure.split()[-1].strip("()") for measure in MEASURES].index(table.split(", ")[-1])
    return {method: values[place] for method, values in _measured(row, run).items()}


def _theirs(row: str, scores: Scores | None, place: int) -> float | None:
    value = None if scores is None else scores[place]
    if value is None or place != 2:
        return value
    return value * (int(row[4:]) if row.startswith("k") else 20) / _N


@cache
def _measured(row: str, run: int) -> dict[str, tuple[float, ...]]:
    """All measures of all methods of a row, which its tables share."""
    from pluribus.constrained import BalancedKMeans, FrequencySensitiveKMeans

    X, _ = _data.load_text(SET)
    how: Any = {"random_state": run, "n_init": 1, "verbose": False}
    plain = BalancedKMeans(20, balance=0, metric="cosine", sample=1.0, **how)
    if row.startswith("b"):
        sized: Any = {"metric": "cosine", "base": plain, "sample": 0.5, **how}
        balance = float(row[4:])
        models = {
            "SPKpr": BalancedKMeans(20, balance=balance, refine="cycles", **sized),
            "SPKpnr": BalancedKMeans(20, balance=balance, refine=None, **sized),
            "SPKgpr": BalancedKMeans(20, balance=0, refine="cycles", **sized),
            "SPKgpnr": BalancedKMeans(20, balance=0, refine=None, **sized),
            "exact flow": BalancedKMeans(20, balance=balance, refine="flow", **sized),
            "SPKMeans": plain,
        }
    else:
        k = int(row[4:])
        models = {"SPKMeans": plain.set_params(n_clusters=k)}
        for name in LEARNED[1:]:
            memory = float(name.rpartition(" ")[2]) if "L =" in name else None
            variant = "stream" if name.startswith("one pass") else "pifs" if name == "pifs" else "fifs"
            models[name] = FrequencySensitiveKMeans(k, variant=variant, memory=memory, **how)
    order = np.random.default_rng(run).permutation(_N)  # documents come in no order, as on a stream
    found = {}
    for name, model in models.items():
        labels = np.empty(_N, np.int64)
        labels[order] = model.fit(X[order]).labels_
        found[name] = _measures(labels, model.n_clusters)
    return found


def _measures(labels: np.ndarray, k: int) -> tuple[float, float, float, float]:
    from sklearn.metrics import normalized_mutual_info_score
    from sklearn.preprocessing import normalize

    X, y = _data.load_text(SET)
    indicator = sparse.csr_array((np.ones(_N), (labels, np.arange(_N))), shape=(k, _N))
    cosine = np.linalg.norm((indicator @ normalize(X)).toarray(), axis=1).sum() / _N
    sizes = np.bincount(labels, minlength=k)
    agreement = normalized_mutual_info_score(y, labels, average_method="geometric")
    return float(agreement), float(cosine), float(sizes.std() * k / _N), float(sizes.min() * k / _N)
