"""``pluribus resolve``: a table of references -> who is who, how sure, and why."""

import warnings
from pathlib import Path
from typing import Any

from pluribus.cli import _input
from pluribus.cli._screen import Screen, print_json, said
from pluribus.pipeline._internal import versions
from pluribus.relational import Resolution, resolve
from pluribus.report._internal import Entities, write_entities

_NAMES = ("entities.csv", "merges.csv", "report.html")


def run(
    references: Path,
    *,
    links: str | None = None,
    out: Path | None = None,
    overwrite: bool = False,
    quiet: bool = False,
    json: bool = False,
    **options: Any,
) -> Path | None:
    """Do the job; the directory of the results, if they were written."""
    screen = Screen(quiet=quiet, json=json)
    reads = [references, *(options.get(name) for name in ("must_link", "cannot_link"))]
    if links is not None and Path(links).is_file():
        reads.append(Path(links))
    name = f"{_input.stem(references)}-entities"
    with _input.result_directory(out, name, _NAMES, reads=reads, overwrite=overwrite, json=json) as directory:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            found = resolve(references, links=links, verbose=not screen.silent, **options)
        screen.line(f"{references.name}: {len(found.ids):,} references")
        for note in found.notes:
            screen.line(f"  {note}")
        notes = [*found.notes, *said(screen, caught)]
        if directory is not None:
            stated = {"references": references.name, "links": links} | options
            case = Entities(references.name, found, notes, stated, versions())
            with directory.files(_NAMES) as made:
                found.to_frame().to_csv(made["entities.csv"], index=False)
                _merges(found).to_csv(made["merges.csv"], index=False, float_format="%.6g")
                write_entities(case, made["report.html"])
    if json:
        print_json(_as_json(found, notes, None if directory is None else directory.path))
    else:
        screen.line(f"{found.n_entities:,} entities behind {len(found.ids):,} references")
        if directory is not None:
            screen.files({file.partition(".")[0]: directory.path / file for file in _NAMES})
    return None if directory is None else directory.path


def _merges(found: Resolution) -> Any:
    return found.merges.drop(columns=["row_one", "row_other"])


def _as_json(found: Resolution, notes: list[str], path: Path | None) -> dict[str, Any]:
    """The figures; the entities and merges too, if they are written to no file."""
    figures: dict[str, Any] = {
        "n_references": len(found.ids),
        "n_entities": found.n_entities,
        "threshold": found.threshold,
        "notes": notes,
    }
    if path is not None:
        return figures | {"directory": str(path)}
    return figures | {"entities": found.to_frame().to_dict("list"), "merges": _merges(found).to_dict("list")}
