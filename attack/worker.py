"""A worker: runs the cases that it is sent, one line each, and answers with one line each.

A crash ends the worker, and the process that started it knows the case. So does the limit of processor time, which the
operating system enforces. Kernels check their bounds if ``NUMBA_BOUNDSCHECK`` is set when the worker starts.
"""

import faulthandler
import json
import os
import resource
import signal
import sys
import tempfile
from pathlib import Path
from typing import TextIO

ROOT = Path(__file__).resolve().parents[1]
MEMORY = 12 * 2**30  # bytes of addresses: a case that takes all of a machine's memory fails alone


def main() -> None:
    """Answer until the input ends."""
    seed, seconds = int(sys.argv[1]), int(sys.argv[2])
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    with tempfile.TemporaryFile("w+") as output:  # what the library prints is not an answer
        os.dup2(output.fileno(), 1)
        if os.environ.get("NUMBA_BOUNDSCHECK") == "1":
            _keep_checked_kernels()
        faulthandler.enable()
        faulthandler.register(signal.SIGXCPU, chain=True)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with tempfile.TemporaryDirectory() as folder:  # what a case writes under a name without a folder
            os.chdir(folder)
            _serve(seed, seconds, answers, output)
            os.chdir(ROOT)


def _keep_checked_kernels() -> None:
    """Keep kernels that check their bounds in a cache of their own: numba would mix them with the others."""
    sys.path.append(str(ROOT / "tests"))
    from kernel_cache import keep_kernels

    usual = os.environ.get("XDG_CACHE_HOME")
    os.environ["XDG_CACHE_HOME"] = str(Path(usual or Path.home() / ".cache") / "pluribus" / "attack")
    keep_kernels(ROOT / "pluribus" / "_kernels")
    if usual is None:
        del os.environ["XDG_CACHE_HOME"]
    else:
        os.environ["XDG_CACHE_HOME"] = usual


def _serve(seed: int, seconds: int, answers: TextIO, output: TextIO) -> None:
    from attack.every import run

    for line in sys.stdin:
        name, _, number = line.strip().rpartition("/")
        used = resource.getrusage(resource.RUSAGE_SELF)
        limit = int(used.ru_utime + used.ru_stime) + 1 + seconds
        resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))
        outcome = run(name, int(number), seed)
        output.seek(0)
        output.truncate()
        answers.write(json.dumps(outcome._asdict()) + "\n")


if __name__ == "__main__":
    main()
