"""Faults: jobs that are killed, disks that are full, files that shrink, limits, and tampered files."""

import io
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
import zlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import pluribus
from attack import files
from attack.cases import Outcome, finding
from attack.verdict import fault_of, faults_in_ensemble, faults_in_labels, faults_in_membership, faults_in_uncertainty
from pluribus.generate import Generator
from pluribus.pipeline import ArchiveError

PATIENCE = 900  # seconds for a job; a busy machine may need them
_RESULTS = {"labels.csv", "ensemble.parquet", "model.json", "model.pluribus", "report.html"}
_LEAST_ADDRESSES = 1.1 * 2**30  # bytes; with less, OpenBLAS waits for memory without an end
_ROWS, _MEMBERS = 400, 40


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


def _table(folder: Path) -> Path:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(_ROWS, 4)) + 7 * np.eye(4)[np.arange(_ROWS) % 3], columns=list("abcd"))
    frame.to_csv(folder / "data.csv", index=False)
    return folder / "data.csv"


def _command(table: Path, *more: str) -> list[str]:
    job = ["cluster", str(table), "--members", str(_MEMBERS), "--jobs", "1", "--out", str(table.parent / "out")]
    return [sys.executable, "-m", "pluribus", *job, *more]


def _start(command: list[str], **options: Any) -> subprocess.Popen[str]:
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)


def _run(command: list[str], **options: Any) -> tuple[int, str]:
    job = _start(command, **options)
    output, _ = job.communicate(timeout=PATIENCE)
    return job.returncode, output


@cache
def _undisturbed() -> tuple[bytes, float]:
    """The labels of a job that nothing disturbs, and how long it takes."""
    with tempfile.TemporaryDirectory() as folder:
        started = time.monotonic()
        code, output = _run(_command(_table(Path(folder))))
        if code != 0:
            raise RuntimeError(f"a plain job fails: {output}")
        return (Path(folder) / "out" / "labels.csv").read_bytes(), time.monotonic() - started


def _said(code: int, output: str, *, allowed: tuple[int, ...] = (0, 2)) -> str:
    if "Traceback" in output:
        return f"a traceback is shown: …{output[-400:]}"
    return "" if code in allowed else f"exit code {code}: …{output[-300:]}"


def _left(folder: Path) -> str:
    """What a finished job left beside its results."""
    names = {path.name for path in (folder / "out").iterdir()} - {".pluribus"}
    if names != _RESULTS:
        return f"the directory of results holds {sorted(names)}"
    own = folder / "out" / ".pluribus"
    rest = {path.name for path in own.iterdir()} - {"owner.json", "files.json", "lock"} if own.is_dir() else set()
    return f"work in progress is left: {sorted(rest)}" if rest else ""


def _killed(rng: np.random.Generator, folder: Path) -> str:
    """Kill a job at a random moment and resume it: the labels are those of an undisturbed job."""
    expected, seconds = _undisturbed()
    table = _table(folder)
    job = _start(_command(table))
    time.sleep(float(rng.uniform(0.2, 1)) * seconds)
    job.send_signal(signal.SIGKILL)
    job.communicate()
    code, output = _run(_command(table, "--resume"))
    if said := _said(code, output, allowed=(0,)):
        return said
    if (folder / "out" / "labels.csv").read_bytes() != expected:
        return "a job that was killed and resumed gives other labels"
    return _left(folder)


def _told_to_end(rng: np.random.Generator, folder: Path) -> str:
    """SIGTERM or SIGHUP at a random moment: no traceback, no half of the results."""
    _, seconds = _undisturbed()
    job = _start(_command(_table(folder)))
    time.sleep(float(rng.uniform(0.2, 1)) * seconds)
    job.send_signal(rng.choice([signal.SIGTERM, signal.SIGHUP, signal.SIGINT]))
    output, _ = job.communicate(timeout=PATIENCE)
    # Before its handlers are there, a process ends by the signal itself.
    if said := _said(job.returncode, output, allowed=(0, 130, -signal.SIGTERM, -signal.SIGHUP, -signal.SIGINT)):
        return "" if "KeyboardInterrupt" in output and not (folder / "out").exists() else said
    names = {path.name for path in (folder / "out").glob("*")} - {".pluribus"}
    return f"half of the results: {sorted(names)}" if names not in (set(), _RESULTS) else ""


def _disk_full(rng: np.random.Generator, folder: Path) -> str:
    """No space left: an error in words, and the table untouched."""
    table = _table(folder)
    before = files.contents(folder)
    limit = int(rng.choice([1, 4, 20, 60, 200, 2000])) * 1024
    place = folder / "small"
    place.mkdir()
    mount = f'mount -t tmpfs -o size={limit} tmpfs "$0" && exec "$@"'
    out = _command(table)
    out[out.index("--out") + 1] = str(place / "out")
    if shutil.which("unshare") and _run(["unshare", "-m", "true"])[0] == 0 and rng.random() < 0.5:
        code, output = _run(["unshare", "-m", "sh", "-c", mount, str(place), *out])
    else:
        code, output = _run(out, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    changed = {path: files.contents(folder).get(path) for path in before} != before
    return _said(code, output) or ("the table was changed" if changed else "")


def _read_only(rng: np.random.Generator, folder: Path) -> str:
    """A directory that cannot be written to, or a file in its place."""
    table = _table(folder)
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
        code, _ = _run([*unprivileged, sys.executable, "-c", "import pluribus.pipeline"], env=environment)
        unprivileged = unprivileged if code == 0 else []
    code, output = _run([*unprivileged, *_command(table)], env=environment)
    mine = (folder / "out").is_dir() or (folder / "out").read_text() == "mine"
    return _said(code, output) or ("" if mine else "a file of the user's was replaced")


def _memory(rng: np.random.Generator, folder: Path) -> str:
    """Little memory: an error in words, or a result."""
    limit = int(rng.uniform(_LEAST_ADDRESSES, 3 * 2**30))
    code, output = _run(
        _command(_table(folder)),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
        env=os.environ | dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1"),
    )
    importing = "Traceback" in output and "import" in output  # libraries that do not even load
    return "" if importing else _said(code, output, allowed=(0, 1, 2))


def _two_jobs(rng: np.random.Generator, folder: Path) -> str:
    """Two jobs with the same directory: one works, the other is told, and the results are those of one."""
    expected, seconds = _undisturbed()
    table = _table(folder)
    first = _start(_command(table))
    time.sleep(float(rng.uniform(0, 1)) * seconds)
    code, output = _run(_command(table, *(["--resume"] if rng.random() < 0.5 else [])))
    said, _ = first.communicate(timeout=PATIENCE)
    if problem := _said(code, output) or _said(first.returncode, said):
        return problem
    if 0 not in (code, first.returncode):
        return f"neither of two jobs gave a result: …{said[-200:]} …{output[-200:]}"
    return "" if (folder / "out" / "labels.csv").read_bytes() == expected else "two jobs at once give other labels"


def _shrinking(rng: np.random.Generator, folder: Path) -> str:
    """The table is cut while it is read."""
    _, seconds = _undisturbed()
    table = _table(folder)
    if rng.random() < 0.5:
        frame = pd.read_csv(table)
        table = folder / ("data.parquet" if rng.random() < 0.5 else "data.npz")
        frame.to_parquet(table) if table.suffix == ".parquet" else np.savez(table, X=frame.to_numpy())
    size = table.stat().st_size
    job = _start(_command(table))
    timer = threading.Timer(float(rng.uniform(0.1, 0.9)) * seconds, os.truncate, (table, int(rng.integers(size))))
    timer.start()
    output, _ = job.communicate(timeout=PATIENCE)
    timer.cancel()
    return _said(job.returncode, output)


@cache
def _saved() -> bytes:
    """A result in a file."""
    X = np.random.default_rng(0).normal(size=(30, 3)) + 9 * np.eye(3)[np.arange(30) % 3]
    result = pluribus.cluster(X, members=6, verbose=False, n_jobs=1)
    with tempfile.TemporaryDirectory() as folder:
        return Path(result.save(Path(folder) / "a.pluribus")).read_bytes()


def _tampered_model(rng: np.random.Generator, folder: Path) -> str:
    """A file of a result with other bytes: it is refused, or what it gives is valid."""
    path = folder / "model.pluribus"
    path.write_bytes(files.flipped(_saved(), rng) if rng.random() < 0.3 else _rewritten(_saved(), rng))
    try:
        result = pluribus.load(path)
        again = result.predict(np.zeros((2, 3)))
        result.summary()
        result.to_frame()
    except ValueError as error:
        if isinstance(error, ArchiveError) or fault_of(error) is None:
            return ""
        raise
    k = result.membership.shape[1]
    found = faults_in_labels(result.labels, k, len(result.ids), True) + faults_in_labels(again, k, 2, True)
    found += faults_in_membership(result.membership) + faults_in_uncertainty(result.uncertainty)
    return next(iter(found + faults_in_ensemble(result.ensemble)), "")


def _rewritten(content: bytes, rng: np.random.Generator) -> bytes:
    """An archive whose checksums are right and whose contents are not."""
    parts = {}
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    name = str(rng.choice(list(parts)))
    kind = int(rng.integers(4))
    if kind == 0:
        del parts[name]
    elif kind == 1 or not name.endswith((".npy", ".json")):
        parts[name] = files.flipped(parts[name], rng)
    elif name.endswith(".npy"):
        parts[name] = _other_array(parts[name], rng)
    else:
        parts[name] = _other_json(parts[name], rng)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    return file.getvalue()


def _other_array(part: bytes, rng: np.random.Generator) -> bytes:
    array = np.load(io.BytesIO(part), allow_pickle=False)
    changes: tuple[Callable[[], np.ndarray], ...] = (
        lambda: array[:-1],
        lambda: array[..., None],
        lambda: array.astype(str),
        lambda: array.astype(float) * np.nan if array.dtype.kind in "fiu" else array,
        lambda: (array - 7.0).astype(array.dtype) if array.dtype.kind in "fi" else array,
        lambda: array.astype(float) * 1000 if array.dtype.kind in "fiu" else array,
        lambda: np.zeros_like(array),
        lambda: np.zeros((0,)),
        lambda: array.astype(array.dtype.newbyteorder(">")),
        lambda: array.astype(np.float16) if array.dtype.kind in "fiu" else array,
    )
    file = io.BytesIO()
    np.save(file, changes[int(rng.integers(len(changes)))]())
    return file.getvalue()


def _other_json(part: bytes, rng: np.random.Generator) -> bytes:
    stored = json.loads(part)
    if isinstance(stored, dict) and stored:
        name = str(rng.choice(list(stored)))
        wrong = [None, -1, 10**12, 1.5, "text", [], {}, [None], {"a": 1}, "NaN", True]
        stored[name] = wrong[int(rng.integers(len(wrong)))]
        if rng.random() < 0.2:
            del stored[name]
    return json.dumps(stored).encode()


def _tampered_checkpoint(rng: np.random.Generator, folder: Path) -> str:
    """Files of finished tasks with other contents: refused or made again, never believed."""
    X = np.random.default_rng(0).normal(size=(60, 3))
    generator = Generator(n_members=6, random_state=0, verbose=False)
    expected = generator.generate(X, store=folder / "store")
    for path in rng.permutation(sorted((folder / "store").iterdir()))[: 1 + int(rng.integers(3))]:
        content = path.read_bytes()
        path.write_bytes(
            _rewritten(content, rng) if path.suffix == ".npz" and rng.random() < 0.7 else files.flipped(content, rng)
        )
    try:
        found = generator.generate(X, store=folder / "store")
    except ValueError as error:
        if fault_of(error) is None:
            return ""
        raise
    if faults := faults_in_ensemble(found):
        return faults[0]
    return "" if found.labels.shape == expected.labels.shape else f"an ensemble of shape {found.labels.shape}"


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
    "faults.shrinking": _shrinking,
}
_FAULTS = _JOBS | {
    "faults.tampered_model": _tampered_model,
    "faults.tampered_checkpoint": _tampered_checkpoint,
}
JOBS = tuple(_JOBS)
