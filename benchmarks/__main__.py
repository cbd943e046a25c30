"""``python -m benchmarks NAME``: run a benchmark, show its table, keep its figures.

``python -m benchmarks reproduce SOURCE`` runs the protocol of a published source; without a source, of all.
"""

import argparse
import signal
import sys
from importlib import import_module
from types import ModuleType

from rich.console import Console
from rich.table import Table

from benchmarks import NAMES
from benchmarks._data import missing_sets
from benchmarks._session import RESULTS, Session
from benchmarks.reproduce import SOURCES, _run


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure ours beside the peer.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="without any: list them; after reproduce: sources")
    parser.add_argument("--quick", action="store_true", help="a small version of each, a minute or three")
    parser.add_argument("--repeat", type=_positive, default=3, help="runs of each timed case; the best counts")
    parser.add_argument("--jobs", type=int, default=2, help="threads that make ensembles")
    options = parser.parse_args(arguments)
    names, sources = _split(options.names)
    if unknown := [name for name in names if name not in NAMES]:
        parser.error(f"no benchmark is called {unknown[0]!r}; there are {', '.join(NAMES)}")
    if unknown := [source for source in sources if source not in SOURCES]:
        parser.error(f"no source is called {unknown[0]!r}; there are {', '.join(SOURCES)}")
    console = Console()
    if not console.is_terminal:
        console = Console(width=150)
    if not options.names:
        console.print(_overview())
        return 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # as with Ctrl-C: end the case, keep the figures
    failed = 0
    for name in names:
        session = Session(name, quick=options.quick, repeat=1 if options.quick else options.repeat, jobs=options.jobs)
        with session:
            for line_or_table in _module(name).run(session, options):
                console.print(line_or_table)
        console.print(f"Figures kept in {session.path.relative_to(RESULTS.parents[1])}", style="dim")
        failed += session.n_failed
    for source in sources:
        for line_or_table in _run.run(source, quick=options.quick, jobs=options.jobs):
            console.print(line_or_table)
    return 1 if failed else 0


def _split(names: list[str]) -> tuple[list[str], list[str]]:
    """The benchmarks, and the sources to reproduce: what stands after ``reproduce``, all if nothing does."""
    if "reproduce" not in names:
        return names, []
    place = names.index("reproduce")
    return names[:place], names[place + 1 :] or list(SOURCES)


def _overview() -> Table:
    table = Table("name", "what it measures", title="python -m benchmarks NAME [--quick]", title_justify="left")
    for name in NAMES:
        table.add_row(name, (_module(name).__doc__ or "").splitlines()[0])
    absent = missing_sets()
    if absent:
        table.caption = f"Data sets that are not here, and are left out: {', '.join(absent)}."
        table.caption_justify = "left"
    return table


def _module(name: str) -> ModuleType:
    return import_module(f"benchmarks.{name.replace('-', '_')}")


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{value} is less than 1")
    return value


if __name__ == "__main__":
    raise SystemExit(main())
