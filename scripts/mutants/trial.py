"""One copy of the repository, and what the tests say of a mutant in it.

Numba does not notice if a kernel changes that another file calls. ``tests/kernel_cache.py`` does, by digests of the
sources. Each copy keeps its compiled kernels in a folder of its own, so a mutated kernel is compiled again, and nothing
that was compiled from it is used afterwards.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import psutil

from scripts.check_changed import chosen_tests
from scripts.mutants.sample import Mutant

_NOT_COPIED = (".git", ".venv*", "site", "results", "demo-out", "__pycache__", ".hypothesis", ".*_cache")
_PATIENCE = 10  # times the limit on processor time, for tests that wait
_PASSED, _NO_TESTS = 0, 5  # exit statuses of pytest
_LIMITED = 'ulimit -S -t "$0" && exec "$@"'  # seconds of processor time


class Verdict(NamedTuple):
    """What became of a mutant: "killed", "survived", "timed out", or "unjudged" if its tests fail without it too."""

    mutant: Mutant
    verdict: str
    by: str
    seconds: float


class Copy:
    """A copy of a repository with its own compiled kernels."""

    def __init__(self, root: Path, folder: Path, *, seconds: int, gigabytes: float) -> None:
        self.root, self.cache, self.seconds, self.gigabytes = folder / "copy", folder / "cache", seconds, gigabytes
        copy_repository(root, self.root)
        self.tick = 0

    def judge(self, mutant: Mutant) -> Verdict:
        """Run the tests of a mutant's file; if they fail, those that fail also without the mutant."""
        path = self.root / mutant.file
        tests, original, stamp = (
            chosen_tests([Path(mutant.file)], self.root),
            path.read_bytes(),
            path.stat().st_mtime_ns,
        )
        started = time.monotonic()
        shutil.rmtree(self.cache / "pytest", ignore_errors=True)
        try:
            mutant.write(self.root)
            # Bytecode counts as current if the file has the same second and size.
            self.tick += 1
            os.utime(path, ns=(stamp, stamp + self.tick * 10**9))
            status = self.run(tests)
        finally:
            path.write_bytes(original)
            os.utime(path, ns=(stamp, stamp))
        verdict, by = "survived", ""
        if status not in (_PASSED, _NO_TESTS):
            timed_out = status == -signal.SIGXCPU
            verdict, by = "timed out" if timed_out else "killed", self._failed(status)
            if self.run(tests if timed_out else ["--last-failed", *tests]) not in (_PASSED, _NO_TESTS):
                verdict = "unjudged"
        return Verdict(mutant, verdict, by, time.monotonic() - started)

    def run(self, tests: list[str]) -> int:
        """Pytest's exit status, or minus the signal that ended it."""
        environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
        environment |= {"PYTHONPATH": str(self.root), "XDG_CACHE_HOME": str(self.cache), "MPLBACKEND": "Agg"}
        environment |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
        pytest = [sys.executable, "-m", "pytest", "-q", "-x", "-m", "not slow"]
        process = subprocess.Popen(
            ["sh", "-c", _LIMITED, str(self.seconds), *pytest, "-o", f"cache_dir={self.cache / 'pytest'}", *tests],
            cwd=self.root,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            return self._wait(process)
        finally:
            with suppress(ProcessLookupError):  # what the tests started and did not end
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def _wait(self, process: subprocess.Popen[bytes]) -> int:
        until = time.monotonic() + _PATIENCE * self.seconds
        while time.monotonic() < until:
            with suppress(subprocess.TimeoutExpired):
                return process.wait(0.5)
            if _memory(process.pid) > self.gigabytes * 2**30:
                return -signal.SIGKILL
        return -signal.SIGXCPU

    def _failed(self, status: int) -> str:
        """The test that failed, or how pytest ended."""
        with suppress(OSError, ValueError):
            return next(iter(json.loads((self.cache / "pytest/v/cache/lastfailed").read_text())))
        return signal.Signals(-status).name if status < 0 else f"exit status {status}"


def copy_repository(root: Path, target: Path) -> None:
    """Copy what belongs to a repository, with the times of its files."""
    shutil.copytree(root, target, ignore=shutil.ignore_patterns(*_NOT_COPIED))


def _memory(pid: int) -> int:
    with suppress(psutil.Error):
        process = psutil.Process(pid)
        return sum(one.memory_info().rss for one in [process, *process.children(recursive=True)])
    return 0
