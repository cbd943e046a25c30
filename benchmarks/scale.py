"""How time and memory grow with the number of objects, to 1,000,000 from data and 10,000,000 from labels."""

import itertools
from argparse import Namespace
from collections.abc import Iterator
from typing import Any

import numpy as np
from rich.table import Table

from benchmarks import _ensembles, _peers
from benchmarks import _installed_peers as peers
from benchmarks._curves import Curve, draw
from benchmarks._scores import rand_score
from benchmarks._session import Result, Session
from benchmarks._show import seconds
from benchmarks._worker import Task

R, R_LARGEST = 50, 20
K = 10
SIZES, LARGEST = (10_000, 100_000, 1_000_000), 10_000_000
COARSE, FINE, VORONOI = "coarse k-means", "fine k-means", "coarse Voronoi"
# What is combined, and how: evidence accumulation merges fine members, the others fit coarse ones. K-means members
# agree, so that many rows of labels are equal and count as one; cells of random objects (Voronoi) do not.
METHODS: list[tuple[str, str, str, dict[str, Any]]] = [
    ("eac, single link", FINE, "eac", {"evidence": "neighbors", "linkage": "single"}),
    ("eac, average link", FINE, "eac", {"evidence": "neighbors", "linkage": "average"}),
    ("hbgf", COARSE, "hbgf", {}),
    ("ppc", COARSE, "ppc", {}),
    ("scec", COARSE, "scec", {}),
    ("voting", COARSE, "voting", {}),
    ("mmec", COARSE, "mmec", {}),
    ("qmi", COARSE, "qmi", {}),
    ("hbgf", VORONOI, "hbgf", {}),
    ("ppc", VORONOI, "ppc", {}),
]
# Other members than at the sizes before, hence cases of their own: fine ones of so many objects take hours to make.
AT_LARGEST = [
    (name, COARSE, method, more)
    for name, kind, method, more in METHODS
    if name in ("eac, single link", "hbgf", "ppc", "voting") and kind != VORONOI
]


def case(name: str, kind: str, r: int = R) -> str:
    """A method and the members that it is given, so that no curve mixes them."""
    return f"{name}; {kind}" + (f", r = {r}" if r != R else "")


ASKED = {  # seconds and MB
    **{
        (case(name, kind), 1_000_000): (180, 4000)
        for name, kind, _, _ in METHODS
        if name in ("eac, single link", "hbgf", "ppc")
    },
    ("cluster", 1_000_000): (600, 6000),
}
ASKED_LARGEST = (900, 16_000)  # of at least one
ASKED_EXPONENT = 1.15
PEERS: dict[str, tuple[str, Any, dict[str, Any]]] = {  # with the members that they are given
    "numpy + scipy, average link": (FINE, _peers.average_link, {"way": "BLAS, float32, in place"}),
    "ensembleclustering, nmf": (COARSE, peers.ensemble_clustering, {"method": "nmf"}),
    "ensembleclustering, hgpa": (COARSE, peers.ensemble_clustering, {"method": "hgpa"}),
}
SQUARE = ("numpy + scipy, average link", "ensembleclustering, nmf")  # hold an entry for each pair of objects
MOST_PAIRS = 4e8  # that the machine could hold


def combine(ensemble: str, method: str, options: dict[str, Any], jobs: int) -> Task:
    """Combine given labels into ten clusters."""
    from sklearn.base import clone

    from pluribus.consensus._internal import configured

    labels, truth = _ensembles.load(ensemble)
    consensus = configured(method, n_clusters=K, random_state=0, verbose=False).set_params(**options)
    if "n_jobs" in consensus.get_params():
        consensus.set_params(n_jobs=jobs)
    clone(consensus).fit(labels[:500])
    return Task(lambda: consensus.fit(labels).labels_, rand_score(truth))


def cluster(n: int, jobs: int, whole: bool) -> Task:
    """From data to clusters, or to the ensemble only."""
    from pluribus import EnsembleClusterer
    from pluribus.generate import Generator

    X, truth = blobs(n)
    generator = Generator(n_members=R, random_state=0, n_jobs=jobs, verbose=False)
    model = EnsembleClusterer(generator, n_clusters=K, random_state=0, n_jobs=jobs, verbose=False)
    some = X[:: max(1, n // 12_000)]
    if whole:
        EnsembleClusterer(generator.set_params(n_members=2), n_clusters=K, random_state=0, verbose=False).fit(some)
        generator.set_params(n_members=R)
        return Task(lambda: model.fit(X).labels_, rand_score(truth))
    generator.set_params(n_members=2).generate(some)
    generator.set_params(n_members=R)
    return Task(lambda: generator.generate(X))


def blobs(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Ten Gaussians of unequal size in ten dimensions that overlap a little, in float32."""
    rng = np.random.default_rng(0)
    centers = 2 * rng.normal(size=(K, 10))
    y = rng.choice(K, size=n, p=np.arange(1, K + 1) / (K * (K + 1) / 2))
    X = rng.standard_normal((n, 10), dtype=np.float32)
    X += centers.astype(np.float32)[y]
    return X, y


def run(session: Session, options: Namespace) -> Iterator[Table | str]:
    sizes = (1000, 10_000) if session.quick else SIZES
    found: dict[tuple[str, int], Result] = {}
    for n in sizes:
        yield from _combining(session, n, R, METHODS, found)
        for name, whole in (("generate", False), ("cluster", True)):
            found[name, n] = session.measure(
                f"{name}, n = {n:,}", cluster, repeat=1, n=n, jobs=session.jobs, whole=whole
            )
        yield from _their(session, n, found)
    if not session.quick:
        yield from _combining(session, LARGEST, R_LARGEST, AT_LARGEST, found)
    yield _table(found, sizes if session.quick else (*sizes, LARGEST))
    yield from _verdicts(found, sizes)
    drawing = session.path.with_suffix(".svg")
    drawing.parent.mkdir(parents=True, exist_ok=True)
    drawing.write_text(_drawn(found, sizes if session.quick else (*sizes, LARGEST)))
    yield f"Drawn in {drawing.name}, beside the figures."


def _combining(
    session: Session,
    n: int,
    r: int,
    methods: list[tuple[str, str, str, dict[str, Any]]],
    found: dict[tuple[str, int], Result],
) -> Iterator[Table | str]:
    for name, kind, method, more in methods:
        what = case(name, kind, r)
        found[what, n] = session.measure(
            f"{what}, n = {n:,}", combine, repeat=1,
            ensemble=_ensembles.prepared(session, kind, n, r), method=method, options=more, jobs=session.jobs,
        )  # fmt: skip
    yield f"Combined {r} partitions of {n:,} objects."


def _their(session: Session, n: int, found: dict[tuple[str, int], Result]) -> Iterator[str]:
    """The peers that survived the size before, and could hold what they make."""
    if not peers.PYTHON.exists():
        yield "The peers are not installed, so ours stand alone: `make peers` installs them."
        return
    for name, (kind, function, more) in PEERS.items():
        what = case(name, kind)
        before = [result for (earlier, _), result in found.items() if earlier == what]
        if (before and not before[-1].done) or (name in SQUARE and n * n > MOST_PAIRS):
            continue
        path = _ensembles.prepared(session, kind, n, R)
        python = {} if function is _peers.average_link else {"python": peers.PYTHON}
        found[what, n] = session.measure(
            f"{what}, n = {n:,}", function, repeat=1, may_fail=True, time_limit=600,
            ensemble=path, n_clusters=K, **more, **python,
        )  # fmt: skip


def exponent(one: Result | None, other: Result | None, times: float) -> float:
    """Of the growth of CPU time from one size to another, so many times as large: it suffers least from other work."""
    if one is None or other is None or not (one.done and other.done):
        return float("nan")
    return float(np.log(other.cpu_seconds / one.cpu_seconds) / np.log(times))


def _table(found: dict[tuple[str, int], Result], sizes: tuple[int, ...]) -> Table:
    table = Table(title=f"Time and peak memory; {R} partitions unless r is given", title_justify="left")
    table.add_column("what")
    for n in sizes:
        table.add_column(f"n = {n:,}", justify="right")
    for low, high in itertools.pairwise(sizes):
        if high != LARGEST:
            table.add_column(f"exponent of CPU time, {low:,} to {high:,}", justify="right")
    for name in dict.fromkeys(name for name, _ in found):
        cells = []
        for n in sizes:
            result = found.get((name, n))
            cells.append("" if result is None else _measured(result))
        grown = [
            exponent(found.get((name, low)), found.get((name, high)), high / low)
            for low, high in itertools.pairwise(sizes)
            if high != LARGEST
        ]
        table.add_row(name, *cells, *("" if np.isnan(e) else f"{e:.2f}" for e in grown))
    return table


def _measured(result: Result) -> str:
    return f"{seconds(result.seconds)}, {result.peak_mb:.0f} MB" if result.done else result.status


def _verdicts(found: dict[tuple[str, int], Result], sizes: tuple[int, ...]) -> Iterator[str]:
    for (name, n), (most_seconds, most_mb) in ASKED.items():
        if result := found.get((name, n)):
            met = result.done and result.seconds <= most_seconds and result.peak_mb <= most_mb
            yield f"{name}, n = {n:,}: asked {most_seconds} s and {most_mb} MB: {'met' if met else 'MISSED'}."
    if result := found.get(("cluster", sizes[-1])):
        made = found["generate", sizes[-1]].seconds
        yield (
            f"Of {seconds(result.seconds)} from data to clusters, generation takes {seconds(made)}; consensus is to "
            f"take less: {'met' if result.seconds < 2 * made else 'MISSED'}."
        )
    largest = [result for (_, n), result in found.items() if n == LARGEST]
    if largest:
        fit = [r.case for r in largest if r.done and r.seconds <= ASKED_LARGEST[0] and r.peak_mb <= ASKED_LARGEST[1]]
        yield f"At {LARGEST:,} in 15 minutes and 16 GB: {'; '.join(fit) or 'none'}. Asked: at least one."
    if len(sizes) > 2:
        low, high = sizes[-2:]
        grown = {
            name: e
            for name, n in found
            if n == high and not np.isnan(e := exponent(found.get((name, low)), found[name, high], high / low))
        }
        over = [f"{name} ({e:.2f})" for name, e in grown.items() if e > ASKED_EXPONENT]
        missed = f"MISSED by {', '.join(over)}" if over else "met by all"
        yield f"Exponent of CPU time of at most {ASKED_EXPONENT}: {missed}."


def _drawn(found: dict[tuple[str, int], Result], sizes: tuple[int, ...]) -> str:
    curves = []
    for name in dict.fromkeys(name for name, _ in found):
        results = [found.get((name, n)) for n in sizes]
        times = np.array([np.log10(r.seconds) if r is not None and r.done else np.nan for r in results])
        if np.isfinite(times).any():
            curves.append(Curve(name, times, np.zeros(len(sizes))))
    places = [f"{n:,}" for n in sizes]
    return draw("Time by number of objects", "objects", "seconds", places, curves, powers=True)
