"""The default of ``combine`` beside its members and other consensus functions, over twelve partitions of each set.

The members are those of twelve single algorithms with the true number of clusters; smaller pools leave some out, and
one leaves out labels. The rule was chosen on the pools of the first half.
"""

import warnings
from argparse import Namespace
from collections.abc import Iterator
from typing import Any

import numpy as np
from rich.table import Table

from benchmarks import _answers_sets
from benchmarks._session import Session
from benchmarks._worker import Task
from benchmarks.shapes import HALVES, KINDS, draw, families, score

MOST_ROWS = 4_000
FUNCTIONS = ("default", "eac", "lwea", "mcla", "hbgf", "qmi", "medoid")
POOLS = ("all twelve", "without Genie", "compact only", "seven", "five", "three")
SOME_MISSING = "all twelve, 30% missing"  # their own indices are those of the whole partitions
REAL = ("real shapes", "real tables")


def combined(kind: str, half: str, most: int | None) -> Task:
    """For each set and pool: the index of each member and of each consensus function."""
    import pluribus

    def found() -> dict[str, dict[str, dict[str, float]]]:
        warnings.simplefilter("ignore")
        rng = np.random.default_rng(0)
        return {name: of_set(data, rng) for name, data in _sets(kind, half, most)}

    def of_set(data: Any, rng: np.random.Generator) -> dict[str, dict[str, float]]:
        X, y, k, keep = data[:4]
        members = by_single(np.ascontiguousarray(X, dtype=np.float64), k)
        truth = {name: score(labels, y, keep) for name, labels in members.items()}
        said = {}
        sparse = with_missing(members)
        for pool, names in {**pools(list(members), rng), SOME_MISSING: list(members)}.items():
            labels = [(sparse if pool == SOME_MISSING else members)[name] for name in names]
            said[pool] = {name: truth[name] for name in names}
            for function in FUNCTIONS:
                how = {} if function == "default" else {"method": function}
                result = pluribus.combine(labels, k, missing="zero", **how, verbose=False)
                said[pool][f"= {function}"] = score(result.labels, y, keep)
        return said

    return Task(found, lambda result: {"indices": result})


def _sets(kind: str, half: Any, most: int | None) -> Iterator[tuple[str, Any]]:
    real = kind in REAL
    names = _answers_sets.SETS[half][kind.removeprefix("real ")] if real else families(half, kind)  # type: ignore[arg-type]
    for name in names[:most]:
        data = _answers_sets.load(name) if real else draw(name, 0)
        if len(data.y) <= MOST_ROWS:
            yield name, data


def by_single(X: np.ndarray, k: int) -> dict[str, np.ndarray]:
    """Twelve partitions into k clusters."""
    from sklearn.cluster import AgglomerativeClustering, Birch, KMeans, SpectralClustering
    from sklearn.mixture import GaussianMixture

    from pluribus.pipeline.candidates._genie import genie
    from pluribus.pipeline.candidates._neighborhood import euclidean_tree, nearest_others

    tree = euclidean_tree(X, nearest_others(X, min(25, len(X) - 1)))
    spectral = SpectralClustering(
        k, affinity="nearest_neighbors", n_neighbors=10, random_state=0, assign_labels="cluster_qr"
    )
    return {
        "k-means": KMeans(k, n_init=10, random_state=0).fit_predict(X),
        **{
            f"{linkage} link": AgglomerativeClustering(k, linkage=linkage).fit_predict(X)
            for linkage in ("ward", "average", "complete")
        },
        "birch": Birch(n_clusters=k, threshold=0.01 * float(X.std())).fit_predict(X),
        **{
            f"mixture {covariance}": GaussianMixture(
                k, covariance_type=covariance, random_state=0, n_init=3, reg_covar=1e-4
            ).fit_predict(X)
            for covariance in ("full", "tied", "diag")
        },
        **{f"Genie {threshold}": genie(tree, k, threshold) for threshold in (0.1, 0.3, 0.5)},
        "spectral": spectral.fit_predict(X),
    }


def pools(names: list[str], rng: np.random.Generator) -> dict[str, list[str]]:
    """Which members are combined: all, those of some kinds, and random ones."""
    without = [name for name in names if not name.startswith("Genie")]
    kinds = (names, without, [name for name in without if name != "spectral"])
    drawn = [list(rng.permutation(names)[:size]) for size in (7, 5, 3)]
    return dict(zip(POOLS, [*kinds, *drawn], strict=True))


def with_missing(members: dict[str, np.ndarray], share: float = 0.3) -> dict[str, np.ndarray]:
    """The members without some of their labels, at random."""
    rng = np.random.default_rng(0)
    return {name: np.where(rng.random(len(labels)) < share, -1, labels) for name, labels in members.items()}


def run(session: Session, options: Namespace) -> Iterator[Table | str]:
    for half in HALVES:
        indices: dict[str, dict[str, dict[str, float]]] = {}
        for kind in (*KINDS[:3], *REAL):
            most = 2 if session.quick else None
            result = session.measure(f"{kind}, {half}", combined, repeat=1, kind=kind, half=half, most=most)
            indices |= result.figures["indices"] if result.done else {}
        if indices:
            yield _table(half, indices)


def _table(half: str, indices: dict[str, dict[str, dict[str, float]]]) -> Table:
    table = Table(title=f"Adjusted Rand index at the true number of clusters, {half}, {len(indices)} sets")
    for column in ("pool", "mean member", "best algorithm", "best of each set", *FUNCTIONS, "default less eac"):
        table.add_column(column, justify="left" if column == "pool" else "right")
    for pool in (*POOLS, SOME_MISSING):
        each = [said[pool] for said in indices.values()]
        of_members = [{name: value for name, value in said.items() if not name.startswith("= ")} for said in each]
        functions = {name: np.array([said[f"= {name}"] for said in each]) for name in FUNCTIONS}
        gain = functions["default"] - functions["eac"]
        table.add_row(
            pool,
            f"{np.mean([np.mean(list(said.values())) for said in of_members]):.3f}",
            _best_algorithm(of_members),
            f"{np.mean([max(said.values()) for said in of_members]):.3f}",
            *(f"{functions[name].mean():.3f}" for name in FUNCTIONS),
            f"{gain.mean():+.3f} ± {gain.std(ddof=1) / np.sqrt(len(gain)):.3f}",
        )
    return table


def _best_algorithm(of_members: list[dict[str, float]]) -> str:
    """The algorithm with the highest mean, if the pool has the same ones on each set."""
    names = set(of_members[0])
    if any(set(said) != names for said in of_members):
        return "-"
    means = {name: float(np.mean([said[name] for said in of_members])) for name in names}
    best = max(means, key=lambda name: means[name])
    return f"{means[best]:.3f} ({best})"
