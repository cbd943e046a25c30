"""``pluribus combine``: files of labels -> the results of ``pluribus.combine`` in files."""

import warnings
from pathlib import Path
from typing import Any

from pluribus.cli import _input, _results
from pluribus.cli._screen import Screen
from pluribus.pipeline import combine


def run(
    labels: list[Path], *, out: Path | None = None, quiet: bool = False, json: bool = False, **options: Any
) -> dict[str, Path]:
    """Do the job and write its results."""
    screen = Screen(quiet=quiet, json=json)
    place = _input.result_directory(out or Path(f"{labels[0].stem}-pluribus"), needed=out is not None or not json)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # they are notes too
        result = combine(labels, on_note=screen.note, verbose=not screen.silent, **_input.numbered(options))
    return _results.finish(result, place, screen, as_json=json)
