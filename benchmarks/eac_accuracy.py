"""Table I of the scalability paper (ICPR 2010): accuracy of average-link evidence accumulation, theirs beside ours."""

from argparse import Namespace
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from rich.table import Table

from benchmarks import _data
from benchmarks._scores import accuracy
from benchmarks._session import Session
from benchmarks._worker import Task

N_MEMBERS = 150
RULES = ("Var", "A", "B")


class Row(NamedTuple):
    """A row of the printed table: clusters, and for each rule the range of k and the accuracy."""

    printed: str
    k: int
    ranges: tuple[tuple[int, int], tuple[int, int], tuple[int, int]]
    theirs: tuple[float, float, float]


TABLE = {
    "iris": Row("iris", 3, ((10, 20), (6, 12), (3, 8)), (0.91, 0.84, 0.84)),
    "wine": Row("wine-norm", 3, ((10, 30), (7, 13), (4, 9)), (0.96, 0.96, 0.97)),
    "house_votes": Row("house.votes", 2, ((10, 30), (8, 15), (5, 12)), (0.93, 0.88, 0.88)),
    "ionosphere": Row("ionosphere.norm", 2, ((10, 30), (9, 19), (7, 18)), (0.64, 0.64, 0.64)),
    "breast_w": Row("breast-cancer", 2, ((10, 30), (13, 26), (14, 34)), (0.97, 0.97, 0.97)),
    "pima": Row("pima-norm", 2, ((10, 30), (14, 28), (15, 38)), (0.65, 0.65, 0.65)),
    "optdigits": Row("optdigits-1000", 10, ((10, 30), (16, 32), (20, 50)), (0.79, 0.80, 0.84)),
    "spiral": Row("spiral *", 2, ((20, 30), (7, 14), (4, 10)), (0.71, 0.57, 0.54)),
    "cigar": Row("cigar *", 4, ((10, 30), (8, 16), (5, 13)), (0.71, 0.71, 0.71)),
    "rings": Row("rings *", 3, ((20, 50), (11, 21), (9, 23)), (1.00, 0.60, 0.72)),
}
NOT_HERE = ("std-yeast", "chart-synthetic-control", "mfeat-fou", "textures", "isolet1-5")


def ours(name: str, n_ensembles: int, jobs: int) -> Task:
    from pluribus.consensus import EvidenceAccumulation
    from pluribus.generate import Generator

    row = TABLE[name]
    consensus = EvidenceAccumulation(row.k, linkage="average", verbose=False)

    def once(k_range: tuple[int, int], seed: int) -> float:
        X, y = _data.load(name, seed)
        generator = Generator(n_members=N_MEMBERS, n_clusters=k_range, random_state=seed, n_jobs=jobs)
        return accuracy(y, consensus.fit(generator.generate(X)).labels_)

    def work() -> list[list[float]]:
        return [[once(k_range, seed) for seed in range(n_ensembles)] for k_range in row.ranges]

    return Task(work, lambda found: dict(zip(RULES, found, strict=True)))


def run(session: Session, options: Namespace) -> Iterator[Table | str]:
    n_ensembles = 2 if session.quick else 10
    names = ["iris", "wine", "rings"] if session.quick else [name for name in TABLE if _data.available(name)]
    table = Table(title=f"Accuracy, average link, {N_MEMBERS} members, {n_ensembles} ensembles", title_justify="left")
    for column in ("data set", "rule", "k"):
        table.add_column(column)
    for column in ("theirs", "ours, mean", "min – max", "ours − theirs"):
        table.add_column(column, justify="right")
    table.add_column("within")
    for name in names:
        row = TABLE[name]
        result = session.measure(row.printed, ours, repeat=1, name=name, n_ensembles=n_ensembles, jobs=session.jobs)
        for rule, (low, high), theirs in zip(RULES, row.ranges, row.theirs, strict=True):
            if result.done:
                table.add_row(row.printed, rule, f"{low}–{high}", *_compared(theirs, result.figures[rule]))
        table.add_section()
    yield table
    yield "within: theirs lies between our lowest and our highest, rounded as printed; or all ours are higher or lower."
    yield "* drawn here from the description, anew for each ensemble; the paper's own points are not published."
    yield f"Not here: {', '.join([*NOT_HERE, *_data.missing_sets()])}."


def _compared(theirs: float, accuracies: list[float]) -> tuple[str, str, str, str, str]:
    found = np.array(accuracies)
    low, high = found.min(), found.max()
    below, above = round(high, 2) < theirs, theirs < round(low, 2)
    verdict = "LOWER" if below else "higher" if above else "yes"
    return f"{theirs:.2f}", f"{found.mean():.3f}", f"{low:.3f} – {high:.3f}", f"{found.mean() - theirs:+.3f}", verdict
