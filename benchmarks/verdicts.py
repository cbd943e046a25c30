"""Are there clusters at all: how often one group is called clusters, and clusters are seen, on generated families."""

import warnings
from argparse import Namespace
from collections.abc import Iterator

from rich.table import Table

from benchmarks._session import Session
from benchmarks._worker import Task
from benchmarks.shapes import HALVES, KINDS, draw, families

DRAWS = 2
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
    draws = 1 if session.quick else DRAWS
    said: dict[str, list[str]] = {}
    for kind in KINDS:
        for half in HALVES:
            names = families(half, kind)[: 2 if session.quick else None]
            result = session.measure(f"{kind}, {half}", verdicts, repeat=1, names=names, draws=draws)
            said |= result.figures["verdicts"] if result.done else {}
    table = Table(title=f"Verdicts, {draws} draws of each family")
    for column in ("kind", "half", "families", "draws", *WORDS):
        table.add_column(column, justify="left" if column in ("kind", "half") else "right")
    for kind in KINDS:
        for half in HALVES:
            each = [said[name] for name in families(half, kind) if name in said]
            table.add_row(kind, half, str(len(each)), str(sum(map(len, each))), *(_count(each, word) for word in WORDS))
    yield table
    null = {name for kind in ("null filled", "null curve") for name in families(kind=kind)}
    called = {name: words.count("clusters") for name, words in said.items()}
    yield "No clusters, but called so: " + _listed({name: n for name, n in called.items() if name in null})
    yield "Clusters, but not called so: " + _listed({name: draws - n for name, n in called.items() if name not in null})


def _count(each: list[list[str]], word: str) -> str:
    return str(sum(said.count(word) for said in each))


def _listed(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items() if count) or "none"
