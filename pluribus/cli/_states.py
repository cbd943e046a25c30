"""``pluribus states``: a signal -> its states in a file, and a page on them."""

import warnings
from pathlib import Path
from typing import Any

from rich.table import Table as Grid

from pluribus._engine import ResultDirectory
from pluribus.cli import _input
from pluribus.cli._errors import Interrupted
from pluribus.cli._screen import Screen, print_json
from pluribus.pipeline import States, states
from pluribus.tables._internal import counted

FILES = ("states.csv", "states.html")


def run(
    signal: Path,
    *,
    out: Path | None = None,
    overwrite: bool = False,
    resume: bool = False,
    n_jobs: int = -1,
    quiet: bool = False,
    json: bool = False,
    **options: Any,
) -> Path | None:
    """Do the job; the page, if it was written."""
    screen = Screen(quiet=quiet, json=json)
    _input.numbered({"n_jobs": n_jobs})
    place: dict[str, Any] = {"reads": [signal], "overwrite": overwrite, "json": json}
    with _input.result_directory(out, f"{_input.stem(signal)}-states", FILES, **place) as directory:
        kept = None if directory is None else directory.work / "states"
        _check_kept(kept, resume)
        screen.line(signal.name)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # they are notes too
                found = states(
                    signal, checkpoint=kept, n_jobs=n_jobs, on_note=screen.note, verbose=not screen.silent, **options
                )
        except KeyboardInterrupt:
            _say_what_is_kept(directory, kept)
            raise
        if directory is not None:
            with directory.files(FILES) as made:
                found.intervals.to_csv(made["states.csv"], index=False, float_format="%.6g")
                found.report(made["states.html"])
            directory.remove_work()
    if json:
        print_json(_as_json(found, directory))
    else:
        _summarize(found, screen)
    if directory is None:
        return None
    screen.files({"states": directory.path / "states.csv", "page": directory.path / "states.html"})
    return directory.path / "states.html"


def _as_json(found: States, directory: ResultDirectory | None) -> dict[str, Any]:
    """What --json prints."""
    frame = found.intervals.astype({"start": str, "end": str}) if found.time.dtype.kind == "M" else found.intervals
    fitness, test = found.search.fitness_, found.test
    return {
        "n_rows": len(found.labels),
        "n_states": found.n_states,
        "unambiguous": found.sequence.unambiguous,
        "intervals": [
            {name: None if value != value else value for name, value in row.items()}
            for row in frame.astype(object).where(frame.notna(), None).to_dict("records")
        ],
        "fitness": fitness._asdict(),
        "clean": found.search.converged_,
        "n_removed": found.n_removed,
        "test": {
            "states": test.states,
            "p_value": test.p_value,
            "statistic": test.statistic,
            "n_surrogates": len(test.surrogates),
            "verdict": test.verdict,
        },
        "notes": found.notes,
        "files": {} if directory is None else {name: str(directory.path / name) for name in FILES},
    }


def _summarize(found: States, screen: Screen) -> None:
    """The result in a few lines."""
    grid = Grid(title=f"{counted(found.n_states, 'state')} in {len(found.labels):,} rows", title_justify="left")
    for name in ("interval", "from", "to", "rows", "state", "certainty"):
        grid.add_column(name, justify="right")
    shown = 30
    for row in found.intervals.head(shown).itertuples():
        transition = row.certainty != row.certainty
        state = "transition" if transition else str(row.state)
        rows = f"{row.last_row - row.first_row + 1:,}"
        grid.add_row(
            str(row.interval), str(row.start), str(row.end), rows, state, "" if transition else f"{row.certainty:.2f}"
        )
    screen.console.print(grid)
    if len(found.intervals) > shown:
        screen.line(f"… and {len(found.intervals) - shown} more intervals.")
    screen.line(found.test.verdict)


def _finished(kept: Path | None) -> int:
    return 0 if kept is None else len(list(kept.glob("*/task-*.npz")))


def _say_what_is_kept(directory: ResultDirectory | None, kept: Path | None) -> None:
    """A job that was stopped can go on, if steps are finished."""
    if directory is not None and (n_finished := _finished(kept)):
        raise Interrupted(
            f"Stopped. {n_finished} steps are kept in {directory.path}; run the same command with --resume to go on."
        ) from None


def _check_kept(kept: Path | None, resume: bool) -> None:
    """Refuse to start again over the remains of a stopped job, unless it is to be continued."""
    n_finished = _finished(kept)
    if kept is not None and n_finished and not resume:
        raise ValueError(
            f"{kept} keeps {n_finished} finished steps of a job that was stopped. Add --resume to go on with it, "
            "remove that directory to start again, or give another --out."
        )
