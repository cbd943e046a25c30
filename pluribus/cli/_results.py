"""The results of a clustering, shared by ``cluster`` and ``combine``."""

from pathlib import Path

from rich.table import Column
from rich.table import Table as Grid

from pluribus._engine import ResultDirectory
from pluribus.cli._screen import Screen, print_json
from pluribus.pipeline import Clustering
from pluribus.pipeline._internal import OF_ALL_METHODS, RESULTS, SHOWN, figures_of, table_of, write_results


def finish(result: Clustering, directory: ResultDirectory | None, screen: Screen, *, as_json: bool) -> dict[str, Path]:
    """Write the results, unless there is no place for them, and show what was found."""
    written: dict[str, Path] = {}
    if directory is not None:
        with directory.files((*RESULTS, *(() if result.methods is None else OF_ALL_METHODS))) as made:
            write_results(result, made)
        written = {name: directory.path / name for name in made}
    if as_json:
        labels = {} if written else {"labels": result.to_frame()[["id", "cluster", "uncertainty"]].to_dict("list")}
        print_json(figures_of(result) | labels | {"files": {name: str(path) for name, path in written.items()}})
    else:
        summarize(result, written, screen)
    return written


def summarize(result: Clustering, written: dict[str, Path], screen: Screen) -> None:
    """The result in a few lines."""
    if result.methods is not None:
        from pluribus.cli._method_table import show

        show(result.methods, screen)
    screen.line(result.headline)
    titles, rows = table_of(result)
    grid = Grid(*(Column(title, justify="right") for title in titles))
    for row in rows:
        grid.add_row(*row)
    screen.console.print(grid)
    if result.n_clusters > SHOWN:
        screen.line(f"… and {result.n_clusters - SHOWN} smaller clusters.")
    if n_left := int((result.labels < 0).sum()):
        screen.line(f"{n_left:,} objects are not clustered.")
    if not written:
        return
    shown = {"labels": "labels.csv", "report": "report.html"}
    if result.methods is not None:
        shown |= dict(zip(("all methods", "their table"), OF_ALL_METHODS, strict=True))
    screen.files({title: written[name] for title, name in shown.items()})
    earlier = [name for name in OF_ALL_METHODS if (written["labels.csv"].parent / name).exists()]
    if result.methods is None and earlier:
        screen.line(f"  {' and '.join(earlier)} in the same directory are results of an earlier run.")
