"""``pluribus compare``: two files of labels -> measures, a page on where they differ."""

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from rich.console import Console
from rich.table import Table as Grid

import pluribus.compare
from pluribus._engine import track
from pluribus.cli import _input, _labels
from pluribus.cli._data import DataOptions, read_data
from pluribus.cli._screen import Screen, print_json, said
from pluribus.partitions import Ensemble
from pluribus.pipeline._internal import versions
from pluribus.report import Comparison, ComparisonSummary, summarize_comparison, write_comparison
from pluribus.report._internal import MEASURES, SHORT, SHORT_SPATIAL, describe_comparison

FILES = ("compare.csv", "disagreement.csv", "compare.html")


def run(
    a: str,
    b: str,
    *,
    data: Path | None = None,
    every: bool = False,
    id_column: str | None = None,
    ignore: Sequence[str] = (),
    scale: Any = "standard",
    impute: bool = False,
    out: Path | None = None,
    overwrite: bool = False,
    json: bool = False,
    quiet: bool = False,
) -> Path | None:
    """Do the job; the page, if it was written."""
    screen = Screen(quiet=quiet, json=json)
    table = None if data is None else DataOptions(data, tuple(ignore), scale, impute)
    reads = [_labels.path_of(a), _labels.path_of(b), data]
    place: dict[str, Any] = {"reads": reads, "overwrite": overwrite, "json": json}
    with _input.result_directory(out, f"{_input.stem(_labels.path_of(a))}-compared", FILES, **place) as directory:
        case = compared(a, b, table, id_column, screen, every=every)
        summary = summarize_comparison(case)
        if directory is not None:
            with directory.files(FILES) as made:
                write_files(case, made)
    if json:
        print_json(as_json(case, summary))
    else:
        say(screen.console, summary, every)
    if directory is None:
        return None
    screen.files({"page": directory.path / "compare.html", "measures": directory.path / "compare.csv"})
    return directory.path / "compare.html"


def compared(
    a: str, b: str, table: DataOptions | None, id_column: str | None, screen: Screen, *, every: bool
) -> Comparison:
    """Read both partitions and measure how far apart they are."""
    partitions, X, notes = read(a, b, table, id_column)
    screen.line("A: {}\nB: {}".format(*partitions.names))
    for note in notes:
        screen.line(f"  {note}")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        measures = measure(partitions, X, every=every, verbose=not screen.silent)
    notes += said(screen, caught)
    if every and X is not None and "cdistance" not in measures:
        notes.append("CDistance is left out: the clusters are too large for it. See pluribus.compare.cdistance.")
    return Comparison(
        title=" and ".join(partitions.names),
        partitions=partitions,
        measures=measures,
        X=X,
        notes=notes,
        parameters={"A": a, "B": b, "id": id_column} | ({"data": None} if table is None else table.stated),
        versions=versions(),
    )


def read(
    a: str, b: str, data: DataOptions | None, id_column: str | None
) -> tuple[Ensemble, np.ndarray | None, list[str]]:
    """Both partitions and the data, over the objects that all have; errors before any work."""
    files = [_labels.read_labels(argument, id_column) for argument in (a, b)]
    columns = [_labels.one_column(file) for file in files]
    if files[0].path.resolve() == files[1].path.resolve() and columns[0] == columns[1]:
        raise ValueError(f"A and B are the same column, '{columns[0]}' of {files[0].path}: give two.")
    names = [file.named(column) for file, column in zip(files, columns, strict=True)]
    if names[0] == names[1]:
        names = [f"{file.path}:{column}" for file, column in zip(files, columns, strict=True)]
    tables = [(file.path.name, file.table) for file in files]
    notes = [note for _, table in tables for note in table.notes]
    prepared = None
    if data is not None:
        table, prepared = read_data(data, id_column, files)
        tables.append((data.path.name, table))
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


def write_files(case: Comparison, made: Mapping[str, Path]) -> None:
    """compare.html, compare.csv and disagreement.csv."""
    measure_frame(case).to_csv(made["compare.csv"], index=False, float_format="%.10g")
    object_frame(case).to_csv(made["disagreement.csv"], index=False, float_format="%.6g")
    write_comparison(case, made["compare.html"])


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
        known = MEASURES[name]
        extent = (known.range,) if every else ()
        grid.add_row(known.title, f"{value:.4g}", known.alike, *extent, known.says)
    console.print(grid)
    for finding in words.findings:
        console.print(finding, markup=False, highlight=False)
    if summary.map is None:
        console.print("Without --data there is no map of where they differ.", highlight=False)
