"""Interactive visual clustering (desJardins, MacGlashan and Ferraioli): simulated users, and answers on real sets.

The source shows curves and names two numbers. The other figures next to ours are of a run of the method that was made
before and apart from this library. The second kind of table goes beyond the source: how much some answers help, by
moves, by questions, and by the active learning of another package.
"""

import subprocess
import tempfile
import warnings
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import _answers_sets, _data
from benchmarks._active_peers import METHODS as PEERS
from benchmarks._installed_peers import PYTHON
from benchmarks._session import ROOT
from benchmarks.reproduce._published import Published

PAPER = "desJardins, MacGlashan and Ferraioli, Interactive visual clustering for relational data, 2009."
MOVES = (4, 10, 14, 20, 40)
SETTINGS = ("manual", "layout", "layout+FF", "clustering", "IVC")
SCREEN = ("clustering, screen", "IVC, screen")
RUNS, USERS = 5, 4  # simulated users of each run
ANSWERS = (0, 5, 10, 20, 40)
OURS = ("moves", "questions", "questions, CEAC")
SETS = ("iris", "wine", "zoo", "ecoli", "glass", "dermatology", "soybean_small", "sonar", "ionosphere", "wdbc")
_LINKS = ("nearest", "none", "random")
_APART = {  # clustering and IVC and so on, after 4, 10, 14, 20, 40 moves, by the run apart from this library
    "iris, nearest": {
        "manual": (0, 0, 0.01, 0.03, 0.16),
        "layout": (0.07, 0.13, 0.20, 0.29, 0.66),
        "layout+FF": (0.08, 0.32, 0.51, 0.68, 1.0),
        "clustering": (0.56, 0.77, 0.83, 0.86, 0.92),
        "IVC": (0.72, 0.95, 1.0, 1.0, 1.0),
    },
    "iris, none": {"layout+FF": (0, 0.02, 0.04, 0.09, 0.37), "IVC": (0.77, 0.97, 1.0, 1.0, 1.0)},
    "iris, random": {
        "layout+FF": (0.20, 0.47, 0.58, 0.68, 0.95),
        "clustering": (0.63, 0.81, 0.84, 0.86, 0.91),
        "IVC": (0.77, 0.81, 0.86, 0.88, 0.97),
        "clustering, screen": (0.53, 0.67, 0.71, 0.77, 0.89),
        "IVC, screen": (0.66, 0.85, 0.90, 0.95, 1.0),
    },
    "circles, nearest": {
        "manual": (0, 0, 0.01, 0.02, 0.10),
        "layout": (0.02, 0.10, 0.15, 0.26, 0.62),
        "layout+FF": (0.05, 0.25, 0.47, 0.77, 0.98),
        "clustering": (0.78, 0.86, 0.86, 0.87, 0.92),
        "IVC": (0.92, 0.99, 1.0, 1.0, 1.0),
    },
    "circles, none": {"layout+FF": (0, 0.03, 0.06, 0.12, 0.41), "IVC": (0.92, 0.99, 1.0, 1.0, 1.0)},
    "circles, random": {
        "layout+FF": (0.38, 0.76, 0.87, 0.97, 1.0),
        "clustering": (0.77, 0.87, 0.89, 0.90, 0.93),
        "IVC": (0.93, 0.99, 0.99, 1.0, 1.0),
    },
    "overlapping circles, nearest": {
        "manual": (0, 0, 0.01, 0.03, 0.15),
        "layout": (0.06, 0.11, 0.17, 0.30, 0.59),
        "layout+FF": (0.06, 0.16, 0.28, 0.49, 1.0),
        "clustering": (0.32, 0.48, 0.57, 0.67, 0.83),
        "IVC": (0.27, 0.55, 0.72, 0.94, 1.0),
    },
    "overlapping circles, none": {"layout+FF": (0, 0.01, 0.02, 0.05, 0.26), "IVC": (0.35, 0.57, 0.70, 0.91, 1.0)},
    "overlapping circles, random": {
        "layout+FF": (0.12, 0.24, 0.36, 0.53, 0.88),
        "clustering": (0.31, 0.49, 0.57, 0.70, 0.81),
        "IVC": (0.45, 0.65, 0.80, 0.88, 0.97),
    },
}


def tables(quick: bool) -> list[Published]:
    columns = (*SETTINGS, *SCREEN)
    rows = [f"{name}, {links}" for name in ("circles", "overlapping circles", "iris") for links in _LINKS]
    rows += [f"{name}, nearest" for name in ("zoo", "house_votes") if _answers_sets._file(name).exists()]
    found = []
    for place, moves in enumerate(MOVES):
        theirs = {row: tuple(_number(_APART.get(row, {}).get(c), place) for c in columns) for row in rows}
        note = (
            "Theirs is a run of the method apart from this library. The source itself: IVC about 1.0, clustering .75."
        )
        title = f"After {moves} moves"
        found.append(Published(title, "adjusted Rand index", True, columns, theirs, note, SCREEN))
    nothing = (None,) * len(OURS + PEERS)
    here = [name for name in (SETS[:2] if quick else SETS) if name == "iris" or _answers_sets._file(name).exists()]
    for n in ANSWERS:
        title = f"After {n} answers"
        methods = OURS + PEERS if PYTHON.exists() else OURS
        found.append(
            Published(title, "adjusted Rand index", True, methods, {name: nothing[: len(methods)] for name in here})
        )
    return found


def _number(values: tuple[float, ...] | None, place: int) -> float | None:
    return None if values is None else float(values[place])


def n_runs(quick: bool) -> int:
    return 1 if quick else RUNS


def score(table: str, row: str, run: int, quick: bool) -> dict[str, float]:
    number = int(table.split()[1])
    if table.endswith("answers"):
        return {method: values[number] for method, values in answered(row, run).items()}
    users = range(run, run + 1) if quick else range(run, RUNS * USERS, RUNS)
    found = [simulated(row, user) for user in users]
    return {method: float(np.mean([one[method][number] for one in found])) for method in found[0]}


# -- the source: simulated users -------------------------------------------------------------------------------------


@lru_cache(maxsize=500)
def simulated(row: str, run: int) -> dict[str, dict[int, float]]:
    """The score of each setting after each number of moves."""
    from scipy.spatial.distance import cdist

    from pluribus.studio import ForceLayout, Session, SimulatedUser, run_simulation
    from pluribus.studio.simulation import SETTINGS as HOW
    from pluribus.studio.simulation import nearest_neighbor_edges, probabilistic_edges

    name, links = row.rsplit(", ", 1)
    rng = np.random.default_rng(run)
    X, y = _objects(name, rng)
    D = cdist(X, X, "hamming" if name in ("zoo", "house_votes") else "euclidean")
    edges: Any = ()
    if links == "nearest":
        edges = nearest_neighbor_edges(D)
    elif links == "random":
        edges = probabilistic_edges(y, rng)
    scores: dict[str, dict[int, float]] = {}
    for setting in SETTINGS:
        how = HOW[setting]
        found = run_simulation(
            Session(distances=D),
            SimulatedUser(y, select=how.select, jitter=10 if len(np.unique(y)) > 4 else 30, seed=run),
            max(MOVES),
            edges=edges,
            layout=ForceLayout() if how.layout else None,
            clustering=how.clustering,
        ).set_index("move")
        scores[setting] = found["ari_clusters" if how.clustering else "ari_screen"].to_dict()
        if how.clustering:
            scores[f"{setting}, screen"] = found["ari_screen"].to_dict()
    return scores


def _objects(name: str, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    if name == "circles":
        return circles(rng)
    if name == "overlapping circles":
        return overlapping_circles(rng)
    X, y = _data.load_raw("iris") if name == "iris" else _categories(name)
    if name == "zoo":
        return X, y
    size = 33 if name == "iris" else 50
    keep = np.concatenate([rng.choice(np.flatnonzero(y == c), size, replace=False) for c in np.unique(y)])
    return X[keep], y[keep]


def _categories(name: str) -> tuple[np.ndarray, np.ndarray]:
    """The complete rows of a table as numbers of categories."""
    import pandas as pd

    frame = pd.read_csv(_answers_sets._file(name)).dropna().drop(columns="animal", errors="ignore")
    codes = frame.apply(lambda column: column.astype("category").cat.codes)
    return codes.drop(columns="label").to_numpy(dtype=np.float64), codes["label"].to_numpy(dtype=np.int64)


def circles(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Two discs of 50 points, and 20 points outside them that belong to the nearer one."""
    centers = np.array([[50.0, 50.0], [150.0, 150.0]])
    X = [_disc(rng, center, 50.0, 50) for center in centers]
    outside: list[np.ndarray] = []
    while len(outside) < 20:
        point = rng.uniform(0, 200, 2)
        if np.linalg.norm(point - centers, axis=1).min() > 50:
            outside.append(point)
    rows = np.concatenate([*X, outside])
    nearer = np.linalg.norm(np.array(outside)[:, None] - centers, axis=2).argmin(axis=1)
    return rows, np.concatenate([np.repeat([0, 1], 50), nearer])


def overlapping_circles(rng: np.random.Generator, radius: float = 40.0) -> tuple[np.ndarray, np.ndarray]:
    """Four discs of 25 points around a point."""
    angles = np.deg2rad([45, 135, 225, 315])
    centers = 100 + 50 * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return np.concatenate([_disc(rng, center, radius, 25) for center in centers]), np.repeat(np.arange(4), 25)


def _disc(rng: np.random.Generator, center: np.ndarray, radius: float, n: int) -> np.ndarray:
    angle, distance = 2 * np.pi * rng.random(n), radius * np.sqrt(rng.random(n))
    return center + distance[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)


# -- beyond: answers on real sets ------------------------------------------------------------------------------------


@lru_cache(maxsize=100)
def answered(name: str, run: int) -> dict[str, dict[int, float]]:
    """The score of each method after each number of answers; a move counts as one answer."""
    data = _answers_sets.load(name)
    X, y = np.asarray(data.X, dtype=np.float64), data.y
    scores = {"moves": _by_moves(X, y, run), **_by_questions(X, y, run)}
    return scores | (_by_peers(X, y, run) if PYTHON.exists() else {})


def _by_moves(X: np.ndarray, y: np.ndarray, run: int) -> dict[int, float]:
    from pluribus.studio import Session, SimulatedUser, run_simulation

    n_moves = min(max(ANSWERS), len(y))
    user = SimulatedUser(y, jitter=10, seed=run)
    moves = run_simulation(Session(features=X, reach=100), user, n_moves).set_index("move")["ari_clusters"]
    return {n: 0.0 if n == 0 else float(moves[min(n, n_moves)]) for n in ANSWERS}


def _by_questions(X: np.ndarray, y: np.ndarray, run: int) -> dict[str, dict[int, float]]:
    import pluribus
    from pluribus.studio import EventError, Session

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = pluribus.cluster(X, k=len(np.unique(y)), scale="none", seed=run, verbose=False)
    session = Session(start, seed=run)
    scores: dict[str, dict[int, float]] = {"questions": {}, "questions, CEAC": {}}
    asked = 0
    for n in ANSWERS:
        while asked < n and (pair := session.question()) is not None:
            session.answer(*pair, "together" if y[pair[0]] == y[pair[1]] else "apart")
            asked += 1
        scores["questions"][n] = _rand(session.labels, y)
        try:
            scores["questions, CEAC"][n] = _rand(session.set_engine("ceac").labels, y)
            session.undo()
        except EventError:  # it cannot follow: the clusters stay what they were
            scores["questions, CEAC"][n] = _rand(session.labels, y)
    return scores


def _by_peers(X: np.ndarray, y: np.ndarray, run: int) -> dict[str, dict[int, float]]:
    with tempfile.TemporaryDirectory(prefix="pluribus-benchmark-") as folder:
        given, answer = Path(folder) / "request.npz", Path(folder) / "answer.npz"
        np.savez(given, X=X, y=y, answers=ANSWERS, seed=run)
        command = [str(PYTHON), "-W", "ignore", "-m", "benchmarks._active_peers", str(given), str(answer)]
        subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with np.load(answer) as arrays:
            return {method: {n: _rand(arrays[f"{method}/{n}"], y) for n in ANSWERS} for method in PEERS}


def _rand(labels: np.ndarray, y: np.ndarray) -> float:
    from sklearn.metrics import adjusted_rand_score

    return float(adjusted_rand_score(y, labels))
