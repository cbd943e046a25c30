"""``pluribus combine``: files of labels -> a consensus -> a report."""

import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from rich.console import Console

from pluribus._engine import memory_budget
from pluribus.cli import _input, _methods, _number, _output, _sizes
from pluribus.cli._known import check_feasible, read_known
from pluribus.cli._labels import label_columns
from pluribus.consensus import MethodComparison, by_name, compare_methods
from pluribus.consensus._internal import accumulate, configured, enough_clusters, predict_seconds
from pluribus.evidence import CoAssociation
from pluribus.partitions import Ensemble
from pluribus.pipeline import Plan, make_plan
from pluribus.report._internal import KIndices, k_indices
from pluribus.tables import Table
from pluribus.validate import KChoice

ALL = "all"  # in place of a method: every one


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
    memory_limit: str | None = None
    quiet: bool = False
    must_link: Path | None = None
    cannot_link: Path | None = None
    known_labels: Path | None = None
    min_size: str | None = None
    max_size: str | None = None
    balance: bool = False


def run(job: CombineJob) -> _output.Written:
    """Do the job and write its results."""
    with memory_budget(job.memory_limit):
        return _run(job)


def _run(job: CombineJob) -> _output.Written:
    console = Console(quiet=job.quiet)
    start = time.perf_counter()
    k = _input.number_of_clusters(job.k)
    method = ALL if job.method.lower() == ALL else _input.check_consensus(job.method, "--method", ALL)
    if method != ALL and by_name(method)().needs_data:
        raise ValueError(
            f"--method {method} needs the data beside the labels: use pluribus cluster --consensus {method}."
        )
    sizes = _sizes.read(job.min_size, job.max_size, job.balance)
    if sizes is not None and method == ALL:
        raise ValueError("--method all compares methods without bounds on sizes: choose one method.")
    ensemble, notes = read_ensemble(job.labels, job.id_column, _input.columns(job.ignore))
    _input.check_fits(k, ensemble.n_objects)
    ids = np.arange(ensemble.n_objects) if ensemble.ids is None else ensemble.ids
    known, not_used = read_known(job.must_link, job.cannot_link, job.known_labels, ids)
    notes += not_used
    check_feasible(known, k, ids)
    _sizes.check(sizes, None, known, ensemble.n_objects, k)
    if known is not None:
        method = "ceac" if method == "eac" else method
        if method == ALL or not by_name(method)().takes_constraints:
            raise ValueError(f"--method {method} takes no constraints: use ceac or acccs.")
    console.print(f"{ensemble!r}", markup=False)
    for note in notes:
        console.print(f"  {note}", markup=False, highlight=False)
    check_observed(ensemble, job.unobserved)
    if method != ALL:
        notes += _output.say_plan(
            console, _plan(ensemble, method, k), ensemble.n_objects, asked=job.memory_limit is not None
        )
    out = _input.ready_directory(job.out or Path(f"{job.labels[0].stem}-pluribus"))

    compared: MethodComparison | None = None
    choice: KChoice | None = None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        warnings.filterwarnings("ignore", message=r".* pairs of objects are covered by no")  # it was allowed
        consensus: Any = None
        found = k
        if k is None and method != ALL and _number.is_chosen(method):
            choice = _number.choose(ensemble, None, seed=job.seed, jobs=-1, verbose=not job.quiet)
            found = choice.n_clusters if known is None else enough_clusters(known, choice.n_clusters)
        if method == ALL:
            compared = compare_methods(ensemble, k, random_state=job.seed, verbose=not job.quiet)
            consensus = compared.consensus
        elif method == "eac":
            consensus = (
                accumulate(ensemble, k, unobserved="zero", n_jobs=-1, verbose=not job.quiet)
                if choice is None
                else _number.accumulated(choice)
            )
        else:
            consensus = configured(method, n_clusters=found, random_state=job.seed, verbose=not job.quiet)
            consensus.fit(ensemble, **({} if known is None else {"constraints": known}))
    notes += _output.say_warnings(console, caught)
    if compared is not None:
        notes += _methods.say(console, compared)
    judged: KIndices | None = None
    if choice is not None:
        notes += _number.say(console, choice)
        if found != choice.n_clusters:
            notes.append(f"The constraints ask for more clusters than that: {found}.")
            console.print(f"  Note: {notes[-1]}", markup=False, highlight=False)
        judged = k_indices(choice, consensus.n_clusters_)
    elif k is None:
        judged, said = _number.second_opinion(consensus.labels_, ensemble, None, job.seed, verbose=not job.quiet)
        notes += said
    if sizes is not None:
        consensus, said = sizes.kept_by(consensus)
        notes += _output.say(console, said)
    case = _output.case_of(
        consensus,
        ensemble,
        k=k,
        title=" + ".join(path.name for path in job.labels),
        ids=ensemble.ids,
        notes=notes,
        k_indices=judged,
        methods=compared,
        known=known,
        parameters={
            "labels": [path.name for path in job.labels],
            "k": job.k,
            "method": method,
            "id": job.id_column,
            "ignore": job.ignore,
            "unobserved": job.unobserved,
            **_sizes.told(job.min_size, job.max_size, job.balance),
        },
        seed=job.seed,
    )
    written = _output.write(case, out, {"seconds": round(time.perf_counter() - start, 2), **_number.figures(choice)})
    _output.summarize(console, case, written)
    return written


def _plan(ensemble: Ensemble, method: str, k: int | None) -> Plan:
    """What the consensus will take of memory; refused if too much."""
    n, r = ensemble.labels.shape
    distinct = ensemble.unique_rows().ensemble
    return make_plan(
        n,
        r,
        int(ensemble.n_clusters.max()),
        method=method,
        n_clusters=k,
        n_distinct=distinct.n_objects,
        seconds=predict_seconds(distinct, "average"),
    )


def read_ensemble(paths: list[Path], id_column: str | None, ignore: list[str]) -> tuple[Ensemble, list[str]]:
    """The partitions of all files, joined by id where there is one, else row by row."""
    tables = tuple(_input.read(path, id_column, [])[0] for path in paths)
    _check_ignored(ignore, tables)
    notes = [note for table in tables for note in table.notes]
    frames = [_partitions(table, ignore, prefix) for table, prefix in zip(tables, _file_names(paths), strict=True)]
    notes += _one_label_each(frames)
    if all(table.named for table in tables):
        joined = pd.concat([f.set_axis(t.ids) for f, t in zip(frames, tables, strict=True)], axis=1, join="outer")
        appearances = pd.Series(np.concatenate([table.ids for table in tables])).value_counts()
        partly = int((appearances < len(tables)).sum())
        if partly:
            notes.append(f"The files are joined by id: {partly:,} of {len(joined):,} objects are not in every file.")
        return Ensemble(joined, ids=joined.index.to_numpy().astype(str)), notes
    if any(table.named for table in tables):
        without = [str(path) for path, table in zip(paths, tables, strict=True) if not table.named]
        raise ValueError(
            f"Some files have an id column, but {', '.join(without)} has none, so the rows cannot be matched. Call it "
            "'id' in all files, or name it with --id."
        )
    lengths = {path.name: len(f) for path, f in zip(paths, frames, strict=True)}
    if len(set(lengths.values())) > 1:
        rows = ", ".join(f"{name}: {n:,}" for name, n in lengths.items())
        raise ValueError(
            f"The files have different numbers of rows ({rows}), and no id column to join them by. Name it with --id, "
            "or give files of the same objects in the same order."
        )
    return Ensemble(pd.concat([f.reset_index(drop=True) for f in frames], axis=1), ids=tables[0].ids), notes


def check_observed(ensemble: Ensemble, unobserved: str) -> None:
    """Refuse pairs of objects of which nothing is known, unless they may count as apart."""
    n_pairs = CoAssociation(ensemble, form="operator").n_unobserved_pairs if ensemble.has_missing else 0
    if n_pairs and unobserved == "error":
        raise ValueError(
            f"{n_pairs:,} pairs of objects are covered by no clustering together, so nothing is known of them. "
            "Add a clustering that covers them, or let them count as apart with --unobserved zero."
        )


def _check_ignored(ignore: list[str], tables: tuple[Table, ...]) -> None:
    present = {str(column) for table in tables for column in table.frame.columns}
    unknown = [name for name in ignore if name not in present]
    if unknown:
        raise ValueError(
            f"--ignore names {', '.join(unknown)}, but the files have only the columns {', '.join(sorted(present))}."
        )


def _file_names(paths: list[Path]) -> list[str]:
    """What to call the partitions of each file: nothing if there is one, else its name, else its whole path."""
    if len(paths) == 1:
        return [""]
    for names in ([p.stem for p in paths], [f"{p.parent.name}/{p.stem}" for p in paths], [str(p) for p in paths]):
        if len(set(names)) == len(paths):
            return names
    twice = next(str(p) for p in paths if paths.count(p) > 1)
    raise ValueError(f"{twice} is given more than once: give each file once.")


def _partitions(table: Table, ignore: list[str], prefix: str) -> pd.DataFrame:
    """The label columns; of a labels.csv that we wrote, only the clusters. Names tell the files apart."""
    frame = table.frame[label_columns(table)]
    frame = frame.drop(columns=[name for name in ignore if name in frame])
    if not frame.shape[1]:
        raise ValueError(f"{table.name} has no column of labels left: there must be one for each clustering.")
    if prefix:
        frame = frame.add_prefix(f"{prefix}:") if frame.shape[1] > 1 else frame.set_axis([prefix], axis=1)
    return frame


def _one_label_each(frames: list[pd.DataFrame]) -> list[str]:
    """A word about columns that put every object into a cluster of its own: most likely they are no labels."""
    alone = [str(c) for f in frames for c in f.columns if len(f) > 2 and f[c].nunique() == len(f)]
    return [
        f"Column '{name}' has a different label for every object: is it one of ids? Leave it out with --ignore."
        for name in alone
    ]
