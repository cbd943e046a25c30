"""Finished tasks, kept in a directory, so that a job killed at any moment continues."""

import json
import os
import re
import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from pluribus._engine.arrays import DAMAGED, ArraySpec
from pluribus._engine.files import remove_leftovers, replacing


class TaskStore:
    """The results of finished tasks, one file each, written whole.

    Each result is an npz of plain arrays (never a pickle). The directory belongs to one job, named by its
    fingerprint: opening it for another job is refused, since its results would be wrong there. A file that is damaged,
    or whose arrays do not fit its task, counts as not there: the task runs again. Temporary files that a killed job
    left behind are removed.

    Parameters
    ----------
    directory : path
        Made if it does not exist.
    fingerprint : str
        Of all that the results depend on (see `pluribus._engine.fingerprint`).

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from pluribus._engine import ArraySpec, TaskStore
    >>> directory = tempfile.mkdtemp()
    >>> TaskStore(directory, "job 1").put("0", labels=np.array([0, 0, 1]))
    >>> TaskStore(directory, "job 1").get("0", {"labels": ArraySpec("i", (3,))})
    {'labels': array([0, 0, 1])}
    >>> TaskStore(directory, "job 1").get("0", {"labels": ArraySpec("i", (4,))}) is None
    True
    """

    def __init__(self, directory: str | os.PathLike[str], fingerprint: str) -> None:
        if not isinstance(directory, str | os.PathLike):
            raise ValueError(f"{directory!r:.200} is no path: a store of finished tasks is a directory")
        self.directory = Path(directory)
        self.fingerprint = fingerprint
        if self.directory.exists() and not self.directory.is_dir():
            raise ValueError(f"{self.directory} is a file: a store of finished tasks needs a directory")
        self.directory.mkdir(parents=True, exist_ok=True)
        self._claim()
        remove_leftovers(self.directory)

    def get(self, key: str, expected: Mapping[str, ArraySpec]) -> dict[str, np.ndarray] | None:
        """Return the arrays kept under `key`, or None if there are none, or not exactly these."""
        path = self._path(key)
        if not path.exists():
            return None
        with path.open("rb") as kept:
            try:
                file = zipfile.ZipFile(kept)
                if sorted(file.namelist()) != sorted(f"{name}.npy" for name in expected):
                    return None
                return {name: spec.read(file, name) for name, spec in expected.items()}
            except (OSError, *DAMAGED):  # the first for addresses beyond the file
                return None

    def put(self, key: str, **arrays: np.ndarray) -> None:
        """Keep arrays under `key`; they are there whole or not at all."""
        with replacing(self._path(key)) as temporary:
            np.savez(temporary, **arrays)  # type: ignore[arg-type]

    def _path(self, key: str) -> Path:
        if not re.fullmatch(r"[A-Za-z0-9_-]+", key):
            raise ValueError(f"key {key!r} cannot name a file: use letters, digits, '-' and '_'")
        return self.directory / f"task-{key}.npz"

    def _claim(self) -> None:
        """Write the job's name into the directory, or refuse if another job's stands there."""
        label = self.directory / "job.json"
        found = _read_fingerprint(label)
        if found != self.fingerprint and not any(self.directory.glob("task-*.npz")):
            with replacing(label) as temporary:
                temporary.write_text(json.dumps({"fingerprint": self.fingerprint}))
        elif found != self.fingerprint:
            raise ValueError(
                f"{self.directory} keeps the tasks of another job (other data, parameters, code or seed): resume "
                "with those, remove the directory, or name another one"
            )


def _read_fingerprint(label: Path) -> str | None:
    try:
        return json.loads(label.read_text())["fingerprint"]
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return None
