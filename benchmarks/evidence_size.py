"""Space of sparse evidence: its entries per object as n grows, beside the paper's estimates."""

from argparse import Namespace
from collections.abc import Iterator

import numpy as np
from rich.table import Table

from benchmarks import _data
from benchmarks._curves import Curve, draw
from benchmarks._session import Session
from benchmarks._worker import Task

N_MEMBERS = 150
RULES = {"A": "sqrt", "B": "linear"}
STARTS = ("random", "k-means++")
LAW = (5000, 10_000)  # from here to there the entries per object under rule B change by no more than
WITHIN = 0.10


def estimate(rule: str, n: int) -> float:
    """The paper's density: 2 / k_min."""
    return 4 / n**0.5 if rule == "A" else 100 / n


def ours(n: int, rule: str, start: str, n_members: int, jobs: int) -> Task:
    from sklearn.cluster import KMeans

    from pluribus.evidence import CoAssociation
    from pluribus.generate import Generator

    k_means = KMeans(init=start, n_init=1, max_iter=100)
    generator = Generator(k_means, n_members=n_members, n_clusters=RULES[rule], random_state=0, n_jobs=jobs)
    generator.set_params(n_members=2).generate(_data.gaussian_line(100))
    ensemble = generator.set_params(n_members=n_members).generate(_data.gaussian_line(n))
    CoAssociation(ensemble.take_objects(range(200)), form="sparse")
    return Task(lambda: CoAssociation(ensemble, form="sparse", n_jobs=jobs).nnz, lambda nnz: {"nnz": nnz})


def run(session: Session, options: Namespace) -> Iterator[Table | str]:
    sizes = (500, 1000) if session.quick else (1000, 2000, 5000, 10_000, 20_000)
    starts = STARTS[:1] if session.quick else STARTS
    n_members = 30 if session.quick else N_MEMBERS
    table = Table(title=f"Sparse evidence, ten Gaussians on a line, {n_members} members", title_justify="left")
    for column in ("rule", "start of k-means"):
        table.add_column(column)
    for column in ("n", "entries / n", "density", "the paper's estimate", "ratio", "time"):
        table.add_column(column, justify="right")
    by_size: dict[tuple[str, str, int], float] = {}
    for rule in RULES:
        for start in starts:
            for n in sizes:
                result = session.measure(
                    f"rule {rule}, {start}, n = {n:,}", ours, repeat=1,
                    n=n, rule=rule, start=start, n_members=n_members, jobs=session.jobs,
                )  # fmt: skip
                if result.done:
                    per_object = by_size[rule, start, n] = result.figures["nnz"] / n
                    density, expected = per_object / n, estimate(rule, n)
                    figures = f"{per_object:.1f}", f"{density:.4f}", f"{expected:.4f}", f"{density / expected:.2f}"
                    table.add_row(rule, start, f"{n:,}", *figures, f"{result.seconds:.2f} s")
            table.add_section()
    yield table
    yield "Both triangles and the diagonal are counted; the time is that of counting, without the k-means."
    drawing = session.path.with_suffix(".svg")
    drawing.parent.mkdir(parents=True, exist_ok=True)
    drawing.write_text(_drawn(by_size, sizes))
    yield f"Drawn in {drawing.name}, beside the figures."
    if session.quick:
        return
    for start in STARTS:
        before, after = (by_size.get(("B", start, n)) for n in LAW)
        if before and after:
            change = after / before - 1
            verdict = "met" if abs(change) <= WITHIN else "MISSED"
            yield (
                f"Linear law, rule B, {start}: entries per object change by {change:+.1%} from n = {LAW[0]:,} to "
                f"{LAW[1]:,}; asked at most {WITHIN:.0%}: {verdict}."
            )


def _drawn(by_size: dict[tuple[str, str, int], float], sizes: tuple[int, ...]) -> str:
    """Entries by number of objects: ours, the paper's estimates, and the matrix that is never made."""
    spread = np.zeros(len(sizes))
    curves = [Curve("the full matrix", np.array([2 * np.log10(n) for n in sizes]), spread)]
    for rule in RULES:
        estimated = np.array([np.log10(estimate(rule, n) * n * n) for n in sizes])
        curves.append(Curve(f"{rule}, the paper's estimate", estimated, spread))
    for rule, start in dict.fromkeys((rule, start) for rule, start, _ in by_size):
        found = np.array([np.log10(n * by_size.get((rule, start, n), np.nan)) for n in sizes])
        curves.append(Curve(f"{rule}, {start}", found, spread))
    places = [f"{n:,}" for n in sizes]
    return draw("Entries of the evidence", "objects", "entries held", places, curves, powers=True)
