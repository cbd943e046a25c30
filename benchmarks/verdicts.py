"""Are there clusters at all: how often one group is called clusters, and clusters are seen, on generated families."""

import warnings
from argparse import Namespace
from collections.abc import Iterator

from rich.table import Table

from benchmarks._session import Session
from benchmarks._worker import Task
from benchmarks.shapes import HALVES, KINDS, draw, families, half_of

DRAWS, NULL_DRAWS = 2, 8
HOURS = 4 * 3600  # at most, for one kind of one half
WORDS = ("clusters", "undecided", "none")


def verdicts(names: list[str], draws: int) -> Task:
    """The verdict on each draw, by the default of ``EnsembleClusterer``."""
    from pluribus import EnsembleClusterer

    def found() -> dict[str, list[str]]:
        warnings.simplefilter("ignore")
        model = EnsembleClusterer(random_state=0, verbose=False, n_jobs=1)
        return {name: [model.fit(draw(name, number).X).verdict_ for number in range(draws)] for name in names}

    return Task(found, lambda result: {"verdicts": result})


def run(session: Session, options: Namespace) -> Iterator[Table | str]:
    said: dict[str, list[str]] = {}
    table = Table(title="Verdicts on generated families")
    for column in ("kind", "half", "families", "draws", *WORDS):
        table.add_column(column, justify="left" if column in ("kind", "half") else "right")
    for half in HALVES:
        for kind in KINDS:
            draws = 1 if session.quick else NULL_DRAWS if kind.startswith("null") else DRAWS
            names = families(half, kind)[: 2 if session.quick else None]
            result = session.measure(f"{kind}, {half}", verdicts, repeat=1, time_limit=HOURS, names=names, draws=draws)
            each = result.figures["verdicts"] if result.done else {}
            said |= each
            counts = (str(sum(words.count(word) for words in each.values())) for word in WORDS)
            table.add_row(kind, half, str(len(each)), str(draws * len(each)), *counts)
        table.add_section()
    yield table
    for half in HALVES:
        null = {name for kind in ("null filled", "null curve") for name in families(half, kind)}
        called = {name: (words.count("clusters"), len(words)) for name, words in said.items() if half_of(name) == half}
        wrong = {name: n for name, (n, _) in called.items() if name in null}
        missed = {name: draws - n for name, (n, draws) in called.items() if name not in null}
        yield f"{half}: no clusters, but called so: {_listed(wrong)}"
        yield f"{half}: clusters, but not called so: {_listed(missed)}"


def _listed(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items() if count) or "none"
