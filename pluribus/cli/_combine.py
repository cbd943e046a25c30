"""``pluribus combine``: files of labels -> the results of ``pluribus.combine`` in files."""

import warnings
from pathlib import Path
from typing import Any

from pluribus.cli import _input, _results
from pluribus.cli._screen import Screen
from pluribus.pipeline import combine
from pluribus.pipeline._internal import OF_ALL_METHODS, RESULTS


def run(
    labels: list[Path],
    *,
    out: Path | None = None,
    overwrite: bool = False,
    quiet: bool = False,
    json: bool = False,
    **options: Any,
) -> dict[str, Path]:
    """Do the job and write its results."""
    screen = Screen(quiet=quiet, json=json)
    reads = [*labels, *(options.get(name) for name in ("must_link", "cannot_link", "known_labels"))]
    compared = str(options.get("method")).lower() == "all"
    names = (*RESULTS, *(OF_ALL_METHODS if compared else ()))
    place: dict[str, Any] = {"reads": reads, "overwrite": overwrite, "json": json}
    with _input.result_directory(out, f"{_input.stem(labels[0])}-combined", names, **place) as directory:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # they are notes too
            result = combine(labels, on_note=screen.note, verbose=not screen.silent, **_input.numbered(options))
        return _results.finish(result, directory, screen, as_json=json)
