"""Alternative partitions (Gondek): the generator's sweep, digits for faces, pages, figures and fruit, beside NrKmeans.

The source shows the sweep as figures and prints ratios alone. What stands for its cells is a run of its methods made
before and apart from this library, with the generator as described there and 20 draws (alpha 1) or 100 draws.
NrKmeans is not told the known partition: of the partitions it finds, the one most like the wanted one counts.
"""

import subprocess
import tempfile
import time
import warnings
from collections.abc import Collection, Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks import _data
from benchmarks._alternative_sets import (
    SCALES,
    TwoPartitions,
    bright_digits,
    fruit,
    pages,
    precision,
    stick_figures,
    three_partitions,
    two_partitions,
)
from benchmarks._installed_peers import PYTHON
from benchmarks._session import ROOT
from benchmarks.reproduce._published import Published

PAPER = "Gondek, Non-redundant data clustering, in Constrained Clustering, CRC Press 2008, chapter 11."
WANTED, KNOWN, TIMES, REAL = "Wanted partition", "Known partition", "Seconds", "Two labelings"
FRUIT, PAGES, ANSWERS = "Fruit in four scales", "Pages", "Two known partitions"
CHOICE, MORE = "The default of cluster", "One row on more sets"
RUNS, MORE_RUNS = 8, 30
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
    "NrKmeans", "k-means", "chosen", "CondEns", "CondEns, Gaussian", "CondEns, Gaussian, raw", "CCIB", "residual",
    "orthogonal",
)  # fmt: skip
DIGITS = ((0, 1), (3, 8), (1, 7))
FILES = {"figures": "alt_stickfigures.npz", "fruit": "alt_fruit.csv.gz", "pages": "graph_webkb.npz"}
FILES_ROWS = {
    "figures": ("upper body", "lower body"), "fruit": ("fruit", "color"), "pages": ("page type", "university"),
}  # fmt: skip
SCALED = {"CCIB": ("ccib", {}), "CCIB, 1": ("ccib", {"coordination": 1.0}), "residual": ("residual-kmeans", {})}
COUNTED = {"CCIB": ("ccib", {"likelihood": "multinomial"}), "residual": ("residual-kmeans", {})}
_SHARED = "share with known"
CHOICES = {"CondEns": "condens", "chosen": "best-alternative"}


def _row(draws: int, alpha: float, k: int) -> str:
    return f"{draws} draws, alpha {alpha:g}, k={k}"


def tables(quick: bool) -> list[Published]:
    nothing = (None,) * (len(OURS) - 3)
    wanted = {_row(*one[:3]): (*one[3], *nothing) for one in SETS}
    known = {_row(*one[:3]): (*values, *nothing) for one, values in zip(SETS, KNOWN_THEIRS, strict=True)}
    forms = tuple(OURS)[3:]
    found = [
        Published(WANTED, "precision", True, tuple(OURS), wanted, "", forms),
        Published(KNOWN, "precision", False, tuple(OURS), known, "Less is better: a random partition has 1 / k and a "
                  "little more.", forms),
        Published(TIMES, "seconds", False, tuple(OURS), _blank(wanted, OURS), "Processor time of one fit in one "
                  "thread, compilation aside."),
        Published(REAL, "normalized mutual information with the wanted labeling", True, REAL_METHODS, _real_rows(),
                  "Chosen: 'best-alternative'. Digits: precision, the known partition is brightness. Published are "
                  "runs made apart from this library, of which NrKmeans is the mean over its starts.", most_runs=5),
    ]  # fmt: skip
    here = {one: (_data.FOLDER / file).exists() for one, file in FILES.items()}
    if here["fruit"]:
        rows, methods = [f"{one}, {scale}" for one in FILES_ROWS["fruit"] for scale in SCALES], (*SCALED, _SHARED)
        found.append(
            Published(FRUIT, "normalized mutual information", True, methods, _blank(rows, methods),
                      "The wanted labeling, and how the columns were scaled; the last column is what the clusters of "
                      "CCIB share with the known labeling. 'CCIB, 1' has the weight of coordination fixed at 1.")
        )  # fmt: skip
    if here["pages"]:
        rows = [f"{one}, {words}" for one in FILES_ROWS["pages"] for words in ("words", "tf-idf")]
        found.append(
            Published(PAGES, "normalized mutual information", True, tuple(COUNTED), _blank(rows, COUNTED),
                      "CCIB with likelihood='multinomial'.", most_runs=5)
        )  # fmt: skip
    rows = [row for one in ("figures", "fruit") if here[one] for row in FILES_ROWS[one]]
    if rows:
        found.append(
            Published(CHOICE, "normalized mutual information with the wanted labeling", True, tuple(CHOICES),
                      _blank(rows, CHOICES), "Chosen: 'best-alternative', the default of pluribus.cluster(data, "
                      "other_than=...). As there, the columns are standardized.", most_runs=3)
        )  # fmt: skip
    found.append(Published(ANSWERS, "precision", True, ("CCIB",), _blank(["8, 8 and 4 answers"], ("CCIB",))))
    close = _row(20, 1.0, 3)  # where the reference is within a standard error
    compared = (*tuple(OURS)[:3], "CCIB")
    theirs = (*next(one[3] for one in SETS if _row(*one[:3]) == close), None)
    return [
        *(replace(table, most_runs=table.most_runs or RUNS) for table in found),
        Published(MORE, "precision", True, compared, {close: theirs}, "", ("CCIB",)),
    ]


def _blank(rows: Iterable[str], methods: Collection[str]) -> dict[str, tuple[float | None, ...]]:
    """Rows for which nothing was published."""
    return {row: (None,) * len(methods) for row in rows}


def _real_rows() -> dict[str, tuple[float | None, ...]]:
    theirs = {"upper body": 0.938, "lower body": 0.585, "fruit": 0.867, "color": 0.192}
    theirs |= {"page type": 0.366, "university": 0.345}
    rows: dict[str, tuple[float | None, ...]] = {f"digits {a}, {b}": (None,) * len(REAL_METHODS) for a, b in DIGITS}
    for one, file in FILES.items():
        whose = "residual" if one == "pages" else "NrKmeans"
        if (_data.FOLDER / file).exists():
            for row in FILES_ROWS[one]:
                rows[row] = tuple(theirs[row] if method == whose else None for method in REAL_METHODS)
    return rows


def n_runs(quick: bool) -> int:
    return 1 if quick else MORE_RUNS


def score(table: str, row: str, run: int, quick: bool) -> dict[str, float]:
    if table == REAL:
        return _real(row, run, quick)
    if table == FRUIT:
        shared = _agreed(_annealed(row), _labelings(row).known)
        return _agreement(row, SCALED, run) | {_SHARED: shared}
    if table == PAGES:
        return _agreement(row, COUNTED, run)
    if table == MORE:
        return {name: values[0] for name, values in _swept(row, run).items()}
    if table == CHOICE:
        return _chosen(row, run)
    if table == ANSWERS:
        given = three_partitions(run)
        return {"CCIB": precision(_fitted("ccib", given.X, given.known, 3, run), given.wanted)}
    swept = _swept(row, run)
    return {name: values[(WANTED, KNOWN, TIMES).index(table)] for name, values in swept.items()}


def _agreement(row: str, methods: dict[str, tuple[str, dict[str, Any]]], run: int) -> dict[str, float]:
    """Normalized mutual information with the wanted labeling."""
    given, found = _labelings(row), {}
    k = len(np.unique(given.wanted))
    for name, (method, how) in methods.items():
        chance = method != "ccib"
        labels = _fitted(method, given.X, given.known, k, run, **how) if chance else _annealed(row, *how.items())
        found[name] = _agreed(labels, given.wanted)
    return found


def _chosen(row: str, run: int) -> dict[str, float]:
    """The choice among methods, and the method that was the default before, on standardized rows."""
    from sklearn.preprocessing import StandardScaler

    X, known, wanted = _labelings(row)
    rows, k = StandardScaler().fit_transform(X), len(np.unique(wanted))
    return {name: _agreed(_fitted(method, rows, known, k, run), wanted) for name, method in CHOICES.items()}


def _agreed(labels: np.ndarray, others: np.ndarray) -> float:
    from sklearn.metrics import normalized_mutual_info_score

    return float(normalized_mutual_info_score(others, labels))


@cache
def _annealed(row: str, *how: tuple[str, Any]) -> np.ndarray:
    """The labels of CCIB, which do not depend on the run."""
    X, known, wanted = _labelings(row)
    return _fitted("ccib", X, known, len(np.unique(wanted)), 0, **dict(how))


@cache
def _swept(row: str, run: int) -> dict[str, tuple[float, float, float]]:
    """For each method: precision for the wanted and the known partition, and seconds."""
    draws, alpha, k, _ = next(one for one in SETS if _row(*one[:3]) == row)
    X, p, q = two_partitions(k, draws, alpha, run)
    _compile()
    found = {}
    for name, (method, how) in OURS.items():
        with threadpool_limits(1):  # the time of this thread is then that of the fit
            started = time.thread_time()
            labels = _fitted(method, X, p, k, run, **how)
            seconds = time.thread_time() - started
        found[name] = (precision(labels, q), precision(labels, p), seconds)
    return found


@cache
def _compile() -> None:
    """Call every method once, so that no time is that of compilation."""
    X, p, _ = two_partitions(2, 20, 1.0, 0, n=80)
    for method, how in OURS.values():
        _fitted(method, X, p, 2, 0, **how)


def _fitted(method: str, X: Any, known: np.ndarray, k: int, seed: int, **how: Any) -> np.ndarray:
    """The labels of a method of the room, by its name."""
    from pluribus.alternative import by_name

    with warnings.catch_warnings(action="ignore"):
        model = by_name(method)(n_clusters=k, random_state=seed, **how)
        if "verbose" in model.get_params(deep=False):
            model.set_params(verbose=False)
        return model.fit(X, known=known).labels_


def _real(row: str, run: int, quick: bool) -> dict[str, float]:
    from scipy import sparse
    from sklearn.cluster import KMeans

    X, known, wanted = _labelings(row)
    k = len(np.unique(wanted))
    measure = precision if row.startswith("digits") else _agreed
    labels = {
        "k-means": KMeans(k, n_init=10, random_state=run).fit_predict(X),
        "chosen": _fitted("best-alternative", X, known, k, run),
        "CondEns": _fitted("condens", X, known, k, run),
        "CCIB": _annealed(row),
        "residual": _fitted("residual-kmeans", X, known, k, run),
        "orthogonal": _fitted("orthogonal-kmeans", X, known, k, run),
    }
    if not sparse.issparse(X):
        labels["CondEns, Gaussian"] = _fitted("condens-gaussian", X, known, k, run)
        labels["CondEns, Gaussian, raw"] = _fitted("condens-gaussian", X, known, k, run, center=False)
    found = {name: float(measure(own, wanted)) for name, own in labels.items()}
    if PYTHON.exists() and not sparse.issparse(X):
        peer = _asked({"X": X, "n_clusters": np.array([k, len(np.unique(known))]), "seed": run})["labels"]
        found["NrKmeans"] = float(max(measure(column, wanted) for column in peer.T))
    return found


def _labelings(row: str) -> TwoPartitions:
    """Rows, the known labels and the wanted ones."""
    if row.startswith("digits"):
        return bright_digits(*next(pair for pair in DIGITS if row == f"digits {pair[0]}, {pair[1]}"))
    if row.endswith("body"):
        return stick_figures(row)
    if row.startswith(FILES_ROWS["fruit"]):
        return fruit(*row.split(", "))
    return pages(row.removesuffix(", tf-idf").removesuffix(", words"), not row.endswith("words"))


def _asked(request: dict[str, Any]) -> dict[str, np.ndarray]:
    """What clustpy answers, in the other environment."""
    with tempfile.TemporaryDirectory(prefix="pluribus-benchmark-") as folder:
        given, answer = Path(folder) / "request.npz", Path(folder) / "answer.npz"
        np.savez(given, **request)
        command = [str(PYTHON), "-W", "ignore", "-m", "benchmarks._alternative_peers", str(given), str(answer)]
        subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with np.load(answer) as arrays:
            return {name: arrays[name] for name in arrays}
