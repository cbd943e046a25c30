"""Where the tests keep compiled kernels: outside of the repository, so that a fresh clone need not compile them again.

Numba checks only the file of a kernel itself. If a kernel that it calls changes, numba would go on using the old code.
The folder is therefore named after a digest of all kernels, and of the versions of Python and numba.
"""

import hashlib
import os
import shutil
import sys
import time
from importlib.metadata import version
from pathlib import Path

_UNUSED = 30 * 24 * 3600  # seconds after which the code of other versions of the kernels is deleted


def keep_kernels(kernels: Path) -> None:
    """Point numba, in this process and in those that it starts, to the folder for these kernels.

    A folder that the user has chosen stays. If the user's cache folder cannot be written to, numba uses its default,
    which is ``__pycache__``.
    """
    if "NUMBA_CACHE_DIR" in os.environ:
        return
    try:
        everything = _user_cache() / "pluribus" / "test-kernels"
        folder = everything / _digest(kernels)
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
        _link(kernels, folder)
    except (OSError, RuntimeError):  # read-only, or no home
        return
    os.environ["NUMBA_CACHE_DIR"] = str(folder)
    for other in everything.iterdir():
        if other.stat().st_mtime < time.time() - _UNUSED:
            shutil.rmtree(other, ignore_errors=True)


def _user_cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def _digest(kernels: Path) -> str:
    digest = hashlib.sha256(f"{sys.implementation.cache_tag} {sys.abiflags} {version('numba')}".encode())
    for file in sorted(kernels.rglob("*.py")):
        digest.update(f"\0{file.relative_to(kernels).as_posix()}\0".encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def _link(kernels: Path, folder: Path) -> None:
    """Let all clones use the same code: numba names its folders after absolute paths, and links lead to one place."""
    for sources in {file.parent for file in kernels.rglob("*.py")}:
        path = str(sources.absolute())
        link = folder / f"{sources.name}_{hashlib.sha1(path.encode()).hexdigest()}"  # as numba spells it
        shared = folder / "-".join(sources.relative_to(kernels.parent).parts)
        shared.mkdir(exist_ok=True)
        if not link.exists():
            try:
                link.symlink_to(shared.name, target_is_directory=True)
            except FileExistsError:  # another process was faster
                continue
