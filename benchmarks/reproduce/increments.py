"""Dissimilarity increments: the tables of the three papers, what the defaults reach, and the fit of the distribution.

The papers show their drawn sets as figures only, so ours are in their manner (``benchmarks/_increments_sets.py``); the
public sets are scaled as in the papers. The likelihood ratio test runs in its corrected direction.
"""

import io
import subprocess
import warnings
from collections.abc import Callable
from functools import lru_cache

import numpy as np

from benchmarks import _data
from benchmarks._increments_sets import HELD_OUT_SEEDS, held_out_sets, tuning_sets
from benchmarks._installed_peers import PYTHON
from benchmarks.reproduce._agreement import Reproduced
from benchmarks.reproduce._increments_tables import P2_KNOWN, P2_STARTS, P3, P3_PURE, PURITIES, TABLES
from benchmarks.reproduce._map_did import Row, balls_table, map_did_table, showcase_table
from benchmarks.reproduce._partition_choice import choice_table
from benchmarks.reproduce._published import Published, present
from benchmarks.reproduce._show import Grid, short

PAPER = (
    "Aidos and Fred, On the distribution of dissimilarity increments, IbPRIA 2011; Hierarchical clustering with high "
    "order dissimilarities, MLDM 2011; Statistical modeling of dissimilarity increments, Pattern Recognition 2012."
)
FOUND = ", clusters found"
HELD_OUT = "Seven sets that nothing was chosen on"
PLANE = "Sets of two dimensions, number of clusters unknown"
FIT = "Cramér-von Mises statistic of nearest-neighbor increments, 2,000 Gaussian points"
HELD_OUT_METHODS = (
    "SL-DID", "SL-DID, no criterion", "SL-DID, MML", "SL-AGLO 5", "SL-AGLO 8", "SL-AGLO auto",
    "GMDID", "GMDID, MDL + guard", "GMDID, MDL", "FJ",
)  # fmt: skip
HELD_OUT_THEIRS = (0.930, 0.939, 0.758, 0.932, 0.885, None, 0.962, 0.927, 0.666, 0.532)  # a prototype's
PLANE_METHODS = ("SL-DID", "SL-AGLO auto", "GMDID", "HDBSCAN 5", "HDBSCAN 10", "Genie, true number", "default")
PLANE_SETS = (
    "aggregation", "compound", "engytime", "flame", "jain", "lsun", "pathbased", "r15", "s1", "spiral_2d", "target",
    "twodiamonds", "wingnut",
)  # fmt: skip
FIT_THEIRS = {2: (1.69, 8.88), 3: (1.65, 2.82), 4: (2.79, 1.25), 5: (2.38, 1.04), 10: (3.51, 0.39), 25: (4.66, 0.12)}
_UNIT = ("crabs", "house_votes", "wine")  # divided by their standard deviations
_LEVELS = range(2, 16)


def tables(quick: bool) -> list[Published]:
    """The papers' tables, each with the clusters found; the quick form has iris and one drawn set of each."""
    kept = ("iris", "spiral") if quick else None
    made = []
    for title, (methods, rows) in TABLES.items():
        rows = {row: cells for row, cells in rows.items() if kept is None or row in kept}
        index = {row: tuple(cell[0] for cell in cells) for row, cells in rows.items()}
        found = {row: tuple(float(cell[1]) for cell in cells) for row, cells in rows.items()}
        made.append(Published(title, "consistency index", True, methods, index))
        made.append(Published(title + FOUND, "clusters", True, methods, found))
    purities = {row: values for row, values in PURITIES.items() if kept is None or row in kept}
    made.append(Published(P3_PURE, "purity", True, TABLES[P3][0], purities))
    names = list(held_out_sets(0))[:1] if quick else list(held_out_sets(0))
    nothing: tuple[float | None, ...] = (None,) * len(HELD_OUT_METHODS)
    made.append(Published(HELD_OUT, "consistency index", True, HELD_OUT_METHODS, dict.fromkeys(names, nothing)))
    plane = PLANE_SETS[3:4] if quick else PLANE_SETS
    none: tuple[float | None, ...] = (None,) * len(PLANE_METHODS)
    made.append(Published(PLANE, "adjusted Rand index", True, PLANE_METHODS, dict.fromkeys(plane, none)))
    fits = {f"{d} dimensions": values for d, values in FIT_THEIRS.items() if not quick or d == 2}
    made.append(Published(FIT, "T", False, ("exponential", "2-DID"), fits))
    return present(made, lambda table, row: _file(row) if table == PLANE or row not in tuning_sets(0) else "iris")


def n_runs(quick: bool) -> int:
    """Four, so that the held-out sets have the four seeds of the prototype."""
    return 1 if quick else len(HELD_OUT_SEEDS)


def score(table: str, row: str, run: int, quick: bool) -> dict[str, float]:
    """One seed of one row."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if table == HELD_OUT:
            X, y = held_out_sets(HELD_OUT_SEEDS[run])[row]
            return {name: _index(y, labels()) for name, labels in _held_out_methods(X, run).items()}
        if table == PLANE:
            return _plane(row, run)
        if table == FIT:
            return _fit(int(row.split()[0]), run)
        paper = table.removesuffix(FOUND)
        labels = _labels(P3 if paper == P3_PURE else paper, row, run)
        y = _set(row, run)[1]
        if table.endswith(FOUND):
            return {name: float(len(np.unique(found))) for name, found in labels.items()}
        how = _purity if table == P3_PURE else _index
        return {name: how(y, found) for name, found in labels.items()}


def summary(reproduced: list[Reproduced]) -> list[Grid]:
    """The means on the held-out sets beside those of a prototype, and the means on the sets of the plane."""
    by_title = {table.published.title: table for table in reproduced}
    means = by_title[HELD_OUT].means.mean(axis=0)
    rows = [
        (method, "–" if theirs is None else short(theirs), short(ours))
        for method, theirs, ours in zip(HELD_OUT_METHODS, HELD_OUT_THEIRS, means, strict=True)
    ]
    title = "Mean consistency index on seven sets that nothing was chosen on, four seeds"
    plane = by_title[PLANE].means
    words = tuple(zip(PLANE_METHODS, (short(value) for value in plane.mean(axis=0)), strict=True))
    quick = len(by_title[HELD_OUT].published.theirs) == 1
    return [
        Grid(title, ("", "a prototype", "ours"), rows),
        choice_table(quick),
        *_classified(quick),
        Grid(f"Mean adjusted Rand index on {len(plane)} sets of two dimensions", ("", "ours"), words),
    ]


def _classified(quick: bool) -> list[Grid]:
    """MAP-DID: errors of cross-validation beside those of a prototype, where there are some."""
    titles = {
        "MAP-DID on public sets: errors (less is better), a prototype's / ours": map_did_table,
        "MAP-DID on distances between balls, by embedding: errors": balls_table,
        "MAP-DID on classes that differ in spacing only: errors, a prototype's / ours": showcase_table,
    }
    grids = []
    for title, made in titles.items():
        found = made(quick)
        methods, names = (tuple(dict.fromkeys(getattr(row, key) for row in found)) for key in ("method", "data"))
        cells = {(row.data, row.method): row for row in found}
        rows = [(name, *(_error(cells.get((name, method))) for method in methods)) for name in names]
        grids.append(Grid(title, ("", *methods), rows))
    return grids


def _error(row: Row | None) -> str:
    if row is None:
        return ""
    return short(row.ours) if row.theirs is None else f"{short(row.theirs)} / {short(row.ours)}"


def _file(row: str) -> str:
    """The file that a row needs."""
    return {"wine, raw": "wine", "spiral_2d": "spiral"}.get(row, row)


@lru_cache(maxsize=64)
def _set(row: str, run: int) -> tuple[np.ndarray, np.ndarray]:
    drawn = tuning_sets(run)
    if row in drawn:
        return drawn[row]
    X, y = _data.load_raw(_file(row))
    if row in _UNIT:
        X = X / X.std(axis=0)
    return X, y


@lru_cache(maxsize=32)
def _labels(paper: str, row: str, run: int) -> dict[str, np.ndarray]:
    """The partitions of all methods of a table."""
    X, y = _set(row, run)
    least = len(np.unique(y)) if paper in (P2_STARTS, P2_KNOWN) else 1
    return {name: _method(name, X, run, least)() for name in TABLES[paper][0]}


def _method(name: str, X: np.ndarray, run: int, least: int) -> Callable[[], np.ndarray]:
    from sklearn.cluster import KMeans

    from pluribus.increments import IncrementsHierarchy

    start = "fj-kmeans" if name.endswith("k-means") and name != "k-means" else "fj"
    name = name.removesuffix(", k-means")
    ways: dict[str, Callable[[], np.ndarray]] = {
        "FJ": lambda: _components(X, run, start),
        "GMDID": lambda: _merged(X, run, start, "lrt", least, alpha="auto"),
        "GMDID by MDL": lambda: _merged(X, run, start, "mdl", least),
        "GMDID by LRT": lambda: _merged(X, run, start, "lrt", least, alpha="auto"),
        "GMDID*": lambda: _merged(X, run, "best", "mdl", least),
        "KMDID by MDL": lambda: _merged(X, run, "kmeans", "mdl", least),
        "KMDID by LRT": lambda: _merged(X, run, "kmeans", "lrt", least, alpha="auto"),
        "k-means by G-DID": lambda: _start_of(X, run, "kmeans"),
        "SL-AGLO": lambda: IncrementsHierarchy("aglo", verbose=False).fit(X).labels_,
        "SL-DID": lambda: IncrementsHierarchy(criterion="mml", small_rule="mean", verbose=False).fit(X).labels_,
        "k-means": lambda: KMeans(least, n_init=10, random_state=run).fit_predict(X),
        "single link": lambda: _linked(X, "single", least),
        "average link": lambda: _linked(X, "average", least),
        "complete link": lambda: _linked(X, "complete", least),
        "Ward": lambda: _linked(X, "ward", least),
    }
    return ways[name]


def _merged(X: np.ndarray, run: int, start: str, criterion: str, least: int, **how: object) -> np.ndarray:
    from pluribus.increments import IncrementsMixture

    init = start if start in ("best", "kmeans") else _components(X, run, start)
    model = IncrementsMixture(criterion, init=init, min_clusters=least, random_state=run, verbose=False, **how)
    return model.fit(X).labels_


def _components(X: np.ndarray, run: int, start: str) -> np.ndarray:
    return _kept_components(X.tobytes(), X.shape, run, start)


@lru_cache(maxsize=64)
def _kept_components(data: bytes, shape: tuple[int, int], run: int, start: str) -> np.ndarray:
    from pluribus.increments import MessageLengthMixture

    X = np.frombuffer(data).reshape(shape)
    init = "kmeans" if start == "fj-kmeans" else "random"
    return MessageLengthMixture(init=init, random_state=run, verbose=False).fit(X).labels_


def _start_of(X: np.ndarray, run: int, start: str) -> np.ndarray:
    from pluribus.increments import IncrementsMixture

    return IncrementsMixture("mdl", init=start, random_state=run, verbose=False).fit(X).start_labels_


def _linked(X: np.ndarray, method: str, k: int) -> np.ndarray:
    """A linkage cut into k clusters; into the number with the least description length if k is not known."""
    from scipy.cluster.hierarchy import fcluster, linkage

    from pluribus.validate import description_length_cost

    tree = linkage(X, method)
    if k > 1:
        return fcluster(tree, k, "maxclust")
    cuts = [fcluster(tree, level, "maxclust") for level in _LEVELS]
    return cuts[int(np.argmin([float(description_length_cost(cut, X)) for cut in cuts]))]


def _held_out_methods(X: np.ndarray, run: int) -> dict[str, Callable[[], np.ndarray]]:
    from pluribus.increments import IncrementsHierarchy, IncrementsMixture

    def hierarchy(*rule: str, **how: object) -> Callable[[], np.ndarray]:
        return lambda: IncrementsHierarchy(*rule, verbose=False, **how).fit(X).labels_

    def mixture(*criterion: str, **how: object) -> Callable[[], np.ndarray]:
        return lambda: (
            IncrementsMixture(*criterion, init=_components(X, run, "fj"), verbose=False, **how).fit(X).labels_
        )

    ways = (
        hierarchy(), hierarchy(criterion=None), hierarchy(criterion="mml"), hierarchy("aglo", isolation=5.0),
        hierarchy("aglo", isolation=8.0), hierarchy("aglo"), mixture(),
        mixture("mdl", isolation=7.0, order="single-link"), mixture("mdl"), lambda: _components(X, run, "fj"),
    )  # fmt: skip
    return dict(zip(HELD_OUT_METHODS, ways, strict=True))


def _plane(row: str, run: int) -> dict[str, float]:
    """The hierarchies are the same in each run; noise of the reference is left out of the score."""
    from sklearn.metrics import adjusted_rand_score

    from pluribus import EnsembleClusterer
    from pluribus.increments import IncrementsHierarchy, IncrementsMixture

    X, y = _data.load_raw(_file(row))
    noise = np.asarray(y) == 0
    ways: dict[str, Callable[[], np.ndarray]] = {
        "SL-DID": lambda: IncrementsHierarchy(verbose=False).fit(X).labels_,
        "SL-AGLO auto": lambda: IncrementsHierarchy("aglo", verbose=False).fit(X).labels_,
        "GMDID": lambda: IncrementsMixture(random_state=run, verbose=False).fit(X).labels_,
        "HDBSCAN 5": lambda: _hdbscan(X, 5),
        "HDBSCAN 10": lambda: _hdbscan(X, 10),
        "default": lambda: EnsembleClusterer(random_state=run, verbose=False).fit(X).labels_,
    }
    if PYTHON.exists():
        ways["Genie, true number"] = lambda: _genie(X, len(np.unique(y[~noise])))
    return {name: adjusted_rand_score(y[~noise], labels()[~noise]) for name, labels in ways.items()}


def _hdbscan(X: np.ndarray, least: int) -> np.ndarray:
    """Noise counts as one more cluster."""
    from sklearn.cluster import HDBSCAN

    return HDBSCAN(min_cluster_size=least, copy=True).fit_predict(X)


def _genie(X: np.ndarray, k: int) -> np.ndarray:
    """By the package genieclust, in the environment of the peers."""
    work = (
        "import io, sys, numpy as np; from genieclust import Genie; X = np.load(io.BytesIO(sys.stdin.buffer.read())); "
    )
    work += "np.save(sys.stdout.buffer, Genie(n_clusters=int(sys.argv[1])).fit_predict(X))"
    given, found = io.BytesIO(), io.BytesIO()
    np.save(given, X)
    call = [str(PYTHON), "-c", work, str(k)]
    found.write(subprocess.run(call, input=given.getvalue(), capture_output=True, check=True).stdout)
    found.seek(0)
    return np.load(found)


def _fit(d: int, run: int) -> dict[str, float]:
    from pluribus.increments import IncrementsDistribution, cramer_von_mises_statistic, dissimilarity_increments

    rng = np.random.default_rng(run)
    w = dissimilarity_increments(rng.normal(size=(2000, d)) * np.sqrt(rng.uniform(0, 1, d)))
    laws = {"exponential": "exponential", "2-DID": "did"}
    return {
        name: cramer_von_mises_statistic(w, IncrementsDistribution.fit(w, model=model)) for name, model in laws.items()
    }


def _index(y: np.ndarray, labels: np.ndarray) -> float:
    from pluribus.compare import accuracy_index

    return accuracy_index(y, labels)


def _purity(y: np.ndarray, labels: np.ndarray) -> float:
    from pluribus.compare import purity_index

    return purity_index(y, labels)
