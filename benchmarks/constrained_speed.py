"""k-means with pairs beside `active-semi-supervised-clustering` (`make peers`), and alone on 1,000,000 objects."""

from argparse import Namespace
from collections.abc import Iterator
from statistics import mean, median

from rich.table import Table

from benchmarks._constrained_peers import K, active_semi_clustering, problem
from benchmarks._installed_peers import PYTHON
from benchmarks._scores import rand_score
from benchmarks._session import Result, Session
from benchmarks._show import side_by_side
from benchmarks._worker import Task

METHODS = ("cop-kmeans", "pckmeans", "mpckmeans")
FASTER = 50  # times
MAX_SECONDS = 180  # for a million objects
STOP_SECONDS = 400  # of the peer's MPCKMeans, which does not finish: long enough to see that it is much slower


def ours(method: str, n: int, n_pairs: int, seed: int, jobs: int) -> Task:
    from pluribus import Constraints
    from pluribus.constrained import by_name

    known = problem(n, n_pairs, seed)
    # As the peer weighs them: its MPCKMeans takes squared lengths of pairs as they are, ours relative to their mean,
    # which is about 50 in the learned metric of these data.
    weight = {"cop-kmeans": None, "pckmeans": 1.0, "mpckmeans": 50.0}[method]
    pairs = known.must_link, known.cannot_link
    constraints = Constraints(n, *pairs, must_weight=weight, cannot_weight=weight)
    model = by_name(method)(n_clusters=K, random_state=seed, n_jobs=jobs, verbose=False)
    some = list(range(max(K, 300)))
    model.fit(known.X[some], constraints=constraints.restrict(some))
    return Task(lambda: model.fit(known.X, constraints=constraints).labels_, rand_score(known.truth))


def run(session: Session, options: Namespace) -> Iterator[Table | str]:
    n, n_seeds, limit = (500, 2, 60) if session.quick else (10_000, 10, 600)
    # Their MPCKMeans compares all pairs of objects in each round: it is scored where it can finish.
    yield from _beside(session, "cop-kmeans", n, n_seeds, limit)
    yield from _beside(session, "pckmeans", n, n_seeds, limit)
    yield from _beside(session, "mpckmeans", min(n, 1000), n_seeds, limit)
    yield from _alone(session)
    if not session.quick:
        yield from _beside(session, "mpckmeans", n, 1, STOP_SECONDS)


def _alone(session: Session) -> Iterator[Table | str]:
    n, n_pairs = (20_000, 200) if session.quick else (1_000_000, 10_000)
    given = {"n": n, "n_pairs": n_pairs, "seed": 0, "jobs": session.jobs}
    large = [session.measure(f"ours, {method}", ours, repeat=1, method=method, **given) for method in METHODS]
    yield side_by_side(f"n = {n:,}, {n_pairs:,} pairs, 10 starts", [(result, []) for result in large])
    over = [result.case for result in large[:2] if not result.done or result.seconds > MAX_SECONDS]
    yield f"Asked: COP-KMeans and PCKMeans under {MAX_SECONDS} s. {'MISSED: ' + ', '.join(over) if over else 'Met.'}"


def _beside(session: Session, method: str, n: int, n_seeds: int, limit: float) -> Iterator[Table | str]:
    given = {"method": method, "n": n, "n_pairs": 200}
    mine, theirs = [], []
    for seed in range(n_seeds):
        case = f"{method}, n = {n:,}, seed {seed}"
        mine.append(session.measure(f"ours, {case}", ours, repeat=1, seed=seed, jobs=1, **given))
        if PYTHON.exists():
            how = {"repeat": 1, "time_limit": limit, "python": PYTHON, "may_fail": True}
            theirs.append(session.measure(f"peer, {case}", active_semi_clustering, seed=seed, **how, **given))
    pairs = [(a, [b]) for a, b in zip(mine, theirs, strict=True)] if theirs else [(a, []) for a in mine]
    yield side_by_side(f"{method}, n = {n:,}, 200 pairs", pairs)
    yield _verdict(mine, theirs, limit) if theirs else "The peer is not installed: `make peers` installs it."


def _verdict(mine: list[Result], theirs: list[Result], limit: float) -> str:
    done = [(a, b) for a, b in zip(mine, theirs, strict=True) if a.done and b.done]
    if not done:
        over = sum(b.status == "over the time limit" for b in theirs)
        least = limit / max(a.seconds for a in mine)
        met = f"; asked {FASTER} ×: {'met' if least >= FASTER else 'not shown'}" if over else ""
        return (
            f"The peer finished none of {len(theirs)} ({over} stopped after {limit:g} s): > {least:.0f} × faster{met}."
        )
    ratios = [b.seconds / a.seconds for a, b in done]
    work = median(b.cpu_seconds / a.cpu_seconds for a, b in done)
    one, other = (mean(result.figures["ari"] for result in side) for side in zip(*done, strict=True))
    return (
        f"{median(ratios):.0f} × faster ({min(ratios):.0f} to {max(ratios):.0f}; {work:.0f} × by CPU time; "
        f"asked {FASTER} ×: {'met' if median(ratios) >= FASTER else 'MISSED'}). "
        f"Mean adjusted Rand index over {len(done)} seeds: "
        f"ours {one:.3f}, theirs {other:.3f} ({'met' if one >= other - 1e-9 else 'MISSED'}). "
        f"The peer failed on {len(theirs) - len(done)} of {len(theirs)}."
    )
