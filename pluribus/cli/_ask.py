"""``pluribus ask``: a person at a terminal (or lines piped in) says which rows of a table belong together."""

import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from pluribus.cli._errors import Interrupted
from pluribus.cli._screen import print_json
from pluribus.cli._side_by_side import SideBySide
from pluribus.constraints import Answers, FarthestFirst, MinMax, NormalizedUncertainty, Question, Selector
from pluribus.constraints import questions as questions_of
from pluribus.evidence import DividedPairs
from pluribus.generate import Generator
from pluribus.tables import Prepared, Table, as_table, prepare

METHODS = ("minmax", "evidence", "farthest", "npu")
_MEMBERS = 50  # clusterings of which to find the pairs that divide them
_PROMPT = "Do they belong together? y yes, n no, ? not sure, u undo, q quit: "
_REPLIES = {"y": "together", "yes": "together", "n": "apart", "no": "apart", "?": "unsure"}


def run(
    data: Path,
    *,
    questions: int = 20,
    method: str = "minmax",
    k: Any = None,
    seed: int = 0,
    id_column: str | None = None,
    ignore: Sequence[str] = (),
    scale: Any = "standard",
    impute: bool = False,
    out: Path | None = None,
    json: bool = False,
) -> Path:
    """Ask, and write the answers after each one."""
    console = Console(stderr=json)
    method, k = method.lower(), None if k == "auto" else k
    _check_method(method, k)
    table = as_table(data, id_column=id_column, ignore=ignore)
    prepared = prepare(table, scale=scale, impute=impute)
    if k is not None and k > len(prepared.X):
        raise ValueError(f"k={k}, but there are only {len(prepared.X)} objects: give at most {len(prepared.X)}.")
    out = out or Path(f"{table.name}-answers.csv")
    _check_file(out)
    answers = Answers(len(table.ids))
    if out.exists():
        answers = Answers.read(out, len(table.ids), ids=table.ids)
        console.print(
            f"{out} has {len(answers)} answers; going on with it.", soft_wrap=True, markup=False, highlight=False
        )
    selector = _selector(method, prepared.X, k, seed)
    try:
        _ask(console, table, prepared, selector, answers, questions, out)
    except KeyboardInterrupt:
        raise Interrupted(
            f"Stopped. {len(answers)} answers are in {out}; the same command goes on." if len(answers) else "Stopped."
        ) from None
    if json:
        print_json(
            {"n_answers": len(answers), "n_decided": _decided(answers), "file": str(out) if len(answers) else None}
        )
    else:
        _say_end(console, data, id_column, answers, out)
    return out


def _ask(
    console: Console, table: Table, prepared: Prepared, selector: Selector, answers: Answers, n: int, out: Path
) -> None:
    """Put n questions, and write the answers after each one."""
    shown = SideBySide(table, prepared)
    start, goal = len(answers), len(answers) + n
    for question in questions_of(selector, n, answers=answers):
        start = min(start, len(answers))  # answers of an earlier run that were taken back are asked for again
        title = f"Question {len(answers) - start + 1} of {goal - start}"
        console.print(shown.grid(question.one, question.other, title))
        if not _take_reply(question, console):
            return
        answers.write(out, ids=table.ids)
    if len(answers) < goal:
        console.print("There is nothing left to ask: all that this method doubts is decided.")


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


def _decided(answers: Answers) -> int:
    """Pairs that the answers decide, with all that follows from them."""
    closure = answers.constraints.closure()
    sizes = closure.chunk_sizes.astype(object)  # products of large ones do not fit into 64 bits
    return int((sizes * (sizes - 1) // 2).sum() + sizes[closure.cannot_link].prod(axis=1).sum())


def _say_end(console: Console, path: Path, id_column: str | None, answers: Answers, out: Path) -> None:
    if not len(answers):
        text = f"No answer is left in {out}." if out.exists() else "No answers; nothing was written."
        console.print(text, soft_wrap=True, markup=False, highlight=False)
        return
    file = shlex.quote(str(out))
    data = shlex.join([str(path), *(["--id", id_column] if id_column is not None else [])])
    decided = _decided(answers)
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
