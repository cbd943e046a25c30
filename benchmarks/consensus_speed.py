"""Every consensus function of ours beside the packages of today (`make peers` installs them), on one ensemble."""

from argparse import Namespace
from collections.abc import Iterator
from statistics import median

from rich.table import Table

from benchmarks import _ensembles
from benchmarks import _installed_peers as peers
from benchmarks._scores import rand_score
from benchmarks._session import Result, Session
from benchmarks._show import seconds, side_by_side
from benchmarks._worker import Task

R = 50
K = 10
MEDIAN_FASTER = 10  # times, over the peers' methods, each beside the same method of ours
SAME = {  # what of ours does the same as theirs, or comes nearest: PPC, too, factors the co-association matrix
    "ensembleclustering, cspa": "cspa",
    "ensembleclustering, hgpa": "hgpa",
    "ensembleclustering, mcla": "mcla",
    "ensembleclustering, hbgf": "hbgf",
    "ensembleclustering, nmf": "ppc",
    "openensembles, linkage": "eac",
    "openensembles, majority vote": "eac",
    "openensembles, graph closure": "eac",
    "openensembles, mixture model": "mmec",
}


def ours(ensemble: str, n_clusters: int, method: str, jobs: int) -> Task:
    from sklearn.base import clone

    from pluribus.consensus._internal import configured

    labels, truth = _ensembles.load(ensemble)
    consensus = configured(method, n_clusters=n_clusters, random_state=0, verbose=False)
    if "n_jobs" in consensus.get_params():
        consensus.set_params(n_jobs=jobs)
    data = {"X": _ensembles.gaussian_mixture(len(labels))[0]} if consensus.needs_data else {}
    some = {name: X[:500] for name, X in data.items()}
    clone(consensus).fit(labels[:500], **some)
    return Task(lambda: consensus.fit(labels, **data).labels_, rand_score(truth))


def run(session: Session, options: Namespace) -> Iterator[Table | str]:
    if not peers.PYTHON.exists():
        yield "The peers are not installed, so ours stand alone: `make peers` installs them."
    cases = [(1000, "coarse k-means")]
    if not session.quick:
        cases = [(2000, "coarse k-means"), (10_000, "coarse k-means"), (10_000, "fine k-means")]
    for n, kind in cases:
        yield from _case(session, n, kind, time_limit=20 if session.quick else 200)


def _case(session: Session, n: int, kind: str, time_limit: float) -> Iterator[Table | str]:
    from pluribus.consensus import names

    path = _ensembles.prepared(session, kind, n, R)
    mine = {
        method: session.measure(f"ours, {method}", ours, ensemble=path, n_clusters=K, method=method, jobs=session.jobs)
        for method in names()
    }
    theirs = list(_theirs(session, path, time_limit)) if peers.PYTHON.exists() else []
    everything = [*mine.values(), *theirs]
    yield side_by_side(f"Consensus, {kind}, n = {n:,}, r = {R}, k = {K}", [(result, ()) for result in everything])
    if theirs:
        yield _same_method(mine, theirs, time_limit)
        yield _verdict(mine, theirs, time_limit)


def _theirs(session: Session, path: str, time_limit: float) -> Iterator[Result]:
    for case in SAME:
        package, method = case.split(", ")
        function = peers.ensemble_clustering if package == "ensembleclustering" else peers.open_ensembles
        yield session.measure(
            case, function,
            repeat=1, time_limit=time_limit, python=peers.PYTHON, may_fail=True,
            ensemble=path, n_clusters=K, method=method,
        )  # fmt: skip


def _same_method(mine: dict[str, Result], theirs: list[Result], time_limit: float) -> Table:
    """Each of theirs beside the same of ours."""
    table = Table("theirs", title="The same method, or the nearest", title_justify="left")
    for column in ("time", "ARI", "ours", "time", "ARI", "times faster"):
        table.add_column(column, justify="right")
    for peer in theirs:
        result = mine[SAME[peer.case]]
        spent = _at_least(peer, time_limit)
        cells = [seconds(peer.seconds), f"{peer.figures['ari']:.3f}"] if peer.done else [peer.status, ""]
        cells += [SAME[peer.case], seconds(result.seconds), f"{result.figures['ari']:.3f}"]
        cells.append("" if spent is None else f"{'' if peer.done else '> '}{spent / result.seconds:.3g} ×")
        table.add_row(peer.case, *cells)
    return table


def _at_least(peer: Result, time_limit: float) -> float | None:
    """Seconds that a peer took, or was given without an answer; nothing if it crashed."""
    if peer.done:
        return peer.seconds
    return time_limit if peer.status == "over the time limit" else None


def _verdict(mine: dict[str, Result], theirs: list[Result], time_limit: float) -> str:
    ran = [(peer, spent) for peer in theirs if (spent := _at_least(peer, time_limit)) is not None]
    if not ran:
        return "Every method of the peers crashed, so there is nothing to compare with."
    ratio = median(spent / mine[SAME[peer.case]].seconds for peer, spent in ran)
    slower = [
        f"{name} than {peer.case}" for name, result in mine.items() for peer, spent in ran if result.seconds >= spent
    ]
    worse = [
        f"{SAME[peer.case]} than {peer.case}"
        for peer, _ in ran
        if peer.done and mine[SAME[peer.case]].figures["ari"] < peer.figures["ari"]
    ]
    return (
        f"The same method: median {ratio:.3g} × faster (asked: {MEDIAN_FASTER} ×: "
        f"{'met' if ratio >= MEDIAN_FASTER else 'MISSED'}). Any method of ours slower than any of theirs: "
        f"{'; '.join(slower) or 'none'}. Adjusted Rand index below the same method of theirs: "
        f"{'; '.join(worse) or 'none'}."
    )
