"""``python -m attack``: run cases for some minutes, or so many, or one again; exit code 1 if there are findings."""

import argparse
import json
import secrets
import sys
import time
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from attack.every import names
from attack.pool import Case, Schedule, Verdict, run_all, spread
from attack.record import Record


def main(arguments: list[str] | None = None) -> int:
    """Run the attack that the arguments ask for."""
    options = _parser().parse_args(arguments)
    seed = secrets.randbelow(2**31) if options.seed is None else options.seed
    console = Console()
    targets = [name for name in names() if any(name.startswith(start) for start in options.only or [""])]
    if options.list:
        console.print("\n".join(targets), highlight=False)
        return 0
    if options.replay:
        return _replay(options.replay, seed, console)
    if not targets:
        console.print(f"no target starts with {' or '.join(options.only)}: --list shows them")
        return 2
    console.print(f"seed {seed}, {len(targets)} targets, {options.workers} workers", highlight=False)
    record, started = Record(seed), time.monotonic()
    if options.cases:
        for verdict in run_all(spread(targets, options.cases), seed, workers=options.workers, checked=True):
            _note(verdict, record, console)
    else:
        _for_minutes(options.minutes, targets, options.workers, seed, record, console)
    path = Path(options.findings)
    path.write_text(json.dumps(record.as_json(time.monotonic() - started), indent=1), encoding="utf-8")
    console.print(record.summary(), highlight=False)
    console.print(f"counts and findings: {path}", highlight=False)
    return 1 if record.findings else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m attack", description="Attack everything that pluribus makes public."
    )
    parser.add_argument("--minutes", type=float, default=30, help="how long (default: 30)")
    parser.add_argument("--cases", type=int, help="run so many cases, spread over all targets, instead")
    parser.add_argument("--seed", type=int, help="by default a new one, which is printed")
    parser.add_argument("--only", action="append", metavar="START", help="only targets whose name starts so")
    parser.add_argument("--replay", metavar="TARGET/NUMBER", help="run one case again and show what happens")
    parser.add_argument("--workers", type=int, default=2, help="processes (default: 2)")
    parser.add_argument(
        "--findings", default="attack-findings.json", metavar="FILE", help="where counts and findings go"
    )
    parser.add_argument("--list", action="store_true", help="list the targets")
    return parser


def _for_minutes(minutes: float, targets: list[str], workers: int, seed: int, record: Record, console: Console) -> None:
    schedule, started = Schedule(targets, 60 * minutes), time.monotonic()
    columns = (BarColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("", total=60 * minutes)
        for verdict in run_all(schedule, seed, workers=workers, checked=True):
            schedule.took(verdict)
            _note(verdict, record, console)
            progress.update(task, completed=time.monotonic() - started, description=record.line())


def _note(verdict: Verdict, record: Record, console: Console) -> None:
    if record.add(verdict):
        console.print(f"[red]{verdict.case}[/]  {verdict.problem!r}  {verdict.place}", highlight=False, soft_wrap=True)


def _replay(text: str, seed: int, console: Console) -> int:
    name, _, number = text.rpartition("/")
    verdict = next(run_all([Case(name, int(number))], seed, workers=1, checked=True))
    for part in (verdict.given, verdict.traceback, f"{verdict.verdict}: {verdict.problem} {verdict.place}"):
        if part:
            console.print(part, markup=False, highlight=False, soft_wrap=True)
    return 1 if verdict.verdict == "finding" else 0


if __name__ == "__main__":
    sys.exit(main())
