"""A table as a source published it, and what a module of a source offers.

- The first line of its docstring says which source and protocol; ``PAPER`` is the reference.
- ``tables(quick) -> list[Published]``: rows whose data set is absent are left out (`present`).
- ``n_runs(quick) -> int``: how often each row is run.
- ``score(table, row, run, quick) -> dict[str, float]``: one run of one row, the score of each method; the seed follows
  from ``run``, so the same run gives the same scores. A method that was not run is left out.
- Optional: ``summary(reproduced) -> list[Grid]``, more tables, which stand first; ``figures(reproduced) -> dict``,
  drawings for the docs, SVG by the name of the file. A table where nothing is published shows ours alone.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from rich.console import Console

from benchmarks import _data

TOLERANCE = 0.01  # published scores that differ by less are ties


@dataclass(frozen=True)
class Published:
    """One table; ``theirs`` has a value for each method in each row, None where there is none.

    ``other_forms`` are methods that stand there in another form already: they are compared with what was published,
    but do not count in the order of the methods.
    """

    title: str
    score: str
    more_is_better: bool
    methods: tuple[str, ...]
    theirs: Mapping[str, tuple[float | None, ...]]
    note: str = ""
    other_forms: tuple[str, ...] = ()
    most_runs: int | None = None  # fewer than the other tables have, if rows are slow


class Source(Protocol):
    """What a module of a source offers."""

    __doc__: str | None
    PAPER: str

    def tables(self, quick: bool) -> list[Published]: ...

    def n_runs(self, quick: bool) -> int: ...

    def score(self, table: str, row: str, run: int, quick: bool) -> dict[str, float]: ...


def present(tables: list[Published], data_set: Callable[[str, str], str]) -> list[Published]:
    """The tables without the rows whose data set is absent, and a word on those.

    ``data_set(table, row)`` names the set; a table without any row left is left out.
    """
    absent: dict[str, None] = {}
    kept = []
    for table in tables:
        names = {row: data_set(table.title, row) for row in table.theirs}
        absent |= dict.fromkeys(name for name in names.values() if not _data.available(name))
        rows = {row: values for row, values in table.theirs.items() if names[row] not in absent}
        if rows:
            kept.append(replace(table, theirs=rows))
    if absent:
        Console(stderr=True).print(f"Left out, since their files are not here: {', '.join(absent)}.")
    return kept
