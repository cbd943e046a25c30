"""The number of clusters: how often each criterion of ``choose_k`` finds it, and their vote."""

import warnings
from argparse import Namespace
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from rich.table import Table

from benchmarks import _data
from benchmarks._session import Session
from benchmarks._worker import Task

MOST = 25  # clusters
CRITERIA = (
    "lifetime",
    "silhouette",
    "dunn",
    "davies_bouldin",
    "calinski_harabasz",
    "description_length",
    "similarity_dunn",
    "similarity_silhouette",
    "consistency",
    "mutual_information",
)
VOTING = ("lifetime", "silhouette", "dunn", "description_length", "similarity_dunn")
SLOW = "ambiguous_pairs"  # 30 runs of k-means for each k: for the first seed only, and not where k is large
READ = (
    "hepta", "lsun", "tetra", "target", "chainlink", "atom", "engytime", "twodiamonds", "wingnut",
    "s1", "r15", "aggregation", "compound", "flame", "jain", "pathbased", "spiral", "birch1",
)  # fmt: skip
BIRCH = {"n": 10_000, "k": [2, 3, 5, 7, 10, 15, 20, 30, 40, 50, 60, 70, 80, 85, 90, 95, 97, 98, 99, 100]}


def _blobs(n: Any, centers: Any, d: int, seed: int, std: Any = 1.0) -> Callable[[], tuple[np.ndarray, np.ndarray]]:
    def make() -> tuple[np.ndarray, np.ndarray]:
        from sklearn.datasets import make_blobs

        return make_blobs(n, d, centers=centers, cluster_std=std, random_state=seed)

    return make


def _stretched() -> tuple[np.ndarray, np.ndarray]:
    X, y = _blobs(500, 3, 2, 170)()
    return X @ np.array([[0.6, -0.6], [-0.4, 0.8]]), y


def _moons() -> tuple[np.ndarray, np.ndarray]:
    from sklearn.datasets import make_moons

    return make_moons(500, noise=0.07, random_state=0)


def _circles() -> tuple[np.ndarray, np.ndarray]:
    from sklearn.datasets import make_circles

    return make_circles(500, factor=0.45, noise=0.05, random_state=1)


def _bands() -> tuple[np.ndarray, np.ndarray]:
    """Two parallel waves."""
    rng = np.random.default_rng(5)
    y = np.repeat([0, 1], 200)
    x = rng.uniform(0, 10, 400)
    return np.stack([x, np.sin(x) + 1.2 * y + rng.normal(scale=0.1, size=400)], axis=1), y


def _digits() -> tuple[np.ndarray, np.ndarray]:
    from sklearn.datasets import load_digits

    return load_digits(return_X_y=True)


def _file(name: str, *, scaled: bool = False) -> Callable[[], tuple[np.ndarray, np.ndarray]]:
    def read() -> tuple[np.ndarray, np.ndarray]:
        X, y = _data.load_raw(name)
        X, y = (X, y) if y.dtype.kind not in "iuf" else (X[y != 0], y[y != 0])
        return (_data.standardized(X) if scaled else X), y

    return read


def _birch() -> tuple[np.ndarray, np.ndarray]:
    X, y = _file("birch1")()
    drawn = np.random.default_rng(0).choice(len(X), BIRCH["n"], replace=False)
    return X[drawn], y[drawn]


# A vote was chosen on these.
CHOSEN_ON: dict[str, Callable[[], tuple[np.ndarray, np.ndarray]]] = {
    "iris": lambda: _data.load("iris"),
    "wine": lambda: _data.load("wine"),
    "digits": _digits,
    "blobs 3": _blobs(300, 3, 2, 1),
    "blobs 5, 10-D": _blobs(500, 5, 10, 2, 2.0),
    "blobs 8": _blobs(800, 8, 2, 3, 0.8),
    "blobs 4, unequal": _blobs([400, 200, 100, 50], [[0, 0], [8, 0], [0, 8], [8, 8]], 2, 4, [2, 1, 1, 0.5]),
    "blobs 3, stretched": _stretched,
    "moons": _moons,
    **{name: _file(name) for name in READ if name != "birch1"},
    "birch1, a tenth": _birch,
}
# And these played no part in that.
HELD_OUT: dict[str, Callable[[], tuple[np.ndarray, np.ndarray]]] = {
    "circles": _circles,
    "waves": _bands,
    "rings": lambda: _data.load("rings", 11),
    "cigar": lambda: _data.load("cigar", 11),
    "spiral, two arms": lambda: _data.load("spiral", 11),
    "blobs 2, 3-D": _blobs(300, 2, 3, 21, 1.5),
    "blobs 4, 5-D": _blobs(400, 4, 5, 22, 2.0),
    "blobs 6": _blobs(600, 6, 2, 23, 0.7),
    "blobs 10, 8-D": _blobs(1000, 10, 8, 24, 2.0),
    "blobs 12, 3-D": _blobs(1200, 12, 3, 25, 0.8),
    "soybean_small": _file("soybean_small"),
    "breast_w": _file("breast_w"),
    "house_votes": _file("house_votes"),
    "dermatology": _file("dermatology", scaled=True),
    "ecoli": _file("ecoli", scaled=True),
    "optdigits, 1,000": lambda: _data.load("optdigits"),
}


def found(name: str, n_seeds: int, jobs: int) -> Task:
    """What each criterion finds on one set, for several ensembles, and how right the partitions are."""
    from pluribus.compare import adjusted_rand_index
    from pluribus.validate import CRITERIA as ALL
    from pluribus.validate import choose_k
    from pluribus.validate._vote import vote

    X, y = (CHOSEN_ON | HELD_OUT)[name]()
    k_range = BIRCH["k"] if name.startswith("birch1") else (2, min(MOST, len(X) // 4))

    def once(seed: int) -> dict[str, Any]:
        criteria = (*CRITERIA, SLOW) if seed == 0 and not name.startswith("birch1") else CRITERIA
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # that some are not fair is what is to be seen
            choice = choose_k(X, k_range, criteria, sample_size=5000, random_state=seed, n_jobs=jobs, verbose=False)
        ks = choice.frame["k"].tolist()
        by_name = {name: int(numbers[0]) for name, numbers in choice.best.items()}
        by_name["the vote"] = ks[vote(choice.frame, [ALL[name] for name in VOTING]).winner]
        by_name["EnsembleClusterer"] = choice.consensus.n_clusters_
        right = {method: adjusted_rand_index(y, choice.consensus.cut(k)) for method, k in by_name.items()}
        best = max(adjusted_rand_index(y, choice.consensus.cut(k)) for k in ks)
        return {"k": by_name, "ari": right, "true": len(np.unique(y)), "best_ari": best}

    return Task(lambda: [once(seed) for seed in range(n_seeds)], lambda runs: {"runs": runs})


def run(session: Session, options: Namespace) -> Iterator[Table | str]:
    n_seeds = 1 if session.quick else 2
    for title, sets in (
        ("The sets on which a vote was chosen", CHOSEN_ON),
        ("Sets that played no part", HELD_OUT),
    ):
        names = [name for name in sets if _readable(name)]
        if session.quick:
            names = names[:2]
        figures: dict[str, list[dict[str, Any]]] = {}
        for name in names:
            result = session.measure(name, found, repeat=1, name=name, n_seeds=n_seeds, jobs=session.jobs)
            if result.done:
                figures[name] = result.figures["runs"]
        if figures:
            yield _each(title, figures)
            yield _summary(title, figures)


def _readable(name: str) -> bool:
    file = {"birch1, a tenth": "birch1", "optdigits, 1,000": "optdigits"}.get(name, name)
    made = name in ("iris", "wine", "digits", "moons", "circles", "waves", "rings", "cigar") or name[:5] in ("blobs",)
    return made or name == "spiral, two arms" or (_data.FOLDER / f"{file}.csv.gz").exists()


def _methods(figures: dict[str, list[dict[str, Any]]]) -> list[str]:
    return list(dict.fromkeys(method for runs in figures.values() for run in runs for method in run["k"]))


def _each(title: str, figures: dict[str, list[dict[str, Any]]]) -> Table:
    table = Table(title=f"{title}: the k that each finds, by seed", title_justify="left")
    methods = _methods(figures)
    for column in ("set", "true", *methods):
        table.add_column(column, justify="left" if column == "set" else "right")
    for name, runs in figures.items():
        cells = [", ".join(str(run["k"][method]) for run in runs if method in run["k"]) for method in methods]
        table.add_row(name, str(runs[0]["true"]), *cells)
    return table


def _summary(title: str, figures: dict[str, list[dict[str, Any]]]) -> Table:
    runs = [run for each in figures.values() for run in each]
    table = Table(title=f"{title}: {len(figures)} sets", title_justify="left")
    for column in ("criterion", "runs", "hit rate", "mean |k − true|", "ARI of its partition"):
        table.add_column(column, justify="left" if column == "criterion" else "right")
    for method in _methods(figures):
        own = [run for run in runs if method in run["k"]]
        off = np.array([abs(run["k"][method] - run["true"]) for run in own])
        ari = np.mean([run["ari"][method] for run in own])
        table.add_row(method, str(len(own)), f"{100 * (off == 0).mean():.0f} %", f"{off.mean():.1f}", f"{ari:.3f}")
    best = np.mean([run["best_ari"] for run in runs])
    table.add_row("(the best of all cuts)", str(len(runs)), "", "", f"{best:.3f}")
    return table
