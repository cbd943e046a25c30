"""Many kernels (Martins et al.): the source's handwritten words, digits beside other learners, and the optimum.

Words are labeled as chains, as in the source: train on one fold, test on the other nine. C is chosen on a fifth of the
training words that is held out, where the source has five-fold cross-validation. "online" are the steps of the source,
"dual" those that are the default here.
"""

import json
import subprocess
import tempfile
import time
import warnings
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import _data
from benchmarks._installed_peers import PYTHON
from benchmarks._session import ROOT
from benchmarks.reproduce._published import Published

PAPER = "Martins, Smith, Xing, Aguiar and Figueiredo, Online learning of structured predictors, AISTATS 2011."
WORDS, SECONDS, DIGITS, OPTIMUM = (
    "Handwritten words", "Handwritten words, seconds of training", "Digits, many kernels", "Objective over its optimum"
)  # fmt: skip
TABLES = (WORDS, SECONDS, DIGITS, OPTIMUM)
_GAUSSIAN = ("gaussian", {"sigma": 5**0.5})
_LQG, _LB = ["linear", "quadratic", _GAUSSIAN], ["linear", "spline"]
MODELS: dict[str, tuple[list[Any], dict[str, str], float, float]] = {  # kernels, parameters, theirs: accuracy, seconds
    "L": (["linear"], {}, 0.718, 6),
    "Q": (["quadratic"], {}, 0.855, 116),
    "G": ([_GAUSSIAN], {}, 0.841, 123),
    "average L, Q, G": (_LQG, {"regularizer": "l2"}, 0.843, 118),
    "MKL L, Q, G": (_LQG, {}, 0.875, 279),
    "MKL b0, L, Q, G": (_LQG, {"transitions": "learned"}, 0.875, 282),
    "B1": (["spline"], {}, 0.754, 8),
    "average L, B1": (_LB, {"regularizer": "l2"}, 0.830, 15),
    "MKL L, B1": (_LB, {}, 0.852, 15),
    "MKL b0, L, B1": (_LB, {"transitions": "learned"}, 0.852, 16),
}
SOLVERS = ("dual", "online")
CS, QUICK_C, TIMED_C = (1.0, 10.0, 100.0), 1.0, 10.0
_QUICK_MODELS = ("L", "MKL L, B1")
OTHERS = ("L", "Q", "G", "average", "MKL", "MKL, online", "average + SVC", "EasyMKL")
STEPS = ("dual", "online", "online, mean", "Gauss-Seidel")
PASSES = 30
FOLDS = 10


def tables(quick: bool) -> list[Published]:
    models = tuple(MODELS)
    found = [
        Published(DIGITS, "share right; seconds", True, OTHERS, {"accuracy": (None,) * 8, "seconds": (None,) * 8},
                  "500 digits to learn from, 1,297 to test. EasyMKL is MKLpy's."),
        Published(OPTIMUM, f"objective after {PASSES} passes over the lowest known", False, STEPS,
                  {f"C = {c}": (None,) * len(STEPS) for c in ("0.1", "1", "10", "100")},
                  "500 digits, three kernels. Gauss-Seidel alternates an SVM, ten passes each, and the weights."),
    ]  # fmt: skip
    if (_data.FOLDER / "ocr_letters.npz").exists():
        accuracy, seconds = (tuple(model[place] for model in MODELS.values()) for place in (2, 3))
        timed = f"Ours: processor time with C = {TIMED_C:g}, {'one fold' if quick else 'five folds'}."
        note = "Ours: one fold." if quick else "Ours: ten folds; a run is the mean of two."
        found[:0] = [
            Published(WORDS, "share of characters", True, models, dict.fromkeys(SOLVERS, accuracy), note),
            Published(SECONDS, "seconds", False, models, dict.fromkeys(SOLVERS, seconds), timed),
        ]
    return found


def n_runs(quick: bool) -> int:
    """Splits of the digits, and pairs of folds of the words."""
    return 1 if quick else 5


def score(table: str, row: str, run: int, quick: bool) -> dict[str, float]:
    if table == WORDS:
        folds = [_accuracies(row, fold, quick) for fold in ((run,) if quick else (run, run + FOLDS // 2))]
        return {name: float(np.mean([found[name] for found in folds])) for name in folds[0]}
    if table == SECONDS:
        return _seconds(row, run, quick)
    if table == DIGITS:
        return _digits(run, quick)[row == "seconds"]
    return _objectives(float(row.split()[-1]), run)


def _accuracies(solver: str, fold: int, quick: bool) -> dict[str, float]:
    """Of each model on nine folds, with the C that does best on words of its own fold that were held out."""
    mine, others = _fold_words(fold)
    mine = np.random.default_rng(fold).permutation(mine)
    held, kept = mine[: len(mine) // 5], mine[len(mine) // 5 :]
    accuracy = {}
    for name in _QUICK_MODELS if quick else MODELS:
        c = QUICK_C if quick else max(CS, key=lambda c: _right(_learned(name, solver, kept, c, fold), held))
        accuracy[name] = _right(_learned(name, solver, np.sort(mine), c, fold), others)
    return accuracy


def _seconds(solver: str, fold: int, quick: bool) -> dict[str, float]:
    """Processor seconds to learn each model from one fold."""
    words, _ = _fold_words(fold)
    found = {}
    for name in _QUICK_MODELS if quick else MODELS:
        _learned(name, solver, words[:20], TIMED_C, fold)  # loads the compiled passes
        start = time.process_time()
        _learned(name, solver, words, TIMED_C, fold)
        found[name] = time.process_time() - start
    return found


def _learned(name: str, solver: str, words: np.ndarray, c: float, seed: int) -> Any:
    from pluribus.similarity import OnlineMultipleKernel

    kernels, parameters, _, _ = MODELS[name]
    X, y, sequences = _rows_of(words)
    model = OnlineMultipleKernel(kernels, C=c, solver=solver, random_state=seed, verbose=False, **parameters)
    return model.fit(X, y, sequences=sequences)


def _right(model: Any, words: np.ndarray) -> float:
    """The share of characters with the right label."""
    X, y, sequences = _rows_of(words)
    return model.score(X, y, sequences=sequences)


@lru_cache(maxsize=1)
def _letters() -> dict[str, np.ndarray]:
    with np.load(_data.FOLDER / "ocr_letters.npz") as arrays:
        found = {name: arrays[name] for name in arrays}
    return found | {"X": np.unpackbits(found["pixels"], axis=1).astype(np.float32)}


def _fold_words(fold: int) -> tuple[np.ndarray, np.ndarray]:
    mine = _letters()["fold"] == fold
    return np.flatnonzero(mine), np.flatnonzero(~mine)


def _rows_of(words: np.ndarray) -> tuple[np.ndarray, np.ndarray, list[range]]:
    arrays = _letters()
    pointers = arrays["word_ptr"]
    rows = np.concatenate([np.arange(pointers[word], pointers[word + 1]) for word in words])
    ends = np.cumsum([0, *np.diff(pointers)[words]])
    return arrays["X"][rows], arrays["y"][rows], [range(*ends[e : e + 2]) for e in range(len(words))]


def _split(run: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    from sklearn.datasets import load_digits

    X, y = load_digits(return_X_y=True)
    order = np.random.default_rng(run).permutation(len(X))
    learn, test = order[:500], order[500:]
    return X[learn] / 16, y[learn], X[test] / 16, y[test]


_DIGIT_KERNELS = ["linear", "quadratic", ("gaussian", {"sigma": 0.5**0.5})]


@cache
def _digits(run: int, quick: bool) -> tuple[dict[str, float], dict[str, float]]:
    """Accuracy and processor seconds of each learner, C = 10."""
    from sklearn.svm import SVC

    from pluribus.similarity import OnlineMultipleKernel

    X, y, new, truth = _split(run)
    ours = {
        "L": (_DIGIT_KERNELS[:1], {}),
        "Q": (_DIGIT_KERNELS[1:2], {}),
        "G": (_DIGIT_KERNELS[2:], {}),
        "average": (_DIGIT_KERNELS, {"regularizer": "l2"}),
        "MKL": (_DIGIT_KERNELS, {}),
        "MKL, online": (_DIGIT_KERNELS, {"solver": "online"}),
    }
    accuracy, seconds = {}, {}
    OnlineMultipleKernel(_DIGIT_KERNELS, epochs=1, verbose=False).fit(X[:40], y[:40])  # loads the compiled passes
    OnlineMultipleKernel(_DIGIT_KERNELS, epochs=1, solver="online", verbose=False).fit(X[:40], y[:40])
    for name, (kernels, parameters) in ours.items():
        start = time.process_time()
        model = OnlineMultipleKernel(kernels, C=10.0, random_state=run, verbose=False, **parameters).fit(X, y)
        accuracy[name] = model.score(new, truth)
        seconds[name] = time.process_time() - start
    learn, test = _digit_matrices(X, X), _digit_matrices(new, X)
    start = time.process_time()
    svc = SVC(kernel="precomputed", C=10.0).fit(np.mean(learn, axis=0), y)
    accuracy["average + SVC"] = float(np.mean(svc.predict(np.mean(test, axis=0)) == truth))
    seconds["average + SVC"] = time.process_time() - start
    if PYTHON.exists():
        found = _easy_mkl(learn, y, test, truth)
        if found:
            accuracy["EasyMKL"], seconds["EasyMKL"] = found
    return accuracy, seconds


def _digit_matrices(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    inner, one, other = A @ B.T, (A * A).sum(axis=1), (B * B).sum(axis=1)
    return np.array([
        inner / np.sqrt(np.outer(one, other)),
        (1 + inner) ** 2 / np.outer(1 + one, 1 + other),
        np.exp(-(one[:, None] + other - 2 * inner)),
    ])  # fmt: skip


def _easy_mkl(learn: np.ndarray, y: np.ndarray, test: np.ndarray, truth: np.ndarray) -> tuple[float, float] | None:
    """MKLpy's, in the environment of the peers; None if it is not installed there."""
    with tempfile.TemporaryDirectory() as folder:
        np.savez(Path(folder) / "given.npz", learn=learn, y=y, test=test, truth=truth)
        command = [str(PYTHON), "-c", _EASY_MKL, str(Path(folder) / "given.npz")]
        answer = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return None if answer.returncode else tuple(json.loads(answer.stdout.splitlines()[-1]))


_EASY_MKL = """
import json, sys, time
import numpy as np, torch
torch.set_num_threads(1)
from MKLpy.algorithms import EasyMKL
given = np.load(sys.argv[1])
learn, test = ([torch.tensor(K) for K in given[name]] for name in ("learn", "test"))
start = time.process_time()
model = EasyMKL(lam=0.1).fit(learn, torch.tensor(given["y"]))
found = np.asarray(model.predict(test))
print(json.dumps([float((found == given["truth"]).mean()), time.process_time() - start]))
"""


def _objectives(c: float, run: int) -> dict[str, float]:
    """The objective of each solver after 30 passes, over the lowest that any reaches."""
    from pluribus.similarity import OnlineMultipleKernel

    X, y, _, _ = _split(run)
    path = gauss_seidel(_digit_matrices(X, X), y, c)
    found = {"Gauss-Seidel": path[:3].min()}  # ten passes each
    for name, parameters in (
        ("dual", {"solver": "dual"}),
        ("online", {"solver": "online"}),
        ("online, mean", {"solver": "online", "average": True}),
    ):
        model = OnlineMultipleKernel(
            _DIGIT_KERNELS, C=c, epochs=PASSES, random_state=run, verbose=False, **parameters
        ).fit(X, y)
        found[name] = model.objective_[-1]
    longer = OnlineMultipleKernel(_DIGIT_KERNELS, C=c, epochs=300, solver="dual", random_state=run, verbose=False)
    lowest = min(path.min(), longer.fit(X, y).objective_.min())
    return {name: float(value / lowest) for name, value in found.items()}


def gauss_seidel(K: np.ndarray, y: np.ndarray, c: float, rounds: int = 30) -> np.ndarray:
    """The wrapper: an SVM with the kernel Σ β K, then β ∝ ‖θ_m‖; the objective after each round.

    The first three rounds have ten passes of the SVM each, later ones as many as it needs.
    """
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.svm import LinearSVC

    n = len(y)
    features = []
    for matrix in K:
        values, vectors = np.linalg.eigh(matrix)
        features.append(vectors * np.sqrt(np.maximum(values, 0)))
    beta, path = np.full(len(K), 1 / len(K)), []
    for turn in range(rounds):
        X = np.hstack([np.sqrt(b) * part for b, part in zip(beta, features, strict=True)])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            warnings.simplefilter("ignore", FutureWarning)
            svm = LinearSVC(multi_class="crammer_singer", C=c, fit_intercept=False, tol=1e-6,
                            max_iter=10 if turn < 3 else 100_000, random_state=0).fit(X, y)  # fmt: skip
        theta = [np.sqrt(b) * svm.coef_[:, m * n : (m + 1) * n] for m, b in enumerate(beta)]
        scores = sum(part @ weights.T for part, weights in zip(features, theta, strict=True))
        costly = scores + (y[:, None] != svm.classes_)
        loss = (costly.max(axis=1) - scores[np.arange(n), np.searchsorted(svm.classes_, y)]).mean()
        norms = np.array([np.linalg.norm(weights) for weights in theta])
        path.append(norms.sum() ** 2 / 2 / (c * n) + loss)
        before, beta = beta, norms / norms.sum()
        if turn > 3 and np.abs(beta - before).max() < 1e-6:
            break
    return np.array(path)
