"""A directory for the results of a command: only files of this program are ever replaced or removed in it."""

import contextlib
import hashlib
import json
import os
import secrets
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

try:
    import fcntl
except ImportError:  # no such locks on Windows
    fcntl = None  # type: ignore[assignment]

OWN = ".pluribus"  # the folder inside of the directory that only this program makes and marks
_OWNER = {"made by": "pluribus", "holds": "work in progress, and a list of the files that pluribus wrote"}


class ResultDirectory:
    """A directory that a command writes its results to, open for one job at a time.

    Work in progress lies in a folder of its own, ``.pluribus``, which has an owner file: a folder of that name without
    it is refused. Results are made there first and moved all together, after all targets were checked. The folder also
    lists the files that were written, with their digests: another file of such a name, or one that was changed since,
    is the user's, and is replaced only if ``overwrite`` says so. A file that the job reads is never replaced.

    Parameters
    ----------
    path : path
        Made if it does not exist; removed again if nothing is written.
    reads : iterable of paths
        The files that the job reads.
    overwrite : bool
        Replace files of the user's too, except those that the job reads.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from pluribus._engine import ResultDirectory
    >>> out = Path(tempfile.mkdtemp()) / "results"
    >>> with ResultDirectory(out).opened() as directory, directory.files(["labels.csv"]) as made:
    ...     _ = made["labels.csv"].write_text("id,cluster")
    >>> sorted(path.name for path in out.iterdir())
    ['.pluribus', 'labels.csv']
    """

    def __init__(self, path: Path, reads: Iterable[Path] = (), *, overwrite: bool = False) -> None:
        self.path = Path(path)
        self.reads = [Path(file) for file in reads]
        self.overwrite = overwrite
        self.own = self.path / OWN
        self.work = self.own / "work"

    @contextmanager
    def opened(self) -> Iterator["ResultDirectory"]:
        """The directory, marked and locked; what was made for nothing is removed at the end."""
        made = self._make()
        try:
            with self._locked():
                self._clear("new")
                yield self
        finally:
            with contextlib.suppress(OSError):
                self._tidy(made)

    def check(self, names: Iterable[str]) -> None:
        """Refuse to replace what is not a result of this program, before any work."""
        known = self._listed()
        for name in names:
            target = self.path / name
            if target.is_dir():
                raise ValueError(f"{target} is a directory, and a result would have its name: give another --out.")
            if not target.exists():
                continue
            if any(file.exists() and target.samefile(file) for file in self.reads):
                raise ValueError(f"{target} is read by this job, and a result would replace it: give another --out.")
            if not self.overwrite and _digest(target) not in known.get(name, ()):
                raise ValueError(
                    f"{target} is not a result of pluribus, or was changed since: give another --out, move it away, or "
                    "add --overwrite to replace it."
                )

    @contextmanager
    def files(self, names: Iterable[str]) -> Iterator[dict[str, Path]]:
        """Temporary paths for results of these names, which are moved to their places all together at the end."""
        names = list(names)
        self.check(names)
        folder = self.own / "new" / secrets.token_hex(6)
        folder.mkdir(parents=True)
        try:
            made = {name: folder / name for name in names}
            yield made
            self.check(names)  # as they are now
            before, new = self._listed(), {name: [_digest(path)] for name, path in made.items()}
            self._list(before | {name: [*before.get(name, []), *digest] for name, digest in new.items()})
            for name, path in made.items():
                os.replace(path, self.path / name)
            self._list(before | new)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def remove_work(self) -> None:
        """Remove the work in progress: it is done."""
        self._clear("work")

    def _make(self) -> bool:
        """Make and mark what is not there; whether the directory itself was made."""
        if self.path.exists() and not self.path.is_dir():
            raise ValueError(f"--out {self.path} is a file: give a directory.")
        made = not self.path.exists()
        try:
            self.own.mkdir(parents=True, exist_ok=True)
            owner = self.own / "owner.json"
            if owner.exists():
                if json.loads(owner.read_text(encoding="utf-8")) != _OWNER:
                    raise ValueError
            elif any(self.own.iterdir()):
                raise ValueError
            else:
                owner.write_text(json.dumps(_OWNER), encoding="utf-8")
        except OSError as error:
            raise ValueError(
                f"--out {self.path} cannot be written to ({error.strerror}): give another directory."
            ) from error
        except ValueError:
            raise ValueError(f"{self.own} was not made by pluribus: give another --out, or rename it.") from None
        return made

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """One job at a time: another one is told."""
        if fcntl is None:
            yield
            return
        with open(self.own / "lock", "w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise ValueError(
                    f"another job is writing to {self.path}: wait until it is done, or give another --out."
                ) from None
            yield

    def _listed(self) -> dict[str, list[str]]:
        """The files that were written here, with the digests that they may have; nothing if that cannot be read."""
        try:
            listed = json.loads((self.own / "files.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        if not isinstance(listed, dict):
            return {}
        return {name: digests for name, digests in listed.items() if isinstance(digests, list)}

    def _list(self, listed: dict[str, list[str]]) -> None:
        temporary = self.own / "files.json.new"
        temporary.write_text(json.dumps(listed, indent=1), encoding="utf-8")
        os.replace(temporary, self.own / "files.json")

    def _clear(self, name: str) -> None:
        """Remove a folder of our own; a link in its place is not followed."""
        folder = self.own / name
        if folder.is_symlink():
            folder.unlink()
        elif folder.exists():
            shutil.rmtree(folder)

    def _tidy(self, made: bool) -> None:
        """Remove the mark, and the directory if it was made for this job, where nothing was kept."""
        self._clear("new")
        kept = self.work.is_dir() and any(self.work.iterdir())
        if kept or (self.own / "files.json").exists():
            return
        self._clear("work")
        for name in ("lock", "owner.json"):
            (self.own / name).unlink(missing_ok=True)
        self.own.rmdir()
        if made:
            self.path.rmdir()


def _digest(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
