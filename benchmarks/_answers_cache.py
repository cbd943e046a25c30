"""What the methods of ``answers`` gave, kept between runs: of the peers, and of ours as long as its source is the same.

A file of JSON: set → method → the versions and the data it holds for, how it ended, and the runs by seed.
"""

import hashlib
import json
import os
from collections.abc import Iterable
from functools import cache
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._installed_peers import PYTHON
from benchmarks._session import RESULTS, ROOT

PEERS, OURS = RESULTS / "answers-peers.json", RESULTS / "answers-ours.json"
PACKAGES = ("numpy", "scipy", "scikit-learn")
GENIE = ("genieclust", "quitefastmst")


class Cache:
    """Records in one file; each is written at once, so that a run that is killed loses none."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def get(self, name: str, method: str, holds_for: dict[str, str]) -> dict[str, Any] | None:
        """A record, if it holds for these versions and data."""
        record = self.all().get(name, {}).get(method)
        return record if record and record["holds_for"] == holds_for else None

    def put(self, name: str, method: str, record: dict[str, Any]) -> None:
        records = self.all()  # again: another process may have added some
        records.setdefault(name, {})[method] = record
        self.path.parent.mkdir(parents=True, exist_ok=True)
        beside = self.path.with_suffix(f".{os.getpid()}")
        beside.write_text(json.dumps(records, indent=1))
        beside.replace(self.path)

    def all(self) -> dict[str, dict[str, dict[str, Any]]]:
        return json.loads(self.path.read_text()) if self.path.exists() else {}


def versions(method: str) -> dict[str, str]:
    """What the answers of a method depend on beside the data."""
    if method.startswith("ours"):
        return {**_installed(None, PACKAGES), "source": source()}
    if method == "Genie":
        return _installed(PYTHON, (*PACKAGES, *GENIE))
    return _installed(None, PACKAGES)


def source() -> str:
    """Fingerprint of the package as it stands in the repository."""
    digest = hashlib.sha256()
    for path in sorted((ROOT / "pluribus").rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def mean(record: dict[str, Any] | None, figure: str = "ari", seeds: Iterable[int] | None = None) -> float:
    """Of a figure over the runs; NaN if there is none."""
    if record is None:
        return float("nan")
    wanted = record["runs"] if seeds is None else [run for run in record["runs"] if run["seed"] in seeds]
    return float(np.mean([run[figure] for run in wanted])) if wanted else float("nan")


def peer_scores() -> dict[str, dict[str, float]]:
    """Mean adjusted Rand index of each peer on each set, as far as they are kept."""
    return {
        name: {method: mean(record) for method, record in by_method.items()}
        for name, by_method in Cache(PEERS).all().items()
    }


@cache
def _installed(python: Path | None, packages: tuple[str, ...]) -> dict[str, str]:
    """Versions in an environment: this one, or that of another interpreter."""
    folders = None if python is None else [str(each) for each in python.parents[1].glob("lib/python*/site-packages")]
    where = {} if folders is None else {"path": folders}
    found = {package: next(iter(distributions(name=package, **where)), None) for package in packages}
    return {package: one.version for package, one in found.items() if one is not None}
