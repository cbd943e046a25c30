"""Whether a file is still the one that was opened."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from pluribus.tables.errors import TableError


class Opened(NamedTuple):
    """A file's length and the time of its last change, as they were when it was opened."""

    size: int
    changed: int

    @classmethod
    def at(cls, path: Path) -> Opened:
        """As they are now."""
        found = path.stat()
        return cls(found.st_size, found.st_mtime_ns)

    def check(self, path: Path) -> None:
        """Refuse to go on with another file."""
        try:
            same = Opened.at(path) == self
        except FileNotFoundError as error:
            raise TableError(f"'{path}' does not exist any more, or not here. Check the path.") from error
        if not same:
            raise changed(path)


def changed(path: Path) -> TableError:
    """The error of a file that was written to after it had been opened."""
    return TableError(f"'{path}' changed while it was read. Start again when it is complete, and leave it as it is.")


def refuse_directory(path: Path, kinds: str) -> None:
    """Say that a directory is no file."""
    if path.is_dir():
        raise TableError(f"'{path}' is a directory. Give one file: {kinds}.")
