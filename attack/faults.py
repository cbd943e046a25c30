"""Faults: jobs that are killed, disks that are full, files that change, clocks that jump, and limits."""

import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from attack import dask_faults, files, jobs, tampered
from attack.cases import Outcome, finding
from attack.verdict import fault_of

_KILLS = 3  # of one job
_JUMPING_CLOCK = """
import random, time
real, chance = time.time, random.Random({seed})
time.time = lambda: real() + chance.choice([-3e8, 0, 0, 3e8])
"""
_LEAST_ADDRESSES = 1.1 * 2**30  # bytes; with less, OpenBLAS waits for memory without an end


def run_case(name: str, number: int, seed: int) -> Outcome:
    """Run a fault in a folder of its own, and judge what is left."""
    rng = np.random.default_rng([seed, zlib.crc32(name.encode()), number])
    folder = Path(tempfile.mkdtemp(prefix="attack-"))
    started = time.monotonic()
    try:
        problem = _FAULTS[name](rng, folder)
    except Exception as error:
        outcome = finding(fault_of(error) or "the fault could not be judged", error)
    else:
        outcome = Outcome("finding", problem, name) if problem else Outcome("result")
    finally:
        _make_writable(folder)
        shutil.rmtree(folder, ignore_errors=True)
    return outcome._replace(seconds=time.monotonic() - started)


def names() -> list[str]:
    """All faults, as targets."""
    return list(_FAULTS)


def _killed(rng: np.random.Generator, folder: Path) -> str:
    """Kill a job at random moments, resume it each time: the labels are those of an undisturbed job."""
    expected, seconds = jobs.undisturbed()
    table = jobs.table(folder)
    for _ in range(_KILLS):
        job = jobs.start(jobs.command(table, "--resume"))
        time.sleep(float(rng.uniform(0.2, 1)) * seconds)
        job.send_signal(signal.SIGKILL)
        job.communicate()
    code, output = jobs.run(jobs.command(table, "--resume"))
    if said := jobs.said(code, output, allowed=(0,)):
        return said
    if (folder / "out" / "labels.csv").read_bytes() != expected:
        return "a job that was killed and resumed gives other labels"
    return jobs.left(folder)


def _told_to_end(rng: np.random.Generator, folder: Path) -> str:
    """SIGTERM or SIGHUP at a random moment: no traceback, no half of the results."""
    _, seconds = jobs.undisturbed()
    job = jobs.start(jobs.command(jobs.table(folder)))
    time.sleep(float(rng.uniform(0.2, 1)) * seconds)
    job.send_signal(rng.choice([signal.SIGTERM, signal.SIGHUP, signal.SIGINT]))
    code, output = jobs.ended(job)
    # Before its handlers are there, a process ends by the signal itself.
    if said := jobs.said(code, output, allowed=(0, 130, -signal.SIGTERM, -signal.SIGHUP, -signal.SIGINT)):
        return "" if "KeyboardInterrupt" in output and not (folder / "out").exists() else said
    names = {path.name for path in (folder / "out").glob("*")} - {".pluribus"}
    return f"half of the results: {sorted(names)}" if names not in (set(), jobs.RESULTS) else ""


def _disk_full(rng: np.random.Generator, folder: Path) -> str:
    """No space left: an error in words, and the table untouched."""
    table = jobs.table(folder)
    before = files.contents(folder)
    limit = int(rng.choice([1, 4, 20, 60, 200, 2000])) * 1024
    place = folder / "small"
    place.mkdir()
    mount = f'mount -t tmpfs -o size={limit} tmpfs "$0" && exec "$@"'
    out = jobs.command(table)
    out[out.index("--out") + 1] = str(place / "out")
    if shutil.which("unshare") and jobs.run(["unshare", "-m", "true"])[0] == 0 and rng.random() < 0.5:
        code, output = jobs.run(["unshare", "-m", "sh", "-c", mount, str(place), *out])
    else:
        code, output = jobs.run(out, {resource.RLIMIT_FSIZE: limit})
    changed = {path: files.contents(folder).get(path) for path in before} != before
    return jobs.said(code, output) or ("the table was changed" if changed else "")


def _read_only(rng: np.random.Generator, folder: Path) -> str:
    """A directory that cannot be written to, or a file in its place."""
    table = jobs.table(folder)
    if rng.random() < 0.5:
        (folder / "out").write_text("mine")
    else:
        (folder / "out").mkdir(mode=0o555)
    unprivileged = (
        ["setpriv", "--reuid=65534", "--clear-groups"] if os.geteuid() == 0 and shutil.which("setpriv") else []
    )
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}  # it is not theirs
    if unprivileged:
        folder.chmod(0o755)
        code, _ = jobs.run([*unprivileged, sys.executable, "-c", "import pluribus.pipeline"], env=environment)
        unprivileged = unprivileged if code == 0 else []
    code, output = jobs.run([*unprivileged, *jobs.command(table)], env=environment)
    mine = (folder / "out").is_dir() or (folder / "out").read_text() == "mine"
    return jobs.said(code, output) or ("" if mine else "a file of the user's was replaced")


def _memory(rng: np.random.Generator, folder: Path) -> str:
    """Little memory: an error in words, or a result."""
    limit = int(rng.uniform(_LEAST_ADDRESSES, 3 * 2**30))
    code, output = jobs.run(jobs.command(jobs.table(folder)), {resource.RLIMIT_AS: limit}, env=jobs.one_thread())
    return "" if _short_of_memory(code, output) else jobs.said(code, output, allowed=(0, 1, 2))


def _short_of_memory(code: int, output: str) -> bool:
    """Whether libraries did not even load, or the compiler of the kernels, which raises nothing, ended the process."""
    importing = "Traceback" in output and "import" in output
    return importing or (code == -signal.SIGABRT and "LLVM ERROR: out of memory" in output)


def _two_jobs(rng: np.random.Generator, folder: Path) -> str:
    """Two jobs with the same directory: one works, the other is told, and the results are those of one."""
    expected, seconds = jobs.undisturbed()
    table = jobs.table(folder)
    first = jobs.start(jobs.command(table))
    time.sleep(float(rng.uniform(0, 1)) * seconds)
    code, output = jobs.run(jobs.command(table, *(["--resume"] if rng.random() < 0.5 else [])))
    first_code, said = jobs.ended(first)
    if problem := jobs.said(code, output) or jobs.said(first_code, said):
        return problem
    if 0 not in (code, first_code):
        return f"neither of two jobs gave a result: …{said[-200:]} …{output[-200:]}"
    return "" if (folder / "out" / "labels.csv").read_bytes() == expected else "two jobs at once give other labels"


def _changing(rng: np.random.Generator, folder: Path) -> str:
    """The table is cut, overwritten, replaced or removed while it is read."""
    _, seconds = jobs.undisturbed()
    table = jobs.table(folder)
    if rng.random() < 0.5:
        frame = pd.read_csv(table)
        table = folder / ("data.parquet" if rng.random() < 0.5 else "data.npz")
        frame.to_parquet(table) if table.suffix == ".parquet" else np.savez(table, X=frame.to_numpy())
    content = table.read_bytes()
    place, kind = int(rng.integers(len(content))), int(rng.integers(4))

    def change() -> None:
        if kind == 0:
            os.truncate(table, place)
        elif kind == 1:
            with table.open("r+b") as file:
                file.seek(place)
                file.write(files.flipped(content, rng)[place:])
        elif kind == 2:
            (folder / "other").write_bytes(files.flipped(content, rng) + content)
            (folder / "other").replace(table)
        else:
            table.unlink()

    job = jobs.start(jobs.command(table))
    timer = threading.Timer(float(rng.uniform(0.1, 0.9)) * seconds, change)
    timer.start()
    code, output = jobs.ended(job)
    timer.cancel()
    timer.join()
    return jobs.said(code, output)


def _clock_and_load(rng: np.random.Generator, folder: Path) -> str:
    """A clock that jumps by years and back, and a machine that is busy: the labels of an undisturbed job."""
    expected, _ = jobs.undisturbed()
    table = jobs.table(folder)
    (folder / "sitecustomize.py").write_text(_JUMPING_CLOCK.format(seed=int(rng.integers(2**31))), encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(folder), *filter(None, sys.path)])}
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count() or 1)]
    try:
        code, output = jobs.run(["nice", "-n", "5", *jobs.command(table)], env=environment)
    finally:
        for process in busy:
            process.kill()
            process.wait()
    if said := jobs.said(code, output, allowed=(0,)):
        return said
    same = (folder / "out" / "labels.csv").read_bytes() == expected
    return jobs.left(folder) if same else "a jumping clock gives other labels"


def _make_writable(folder: Path) -> None:
    for path in folder.rglob("*"):
        if path.is_dir():
            path.chmod(0o755)


_JOBS: dict[str, Callable[[np.random.Generator, Path], str]] = {
    "faults.killed": _killed,
    "faults.told_to_end": _told_to_end,
    "faults.disk_full": _disk_full,
    "faults.read_only": _read_only,
    "faults.memory": _memory,
    "faults.two_jobs": _two_jobs,
    "faults.changing": _changing,
    "faults.clock_and_load": _clock_and_load,
    "faults.bomb": tampered.bomb,
    "faults.dask_worker_lost": dask_faults.worker_lost,
    "faults.dask_scheduler_lost": dask_faults.scheduler_lost,
}
_FAULTS = _JOBS | {
    "faults.tampered_model": tampered.tampered_model,
    "faults.tampered_checkpoint": tampered.tampered_checkpoint,
}
JOBS = tuple(_JOBS)
