"""One measured case in a process of its own: set up, warm up, then time the work and watch its memory.

Started by ``_session`` as ``python -m benchmarks._worker REQUEST ANSWER``, two files of JSON.
"""

import json
import resource
import sys
import time
import traceback
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple


class Task(NamedTuple):
    """What a case's function returns once it has set up: the work to measure, and how to score its result.

    Setting up is not measured: imports, the input, and one call on tiny data, so that compiled kernels are loaded.
    """

    work: Callable[[], Any]
    score: Callable[[Any], dict[str, Any]] = lambda result: {}


def measure(function: Callable[..., Task], arguments: dict[str, Any]) -> dict[str, Any]:
    """Seconds and megabytes of the work.

    Wall time suffers from whatever else runs on the machine; the processor's time, summed over threads, hardly does.
    Memory is the peak of the whole process, and what of it the work added to the baseline: imports and input.
    """
    task = function(**arguments)
    before = resident_memory()
    start, cpu_start = time.perf_counter(), time.process_time()
    result = task.work()
    seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - cpu_start
    peak = peak_memory()
    return {
        "seconds": seconds,
        "cpu_seconds": cpu_seconds,
        "peak_mb": peak,
        "above_baseline_mb": max(peak - before, 0.0),
        "baseline_mb": before,
        "figures": task.score(result),
    }


def peak_memory() -> float:
    """Megabytes that this process held at its peak.

    On Linux ``ru_maxrss`` starts at the peak of the process that started this one, so the kernel's own count of this
    address space is read instead.
    """
    return _status("VmHWM") or _max_rss()


def resident_memory() -> float:
    """Megabytes that this process holds now; its peak, where the system does not say."""
    return _status("VmRSS") or _max_rss()


def _status(field: str) -> float | None:
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return None
    kilobytes = next(line.split()[1] for line in lines if line.startswith(f"{field}:"))
    return int(kilobytes) * 1024 / 1e6


def _max_rss() -> float:
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def main(request: Path, answer: Path) -> None:
    asked = json.loads(request.read_text())
    module, _, name = asked["function"].partition(":")
    try:
        outcome = {"status": "done", **measure(getattr(import_module(module), name), asked["arguments"])}
    except Exception as error:
        outcome = {
            "status": "failed",
            "error": f"{type(error).__name__}: {error}",
            "traceback": traceback.format_exc(),
        }
    answer.write_text(json.dumps(outcome))


if __name__ == "__main__":
    # By its own name, not as __main__: cases import Task from there.
    from benchmarks import _worker

    _worker.main(Path(sys.argv[1]), Path(sys.argv[2]))
