"""Jobs of the command line in processes of their own, and what is said and left of them."""

import os
import resource
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

PATIENCE = 900  # seconds for a job; a busy machine may need them
RESULTS = {"labels.csv", "ensemble.parquet", "model.json", "model.pluribus", "report.html"}
_ROWS, _MEMBERS = 400, 40


def table(folder: Path) -> Path:
    """A table of three groups."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(_ROWS, 4)) + 7 * np.eye(4)[np.arange(_ROWS) % 3], columns=list("abcd"))
    frame.to_csv(folder / "data.csv", index=False)
    return folder / "data.csv"


def command(data: Path, *more: str) -> list[str]:
    """Cluster it, and write the results beside it."""
    job = ["cluster", str(data), "--members", str(_MEMBERS), "--jobs", "1", "--out", str(data.parent / "out")]
    return [sys.executable, "-m", "pluribus", *job, *more]


def start(words: list[str], limits: dict[int, int] | None = None, **options: Any) -> subprocess.Popen[str]:
    """Start a job with limits by resource. It may compile kernels, so the worker's limit of time is lifted."""

    def limit() -> None:
        endless = resource.RLIM_INFINITY
        for what, most in {resource.RLIMIT_CPU: endless, **(limits or {})}.items():
            resource.setrlimit(what, (most, most))

    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    return subprocess.Popen(words, text=True, preexec_fn=limit, **pipes, **options)


def ended(job: subprocess.Popen[str]) -> tuple[int, str]:
    """The exit code of a job and what it printed; one that does not end is killed."""
    try:
        output, _ = job.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        job.kill()
        job.communicate()
        raise
    return job.returncode, output


def run(words: list[str], limits: dict[int, int] | None = None, **options: Any) -> tuple[int, str]:
    """Run a job to its end: its exit code and what it printed."""
    return ended(start(words, limits, **options))


@cache
def undisturbed() -> tuple[bytes, float]:
    """The labels of a job that nothing disturbs, and how long it takes."""
    with tempfile.TemporaryDirectory() as folder:
        started = time.monotonic()
        code, output = run(command(table(Path(folder))))
        if code != 0:
            raise RuntimeError(f"a plain job fails: {output}")
        return (Path(folder) / "out" / "labels.csv").read_bytes(), time.monotonic() - started


def said(code: int, output: str, *, allowed: tuple[int, ...] = (0, 2)) -> str:
    """What is wrong with the end of a job."""
    if "Traceback" in output:
        return f"a traceback is shown: …{output[-400:]}"
    if output.rstrip().endswith("Error:"):
        return "an error without a message"
    return "" if code in allowed else f"exit code {code}: …{output[-300:]}"


def left(folder: Path) -> str:
    """What a finished job left beside its results."""
    names = {path.name for path in (folder / "out").iterdir()} - {".pluribus"}
    if names != RESULTS:
        return f"the directory of results holds {sorted(names)}"
    own = folder / "out" / ".pluribus"
    rest = {path.name for path in own.iterdir()} - {"owner.json", "files.json", "lock"} if own.is_dir() else set()
    return f"work in progress is left: {sorted(rest)}" if rest else ""


def one_thread() -> dict[str, str]:
    """The environment, with one thread of linear algebra: each takes addresses."""
    return os.environ | dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
