"""Minimum sizes of clusters: k-means and k-median with and without them, from the same starts.

Figures 9.2 and 9.3 of the source are charts, so theirs are runs of its protocol made before and apart from this
library. Its set "WDBC" is the original Wisconsin breast cancer data (683 complete rows, 9 features). Tables 9.1 and 9.2
are about visits of users to news stories, which are not public: ours are made counts of the same shape, and only ratios
and numbers of clusters are comparable.
"""

import warnings
from functools import lru_cache
from typing import Any

import numpy as np

from benchmarks import _data
from benchmarks.reproduce._published import Published, present

PAPER = "Demiriz, Bennett and Bradley, chapter 9 of Basu, Davidson and Wagstaff (eds.), Constrained Clustering, 2009."
SETS = {"Ionosphere": "ionosphere", "breast cancer": "breast_w"}
BELOW, RATIO, WEB = "Figure 9.2", "Figure 9.3", "Tables 9.1 and 9.2"
EMPTY = "Tables 9.1 and 9.2, clusters of 5 objects or fewer"
# By set and number of clusters: τ, clusters of k-means below τ, ratio at the nearest centers, and as assigned.
Row = tuple[int, float, float, float | None]
THEIRS: dict[tuple[str, int], tuple[Row, ...]] = {
    ("Ionosphere", 5): ((30, 0, 1.000, None), (50, 2.7, 0.969, 0.975)),
    ("Ionosphere", 10): ((10, 0, 1.000, None), (20, 3.2, 0.971, 0.973), (30, 6.2, 0.998, 1.008)),
    ("Ionosphere", 20): ((2, 0, 1.000, None), (5, 4.7, 0.980, 0.981), (10, 8.9, 0.996, 1.001)),
    ("Ionosphere", 50): ((2, 13.4, 0.994, 0.998), (5, 27.6, 1.105, 1.123)),
    ("breast cancer", 5): ((30, 0, 1.000, None), (50, 0, 0.993, None)),
    ("breast cancer", 10): ((20, 0, 1.001, None), (30, 0, 1.005, None), (50, 3.9, 1.065, 1.078)),
    ("breast cancer", 20): ((10, 0.6, 1.012, None), (20, 5.3, 1.054, 1.057), (30, 10.2, 1.076, 1.083)),
    ("breast cancer", 50): ((2, 0, 0.990, 0.991), (5, 6.7, 1.006, None), (10, 20.2, 1.036, 1.049)),
}
# By τ: objectives of k-means and with minimum sizes, empty clusters of k-means; the same of k-median.
PRINTED = {
    10: (396037, 574555, 8.7, 37783, 38091, 2.8),
    20: (424178, 661215, 8.5, 37989, 38389, 1.9),
    30: (377261, 710156, 9.3, 38140, 38811, 2.0),
}
_USERS, _STORIES, _CLUSTERS = 10_144, 300, 20
_DRAWS, _REPEATS = 50, 10  # of centers, and of the whole, until plain k-means has the sizes


def tables(quick: bool) -> list[Published]:
    rows = {
        f"{name}, k = {k}, τ = {least}": values
        for (name, k), cells in THEIRS.items()
        for least, *values in cells
        if not quick or k <= 10
    }
    below = {row: (values[0],) for row, values in rows.items()}
    ratios = {row: tuple(values[1:]) for row, values in rows.items()}
    nearest = ("at the nearest centers", "as assigned")
    charts = [
        Published(BELOW, "clusters", False, ("k-means, below τ",), below),
        Published(RATIO, "cost with minimum sizes / cost of k-means", False, nearest, ratios),
    ]
    printed = {least: cells for least, cells in PRINTED.items() if not quick or least == 10}
    web = {f"τ = {least}": (c[1] / c[0], c[4] / c[3]) for least, c in printed.items()}
    empty = {f"τ = {least}": (c[2], c[5]) for least, c in printed.items()}
    both = ("k-means", "k-median")
    made = "Theirs: visits to news stories. Ours: made counts of the same shape."
    return [
        *present(charts, lambda table, row: SETS[row.split(",")[0]]),
        Published(WEB, "cost with minimum sizes / cost without", False, both, web, note=made),
        Published(EMPTY, "clusters", False, both, empty),
    ]


def n_runs(quick: bool) -> int:
    return 2 if quick else 10


def score(table: str, row: str, run: int, quick: bool) -> dict[str, float]:
    if table in (WEB, EMPTY):
        least = int(row.removeprefix("τ = "))
        found = {"k-means": _web("euclidean", least, run, quick), "k-median": _web("cityblock", least, run, quick)}
        return {method: values[table == EMPTY] for method, values in found.items()}
    name, k, least = (part.split("=")[-1].strip() for part in row.split(","))
    below, nearest, assigned = _chart(name, int(k), int(least), run)
    return {"k-means, below τ": below, "at the nearest centers": nearest, "as assigned": assigned}


def _fit(X: np.ndarray, k: int, least: int, init: np.ndarray, metric: str = "euclidean") -> Any:
    from pluribus.constrained import SizeConstrainedKMeans

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # on empty clusters, which are counted
        model = SizeConstrainedKMeans(k, min_size=least, metric=metric, init=init, tol=0, verbose=False)
        return model.fit(X)


@lru_cache(maxsize=256)
def _chart(name: str, k: int, least: int, run: int) -> tuple[float, float, float]:
    """Clusters of k-means below τ, and the cost with minimum sizes over the cost of k-means, in two readings."""
    X = _data.standardized(_data.load_raw(SETS[name]).X)
    random = np.random.default_rng(run)
    for _ in range(_REPEATS):
        for _ in range(_DRAWS):
            init = X[random.choice(len(X), k, replace=False)]
            if np.bincount(_squared(X, init).argmin(axis=1), minlength=k).min() >= least:
                break
        plain = _fit(X, k, 0, init)
        below = int((plain.cluster_sizes_ < least).sum())
        if not below:
            break
    sized = _fit(X, k, least, init)
    nearest = _squared(X, sized.cluster_centers_).min(axis=1).sum()
    return below, float(nearest / plain.inertia_), float(sized.inertia_ / plain.inertia_)


@lru_cache(maxsize=256)
def _web(metric: str, least: int, run: int, quick: bool) -> tuple[float, float]:
    """The ratio of the costs, and the number of clusters that are nearly empty without minimum sizes."""
    X = visits(2_000 if quick else _USERS)
    plain = _plain(metric, run, quick)
    sized = _fit(X, _CLUSTERS, least, _drawn(X, run), metric)
    return sized.inertia_ / plain.inertia_, float((plain.cluster_sizes_ <= 5).sum())


@lru_cache(maxsize=64)
def _plain(metric: str, run: int, quick: bool) -> Any:
    X = visits(2_000 if quick else _USERS)
    return _fit(X, _CLUSTERS, 0, _drawn(X, run), metric)


def _drawn(X: np.ndarray, run: int) -> np.ndarray:
    return X[np.random.default_rng(run).choice(len(X), _CLUSTERS, replace=False)]


@lru_cache(maxsize=2)
def visits(n_users: int) -> np.ndarray:
    """Made counts: the rates of stories follow Zipf's law, and the activity of users is log-normal, 3.7 in the mean.

    This mean is that of the source if the medians of its clusters are 0: table 9.2 has 37,783 visits of 10,144 users.
    """
    random = np.random.default_rng(0)
    rates = 1 / np.arange(1, _STORIES + 1)
    activity = random.lognormal(np.log(3.7) - 2, 2.0, (n_users, 1))
    return random.poisson(activity * rates / rates.sum()).astype(np.float32)


def _squared(X: np.ndarray, centers: np.ndarray) -> np.ndarray:
    from sklearn.metrics.pairwise import euclidean_distances

    return euclidean_distances(X, centers, squared=True)
