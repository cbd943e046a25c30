"""``pluribus resolve``: a table of references -> who is who, how sure, and why."""

import warnings
from collections.abc import Mapping, Sequence
from functools import reduce
from pathlib import Path
from typing import Any

from pluribus.cli import _input
from pluribus.cli._screen import Screen, print_json, said
from pluribus.constraints import Constraints
from pluribus.pipeline._internal import versions
from pluribus.relational import Resolution, resolve
from pluribus.report._internal import Entities, write_entities
from pluribus.tables import Table, as_table

_NAMES = ("entities.csv", "merges.csv", "report.html")


def run(
    references: Path,
    *,
    links: str | None = None,
    id_column: str | None = None,
    ignore: Sequence[str] = (),
    must_link: Path | None = None,
    cannot_link: Path | None = None,
    out: Path | None = None,
    overwrite: bool = False,
    quiet: bool = False,
    json: bool = False,
    **options: Any,
) -> Path | None:
    """Do the job; the directory of the results, if they were written."""
    screen = Screen(quiet=quiet, json=json)
    reads = [references, must_link, cannot_link]
    if links is not None and Path(links).is_file():
        reads.append(Path(links))
    name = f"{_input.stem(references)}-entities"
    with _input.result_directory(out, name, _NAMES, reads=reads, overwrite=overwrite, json=json) as directory:
        table = as_table(references, id_column=id_column, ignore=ignore, least_rows=1)
        known = _known(table, {"must-link": must_link, "cannot-link": cannot_link})
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            found = resolve(table, links=links, constraints=known, verbose=not screen.silent, **options)
        screen.line(f"{references.name}: {len(found.ids):,} references")
        for note in found.notes:
            screen.line(f"  {note}")
        notes = [*found.notes, *said(screen, caught)]
        if directory is not None:
            files = {"must_link": must_link and must_link.name, "cannot_link": cannot_link and cannot_link.name}
            stated = {"references": references.name, "links": links, "ignore": ", ".join(ignore)} | files | options
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


def _known(table: Table, files: Mapping[str, Path | None]) -> Constraints | None:
    """The pairs in files of ids."""
    known = [Constraints.read(path, ids=table.ids, kind=kind) for kind, path in files.items() if path is not None]
    return reduce(Constraints.merge, known) if known else None


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
