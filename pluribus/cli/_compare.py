"""``pluribus compare``: two files of labels -> measures, a page on where they differ."""

import json
import warnings
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import typer
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

import pluribus.compare
from pluribus._engine import atomic_path, track
from pluribus.cli import _input, _labels, _output
from pluribus.cli._data import DataOptions, read_data
from pluribus.partitions import Ensemble
from pluribus.report import Comparison, ComparisonSummary, summarize_comparison, write_comparison
from pluribus.report._internal import MEASURES, SHORT, SHORT_SPATIAL, describe_comparison


@dataclass(frozen=True)
class CompareJob:
    """The options of the command."""

    a: str
    b: str
    data: DataOptions | None = None
    every: bool = False
    id_column: str | None = None
    out: Path | None = None
    as_json: bool = False
    quiet: bool = False


def run(job: CompareJob) -> Path | None:
    """Do the job; the page, if it was written."""
    console = Console(quiet=job.quiet or job.as_json)
    partitions, X, notes = read(job)
    write = job.out is not None or not job.as_json
    out = _input.ready_directory(job.out or Path(f"{_labels.path_of(job.a).stem}-pluribus")) if write else None
    first, second = partitions.names
    console.print(Text(f"A: {first}\nB: {second}"), highlight=False)
    for note in notes:
        console.print(f"  {note}", markup=False, highlight=False)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        measures = measure(partitions, X, every=job.every, verbose=not job.quiet)
    notes += _output.say_warnings(console, caught)
    if job.every and X is not None and "cdistance" not in measures:
        notes.append("CDistance is left out: the clusters are too large for it. See pluribus.compare.point_transport.")
    case = Comparison(
        title=f"{first} and {second}",
        partitions=partitions,
        measures=measures,
        X=X,
        notes=notes,
        parameters={"A": job.a, "B": job.b, "data": job.data.path.name if job.data else None, "id": job.id_column}
        | ({"ignore": job.data.ignore, "scale": job.data.scale, "impute": job.data.impute} if job.data else {}),
        versions=_output.versions(),
    )
    summary = summarize_comparison(case)
    page = write_files(case, out) if out is not None else None
    if job.as_json:
        typer.echo(json.dumps(as_json(case, summary), indent=2, allow_nan=False))
        return page
    say(console, summary, job.every)
    if page is not None:
        for name, path in {"page": page, "measures": page.with_suffix(".csv")}.items():
            console.print(f"{name}: {path}", soft_wrap=True, highlight=False, markup=False)
    return page


def read(job: CompareJob) -> tuple[Ensemble, np.ndarray | None, list[str]]:
    """Both partitions and the data, over the objects that all have; errors before any work."""
    files = [_labels.read_labels(argument, job.id_column) for argument in (job.a, job.b)]
    columns = [_labels.one_column(file) for file in files]
    if files[0].path.resolve() == files[1].path.resolve() and columns[0] == columns[1]:
        raise ValueError(f"A and B are the same column, '{columns[0]}' of {files[0].path}: give two.")
    names = [file.named(column) for file, column in zip(files, columns, strict=True)]
    if names[0] == names[1]:
        names = [f"{file.path}:{column}" for file, column in zip(files, columns, strict=True)]
    tables = [(file.path.name, file.table) for file in files]
    notes = [note for _, table in tables for note in table.notes]
    prepared = None
    if job.data is not None:
        table, prepared = read_data(job.data, job.id_column, files)
        tables.append((job.data.path.name, table))
        notes += [*table.notes, *prepared.notes]
    common = _labels.common_objects(tables)
    frame = pd.DataFrame({
        i: file.table.frame[column].to_numpy()[rows]
        for i, (file, column, rows) in enumerate(zip(files, columns, common.rows, strict=False))
    })  # fmt: skip
    partitions = Ensemble(frame, names=names, ids=common.ids)
    notes = list(dict.fromkeys(notes)) + common.notes + check(partitions)
    X = None if prepared is None else prepared.X[common.rows[2]]
    return partitions, X, notes


def check(partitions: Ensemble) -> list[str]:
    """Refuse labels that divide nothing; a word about those that divide everything, and about objects left out."""
    both = np.asarray((partitions.labels >= 0).all(axis=1))
    if not both.any():
        raise ValueError("No object has a label in both A and B, so there is nothing to compare.")
    notes = []
    for side, name in enumerate(partitions.names):
        inside = np.unique(partitions.labels[both, side])
        if len(inside) == 1:
            label = partitions.classes[side][inside[0]]
            where = "" if both.all() else " that both label"
            raise ValueError(
                f"{name} has nothing to compare: every object{where} has the label '{label}', and one cluster that "
                "holds all divides nothing. Is it the right column, of the right file?"
            )
        if len(inside) == both.sum() > 2:
            notes.append(f"{name} has a different label for every object: is it a column of ids?")
    if not both.all():
        notes.append(f"{(~both).sum():,} of {len(both):,} objects have no label in A or B and do not count.")
    return notes


def measure(partitions: Ensemble, X: np.ndarray | None, *, every: bool, verbose: bool) -> dict[str, float]:
    """The short list of measures, or all."""
    a, b = partitions.labels.T
    if every:
        values = pluribus.compare.compare_partitions(a, b, X, n_jobs=-1, verbose=verbose)
        in_order = sorted(MEASURES, key=lambda name: MEASURES[name].spatial)
        return {name: values[name] for name in in_order if name in values}
    names = SHORT if X is None else SHORT + SHORT_SPATIAL
    values = {}
    for name in track(names, "measures", verbose=verbose):
        function = getattr(pluribus.compare, name)
        values[name] = float(function(a, b, X) if MEASURES[name].spatial else function(a, b))
    return values


def write_files(case: Comparison, out: Path) -> Path:
    """compare.html, compare.csv and disagreement.csv: all are made under temporary names first."""
    with ExitStack() as moves:

        def made(name: str) -> Path:
            return moves.enter_context(atomic_path(out / name))

        measure_frame(case).to_csv(made("compare.csv"), index=False, float_format="%.10g")
        object_frame(case).to_csv(made("disagreement.csv"), index=False, float_format="%.6g")
        write_comparison(case, made("compare.html"))
    return out / "compare.html"


def measure_frame(case: Comparison) -> pd.DataFrame:
    """compare.csv: the measures."""
    rows = [
        (name, value, MEASURES[name].alike, MEASURES[name].range, MEASURES[name].says)
        for name, value in case.measures.items()
    ]
    return pd.DataFrame(rows, columns=["measure", "value", "if_equal", "range", "says"])


def object_frame(case: Comparison) -> pd.DataFrame:
    """disagreement.csv: the objects."""
    moved = pd.array(case.found.moved, dtype="boolean")
    moved[np.isnan(case.found.share)] = pd.NA
    return pd.DataFrame({
        "id": case.ids,
        "a": case.names_of(0),
        "b": case.names_of(1),
        "share": case.found.share,
        "moved": moved,
    })  # fmt: skip


def as_json(case: Comparison, summary: ComparisonSummary) -> dict[str, Any]:
    """What --json prints."""
    words = describe_comparison(summary)
    return {
        "a": summary.names[0],
        "b": summary.names[1],
        "n_objects": summary.n_compared,
        "n_clusters": list(summary.n_clusters),
        "measures": {name: value if np.isfinite(value) else None for name, value in case.measures.items()},
        "headline": words.headline,
        "findings": list(words.findings),
        "contingency": {
            "a": summary.crossing.names[0],
            "b": summary.crossing.names[1],
            "counts": summary.crossing.counts.tolist(),
        },
        "most_disputed": [disputed._asdict() for disputed in summary.disputed],
        "notes": list(summary.notes),
    }


def say(console: Console, summary: ComparisonSummary, every: bool) -> None:
    """The result in a few lines."""
    words = describe_comparison(summary)
    grid = Grid(title=words.headline, title_justify="left")
    grid.add_column("measure")
    grid.add_column("value", justify="right")
    grid.add_column("if equal", justify="right")
    if every:
        grid.add_column("range")
    grid.add_column("what it says")
    for name, value in summary.measures.items():
        told = MEASURES[name]
        extent = (told.range,) if every else ()
        grid.add_row(told.title, f"{value:.4g}", told.alike, *extent, told.says)
    console.print(grid)
    for finding in words.findings:
        console.print(finding, markup=False, highlight=False)
    if summary.map is None:
        console.print("Without --data there is no map of where they differ.", highlight=False)
