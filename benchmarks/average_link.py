"""Average-link consensus of 50 partitions: ours beside the n × n matrix and scipy's linkage."""

from argparse import Namespace
from collections.abc import Iterator

from rich.table import Table

from benchmarks import _ensembles, _peers
from benchmarks._scores import rand_score
from benchmarks._session import Result, Session
from benchmarks._show import side_by_side
from benchmarks._worker import Task

R = 50
LESS_MEMORY = 5  # times, at the size where the peer runs
MAX_MEMORY_MB = 2000  # at the size where it does not


def ours(ensemble: str, n_clusters: int) -> Task:
    from pluribus.consensus import EvidenceAccumulation

    consensus = EvidenceAccumulation(n_clusters, linkage="average", verbose=False)
    labels, truth = _ensembles.load(ensemble)
    consensus.fit(_ensembles.tiny_like(labels))
    return Task(lambda: consensus.fit(labels).labels_, rand_score(truth))


def run(session: Session, options: Namespace) -> Iterator[Table | str]:
    n, large = (2000, 4000) if session.quick else (10_000, 40_000)
    kinds = ("coarse Voronoi",) if session.quick else tuple(_ensembles.KINDS)
    beside: list[tuple[Result, list[Result]]] = []
    alone: list[tuple[Result, list[Result]]] = []
    for kind in kinds:
        path = _ensembles.prepared(session, kind, n, R)
        mine = session.measure(f"ours, {kind}", ours, ensemble=path, n_clusters=10)
        peers = [
            session.measure(f"numpy, {way}", _peers.average_link, ensemble=path, n_clusters=10, way=way)
            for way in _peers.WAYS
        ]
        beside.append((mine, peers))
    yield side_by_side(f"Average link, n = {n:,}, r = {R}", beside)
    if not session.quick:
        yield from (_verdict(mine, *peers) for mine, peers in beside)
    for kind in kinds:
        path = _ensembles.prepared(session, kind, large, R)
        alone.append((session.measure(f"ours, {kind}", ours, ensemble=path, n_clusters=10), []))
    yield side_by_side(f"Average link, n = {large:,}, r = {R}", alone)
    yield f"Not run at n = {large:,}: the peer, whose matrix alone takes {large**2 * 8 / 1e9:.1f} GB."
    worst = max(mine.peak_mb for mine, _ in alone)
    yield f"Asked: under {MAX_MEMORY_MB} MB. {'Met' if worst < MAX_MEMORY_MB else 'MISSED'}: {worst:.0f} MB at most."


def _verdict(mine: Result, plain: Result, *others: Result) -> str:
    """Against the plain peer, which the requirement names, and the best of the others in time and in memory."""
    if not all(result.done for result in (mine, plain, *others)):
        return f"{mine.case}: not decided, since a case did not finish."
    memory, time = plain.peak_mb / mine.peak_mb, plain.seconds / mine.seconds
    work = plain.above_baseline_mb / mine.above_baseline_mb
    met = memory >= LESS_MEMORY and time >= 1
    return (
        f"{mine.case}: {memory:.2f} × less memory than the plain peer ({work:.0f} × above the baseline), {time:.2f} × "
        f"faster; asked {LESS_MEMORY} × and 1 ×: {'met' if met else 'MISSED'}. Best of the others: "
        f"{min(peer.peak_mb for peer in others) / mine.peak_mb:.2f} × our memory, "
        f"{min(peer.seconds for peer in others) / mine.seconds:.2f} × our time."
    )
