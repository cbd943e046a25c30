"""``pluribus combine``: files of labels -> a consensus -> a report."""

import time
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from rich.console import Console

from pluribus.cli import _input, _output
from pluribus.consensus import EvidenceAccumulation, by_name
from pluribus.partitions import Ensemble
from pluribus.tables import Table

OUR_COLUMNS = ["cluster", "uncertainty", "membership"]  # of a labels.csv that we wrote, beside its ids


@dataclass(frozen=True)
class CombineJob:
    """The options of the command."""

    labels: list[Path]
    k: str = "auto"
    method: str = "eac"
    seed: int = 0
    id_column: str | None = None
    ignore: str = ""
    unobserved: str = "error"
    out: Path | None = None
    quiet: bool = False


def run(job: CombineJob) -> _output.Written:
    """Do the job and write its results."""
    console = Console(quiet=job.quiet)
    start = time.perf_counter()
    k = _input.number_of_clusters(job.k)
    method = _input.check_consensus(job.method, "--method")
    ensemble, notes = read_ensemble(job.labels, job.id_column, _input.columns(job.ignore))
    _input.check_fits(k, ensemble.n_objects)
    console.print(f"{ensemble!r}", markup=False)
    for note in notes:
        console.print(f"  {note}", markup=False, highlight=False)
    out = _input.ready_directory(job.out or Path(f"{job.labels[0].stem}-pluribus"))

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        # Clusterings made by people or tools have about the number of clusters that is sought: at most the finest has.
        k_range = (2, max(2, int(ensemble.n_clusters.max()))) if k is None else None
        consensus = EvidenceAccumulation(
            k, linkage="average", k_range=k_range, unobserved=job.unobserved, verbose=not job.quiet
        ).fit(ensemble)
        if method != "eac":
            consensus = by_name(method)(consensus.n_clusters_, random_state=job.seed, verbose=not job.quiet)
            consensus.fit(ensemble)
    notes += [str(warning.message) for warning in caught if issubclass(warning.category, UserWarning)]
    case = _output.case_of(
        consensus,
        ensemble,
        k=k,
        title=" + ".join(path.name for path in job.labels),
        ids=ensemble.ids,
        notes=notes,
        parameters={
            "labels": [path.name for path in job.labels],
            "k": job.k,
            "method": method,
            "id": job.id_column,
            "ignore": job.ignore,
            "unobserved": job.unobserved,
        },
        seed=job.seed,
    )
    written = _output.write(case, out, {"seconds": round(time.perf_counter() - start, 2)})
    _output.summarize(console, case, written)
    return written


def read_ensemble(paths: list[Path], id_column: str | None, ignore: list[str]) -> tuple[Ensemble, list[str]]:
    """The partitions of all files, joined by id where there is one, else row by row."""
    tables, named = [], []
    for path in paths:
        table, used = _input.read(path, id_column, _only_there(path, ignore, len(paths)))
        tables.append(table)
        named.append(used is not None)
    notes = [note for table in tables for note in table.notes]
    frames = [_partitions(table, len(paths) > 1) for table in tables]
    if all(named):
        joined = pd.concat([f.set_axis(t.ids) for f, t in zip(frames, tables, strict=True)], axis=1, join="outer")
        lost = len(joined) - min(len(f) for f in frames)
        if lost:
            notes.append(f"The files are joined by id: {lost:,} of {len(joined):,} objects are not in every file.")
        ids = joined.index.to_numpy().astype(str)
    else:
        lengths = {path.name: len(f) for path, f in zip(paths, frames, strict=True)}
        if len(set(lengths.values())) > 1:
            rows = ", ".join(f"{name}: {n:,}" for name, n in lengths.items())
            raise ValueError(
                f"The files have different numbers of rows ({rows}), and "
                "no id column to join them by. Name it with --id, or give files of the same objects in the same order."
            )
        joined = pd.concat([f.reset_index(drop=True) for f in frames], axis=1)
        ids = tables[named.index(True)].ids if any(named) else tables[0].ids
    return Ensemble(joined, ids=np.asarray(ids)), notes


def _only_there(path: Path, ignore: list[str], n_files: int) -> list[str]:
    """With several files, a column to ignore need not be in all of them."""
    if n_files == 1 or not ignore:
        return ignore
    from pluribus.tables import read_table

    present = set(read_table(path).frame.columns.astype(str))
    return [name for name in ignore if name in present]


def _partitions(table: Table, several: bool) -> pd.DataFrame:
    """The label columns; of a labels.csv that we wrote, only the clusters. Names tell the files apart."""
    frame = table.frame
    if list(frame.columns[:3]) == OUR_COLUMNS:
        frame = frame[["cluster"]]
    if several:
        frame = frame.add_prefix(f"{table.name}:") if frame.shape[1] > 1 else frame.set_axis([table.name], axis=1)
    return frame
