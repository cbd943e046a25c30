"""What a job will take of memory, before it starts, and what is chosen for that."""

import sys
from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from scipy import sparse

from pluribus._engine import MemoryLimitError, given_limit, in_bytes, is_one_of, memory_limit, real_number, whole_number
from pluribus.consensus import names
from pluribus.consensus._internal import EXACT_SECONDS, bytes_needed, seconds_of_pairs
from pluribus.generate._internal import k_range, pool_bytes
from pluribus.tables import Rows

PLAN_FROM = 50_000  # objects, from which a job says what it takes of memory before it starts
_PROGRAM = 350e6  # for libraries and compiled kernels: in a limit that is given, but not in what is free by now
_FORMS = ("auto", "operator", "sparse", "neighbors", "dense")  # of evidence
_LINKED = 48, 6  # bytes, and numbers of X's type, that a member through landmarks holds for each row
_RESULT = 10  # numbers for each object beside its memberships: labels, uncertainty, dendrogram, what is written


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
    >>> from pluribus.pipeline import make_plan
    >>> plan = make_plan(1_000_000, 50, 1020, table=40_000_000, limit="8GB")
    >>> plan.evidence
    'neighbors'
    >>> for sentence in plan.sentences:
    ...     print(sentence)
    About 2.5 GB of at most 8.0 GB: table 40.0 MB, labels 100.0 MB, consensus 1.9 GB, result 160.0 MB.
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
    evidence: str = "auto",
    n_clusters: int | None = None,
    n_distinct: int | None = None,
    seconds: float | None = None,
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
        The consensus function, by name; empty if it is none of ours.
    evidence : str
        See ``EvidenceAccumulation``, if that is the method.
    n_clusters : int, optional
        Of the result.
    n_distinct : int, optional
        Objects with different labels, if the labels are there; by default all differ. Methods that hold pairs of these
        are not refused before that is known.
    seconds : float, optional
        What average link on all pairs takes, if the labels are there; by default as if clusters were of equal size.
    table : number
        Bytes of the features, and of what is made of them before they are clustered.
    limit : number of bytes, or text such as "4GB" or "50%"; by default 70 % of the free memory

    Raises
    ------
    MemoryLimitError
        If it would take more than the limit.
    """
    method = method.lower() if isinstance(method, str) else method
    if not is_one_of(method, ("", *names())):
        raise ValueError(f"method={method!r}: give one of {', '.join(names())}, or '' for a function of your own.")
    if method == "eac" and not is_one_of(evidence, _FORMS):
        raise ValueError(f"evidence={evidence!r}: give one of {', '.join(_FORMS)}.")
    n_objects = whole_number("n_objects", n_objects, 0, sys.maxsize)
    n_partitions = whole_number("n_partitions", n_partitions, 0, sys.maxsize)
    most_clusters = whole_number("most_clusters", most_clusters, 0, sys.maxsize)
    n_clusters = None if n_clusters is None else whole_number("n_clusters", n_clusters, 1, sys.maxsize)
    n_distinct = None if n_distinct is None else whole_number("n_distinct", n_distinct, 1, sys.maxsize)
    seconds = None if seconds is None else real_number("seconds", seconds, 0, np.inf)
    table = real_number("table", table, 0, sys.float_info.max)
    if min(n_objects, n_partitions) < 1:
        given = f"n_objects={n_objects}, n_partitions={n_partitions}, most_clusters={most_clusters}"
        raise ValueError(f"{given}: there is nothing to plan without objects, partitions and clusters.")
    allowed = memory_limit(limit)
    is_given = limit is not None or given_limit() is not None
    program = _PROGRAM if is_given else 0
    consensus = {
        form: int(bytes_needed(method, n_objects, n_partitions, n_distinct, neighbors=form == "neighbors"))
        for form in (None, "operator", "neighbors")
    }

    def parts_with(form: str | None) -> dict[str, int]:
        return {
            "table": int(table),
            "labels": n_objects * n_partitions * np.min_scalar_type(-most_clusters).itemsize,
            "consensus": consensus.get(form, consensus[None]),
            "result": 8 * n_objects * ((n_clusters or 10) + _RESULT),
        }

    form, why = None, ""
    if method == "eac" and evidence != "auto":
        form, why = evidence, f"Evidence: {evidence}, as requested."
    elif method == "eac":
        pairs = n_partitions * float(n_distinct or n_objects) ** 2 / max(most_clusters, 1)
        predicted = seconds_of_pairs(pairs, "average") if seconds is None else seconds
        needed = sum(parts_with("operator").values()) + program
        # The memory that happens to be free must not change the result.
        form, why = _form_of_evidence(predicted, is_given and needed > allowed, needed)
    parts = parts_with(form)
    peak = int(sum(parts.values()) + program)
    if peak > allowed:
        raise MemoryLimitError(_refusal(method, n_objects, n_partitions, n_distinct, peak, allowed, parts))
    listed = ", ".join(f"{name} {in_bytes(size)}" for name, size in parts.items() if size)
    words = f"About {in_bytes(peak)} of at most {in_bytes(allowed)}: {listed}."
    return Plan(allowed, peak, parts, form, (words, why) if why else (words,))


def _form_of_evidence(seconds: float, too_large: bool, needed: float) -> tuple[str, str]:
    """All pairs where that is quick and fits into a limit that was given, else the strongest ones; and why."""
    strongest = "Evidence along the strongest pairs of each object"
    if too_large:
        return "neighbors", f"{strongest}: with all pairs, it would be {in_bytes(needed)}."
    if seconds > EXACT_SECONDS:
        return "neighbors", f"{strongest}: all pairs would take about {seconds / 60:,.0f} minutes."
    return "operator", "Evidence on all pairs: it is exact, and takes about a minute at most."


def _refusal(
    method: str, n: int, r: int, n_distinct: int | None, peak: int, allowed: int, parts: dict[str, int]
) -> str:
    """What is too much, and what of this would be enough: each advice alone makes the job fit."""
    rest = peak - parts["consensus"]
    lean = [
        name for name in ("hbgf", "voting") if name != method and rest + bytes_needed(name, n, r, n_distinct) <= allowed
    ]
    advice = [f"use another consensus function ({' or '.join(lean)})"] if lean else []
    of_members = (parts["labels"] + parts["consensus"] - bytes_needed(method, n, 0, n_distinct)) / max(r, 1)
    fewer = r - ceil((peak - allowed) / max(of_members, 1))
    if fewer >= 10 and n_distinct is None:  # members that are still to be made
        advice.append(f"make {fewer} members instead of {r}")
    if peak - parts["table"] <= allowed:
        advice.append("give the table as a Parquet file, which is read in parts")
    advice.append(f"raise the memory limit to {in_bytes(1.05 * peak)}")
    return (
        f"{n:,} objects in {r} partitions would take about {in_bytes(peak)} with {method!r}, more than the "
        f"{in_bytes(allowed)} allowed. To do: {'; or '.join(advice)}."
    )


def plan_of(
    X: Any,
    generator: Any,
    method: str = "eac",
    n_clusters: int | None = None,
    *,
    evidence: str = "auto",
    held: float = 0,
    limit: float | str | None = None,
) -> Plan:
    """What clustering X will take of memory; refused if that is more than the limit.

    Parameters
    ----------
    X : array, sparse matrix or Rows
    generator : Generator or Mix
    method, n_clusters, evidence, limit : see ``make_plan``
    held : number
        Bytes that are held in addition to X.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus.pipeline import plan_of
    >>> from pluribus.generate import Generator
    >>> plan_of(np.zeros((1000, 4)), Generator(), limit="1GB").parts["labels"]
    100000
    """
    if not (isinstance(X, np.ndarray | Rows) or sparse.issparse(X)) or len(X.shape) != 2:
        raise ValueError(f"X is a {type(X).__name__}: give an array, a sparse matrix or Rows of shape (n, d).")
    if not hasattr(generator, "n_members"):
        raise ValueError(
            f"generator={type(generator).__name__}: give a Generator, a Mix, or a generator with n_members."
        )
    held = real_number("held", held, 0, sys.float_info.max)
    n, d = X.shape
    if isinstance(X, np.ndarray):
        table = 0 if isinstance(X, np.memmap) else X.nbytes
    elif sparse.issparse(X):
        table = X.nnz * (X.dtype.itemsize + 4) + 4 * (n + 1)  # as rows of indices, whatever form it has now
    else:
        table = 0
    links = _landmark_bytes(X, generator)
    most = k_range(n, generator.n_clusters)[1] if hasattr(generator, "n_clusters") else 128
    samples = 400 * most * d * X.dtype.itemsize  # that a few members learn from at a time, and their copies
    return make_plan(
        n,
        generator.n_members,
        most,
        method=method,
        evidence=evidence,
        n_clusters=n_clusters,
        table=table + samples + pool_bytes(X, generator, limit) + links + held,
        limit=limit,
    )


def _landmark_bytes(X: Any, generator: Any) -> int:
    """What members through landmarks hold at a time: the links of all rows, for each thread."""
    if not is_one_of(getattr(generator, "clusterer", None), ("landmarks",)):
        return 0
    n_threads = min(effective_n_jobs(generator.n_jobs), generator.n_members)
    return int(n_threads * X.shape[0] * (_LINKED[0] + _LINKED[1] * X.dtype.itemsize))
