"""Clustering under constraints: adjusted Rand index against the number of objects whose class is told.

Objects are drawn, and all pairs among them are told: together if of one class, else apart. Every method of
``pluribus.constrained`` and both constrained consensus functions get the same objects, with the true number of
clusters and the settings the library has by default. Pairs are hard, but for PCKMeans and the penalized mixture, which
without soft pairs would be COP-KMeans and the Gaussian mixture: there each pair is right with odds of .95 to .05.

FeedbackClusterer is made for counts: it gets each feature, scaled to lie from 0 to 10, and its complement to 10. CEAC
and ACCCS combine 50 k-means partitions with 10 to 30 clusters. Sets of more than 400 objects are sampled.
"""

from functools import lru_cache
from inspect import signature
from typing import Any

import numpy as np

from benchmarks import _data
from benchmarks._curves import Curve, draw
from benchmarks.reproduce._agreement import Reproduced
from benchmarks.reproduce._published import Published, present
from benchmarks.reproduce._show import Grid, short

PAPER = "The figures of Basu, Davidson and Wagstaff (eds.), Constrained Clustering, 2009, in one protocol."
SETS = ("iris", "wine", "glass", "ionosphere", "breast_w", "pima", "balance_scale", "optdigits")
CONSENSUS = ("ceac", "acccs")
SOFT = ("pckmeans", "penalized")
SEEDS_ONLY = ("seeded-kmeans",)  # need not keep to what it was told
# A second name of penalized; one that ignores pairs; for zeros and ones; for dissimilarities; one that asks.
LEFT_OUT = ("ppc-mixture", "tclus", "cdk-means", "pairwise-mean-field", "cobras")
RIGHT = 0.95  # how probable it is that a soft pair is right
MOST = 400  # objects of a set
MANY = 50  # labeled objects, for the summary
OTHERS = ("others, 0", "others, 50")


def levels(quick: bool) -> tuple[int, ...]:
    """How many objects are labeled."""
    return (0, 10, 50) if quick else (0, 10, 25, 50, 100)


def methods() -> tuple[str, ...]:
    """The names of the methods whose ``fit`` takes pairs, and of the consensus functions."""
    from pluribus import constrained

    taking = (name for name in constrained.names() if name not in LEFT_OUT)
    return (*(name for name in taking if _takes_pairs(constrained.by_name(name)())), *CONSENSUS)


def _takes_pairs(model: Any) -> bool:
    return "constraints" in signature(model.fit).parameters and "pairs" in model.keeps


def tables(quick: bool) -> list[Published]:
    columns = (*map(str, levels(quick)), *OTHERS)
    nothing = {method: (None,) * len(columns) for method in methods()}
    sets = SETS[:3] if quick else SETS
    found = [Published(name, "adjusted Rand index", True, columns, nothing) for name in sets]
    return present(found, lambda table, row: table)


def n_runs(quick: bool) -> int:
    return 2 if quick else 5


def score(table: str, row: str, run: int, quick: bool) -> dict[str, float]:
    from sklearn.metrics import adjusted_rand_score

    y = _data_set(table).y
    order = np.random.default_rng(run).permutation(len(y))
    others = order[MANY:]
    found = {}
    for n_labeled in levels(quick):
        labels = _labels(table, row, run, order[:n_labeled])
        found[str(n_labeled)] = float(adjusted_rand_score(y, labels))
        if n_labeled in (0, MANY):
            found[f"others, {n_labeled}"] = float(adjusted_rand_score(y[others], labels[others]))
    return found


def summary(reproduced: list[Reproduced]) -> list[Grid]:
    """By how much the mean over the sets rises with 50 labeled objects."""
    if not reproduced:
        return []
    columns = reproduced[0].published.methods
    without, with_50, others, others_50 = (columns.index(name) for name in ("0", str(MANY), *OTHERS))
    rows = []
    for method in reproduced[0].ours:
        runs = np.array([table.ours[method] for table in reproduced])  # (sets, runs, columns)
        rises = runs[:, :, with_50] - runs[:, :, without]
        mean, of_sets = runs.mean(axis=(0, 1)), rises.mean(axis=1)
        least = reproduced[int(of_sets.argmin())].published.title
        rows.append(
            (
                method,
                short(mean[without]),
                short(mean[with_50]),
                f"{rises.mean():+.3f} ± {short(rises.mean(axis=0).std())}",
                f"{(of_sets > 0).sum()} of {len(of_sets)}",
                f"{of_sets.min():+.3f} ({least})",
                short(mean[others]),
                short(mean[others_50]),
                f"{mean[others_50] - mean[others]:+.3f}",
            )
        )
    header = (
        "method", "no constraints", "50 labeled", "rise", "sets where it rises", "least rise",
        "the others, no constraints", "the others, 50 labeled", "rise of the others",
    )  # fmt: skip
    words = (
        f"Means over {len(reproduced)} sets and the runs; ± is the standard deviation over runs of the mean over sets. "
        "The others are the objects whose class was not told.",
    )
    return [Grid("Rise of the adjusted Rand index with all pairs from 50 labeled objects", header, rows, words)]


def figures(reproduced: list[Reproduced]) -> dict[str, str]:
    """A drawing of each set."""
    drawn = {}
    for table in reproduced:
        numbers = [column for column in table.published.methods if column not in OTHERS]
        curves = [
            Curve(method, runs.mean(axis=0)[: len(numbers)], runs.std(axis=0)[: len(numbers)])
            for method, runs in table.ours.items()
        ]
        title = table.published.title
        drawn[f"constrained-{title}.svg"] = draw(title, "labeled objects", "adjusted Rand index", numbers, curves)
    return drawn


@lru_cache
def _data_set(name: str) -> _data.DataSet:
    X, y = _data.load(name)
    if len(y) > MOST:
        some = np.sort(np.random.default_rng(0).permutation(len(y))[:MOST])
        X, y = X[some], y[some]
    if name == "optdigits":
        from sklearn.decomposition import PCA

        X = PCA(10, random_state=0).fit_transform(X / X.std())
    return _data.DataSet(X, np.unique(y, return_inverse=True)[1])


def _labels(name: str, method: str, run: int, told: np.ndarray) -> np.ndarray:
    from pluribus import constrained

    X, y = _data_set(name)
    known = _constraints(y, told, soft=method in SOFT)
    how: dict[str, Any] = {"n_clusters": len(np.unique(y)), "random_state": run, "verbose": False}
    if method in CONSENSUS:
        from pluribus.consensus._internal import configured

        model = configured(method, **how).fit(_ensemble(name, run), constraints=known)
    else:
        data = _counts(X) if method == "feedback" else X
        model = constrained.by_name(method)(**how, n_jobs=1).fit(data, constraints=known)
    if method not in (*SOFT, *SEEDS_ONLY) and known.violations(model.labels_).count:
        raise RuntimeError(f"{method} broke a hard constraint: {name}, run {run}, {len(told)} labeled.")
    return model.labels_


def _constraints(y: np.ndarray, told: np.ndarray, *, soft: bool) -> Any:
    from pluribus import Constraints
    from pluribus.constraints import log_odds

    if not soft:
        labels = np.full(len(y), -1)
        labels[told] = y[told]
        return Constraints(len(y), labels=labels)
    pairs = np.column_stack([told[side] for side in np.triu_indices(len(told), 1)])
    together = y[pairs[:, 0]] == y[pairs[:, 1]]
    weight = float(log_odds(RIGHT))
    return Constraints(len(y), pairs[together], pairs[~together], must_weight=weight, cannot_weight=weight)


def _counts(X: np.ndarray) -> np.ndarray:
    span = np.ptp(X, axis=0)
    share = (X - X.min(axis=0)) / np.where(span > 0, span, 1)
    return 10 * np.hstack([share, 1 - share])


@lru_cache(maxsize=64)
def _ensemble(name: str, run: int) -> Any:
    from pluribus.generate import Generator

    generator = Generator("kmeans", n_members=50, n_clusters=(10, 30), random_state=run, n_jobs=1, verbose=False)
    return generator.generate(_data_set(name).X)
