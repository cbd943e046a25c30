"""``pluribus validate``: files of candidate partitions -> indices, a vote, a page."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from pluribus.cli import _input, _labels
from pluribus.cli._data import DataOptions, read_data
from pluribus.cli._screen import Screen, print_json
from pluribus.partitions import Ensemble
from pluribus.pipeline._internal import versions
from pluribus.report import Validation, ValidationSummary, summarize_validation, write_validation
from pluribus.report._internal import index_title
from pluribus.validate import CRITERIA, PartitionChoice, choose_partition

_MOST_CLUSTERS = 2000  # of a candidate, where indices look at samples
_SAMPLED = 5000
FILES = ("validate.csv", "indices.csv", "validate.html")


@dataclass(frozen=True, eq=False)
class Given:
    """What was read, over the objects that all files have."""

    candidates: Ensemble
    X: np.ndarray | None
    ensemble: Ensemble | None
    notes: list[str]


def run(
    labels: list[str],
    *,
    data: Path | None = None,
    ensemble: Path | None = None,
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
    if data is None and ensemble is None:
        raise ValueError(
            "There is nothing to compare the partitions with. Give the table of the objects with --data, the "
            "clusterings that the partitions came from with --ensemble, or both."
        )
    table = None if data is None else DataOptions(data, tuple(ignore), scale, impute)
    paths = [_labels.path_of(argument) for argument in labels]
    place: dict[str, Any] = {"reads": [*paths, data, ensemble], "overwrite": overwrite, "json": json}
    with _input.result_directory(out, f"{_input.stem(paths[0])}-validated", FILES, **place) as directory:
        case = validated(labels, table, ensemble, id_column, screen)
        summary = summarize_validation(case)
        if directory is not None:
            with directory.files(FILES) as made:
                write_files(case, summary, made)
    if json:
        print_json(as_json(case, summary))
    else:
        say(screen.console, summary)
    if directory is None:
        return None
    screen.files({"page": directory.path / "validate.html", "table": directory.path / "validate.csv"})
    return directory.path / "validate.html"


def validated(
    labels: list[str], table: DataOptions | None, ensemble: Path | None, id_column: str | None, screen: Screen
) -> Validation:
    """Read the candidates and judge them."""
    given = read(labels, table, ensemble, id_column)
    n, m = given.candidates.n_objects, given.candidates.n_partitions
    screen.line(f"{m} candidate{'s' if m > 1 else ''}, {n:,} objects")
    for note in given.notes:
        screen.line(f"  {note}")
    choice, further = judge(given, verbose=not screen.silent)
    stated = {"labels": ", ".join(labels), "ensemble": ensemble.name if ensemble else None, "id": id_column}
    return Validation(
        title=" + ".join(dict.fromkeys(_labels.path_of(argument).name for argument in labels)),
        candidates=given.candidates,
        choice=choice,
        further=further,
        X=given.X,
        ensemble=given.ensemble,
        notes=given.notes,
        parameters=stated | ({"data": None} if table is None else table.stated),
        versions=versions(),
    )


def read(labels: list[str], data: DataOptions | None, ensemble: Path | None, id_column: str | None) -> Given:
    """Candidates, data and ensemble, over the objects that all have; errors before any work."""
    files = [_labels.read_labels(argument, id_column) for argument in labels]
    tables = [(file.path.name, file.table) for file in files]
    notes = [note for _, table in tables for note in table.notes]
    prepared = members = None
    if data is not None:
        table, prepared = read_data(data, id_column, files)
        tables.append((data.path.name, table))
        notes += [*table.notes, *prepared.notes]
    if ensemble is not None:
        members = _labels.read_labels(str(ensemble), id_column)
        tables.append((members.path.name, members.table))
    common = _labels.common_objects(tables)
    frames = [
        file.table.frame[file.columns].iloc[rows].set_axis(names, axis=1).reset_index(drop=True)
        for file, names, rows in zip(files, _labels.candidate_names(files), common.rows, strict=False)
    ]
    candidates = Ensemble(pd.concat(frames, axis=1), ids=common.ids)
    kept, left_out = _judgeable(candidates)
    return Given(
        candidates.take_partitions(kept),
        X=None if prepared is None else prepared.X[common.rows[len(files)]],
        ensemble=None if members is None else Ensemble(members.table.frame[members.columns].iloc[common.rows[-1]]),
        notes=[*dict.fromkeys(notes), *common.notes, *left_out],
    )


def _judgeable(candidates: Ensemble) -> tuple[list[int], list[str]]:
    """Candidates that have clusters to judge, and a word about the others."""
    n, kept, notes = candidates.n_objects, [], []
    for place, (name, k) in enumerate(zip(candidates.names, candidates.n_clusters.tolist(), strict=True)):
        missing = int((candidates.labels[:, place] < 0).sum())
        if k == 1:
            label = candidates.classes[place][0]
            notes.append(
                f"{name} is left out: every object has the label '{label}', and one cluster that holds all divides "
                "nothing, so there is nothing to judge."
            )
        elif k == n - missing:
            notes.append(f"{name} is left out: it has a different label for every object. Is it a column of ids?")
        elif n > _SAMPLED and k > _MOST_CLUSTERS:
            notes.append(f"{name} is left out: {k:,} clusters are too many to be judged from samples of the objects.")
        else:
            kept.append(place)
            if missing:
                notes.append(f"{name} has no label for {missing:,} of {n:,} objects and is judged by the others.")
    if not kept:
        raise ValueError(f"There is no partition to judge. {' '.join(notes)}")
    return kept, notes


def judge(given: Given, *, verbose: bool) -> tuple[PartitionChoice, pd.DataFrame | None]:
    """The choice by the indices that can be compared, and the values of the others."""
    options: dict[str, Any] = {
        "X": given.X, "ensemble": given.ensemble, "missing": "ignore", "n_jobs": -1,
        "verbose": verbose,
    }  # fmt: skip
    choice = choose_partition(given.candidates, **options)
    levels = {"data"} if given.X is not None else set()
    levels |= {"similarity", "ensemble"} if given.ensemble is not None else set()
    others = [
        criterion.name
        for criterion in CRITERIA.values()
        if criterion.function is not None and criterion.level in levels and criterion.name not in choice.frame
    ]
    if not others:
        return choice, None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # which of them are not fair is said beside their values
        return choice, choose_partition(given.candidates, criteria=others, **options).details


def table(case: Validation, summary: ValidationSummary) -> pd.DataFrame:
    """validate.csv: the candidates in their ranking."""
    columns: dict[str, Any] = {
        "rank": np.arange(1, len(summary.candidates) + 1),
        "candidate": summary.candidates,
        "n_clusters": summary.n_clusters,
        "votes": summary.votes,
    }
    return pd.DataFrame(columns | {index.criterion.name: index.value for index in summary.indices})


def write_files(case: Validation, summary: ValidationSummary, made: Mapping[str, Path]) -> None:
    """validate.html, validate.csv and indices.csv."""
    table(case, summary).to_csv(made["validate.csv"], index=False, float_format="%.10g")
    details(case, summary).to_csv(made["indices.csv"], index=False, float_format="%.10g")
    write_validation(case, made["validate.html"])


def details(case: Validation, summary: ValidationSummary) -> pd.DataFrame:
    """indices.csv: every value with its interval, what it was held against, and whether it had a vote."""
    frame = case.details.copy()
    voting = {index.criterion.name for index in summary.deciding}
    frame["level"] = [CRITERIA[name].level for name in frame["criterion"]]
    frame["greater_is_better"] = [CRITERIA[name].greater_is_better for name in frame["criterion"]]
    frame["fair_across_k"] = [CRITERIA[name].fair_across_k for name in frame["criterion"]]
    frame["votes"] = [name in voting for name in frame["criterion"]]
    return frame


def as_json(case: Validation, summary: ValidationSummary) -> dict[str, Any]:
    """What --json prints."""
    rows = table(case, summary).to_dict("records")
    return {
        "preferred": summary.chosen,
        "sentence": summary.sentence,
        "tied": list(case.choice.tied),
        "n_objects": summary.n_objects,
        "candidates": rows,
        "indices": {
            index.criterion.name: {
                "asks": index.criterion.asks,
                "level": index.criterion.level,
                "greater_is_better": index.criterion.greater_is_better,
                "fair_across_k": index.fair,
                "votes": index.votes,
            }
            for index in summary.indices
        },
        "warnings": list(summary.warnings),
        "notes": list(summary.notes),
    }


def say(console: Console, summary: ValidationSummary) -> None:
    """The ranked table, why, and what to beware of."""
    grid = Grid(title=f"{len(summary.candidates)} candidates, ranked", title_justify="left")
    grid.add_column("", justify="right")
    grid.add_column("candidate")
    for name in ("k", "votes"):
        grid.add_column(name, justify="right")
    for index in summary.deciding:
        arrow = "↑" if index.criterion.greater_is_better else "↓"
        grid.add_column(f"{index_title(index.criterion.name)} {arrow}", justify="right")
    for place, name in enumerate(summary.candidates):
        cells = [
            Text(_short(index.value[place]), style="bold" if index.best[place] else "") for index in summary.deciding
        ]
        grid.add_row(
            str(place + 1), Text(name), str(summary.n_clusters[place]), f"{summary.votes[place]:.3g}", *cells,
            style="bold" if place == 0 else "",
        )  # fmt: skip
    console.print(grid)
    console.print(summary.sentence, markup=False, highlight=False)
    unfair = [index_title(index.criterion.name) for index in summary.others if not index.fair]
    for warning in summary.warnings:
        console.print(f"  Note: {warning}", markup=False, highlight=False)
    if unfair and summary.by_k:
        console.print(
            f"  Note: {', '.join(unfair)} cannot compare different numbers of clusters and had no vote; they are in "
            "the page.",
            highlight=False,
        )


def _short(value: float) -> str:
    return "–" if np.isnan(value) else f"{value:.4g}"
