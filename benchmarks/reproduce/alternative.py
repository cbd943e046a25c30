"""Alternative partitions (Gondek): the generator's sweep, digits for faces, pages, figures and fruit, beside NrKmeans.

The source shows the sweep as figures and prints ratios alone. What stands for its cells is a run of its methods made
before and apart from this library, with the generator as described there and 20 draws (alpha 1) or 100 draws.
NrKmeans is not told the known partition: of the partitions it finds, the one most like the wanted one counts.
"""

import subprocess
import sys
import tempfile
import time
import warnings
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import _data
from benchmarks._installed_peers import PYTHON
from benchmarks._session import ROOT
from benchmarks.reproduce._published import Published

PAPER = "Gondek, Non-redundant data clustering, in Constrained Clustering, CRC Press 2008, chapter 11."
WANTED, KNOWN, TIMES, REAL = "Wanted partition", "Known partition", "Seconds", "Two labelings"
OURS = {
    "CondEns-EM": ("condens-em", {"n_init": 1}),
    "CondEns-KM": ("condens", {"center": False, "n_init": 1}),
    "daCCIB, 0.3": ("ccib", {"coordination": 0.3}),
    "CondEns": ("condens", {}),
    "CCIB": ("ccib", {}),
    "residual": ("residual-kmeans", {}),
    "orthogonal": ("orthogonal-kmeans", {}),
}
SETS = (
    *(
        (20, 1.0, k, theirs)
        for k, theirs in ((2, (0.935, 0.938, 0.935)), (3, (0.833, 0.834, 0.831)), (4, (0.699, 0.667, 0.646)))
    ),
    *(
        (100, 0.5, k, theirs)
        for k, theirs in ((2, (0.750, 0.747, 0.568)), (3, (0.561, 0.571, 0.498)), (4, (0.463, 0.482, 0.499)))
    ),
    *(
        (100, 0.25, k, theirs)
        for k, theirs in ((2, (0.610, 0.651, 0.515)), (3, (0.444, 0.468, 0.377)), (4, (0.371, 0.393, 0.326)))
    ),
)
KNOWN_THEIRS = (
    (0.518, 0.520, 0.522), (0.374, 0.382, 0.368), (0.334, 0.360, 0.390), (0.720, 0.733, 0.930), (0.554, 0.568, 0.684),
    (0.473, 0.511, 0.560), (0.776, 0.770, 0.990), (0.687, 0.697, 0.933), (0.626, 0.624, 0.803),
)  # fmt: skip
REAL_METHODS = (
    "NrKmeans", "k-means", "CondEns", "CondEns, Gaussian", "CondEns, Gaussian, raw", "CCIB", "residual", "orthogonal",
)  # fmt: skip
DIGITS = ((0, 1), (3, 8), (1, 7))


def _row(draws: int, alpha: float, k: int) -> str:
    return f"{draws} draws, alpha {alpha:g}, k={k}"


def tables(quick: bool) -> list[Published]:
    nothing = (None,) * (len(OURS) - 3)
    wanted = {_row(*one[:3]): (*one[3], *nothing) for one in SETS}
    known = {_row(*one[:3]): (*values, *nothing) for one, values in zip(SETS, KNOWN_THEIRS, strict=True)}
    seconds = {_row(*one[:3]): (None,) * len(OURS) for one in SETS}
    real = {f"digits {a}, {b}": (None,) * len(REAL_METHODS) for a, b in DIGITS}
    files = {"alt_stickfigures.npz": ("upper body", "lower body"), "alt_fruit.csv.gz": ("fruit", "colour")}
    theirs = {"upper body": 0.938, "lower body": 0.585, "fruit": 0.867, "colour": 0.192}
    for file, rows in files.items():
        if (_data.FOLDER / file).exists():
            real |= {row: (theirs[row], *(None,) * (len(REAL_METHODS) - 1)) for row in rows}
    if (_data.FOLDER / "graph_webkb.npz").exists():
        spot = REAL_METHODS.index("residual")
        for row, value in (("page type", 0.366), ("university", 0.345)):
            real[row] = tuple(value if place == spot else None for place in range(len(REAL_METHODS)))
    forms = tuple(OURS)[3:]
    return [
        Published(WANTED, "precision", True, tuple(OURS), wanted, "", forms),
        Published(KNOWN, "precision", False, tuple(OURS), known, "Less is better: a random partition has 1 / k and a "
                  "little more.", forms),
        Published(TIMES, "seconds", False, tuple(OURS), seconds, "Processor time of one fit, compilation aside."),
        Published(REAL, "normalized mutual information with the wanted labeling", True, REAL_METHODS, real,
                  "Digits: precision, the known partition is brightness. Published are runs made apart from this "
                  "library, of which NrKmeans is the mean over its starts."),
    ]  # fmt: skip


def n_runs(quick: bool) -> int:
    return 1 if quick else 3


def score(table: str, row: str, run: int, quick: bool) -> dict[str, float]:
    if table == REAL:
        return _real(row, run, quick)
    swept = _swept(row, run)
    return {name: values[(WANTED, KNOWN, TIMES).index(table)] for name, values in swept.items()}


@lru_cache(maxsize=64)
def _swept(row: str, run: int) -> dict[str, tuple[float, float, float]]:
    """For each method: precision for the wanted and the known partition, and seconds."""
    draws, alpha, k, _ = next(one for one in SETS if _row(*one[:3]) == row)
    X, p, q = generated(k, draws, alpha, run)
    _compile()
    found = {}
    for name, (method, how) in OURS.items():
        started = time.process_time()
        labels = _fitted(method, X, p, k, run, **how)
        if labels is not None:
            found[name] = (purity(labels, q), purity(labels, p), time.process_time() - started)
    return found


@lru_cache(maxsize=1)
def _compile() -> None:
    """Call every method once, so that no time is that of compilation."""
    X, p, _ = generated(2, 20, 1.0, 0, n=80)
    for method, how in OURS.values():
        _fitted(method, X, p, 2, 0, **how)


def generated(k: int, draws: int, alpha: float, seed: int, n: int = 800) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Counts of two features by which a known partition p and a wanted one q can be told."""
    rng = np.random.default_rng(seed)
    theta = np.arange(1, k + 1) / (k + 1)
    p, q = rng.integers(0, k, n), rng.integers(0, k, n)
    one, other = rng.binomial(draws, theta[p]), rng.binomial(draws, alpha * theta[q] + (1 - alpha) * theta[p])
    return np.column_stack([one, draws - one, other, draws - other]).astype(float), p, q


def purity(labels: np.ndarray, truth: np.ndarray) -> float:
    """The share of objects in the most frequent class of their cluster."""
    _, codes = np.unique(truth, return_inverse=True)
    table = np.zeros((labels.max() + 1, codes.max() + 1))
    np.add.at(table, (labels, codes), 1)
    return float(table.max(axis=1).sum() / len(truth))


def _fitted(method: str, X: Any, known: np.ndarray, k: int, seed: int, **how: Any) -> np.ndarray | None:
    """The labels of a method of the room, by its name; None if there is none of this name, or it cannot take X."""
    from pluribus.alternative import by_name, names

    if method not in names():
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = by_name(method)(n_clusters=k, random_state=seed, **how)
        if "verbose" in model.get_params(deep=False):
            model.set_params(verbose=False)
        try:
            return model.fit(X, known=known).labels_
        except ValueError:
            return None


def _real(row: str, run: int, quick: bool) -> dict[str, float]:
    from scipy import sparse
    from sklearn.cluster import KMeans
    from sklearn.metrics import normalized_mutual_info_score

    X, known, wanted = _labelings(row)
    k = len(np.unique(wanted))
    measure = purity if row.startswith("digits") else lambda labels, truth: normalized_mutual_info_score(truth, labels)
    labels = {
        "k-means": KMeans(k, n_init=10, random_state=run).fit_predict(X),
        "CondEns": _fitted("condens", X, known, k, run),
        "CondEns, Gaussian": _fitted("condens-gaussian", X, known, k, run),  # refuses sparse rows
        "CondEns, Gaussian, raw": _fitted("condens-gaussian", X, known, k, run, center=False),
        "CCIB": _fitted("ccib", X, known, k, run),
        "residual": _fitted("residual-kmeans", X, known, k, run),
        "orthogonal": _fitted("orthogonal-kmeans", X, known, k, run),
    }
    found = {name: float(measure(own, wanted)) for name, own in labels.items() if own is not None}
    if PYTHON.exists() and not sparse.issparse(X):
        peer = _asked({"X": X, "n_clusters": np.array([k, len(np.unique(known))]), "seed": run})["labels"]
        found["NrKmeans"] = float(max(measure(column, wanted) for column in peer.T))
    return found


@lru_cache(maxsize=16)
def _labelings(row: str) -> tuple[Any, np.ndarray, np.ndarray]:
    """Rows, the known labels and the wanted ones."""
    if row.startswith("digits"):
        from sklearn.datasets import load_digits

        X, y = load_digits(return_X_y=True)
        pair = next(pair for pair in DIGITS if row == f"digits {pair[0]}, {pair[1]}")
        X, y = X[np.isin(y, pair)], y[np.isin(y, pair)]
        bright = np.random.default_rng(0).integers(0, 2, len(X))
        return X + 8 * bright[:, None], bright, y
    if row.endswith("body"):
        with np.load(_data.FOLDER / "alt_stickfigures.npz") as arrays:
            X, y = arrays["X"].reshape(len(arrays["X"]), -1).astype(float), arrays["y"]
        return (X, y[:, 1], y[:, 0]) if row == "upper body" else (X, y[:, 0], y[:, 1])
    if row in ("fruit", "colour"):
        import pandas as pd

        frame = pd.read_csv(_data.FOLDER / "alt_fruit.csv.gz")
        X, y = frame.iloc[:, :6].to_numpy(float), frame[["fruit", "colour"]].to_numpy()
        return (X, y[:, 1], y[:, 0]) if row == "fruit" else (X, y[:, 0], y[:, 1])
    return _pages(row)


def _pages(row: str) -> tuple[Any, np.ndarray, np.ndarray]:
    """Pages as words weighted by how rare they are (tf-idf), of length 1."""
    from scipy import sparse
    from sklearn.feature_extraction.text import TfidfTransformer

    with np.load(_data.FOLDER / "graph_webkb.npz") as arrays:
        parts = arrays["data"].astype(np.float64), arrays["indices"], arrays["indptr"]
        X = sparse.csr_array(parts, shape=tuple(arrays["shape"]))
        kind, university = arrays["y"], arrays["university"]
    X = sparse.csr_array(TfidfTransformer(smooth_idf=False).fit_transform(X))
    return (X, university, kind) if row == "page type" else (X, kind, university)


def _asked(request: dict[str, Any]) -> dict[str, np.ndarray]:
    """What clustpy answers, in the other environment."""
    with tempfile.TemporaryDirectory(prefix="pluribus-benchmark-") as folder:
        given, answer = Path(folder) / "request.npz", Path(folder) / "answer.npz"
        np.savez(given, **request)
        command = [str(PYTHON), "-W", "ignore", "-m", "benchmarks._alternative_peers", str(given), str(answer)]
        subprocess.run(command, cwd=ROOT, check=True, stdout=sys.stderr, stderr=subprocess.DEVNULL)
        with np.load(answer) as arrays:
            return {name: arrays[name] for name in arrays}
