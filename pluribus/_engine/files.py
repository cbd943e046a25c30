"""Files that are there whole or not at all, and what a process that was killed leaves of them."""

import functools
import hashlib
import os
import platform
import re
import secrets
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import psutil

_LONGEST = 40  # characters of a file's name in that of its temporary file: names have a limit
_OLD = 24 * 3600  # seconds after which a temporary file of another machine is left over
_NAME = re.compile(r"\.(?P<name>.*)\.(?P<machine>[0-9a-f]{8})-(?P<process>\d{1,9})-\w+\.pluribus-tmp(\.[^.]*)?")


@contextmanager
def atomic_path(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary path next to `path`; move it over `path` on success, remove it on error.

    A reader sees the old file or the new one, never a half of it, at whatever moment the writer is killed.
    The temporary name keeps the suffix, since many writers choose their format by it. Temporary files for the same
    path that processes left behind when they were killed are removed first.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from pluribus._engine import atomic_path
    >>> target = Path(tempfile.mkdtemp()) / "labels.csv"
    >>> with atomic_path(target) as temporary:
    ...     _ = temporary.write_text("id,cluster")
    >>> target.read_text(), len(list(target.parent.iterdir()))
    ('id,cluster', 1)
    """
    target = Path(path)
    remove_leftovers(target.parent, target.name)
    with replacing(target) as temporary:
        yield temporary


@contextmanager
def replacing(target: Path) -> Iterator[Path]:
    """As `atomic_path`, but without a look at the directory, for many files in one."""
    temporary = target.with_name(f"{_prefix(target.name)}{secrets.token_hex(6)}.pluribus-tmp{target.suffix}")
    try:
        yield temporary
        os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)


def scratch_file(name: str, directory: Path | None) -> IO[Any]:
    """Open a file that is gone when it is closed, in a directory or where the system has temporary files."""
    return tempfile.TemporaryFile(prefix=_prefix(name), suffix=".pluribus-tmp", dir=directory)


def remove_leftovers(directory: Path, name: str | None = None) -> None:
    """Remove temporary files of processes that were killed: those for a file of this name, or all."""
    with suppress(OSError), os.scandir(directory) as entries:
        for entry in entries:
            found = _NAME.fullmatch(entry.name)
            if found and (name is None or found["name"] == name[:_LONGEST]) and _is_left(entry, found):
                with suppress(OSError):
                    os.unlink(entry.path)


def _prefix(name: str) -> str:
    return f".{name[:_LONGEST]}.{_machine()}-{os.getpid()}-"


def _is_left(entry: os.DirEntry[str], found: re.Match[str]) -> bool:
    """Whether the process that wrote a temporary file is gone; if it cannot be seen from here, whether it is old."""
    if not entry.is_file(follow_symlinks=False):
        return False
    if found["machine"] == _machine():
        return not psutil.pid_exists(int(found["process"]))
    return time.time() - entry.stat(follow_symlinks=False).st_mtime > _OLD


@functools.cache
def _machine() -> str:
    """A mark of this machine or container, where numbers of processes hold."""
    try:
        processes = os.readlink("/proc/self/ns/pid")
    except OSError:  # only Linux has it
        processes = ""
    return hashlib.sha256(f"{platform.node()} {processes}".encode()).hexdigest()[:8]
