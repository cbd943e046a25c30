"""MAP-DID: errors in cross-validation on public sets, on dissimilarities that are not Euclidean, and on equal squares.

The source has no figures. What stands for them is a single run of a prototype, made before and apart from this library:
standardized features, stratified 10-fold cross-validation (three times for iris and wine), at most three components.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from benchmarks import _data

FEATURES_THEIRS: dict[str, dict[str, float]] = {
    "iris": {"GMM": 0.027, "single": 0.029, "set": 0.029, "1-NN": 0.056},
    "wine": {"GMM": 0.015, "single": 0.011, "set": 0.011, "1-NN": 0.045},
    "glass, full": {"GMM": 0.364, "single": 0.360, "1-NN": 0.294},
    "glass, diag": {"GMM": 0.360, "single": 0.328, "1-NN": 0.294},
    "ionosphere, full": {"GMM": 0.143, "single": 0.140, "1-NN": 0.128},
    "ionosphere, diag": {"GMM": 0.105, "single": 0.105, "1-NN": 0.128},
    "breast_cancer, full": {"GMM": 0.047, "single": 0.044, "1-NN": 0.047},
    "breast_cancer, diag": {"GMM": 0.055, "single": 0.053, "1-NN": 0.047},
}
SHOWCASE_THEIRS: dict[str, dict[str, tuple[float, ...]]] = {  # one figure for each of three seeds
    "grid": {"GMM": (0.51, 0.54, 0.58), "single": (0.10, 0.11, 0.09)},
    "clumps": {"GMM": (0.44, 0.49, 0.44), "single": (0.14, 0.16, 0.12)},
}
METHODS = ("GMM", "single", "set", "1-NN")
EMBEDDINGS = ("pes", "ppes", "npes", "ces")
REPEATS = {"iris": 3, "wine": 3}


class Row(NamedTuple):
    """The error of one method on one set: the prototype's, if there is one, and ours."""

    data: str
    method: str
    theirs: float | None
    ours: float


def map_did_table(quick: bool) -> list[Row]:
    """Public sets; quick runs iris and wine once."""
    rows = []
    for name, theirs in FEATURES_THEIRS.items():
        set_name, _, covariance = name.partition(", ")
        if (quick and set_name not in REPEATS) or not _is_here(set_name):
            continue
        X, y = features_of(set_name)
        for method in METHODS:
            model = _model(method, covariance_type=covariance or "full", max_components=3)
            repeats = 1 if quick else REPEATS.get(set_name, 1)
            ours = float(np.mean([error(model, X, y, run) for run in range(repeats)]))
            rows.append(Row(name, method, theirs.get(method), ours))
    return rows


def balls_table(quick: bool) -> list[Row]:
    """Distances between the surfaces of balls of two sizes, in each embedding."""
    rows = []
    seeds = range(1 if quick else 3)
    draws = [balls(np.random.default_rng(seed)) for seed in seeds]
    for embedding in (*EMBEDDINGS, None):
        for prototypes in (None, 0.05):
            if embedding is None and prototypes is None:
                continue
            space = f"balls, {'D' * (prototypes is not None)}{(embedding or '').upper()}"
            for method in ("GMM", "single", "set"):
                model = _model(method, metric="precomputed", embedding=embedding, prototypes=prototypes)
                rows.append(Row(space, method, None, _mean_error(model, draws)))
    nearest = _model("1-NN").set_params(metric="precomputed")
    return [*rows, Row("balls", "1-NN", None, _mean_error(nearest, draws))]


def showcase_table(quick: bool) -> list[Row]:
    """Uniform points against a grid or clumps in the same square: a row for each seed."""
    rows = []
    for kind, theirs in SHOWCASE_THEIRS.items():
        for seed in range(1 if quick else 3):
            X, y = equal_squares(kind, np.random.default_rng(seed))
            for method in METHODS:
                figure = theirs[method][seed] if method in theirs else None
                rows.append(Row(f"{kind}, seed {seed}", method, figure, error(_model(method), X, y, seed)))
    return rows


def error(model: Any, X: np.ndarray, y: np.ndarray, seed: int) -> float:
    """1 - accuracy in stratified 10-fold cross-validation."""
    from sklearn.model_selection import StratifiedKFold, cross_val_score

    folds = StratifiedKFold(10, shuffle=True, random_state=seed)
    return 1 - float(cross_val_score(model, X, y, cv=folds).mean())


def _mean_error(model: Any, draws: list[tuple[np.ndarray, np.ndarray]]) -> float:
    return float(np.mean([error(model, D, y, seed) for seed, (D, y) in enumerate(draws)]))


def _model(method: str, **parameters: Any) -> Any:
    from sklearn.neighbors import KNeighborsClassifier

    from pluribus.increments import IncrementsClassifier

    if method == "1-NN":
        return KNeighborsClassifier(1)
    weight, form = (0.0, "single") if method == "GMM" else (1.0, method)
    return IncrementsClassifier(increments=form, increment_weight=weight, random_state=0, verbose=False, **parameters)


def _is_here(name: str) -> bool:
    return name in ("iris", "wine", "breast_cancer") or _data.available(name)


def features_of(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Standardized features and classes."""
    if name == "breast_cancer":
        from sklearn.datasets import load_breast_cancer

        X, y = load_breast_cancer(return_X_y=True)
    else:
        X, y = _data.load_raw(name)
    if name == "ionosphere":
        X = X[:, 2:]  # the first two columns hold one value and two values
    return _data.standardized(X), y


def balls(rng: np.random.Generator, n: int = 100, side: float = 8.5) -> tuple[np.ndarray, np.ndarray]:
    """Distances between the surfaces of balls that do not overlap, with radii 0.5 and 0.4, in a cube."""
    centers, radii = np.empty((0, 3)), np.empty(0)
    while len(centers) < 2 * n:
        center, radius = rng.uniform(0, side, 3), (0.5, 0.4)[len(centers) // n]
        if (np.linalg.norm(centers - center, axis=1) > radii + radius).all():
            centers, radii = np.vstack([centers, center]), np.append(radii, radius)
    D = np.linalg.norm(centers[:, None] - centers, axis=2) - radii[:, None] - radii
    np.fill_diagonal(D, 0)
    return D, np.repeat([0, 1], n)


def equal_squares(kind: str, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """400 points uniform in a square of side 20, and 400 on a grid with jitter, or in 80 clumps of five."""
    uniform = rng.uniform(0, 20, (400, 2))
    return np.vstack([uniform, _OTHERS[kind](rng)]), np.repeat([0, 1], 400)


def _grid(rng: np.random.Generator) -> np.ndarray:
    steps = np.arange(20) + 0.5
    points = np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2)
    return points + rng.normal(0, 0.08, points.shape)


def _clumps(rng: np.random.Generator) -> np.ndarray:
    return np.repeat(rng.uniform(0, 20, (80, 2)), 5, axis=0) + rng.normal(0, 0.15, (400, 2))


_OTHERS: dict[str, Callable[[np.random.Generator], np.ndarray]] = {"grid": _grid, "clumps": _clumps}


if __name__ == "__main__":
    for table in (showcase_table, balls_table, map_did_table):
        for data, method, theirs, ours in table(quick=False):
            print(f"{data:22}{method:8}{'' if theirs is None else f'{theirs:.3f}':>7}{ours:8.3f}", flush=True)
