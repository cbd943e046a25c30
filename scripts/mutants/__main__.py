"""``python -m scripts.mutants``: run mutants for some minutes, or one again, on copies of the repository."""

import argparse
import json
import queue
import secrets
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from scripts.check_changed import ROOT
from scripts.mutants.record import Record
from scripts.mutants.sample import Mutant, by_name, sample
from scripts.mutants.trial import Copy, Verdict, copy_repository


def main(arguments: list[str] | None = None, root: Path = ROOT) -> int:
    """Run the mutants that the arguments ask for. The repository itself stays as it is."""
    options = _parser().parse_args(arguments)
    console = Console()
    seed = secrets.randbelow(2**31) if options.seed is None else options.seed
    with tempfile.TemporaryDirectory(prefix="pluribus-mutants-") as folder:
        frozen = Path(folder, "frozen")  # one state for all workers, whatever is edited in the meantime
        copy_repository(root, frozen)
        try:
            named = [by_name(frozen, options.replay)] if options.replay else []
        except ValueError as error:
            console.print(str(error), markup=False)
            return 2
        mutants = iter(named) if named else sample(frozen, seed, options.only or [""])
        record, started = Record(seed, _commit(root)), time.monotonic()
        until = started + 60 * options.minutes
        console.print(f"seed {seed}, commit {record.commit}, {options.workers} workers", highlight=False)
        copies = (
            Copy(frozen, Path(folder, str(worker)), seconds=options.seconds, gigabytes=options.gigabytes)
            for worker in range(1 if options.replay else options.workers)
        )
        columns = (BarColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
        with Progress(*columns, console=console, transient=True) as progress:
            task = progress.add_task("", total=60 * options.minutes)
            for verdict in judge_all(islice(mutants, options.mutants), copies, until):
                record.add(verdict)
                if options.replay or verdict.verdict != "killed":
                    console.print(_told(verdict), markup=False, highlight=False, soft_wrap=True)
                progress.update(task, completed=time.monotonic() - started, description=record.line())
    if options.replay:
        return 0
    Path(options.record).write_text(json.dumps(record.as_json(time.monotonic() - started), indent=1), encoding="utf-8")
    console.print(record.table())
    console.print("\n".join(map(_told, record.survivors())), markup=False, highlight=False, soft_wrap=True)
    console.print(f"{record.line()}; all of them: {options.record}", highlight=False)
    return 0


def judge_all(mutants: Iterable[Mutant], copies: Iterable[Copy], until: float) -> Iterator[Verdict]:
    """Judge mutants, each copy in a thread, and start none after some time; yields verdicts in any order."""
    waiting, done = iter(mutants), queue.Queue[Verdict | BaseException | None]()
    lock, stop = threading.Lock(), threading.Event()

    def work(copy: Copy) -> None:
        try:
            while not stop.is_set() and time.monotonic() < until:
                with lock:
                    mutant = next(waiting, None)
                if mutant is None:
                    break
                done.put(copy.judge(mutant))
        except BaseException as error:
            done.put(error)
        else:
            done.put(None)

    threads = [threading.Thread(target=work, args=(copy,), daemon=True) for copy in copies]
    for thread in threads:
        thread.start()
    running = len(threads)
    try:
        while running:
            verdict = done.get()
            if isinstance(verdict, BaseException):
                raise verdict
            if verdict is None:
                running -= 1
            else:
                yield verdict
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m scripts.mutants",
        description="Change one thing in one line at a time, in a copy, and see whether a test fails.",
    )
    parser.add_argument("--minutes", type=float, default=60, help="start no mutant after so many (default: 60)")
    parser.add_argument("--mutants", type=int, metavar="N", help="at most so many")
    parser.add_argument("--seed", type=int, help="of the sample; by default a new one, which is printed")
    parser.add_argument(
        "--only", action="append", metavar="START", help="only files whose path in the package starts so: consensus/"
    )
    parser.add_argument("--replay", metavar="FILE:LINE/NUMBER", help="run one mutant again and say which test fails")
    parser.add_argument("--workers", type=int, default=2, help="copies of the repository (default: 2)")
    parser.add_argument("--seconds", type=int, default=180, help="of processor time for a mutant (default: 180)")
    parser.add_argument("--gigabytes", type=float, default=6, help="of memory for a mutant (default: 6)")
    parser.add_argument("--record", default="mutants.json", metavar="FILE", help="where all verdicts go")
    return parser


def _told(verdict: Verdict) -> str:
    mutant = verdict.mutant
    return f"{verdict.verdict:9}  {mutant}  {mutant.change}  {verdict.by}".rstrip()


def _commit(root: Path) -> str:
    """The commit that was copied, with a plus if files differ from it."""

    def git(*arguments: str) -> str:
        return subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True).stdout.strip()

    changed = "+" if git("status", "--porcelain") else ""
    return f"{git('rev-parse', '--short', 'HEAD') or 'unknown'}{changed}"


if __name__ == "__main__":
    sys.exit(main())
