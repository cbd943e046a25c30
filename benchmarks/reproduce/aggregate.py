"""Conditions on clusters (Tung et al.): what pivot movement, deadlock resolution and the flow are worth.

The source prints no figures for this. What stands for them is a run of the protocol below, made before and apart from
this library. Five normal clouds of 200 to 30 points, 30 % of the points are pivots, and each of five clusters must have
at least n of them: none, half, .8 or all of what there is for each. All methods start from the same clustering: seeds
by k-means++; of all pairs of a pivot and a seed the nearest first, until each seed has n pivots; all else goes to the
nearest seed.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from benchmarks.reproduce._agreement import Reproduced
from benchmarks.reproduce._published import Published
from benchmarks.reproduce._show import Grid

PAPER = (
    "Tung, Han, Lakshmanan and Ng, Constraint-based clustering in large databases, ICDT 2001; and its chapter of 2008."
)
UNIT = 2258.6  # the dispersion without a condition: figures are multiples of it
TITLE = f"Final dispersion, in units of {UNIT}"
NOTE = "Theirs is a run of the protocol apart from this library: the source has no figures."
CENTERS = np.array([(0, 0), (6, 0), (0, 6), (6, 6), (12, 3)])
SIZES = (200, 120, 90, 60, 30)
METHODS: Mapping[str, dict[str, Any]] = {
    "random": {"solver": "pivot", "deadlock": False},
    "random + deadlock": {"solver": "pivot"},
    "look-ahead": {"solver": "pivot", "heuristic": "look-ahead", "deadlock": False},
    "look-ahead + deadlock": {"solver": "pivot", "heuristic": "look-ahead"},
    "flow": {"solver": "flow"},
}
THEN_FLOW = "random + deadlock, flow"
REFERENCE = {
    "0": (3176.1, 2258.6, 2258.6, 2258.6, 2258.6, 2258.6, 2258.6),
    ".5": (3210.4, 2379.1, 2379.1, 2379.3, 2379.3, 2360.4, 2360.5),
    ".8": (3454.1, 2589.7, 2576.7, 2593.8, 2582.9, 2454.5, 2462.9),
    "1": (4198.1, 3448.0, 3167.3, 3388.8, 3147.6, 2662.5, 2644.4),
}


def tables(quick: bool) -> list[Published]:
    rows = {row: tuple(value / UNIT for value in values) for row, values in REFERENCE.items()}
    return [Published(TITLE, "dispersion", False, ("start", *METHODS, THEN_FLOW), rows, NOTE)]


def n_runs(quick: bool) -> int:
    return 3 if quick else 20


def score(table: str, row: str, run: int, quick: bool) -> dict[str, float]:
    from pluribus.constrained import AggregateConstrainedKMeans, AtLeast

    X, pivots, seeds = _data(run)
    fewest = round(float(row) * (int(pivots.sum()) // 5))
    start = _first_clusters(X, pivots, seeds, fewest)
    found = {"start": _dispersion(X, start)}
    enough = [AtLeast(fewest, pivots)]

    def fit(labels: np.ndarray, how: dict[str, Any]) -> Any:
        return AggregateConstrainedKMeans(5, enough, init=labels, random_state=run, verbose=False, **how).fit(X)

    ends = {method: fit(start, how) for method, how in METHODS.items()}
    found |= {method: model.dispersion_ for method, model in ends.items()}
    found[THEN_FLOW] = fit(ends["random + deadlock"].labels_, METHODS["flow"]).dispersion_
    return {method: value / UNIT for method, value in found.items()}


@lru_cache(maxsize=20)
def _data(run: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(run)
    X = np.concatenate([center + 1.5 * rng.normal(size=(n, 2)) for center, n in zip(CENTERS, SIZES, strict=True)])
    return X, rng.random(len(X)) < 0.3, _seeds(X, np.random.default_rng(run))


def _seeds(X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """By k-means++ as first published: one candidate for each seed."""
    found = X[[rng.integers(len(X))]]
    while len(found) < len(CENTERS):
        near = _squares(X, found).min(axis=1)
        found = np.concatenate([found, X[[rng.choice(len(X), p=near / near.sum())]]])
    return found


def _first_clusters(X: np.ndarray, pivots: np.ndarray, seeds: np.ndarray, fewest: int) -> np.ndarray:
    """Pairs of a pivot and a seed, the nearest first, until each seed has enough; all else goes to the nearest seed."""
    cost = _squares(X, seeds)
    labels = cost.argmin(axis=1)
    rows = np.flatnonzero(pivots)
    free, counts = pivots.copy(), np.zeros(len(seeds), int)
    for pair in np.argsort(cost[rows], axis=None, kind="stable"):
        row, h = rows[pair // len(seeds)], pair % len(seeds)
        if free[row] and counts[h] < fewest:
            labels[row], free[row] = h, False
            counts[h] += 1
    return labels


def _squares(X: np.ndarray, centers: np.ndarray) -> np.ndarray:
    return ((X[:, None] - centers) ** 2).sum(axis=2)


def _dispersion(X: np.ndarray, labels: np.ndarray) -> float:
    means = np.array([X[labels == h].mean(axis=0) for h in range(labels.max() + 1)])
    return float(((X - means[labels]) ** 2).sum())


def summary(reproduced: list[Reproduced]) -> list[Grid]:
    """The dispersions themselves."""
    (table,) = reproduced
    n_runs = len(next(iter(table.ours.values())))
    rows = [
        (row, *(f"{UNIT * a:.1f} / {UNIT * b:.1f}" for a, b in zip(theirs, ours, strict=True)))
        for row, theirs, ours in zip(table.published.theirs, table.theirs_array, table.means, strict=True)
    ]
    title = f"Final dispersion (less is better), theirs / ours, mean of {n_runs} runs; rows: n as a share of the most"
    return [Grid(title, ("", *table.published.methods), rows)]
