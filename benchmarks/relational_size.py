"""Linked objects at size: references, connected clusters, signed graphs and ensembles, in seconds and memory."""

from argparse import Namespace
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from rich.table import Table
from scipy import sparse

from benchmarks import _ensembles
from benchmarks._session import Result, Session
from benchmarks._show import seconds
from benchmarks._worker import Task

KINDS = ("coarse k-means", "coarse Voronoi")


def references(n: int, n_pairs: int) -> Task:
    """Names of authors with typing errors, on papers of three: candidates by canopies, then all merges."""
    from pluribus.relational import CollectiveRelational

    names, links, truth = _mentions(n)
    small = _mentions(300)
    CollectiveRelational(verbose=False).fit(small[0], links=small[1])  # compiles
    model = CollectiveRelational(loose=_loose(names, n_pairs), verbose=False)

    def score(fitted: CollectiveRelational) -> dict[str, float]:
        curve = fitted.precision_recall_curve(truth)
        at = np.searchsorted(-curve.thresholds, -fitted.threshold_, side="right") - 1
        return {"candidate pairs": len(fitted.candidates_.pairs), "best F1": curve.f1.max(), "F1": curve.f1[at]}

    return Task(lambda: model.fit(names, links=links), score)


def connected(n: int, n_edges: int, k: int) -> Task:
    """NetScan on a random graph with a spanning tree, 10 attributes, one start."""
    from pluribus.relational import NetScan

    X, graph = _attributed(n, n_edges)
    small, chain = _small()
    NetScan(2, n_init=1, verbose=False).fit(small, graph=chain)  # compiles
    model = NetScan(k, n_init=1, max_iter=5, random_state=0, verbose=False)
    return Task(lambda: model.fit(X, graph=graph), lambda fitted: {"iterations": fitted.n_iter_})


def signed(n: int, n_edges: int, solver: str) -> Task:
    """Correlation clustering in complete mode: planted clusters of 20, and a tenth of the edges between them."""
    from pluribus.relational import CorrelationClustering

    graph = _planted(n, n_edges)
    CorrelationClustering("complete", solver=solver, verbose=False).fit(_planted(300, 1000))  # compiles
    model = CorrelationClustering("complete", solver=solver, n_init=3, random_state=0, verbose=False)
    return Task(
        lambda: model.fit(graph),
        lambda fitted: {"disagreements": fitted.cost_, "lower bound": fitted.lower_bound_},
    )


def ensemble(path: str) -> Task:
    """Correlation clustering of an ensemble, its cost next to that of the best member and of EAC."""
    from pluribus.consensus import CorrelationConsensus, EvidenceAccumulation

    labels, _ = _ensembles.load(path)
    CorrelationConsensus(random_state=0, verbose=False).fit(labels[:50])  # compiles
    model = CorrelationConsensus(random_state=0, verbose=False)

    def score(fitted: CorrelationConsensus) -> dict[str, float]:
        best = min(_mirkin(member, labels) for member in labels.T)
        found = {"cost": fitted.cost_, "best member": best}
        for title, k in (("EAC", None), ("EAC, as many clusters", fitted.n_clusters_)):
            eac = EvidenceAccumulation(k, verbose=False).fit(labels)
            found[title] = _mirkin(eac.labels_, labels)
        return {name: float(value) for name, value in found.items()}

    return Task(lambda: model.fit(labels), score)


def run(session: Session, options: Namespace) -> Iterator[Table | str]:
    few = session.quick
    n, n_links = (20_000, 100_000) if few else (1_000_000, 5_000_000)
    n_names, n_pairs = (5_000, 50_000) if few else (100_000, 1_000_000)
    n_positive = 200_000 if few else 10_000_000
    calls: list[tuple[str, Callable[..., Task], dict[str, Any]]] = [
        (f"entities, {n_names:,} references", references, {"n": n_names, "n_pairs": n_pairs}),
        (f"NetScan, {n:,} nodes, {n_links:,} edges", connected, {"n": n, "n_edges": n_links, "k": 20}),
    ]
    for solver in ("pivot", "local_search"):
        arguments = {"n": n, "n_edges": n_positive, "solver": solver}
        calls.append((f"{solver}, {n:,} nodes, {n_positive:,} positive edges", signed, arguments))
    for kind in KINDS:
        calls.append((f"consensus, {kind}, {n:,} × 50", ensemble, {"path": _ensembles.prepared(session, kind, n, 50)}))
    results = [session.measure(case, function, repeat=1, **arguments) for case, function, arguments in calls]
    yield _table(results)


def _table(results: list[Result]) -> Table:
    table = Table(title="Linked objects at size", title_justify="left")
    for column in ("case", "time", "CPU time", "peak memory", "found"):
        table.add_column(column, justify="left" if column in ("case", "found") else "right")
    for result in results:
        if not result.done:
            table.add_row(result.case, result.status)
            continue
        found = ", ".join(f"{name} {value:,.4g}" for name, value in result.figures.items())
        table.add_row(
            result.case, seconds(result.seconds), seconds(result.cpu_seconds), f"{result.peak_mb:.0f} MB", found
        )
    return table


def _mentions(n: int) -> tuple[list[str], list[list[int]], np.ndarray]:
    """n references on papers of three: first name or initial, surname, one letter in ten mentions wrong."""
    rng = np.random.default_rng(0)
    letters = np.array(list("abcdefghijklmnoprstuvw"))
    n_entities = n // 5
    words = ["".join(rng.choice(letters, rng.integers(5, 9))) for _ in range(max(n // 4, 20))]
    first = ["".join(rng.choice(letters, rng.integers(4, 7))) for _ in range(500)]
    who = [(first[rng.integers(len(first))], words[rng.integers(len(words))]) for _ in range(n_entities)]
    friends = rng.integers(n_entities, size=(n_entities, 4))
    truth = np.empty(n - n % 3, np.int64)
    for paper in range(len(truth) // 3):
        entity = rng.integers(n_entities)
        truth[3 * paper : 3 * paper + 3] = entity, *rng.choice(friends[entity], 2, replace=False)
    names = []
    for entity in truth:
        given, family = who[entity]
        name = list(f"{given if rng.random() < 0.7 else given[0]} {family}")
        if rng.random() < 0.1:
            name[rng.integers(len(name))] = str(rng.choice(letters))
        names.append("".join(name))
    links = [sorted({3 * paper, 3 * paper + 1, 3 * paper + 2}) for paper in range(len(truth) // 3)]
    return names, links, truth


def _loose(names: list[str], n_pairs: int) -> float:
    """The cosine above which there are about this many pairs."""
    from pluribus.relational import canopy_pairs

    for loose in np.arange(0.3, 0.9, 0.05):
        if len(canopy_pairs(names, loose=float(loose), max_bucket=len(names), verbose=False)) <= 1.3 * n_pairs:
            break
    return float(loose)


def _attributed(n: int, n_edges: int) -> tuple[np.ndarray, sparse.csr_array]:
    """Ten attributes, and links to those who are near in one of them, so that clusters can be connected."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 10))
    order = np.argsort(X[:, 0], kind="stable")
    chain = np.column_stack([order[:-1], order[1:]])
    tail = rng.integers(n, size=n_edges - len(chain))
    head = np.clip(tail + rng.integers(1, 1000, size=len(tail)), 0, n - 1)
    ends = np.concatenate([chain, order[np.column_stack([tail, head])]])
    ends = ends[ends[:, 0] != ends[:, 1]]
    half = sparse.coo_array((np.ones(len(ends), np.float32), ends.T), shape=(n, n)).tocsr()
    return X, half + half.T


def _small() -> tuple[np.ndarray, list[tuple[int, int]]]:
    return np.arange(10.0)[:, None], [(i, i + 1) for i in range(9)]


def _planted(n: int, n_edges: int) -> sparse.csr_array:
    rng = np.random.default_rng(0)
    n_inside = int(0.9 * n_edges)
    one = rng.integers(n, size=n_inside)
    other = np.minimum(one // 20 * 20 + rng.integers(20, size=n_inside), n - 1)
    ends = np.concatenate([np.column_stack([one, other]), rng.integers(n, size=(n_edges - n_inside, 2))])
    ends = np.sort(ends[ends[:, 0] != ends[:, 1]], axis=1)
    half = sparse.coo_array((np.ones(len(ends), np.float32), ends.T), shape=(n, n)).tocsr()
    half.data[:] = 1
    return half + half.T


def _mirkin(labels: np.ndarray, members: np.ndarray) -> float:
    """Pairs on which a partition and the members disagree, summed over the members."""
    total, own = 0.0, _pairs(np.bincount(labels))
    for member in members.T:
        table = np.bincount(labels.astype(np.int64) * (member.max() + 1) + member)
        total += own + _pairs(np.bincount(member)) - 2 * _pairs(table)
    return total


def _pairs(sizes: np.ndarray) -> float:
    whole = sizes.astype(np.float64)
    return float((whole * (whole - 1)).sum() / 2)
