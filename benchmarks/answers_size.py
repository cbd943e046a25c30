"""One call without options as tables grow: time, memory and answers across sizes, numbers of clusters and columns."""

import contextlib
import itertools
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

from benchmarks._scores import rand_score
from benchmarks._session import Result, Session
from benchmarks._worker import Task
from benchmarks.scale import exponent

SIZES = (10_000, 50_000, 100_000, 100_001, 200_000, 1_000_000)
QUICK_SIZES = (5_000, 20_000)
# Groups, columns, and how far the nearest centers are apart in standard deviations, on the median.
TABLES = {"apart": (10, 10, 8.0), "touching": (10, 5, 4.0)}
MAX_CPU, MAX_MEMORY_MB, MAX_GROWTH = 100, 1500, 1.1  # the first two at 1,000,000 rows of 10 columns
ROWS = 10_000  # of the tables at the borders
MANY = (20, 21, 50, 100)  # groups, the number of which is given
SHAPES = ("moons", "rings")  # in pairs
PAIRS = 15
FOUND = (20, 30, 40, 50)  # groups, the number of which is found
COLUMNS = (7, 8, 50, 51)
WIDE = (100_000, 100)  # the table in three floating point types


def run(session: Session, options: Namespace) -> Iterator[Table | str]:
    sizes = QUICK_SIZES if session.quick else SIZES
    for name in TABLES:
        found = {
            (n, given): session.measure(
                f"{name}, {n:,} rows, {'k given' if given else 'automatic k'}", clustered, repeat=1,
                n=n, table=TABLES[name], k_given=given,
            )
            for n in sizes
            for given in (False, True)
        }  # fmt: skip
        yield _growth_table(name, found, sizes)
        yield _growth(name, found, sizes)
    yield from _borders(session)
    yield from _types(session)


def groups(n: int, k: int, d: int, apart: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Gaussian groups of one width, whose nearest centers are so many standard deviations apart on the median."""
    rng = np.random.default_rng([seed, k, d])
    centers = rng.uniform(-1, 1, (k, d))
    distances = np.linalg.norm(centers[:, None] - centers, axis=2)
    np.fill_diagonal(distances, np.inf)
    centers *= apart / np.median(distances.min(axis=1))
    y = rng.integers(k, size=n)
    X = rng.standard_normal((n, d))
    X += centers[y]
    return X, y


def pairs(n: int, shape: str) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of half moons or rings on a grid: 30 groups that are not round."""
    from sklearn.datasets import make_circles, make_moons

    parts = []
    for place in range(PAIRS):
        if shape == "moons":
            X, y = make_moons(n // PAIRS, noise=0.06, random_state=place)
        else:
            X, y = make_circles(n // PAIRS, factor=0.5, noise=0.05, random_state=place)
        parts.append((X + [3.2 * (place % 5), 2.6 * (place // 5)], y + 2 * place))
    return np.vstack([X for X, _ in parts]), np.concatenate([y for _, y in parts])


def clustered(
    n: int,
    table: tuple[int, int, float] | str,
    k_given: bool,
    dtype: str = "float64",
    consensus: str | None = None,
) -> Task:
    """One fit, by one thread."""
    from threadpoolctl import threadpool_limits

    from pluribus import EnsembleClusterer

    X, y = pairs(n, table) if isinstance(table, str) else groups(n, *table)
    X, k = X.astype(dtype), int(y.max()) + 1
    model: Any = EnsembleClusterer(n_clusters=k if k_given else None, consensus=consensus, random_state=0, n_jobs=1)
    model.fit(X[: 3 * max(k, 500)])
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")  # the peak of memory starts here, not while X was made

    def work() -> np.ndarray:
        with threadpool_limits(1):
            return model.fit(X).labels_

    return Task(work, rand_score(y))


def _growth_table(name: str, found: dict[tuple[int, bool], Result], sizes: tuple[int, ...]) -> Table:
    k, d, apart = TABLES[name]
    title = f"{name}: {k} groups in {d} columns, nearest centers {apart:g} standard deviations apart; one thread"
    table = Table(title=title, title_justify="left")
    for column in ("rows", "CPU", "peak", "clusters", "ARI", "k given: CPU", "peak", "ARI"):
        table.add_column(column, justify="right")
    for n in sizes:
        automatic, given = found[n, False], found[n, True]
        table.add_row(f"{n:,}", *_cells(automatic), *(_cells(given)[i] for i in (0, 1, 3)))
    return table


def _cells(result: Result) -> tuple[str, str, str, str]:
    if not result.done:
        return result.status, "", "", ""
    figures = result.figures
    return (
        f"{result.cpu_seconds:.1f} s",
        f"{result.peak_mb:,.0f} MB",
        str(figures["n_clusters"]),
        f"{figures['ari']:.3f}",
    )


def _growth(name: str, found: dict[tuple[int, bool], Result], sizes: tuple[int, ...]) -> str:
    """The exponents over all sizes and from each to the next, and what the largest takes."""
    lines = []
    for given, words in ((False, "automatic k"), (True, "k given")):
        whole = exponent(found[sizes[0], given], found[sizes[-1], given], sizes[-1] / sizes[0])
        steps = ", ".join(
            f"{exponent(found[one, given], found[other, given], other / one):.2f}"
            for one, other in itertools.pairwise(sizes)
            if other / one > 1.5
        )
        met = "met" if whole <= MAX_GROWTH else "MISSED"
        lines.append(
            f"{name}, {words}: CPU time grows with n to the power of {whole:.2f} ({steps} from size to size); "
            f"asked {MAX_GROWTH}: {met}."
        )
    largest = found[sizes[-1], False]
    if sizes[-1] == SIZES[-1] and largest.done:
        met = "met" if largest.cpu_seconds <= MAX_CPU and largest.peak_mb <= MAX_MEMORY_MB else "MISSED"
        lines.append(
            f"{name}, automatic k, {sizes[-1]:,} rows: {largest.cpu_seconds:.0f} s, {largest.peak_mb:,.0f} MB; asked "
            f"{MAX_CPU} s, {MAX_MEMORY_MB:,} MB: {met}."
        )
    return "\n".join(lines)


def _borders(session: Session) -> Iterator[Table]:
    """Numbers of clusters and columns at which defaults change."""
    n = 3_000 if session.quick else ROWS

    def measured(words: str, **how: Any) -> tuple[str, str, str, str]:
        return _cells(session.measure(words, clustered, repeat=1, n=n, **how))

    many = Table(title=f"Many groups, k given, {n:,} rows: the default, and consensus='eac'", title_justify="left")
    for column in ("groups", "CPU", "ARI", "eac: CPU", "ARI"):
        many.add_column(column, justify="left" if column == "groups" else "right")
    cases: dict[str, Any] = {f"{2 * PAIRS}, {shape}": shape for shape in SHAPES}
    for k, d, apart in itertools.product(MANY, (2, 10), (6.0, 3.0)):
        cases[f"{k}, {d} columns, {apart:g} apart"] = (k, d, apart)
    for words, case in list(cases.items())[1:3] if session.quick else cases.items():
        ours, eac = (
            measured(f"{words}, {consensus or 'default'}", table=case, k_given=True, consensus=consensus)
            for consensus in (None, "eac")
        )
        many.add_row(words, ours[0], ours[3], eac[0], eac[3])
    yield many
    found = Table(title=f"Numbers of groups that are found, {n:,} rows", title_justify="left")
    for column in ("groups", "columns", "apart", "CPU", "clusters", "ARI"):
        found.add_column(column, justify="right")
    unknown = list(itertools.product(FOUND, (2, 10), (8.0,)))
    for k, d, apart in unknown[2:4] if session.quick else unknown:
        cells = measured(f"{k} groups, {d} columns, {apart:g} apart, found", table=(k, d, apart), k_given=False)
        found.add_row(str(k), str(d), f"{apart:g}", cells[0], *cells[2:])
    yield found
    columns = Table(title=f"Columns, 10 groups, {n:,} rows", title_justify="left")
    for column in ("columns", "apart", "CPU", "clusters", "ARI", "k given: CPU", "ARI"):
        columns.add_column(column, justify="right")
    for d, apart in itertools.product(COLUMNS[2:] if session.quick else COLUMNS, (4.0,)):
        words = f"{d} columns, {apart:g} apart"
        automatic, given = (
            measured(f"{words}, {'k given' if known else 'automatic k'}", table=(10, d, apart), k_given=known)
            for known in (False, True)
        )
        columns.add_row(str(d), f"{apart:g}", automatic[0], *automatic[2:], given[0], given[3])
    yield columns


def _types(session: Session) -> Iterator[Table]:
    """The same table in three floating point types."""
    n, d = (10_000, 100) if session.quick else WIDE
    types = Table(title=f"{n:,} rows of {d} columns by type, automatic k", title_justify="left")
    for column in ("type", "CPU", "of the table", "beyond it", "clusters", "ARI"):
        types.add_column(column, justify="left" if column == "type" else "right")
    for dtype in ("float16", "float32", "float64"):
        result = session.measure(dtype, clustered, repeat=1, n=n, table=(10, d, 6.0), k_given=False, dtype=dtype)
        cpu, _, k, ari = _cells(result)
        size = n * d * np.dtype(dtype).itemsize / 1e6
        types.add_row(dtype, cpu, f"{size:,.0f} MB", f"{result.above_baseline_mb:,.0f} MB", k, ari)
    yield types
