"""One call without options beside single algorithms, on public sets: at the true number of clusters and without it."""

from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.table import Table

from benchmarks import _answers_cache, _answers_sets, _answers_tables
from benchmarks._answers_methods import (
    GIGABYTES,
    LARGE,
    SECONDS,
    SECONDS_IF_LARGE,
    WIDE,
    answer,
    time_at,
    time_beside_ours,
    time_limit,
)
from benchmarks._answers_sets import RAW_PENDIGITS
from benchmarks._installed_peers import PYTHON
from benchmarks._session import Result, Session
from benchmarks.scale import exponent

PEERS = ("k-means", "Ward", "average link", "mixture", "spectral", "HDBSCAN", "Genie")
AUTOMATIC_PEERS = ("HDBSCAN", "k-means, silhouette")
RANDOM = ("ours", "ours, automatic k", "k-means", "mixture", "spectral", "k-means, silhouette")
N_SEEDS = 5
QUICK = ("moons", "iris", "circles", "glass")
TIMED = ("chameleon_t7_10k", "pendigits", "mnist_test")  # of 10,000 rows or little more
MAX_TIMES_K_MEANS = 30
SIZES, MAX_GROWTH = (25_000, 100_000), 1.15
PENDIGITS_NMI = 0.86


def run(session: Session, options: Namespace) -> Iterator[Table | str]:
    seeds = list(range(2 if session.quick else N_SEEDS))
    names = [name for name in _answers_sets.sets() if not session.quick or name in QUICK]
    peers = [peer for peer in dict.fromkeys(PEERS + AUTOMATIC_PEERS) if peer != "Genie" or PYTHON.exists()]
    if len(peers) < len(set(PEERS + AUTOMATIC_PEERS)):
        yield "Genie is left out: `make peers` installs it."
    answers = Answers(session, seeds)
    for methods in (peers, ["ours", "ours, automatic k"]):
        for name in names:
            for method in methods:
                answers.find(name, method)
    records = answers.records
    single = [peer for peer in PEERS if peer in peers]
    limits = (
        f"A method has {SECONDS} s of the processor for a set, {SECONDS_IF_LARGE} s from {LARGE:,} rows or {WIDE:,} "
        f"columns on, and {GIGABYTES} GB; what did not finish is missing."
    )
    for title, ours, others in (
        ("At the true number of clusters", "ours", single),
        ("At automatic k", "ours, automatic k", list(AUTOMATIC_PEERS)),
    ):
        yield _answers_tables.each_set(title, records, [ours, *others], seeds)
        yield _answers_tables.summary(title, records, [ours, *others], seeds)
        yield limits
        yield from _answers_tables.missing(records, [ours, *others])
        yield from _answers_tables.verdicts(records, ours, others, seeds, known_k=ours == "ours")
    if not session.quick:
        yield from _pendigits(answers)
    yield from _time(session)
    if not session.quick:
        yield _growth(session)


class Answers:
    """What each method gives on each set: kept from before, or found now."""

    def __init__(self, session: Session, seeds: list[int]) -> None:
        self.session, self.seeds = session, seeds
        self.records: dict[str, dict[str, dict[str, Any]]] = {}
        self._peers = _answers_cache.Cache(_answers_cache.PEERS)
        self._ours = _answers_cache.Cache(_answers_cache.OURS)
        self._at: tuple[str, Path, dict[str, Any]] | None = None

    def find(self, name: str, method: str) -> dict[str, Any]:
        path, about = self._data(name)
        kept = self._ours if method.startswith("ours") else self._peers
        holds_for = {**_answers_cache.versions(method), "data": about["data"]}
        record = kept.get(name, method, holds_for)
        if record is None:
            record = {"holds_for": holds_for, **about, "status": "done", "error": "", "at_limit": False, "runs": []}
        seeds = self.seeds if method in RANDOM else self.seeds[:1]
        absent = [seed for seed in seeds if seed not in [run["seed"] for run in record["runs"]]]
        if absent and record["status"] == "done" and not record["at_limit"]:
            self._run(name, method, path, absent, record)
            if not _our_fault(record):
                kept.put(name, method, record)
        else:
            self.session.results.append(
                Result(f"{name}, {method}", record["status"], figures={"runs": record["runs"], "kept": True})
            )
        return self.records.setdefault(name, {}).setdefault(method, record)

    def _run(self, name: str, method: str, path: Path, seeds: list[int], record: dict[str, Any]) -> None:
        where = {"python": PYTHON} if method == "Genie" else {}
        result = self.session.measure(
            f"{name}, {method}",
            answer,
            repeat=1,
            time_limit=10
            * time_limit(record["n"], record["d"]),  # the process counts its own; this is for one that sleeps
            may_fail=not method.startswith("ours"),
            method=method,
            path=str(path),
            seeds=seeds,
            **where,
        )
        if result.done:
            record["runs"] += result.figures["runs"]
            record["at_limit"] = len(result.figures["runs"]) < len(seeds)
        elif not record["runs"]:
            over = result.status == "died (SIGXCPU)"
            record.update(status="over the time limit" if over else result.status, error=result.error)
        else:
            record["at_limit"] = True

    def _data(self, name: str) -> tuple[Path, dict[str, Any]]:
        """A set as a file that each process can read, and what the records say of it."""
        if self._at is None or self._at[0] != name:
            data = _answers_sets.load(name)
            path = self.session.scratch / "set.npz"
            _answers_sets.write(path, data)
            n, d = data.X.shape
            self._at = name, path, {"data": _answers_sets.fingerprint(data), "n": n, "d": d, "k": data.k}
        return self._at[1:]


def _our_fault(record: dict[str, Any]) -> bool:
    """Whether a failure says nothing about the method: a package is not there, or the benchmark broke."""
    missing = record["error"].startswith(("ModuleNotFoundError", "ImportError"))
    return missing or record["status"].startswith("died (exit code")


def _pendigits(answers: Answers) -> Iterator[Table | str]:
    if RAW_PENDIGITS.removesuffix("_raw") not in _answers_sets.sets():
        return
    for name, features in (("pendigits", "standardized"), (RAW_PENDIGITS, "raw")):
        record = answers.find(name, "ours")
        geometric, largest = (_answers_cache.mean(record, figure) for figure in ("nmi", "nmi_max"))
        met = "met" if geometric >= PENDIGITS_NMI else "MISSED"
        yield (
            f"PenDigits, {features} features, k = 10: normalized mutual information {geometric:.3f} "
            f"({largest:.3f} over the larger entropy); asked {PENDIGITS_NMI}: {met}."
        )


def _time(session: Session) -> Iterator[Table | str]:
    table = Table(title="Time of 10,000 rows at the true k, one thread", title_justify="left")
    for column in ("set", "k-means, 10 starts", "CPU", "ours", "CPU", "ours / k-means, CPU"):
        table.add_column(column, justify="left" if column == "set" else "right")
    ratios = []
    for name in [name for name in TIMED if name in _answers_sets.sets()][: 1 if session.quick else None]:
        both = [
            session.measure(f"{name}, 10,000 rows, {method}", time_beside_ours, method=method, name=name)
            for method in ("k-means, 10 starts", "ours")
        ]
        if all(result.done for result in both):
            ratios.append(both[1].cpu_seconds / both[0].cpu_seconds)
            cells = [f"{spent:.2f} s" for result in both for spent in (result.seconds, result.cpu_seconds)]
            table.add_row(name, *cells, f"{ratios[-1]:.1f}")
    if ratios:
        yield table
        met = "met" if max(ratios) <= MAX_TIMES_K_MEANS else "MISSED"
        yield f"At most {max(ratios):.1f} times k-means with 10 starts; asked {MAX_TIMES_K_MEANS}: {met}."


def _growth(session: Session) -> str:
    small, large = (session.measure(f"ours, {n:,} rows", time_at, repeat=1, n=n) for n in SIZES)
    grown = exponent(small, large, SIZES[1] / SIZES[0])
    spent = f"{small.cpu_seconds:.1f} s to {large.cpu_seconds:.1f} s"
    return (
        f"From {SIZES[0]:,} to {SIZES[1]:,} rows CPU time grows from {spent}, "
        f"with n to the power of {grown:.2f}; asked {MAX_GROWTH}: {'met' if grown <= MAX_GROWTH else 'MISSED'}."
    )
