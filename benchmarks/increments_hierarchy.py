"""SL-DID and SL-AGLO: how right they are on point sets that nothing was chosen by, and how fast."""

import warnings
from argparse import Namespace
from collections.abc import Iterator
from typing import Any

import numpy as np
from rich.table import Table

from benchmarks._increments_sets import HELD_OUT_SEEDS, TUNING_SEEDS, held_out_sets, tuning_sets
from benchmarks._scores import accuracy
from benchmarks._session import Session
from benchmarks._worker import Task

METHODS: dict[str, dict[str, Any]] = {
    "SL-DID": {},
    "SL-DID, no criterion": {"criterion": None},
    "SL-DID, bic": {"criterion": "bic"},
    "SL-DID, mml": {"criterion": "mml"},
    "SL-DID, tree": {"neighbors": "tree"},
    "SL-AGLO, 5": {"rule": "aglo", "isolation": 5.0},
    "SL-AGLO, 8": {"rule": "aglo", "isolation": 8.0},
    "SL-AGLO, auto": {"rule": "aglo"},
    "SL-AGLO, 5, tree": {"rule": "aglo", "isolation": 5.0, "neighbors": "tree"},
}
SIZES = {"all": (2_000, 5_000, 10_000), "tree": (10_000, 100_000)}


def right(method: str, part: str, seeds: list[int]) -> Task:
    """The accuracy of a method on each set, by seed."""
    from pluribus.increments import IncrementsHierarchy

    draw = held_out_sets if part == "held out" else tuning_sets

    def score() -> dict[str, list[float]]:
        scores: dict[str, list[float]] = {}
        for seed in seeds:
            for name, (X, y) in draw(seed).items():
                model = IncrementsHierarchy(**METHODS[method], verbose=False)
                scores.setdefault(name, []).append(accuracy(y, model.fit(X).labels_))
        return scores

    return Task(score, lambda scores: {"scores": scores})


def speed(n: int, neighbors: str) -> Task:
    """SL-DID on blobs in the plane."""
    from sklearn.datasets import make_blobs

    from pluribus.increments import IncrementsHierarchy

    X = make_blobs(n, 2, centers=20, random_state=0)[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        IncrementsHierarchy(neighbors=neighbors, verbose=False).fit(X[:50])  # compiles
    model = IncrementsHierarchy(neighbors=neighbors, verbose=False)
    return Task(lambda: model.fit(X).labels_, lambda labels: {"n_clusters": len(np.unique(labels))})


def run(session: Session, options: Namespace) -> Iterator[Table | str]:
    for part, seeds in (("tuning", TUNING_SEEDS), ("held out", HELD_OUT_SEEDS)):
        table = Table(title=f"Share of objects in the right cluster, {part} sets", title_justify="left")
        for method in METHODS:
            result = session.measure(
                f"{method}, {part}", right, repeat=1, method=method, part=part,
                seeds=list(seeds[:1] if session.quick else seeds),
            )  # fmt: skip
            if not result.done:
                continue
            means = {name: float(np.mean(runs)) for name, runs in result.figures["scores"].items()}
            if not table.columns:
                for column in ("method", *means, "mean"):
                    table.add_column(column, justify="left" if column == "method" else "right")
            table.add_row(method, *(f"{mean:.3f}" for mean in (*means.values(), np.mean(list(means.values())))))
        yield table
    times = Table(title="SL-DID, 20 blobs in 2-D", title_justify="left")
    for column in ("neighbors", "n", "seconds", "CPU seconds", "peak, MB", "above the start, MB", "clusters"):
        times.add_column(column, justify="left" if column == "neighbors" else "right")
    for neighbors, sizes in SIZES.items():
        for n in sizes[:1] if session.quick else sizes:
            result = session.measure(f"{neighbors}, {n:,}", speed, n=n, neighbors=neighbors)
            if result.done:
                clusters = str(result.figures["n_clusters"])
                measured = (f"{result.seconds:.2f}", f"{result.cpu_seconds:.2f}", f"{result.peak_mb:.0f}")
                times.add_row(neighbors, f"{n:,}", *measured, f"{result.above_baseline_mb:.0f}", clusters)
    yield times
