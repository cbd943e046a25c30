"""A signal -> its states, and when they changed: the whole walk."""

import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from numbers import Integral
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

from pluribus._engine import seeds, whole_number
from pluribus.evidence import CoAssociation, mean_evidence
from pluribus.pipeline._notes import Notes
from pluribus.pipeline._request import plain, stated
from pluribus.pipeline.clustering import _drawing, versions
from pluribus.tables import Table, TableError, as_table, prepare
from pluribus.tables._internal import counted
from pluribus.temporal import (
    NullTest,
    StateSequence,
    TemporalEnsemble,
    TransitionSearch,
    detect_states,
    extract_partitions,
    null_test,
    window_features,
)
from pluribus.temporal._internal import LEAST_ROWS, majority

_MOST_ROWS = 2_000  # beyond, rows are described in groups
_GROUPS = 200
_MIN_SHARE = 0.25  # of the rows of a window, that a cluster must have to count there


@dataclass(frozen=True, eq=False)
class States:
    """The states of a signal, and when they changed.

    Attributes
    ----------
    intervals : DataFrame
        In the order of time: ``interval`` (from 1), ``start`` and ``end`` (the time of the first and the last row, or
        their numbers from 1), ``first_row`` and ``last_row`` (numbers from 1), ``state`` (from 1; missing for a
        transition) and ``certainty`` (the mean share of the evidence of the rows of an interval that speaks for its
        state; missing for a transition).
    labels : ndarray of shape (n,)
        The state of each row of the signal, from 0; -1 for rows of a transition.
    n_states : int
    coassociation : ndarray of shape (m, m)
        The share of the members in which two rows are together, in the order of time.
    sequence : StateSequence
    search : TransitionSearch
    test : NullTest
    X : ndarray of shape (m, p)
        The features that were clustered.
    feature_names : tuple of str
    rows : ndarray of shape (m, 2)
        The first row of the signal that a row of X describes, and the row after the last.
    time : ndarray of shape (n,)
        The time of each row; numbers from 1, if no time is given.
    title : str
    notes : list of str
    parameters, versions : dict
    """

    intervals: pd.DataFrame
    labels: np.ndarray
    n_states: int
    coassociation: np.ndarray
    sequence: StateSequence
    search: TransitionSearch
    test: NullTest
    X: np.ndarray
    feature_names: tuple[str, ...]
    rows: np.ndarray
    time: np.ndarray
    title: str
    notes: list[str]
    parameters: dict[str, Any]
    versions: dict[str, str]

    @property
    def n_removed(self) -> int:
        """Rows that were left out as transition."""
        return int(np.count_nonzero(self.labels < 0))

    def summary(self) -> str:
        """The result in a few lines."""
        lines = [f"{counted(self.n_states, 'state')} in {len(self.labels):,} rows", self.test.verdict]
        return "\n".join([*lines, self.intervals.to_string(index=False, float_format="%.2f", na_rep="")])

    def report(self, path: str | PathLike[str]) -> Path:
        """Write the page, one HTML file that opens offline; a file at this path is replaced."""
        return _drawing().write_states(self, path)


def states(
    data: Any,
    *,
    time: str | None = None,
    windows: int = 10,
    surrogates: int = 99,
    id_column: str | None = None,
    ignore: Iterable[str] = (),
    scale: Literal["standard", "robust", "none"] = "standard",
    impute: bool = False,
    seed: int = 0,
    checkpoint: str | PathLike[str] | None = None,
    n_jobs: int | None = None,
    on_note: Callable[[str], None] | None = None,
    verbose: bool = True,
) -> States:
    """Find the states of a signal and when they changed, and test whether there are any.

    ``pluribus states`` on the command line calls this function: the same data, options and seed give the same result.

    The rows are clustered many times by k-means. A block of rows is sought whose removal leaves two clean segments
    (see ``pluribus.temporal.TransitionSearch``). States are then read from windows of the kept rows, or of all rows if
    there is no such block, and a test compares the signal with ones that only drift.

    Parameters
    ----------
    data : path of a CSV, Parquet or NPZ file, data frame, or array of shape (n, p)
        Rows in the order of time. More than 2,000 rows are described in groups of consecutive rows, by the level,
        spread and roughness of each column (see ``pluribus.temporal.window_features``).
    time : str, optional
        The column with the time of each row, numbers or dates. Rows are sorted by it. By default it is a column of
        dates, or one that rises by the same amount from row to row; without one, rows are numbered.
    windows : int
        Rows of a window.
    surrogates : int
        Drifting signals that the test compares with.
    id_column : str, optional
        A column that names the rows; by default one called "id".
    ignore : names of columns to leave out
    scale, impute : see :func:`pluribus.cluster`
    seed : int
        Same seed, same result.
    checkpoint : path, optional
        A directory for finished steps of the search and the test; a job that was stopped continues from there.
    n_jobs : int, optional
        Threads. The result does not depend on it.
    on_note : callable, optional
        Gets each note as it comes up.
    verbose : bool
        Show progress (only on a terminal).

    Returns
    -------
    States

    Examples
    --------
    >>> import numpy as np
    >>> import pluribus
    >>> level = np.repeat([0.0, 4.0], 40)[:, None]
    >>> signal = level + np.random.default_rng(0).normal(size=(80, 3))
    >>> found = pluribus.states(signal, surrogates=19, verbose=False)
    >>> found.n_states, found.test.states
    (2, True)
    >>> found.intervals[["first_row", "last_row", "state"]].values.tolist()
    [[1, 40, 1], [41, 80, 2]]
    """
    options = {name: plain(value) for name, value in stated(states, locals()).items()}
    notes = Notes(on_note)
    whole_number("windows", windows, 1)
    if checkpoint is not None and not isinstance(checkpoint, str | PathLike):
        raise ValueError(f"checkpoint={checkpoint!r}: give the path of a directory.")
    if on_note is not None and not callable(on_note):
        raise ValueError(f"on_note={on_note!r}: give a function that takes a sentence.")
    if isinstance(seed, bool) or not isinstance(seed, Integral) or seed < 0:
        raise ValueError(f"seed={seed!r}: give a whole number from 0.")
    table, times = _timed(as_table(data, id_column=id_column, ignore=ignore), time, notes)
    prepared = prepare(table, scale=scale, impute=impute)
    notes.add([*table.notes, *prepared.notes])
    X, names, rows = _grouped(prepared.X, prepared.feature_names, scale, notes)
    if len(X) < LEAST_ROWS:
        raise ValueError(f"'{table.name}' has {len(X)} rows: states need at least {LEAST_ROWS}.")
    if windows > len(X):
        raise ValueError(f"windows={windows}, but there are {len(X)} rows to cut into windows: give at most {len(X)}.")
    of_members, of_search, of_states, of_test = seeds(int(seed), 4)
    kept = None if checkpoint is None else Path(checkpoint)
    work = {"n_jobs": n_jobs, "verbose": verbose}
    with notes.of_warnings():
        members = TemporalEnsemble(("kmeans",), standardize=False, random_state=of_members)
        search = TransitionSearch(
            members, random_state=of_search, checkpoint=None if kept is None else kept / "search", **work
        ).fit(X)
        evidence = members.fit(X)
        labels, breaks = search.labels_, search.intervals_[:, 0]
        if not search.converged_:
            labels, breaks = majority(extract_partitions(evidence.coassociation_))[0], ()
            notes.add([_unclean(search)])
        sequence = detect_states(labels, windows, breaks=breaks, min_share=_MIN_SHARE, random_state=of_states)
        test = null_test(
            X,
            n_surrogates=surrogates,
            standardize=False,
            checkpoint=None if kept is None else kept / "test",
            random_state=of_test,
            **work,
        )
    of_rows = np.full(len(X), -1)
    of_rows[: len(sequence.labels)] = sequence.labels
    labels = np.full(len(times), -1)
    for (first, stop), state in zip(rows, of_rows, strict=True):
        labels[first:stop] = state
    return States(
        _intervals(of_rows, sequence, evidence.coassociation_, rows, times),
        labels,
        sequence.n_states,
        evidence.coassociation_,
        sequence,
        search,
        test,
        X,
        tuple(names),
        rows,
        times,
        table.name,
        notes.sentences,
        options,
        versions(),
    )


def _timed(table: Table, time: str | None, notes: Notes) -> tuple[Table, np.ndarray]:
    """The table without its column of time, its rows in order, and their times."""
    if time is None:
        time = _clock(table.frame)
        if time is None:
            return table, np.arange(1, len(table.frame) + 1)
        notes.add([f"'{time}' is taken as the time of the rows."])
    if not isinstance(time, str) or time not in table.frame.columns:
        known = ", ".join(repr(str(column)) for column in table.frame.columns[:20])
        raise TableError(f"time={time!r} is no column of '{table.name}'. Its columns are {known}.")
    values = _as_times(table.frame[time])
    if values.isna().any() or (values.dtype.kind == "f" and not np.isfinite(values).all()):
        raise TableError(f"time={time!r}: some rows of '{table.name}' have no number or date there.")
    order = np.argsort(values.to_numpy(), kind="stable")
    if (np.diff(order) < 0).any():
        notes.add([f"Rows are sorted by '{time}'."])
    frame = table.frame.drop(columns=time).iloc[order].reset_index(drop=True)
    if not frame.shape[1]:
        raise TableError(f"'{table.name}' has no column besides '{time}': give the signal too.")
    return Table(frame, table.ids[order], table.name, table.notes, table.decimal, table.named), values.to_numpy()[order]


def _clock(frame: pd.DataFrame) -> str | None:
    """A column that can only be the time: it would be a drift, if it were clustered."""
    for name in frame.columns:
        if frame.shape[1] == 1:
            return None
        values = _as_times(frame[name])
        if values.isna().any():
            continue
        if values.dtype.kind == "M":
            return str(name)
        steps = np.diff(values.to_numpy(dtype=np.float64))
        if len(steps) > 2 and steps.min() > 0 and np.ptp(steps) <= 1e-6 * steps.mean():
            return str(name)
    return None


def _as_times(values: pd.Series) -> pd.Series:
    """Numbers or dates; missing where a cell is neither."""
    if values.dtype.kind in "iufM":
        return values
    if values.dtype.kind == "b":
        return pd.Series(np.nan, index=values.index)
    parsed = pd.to_numeric(values, errors="coerce")
    if not parsed.isna().any():
        return parsed
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return pd.to_datetime(values, errors="coerce", format="mixed", utc=True).dt.tz_localize(None)


def _grouped(X: np.ndarray, names: list[str], scale: str, notes: Notes) -> tuple[np.ndarray, list[str], np.ndarray]:
    """The rows to cluster; those of a long signal are described in groups."""
    n = len(X)
    X = np.asarray(X, dtype=np.float64)
    if n <= _MOST_ROWS:
        return X, list(names), np.column_stack([np.arange(n), np.arange(1, n + 1)])
    size = -(-n // _GROUPS)
    features, titles = window_features(X, size, names=names)
    if scale != "none":
        features = (features - features.mean(axis=0)) / np.maximum(features.std(axis=0), 1e-12)
    first = size * np.arange(len(features))
    stop = np.append(first[1:], n)  # the rest belongs to the last group
    notes.add([
        f"{n:,} rows are described in {len(features):,} groups of {size} consecutive ones, by level, spread and "
        "roughness of each column. Windows are of groups."
    ])  # fmt: skip
    return features, titles, np.column_stack([first, stop])


def _unclean(search: TransitionSearch) -> str:
    return (
        f"No block of rows whose removal leaves two clean segments was found (the best fitness is "
        f"{search.fitness_.total:.2f}, and {search.threshold:g} counts as clean): states are read from all rows."
    )


def _intervals(
    of_rows: np.ndarray, sequence: StateSequence, evidence: np.ndarray, rows: np.ndarray, times: np.ndarray
) -> pd.DataFrame:
    """A row for each stretch of one state or of a transition."""
    share = mean_evidence(CoAssociation.from_matrix(evidence), of_rows, sequence.n_states)
    share /= np.maximum(share.sum(axis=1, keepdims=True), np.finfo(float).tiny)
    edges = np.flatnonzero(np.diff(of_rows)) + 1
    found = []
    for number, part in enumerate(np.split(np.arange(len(of_rows)), edges), 1):
        state = int(of_rows[part[0]])
        first, last = int(rows[part[0], 0]), int(rows[part[-1], 1]) - 1
        certainty = float(share[part, state].mean()) if state >= 0 else np.nan
        found.append(
            (number, times[first], times[last], first + 1, last + 1, state + 1 if state >= 0 else pd.NA, certainty)
        )
    names = ["interval", "start", "end", "first_row", "last_row", "state", "certainty"]
    return pd.DataFrame(found, columns=names).astype({"state": "Int64"})
