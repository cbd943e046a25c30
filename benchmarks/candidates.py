"""The ensemble alone and the best of several candidates, on generated families at the true number of clusters."""

import warnings
from argparse import Namespace
from collections.abc import Iterator
from typing import Any

import numpy as np
from rich.table import Table

from benchmarks._session import Session
from benchmarks._worker import Task
from benchmarks.shapes import HALVES, KINDS, draw, families, score

DRAWS, SEEDS = 2, 2
CLUSTERED = KINDS[:3]
BINS = 10


def answers(names: list[str], draws: int, seeds: int) -> Task:
    """For each family and form: the index of each draw and seed, processor time, and how well memberships mean it."""
    from pluribus import EnsembleClusterer

    def found() -> dict[str, dict[str, Any]]:
        warnings.simplefilter("ignore")
        return {
            name: {str(form): of_family(EnsembleClusterer, name, form) for form in (None, "auto")} for name in names
        }

    def of_family(make: Any, name: str, form: str | None) -> list[dict[str, Any]]:
        runs = []
        for number in range(draws):
            X, y, k, keep = draw(name, number)
            for seed in range(seeds):
                model = make(n_clusters=k, candidates=form, random_state=seed, verbose=False, n_jobs=1).fit(X)
                sure = model.membership_[np.arange(len(y)), model.labels_][keep]
                right = is_right(model.labels_[keep], y[keep])
                index = score(model.labels_, y, keep)
                runs.append({"draw": number, "ari": index, **meaning(sure, 1 - model.uncertainty_[keep], right)})
        return runs

    return Task(found, lambda result: {"answers": result})


def is_right(labels: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Which objects are in the cluster that is matched to their class."""
    from scipy.optimize import linear_sum_assignment
    from sklearn.metrics.cluster import contingency_matrix

    table = contingency_matrix(y, labels)
    classes, clusters = linear_sum_assignment(table, maximize=True)
    of_cluster = dict(zip(np.unique(labels)[clusters], np.unique(y)[classes], strict=True))
    return np.array([of_cluster.get(label) == true for label, true in zip(labels, y, strict=True)])


def meaning(sure: np.ndarray, certainty: np.ndarray, right: np.ndarray) -> dict[str, float | None]:
    """The calibration error of the own memberships, and how well certainty ranks right objects above wrong ones."""
    from sklearn.metrics import roc_auc_score

    place = np.minimum((sure * BINS).astype(int), BINS - 1)
    gaps = [abs(sure[place == b].mean() - right[place == b].mean()) * (place == b).mean() for b in np.unique(place)]
    both = 0 < right.sum() < len(right)
    return {"error": float(np.sum(gaps)), "area": float(roc_auc_score(right, certainty)) if both else None}


def run(session: Session, options: Namespace) -> Iterator[Table | str]:
    draws, seeds = (1, 1) if session.quick else (DRAWS, SEEDS)
    table = Table(title=f"Adjusted Rand index at the true number, {draws} draws × {seeds} seeds of each family")
    for column in ("kind", "half", "families", "alone", "best", "difference", "range", "range", "error", "error"):
        table.add_column(column, justify="left" if column in ("kind", "half") else "right")
    for half in HALVES:
        whole: dict[str, dict[str, Any]] = {}
        for kind in CLUSTERED:
            names = families(half, kind)[: 2 if session.quick else None]
            result = session.measure(f"{kind}, {half}", answers, repeat=1, names=names, draws=draws, seeds=seeds)
            said = result.figures["answers"] if result.done else {}
            whole |= said
            table.add_row(kind, half, *_row(said))
        table.add_row("all", half, *_row(whole), end_section=True)
    yield table
    yield (
        "alone: the partition of the ensemble; best: candidates='auto'. Means over families; the difference with its "
        "standard error over families. range: over seeds, mean of the draws. error: calibration error of memberships."
    )


def _row(said: dict[str, dict[str, Any]]) -> list[str]:
    if not said:
        return ["0"] + 7 * ["-"]
    index = {form: np.array([_mean(said[name][form], "ari") for name in said]) for form in ("None", "auto")}
    difference = index["auto"] - index["None"]
    deviation = difference.std(ddof=1) / np.sqrt(len(difference)) if len(difference) > 1 else 0.0
    ranges = [np.mean([_range(said[name][form]) for name in said]) for form in ("None", "auto")]
    errors = [np.mean([_mean(said[name][form], "error") for name in said]) for form in ("None", "auto")]
    return [
        str(len(said)),
        *(f"{index[form].mean():.3f}" for form in ("None", "auto")),
        f"{difference.mean():+.3f} ± {deviation:.3f}",
        *(f"{value:.3f}" for value in (*ranges, *errors)),
    ]


def _mean(runs: list[dict[str, Any]], figure: str) -> float:
    return float(np.mean([run[figure] for run in runs]))


def _range(runs: list[dict[str, Any]]) -> float:
    """Between the best and the worst seed of a draw, on the mean."""
    each = [[run["ari"] for run in runs if run["draw"] == number] for number in {run["draw"] for run in runs}]
    return float(np.mean([max(values) - min(values) for values in each]))
