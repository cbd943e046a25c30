"""Co-clusters of 0/1 data under constraints (Pensa, Robardet, Boulicaut): a made table, real ones, and comparators.

The source's made table is a drawing, and its gene expressions are not public. In place of the table stands one of the
same size, number of concepts, tau and loss: 15 blocks of 7 equal rows, and 20 columns that are 1 on 6 or 5 blocks in a
row, on a circle. In place of the gene expressions stands a made table with three stages. For these, for house votes and
for zoo, "theirs" is a run of the method apart from this library.
"""

from functools import lru_cache
from typing import Any

import numpy as np

from benchmarks import _data
from benchmarks.reproduce._published import Published

PAPER = "Pensa, Robardet and Boulicaut, Constraint-driven co-clustering of 0/1 data, Constrained Clustering, 2009."
PLAIN, ONE, TWO = "Table 6.4: no constraint", "Table 6.5: 1 pair", "Table 6.6: 2 pairs"
MIXED, STAGES, REAL, OTHERS = "A row and a column apart", "Intervals", "Real tables", "Comparators"
SETS, STARTS = 2, 10  # in one run: sets of pairs, and starts of each
GAPS = {"none": None, "20": 20, "12": 12, "8": 8, "6": 6, "4": 4, "3": 3}
LEAST = {"text_cstr": 10, "text_classic3": 20, "mushroom": 812}  # rows of a pattern; columns: 2
_MEASURES = ("tau", "loss, bits", "Rand(T)", "Rand(G)")


def tables(quick: bool) -> list[Published]:
    both = ("tau", "loss, bits", "a-Rand(T)", "a-Rand(G)", "b-Rand(T)", "b-Rand(G)")
    plain = {"ITCC": (0.29, 0.90, 0.74, 0.74, 0.75, 0.74), "CDK-means": (0.34, 0.96, 0.78, 0.77, 0.77, 0.78)}
    one = {
        "A, on T": (0.32, 0.97, 0.81, 0.78),
        "A, on G": (0.33, 0.96, 0.80, 0.78),
        "B, on T": (0.33, 0.97, 0.83, 0.84),
        "B, on G": (0.30, 0.96, 0.80, 0.80),
    }
    two = {
        "A, on T": (0.31, 0.98, 0.82, 0.78),
        "A, on G": (0.31, 0.98, 0.80, 0.77),
        "B, on T": (0.31, 0.99, 0.83, 0.82),
        "B, on G": (0.29, 0.96, 0.80, 0.81),
    }
    mixed = {"first": (None, None, 0.83, 0.83), "first and last": (None, None, 0.87, 0.88)}
    stages = {
        "none": (6.237, 5.63, 0.911, 0.097, 114.969),
        "20": (5.068, 5.00, 0.919, 0.096, 75.344),
        "12": (2.790, 5.20, 0.909, 0.094, 34.224),
        "8": (1.569, 0.40, 0.991, 0.090, 15.324),
        "6": (1.108, 0.73, 0.980, 0.090, 8.421),
        "4": (0.577, 2.90, 0.946, 0.086, 3.212),
        "3": (0.314, 1.27, 0.970, 0.081, 1.633),
    }
    real = {
        "house votes, k = 2": (35.590, 0.333, 0.780, 0.874, None),
        "zoo, k = 3": (0.325, 0.146, 0.788, None, None),
        "zoo, k = 7": (0.325, 0.086, 0.812, None, 0.605),
    }
    theirs = {"text_cstr": 0.701, "text_classic3": 0.910, "mushroom": 0.873}
    methods = ("scikit-learn", "spectral-cocluster", "itcc", "itcc, 10 k columns", "cdk-means", "covered")
    columns = ("patterns, 1000s", "jumps", "Rand", "tau", "comparisons, 1000s")
    of_real = ("patterns, 1000s", "tau", "Rand", "accuracy", "NMI")
    found = [
        Published(PLAIN, "one start in a run", True, both, plain, "ITCC is the best of ten starts.", both),
        Published(ONE, _pairs_note(), True, _MEASURES, one, "", _MEASURES),
        Published(TWO, _pairs_note(), True, _MEASURES, two, "", _MEASURES),
        Published(MIXED, "one start in a run", True, _MEASURES, mixed, "", _MEASURES),
        Published(STAGES, "largest gap of the rows; one start in a run", True, columns, stages, "", columns),
        Published(REAL, "one start in a run", True, of_real, {r: real[r] for r in real if _here(r)}, "", of_real),
        Published(OTHERS, "NMI of the texts, accuracy of mushroom", True, methods,
                  {row: (value, *(None,) * 5) for row, value in theirs.items() if _here(row)},
                  "CDK-means: the best of five starts, ones for words that are there, patterns of at least "
                  f"{', '.join(f'{least} rows ({name})' for name, least in LEAST.items())} and 2 columns; rows in no "
                  "pattern count as a cluster of their own, and as wrong. Covered: the share of rows in a pattern.",
                  methods[1:], most_runs=5),
    ]  # fmt: skip
    return [table for table in found if table.theirs]


def n_runs(quick: bool) -> int:
    return 2 if quick else 25


def score(table: str, row: str, run: int, quick: bool) -> dict[str, float]:
    if table == PLAIN:
        return _plain(row, run)
    if table in (ONE, TWO):
        return _with_pairs(row, 1 if table == ONE else 2, run, quick)
    if table == MIXED:
        apart = [(0, 0)] if row == "first" else [(0, 0), (104, 19)]
        return _against(_fitted(circle(), 3, run, mixed_cannot_link=apart), 0)
    if table == STAGES:
        return _staged(GAPS[row], run)
    return _real(row, run) if table == REAL else _compared(row, run)


def _pairs_note() -> str:
    return f"a run is the mean of {SETS} sets of pairs, {STARTS} starts each"


def _here(row: str) -> bool:
    name = row.split(",")[0].replace(" ", "_")
    return any((_data.FOLDER / f"{name}{ending}").exists() for ending in (".csv.gz", ".npz"))


@lru_cache(maxsize=1)
def circle() -> np.ndarray:
    """105 rows in blocks of 7, 20 columns; each column is 1 on 6 or 5 blocks of a circle of 15."""
    X = np.zeros((15, 20), dtype=int)
    for j in range(20):
        X[(int(0.75 * j) + np.arange(6 - j % 2)) % 15, j] = 1
    return np.repeat(X, 7, axis=0)


@lru_cache(maxsize=2)
def reference(number: int) -> tuple[np.ndarray, np.ndarray]:
    """Co-clustering a (thirds) or b (first and last rows together), with the columns by most of their ones."""
    rows = np.arange(105) // 35 if number == 0 else (np.arange(105) + 14) % 105 // 35
    ones = np.stack([circle()[rows == cluster].sum(axis=0) for cluster in range(3)])
    return rows, ones.argmax(axis=0)


def _fitted(X: Any, k: int, seed: int, n_init: int = 1, *, least: tuple[int, int] = (1, 1), **given: Any) -> Any:
    import warnings

    from pluribus.constrained import ConstrainedCoClustering

    options = {name: given.pop(name) for name in ("max_row_gap",) if name in given}
    model = ConstrainedCoClustering(
        k, min_rows=least[0], min_columns=least[1], n_init=n_init, random_state=seed, verbose=False, **options
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X, **given)


def _measured(model: Any) -> dict[str, float]:
    return {"tau": model.tau_, "loss, bits": model.information_loss_ / np.log(2)}


def _against(model: Any, number: int, prefix: str = "") -> dict[str, float]:
    from sklearn.metrics import rand_score

    rows, columns = reference(number)
    found = rand_score(rows, model.row_labels_), rand_score(columns, model.column_labels_)
    return _measured(model) | {f"{prefix}Rand(T)": found[0], f"{prefix}Rand(G)": found[1]}


def _plain(row: str, run: int) -> dict[str, float]:
    from pluribus.constrained import InformationCoClustering

    if row == "ITCC":
        model: Any = InformationCoClustering(3, random_state=run, verbose=False).fit(circle())
    else:
        model = _fitted(circle(), 3, run)
    return _against(model, 0, "a-") | _against(model, 1, "b-")


def _with_pairs(row: str, n_pairs: int, run: int, quick: bool) -> dict[str, float]:
    """Random pairs of an element that keeps its cluster from a to b and one that changes it, as the target has them."""
    from pluribus.constraints import InfeasibleError

    target, side = (0 if row[0] == "A" else 1), (0 if row.endswith("T") else 1)
    rng = np.random.default_rng([run, target, side, n_pairs])
    found: list[dict[str, float]] = []
    while len(found) < (1 if quick else SETS) * STARTS:
        name = "constraints" if side == 0 else "column_constraints"
        try:
            known = {name: _pairs(target, side, n_pairs, rng)}
            found += [_against(_fitted(circle(), 3, run * STARTS + s, **known), target) for s in range(STARTS)]
        except InfeasibleError:  # no pattern has one of the two: other pairs
            continue
    return {measure: float(np.mean([one[measure] for one in found])) for measure in _MEASURES}


def _pairs(target: int, side: int, n_pairs: int, rng: np.random.Generator) -> Any:
    from pluribus import Constraints

    a, b = reference(0)[side], reference(1)[side]
    labels, stable = (a, b)[target], a == b
    pairs = [(rng.choice(np.flatnonzero(stable)), rng.choice(np.flatnonzero(~stable))) for _ in range(n_pairs)]
    together = [pair for pair in pairs if labels[pair[0]] == labels[pair[1]]]
    return Constraints(len(a), must_link=together, cannot_link=[pair for pair in pairs if pair not in together])


def _staged(gap: int | None, run: int) -> dict[str, float]:
    from sklearn.metrics import rand_score

    rng = np.random.default_rng(0)
    stage = np.repeat([0, 1, 2], 16)
    X = rng.random((48, 40)) < np.where(stage[:, None] == np.arange(40) * 3 // 40, 0.7, 0.3)
    model = _fitted(X, 3, run, least=(4, 3), max_row_gap=gap)
    return {
        "patterns, 1000s": len(model.patterns_) / 1000,
        "jumps": model.row_jumps_,
        "Rand": rand_score(stage, model.row_labels_),
        "tau": model.tau_,
        "comparisons, 1000s": model.n_comparisons_ / 1000,
    }


@lru_cache(maxsize=3)
def _boolean(name: str) -> tuple[Any, np.ndarray]:
    """A file as zeros and ones, and its classes."""
    import pandas as pd

    from pluribus.tables import boolean_table

    frame = pd.read_csv(_data.FOLDER / f"{name}.csv.gz")
    y = frame.pop("label").to_numpy()
    categories = ["legs"] if name == "zoo" else []
    return boolean_table(frame.drop(columns="animal", errors="ignore"), categories=categories).X, y


def _text(name: str) -> tuple[Any, np.ndarray]:
    """Documents as counts of terms, sparse."""
    from scipy import sparse

    with np.load(_data.FOLDER / f"{name}.npz") as arrays:
        parts = arrays["data"].astype(np.float64), arrays["indices"], arrays["indptr"]
        return sparse.csr_array(parts, shape=tuple(arrays["shape"])), arrays["y"]


def _real(row: str, run: int) -> dict[str, float]:
    from sklearn.metrics import normalized_mutual_info_score, rand_score

    votes = row.startswith("house")
    X, y = _boolean("house_votes" if votes else "zoo")
    model = _fitted(X, int(row[-1]), run, least=(44, 2) if votes else (2, 2))
    found = {
        "patterns, 1000s": len(model.patterns_) / 1000,
        "tau": model.tau_,
        "Rand": rand_score(y, model.row_labels_),
        "NMI": normalized_mutual_info_score(y, model.row_labels_),
    }
    return found | ({"accuracy": _accuracy(y, model.row_labels_)} if votes else {})


def _accuracy(y: np.ndarray, labels: np.ndarray) -> float:
    """The share of rows whose class is the one that their cluster is matched with; -1 is wrong."""
    import pandas as pd
    from scipy.optimize import linear_sum_assignment

    counts = pd.crosstab(y[labels >= 0], labels[labels >= 0]).to_numpy()
    return float(counts[linear_sum_assignment(-counts)].sum() / len(y))


def _compared(row: str, run: int) -> dict[str, float]:
    """The agreement of each method with the classes."""
    from sklearn.cluster import SpectralCoclustering
    from sklearn.metrics import normalized_mutual_info_score

    from pluribus.constrained import InformationCoClustering, SpectralCoClustering

    X, y = _boolean(row) if row == "mushroom" else _text(row)
    X, k = X.astype(np.float64), len(np.unique(y))
    models = {
        "scikit-learn": SpectralCoclustering(k, random_state=run).fit(X),
        "spectral-cocluster": SpectralCoClustering(k, random_state=run).fit(X),
        "itcc": InformationCoClustering(k, random_state=run, verbose=False).fit(X),
        "itcc, 10 k columns": InformationCoClustering(k, n_column_clusters=10 * k, random_state=run, verbose=False).fit(
            X
        ),
        "cdk-means": _fitted(X > 0, k, run, 5, least=(LEAST[row], 2)),
    }
    right = _accuracy if row == "mushroom" else normalized_mutual_info_score
    found = {name: float(right(y, model.row_labels_)) for name, model in models.items()}
    return found | {"covered": float((models["cdk-means"].row_labels_ >= 0).mean())}
