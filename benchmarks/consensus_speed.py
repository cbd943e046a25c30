"""Every consensus function of ours beside the packages of today (`make peers` installs them), on one ensemble."""

from argparse import Namespace
from collections.abc import Iterator, Sequence
from statistics import median

from rich.table import Table

from benchmarks import _ensembles
from benchmarks import _installed_peers as peers
from benchmarks._scores import rand_score
from benchmarks._session import Result, Session
from benchmarks._show import side_by_side
from benchmarks._worker import Task

R = 50
K = 10
KIND = "coarse k-means"
MEDIAN_FASTER = 10  # times, over all pairs of a method of ours and one of theirs that finished


def ours(ensemble: str, n_clusters: int, method: str, jobs: int) -> Task:
    from sklearn.base import clone

    from pluribus.consensus import configured

    labels, truth = _ensembles.load(ensemble)
    consensus = configured(method, n_clusters=n_clusters, random_state=0, verbose=False)
    if "n_jobs" in consensus.get_params():
        consensus.set_params(n_jobs=jobs)
    data = {"X": _ensembles.gaussian_mixture(len(labels))[0]} if consensus.needs_data else {}
    some = {name: X[:500] for name, X in data.items()}
    clone(consensus).fit(labels[:500], **some)
    return Task(lambda: consensus.fit(labels, **data).labels_, rand_score(truth))


def run(session: Session, options: Namespace) -> Iterator[Table | str]:
    from pluribus.consensus import names

    n, time_limit = (2000, 20) if session.quick else (10_000, 300)
    path = _ensembles.prepared(session, KIND, n, R)
    mine = [
        session.measure(f"ours, {method}", ours, ensemble=path, n_clusters=K, method=method, jobs=session.jobs)
        for method in names()
    ]
    if not peers.PYTHON.exists():
        yield side_by_side(f"Consensus, n = {n:,}, r = {R}, k = {K}", [(result, []) for result in mine])
        yield "The peers are not installed, so ours stand alone: `make peers` installs them."
        return
    theirs = list(_theirs(session, path, time_limit))
    yield side_by_side(f"Consensus, n = {n:,}, r = {R}, k = {K}", [(result, []) for result in [*mine, *theirs]])
    yield _ratios(mine, theirs)
    yield _verdict(mine, theirs, time_limit)


def _theirs(session: Session, path: str, time_limit: float) -> Iterator[Result]:
    given = {"ensemble": path, "n_clusters": K}
    for solver in peers.ENSEMBLE_CLUSTERING:
        yield session.measure(
            f"ensembleclustering, {solver}", peers.ensemble_clustering,
            repeat=1, time_limit=time_limit, python=peers.PYTHON, may_fail=True, solver=solver, **given,
        )  # fmt: skip
    for finish in peers.OPEN_ENSEMBLES:
        yield session.measure(
            f"openensembles, {finish}", peers.open_ensembles,
            repeat=1, time_limit=time_limit, python=peers.PYTHON, may_fail=True, finish=finish, **given,
        )  # fmt: skip


def _ratios(mine: Sequence[Result], theirs: Sequence[Result]) -> Table:
    """How many times faster each of ours is than each of theirs that finished."""
    finished = [peer for peer in theirs if peer.done]
    table = Table("ours", title="Times faster: the peer's seconds / ours", title_justify="left")
    for peer in finished:
        table.add_column(peer.case, justify="right")
    for result in mine:
        if result.done:
            cells = (f"{peer.seconds / result.seconds:.3g} ×" for peer in finished)
            table.add_row(result.case.removeprefix("ours, "), *cells)
    return table


def _verdict(mine: Sequence[Result], theirs: Sequence[Result], time_limit: float) -> str:
    pairs = [(a, b) for a in mine if a.done for b in theirs if b.done]
    if not pairs:
        return f"No peer finished within {time_limit} s."
    ratio = median(b.seconds / a.seconds for a, b in pairs)
    slower = sorted({a.case for a, b in pairs if a.seconds >= b.seconds})
    worse = sorted({a.case for a, b in pairs if a.figures["ari"] < b.figures["ari"] - 1e-9})
    return (
        f"Median {ratio:.3g} × faster (asked: {MEDIAN_FASTER} ×: {'met' if ratio >= MEDIAN_FASTER else 'MISSED'}). "
        f"Slower than a peer's method: {', '.join(slower) or 'none'}. "
        f"Adjusted Rand index below a peer's: {', '.join(worse) or 'none'}."
    )
