"""``pluribus cluster``: a table -> the results of ``pluribus.cluster`` in files."""

import shutil
import warnings
from pathlib import Path
from typing import Any

from pluribus.cli import _input, _results
from pluribus.cli._errors import Interrupted
from pluribus.cli._screen import Screen
from pluribus.pipeline import cluster

KEPT = "members"  # the directory of finished members, while the job is not done


def run(
    data: Path,
    *,
    out: Path | None = None,
    resume: bool = False,
    engine: str = "local",
    scheduler: str | None = None,
    quiet: bool = False,
    json: bool = False,
    **options: Any,
) -> dict[str, Path]:
    """Do the job and write its results."""
    screen = Screen(quiet=quiet, json=json)
    place = _input.result_directory(
        out or Path(f"{data.name.split('.')[0]}-pluribus"), needed=out is not None or not json
    )
    kept = None if place is None else place / KEPT
    if kept is not None:
        _check_kept(kept, resume)
    how = _input.numbered(options) | {"engine": _input.engine(engine, scheduler), "checkpoint": kept}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # they are notes too
            result = cluster(data, on_note=screen.note, verbose=not screen.silent, **how)
        written = _results.finish(result, place, screen, as_json=json)
    except KeyboardInterrupt:
        if kept is None or not kept.exists():
            raise
        raise Interrupted(
            f"Stopped. {_finished(kept)} members are kept in {kept}; run the same command with --resume to go on."
        ) from None
    if kept is not None:
        shutil.rmtree(kept, ignore_errors=True)
    return written


def _finished(kept: Path) -> int:
    return len(list(kept.glob("task-[0-9]*.npz")))


def _check_kept(kept: Path, resume: bool) -> None:
    """Refuse to start again over the remains of a stopped job, unless it is to be continued."""
    n_finished = _finished(kept)
    if n_finished and not resume:
        raise ValueError(
            f"{kept} keeps {n_finished} finished members of a job that was stopped. Add --resume to go on with it, "
            "remove that directory to start again, or give another --out."
        )
