"""The default answer on generated families: at the true number of clusters, at the number that is found, and how sure.

The ensemble alone (``candidates=None``), the best of several candidates, and single algorithms at the true number.
"""

import warnings
from argparse import Namespace
from collections.abc import Iterator
from typing import Any

import numpy as np
from rich.table import Table

from benchmarks._session import Session
from benchmarks._worker import Task
from benchmarks.shapes import HALVES, KINDS, draw, families, score
from benchmarks.verdicts import HOURS

DRAWS, SEEDS = 1, 5
CLUSTERED = KINDS[:3]
BINS = 10
FORMS = {"alone": None, "best": "auto"}
SINGLE = ("k-means", "Ward", "average link", "mixture", "Genie 0.1", "Genie 0.3", "Genie 0.5", "Genie 0.7")


def answers(names: list[str], draws: int, seeds: int) -> Task:
    """For each family: index, number of clusters and meaning of the memberships, for each draw, form and seed."""
    from pluribus import EnsembleClusterer

    def found() -> dict[str, list[dict[str, Any]]]:
        warnings.simplefilter("ignore")
        return {name: [of_draw(EnsembleClusterer, name, number) for number in range(draws)] for name in names}

    def of_draw(make: Any, name: str, number: int) -> dict[str, Any]:
        X, y, k, keep = draw(name, number)
        said: dict[str, Any] = {"k": k}
        for form, candidates in FORMS.items():
            for asked, n_clusters in (("true", k), ("found", None)):
                models = (
                    make(n_clusters=n_clusters, candidates=candidates, random_state=seed, verbose=False, n_jobs=1)
                    for seed in range(seeds if asked == "true" else 1)
                )
                said[f"{form} {asked}"] = [of_model(model.fit(X), y, keep) for model in models]
        return said | {method: score(labels, y, keep) for method, labels in by_single(X, k).items()}

    return Task(found, lambda result: {"answers": result})


def of_model(model: Any, y: np.ndarray, keep: np.ndarray) -> dict[str, Any]:
    """The index, the number of clusters, and the sums that tell how well memberships and uncertainty mean it."""
    sure = model.membership_[np.arange(len(y)), model.labels_][keep]
    right = is_right(model.labels_[keep], y[keep])
    return {
        "ari": score(model.labels_, y, keep),
        "n_clusters": int(model.n_clusters_),
        "verdict": model.verdict_,
        **meaning(sure, 1 - model.uncertainty_[keep], right),
    }


def by_single(X: Any, k: int) -> dict[str, np.ndarray]:
    """Single algorithms at the true number of clusters; Genie by our own kernel, which gives what genieclust gives."""
    from sklearn.cluster import AgglomerativeClustering, KMeans
    from sklearn.mixture import GaussianMixture

    from pluribus.pipeline.candidates._genie import THRESHOLDS, genie
    from pluribus.pipeline.candidates._neighborhood import euclidean_tree, nearest_others

    X = np.asarray(X)
    tree = euclidean_tree(X, nearest_others(X, min(25, len(X) - 1)))
    return {
        "k-means": KMeans(k, n_init=10, random_state=0).fit_predict(X),
        "Ward": AgglomerativeClustering(k).fit_predict(X),
        "average link": AgglomerativeClustering(k, linkage="average").fit_predict(X),
        "mixture": GaussianMixture(k, random_state=0, reg_covar=1e-4).fit_predict(X),
        **{f"Genie {threshold}": genie(tree, k, threshold) for threshold in THRESHOLDS},
    }


def is_right(labels: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Which objects are in the cluster that is matched to their class."""
    from scipy.optimize import linear_sum_assignment
    from sklearn.metrics.cluster import contingency_matrix

    table = contingency_matrix(y, labels)
    classes, clusters = linear_sum_assignment(table, maximize=True)
    of_cluster = dict(zip(np.unique(labels)[clusters], np.unique(y)[classes], strict=True))
    return np.array([of_cluster.get(label) == true for label, true in zip(labels, y, strict=True)])


def meaning(sure: np.ndarray, certainty: np.ndarray, right: np.ndarray) -> dict[str, Any]:
    """By bins of the own membership: share of the objects, mean membership times it, share right times it; and the area
    under the curve with which certainty ranks right objects above wrong ones."""
    from sklearn.metrics import roc_auc_score

    place = np.minimum((sure * BINS).astype(int), BINS - 1)
    bins = [(np.bincount(place, weights, minlength=BINS) / len(place)).tolist() for weights in (None, sure, right)]
    both = 0 < right.sum() < len(right)
    return {"bins": bins, "area": float(roc_auc_score(right, certainty)) if both else None}


def run(session: Session, options: Namespace) -> Iterator[Table | str]:
    draws, seeds = (1, 1) if session.quick else (DRAWS, SEEDS)
    table = Table(title=f"Adjusted Rand index, {draws} draws of each family, {seeds} seeds at the true number")
    columns = ("kind", "half", "families", "true: alone", "best", "gain", "found: alone", "best", "gain", "k found")
    for column in columns:
        table.add_column(column, justify="left" if column in ("kind", "half") else "right")
    wholes = {}
    for half in HALVES:
        whole: dict[str, list[dict[str, Any]]] = {}
        for kind in CLUSTERED:
            names = families(half, kind)[: 2 if session.quick else None]
            result = session.measure(
                f"{kind}, {half}", answers, repeat=1, time_limit=HOURS, names=names, draws=draws, seeds=seeds
            )
            said = result.figures["answers"] if result.done else {}
            whole |= said
            table.add_row(kind, half, *_row(said))
        table.add_row("all", half, *_row(whole), end_section=True)
        wholes[half] = whole
    yield table
    for half, whole in wholes.items():
        if whole:
            yield from _sentences(half, whole)


def _row(said: dict[str, list[dict[str, Any]]]) -> list[str]:
    if not said:
        return ["0"] + 7 * ["-"]
    cells = [str(len(said))]
    for asked in ("true", "found"):
        alone, best = (_of_families(said, f"{form} {asked}") for form in FORMS)
        cells += [f"{alone.mean():.3f}", f"{best.mean():.3f}", _gain(best - alone)]
    right = [draw["best found"][0]["n_clusters"] == draw["k"] for draws in said.values() for draw in draws]
    return [*cells, f"{np.mean(right):.0%}"]


def _sentences(half: str, said: dict[str, list[dict[str, Any]]]) -> Iterator[str]:
    best = _of_families(said, "best true")
    rivals = {
        method: best - np.array([np.mean([draw[method] for draw in draws]) for draws in said.values()])
        for method in SINGLE
    }
    yield f"{half}: gain over single algorithms at the true number: " + ", ".join(
        f"{method} {_gain(gain)}" for method, gain in rivals.items()
    )
    for form in FORMS:
        error, area = calibration_error(said, f"{form} true"), _areas(said, f"{form} true")
        spread = _ranges(said, f"{form} true")
        yield (
            f"{half}, {form}: calibration error {error:.3f}; area under the curve of the uncertainty for wrong objects "
            f"{np.mean(area):.3f} (mean of {len(area)} families with some); range over seeds {np.mean(spread):.3f}, "
            f"above .1 in {np.mean(np.array(spread) > 0.1):.0%} of the draws."
        )


def _of_families(said: dict[str, list[dict[str, Any]]], form: str) -> np.ndarray:
    return np.array([np.mean([run["ari"] for draw in draws for run in draw[form]]) for draws in said.values()])


def _gain(difference: np.ndarray) -> str:
    error = difference.std(ddof=1) / np.sqrt(len(difference)) if len(difference) > 1 else 0.0
    return f"{difference.mean():+.3f} ± {error:.3f}"


def calibration_error(said: dict[str, list[dict[str, Any]]], form: str) -> float:
    """Of memberships in ten bins over all families, each of which counts alike."""
    bins = np.mean(
        [np.mean([run["bins"] for draw in draws for run in draw[form]], axis=0) for draws in said.values()], 0
    )
    return float(np.abs(bins[1] - bins[2]).sum())


def _areas(said: dict[str, list[dict[str, Any]]], form: str) -> list[float]:
    each = [[r["area"] for draw in draws for r in draw[form] if r["area"] is not None] for draws in said.values()]
    return [float(np.mean(areas)) for areas in each if areas]


def _ranges(said: dict[str, list[dict[str, Any]]], form: str) -> list[float]:
    """Between the best and the worst seed of each draw."""
    indices = [[run["ari"] for run in draw[form]] for draws in said.values() for draw in draws]
    return [max(each) - min(each) for each in indices]
