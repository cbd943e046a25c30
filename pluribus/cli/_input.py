"""What the commands share before the work: the engine, the number of clusters, the output directory."""

import importlib.util
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pluribus._engine import ResultDirectory


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


def numbered(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options with ``--k auto`` as None; 0 cores are refused."""
    if options.get("n_jobs") == 0:
        raise ValueError("--jobs is 0: give a number of cores, or -1 for all.")
    return {name: None if (name, value) == ("k", "auto") else value for name, value in options.items()}


@contextmanager
def result_directory(
    out: Path | None,
    name: str,
    names: Iterable[str],
    *,
    reads: Iterable[Path | None] = (),
    overwrite: bool = False,
    json: bool = False,
) -> Iterator[ResultDirectory | None]:
    """The directory for results of these names, checked before any work; None if JSON is all that is wanted.

    ``name`` is that of the directory, if none is given; ``reads`` are the files that the command reads.
    """
    if out is None and json:
        yield None
        return
    files = [path for path in reads if path is not None]
    with ResultDirectory(out or Path(name), files, overwrite=overwrite).opened() as directory:
        directory.check(names)
        yield directory


def file_of(text: str) -> Path:
    """The file of FILE or FILE:COLUMN."""
    return Path(text if Path(text).exists() or ":" not in text else text.rpartition(":")[0])


def stem(path: Path) -> str:
    """The name of a file without its endings: of "wine.csv.gz", "wine"."""
    return path.name.removesuffix(".gz").rsplit(".", 1)[0] or path.name
