"""What the commands share before the work: reading tables, checking options and the output directory."""

import importlib.util
from pathlib import Path

from pluribus.consensus import names
from pluribus.tables import Table, read_table


def read(path: Path, id_column: str | None, ignore: list[str]) -> tuple[Table, str | None]:
    """The table, and the column that names its rows: the one given, or one called "id"."""
    table = read_table(path, id_column=id_column, ignore=ignore)
    if id_column is not None:
        return table, id_column
    named_by = next((column for column in table.frame.columns if str(column).lower() == "id"), None)
    if named_by is None:
        return table, None
    del table  # not held twice
    return read_table(path, id_column=named_by, ignore=ignore), named_by


def check_jobs(jobs: int) -> None:
    """0 cores do nothing."""
    if jobs == 0:
        raise ValueError("--jobs is 0: give a number of cores, or -1 for all.")


def engine(name: str, scheduler: str | None) -> str | None:
    """``--engine`` and ``--scheduler``: the address of a Dask cluster, or None for this machine."""
    if name == "local":
        if scheduler is not None:
            raise ValueError("--scheduler is where a Dask cluster is: add --engine dask to use it.")
        return None
    if scheduler is None:
        raise ValueError("--engine dask needs a cluster: give --scheduler ADDRESS, such as tcp://10.0.0.1:8786.")
    if importlib.util.find_spec("distributed") is None:
        raise ValueError("--engine dask needs Dask: install it with `pip install pluribus[dask]`.")
    return scheduler if "://" in scheduler else f"tcp://{scheduler}"


def columns(text: str) -> list[str]:
    """Column names from a comma-separated list."""
    return [name.strip() for name in text.split(",") if name.strip()]


def number_of_clusters(text: str) -> int | None:
    """``--k``: a whole number from 1, or None for "auto"."""
    if text.strip().lower() == "auto":
        return None
    try:
        k = int(text)
    except ValueError:
        raise ValueError(f"--k is {text!r}: give a whole number, such as 3, or 'auto'.") from None
    if k < 1:
        raise ValueError(f"--k is {k}: there must be at least 1 cluster.")
    return k


def check_fits(k: int | None, n: int) -> None:
    """As many clusters as objects is the most there can be."""
    if k is not None and k > n:
        raise ValueError(f"--k is {k}, but there are only {n} objects: give at most {n}.")


def check_consensus(name: str, option: str, *others: str) -> str:
    """A consensus function's name, as ``by_name`` knows it; ``others`` are what the option takes beside these."""
    if name.lower() not in names():
        raise ValueError(f"{option} is {name!r}: there are {', '.join((*names(), *others))}.")
    return name.lower()


def ready_directory(out: Path) -> Path:
    """Make the output directory, and make sure that it can be written to."""
    if out.exists() and not out.is_dir():
        raise ValueError(f"--out {out} is a file: give a directory.")
    try:
        out.mkdir(parents=True, exist_ok=True)
        probe = out / ".pluribus-writable"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise ValueError(f"--out {out} cannot be written to ({error.strerror}): give another directory.") from error
    return out
