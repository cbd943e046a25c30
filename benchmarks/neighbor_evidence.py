"""Evidence accumulation along the strongest pairs: accuracy beside all pairs, time and memory to n = 1,000,000."""

from argparse import Namespace
from collections.abc import Iterator
from math import log10
from typing import Any

import numpy as np
from rich.table import Table

from benchmarks import _data, _ensembles
from benchmarks._scores import rand_score
from benchmarks._session import Result, Session
from benchmarks._show import side_by_side
from benchmarks._worker import Task

LINKAGES = ("single", "average")
MAX_ROWS = 20_000
N_MEMBERS = 50
WITHIN = 0.02  # mean adjusted Rand index of all pairs minus that of the strongest
R, K = 50, 10
SIZES = (100_000, 1_000_000)
MAX_GROWTH = 1.15
MAX_SECONDS, MAX_MEMORY_MB = 180, 4000
NOISY = ("chameleon_t7_10k",)  # sets in which the label 0 is noise


def read(name: str) -> tuple[np.ndarray, np.ndarray]:
    """The complete rows of a file, words as 0 and 1 for each value; -1 for noise."""
    import pandas as pd

    frame = pd.read_csv(_data.FOLDER / f"{name}.csv.gz").dropna()
    X = pd.get_dummies(frame.drop(columns="label")).to_numpy(dtype=np.float64)
    y = pd.factorize(frame["label"])[0]
    if name in NOISY:
        y[frame["label"].to_numpy() == 0] = -1
    return _data.standardized(X), y


def accuracy(name: str, n_ensembles: int, jobs: int) -> Task:
    """Adjusted Rand index at the true number of clusters, all pairs beside the strongest.

    The limits up to which all pairs are looked at also with evidence="neighbors" are set to 0, as if n were large. They
    are no parameters, since no user has a reason to set them; from here they are set in a process of its own.
    """
    from sklearn.metrics import adjusted_rand_score

    from pluribus.consensus import EvidenceAccumulation
    from pluribus.consensus.linkage import _graph_groups
    from pluribus.evidence import _nearest
    from pluribus.generate import Generator

    X, y = read(name)
    known = y >= 0
    k = len(np.unique(y[known]))
    _nearest.EXACT_UP_TO = _graph_groups.EXACT_PAIRS = 0

    def work() -> dict[str, list[float]]:
        found: dict[str, list[float]] = {
            f"{link}, {form}": [] for link in LINKAGES for form in ("operator", "neighbors")
        }
        for seed in range(n_ensembles):
            ensemble = Generator(n_members=N_MEMBERS, random_state=seed, n_jobs=jobs).generate(X)
            for case, scores in found.items():
                link, form = case.split(", ")
                consensus = EvidenceAccumulation(k, linkage=link, evidence=form, verbose=False).fit(ensemble)
                scores.append(adjusted_rand_score(y[known], consensus.labels_[known]))
        return found

    return Task(work, lambda found: found)


def make(path: str, n: int) -> Task:
    """Fine members of a known mixture: cells of 500 to 1,000 centers, learned by k-means from 20 objects for each."""

    def work() -> None:
        from scipy.spatial import cKDTree

        X, truth = _ensembles.gaussian_mixture(n)
        rng = np.random.default_rng(1)
        labels = np.empty((n, R), np.int16)
        for p in range(R):
            k = rng.integers(500, 1001)
            sample = X[rng.choice(n, 20 * k, replace=False)]
            centers = sample[:k]
            for _ in range(4):
                cell = cKDTree(centers).query(sample)[1]
                sums = np.stack([np.bincount(cell, feature, minlength=k) for feature in sample.T], axis=1)
                centers = sums / np.maximum(np.bincount(cell, minlength=k), 1)[:, None]
            labels[:, p] = cKDTree(centers).query(X)[1]
        np.savez(path, labels=labels, truth=truth)

    return Task(work)


def ours(ensemble: str, linkage: str, jobs: int) -> Task:
    from pluribus.consensus import EvidenceAccumulation

    labels, truth = _ensembles.load(ensemble)
    consensus = EvidenceAccumulation(K, linkage=linkage, evidence="neighbors", n_jobs=jobs, verbose=False)
    _warm_up(consensus, labels)
    return Task(lambda: consensus.fit(labels).labels_, rand_score(truth))


def _warm_up(consensus: Any, labels: np.ndarray) -> None:
    from pluribus.consensus.linkage import _graph_groups
    from pluribus.evidence import _nearest

    # Few objects take the exact ways, and would leave the kernels of the others to be compiled while the clock runs.
    limits = _nearest.EXACT_UP_TO, _graph_groups.EXACT_PAIRS
    _nearest.EXACT_UP_TO = _graph_groups.EXACT_PAIRS = 0
    consensus.fit(np.concatenate([labels[:500], _ensembles.tiny_like(labels)[:, [0] * labels.shape[1]]]))
    _nearest.EXACT_UP_TO, _graph_groups.EXACT_PAIRS = limits


def run(session: Session, options: Namespace) -> Iterator[Table | str]:
    yield from _accuracy(session)
    yield from _growth(session)


def _accuracy(session: Session) -> Iterator[Table | str]:
    names = [name for name in ("glass", "r15", "wine") if session.quick] or _small_sets()
    table = Table(title=f"Adjusted Rand index at the true k, {N_MEMBERS} fine members", title_justify="left")
    table.add_column("data set")
    for column in [f"{link}, {form}" for link in LINKAGES for form in ("all pairs", "strongest")]:
        table.add_column(column, justify="right")
    rows = []
    for name in names:
        n_ensembles = 1 if session.quick else 3
        result = session.measure(name, accuracy, repeat=1, name=name, n_ensembles=n_ensembles, jobs=session.jobs)
        if result.done:
            rows.append([float(np.mean(scores)) for scores in result.figures.values()])
            table.add_row(name, *(f"{score:.3f}" for score in rows[-1]))
    if not rows:
        return
    table.add_section()
    mean = np.mean(rows, axis=0)
    table.add_row(f"mean of {len(rows)}", *(f"{score:.4f}" for score in mean))
    yield table
    for link, (exact, few) in zip(LINKAGES, mean.reshape(2, 2), strict=True):
        verdict = "met" if exact - few <= WITHIN else "MISSED"
        yield f"{link} link: the strongest pairs are {few - exact:+.4f} from all pairs; asked {WITHIN}: {verdict}."


def _small_sets() -> list[str]:
    import pandas as pd

    names = sorted(path.name.removesuffix(".csv.gz") for path in _data.FOLDER.glob("*.csv.gz"))
    return [name for name in names if len(pd.read_csv(_data.FOLDER / f"{name}.csv.gz", usecols=["label"])) < MAX_ROWS]


def _growth(session: Session) -> Iterator[Table | str]:
    sizes = (20_000, 40_000) if session.quick else SIZES
    by_size: dict[str, list[Result]] = {link: [] for link in LINKAGES}
    for n in sizes:
        path = str(session.scratch / f"fine-{n}.npz")
        session.prepare(f"(making {R} partitions, n = {n:,})", make, path=path, n=n)
        for link in LINKAGES:
            case = f"{link} link, n = {n:,}"
            result = session.measure(case, ours, repeat=1, ensemble=path, linkage=link, jobs=session.jobs)
            by_size[link].append(result)
    results = [result for link in LINKAGES for result in by_size[link]]
    yield side_by_side(f"{R} members of 500 to 1,000 clusters, k = {K}", [(result, []) for result in results])
    for link, (small, large) in by_size.items():
        if small.done and large.done and not session.quick:  # small ones are exact, and grow faster
            growth = log10(large.cpu_seconds / small.cpu_seconds) / log10(sizes[1] / sizes[0])
            met = growth <= MAX_GROWTH and large.seconds <= MAX_SECONDS and large.peak_mb <= MAX_MEMORY_MB
            yield f"{link} link: CPU time grows with n to the power of {growth:.2f}. {'Met' if met else 'MISSED'}."
