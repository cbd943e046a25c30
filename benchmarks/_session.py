"""A run of one benchmark: cases in fresh processes, with time limits and progress, and the figures kept as JSON."""

import json
import os
import platform
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rich.console import Console

from benchmarks._worker import Task

RESULTS = Path(__file__).parent / "results"
ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("pluribus", "numpy", "scipy", "scikit-learn", "numba", "pandas")


@dataclass
class Result:
    """What one case gave: the best time of its runs, and the highest peak."""

    case: str
    status: str  # "done", "failed", "over the time limit" or "died (SIGKILL)"
    seconds: float = float("nan")
    all_seconds: list[float] = field(default_factory=list)
    cpu_seconds: float = float("nan")
    peak_mb: float = float("nan")
    above_baseline_mb: float = float("nan")
    baseline_mb: float = float("nan")
    figures: dict[str, Any] = field(default_factory=dict)
    error: str = ""
    arguments: dict[str, Any] = field(default_factory=dict)

    @property
    def done(self) -> bool:
        return self.status == "done"


class Session:
    """Runs the cases of one benchmark; as a context it writes what was measured, also when it is stopped.

    Parameters
    ----------
    name : str
        Of the benchmark.
    quick : bool
        Kept with the figures.
    repeat : int
        Runs of each timed case.
    jobs : int
        Threads that make ensembles.
    results : path
        Where the figures are kept.
    """

    def __init__(
        self, name: str, *, quick: bool = False, repeat: int = 1, jobs: int = 2, results: Path = RESULTS
    ) -> None:
        self.name, self.quick, self.repeat, self.jobs = name, quick, repeat, jobs
        self.results: list[Result] = []
        self.n_failed = 0
        self.started, self.code = time.strftime("%Y-%m-%dT%H:%M:%S"), commit()
        stamp = self.started.translate(str.maketrans("T", "-", ":-"))
        self.path = results / f"{name}{'-quick' if quick else ''}-{stamp}.json"
        self._progress = Console(stderr=True, highlight=False)

    def __enter__(self) -> "Session":
        self._scratch = tempfile.TemporaryDirectory(prefix="pluribus-benchmark-")
        self.scratch = Path(self._scratch.name)
        return self

    def __exit__(self, *exception: object) -> None:
        self._scratch.cleanup()
        cases = [asdict(result) for result in self.results]
        keep(self.path, self.name, self.quick, self.started, self.code, cases=cases)

    def prepare(self, case: str, function: Callable[..., Task], **arguments: Any) -> Result:
        """Make an input in a process of its own; not among the results."""
        return self._say(case, lambda: self._once(case, function, arguments, time_limit=3600))

    def measure(
        self,
        case: str,
        function: Callable[..., Task],
        *,
        repeat: int | None = None,
        time_limit: float = 1200,
        python: Path = Path(sys.executable),
        may_fail: bool = False,
        **arguments: Any,
    ) -> Result:
        """Run a case ``repeat`` times, each in a fresh process, by the ``python`` of another environment if given.

        ``may_fail``: a case that does not finish is a finding about the peer, not a failure of the benchmark.
        """

        def runs() -> Result:
            outcomes: list[Result] = []
            for _ in range(repeat or self.repeat):
                outcomes.append(self._once(case, function, arguments, time_limit, python))
                if not outcomes[-1].done:
                    return outcomes[-1]
            best = min(outcomes, key=lambda result: result.seconds)
            best.all_seconds = [outcome.seconds for outcome in outcomes]
            best.cpu_seconds = min(outcome.cpu_seconds for outcome in outcomes)
            best.peak_mb = max(outcome.peak_mb for outcome in outcomes)
            best.above_baseline_mb = max(outcome.above_baseline_mb for outcome in outcomes)
            return best

        result = self._say(case, runs)
        self.results.append(result)
        self.n_failed += not (result.done or may_fail)
        return result

    def _say(self, case: str, run: Callable[[], Result]) -> Result:
        start = time.perf_counter()
        self._progress.print(f"[dim]{self.name}[/dim]  {case} …", end=" ")
        result = run()
        spent = time.perf_counter() - start
        self._progress.print(
            f"{result.seconds:.3g} s, {result.peak_mb:.0f} MB  [dim]({spent:.0f} s in all)[/dim]"
            if result.done
            else f"[red]{result.status}[/red] {result.error}"
        )
        return result

    def _once(
        self,
        case: str,
        function: Callable[..., Task],
        arguments: dict[str, Any],
        time_limit: float,
        python: Path = Path(sys.executable),
    ) -> Result:
        request, answer = self.scratch / "request.json", self.scratch / "answer.json"
        answer.unlink(missing_ok=True)
        call = {"function": f"{function.__module__}:{function.__qualname__}", "arguments": arguments}
        request.write_text(json.dumps(call))
        command = [str(python), "-m", "benchmarks._worker", str(request), str(answer)]
        try:
            code = subprocess.run(command, cwd=ROOT, timeout=time_limit).returncode
        except subprocess.TimeoutExpired:
            return Result(case, "over the time limit", error=f"of {time_limit:g} s", arguments=arguments)
        if not answer.exists():
            how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
            return Result(case, f"died ({how})", arguments=arguments)
        outcome = json.loads(answer.read_text())
        if trace := outcome.pop("traceback", ""):
            self._progress.print(trace, markup=False)
        return Result(case, arguments=arguments, **outcome)


def keep(path: Path, name: str, quick: bool, started: str, code: str, **figures: Any) -> Path:
    """Write figures as JSON, with the commit of the code, the machine and the versions."""
    path.parent.mkdir(parents=True, exist_ok=True)
    kept = {
        "benchmark": name,
        "quick": quick,
        "started": started,
        "commit": code,
        "machine": machine(),
        "versions": {package: version(package) for package in PACKAGES},
        **figures,
    }
    path.write_text(json.dumps(kept, indent=1))
    return path


def commit() -> str:
    """The commit of the code that runs, "changed" if it was edited since; empty outside of a repository."""
    try:
        head = _git("rev-parse", "--short", "HEAD")
        edited = _git("status", "--porcelain", "--untracked-files=no", "--", "pluribus", "benchmarks")
    except (OSError, subprocess.CalledProcessError):
        return ""
    return f"{head}, changed" if edited else head


def _git(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def machine() -> dict[str, Any]:
    """The machine that measured: without its name or its paths."""
    return {
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0],
        "system": platform.system(),
        "processor": platform.machine(),
        "python": platform.python_version(),
    }
