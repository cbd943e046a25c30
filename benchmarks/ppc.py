"""Pairwise probabilistic clustering: ours beside the same on the dense matrix, and ours at 100,000 objects."""

import warnings
from argparse import Namespace
from collections.abc import Iterator
from typing import Any

import numpy as np
from rich.table import Table

from benchmarks import _ensembles, _peers
from benchmarks._scores import rand_score
from benchmarks._session import Result, Session
from benchmarks._show import side_by_side
from benchmarks._worker import Task

R = 50
K = 10
N_STARTS = 2  # side by side; ours alone has its default, 10 random ones and one from average link
MAX_MEMORY_MB = 2000


def ours(ensemble: str, n_clusters: int, init: str, n_starts: int, jobs: int) -> Task:
    from pluribus.consensus import PairwiseProbabilistic

    consensus = PairwiseProbabilistic(
        n_clusters, init=init, n_init=n_starts, random_state=0, n_jobs=jobs, verbose=False
    )
    labels, truth = _ensembles.load(ensemble)
    _warm_up(consensus, labels)
    return Task(lambda: consensus.fit(labels).labels_, rand_score(truth))


def _warm_up(consensus: Any, labels: np.ndarray) -> None:
    """Two iterations on enough distinct objects that no matrix is made, as in the work."""
    from sklearn.base import clone

    few = labels[:4000].copy()
    few[: labels.max() + 1] = _ensembles.tiny_like(labels)[:, :1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        clone(consensus).set_params(n_init=1, max_iter=2).fit(few)


def run(session: Session, options: Namespace) -> Iterator[Table | str]:
    n, large = (1000, 5000) if session.quick else (5000, 100_000)
    kinds = ("coarse Voronoi",) if session.quick else tuple(_ensembles.KINDS)
    beside: list[tuple[Result, list[Result]]] = []
    alone: list[tuple[Result, list[Result]]] = []
    for kind in kinds:
        path = _ensembles.prepared(session, kind, n, R)
        shared: dict[str, Any] = {"ensemble": path, "n_clusters": K, "n_starts": N_STARTS}
        mine = session.measure(f"ours, {kind}", ours, init="dirichlet", jobs=session.jobs, **shared)
        peer = session.measure("numpy, dense", _peers.ppc, seed=0, **shared)
        beside.append((mine, [peer]))
    yield side_by_side(f"PPC, n = {n:,}, r = {R}, K = {K}, {N_STARTS} random starts", beside)
    for kind in kinds:
        path = _ensembles.prepared(session, kind, large, R)
        mine = session.measure(
            f"ours, {kind}", ours, ensemble=path, n_clusters=K, init="auto", n_starts=10, jobs=session.jobs
        )
        alone.append((mine, []))
    yield side_by_side(f"PPC, n = {large:,}, r = {R}, K = {K}, default starts", alone)
    yield f"Not run at n = {large:,}: the peer, whose matrix takes {large**2 * 8 / 1e9:.0f} GB."
    worst = max(mine.peak_mb for mine, _ in alone)
    yield f"Asked: under {MAX_MEMORY_MB} MB. {'Met' if worst < MAX_MEMORY_MB else 'MISSED'}: {worst:.0f} MB at most."
