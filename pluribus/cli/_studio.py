"""``pluribus studio``: a page in the browser on which a clustering is looked at and put right."""

import hashlib
import json
import warnings
from pathlib import Path
from typing import Any

from pluribus._engine import ResultDirectory
from pluribus.cli import _input
from pluribus.cli._screen import Screen
from pluribus.pipeline import Clustering, cluster
from pluribus.pipeline import combine as combine_labels
from pluribus.studio._internal import check_installed, desk_in, run_desk

_MOST_SESSION = 200_000_000  # bytes of a saved session


def run(
    data: Path,
    *,
    combine: bool = False,
    session: Path | None = None,
    out: Path | None = None,
    port: int = 0,
    no_browser: bool = False,
    quiet: bool = False,
    seed: int = 0,
    **options: Any,
) -> None:
    """Cluster or open what was clustered before, and serve the page."""
    check_installed()
    screen = Screen(quiet=quiet)
    how = _input.numbered(options)
    if "graph" in how:
        how["connected"] = True  # clusters follow the links that are drawn
    saved = None if session is None else _read_session(session)
    place = out or Path(f"{_input.stem(data)}-studio")

    def make() -> Clustering:
        same: dict[str, Any] = {"seed": seed, "on_note": screen.note, "verbose": not screen.silent}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # they are notes too
            return combine_labels(data, **same, **how) if combine else cluster(_opened(data), **same, **how)

    files = [path for path in (data, session, options.get("graph")) if path is not None]
    chosen = options | {"combine": combine}
    about = {"data": _digest(data), "options": {name: _as_text(value) for name, value in sorted(chosen.items())}}
    with ResultDirectory(place, files).opened() as directory:
        desk = desk_in(directory.work, make, seed=seed, about=about, session=saved)
        screen.line(f"The session is kept in {place}. Press Ctrl-C to close the studio.")
        try:
            run_desk(desk, port=port, browser=not no_browser, on_ready=lambda address: print(address, flush=True))
        except KeyboardInterrupt:
            screen.line(
                f"Closed. The session of {desk.session.seq} steps is kept in {place}; the same command goes on."
            )


def _as_text(value: Any) -> str:
    """An option as text: of a file, what is in it."""
    return _digest(value) if isinstance(value, Path) else str(value)


def _digest(data: Path) -> str:
    """The SHA-256 of a file."""
    if not data.is_file():
        raise ValueError(f"{data}: there is no such file.")
    with data.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _opened(data: Path) -> Any:
    """An AnnData file as an AnnData; all others by their paths."""
    if data.suffix.lower() != ".h5ad":
        return data
    try:
        import anndata
    except ImportError:
        raise ValueError(f"{data} needs the package anndata: pip install anndata.") from None
    return anndata.read_h5ad(data)


def _read_session(path: Path) -> Any:
    if not path.is_file():
        raise ValueError(f"--session {path}: there is no such file.")
    if path.stat().st_size > _MOST_SESSION:
        raise ValueError(f"--session {path} is too large to be a session.")
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        raise ValueError(f"--session {path} is not JSON: give a session.json that the studio exported.") from None
