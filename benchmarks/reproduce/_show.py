"""What was reproduced as tables: for the terminal, and as Markdown for the docs."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from rich.table import Table

from benchmarks.reproduce._agreement import Reproduced, differences, order_kept
from benchmarks.reproduce._published import TOLERANCE

BEGIN, END = "<!-- tables: begin -->", "<!-- tables: end -->"


class Grid(NamedTuple):
    """A table of strings under a title; words follow it."""

    title: str
    header: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    words: tuple[str, ...] = ()


def grids(tables: Sequence[Reproduced]) -> Iterator[Grid]:
    """Each table with its differences, and, of several tables that share their methods, all of them together."""
    for table in tables:
        yield _cells(table)
        if differences([table]):  # else nothing was published to differ from
            yield _differences("Differences", [table])
    together: dict[tuple[object, ...], list[Reproduced]] = {}
    for table in tables:
        if differences([table]):
            together.setdefault((table.published.score, table.published.methods), []).append(table)
    for group in together.values():
        if len(group) > 1:
            yield _differences(f"All {len(group)} tables together", group)


def _cells(table: Reproduced) -> Grid:
    published = table.published
    n_runs = len(next(iter(table.ours.values())))
    better = "more" if published.more_is_better else "less"
    beside = not np.isnan(table.theirs_array).all()
    what = f"{'theirs / ' if beside else ''}ours ± standard deviation, {n_runs} runs"
    title = f"{published.title}: {published.score} ({better} is better), {what}"
    rows = [
        (row, *(_cell(*values, beside=beside) for values in zip(theirs, ours, spread, strict=True)))
        for row, theirs, ours, spread in zip(
            published.theirs, table.theirs_array, table.means, table.spreads, strict=True
        )
    ]
    return Grid(title, ("", *published.methods), rows, (published.note,) if published.note else ())


def _differences(title: str, tables: Sequence[Reproduced]) -> Grid:
    header = ("method", "cells", "theirs, mean", "ours, mean", "ours − theirs", "absolute difference")
    rows = [
        (d.method, str(d.n_cells), short(d.theirs), short(d.ours), f"{d.signed:+.3f}", short(d.absolute))
        for d in differences(tables)
    ]
    kept, total = order_kept(tables)
    share = f"{kept} of {total} pairs of methods ({kept / total:.0%})" if total else "no pair"
    words = f"The published order of two methods in a row is also ours in {share}; closer than {TOLERANCE:g}: ties."
    return Grid(title, header, rows, (words,))


def _cell(theirs: float, ours: float, spread: float, *, beside: bool) -> str:
    found = "–" if np.isnan(ours) else f"{short(ours)} ± {short(spread)}"
    return f"{'–' if np.isnan(theirs) else short(theirs)} / {found}" if beside else found


def short(value: float) -> str:
    """Three digits, without the zero before the point."""
    return f"{value:.3f}".replace("0.", ".", 1) if abs(value) < 1 else f"{value:.3f}"


def on_terminal(grid: Grid) -> Iterator[Table | str]:
    table = Table(title=grid.title, title_justify="left")
    for column in grid.header:
        table.add_column(column, justify="left" if column == grid.header[0] else "right")
    for row in grid.rows:
        table.add_row(*row)
    yield table
    yield from grid.words


def as_markdown(all_grids: Sequence[Grid]) -> str:
    parts = []
    for grid in all_grids:
        lines = [f"| {' | '.join(cells)} |" for cells in [grid.header, ("---",) * len(grid.header), *grid.rows]]
        parts.append("\n\n".join([f"**{grid.title}**", "\n".join(lines), *grid.words]))
    return "\n\n".join(parts)


def put_between_marks(page: str, tables: str) -> str:
    """The page with what stands between the marks replaced."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"The page needs the lines {BEGIN} and {END}, between which the tables go.")
    return f"{before}{BEGIN}\n\n{tables}\n\n{END}{after}"
