"""The counts of a run, its score by room, and the mutants that survived."""

import platform
from collections import Counter
from datetime import UTC, datetime
from typing import Any

from rich.table import Table

from scripts.mutants.trial import Verdict

VERDICTS = ("killed", "survived", "timed out", "unjudged")


class Record:
    """What became of all mutants."""

    def __init__(self, seed: int, commit: str) -> None:
        self.seed, self.commit = seed, commit
        self.verdicts: list[Verdict] = []

    def add(self, verdict: Verdict) -> None:
        """Count a mutant."""
        self.verdicts.append(verdict)

    def counts(self, room: str | None = None) -> Counter[str]:
        """How often each verdict was given, in one room or all."""
        return Counter(one.verdict for one in self.verdicts if room in (None, one.mutant.room))

    def line(self) -> str:
        """The counts in a line."""
        counts = self.counts()
        parts = ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS if counts[verdict])
        return f"{len(self.verdicts)} mutants: {parts or 'none yet'}"

    def table(self) -> Table:
        """Counts and score of each room, and of all."""
        table = Table("room", *VERDICTS, "score", title=f"seed {self.seed}, commit {self.commit}")
        for room in [*self.rooms(), None]:
            counts = self.counts(room)
            if room is None:
                table.add_section()
            score = _score(counts)
            table.add_row(
                room or "all", *(str(counts[verdict]) for verdict in VERDICTS), "" if score is None else f"{score:.0%}"
            )
        return table

    def rooms(self) -> list[str]:
        """The rooms that have mutants."""
        return sorted({one.mutant.room for one in self.verdicts})

    def survivors(self) -> list[Verdict]:
        """Those that no test noticed, by file and line."""
        return sorted(one for one in self.verdicts if one.verdict == "survived")

    def as_json(self, seconds: float) -> dict[str, Any]:
        """All of it, for a file."""
        return {
            "date": datetime.now(UTC).date().isoformat(),
            "commit": self.commit,
            "python": platform.python_version(),
            "seed": self.seed,
            "minutes": round(seconds / 60, 1),
            "mutants": len(self.verdicts),
            "verdicts": dict(self.counts()),
            "score": _score(self.counts()),
            "rooms": {room: {**self.counts(room), "score": _score(self.counts(room))} for room in self.rooms()},
            "trials": [
                {
                    "mutant": str(one.mutant),
                    "change": str(one.mutant.change),
                    "verdict": one.verdict,
                    "by": one.by,
                    "seconds": round(one.seconds, 1),
                    "replay": f"python -m scripts.mutants --replay {one.mutant}",
                }
                for one in sorted(self.verdicts)
            ],
        }


def _score(counts: Counter[str]) -> float | None:
    """The share of mutants that the tests notice: an endless loop is noticed too."""
    noticed = counts["killed"] + counts["timed out"]
    judged = noticed + counts["survived"]
    return noticed / judged if judged else None
