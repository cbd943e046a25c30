"""A Dask cluster that loses a worker or its scheduler while a job runs."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from attack import jobs


def worker_lost(rng: np.random.Generator, folder: Path) -> str:
    """A worker is killed: the labels are those of one machine."""
    expected, seconds = jobs.undisturbed()
    with _cluster(folder) as (address, _, workers):
        job = jobs.start(_on(address, folder))
        time.sleep(float(rng.uniform(0.5, 1.2)) * seconds)
        workers[0].kill()
        code, output = jobs.ended(job)
    if said := jobs.said(code, output, allowed=(0,)):
        return said
    same = (folder / "out" / "labels.csv").read_bytes() == expected
    return jobs.left(folder) if same else "a job that lost a worker gives other labels"


def scheduler_lost(rng: np.random.Generator, folder: Path) -> str:
    """The scheduler is killed: an error that says how to continue, and the job can be continued here."""
    expected, seconds = jobs.undisturbed()
    with _cluster(folder) as (address, scheduler, _):
        job = jobs.start(_on(address, folder))
        time.sleep(float(rng.uniform(0.5, 1.2)) * seconds)
        scheduler.kill()
        code, output = jobs.ended(job)
    if said := jobs.said(code, output):
        return said
    code, output = jobs.run(jobs.command(folder / "data.csv", *(["--resume"] if code else ["--overwrite"])))
    if said := jobs.said(code, output, allowed=(0,)):
        return said
    same = (folder / "out" / "labels.csv").read_bytes() == expected
    return "" if same else "a job that lost its scheduler gives other labels"


def _on(address: str, folder: Path) -> list[str]:
    return jobs.command(jobs.table(folder), "--engine", "dask", "--scheduler", address)


@contextmanager
def _cluster(folder: Path) -> Iterator[tuple[str, subprocess.Popen[bytes], list[subprocess.Popen[bytes]]]]:
    """A scheduler and two workers, each a process of its own."""
    said = folder / "scheduler.json"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder}
    dask = [sys.executable, "-m", "dask"]
    begin = [*dask, "scheduler", "--port", "0", "--no-dashboard", "--scheduler-file", str(said)]
    scheduler = subprocess.Popen(begin, **quiet)
    one = [*dask, "worker", "--scheduler-file", str(said), "--nthreads", "1", "--no-nanny", "--no-dashboard"]
    workers = [subprocess.Popen(one, **quiet) for _ in range(2)]
    try:
        deadline = time.monotonic() + jobs.PATIENCE
        while not said.exists() or not said.stat().st_size:
            if time.monotonic() > deadline or scheduler.poll() is not None:
                raise RuntimeError("the scheduler does not start")
            time.sleep(0.1)
        yield json.loads(said.read_text(encoding="utf-8"))["address"], scheduler, workers
    finally:
        for process in (scheduler, *workers):
            process.kill()
            process.wait()
