"""``pluribus anonymize``: a table -> the same table with at least k rows that look alike, and what that costs."""

import csv
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
from rich.console import Console

from pluribus.anonymize import AnonymityReport, Anonymizer, check_published
from pluribus.cli import _input
from pluribus.cli._screen import Screen, print_json, said
from pluribus.pipeline._internal import versions
from pluribus.report._internal import Anonymity, write_anonymity
from pluribus.tables import Table, as_table
from pluribus.tables._internal import listing

_DELIMITERS = {".tsv": "\t", ".tab": "\t"}
_PARQUET = (".parquet", ".pq")


def run(
    data: Path,
    *,
    k: int = 10,
    quasi: Sequence[str] = (),
    sensitive: str | None = None,
    l: float | None = None,  # noqa: E741
    diversity: Literal["distinct", "entropy", "recursive"] = "distinct",
    m: float = 2.0,
    generalize: Literal["mean", "range", "median"] = "mean",
    seed: int = 0,
    id_column: str | None = None,
    ignore: Sequence[str] = (),
    out: Path | None = None,
    overwrite: bool = False,
    n_jobs: int = -1,
    quiet: bool = False,
    json: bool = False,
) -> Path | None:
    """Do the job; the published table, if it was written."""
    screen = Screen(quiet=quiet, json=json)
    _input.numbered({"n_jobs": n_jobs})
    _check_diversity(l, diversity, sensitive)
    name = _file_name(data, generalize)
    names = (name, "report.html")
    place: dict[str, Any] = {"reads": [data], "overwrite": overwrite, "json": json}
    with _input.result_directory(out, f"{_input.stem(data)}-anonymous", names, **place) as directory:
        table = as_table(data, id_column=id_column, ignore=ignore)
        notes = _assumptions(table, list(quasi), sensitive)
        screen.line(f"{data.name}: {len(table.frame):,} rows, {table.frame.shape[1]} columns")
        for note in notes:
            screen.line(f"  {note}")
        model = Anonymizer(
            k,
            sensitive=sensitive,
            l=int(l) if l is not None and l.is_integer() else l,
            diversity=diversity,
            recursive_m=m,
            generalize=generalize,
            random_state=seed,
            n_jobs=n_jobs,
            verbose=not screen.silent,
        )
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            published = model.fit_transform(table, list(quasi) or None)
        notes += said(screen, caught)
        case = Anonymity(data.name, model.report_, notes, _stated(model, data, table, ignore), versions())
        if directory is not None:
            with directory.files(names) as made:
                _write(published, made[name], data, table.decimal)
                _check(made[name], data, table.decimal, model)
                write_anonymity(case, made["report.html"])
    path = None if directory is None else directory.path / name
    if json:
        print_json(_as_json(model.report_, notes, path, published))
    else:
        _summarize(screen.console, model.report_, path)
    return path


def _check_diversity(l: float | None, diversity: str, sensitive: str | None) -> None:  # noqa: E741
    """Refuse half of what diversity needs: a number and a column."""
    if l is not None and sensitive is None:
        raise ValueError("--l is the diversity of a sensitive column: name it with --sensitive.")
    if l is None and diversity != "distinct":
        raise ValueError(f"--diversity {diversity} needs a number and a column: give --l and --sensitive.")


def _stated(model: Anonymizer, data: Path, table: Table, ignore: Sequence[str]) -> dict[str, object]:
    """The options, for the page."""
    diverse = model.l is not None
    return {
        "data": data.name,
        "k": model.k,
        "quasi": ", ".join(model.quasi_identifiers_),
        "sensitive": model.sensitive,
        "l": model.l,
        "diversity": model.diversity if diverse else None,
        "m": model.recursive_m if diverse and model.diversity == "recursive" else None,
        "generalize": model.generalize,
        "seed": model.random_state,
        "id": table.id_column,
        "ignore": ", ".join(ignore),
    }


def _assumptions(table: Table, quasi: list[str], sensitive: str | None) -> list[str]:
    """What is taken for what."""
    notes = list(table.notes)
    if table.id_column is not None:
        notes.append(f"'{table.id_column}' names the rows, and is left out.")
    elif table.named:
        notes.append("The names of the rows are left out.")
    if not quasi:
        taken = [str(column) for column in table.frame.columns if str(column) != sensitive]
        notes.append(
            f"Quasi-identifiers: all columns{' but the sensitive one' if sensitive else ''}, {listing(taken, 12)}. "
            "Name them with --quasi to publish others as they are."
        )
    return notes


def _as_json(report: AnonymityReport, notes: list[str], path: Path | None, published: pd.DataFrame) -> dict[str, Any]:
    """The figures; the table too, if it is written to no file."""
    sizes = report.class_sizes
    figures = {
        "n_rows": report.n_rows,
        "n_classes": len(sizes),
        "smallest_class": int(sizes.min()),
        "k": report.k,
        "information_loss": report.information_loss,
        "columns": {column.name: column.loss for column in report.columns},
        "dropped": dict(report.dropped),
        "notes": [*notes, *report.notes, report.warning],
    }
    return figures | ({"table": published.to_dict("list")} if path is None else {"file": str(path)})


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


def _summarize(console: Console, report: AnonymityReport, path: Path | None) -> None:
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
    if path is not None:
        say(f"table: {path}")
        say(f"report: {path.parent / 'report.html'}")
