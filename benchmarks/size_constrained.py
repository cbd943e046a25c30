"""Clusters of bounded size beside `k-means-constrained` (`make peers`) and OR-tools, and alone on 1,000,000 objects."""

from argparse import Namespace
from collections.abc import Iterator
from statistics import median
from typing import Any

import numpy as np
from rich.table import Table

from benchmarks._installed_peers import PYTHON
from benchmarks._session import Result, Session
from benchmarks._show import seconds
from benchmarks._size_peers import figures, k_means_constrained, mixture, one_assignment
from benchmarks._worker import Task

FASTER_FIT, FASTER_FLOW = 50, 20  # times
MAX_SECONDS = 90  # for a million objects
SCALES = (1e-5, 1.0, 1e7)


def ours(n: int, k: int, min_size: int, max_size: int, seed: int, scale: float = 1.0, jobs: int = 1) -> Task:
    from pluribus.constrained import SizeConstrainedKMeans

    X, start = mixture(n, k, seed, scale)
    model = SizeConstrainedKMeans(k, min_size, max_size, init=start, n_jobs=jobs, verbose=False)
    SizeConstrainedKMeans(k, 1, 0.9, init=start, max_iter=2).fit(X[:1000])

    def score(labels: np.ndarray) -> dict[str, Any]:
        return {**figures(X, labels, scale), "n_iter": int(model.n_iter_)}

    return Task(lambda: model.fit(X).labels_, score)


def our_assignment(n: int, k: int, min_size: int, max_size: int, seed: int) -> Task:
    from pluribus.partitions import assign_sizes

    cost = _costs(n, k, seed)
    assign_sizes(cost[:1000], 1, 900)
    return Task(lambda: assign_sizes(cost, min_size, max_size).labels, lambda labels: _total(cost, labels))


def or_tools(n: int, k: int, min_size: int, max_size: int, seed: int) -> Task:
    """Their solver of flows; the graph, and costs in whole numbers, are made before the clock starts."""
    from ortools.graph.python import min_cost_flow

    cost = _costs(n, k, seed)
    whole = np.rint(cost * (2**31 / cost.max())).astype(np.int64)
    flow = min_cost_flow.SimpleMinCostFlow()
    points, clusters = np.divmod(np.arange(n * k), k)
    arcs = flow.add_arcs_with_capacity_and_unit_cost(points, n + clusters, np.ones(n * k, int), whole.ravel())
    sink = np.full(k, n + k)
    flow.add_arcs_with_capacity_and_unit_cost(n + np.arange(k), sink, np.full(k, max_size - min_size), np.zeros(k, int))
    supplies = np.r_[np.ones(n, int), np.full(k, -min_size), k * min_size - n]
    flow.set_nodes_supplies(np.arange(n + k + 1), supplies)

    def work() -> np.ndarray:
        assert flow.solve() == flow.OPTIMAL
        return flow.flows(arcs).reshape(n, k).argmax(axis=1)

    return Task(work, lambda labels: _total(cost, labels))


def _costs(n: int, k: int, seed: int) -> np.ndarray:
    X, start = mixture(n, k, seed)
    return np.maximum((X**2).sum(axis=1)[:, None] - 2 * X @ start.T + (start**2).sum(axis=1), 0)


def _total(cost: np.ndarray, labels: np.ndarray) -> dict[str, Any]:
    return {"cost": float(cost[np.arange(len(labels)), labels].sum())}


def run(session: Session, options: Namespace) -> Iterator[Table | str]:
    if PYTHON.exists():
        yield from _beside(session)
        yield from _flaws(session)
    else:
        yield "The peer is not installed: `make peers` installs it."
    yield from _flow(session)
    yield from _alone(session)


def _beside(session: Session) -> Iterator[Table | str]:
    n, n_seeds = (2000, 2) if session.quick else (20_000, 3)
    given = {"n": n, "k": 10, "min_size": n // 20, "max_size": n // 8}
    table = _table(
        f"Fit from the same start: n = {n:,}, d = 10, k = 10, sizes {n // 20} to {n // 8}", "inertia", "passes"
    )
    pairs = []
    for seed in range(n_seeds):
        mine = session.measure(f"ours, seed {seed}", ours, seed=seed, **given)
        how: Any = {"time_limit": 600, "python": PYTHON, "may_fail": True}
        theirs = session.measure(f"k-means-constrained, seed {seed}", k_means_constrained, seed=seed, **how, **given)
        pairs.append((mine, theirs))
        for result in (mine, theirs):
            _row(table, result, f"{result.figures.get('inertia', np.nan):.1f}", str(result.figures.get("n_iter", "")))
    yield table
    done = [(a, b) for a, b in pairs if a.done and b.done]
    if done:
        wall = median(b.seconds / a.seconds for a, b in done)
        work = median(b.cpu_seconds / a.cpu_seconds for a, b in done)
        worse = [f"{b.figures['inertia'] / a.figures['inertia'] - 1:+.3%}" for a, b in done]
        lower = all(a.figures["inertia"] <= b.figures["inertia"] * (1 + 1e-9) for a, b in done)
        yield (
            f"{wall:.0f} × faster ({work:.0f} × by CPU time; asked {FASTER_FIT} ×: "
            f"{'met' if wall >= FASTER_FIT else 'MISSED'}). Their inertia against ours: {', '.join(worse)} "
            f"(asked: ours not above theirs: {'met' if lower else 'MISSED'})."
        )


def _flaws(session: Session) -> Iterator[Table | str]:
    n = 2000
    given = {"n": n, "k": 10, "min_size": n // 20, "max_size": n // 8, "seed": 0}
    peer: Any = {"repeat": 1, "time_limit": 300, "python": PYTHON, "may_fail": True}
    mine = session.measure("ours, one assignment", our_assignment, repeat=1, **given)
    theirs = session.measure("k-means-constrained, one assignment", one_assignment, **peer, **given)
    if mine.done and theirs.done:
        a, b = mine.figures["cost"], theirs.figures["cost"]
        yield (
            f"It assigns by distances that are not squared: to the same centers its assignment costs {b:.1f}, the "
            f"cheapest {a:.1f} ({b / a - 1:+.2%})."
        )
    table = Table(
        "data times", "inertia, ours", "theirs", title="It rounds distances to thousandths, as 32-bit integers"
    )
    small = {"n": 500, "k": 4, "min_size": 100, "max_size": 150, "seed": 0}
    for scale in SCALES:
        one = session.measure(f"ours, data times {scale:g}", ours, repeat=1, scale=scale, **small)
        other = session.measure(
            f"k-means-constrained, data times {scale:g}", k_means_constrained, scale=scale, **peer, **small
        )
        shown = [f"{r.figures['inertia']:.2f}" if r.done else r.error or r.status for r in (one, other)]
        table.add_row(f"{scale:g}", *shown)
    yield table


def _flow(session: Session) -> Iterator[Table | str]:
    n = 20_000 if session.quick else 1_000_000
    given = {"n": n, "k": 10, "min_size": n // 20, "max_size": n // 8, "seed": 0}
    mine = session.measure(f"ours, one assignment, n = {n:,}", our_assignment, **given)
    theirs = session.measure(f"OR-tools, one assignment, n = {n:,}", or_tools, may_fail=True, **given)
    table = _table(f"One exact assignment, n = {n:,}, k = 10", "cost")
    for result in (mine, theirs):
        _row(table, result, f"{result.figures.get('cost', np.nan):.6f}")
    yield table
    if mine.done and theirs.done:
        wall, work = theirs.seconds / mine.seconds, theirs.cpu_seconds / mine.cpu_seconds
        yield (
            f"{wall:.0f} × faster ({work:.0f} × by CPU time; asked {FASTER_FLOW} ×: "
            f"{'met' if wall >= FASTER_FLOW else 'MISSED'})."
        )


def _alone(session: Session) -> Iterator[Table | str]:
    n = 50_000 if session.quick else 1_000_000
    given = {"n": n, "k": 20, "min_size": n // 40, "max_size": n // 16, "seed": 0, "jobs": session.jobs}
    result = session.measure(f"ours, fit, n = {n:,}", ours, repeat=1, **given)
    table = _table(f"Fit of n = {n:,}, d = 10, k = 20, sizes {n // 40:,} to {n // 16:,}, one start", "passes", "memory")
    _row(table, result, str(result.figures.get("n_iter", "")), f"{result.peak_mb:.0f} MB")
    yield table
    met = result.done and result.seconds <= MAX_SECONDS
    yield f"Asked: under {MAX_SECONDS} s. {'Met' if met else 'MISSED'}."


def _table(title: str, *columns: str) -> Table:
    return Table("case", "time", "CPU time", *columns, title=title, title_justify="left")


def _row(table: Table, result: Result, *more: str) -> None:
    times = (seconds(result.seconds), seconds(result.cpu_seconds)) if result.done else (result.status, "")
    table.add_row(result.case, *times, *more)
