"""What a job will take of memory, before it starts: what is held where, and why."""

from dataclasses import dataclass

import numpy as np

from pluribus._engine import in_bytes, memory_limit
from pluribus.consensus._method_effort import bytes_needed
from pluribus.consensus._trees import EXACT_SECONDS, seconds_of_pairs
from pluribus.evidence import MemoryLimitError

_LABELS_IN_MEMORY = 0.35  # of the limit, as the generator has it
_RESERVED = 150e6  # for the program itself and its compiled kernels


@dataclass(frozen=True)
class Plan:
    """How a job fits into memory.

    Attributes
    ----------
    limit : int
        Bytes that the job may take.
    peak : int
        Bytes that it will take at most, about.
    parts : dict of str -> int
        The bytes of each part of it.
    evidence : {"operator", "neighbors", None}
        For evidence accumulation: all pairs, or the strongest of each object.
    sentences : tuple of str
        What was chosen, and why.

    Examples
    --------
    >>> from pluribus.consensus import make_plan
    >>> plan = make_plan(1_000_000, 50, 1020, table=40_000_000, limit="8GB")
    >>> plan.evidence
    'neighbors'
    >>> for sentence in plan.sentences:
    ...     print(sentence)
    About 2.1 GB of at most 8.0 GB: table 40.0 MB, labels 100.0 MB in memory, consensus 1.8 GB.
    Evidence along the strongest pairs of each object: all pairs would take about 16 minutes.
    """

    limit: int
    peak: int
    parts: dict[str, int]
    evidence: str | None
    sentences: tuple[str, ...]


def make_plan(
    n_objects: int,
    n_partitions: int,
    most_clusters: int,
    *,
    method: str = "eac",
    n_clusters: int | None = None,
    n_distinct: int | None = None,
    table: float = 0,
    limit: float | str | None = None,
) -> Plan:
    """Plan a job, or refuse it with advice if it cannot fit.

    Parameters
    ----------
    n_objects, n_partitions : int
    most_clusters : int
        Of a member.
    method : str
        The consensus function, by name.
    n_clusters : int, optional
        Of the result.
    n_distinct : int, optional
        Objects with different labels, if the labels are there. Methods that hold pairs of these are not refused
        before that is known.
    table : number
        Bytes of the features that are in memory; 0 for rows that are read in parts.
    limit : number of bytes, or text such as "4GB" or "50%"; by default 70 % of the free memory

    Raises
    ------
    MemoryLimitError
        If it would take more than the limit.
    """
    allowed = memory_limit(limit)
    k = n_clusters or 10
    labels = n_objects * n_partitions * np.min_scalar_type(-most_clusters).itemsize
    in_file = labels > _LABELS_IN_MEMORY * allowed
    evidence, why = None, ""
    if method == "eac":
        evidence, why = _form_of_evidence(n_distinct or n_objects, n_partitions, most_clusters, allowed)
    parts = {
        "table": int(table),
        "labels": 0 if in_file else labels,
        "consensus": int(
            bytes_needed(method, n_objects, n_partitions, k, n_distinct or 0, neighbors=evidence == "neighbors")
        ),
    }
    peak = int(sum(parts.values()) + _RESERVED)
    if peak > allowed:
        raise MemoryLimitError(_refusal(method, n_objects, n_partitions, k, peak, allowed, parts))
    where = "in a file" if in_file else "in memory"
    told = [f"labels {in_bytes(labels)} {where}", f"consensus {in_bytes(parts['consensus'])}"]
    if table:
        told.insert(0, f"table {in_bytes(table)}")
    words = f"About {in_bytes(peak)} of at most {in_bytes(allowed)}: {', '.join(told)}."
    return Plan(allowed, peak, parts, evidence, (words, why) if why else (words,))


def _form_of_evidence(n: int, r: int, most_clusters: int, allowed: int) -> tuple[str, str]:
    """All pairs where that is quick and fits, else the strongest ones; and why."""
    seconds = seconds_of_pairs(r * n * n / most_clusters, "average")
    needed = bytes_needed("eac", n, r, 10)
    if needed + _RESERVED > allowed:
        return "neighbors", f"Evidence along the strongest pairs of each object: all need {in_bytes(needed)}."
    if seconds > EXACT_SECONDS:
        minutes = f"{seconds / 60:,.0f} minutes"
        return "neighbors", f"Evidence along the strongest pairs of each object: all pairs would take about {minutes}."
    return "operator", "Evidence on all pairs: it is exact, and takes about a minute at most."


def _refusal(method: str, n: int, r: int, k: int, peak: int, allowed: int, parts: dict[str, int]) -> str:
    rest = peak - parts["consensus"]
    lean = [name for name in ("hbgf", "voting") if name != method and rest + bytes_needed(name, n, r, k) <= allowed]
    advice = [f"use another consensus function ({' or '.join(lean)})"] if lean else []
    fewer = int(r * (allowed - _RESERVED) / max(peak - _RESERVED, 1))
    if fewer >= 10:
        advice.append(f"{fewer} members instead of {r}")
    if parts["table"] > allowed / 4:
        advice.append("give the table as a Parquet file, which is read in parts")
    advice.append("raise the memory limit")
    return (
        f"{n:,} objects in {r} partitions would take about {in_bytes(peak)} with {method!r}, more than the "
        f"{in_bytes(allowed)} allowed. To do: {'; or '.join(advice)}."
    )
