"""Workers in processes of their own, which may crash, and the cases that they run."""

import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
SECONDS = 120  # of processor time for one case; a kernel's first call compiles it
PATIENCE = 1800  # seconds for one case that waits for something


class Case(NamedTuple):
    """One case: a target and a number."""

    target: str
    number: int

    def __str__(self) -> str:
        return f"{self.target}/{self.number}"


class Verdict(NamedTuple):
    """A case, and what became of it: "result", "refused" or "finding"."""

    case: Case
    verdict: str
    problem: str
    place: str
    traceback: str
    given: str
    seconds: float


class Worker:
    """A process that runs cases one after the other, started again after a crash."""

    def __init__(self, seed: int, *, checked: bool) -> None:
        self.seed, self.checked = seed, checked
        self.process: subprocess.Popen[str] | None = None
        self.errors = tempfile.TemporaryFile("w+")  # noqa: SIM115 (closed with the worker)

    def run(self, case: Case) -> Verdict:
        """Run a case. If the worker dies of it, that is the finding."""
        if self.process is None:
            self._start()
        assert self.process is not None
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        timer = threading.Timer(PATIENCE, self.process.kill)
        timer.start()
        try:
            self.process.stdin.write(f"{case}\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        finally:
            timer.cancel()
        if answer:
            return Verdict(case, **json.loads(answer))
        return self._died(case)

    def close(self) -> None:
        """End the process."""
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
        self.process = None

    def _start(self) -> None:
        environment = os.environ | dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
        environment |= {"MPLBACKEND": "Agg", "PYTHONWARNINGS": "ignore", "COLUMNS": "200"}
        if self.checked:
            environment |= {"NUMBA_BOUNDSCHECK": "1"}
            environment.pop("NUMBA_CACHE_DIR", None)  # of kernels that do not check
        self.errors.seek(0)
        self.errors.truncate()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "attack.worker", str(self.seed), str(SECONDS)],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            text=True,
        )

    def _died(self, case: Case) -> Verdict:
        assert self.process is not None
        self.process.communicate()
        status = self.process.returncode
        self.process = None
        if status == -signal.SIGXCPU:
            problem = f"took more than {SECONDS} seconds of processor time"
        elif status == -signal.SIGKILL:
            problem = f"did not answer within {PATIENCE} seconds, or was killed for its memory"
        else:
            name = signal.Signals(-status).name if status < 0 else f"exit status {status}"
            problem = f"the process crashed ({name})"
        self.errors.seek(0)
        return Verdict(case, "finding", problem, case.target, self.errors.read()[-5000:], "", 0.0)


def run_all(todo: Iterable[Case], seed: int, *, workers: int, checked: bool) -> Iterator[Verdict]:
    """Run cases on several workers; yields what became of them, in any order."""
    cases, done = iter(todo), queue.Queue[Verdict | None]()
    lock, stop = threading.Lock(), threading.Event()

    def work() -> None:
        worker = Worker(seed, checked=checked)
        try:
            while not stop.is_set():
                with lock:
                    case = next(cases, None)
                if case is None:
                    return
                done.put(worker.run(case))
        finally:
            worker.close()
            done.put(None)

    threads = [threading.Thread(target=work, daemon=True) for _ in range(workers)]
    for thread in threads:
        thread.start()
    running = workers
    try:
        while running:
            verdict = done.get()
            if verdict is None:
                running -= 1
            else:
                yield verdict
    finally:
        stop.set()
        for thread in threads:
            thread.join()


_CREDIT = {"faults.killed": 1 / 6}  # of all time, for targets that need many cases: some hundred kills in half an hour


class Schedule:
    """Which case comes next: the one of the target that took least processor time so far, until the time is over."""

    def __init__(self, targets: list[str], seconds: float) -> None:
        self.spent = {target: -seconds * _CREDIT.get(target, 0.0) for target in targets}
        self.numbers = dict.fromkeys(targets, 0)
        self.until = time.monotonic() + seconds

    def __iter__(self) -> Iterator[Case]:
        while time.monotonic() < self.until:
            target = min(self.spent, key=self.spent.__getitem__)
            case = Case(target, self.numbers[target])
            self.numbers[target] += 1
            self.spent[target] += 0.01  # also if it takes no time
            yield case

    def took(self, verdict: Verdict) -> None:
        """Count the time that a case took."""
        self.spent[verdict.case.target] += verdict.seconds


def spread(targets: list[str], count: int) -> list[Case]:
    """So many cases, spread evenly over all targets."""
    return [Case(targets[place % len(targets)], place // len(targets)) for place in range(count)]
