"""Where the tests keep compiled kernels: outside of the repository, so that a fresh clone need not compile them again.

Numba checks only the file of a kernel itself. If a kernel that it calls changes, numba would go on using the old code.
The code of a folder of kernels is therefore kept under a digest of its files, of the files of all folders that it
imports from, and of the versions of Python and numba.
"""

import hashlib
import os
import re
import shutil
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

_UNUSED = 30 * 24 * 3600  # seconds after which the code of other versions of the kernels is deleted


def keep_kernels(kernels: Path) -> None:
    """Point numba, in this process and in those that it starts, to the code of these kernels.

    A folder that the user has chosen stays. If the user's cache folder cannot be written to, numba uses its default,
    which is ``__pycache__``.
    """
    if "NUMBA_CACHE_DIR" in os.environ:
        return
    folders = {file.parent for file in kernels.rglob("*.py")}
    try:
        everything = _user_cache() / "pluribus" / "test-kernels"
        cache = _used(everything / _digest(folders, kernels))
        for folder in folders:
            name = "-".join(folder.relative_to(kernels.parent).parts)
            _link(folder, cache, _used(everything / f"{name}-{_digest(_needed(folder, kernels), kernels)}"))
    except (OSError, RuntimeError):  # read-only, or no home
        return
    os.environ["NUMBA_CACHE_DIR"] = str(cache)
    for other in everything.iterdir():
        with suppress(FileNotFoundError):  # another process was faster
            if other.stat().st_mtime < time.time() - _UNUSED:
                shutil.rmtree(other, ignore_errors=True)


def _user_cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def _used(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    os.utime(folder)
    return folder


def _needed(folder: Path, kernels: Path) -> set[Path]:
    """A folder and all folders that its modules import from, or those modules do."""
    needed, waiting = {folder}, [folder]
    while waiting:
        text = "\n".join(file.read_text(encoding="utf-8") for file in waiting.pop().glob("*.py"))
        found = {kernels / name for name in re.findall(rf"\b{kernels.name}\.(\w+)", text)} - needed
        needed |= found
        waiting += found
    return needed


def _digest(folders: Iterable[Path], kernels: Path) -> str:
    digest = hashlib.sha256(f"{sys.implementation.cache_tag} {sys.abiflags} {version('numba')}".encode())
    for file in sorted(file for folder in folders for file in folder.glob("*.py")):
        digest.update(f"\0{file.relative_to(kernels).as_posix()}\0".encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def _link(folder: Path, cache: Path, shared: Path) -> None:
    """Let all clones use the same code: numba names its folders after absolute paths, and links lead to one place."""
    path = str(folder.absolute())
    link = cache / f"{folder.name}_{hashlib.sha1(path.encode()).hexdigest()}"  # as numba spells it
    with suppress(FileExistsError):
        link.symlink_to(Path("..", shared.name), target_is_directory=True)
