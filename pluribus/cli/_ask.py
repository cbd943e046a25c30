"""``pluribus ask``: a person at a terminal (or lines piped in) says which rows of a table belong together."""

import os
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from rich.console import Console

from pluribus.cli import _input
from pluribus.cli._errors import Interrupted
from pluribus.cli._side_by_side import SideBySide
from pluribus.constraints import Answers, FarthestFirst, MinMax, NormalizedUncertainty, Question, Selector, questions
from pluribus.evidence import DividedPairs
from pluribus.generate import Generator
from pluribus.tables import prepare

METHODS = ("minmax", "evidence", "farthest", "npu")
_MEMBERS = 50  # clusterings of which to find the pairs that divide them
_PROMPT = "Do they belong together? y yes, n no, ? not sure, u undo, q quit: "
_REPLIES = {"y": "together", "yes": "together", "n": "apart", "no": "apart", "?": "unsure"}


@dataclass(frozen=True)
class AskJob:
    """The options of the command."""

    data: Path
    questions: int = 20
    method: str = "minmax"
    k: str = "auto"
    seed: int = 0
    id_column: str | None = None
    ignore: str = ""
    scale: Literal["standard", "robust", "none"] = "standard"
    impute: bool = False
    out: Path | None = None


def run(job: AskJob) -> Path:
    """Ask, and write the answers after each one."""
    console = Console()
    method, k = job.method.lower(), _input.number_of_clusters(job.k)
    _check_method(method, k)
    table, _ = _input.read(job.data, job.id_column, _input.columns(job.ignore))
    prepared = prepare(table, scale=job.scale, impute=job.impute)
    _input.check_fits(k, len(prepared.X))
    out = job.out or Path(f"{table.name}-answers.csv")
    _check_file(out)
    answers = Answers(len(table.ids))
    if out.exists():
        answers = Answers.read(out, len(table.ids), ids=table.ids)
        console.print(
            f"{out} has {len(answers)} answers; going on with it.", soft_wrap=True, markup=False, highlight=False
        )
    selector = _selector(method, prepared.X, k, job.seed)
    shown = SideBySide(table, prepared)
    start, goal = len(answers), len(answers) + job.questions
    try:
        for question in questions(selector, job.questions, answers=answers):
            start = min(start, len(answers))  # answers of an earlier run that were taken back are asked for anew
            title = f"Question {len(answers) - start + 1} of {goal - start}"
            console.print(shown.grid(question.one, question.other, title))
            if not _take_reply(question, console):
                break
            answers.write(out, ids=table.ids)
        else:
            if len(answers) < goal:
                console.print("There is nothing left to ask: all that this method doubts is decided.")
    except KeyboardInterrupt:
        raise Interrupted(
            f"Stopped. {len(answers)} answers are in {out}; the same command goes on." if len(answers) else "Stopped."
        ) from None
    _say_end(console, job, answers, out)
    return out


def _take_reply(question: Question, console: Console) -> bool:
    """Put one reply into the answers; False if there is to be no more."""
    answers = question.answers
    while True:
        try:
            reply = console.input(_PROMPT, markup=False).strip().lower()
        except EOFError:
            console.print()
            return False
        if reply in _REPLIES:
            question.answer(_REPLIES[reply])
            return True
        if reply in ("q", "quit"):
            return False
        if reply in ("u", "undo") and len(answers):
            answers.undo()
            return True
        console.print("There is no answer to undo." if reply in ("u", "undo") else "Type y, n, ?, u or q.")


def _say_end(console: Console, job: AskJob, answers: Answers, out: Path) -> None:
    if not len(answers):
        text = f"No answer is left in {out}." if out.exists() else "No answers; nothing was written."
        console.print(text, soft_wrap=True, markup=False, highlight=False)
        return
    closure = answers.constraints.closure()
    sizes = closure.chunk_sizes.astype(object)  # products of large ones do not fit into 64 bits
    decided = (sizes * (sizes - 1) // 2).sum() + sizes[closure.cannot_link].prod(axis=1).sum()
    file = shlex.quote(str(out))
    names = ["--id", job.id_column] if job.id_column is not None else []
    data = shlex.join([str(job.data), *names])
    lines = [
        f"{len(answers)} answers are in {out}; with all that follows, {decided:,} pairs are decided. To use them:",
        f"  pluribus cluster {data} --must-link {file} --cannot-link {file}",
        "Run the same command again to answer more.",
    ]
    for line in lines:
        console.print(line, soft_wrap=True, markup=False, highlight=False)


def _selector(method: str, X: object, k: int | None, seed: int) -> Selector:
    if method == "farthest":
        return FarthestFirst(X, k, random_state=seed)
    if method == "minmax":
        return MinMax(X, k, random_state=seed)
    if method == "npu" and k is not None:
        return NormalizedUncertainty(X, k, random_state=seed)
    ensemble = Generator(
        n_members=_MEMBERS, n_clusters=(2, 20) if k is None else (k, 3 * k), random_state=seed
    ).generate(X)
    return DividedPairs(ensemble, random_state=seed)


def _check_method(method: str, k: int | None) -> None:
    if method not in METHODS:
        raise ValueError(f"--method is {method!r}: there are {', '.join(METHODS)}.")
    if method == "npu" and k is None:
        raise ValueError("--method npu needs the number of clusters: give it with --k, or choose another method.")
    if k == 1:
        raise ValueError("--k is 1: then all rows belong together, and there is nothing to ask.")


def _check_file(out: Path) -> None:
    if out.suffix.lower() != ".csv" or out.is_dir():
        raise ValueError(f"--out {out} must be a file whose name ends in .csv.")
    if not out.parent.is_dir() or not os.access(out.parent, os.W_OK):
        raise ValueError(f"--out {out} cannot be written to: give a file in a directory that is there.")
