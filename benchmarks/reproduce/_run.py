"""Run a source's protocol, compare with what it published, and keep the figures.

Finished runs are kept in ``benchmarks/results`` until all are done, so that a run that was stopped or killed continues.
Full runs, with all data sets there, also write their tables into the source's page in the docs.
"""

import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import numpy as np
from rich.table import Table

from benchmarks import _data
from benchmarks._session import RESULTS, ROOT, commit, keep
from benchmarks.reproduce._agreement import Reproduced, differences, order_kept
from benchmarks.reproduce._published import Source
from benchmarks.reproduce._show import Grid, as_markdown, grids, on_terminal, put_between_marks

DOCS = ROOT / "docs" / "reproduction"


def source_module(name: str) -> Source:
    return cast(Source, import_module(f"benchmarks.reproduce.{name.replace('-', '_')}"))


def run(
    name: str, *, quick: bool, jobs: int, results: Path = RESULTS, docs: Path = DOCS, source: Source | None = None
) -> Iterator[Table | str]:
    """Reproduce a source: yield its tables, then where the figures and the page are."""
    started, code = time.strftime("%Y-%m-%dT%H:%M:%S"), commit()
    source = source or source_module(name)
    title = f"reproduce-{name}{'-quick' if quick else ''}"
    yield f"{(source.__doc__ or '').splitlines()[0]} {source.PAPER}"
    unfinished = results / f"{title}-unfinished"
    reproduced = compute(source, quick=quick, jobs=jobs, directory=unfinished)
    more: Callable[[list[Reproduced]], list[Grid]] = getattr(source, "summary", lambda _: [])
    all_grids = [*more(reproduced), *grids(reproduced)]
    for grid in all_grids:
        yield from on_terminal(grid)
    stamp = started.translate(str.maketrans("T", "-", ":-"))
    figures = _figures(reproduced)
    path = keep(results / f"{title}-{stamp}.json", f"reproduce {name}", quick, started, code, tables=figures)
    shutil.rmtree(unfinished)
    yield f"Figures kept in {path.name}."
    page = docs / f"{name}.md"
    if not quick and not _data.missing_sets() and page.exists():
        page.write_text(put_between_marks(page.read_text(), f"{_origin(started, code)}\n\n{as_markdown(all_grids)}"))
        yield f"Tables written into {page.name}."
        drawings: Callable[[list[Reproduced]], dict[str, str]] = getattr(source, "figures", lambda _: {})
        for file, drawing in drawings(reproduced).items():
            (docs / file).write_text(drawing)


def _origin(started: str, code: str) -> str:
    """When the figures of a page were computed, and by which code."""
    return f"*Figures of {started[:10]}{f', commit {code}' if code else ''}.*"


def compute(source: Source, *, quick: bool, jobs: int, directory: Path) -> list[Reproduced]:
    """All runs of all rows; those that were finished before are read from the directory."""
    from pluribus._engine import ArraySpec, TaskStore, fingerprint, run_tasks

    tables = source.tables(quick)
    methods = {table.title: table.methods for table in tables}
    most = source.n_runs(quick)
    tasks = [
        (table.title, row, i)
        for table in tables
        for row in table.theirs
        for i in range(min(most, table.most_runs or most))
    ]

    def scores(task: tuple[str, str, int]) -> np.ndarray:
        found = source.score(*task, quick)
        return np.array([found.get(method, np.nan) for method in methods[task[0]]])

    job = fingerprint(tasks, methods, _text(source))
    store = TaskStore(directory / job[:12], job)  # a folder for each job: one that was changed starts anew

    def expected(task: tuple[str, str, int]) -> ArraySpec:
        return ArraySpec("f", (len(methods[task[0]]),), finite=False)

    found = run_tasks(scores, tasks, n_jobs=jobs, description="runs", store=store, expected=expected)
    runs: dict[tuple[str, str], list[np.ndarray]] = {}
    for (table, row, _), values in zip(tasks, found, strict=True):
        runs.setdefault((table, row), []).append(values)
    return [Reproduced(table, {row: np.array(runs[table.title, row]) for row in table.theirs}) for table in tables]


def _text(source: Source) -> str:
    """Of the protocol: what it gave before it was changed counts no longer."""
    file = getattr(source, "__file__", None)
    return Path(file).read_text() if file else ""


def _figures(reproduced: list[Reproduced]) -> list[dict[str, Any]]:
    figures = []
    for table in reproduced:
        kept, total = order_kept([table])
        figures.append(
            {
                **asdict(table.published),
                "ours": {row: values.tolist() for row, values in table.ours.items()},
                "differences": [asdict(difference) for difference in differences([table])],
                "order_kept": kept,
                "order_pairs": total,
            }
        )
    return figures
