"""COBRAS: adjusted Rand index against the number of questions about pairs.

The oracle answers by the classes. COBRAS chooses its questions and finds the number of clusters. The others get the
true number and the same number of answers, about pairs that a selector of ``pluribus.constraints`` chooses (NPU,
MinMax) or that are drawn at random, and cluster with MPCKMeans. `cobras-ts` is the package of COBRAS's authors.
Features are standardized, rows with missing values left out; optdigits has the first 100 of each digit in 10 principal
components, and sets of more than 500 objects are sampled.
"""

import subprocess
import tempfile
import warnings
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import _data
from benchmarks._cobras_peer import NAME as PEER
from benchmarks._curves import Curve, draw
from benchmarks._installed_peers import PYTHON
from benchmarks._session import ROOT
from benchmarks.reproduce._agreement import Reproduced
from benchmarks.reproduce._published import Published
from benchmarks.reproduce._show import Grid, short

PAPER = "Van Craenendonck, Dumančić, Van Wolputte and Blockeel, COBRAS, IDA 2018: its protocol, on the sets at hand."
SETS = ("iris", "wine", "ecoli", "glass", "ionosphere", "segment", "optdigits", "breast_w", "dermatology", "vehicle")
OURS = ("cobras", "NPU + MPCKMeans", "MinMax + MPCKMeans", "random + MPCKMeans")
MOST = 500  # objects of a set


def levels(quick: bool) -> tuple[int, ...]:
    """How many questions were answered."""
    return (0, 10, 25) if quick else (0, 10, 25, 50, 75, 100)


def methods() -> tuple[str, ...]:
    return (*OURS, PEER) if PYTHON.exists() else OURS


def tables(quick: bool) -> list[Published]:
    columns = tuple(map(str, levels(quick)))
    nothing = {method: (None,) * len(columns) for method in methods()}
    sets = SETS[:2] if quick else SETS
    there = [name for name in sets if name in ("iris", "wine") or (_data.FOLDER / f"{name}.csv.gz").exists()]
    return [Published(name, "adjusted Rand index", True, columns, nothing) for name in there]


def n_runs(quick: bool) -> int:
    return 1 if quick else 3


def score(table: str, row: str, run: int, quick: bool) -> dict[str, float]:
    from sklearn.metrics import adjusted_rand_score

    X, y = _data_set(table)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if row == "cobras":
            found = _by_cobras(X, y, levels(quick), run)
        elif row == PEER:
            found = _by_peer(X, y, levels(quick), run)
        else:
            found = _by_mpckmeans(row.split(" + ")[0], X, y, levels(quick), run)
    return {str(q): float(adjusted_rand_score(y, labels)) for q, labels in found.items()}


def summary(reproduced: list[Reproduced]) -> list[Grid]:
    """The mean over the sets, and the mean aligned rank of the paper."""
    if not reproduced:
        return []
    columns = reproduced[0].published.methods
    names = list(reproduced[0].ours)
    means = np.array(
        [[table.ours[name].mean(axis=0) for name in names] for table in reproduced]
    )  # sets, methods, levels
    ranks = np.stack([aligned_ranks(means[:, :, at]) for at in range(len(columns))], axis=1)
    over_sets = means.mean(axis=0)
    words = f"Means over {len(reproduced)} sets and the runs."
    by_rank = (
        "The indices of a set minus their mean over the methods, ranked over all sets and methods together: 1 is best. "
        f"With {len(reproduced)} sets and {len(names)} methods the ranks go to {len(reproduced) * len(names)}."
    )
    return [
        Grid(
            "Adjusted Rand index after so many questions, mean over the sets",
            ("method", *columns),
            [(name, *map(short, over_sets[i])) for i, name in enumerate(names)],
            (words,),
        ),
        Grid(
            "Mean aligned rank after so many questions (less is better)",
            ("method", *columns[1:]),
            [(name, *(f"{rank:.1f}" for rank in ranks[i, 1:])) for i, name in enumerate(names)],
            (by_rank,),
        ),
    ]


def aligned_ranks(scores: np.ndarray) -> np.ndarray:
    """The mean rank of each method (columns) over sets (rows): scores minus the set's mean, ranked all together."""
    from scipy.stats import rankdata

    aligned = scores - scores.mean(axis=1, keepdims=True)
    return rankdata(-aligned.ravel()).reshape(aligned.shape).mean(axis=0)


def figures(reproduced: list[Reproduced]) -> dict[str, str]:
    """The curves of the mean over the sets."""
    if not reproduced:
        return {}
    numbers = list(reproduced[0].published.methods)
    curves = []
    for name in reproduced[0].ours:
        runs = np.array([table.ours[name] for table in reproduced]).mean(axis=0)
        curves.append(Curve(name, runs.mean(axis=0), runs.std(axis=0)))
    title = f"Mean of {len(reproduced)} sets"
    return {"cobras-mean.svg": draw(title, "questions", "adjusted Rand index", numbers, curves)}


@lru_cache
def _data_set(name: str) -> _data.DataSet:
    X, y = _data.load(name) if name == "optdigits" else _data.load_raw(name)
    if len(y) > MOST:
        some = np.sort(np.random.default_rng(0).permutation(len(y))[:MOST])
        X, y = X[some], y[some]
    if name == "optdigits":
        from sklearn.decomposition import PCA

        X = PCA(10, random_state=0).fit_transform(X / X.std())
    else:
        X = _data.standardized(X)
    return _data.DataSet(X, np.unique(y, return_inverse=True)[1])


def _by_cobras(X: np.ndarray, y: np.ndarray, at: tuple[int, ...], run: int) -> dict[int, np.ndarray]:
    from pluribus.constrained import Cobras

    model = Cobras(max_questions=max(at), random_state=run, verbose=False).fit(X, oracle=y)
    return {q: model.labels_after(q) for q in at}


def _by_mpckmeans(choice: str, X: np.ndarray, y: np.ndarray, at: tuple[int, ...], run: int) -> dict[int, np.ndarray]:
    from pluribus.constrained import MetricPairwiseKMeans

    k = len(np.unique(y))
    return {
        q: MetricPairwiseKMeans(k, random_state=run, verbose=False).fit(X, constraints=known).labels_
        for q, known in _answers(choice, X, y, k, at, run).items()
    }


def _answers(choice: str, X: np.ndarray, y: np.ndarray, k: int, at: tuple[int, ...], run: int) -> dict[int, Any]:
    """What is known after each number of questions."""
    from pluribus.constraints import Answers, MinMax, NormalizedUncertainty, ask, random_pairs

    if choice == "random":
        return {q: random_pairs(y, q, random_state=run) if q else None for q in at}
    selector = (NormalizedUncertainty if choice == "NPU" else MinMax)(X, k, random_state=run)
    answers = Answers(len(y))
    return {q: ask(selector, y, q - len(answers), answers=answers) for q in at}


def _by_peer(X: np.ndarray, y: np.ndarray, at: tuple[int, ...], run: int) -> dict[int, np.ndarray]:
    with tempfile.TemporaryDirectory(prefix="pluribus-benchmark-") as folder:
        given, answer = Path(folder) / "request.npz", Path(folder) / "answer.npz"
        np.savez(given, X=X, y=y, levels=at, seed=run)
        command = [str(PYTHON), "-W", "ignore", "-m", "benchmarks._cobras_peer", str(given), str(answer)]
        subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with np.load(answer) as arrays:
            return {q: arrays[str(q)] for q in at}
