"""``pluribus cluster``: a table -> the results of ``pluribus.cluster`` in files."""

import warnings
from pathlib import Path
from typing import Any

from pluribus._engine import ResultDirectory
from pluribus.cli import _input, _results
from pluribus.cli._errors import Interrupted
from pluribus.cli._screen import Screen
from pluribus.pipeline import cluster
from pluribus.pipeline._internal import RESULTS


def run(
    data: Path,
    *,
    out: Path | None = None,
    overwrite: bool = False,
    resume: bool = False,
    engine: str = "local",
    scheduler: str | None = None,
    quiet: bool = False,
    json: bool = False,
    **options: Any,
) -> dict[str, Path]:
    """Do the job and write its results."""
    screen = Screen(quiet=quiet, json=json)
    how = _input.numbered(options) | {"engine": _input.engine(engine, scheduler)}
    reads = [data, *(options.get(name) for name in ("must_link", "cannot_link", "known_labels", "graph"))]
    reads += [_input.file_of(text) for text in options.get("other_than") or ()]
    place: dict[str, Any] = {"reads": reads, "overwrite": overwrite, "json": json}
    with _input.result_directory(out, f"{_input.stem(data)}-pluribus", RESULTS, **place) as directory:
        kept = None if directory is None else directory.work / "members"
        _check_kept(kept, resume)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # they are notes too
                result = cluster(data, checkpoint=kept, on_note=screen.note, verbose=not screen.silent, **how)
            written = _results.finish(result, directory, screen, as_json=json)
        except KeyboardInterrupt:
            _say_what_is_kept(directory, kept)
            raise
        if directory is not None:
            directory.remove_work()
    return written


def _finished(kept: Path | None) -> int:
    return 0 if kept is None else len(list(kept.glob("task-[0-9]*.npz")))


def _say_what_is_kept(directory: ResultDirectory | None, kept: Path | None) -> None:
    """A job that was stopped can go on, if members are finished."""
    if directory is not None and (n_finished := _finished(kept)):
        raise Interrupted(
            f"Stopped. {n_finished} members are kept in {directory.path}; run the same command with --resume to go on."
        ) from None


def _check_kept(kept: Path | None, resume: bool) -> None:
    """Refuse to start again over the remains of a stopped job, unless it is to be continued."""
    n_finished = _finished(kept)
    if kept is not None and n_finished and not resume:
        raise ValueError(
            f"{kept} keeps {n_finished} finished members of a job that was stopped. Add --resume to go on with it, "
            "remove that directory to start again, or give another --out."
        )
