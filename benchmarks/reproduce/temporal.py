"""States over time (Medina and Fred): made series, heartbeats and 50 annotated series, beside change point detection.

The data of the source is not public, and its figures are counts of subjects. What stands for them in the table of the
search is a run of its method made before and apart from this library. The table of segmentations has the share of the
true segments that the best matching found segments cover (covering); for one row of it, figures are published for all
75 series of that benchmark, of which 50 are here.
"""

import subprocess
import tempfile
from functools import lru_cache
from pathlib import Path

import numpy as np

from benchmarks import _data
from benchmarks._installed_peers import PYTHON
from benchmarks._session import ROOT
from benchmarks.reproduce._published import Published

PAPER = "Medina and Fred, Clustering data with temporal evolution, CCIS 129, 2011; Ermshaus et al., DMKD 37, 2023."
SEARCH, SEGMENTS = "The search", "Segmentations"
PEERS = ("PELT", "kernel", "HMM")
METHODS = ("pluribus", "pluribus, tested", *PEERS, "k-means", "no change", "ClaSP")
SERIES, RUNS = 50, 5  # annotated series, of which each run has a fifth
ROWS = 150  # windows of an annotated series, at most
RATE, SECONDS, MEANS = 250, 12.0, 137  # of simulated heartbeats
_NOTE = (
    "Of the annotated series (TSSB), each run has ten of the 50. Published: all 75. A method that was not run has no "
    "figure: PELT, kernel and HMM need `make peers`."
)


def tables(quick: bool) -> list[Published]:
    nothing = (None,) * len(METHODS)
    tssb = tuple({"PELT": 0.581, "ClaSP": 0.855}.get(method) for method in METHODS)
    rows = {"DS1": nothing, "DS2": nothing}
    if PYTHON.exists():
        rows["simulated ECG"] = nothing
    rows |= {
        row: values
        for row, (file, values) in {
            "ECG5000, kinds in order": ("ecg_ecg5000", nothing),
            "MIT-BIH 100, one rhythm": ("ecg_mitbih100", nothing),
            "TSSB": ("temporal_tssb", tssb),
        }.items()
        if (_data.FOLDER / f"{file}.npz").exists()
    }
    columns = ("F, GA", "removed, GA", "F, grid", "removed, grid", "called states")
    made = {
        "DS1": (None,) * 5,
        "DS2": (1.0, 0.22, None, None, None),
        "drift": (1.0, 0.20, None, None, None),
        "random walk": (0.90, None, None, None, None),
        "white noise": (0.66, None, None, None, None),
    }
    return [
        Published(SEARCH, "fitness, share of rows, share of runs", True, columns, made, "Theirs is a run of the method "
                  "apart from this library; of a random walk the middle of .86 and .94.", columns[1:]),
        Published(SEGMENTS, "covering", True, METHODS, rows, _NOTE),
    ]  # fmt: skip


def n_runs(quick: bool) -> int:
    return 1 if quick else RUNS


def score(table: str, row: str, run: int, quick: bool) -> dict[str, float]:
    if table == SEARCH:
        return _searched(row, run, quick)
    if row == "TSSB":
        numbers = range(run, SERIES, RUNS) if not quick else [run]
        found = [_segmented(*annotated(number), run, quick) for number in numbers]
        return {method: float(np.mean([one[method] for one in found])) for method in found[0]}
    return _segmented(*_series(row, run), run, quick)


def _searched(row: str, run: int, quick: bool) -> dict[str, float]:
    from pluribus.temporal import TemporalEnsemble, TransitionSearch, null_test

    X = made(row, run)
    members = TemporalEnsemble(["kmeans"], standardize=False)
    found = {}
    for title, how in (("GA", "ga"), ("grid", "grid")):
        model = TransitionSearch(members, search=how, random_state=run, verbose=False).fit(X)
        found |= {f"F, {title}": model.fitness_.total, f"removed, {title}": float(np.mean(~model.kept_))}
    test = null_test(X, n_surrogates=19 if quick else 99, standardize=False, random_state=run, verbose=False)
    return found | {"called states": float(test.states)}


def made(name: str, seed: int) -> np.ndarray:
    """A series of the source, or one without states."""
    rng = np.random.default_rng(seed)
    if name == "DS1":
        return np.concatenate([rng.normal(0, 0.5, (100, 2)), rng.normal(5, 0.5, (100, 2))])
    n = 137
    if name == "white noise":
        return rng.normal(size=(n, 2))
    if name == "random walk":
        return np.cumsum(rng.normal(size=(n, 2)), axis=0)
    if name == "drift":
        return np.linspace(0, 6, n)[:, None] + 0.35 * rng.normal(size=(n, 2))
    share, component = _share(n)[:, None], rng.integers(0, 2, n)
    before, after = np.array([(0, 0), (0, 2.0)])[component], np.array([(6, 0), (6, 2.0)])[component]
    return (1 - share) * before + share * after + 0.35 * rng.normal(size=(n, 2))


def _share(n: int) -> np.ndarray:
    place = np.clip((np.arange(n) / (n - 1) - 0.35) / 0.3, 0, 1)
    return place**2 * (3 - 2 * place)


def _series(row: str, run: int) -> tuple[np.ndarray, list[int], int, str]:
    """Rows, true changes, how many samples a row stands for, and how features are scaled."""
    from pluribus.temporal import ecg_beat_features

    if row == "DS1":
        return made(row, run), [100], 1, "none"
    if row == "DS2":
        return made(row, run), [69], 1, "none"
    if row == "simulated ECG":
        X, _ = ecg_beat_features(_simulated(run), RATE)
        return X, [len(X) // 2], 1, "standard"
    if row.startswith("ECG5000"):
        with np.load(_data.FOLDER / "ecg_ecg5000.npz") as arrays:
            X, y = arrays["X"].astype(np.float64), arrays["y"]
        order = np.lexsort((np.random.default_rng(run).random(len(y)), y))
        keep = order[y[order] <= 2][::2]  # the other kinds have 2 to 19 beats
        return X[keep], (np.flatnonzero(np.diff(y[keep])) + 1).tolist(), 1, "none"
    with np.load(_data.FOLDER / "ecg_mitbih100.npz") as arrays:
        signal = (arrays["signal"] - float(arrays["zero"])) / float(arrays["gain"])
        rate = float(arrays["fs"])
    X, _ = ecg_beat_features(signal, rate)
    return X, [], 1, "standard"


@lru_cache(maxsize=1)
def annotated_file() -> dict[str, np.ndarray]:
    with np.load(_data.FOLDER / "temporal_tssb.npz") as arrays:
        return {name: arrays[name] for name in arrays}


def annotated(number: int) -> tuple[np.ndarray, list[int], int, str]:
    """A series of the benchmark: features of windows of at least its annotated width."""
    from pluribus.temporal import window_features

    arrays = annotated_file()
    signal = arrays["series"][slice(*arrays["series_ptr"][number : number + 2])].astype(np.float64)
    truth = arrays["change_points"][slice(*arrays["change_ptr"][number : number + 2])]
    width = max(int(arrays["window"][number]), len(signal) // ROWS)
    return window_features(signal, width)[0], truth.tolist(), width, "standard"


def _segmented(X: np.ndarray, truth: list[int], width: int, scale: str, run: int, quick: bool) -> dict[str, float]:
    import pluribus

    n = len(X) * width
    truth = [change for change in truth if change < n]
    result = pluribus.states(
        X, windows=min(10, len(X)), scale=scale, seed=run, surrogates=19 if quick else 39, verbose=False
    )
    ours = _changes_of(result.labels)
    Z = X if scale == "none" else _data.standardized(X)
    found = {
        "pluribus": ours,
        "pluribus, tested": ours if result.test.states else np.empty(0),
        "k-means": _k_means(Z, run),
        "no change": np.empty(0),
    }
    if PYTHON.exists():
        found |= _asked({"X": _data.standardized(X), "seed": run})
    return {method: covering(truth, (width * changes).tolist(), n) for method, changes in found.items()}


def _changes_of(labels: np.ndarray) -> np.ndarray:
    """Where the state changes; of a transition, its middle."""
    kept = np.flatnonzero(labels >= 0)
    before = np.flatnonzero(np.diff(labels[kept]))
    return (kept[before] + 1 + kept[before + 1]) / 2


def _k_means(X: np.ndarray, seed: int) -> np.ndarray:
    """Plain clustering: the number of clusters by the silhouette, a change wherever the cluster is another one."""
    from sklearn.cluster import KMeans
    from sklearn.metrics import silhouette_score

    partitions = [KMeans(k, n_init=10, random_state=seed).fit_predict(X) for k in range(2, 7)]
    best = max(partitions, key=lambda labels: silhouette_score(X, labels))
    return np.flatnonzero(np.diff(best)) + 1


def covering(truth: list[float], found: list[float], n: int) -> float:
    """The share of each true segment that the most similar found one has in common with it, weighted by its length."""
    true, other = ([(a, b) for a, b in zip([0, *cuts], [*cuts, n], strict=True)] for cuts in (truth, found))
    best = [max(max(0, min(b, d) - max(a, c)) / (max(b, d) - min(a, c)) for c, d in other) for a, b in true]
    return float(sum((b - a) * value for (a, b), value in zip(true, best, strict=True)) / n)


@lru_cache(maxsize=20)
def _simulated(seed: int) -> np.ndarray:
    return _asked({"seed": seed, "n_segments": MEANS, "seconds": SECONDS, "rate": RATE})["signal"]


def _asked(request: dict[str, object]) -> dict[str, np.ndarray]:
    """What the packages in the other environment answer."""
    with tempfile.TemporaryDirectory(prefix="pluribus-benchmark-") as folder:
        given, answer = Path(folder) / "request.npz", Path(folder) / "answer.npz"
        np.savez(given, **request)
        command = [str(PYTHON), "-W", "ignore", "-m", "benchmarks._temporal_peers", str(given), str(answer)]
        subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with np.load(answer) as arrays:
            return {name: arrays[name] for name in arrays}
