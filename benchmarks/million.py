"""Consensus at 1,000,000 objects and 50 partitions: seconds and memory of each method that must reach there."""

from argparse import Namespace
from collections.abc import Iterator

from rich.table import Table

from benchmarks import _ensembles
from benchmarks._session import Session
from benchmarks._show import side_by_side
from benchmarks.consensus_speed import ours

R = 50
K = 10
METHODS = ("scec", "qmi", "mmec", "hbgf", "ppc", "voting")
KINDS = ("coarse k-means", "coarse Voronoi")
MAX_SECONDS, MAX_MEMORY_MB = 600, 8000


def run(session: Session, options: Namespace) -> Iterator[Table | str]:
    n = 20_000 if session.quick else 1_000_000
    for kind in KINDS[1:] if session.quick else KINDS:
        path = _ensembles.prepared(session, kind, n, R)
        results = [
            session.measure(
                f"{method}, {kind}", ours, repeat=1,
                ensemble=path, n_clusters=K, method=method, jobs=session.jobs,
            )
            for method in METHODS
        ]  # fmt: skip
        yield side_by_side(f"{kind}, n = {n:,}, r = {R}, k = {K}", [(result, []) for result in results])
        over = [
            result.case
            for result in results
            if not result.done or result.seconds > MAX_SECONDS or result.peak_mb > MAX_MEMORY_MB
        ]
        met = f"MISSED: {', '.join(over)}" if over else "Met."
        yield f"Asked: each under {MAX_SECONDS} s and {MAX_MEMORY_MB} MB. {met}"
