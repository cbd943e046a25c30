"""Mutants by name, and a random sample of them in which all rooms come in turn."""

import random
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from scripts.check_changed import PACKAGE
from scripts.mutants.changes import Change, changed, changes


class Mutant(NamedTuple):
    """One change of a file, by the number that it has among the changes of its line."""

    file: str
    line: int
    number: int
    change: Change

    def __str__(self) -> str:
        return f"{self.file}:{self.line}/{self.number}"

    @property
    def room(self) -> str:
        """The folder of the package in which the file lies, or the package itself."""
        folders = Path(self.file).parts[1:-1]
        return folders[0] if folders else PACKAGE

    def write(self, root: Path) -> None:
        """Make the change, in a repository that is a copy."""
        path = root / self.file
        path.write_bytes(changed(_read(path), self.change).encode())


def by_line(root: Path, file: str) -> dict[int, list[Mutant]]:
    """The mutants of each line of a file."""
    found: dict[int, list[Mutant]] = {}
    for change in changes(_read(root / file)):
        line = change.start[0]
        same = found.setdefault(line, [])
        same.append(Mutant(file, line, len(same), change))
    return found


def by_name(root: Path, name: str) -> Mutant:
    """The mutant of a name."""
    parts = re.fullmatch(r"(.+):(\d+)/(\d+)", name)
    if parts is None or not (root / parts[1]).is_file():
        raise ValueError(f"{name!r} names no mutant: give file:line/number, such as {PACKAGE}/room/file.py:57/0")
    line, number = int(parts[2]), int(parts[3])
    mutants = by_line(root, parts[1]).get(line, [])
    if number >= len(mutants):
        raise ValueError(f"{name!r} names no mutant: line {line} has {len(mutants)}")
    return mutants[number]


def sample(root: Path, seed: int, only: Iterable[str] = ("",)) -> Iterator[Mutant]:
    """One mutant of each line, in random order, but all rooms in turn: any first part of it covers them evenly.

    Within a room all lines that can be changed are equally likely, and so are the changes of a line.
    """
    starts = tuple(start if start.startswith(PACKAGE) else f"{PACKAGE}/{start}" for start in only)
    rng = random.Random(seed)
    rooms: dict[str, list[Mutant]] = {}
    for path in sorted((root / PACKAGE).rglob("*.py")):
        file = path.relative_to(root).as_posix()
        if file.startswith(starts):
            for _, mutants in sorted(by_line(root, file).items()):
                rooms.setdefault(mutants[0].room, []).append(rng.choice(mutants))
    for mutants in rooms.values():
        rng.shuffle(mutants)
    while rooms:
        for room in rng.sample(sorted(rooms), len(rooms)):
            yield rooms[room].pop()
            if not rooms[room]:
                del rooms[room]


def _read(path: Path) -> str:
    return path.read_bytes().decode()  # with its own ends of lines
