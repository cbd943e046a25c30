"""What the commands share before the work: the engine, the number of clusters, the output directory."""

import importlib.util
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any


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


def result_directory(out: Path, *, needed: bool = True) -> Path | None:
    """The directory for the results, which can be made and written to; None if none is needed."""
    if not needed:
        return None
    if out.exists() and not out.is_dir():
        raise ValueError(f"--out {out} is a file: give a directory.")
    there = next(place for place in (out, *out.resolve().parents) if place.exists())
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        raise ValueError(f"--out {out} cannot be written to: give another directory.")
    return out
