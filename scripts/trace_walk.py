"""The walk of ``pluribus cluster wine.csv``, as traced: which rooms decide in turn, and where each is entered first.

``python scripts/trace_walk.py`` prints the list that docs/architecture.md shows. A room is named when the first call of
one of its functions comes after a function of another room. Rooms of material (tables, partitions, constraints,
evidence, compare) and of machinery (_engine, _kernels) are used by all others and decide nothing: they are left out.
"""

import sys
import tempfile
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from sklearn.datasets import load_wine

PACKAGE = Path(__file__).parents[1] / "pluribus"
DECIDING = ("cli", "pipeline", "generate", "consensus", "constrained", "validate", "report")


def first_calls(job: Any) -> list[tuple[str, str, str]]:
    """The functions of the package in the order of their first calls: room, file, name."""
    seen: set[CodeType] = set()
    calls: list[tuple[str, str, str]] = []

    def record(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event != "call" or code in seen or code.co_name.startswith("<"):
            return
        seen.add(code)
        path = Path(code.co_filename)
        if path.is_relative_to(PACKAGE) and len(path.relative_to(PACKAGE).parts) > 1:
            room, *rest = path.relative_to(PACKAGE).parts
            calls.append((room, "/".join([room, *rest]), code.co_name))

    sys.setprofile(record)
    try:
        job()
    finally:
        sys.setprofile(None)
    return calls


def stations(calls: list[tuple[str, str, str]]) -> list[str]:
    """Where each deciding room is entered: file and function."""
    found: list[str] = []
    last = ""
    for room, file, name in calls:
        if room in DECIDING and room != last:
            found.append(f"{file}: {name}")
            last = room
    return found


def walk() -> list[str]:
    """The stations of one run on the wines, with all modules imported before."""
    from pluribus.cli._cluster import run

    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "wine.csv"
        load_wine(as_frame=True).data.to_csv(data, index=False)
        how: dict[str, Any] = {"quiet": True, "n_jobs": 1}
        run(data, out=Path(folder) / "first", **how)
        return stations(first_calls(lambda: run(data, out=Path(folder) / "second", **how)))


if __name__ == "__main__":
    for number, station in enumerate(walk(), 1):
        print(f"{number}. `{station}`")
