"""``pluribus anonymize``: a table -> the same table with at least k rows that look alike, and what that costs."""

import csv
import warnings
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
from rich.console import Console

from pluribus._engine import atomic_path
from pluribus.anonymize import AnonymityReport, Anonymizer, check_published
from pluribus.cli import _input, _output
from pluribus.report._internal import Anonymity, write_anonymity
from pluribus.tables import Table
from pluribus.tables._internal import listing

_DELIMITERS = {".tsv": "\t", ".tab": "\t"}
_PARQUET = (".parquet", ".pq")


@dataclass(frozen=True)
class AnonymizeJob:
    """The options of the command."""

    data: Path
    k: int = 10
    quasi: str = ""
    sensitive: str | None = None
    l: float | None = None  # noqa: E741
    diversity: Literal["distinct", "entropy", "recursive"] = "distinct"
    m: float = 2.0
    generalize: Literal["mean", "range", "median"] = "mean"
    seed: int = 0
    id_column: str | None = None
    ignore: str = ""
    out: Path | None = None
    jobs: int = -1
    quiet: bool = False


def run(job: AnonymizeJob) -> Path:
    """Do the job; the published table."""
    console = Console(quiet=job.quiet)
    _input.check_jobs(job.jobs)
    if job.l is not None and job.sensitive is None:
        raise ValueError("--l is the diversity of a sensitive column: name it with --sensitive.")
    if job.l is None and job.diversity != "distinct":
        raise ValueError(f"--diversity {job.diversity} needs a number and a column: give --l and --sensitive.")
    table, id_column = _input.read(job.data, job.id_column, _input.columns(job.ignore))
    quasi = _input.columns(job.quasi) or None
    name = _file_name(job.data, job.generalize)
    out = _input.ready_directory(job.out or Path(f"{table.name}-pluribus"))
    if (out / name).resolve() == job.data.resolve():
        raise ValueError(f"--out {out} would write over the table itself: give another directory.")
    console.print(
        f"{job.data.name}: {len(table.frame):,} rows, {table.frame.shape[1]} columns", markup=False, highlight=False
    )
    notes = _said(console, table, id_column, job, quasi)
    model = Anonymizer(
        job.k,
        sensitive=job.sensitive,
        l=int(job.l) if job.l is not None and job.l.is_integer() else job.l,
        diversity=job.diversity,
        recursive_m=job.m,
        generalize=job.generalize,
        random_state=job.seed,
        n_jobs=job.jobs,
        verbose=not job.quiet,
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        published = model.fit_transform(table, quasi)
    notes += _output.say_warnings(console, caught)
    case = Anonymity(
        title=job.data.name,
        report=model.report_,
        notes=notes,
        parameters=_parameters(job, id_column, model.quasi_identifiers_),
        versions=_output.versions(),
    )
    with ExitStack() as moves:
        written = moves.enter_context(atomic_path(out / name))
        _write(published, written, job.data, table.decimal)
        _check(written, job.data, table.decimal, model)
        write_anonymity(case, moves.enter_context(atomic_path(out / "report.html")))
    _summarize(console, model.report_, out / name)
    return out / name


def _said(
    console: Console, table: Table, id_column: str | None, job: AnonymizeJob, quasi: list[str] | None
) -> list[str]:
    """Print what is taken for what, and return it for the report."""
    notes = list(table.notes)
    if id_column is not None:
        notes.append(f"'{id_column}' names the rows, and is left out.")
    elif table.named:
        notes.append("The names of the rows are left out.")
    if quasi is None:
        taken = [str(column) for column in table.frame.columns if str(column) != job.sensitive]
        notes.append(
            f"Quasi-identifiers: all columns{' but the sensitive one' if job.sensitive else ''}, {listing(taken, 12)}. "
            "Name them with --quasi to publish others as they are."
        )
    for note in notes:
        console.print(f"  {note}", markup=False, highlight=False)
    return notes


def _parameters(job: AnonymizeJob, id_column: str | None, quasi: list[str]) -> dict[str, object]:
    return {
        "data": job.data.name,
        "k": job.k,
        "quasi": ", ".join(quasi),
        "sensitive": job.sensitive,
        "l": job.l,
        "diversity": job.diversity if job.l is not None else None,
        "m": job.m if job.l is not None and job.diversity == "recursive" else None,
        "generalize": job.generalize,
        "seed": job.seed,
        "id": id_column,
        "ignore": job.ignore,
    }


def _plain_suffix(path: Path) -> str:
    return (path.with_suffix("") if path.suffix.lower() == ".gz" else path).suffix.lower()


def _file_name(data: Path, generalize: str) -> str:
    """anonymous.csv, or whatever the table came as."""
    suffix = _plain_suffix(data)
    if suffix == ".npz" and generalize == "range":
        raise ValueError("An NPZ file holds numbers, and ranges are text: use --generalize mean, or give a CSV file.")
    return f"anonymous{suffix}{'.gz' if data.suffix.lower() == '.gz' else ''}"


def _text_options(data: Path, decimal: str) -> dict[str, Any]:
    """Of a text file: tabs stay tabs, and semicolons go with decimal commas."""
    delimiter = _DELIMITERS.get(_plain_suffix(data), ";" if decimal == "," else ",")
    return {"sep": delimiter, "compression": "gzip" if data.suffix.lower() == ".gz" else None, "encoding": "utf-8"}


def _write(published: pd.DataFrame, path: Path, data: Path, decimal: str) -> None:
    suffix = _plain_suffix(data)
    if suffix in _PARQUET:
        published.to_parquet(path, index=False)
    elif suffix == ".npz":
        X = published.to_numpy(dtype=np.float64)
        np.savez(path, X=X, feature_names=np.array([str(name) for name in published.columns]))
    else:
        quoting = csv.QUOTE_NONNUMERIC if _has_returns(published) else csv.QUOTE_MINIMAL
        options = _text_options(data, decimal)
        published.to_csv(path, index=False, decimal=decimal, lineterminator="\n", quoting=quoting, **options)


def _has_returns(published: pd.DataFrame) -> bool:
    """Whether some text has a carriage return, which is left without quotes where lines end otherwise."""
    texts = (column for _, column in published.select_dtypes(["object", "string", "category"]).items())
    return any(column.astype(str).str.contains("\r", regex=False).any() for column in (published.columns, *texts))


def _check(path: Path, data: Path, decimal: str, model: Anonymizer) -> None:
    """Count the classes on the file itself, cell by cell as it was written."""
    suffix = _plain_suffix(data)
    if suffix in _PARQUET:
        frame = pd.read_parquet(path)
    elif suffix == ".npz":
        with np.load(path, allow_pickle=False) as arrays:
            frame = pd.DataFrame(arrays["X"], columns=arrays["feature_names"])
    else:
        frame = pd.read_csv(path, dtype=str, keep_default_na=False, **_text_options(data, decimal))
    found = check_published(frame, model.quasi_identifiers_)
    if len(frame) != model.report_.n_rows or found.sizes.min() < model.k:
        raise RuntimeError("The file that was written is not anonymous, and was removed. Please report this.")


def _summarize(console: Console, report: AnonymityReport, path: Path) -> None:
    """The main figures, and where the files are."""

    def say(text: str) -> None:
        console.print(text, soft_wrap=True, highlight=False, markup=False)

    sizes = report.class_sizes
    say(
        f"{len(sizes):,} classes of equal rows, of {sizes.min():,} to {sizes.max():,} rows (k = {report.k}), counted "
        "on the published table"
    )
    say(f"information lost: {report.information_loss:.2f}%")
    worst = sorted((c for c in report.columns if np.isfinite(c.loss)), key=lambda c: -c.loss)[:8]
    say("  most in " + ", ".join(f"'{column.name}' {column.loss:.1f}%" for column in worst) if worst else "  nothing")
    if report.diversity is not None:
        say(f"diversity of '{report.diversity.attribute}': {report.diversity.condition} holds in every class")
    left_out = [f"'{name}' is left out: {reason}." for name, reason in report.dropped.items()]
    for note in (*left_out, *report.notes, report.warning):
        say(f"  Note: {note}")
    say(f"table: {path}")
    say(f"report: {path.parent / 'report.html'}")
