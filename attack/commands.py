"""The command line: every command and option, with hostile files and values."""

import enum
import inspect
import os
import shutil
import tempfile
import time
import traceback
import typing
import zlib
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import typer.models
from typer.testing import CliRunner

from attack import files
from attack.cases import Outcome
from attack.hostile import PAYLOADS
from attack.verdict import place_of
from pluribus import consensus
from pluribus.cli._app import app
from pluribus.pipeline._methods import direct_names

USUAL = {0, 2}
SERVING = {"cli.studio"}  # until it is interrupted; it is attacked in tests/studio
STOPPED = {1, 130}  # for a command that asks: its input may end
_METHODS = [*consensus.names(), *direct_names(), "all"]
_NUMBERS = ["0", "-1", "1", "2", "3", "1.5", "nan", "inf", "1e308", "10%", "0.5", "x", "", "999999999999", "auto"]


class Option(NamedTuple):
    """A parameter of a command."""

    name: str
    flag: str | None  # None for an argument
    kind: Any

    @property
    def several(self) -> bool:
        """Whether it takes several values."""
        return typing.get_origin(self.kind) is list


@cache
def _commands() -> dict[str, list[Option]]:
    return {f"cli.{command.callback.__name__}": _options(command.callback) for command in app.registered_commands}


def names() -> list[str]:
    """All commands that end by themselves, as targets."""
    return [name for name in _commands() if name not in SERVING]


def _options(callback: Any) -> list[Option]:
    found = []
    for name, parameter in inspect.signature(callback).parameters.items():
        kind, info = typing.get_args(parameter.annotation)[:2]
        flag = None
        if isinstance(info, typer.models.OptionInfo):
            flag = next(iter(info.param_decls or ()), f"--{name.replace('_', '-')}").split("/")[0]
        found.append(Option(name, flag, kind))
    return found


def run_case(name: str, number: int, seed: int) -> Outcome:
    """Run a command in a folder of its own, and judge what it says and writes."""
    rng = np.random.default_rng([seed, zlib.crc32(name.encode()), number])
    folder, before = Path(tempfile.mkdtemp(prefix="attack-")), Path.cwd()
    started = time.process_time()
    try:
        model = _model() if name == "cli.predict" else None
        os.chdir(folder)
        return _judged(name, rng, folder, model, plain=number == 0)._replace(seconds=time.process_time() - started)
    finally:
        os.chdir(before)
        shutil.rmtree(folder, ignore_errors=True)


def _judged(name: str, rng: np.random.Generator, folder: Path, model: Path | None, *, plain: bool) -> Outcome:
    arguments = [name.removeprefix("cli.")]
    n = 24 if plain else int(rng.choice([2, 5, 24, 24, 24]))
    good_files = plain or bool(
        rng.random() < 0.5
    )  # a hostile file hides what hostile options do, and the other way round
    share = 0.0 if plain else float(rng.choice([0.03, 0.15] if good_files else [0.0, 0.05]))
    if model is not None:
        shutil.copytree(model, folder / "model")
    for option in _commands()[name]:
        arguments += _given(option, rng, folder, n, good_files, share)
    if not plain:
        _plant(folder, rng)
    before = files.contents(folder)
    result = CliRunner().invoke(app, arguments, input="y\nn\n?\nq\n" if rng.random() < 0.7 else "")
    described = "\n".join([" ".join(map(repr, arguments)), *before])
    problem = _problem(result, name, plain)
    after = files.contents(folder)
    read_only = {path: digest for path, digest in before.items() if "--overwrite" not in arguments or path in arguments}
    changed = [path for path, digest in read_only.items() if after.get(path) != digest]
    if not problem and changed:
        problem = f"files of the user are changed or gone: {', '.join(sorted(changed))}"
    if not problem and any(files.runs_a_payload(path.read_text("utf-8")) for path in folder.rglob("*.html")):
        problem = "a payload would run in a page"
    if problem:
        text, place = result.output[-2000:], name
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            text += "".join(traceback.format_exception(result.exception))
            place = place_of(result.exception)
        return Outcome("finding", problem[:300], place, text, described)
    return Outcome("result" if result.exit_code == 0 else "refused")


def _problem(result: Any, name: str, plain: bool) -> str:
    error = result.exception
    if error is not None and not isinstance(error, SystemExit):
        return f"{type(error).__name__} is not caught: {error}"
    if result.exit_code not in USUAL | (STOPPED if name == "cli.ask" else set()):
        return f"exit code {result.exit_code}"
    if "Traceback" in result.output:
        return "a traceback is shown"
    if plain and result.exit_code != 0 and name != "cli.ask":
        return f"a plain call is refused: {result.output}"
    return "" if result.exit_code == 0 or result.output.strip() else "an error without a message"


def _given(option: Option, rng: np.random.Generator, folder: Path, n: int, plain: bool, share: float) -> list[str]:
    """How an option is given, if it is: a share of them are."""
    if option.flag is None:
        count = int(rng.integers(1, 3)) if option.several and not plain else 1
        return [_value(option, rng, folder, n, plain) for _ in range(count)]
    effort = option.name in ("members", "questions")
    needed = option.name in ("data", "signal", "references")
    if not (effort or needed) and rng.random() >= share:
        return []
    if option.kind is bool:
        return [option.flag]
    return [option.flag, _value(option, rng, folder, n, plain)]


def _value(option: Option, rng: np.random.Generator, folder: Path, n: int, plain: bool) -> str:
    name = option.name
    if name in ("members", "questions"):
        return "4" if plain or rng.random() < 0.9 else str(rng.choice(["1", "0", "-3", "x"]))
    if name in ("a", "b", "labels", "ensemble"):
        path = files.write(files.labels(rng, n, plain=plain), folder, f"labels-{name}", rng, plain=plain).name
        column = (plain and name in ("a", "b")) or (not plain and rng.random() < 0.5)
        return f"{path}:tool 1" if column and name in ("a", "b") else path
    if name in ("data", "new", "signal", "references"):
        return files.write(files.table(rng, n, plain=plain), folder, name, rng, plain=plain).name
    if name in ("must_link", "cannot_link", "known_labels"):
        return files.write(files.pairs(rng, n, plain=plain), folder, name, rng, plain=plain).name
    if name == "model":
        return _damaged_model(folder, rng, plain)
    if name == "out":
        return str(rng.choice(["out", "out", ".", "deep/er/out", "data.csv", "out.csv", "<b>out"]))
    choices = [kind for kind in (option.kind, *typing.get_args(option.kind)) if _is_enum(kind)]
    if choices and rng.random() < 0.8:
        return str(rng.choice([item.value for item in choices[0]]))
    if name == "method":
        return str(rng.choice(_METHODS)) if rng.random() < 0.85 else str(rng.choice(PAYLOADS))
    if name in ("id_column", "ignore", "quasi", "sensitive"):
        return str(rng.choice(["id", "x", "x,y", "id,x,y,color", "color", "nothing", "", "tool 0", *PAYLOADS]))
    if name == "engine":
        return "local"
    if name == "scheduler":
        return "nonsense"
    return str(rng.choice(_NUMBERS))


def _is_enum(kind: Any) -> bool:
    return inspect.isclass(kind) and issubclass(kind, enum.Enum) and kind.__name__ != "Engine"


def _plant(folder: Path, rng: np.random.Generator) -> None:
    """Files of the user's, with names that the command might use."""
    for name in (
        "out/labels.csv",
        "out/report.html",
        "members/alice.txt",
        ".pluribus/mine.txt",
        "labels.csv",
        "out/notes",
    ):
        path = folder / name
        if rng.random() < 0.1 and not path.exists() and not path.parent.is_file():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("mine\n")


@cache
def _model() -> Path:
    """The results of a plain job, made once."""
    folder = Path(tempfile.mkdtemp(prefix="attack-model-"))
    frame = files.table(np.random.default_rng(0), 24, plain=True)
    frame.to_csv(folder / "data.csv", index=False)
    command = ["cluster", str(folder / "data.csv"), "--members", "4", "--out", str(folder / "out"), "--quiet"]
    done = CliRunner().invoke(app, command)
    if done.exit_code != 0:
        raise RuntimeError(f"a plain job fails: {done.output}")
    return folder / "out"


def _damaged_model(folder: Path, rng: np.random.Generator, plain: bool) -> str:
    file = folder / "model" / "model.pluribus"
    if not plain and rng.random() < 0.5:
        file.write_bytes(files.flipped(file.read_bytes(), rng))
    return "model" if rng.random() < 0.5 else "model/model.pluribus"
