"""The counts of a run, and its findings: one for each problem and place, with how often it was met."""

import platform
import re
from collections import Counter
from datetime import UTC, datetime
from typing import Any

import pluribus
from attack.pool import Verdict


class Record:
    """What became of all cases."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.verdicts: Counter[str] = Counter()
        self.by_target: dict[str, Counter[str]] = {}
        self.findings: dict[tuple[str, str], dict[str, Any]] = {}

    def add(self, verdict: Verdict) -> bool:
        """Count a case; whether it is a finding that was not met before."""
        self.verdicts[verdict.verdict] += 1
        self.by_target.setdefault(verdict.case.target, Counter())[verdict.verdict] += 1
        if verdict.verdict != "finding":
            return False
        key = signature(verdict)
        if key in self.findings:
            self.findings[key]["times"] += 1
            return False
        self.findings[key] = {
            "case": str(verdict.case),
            "replay": f'python -m attack --seed {self.seed} --replay "{verdict.case}"',
            "problem": verdict.problem,
            "place": verdict.place,
            "times": 1,
            "given": verdict.given.splitlines(),
            "traceback": verdict.traceback.splitlines(),
        }
        return True

    @property
    def n_cases(self) -> int:
        """How many cases were run."""
        return sum(self.verdicts.values())

    def line(self) -> str:
        """The counts in a line."""
        counts = ", ".join(f"{self.verdicts[name]:,} {word}" for name, word in _WORDS.items())
        return f"{self.n_cases:,} cases: {counts}"

    def summary(self) -> str:
        """The counts in a few lines."""
        silent = [name for name, counts in self.by_target.items() if not counts["result"]]
        lines = [self.line(), f"{len(self.findings):,} different findings, {len(self.by_target):,} targets"]
        if silent:
            lines.append(f"no result at all: {', '.join(silent)}")
        return "\n".join(lines)

    def as_json(self, seconds: float) -> dict[str, Any]:
        """All of it, for a file."""
        return {
            "date": datetime.now(UTC).date().isoformat(),
            "version": pluribus.__version__,
            "python": platform.python_version(),
            "seed": self.seed,
            "minutes": round(seconds / 60, 1),
            "cases": self.n_cases,
            "valid_results": self.verdicts["result"],
            "documented_errors": self.verdicts["refused"],
            "findings_met": self.verdicts["finding"],
            "findings_different": len(self.findings),
            "targets": {name: dict(counts) for name, counts in sorted(self.by_target.items())},
            "findings": sorted(self.findings.values(), key=lambda finding: -finding["times"]),
        }


_WORDS = {"result": "valid results", "refused": "documented errors", "finding": "findings"}


def signature(verdict: Verdict) -> tuple[str, str]:
    """What makes two findings the same: the place, and the kind of problem without the values that were given."""
    return verdict.place, re.sub(r"\d[\d.e+-]*", "…", verdict.problem.partition(": ")[0])
