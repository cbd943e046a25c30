"""The states of a signal: from the result to the numbers and words of their page. Nothing here draws."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from pluribus.pipeline import States
from pluribus.report._shared.words import count, percent

_CELLS = 240  # rows of the evidence in the figure
_POINTS = 800  # of a line
_LINES = 6  # features in the figure


class Stretch(NamedTuple):
    """An interval of one state, or of a transition (state -1); times as text, and as places on the axis."""

    number: int
    start: str
    end: str
    n_rows: int
    state: int
    certainty: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class StatesSummary:
    """The numbers and words of the page."""

    title: str
    headline: str
    findings: tuple[str, ...]
    n_rows: int
    n_states: int
    n_removed: int
    p_value: float
    stretches: tuple[Stretch, ...]
    evidence: np.ndarray  # (cells, cells)
    evidence_places: np.ndarray  # the times of the cells
    lines: Mapping[str, tuple[np.ndarray, np.ndarray]]  # times and values of features
    n_features: int
    timed: bool  # places are times, and not numbers of rows
    dated: bool  # they are milliseconds since 1970
    surrogates: np.ndarray
    statistic: float
    history: tuple[float, ...]
    threshold: float
    notes: Sequence[str]
    parameters: Mapping[str, Any]
    versions: Mapping[str, str]


def summarize_states(case: States) -> StatesSummary:
    """The numbers and words of the page.

    Examples
    --------
    >>> import numpy as np
    >>> import pluribus
    >>> from pluribus.report import summarize_states
    >>> signal = np.repeat([0.0, 4.0], 40)[:, None] + np.random.default_rng(0).normal(size=(80, 2))
    >>> summarize_states(pluribus.states(signal, surrogates=19, verbose=False)).n_states
    2
    """
    dated = case.time.dtype.kind == "M"
    places = case.time.astype("datetime64[ms]").astype(np.int64) if dated else case.time
    places = np.asarray(places, dtype=np.float64)
    centers = (places[case.rows[:, 0]] + places[case.rows[:, 1] - 1]) / 2
    m = len(centers)
    groups = np.array_split(np.arange(m), min(m, _CELLS))
    cells = np.array([group[0] for group in groups])
    sizes = np.array([len(group) for group in groups])
    sums = np.add.reduceat(np.add.reduceat(case.coassociation, cells, axis=0), cells, axis=1)
    spread = np.argsort(-case.X.std(axis=0), kind="stable") if case.X.shape[1] > _LINES else np.arange(case.X.shape[1])
    thin = np.unique(np.linspace(0, m - 1, min(m, _POINTS)).astype(np.int64))
    lines = {case.feature_names[i]: (centers[thin], case.X[thin, i]) for i in np.sort(spread[:_LINES])}
    return StatesSummary(
        case.title,
        _headline(case),
        tuple(_findings(case)),
        len(case.labels),
        case.n_states,
        case.n_removed,
        case.test.p_value,
        tuple(_stretches(case, places)),
        sums / np.outer(sizes, sizes),
        centers[cells],
        lines,
        case.X.shape[1],
        not np.array_equal(case.time, np.arange(1, len(case.time) + 1)),
        dated,
        case.test.surrogates[:, 0],
        case.test.statistic,
        tuple(case.search.history_),
        float(case.search.threshold),
        case.notes,
        case.parameters,
        case.versions,
    )


def _stretches(case: States, places: np.ndarray) -> list[Stretch]:
    found = []
    for row in case.intervals.itertuples():
        first, last = int(row.first_row) - 1, int(row.last_row) - 1
        state = int(case.labels[first])
        found.append(
            Stretch(
                int(row.interval),
                str(row.start),
                str(row.end),
                last - first + 1,
                state,
                float(row.certainty),
                float(places[first]),
                float(places[last]),
            )
        )
    return found


def _headline(case: States) -> str:
    if case.n_states == 1:
        return "one state: nothing changes that can be told from noise"
    if not case.test.states:
        return f"{case.n_states} states by clustering, but a drift explains the signal as well"
    return f"{count(case.n_states, 'distinct state')}, more than a drift explains"


def _findings(case: States) -> list[str]:
    found = [case.test.verdict]
    if case.n_states > 1:
        found.append(
            "Each state is one stretch of time."
            if case.sequence.unambiguous
            else "Some states come back: a state is not one stretch of time."
        )
    if case.n_removed:
        share = percent(case.n_removed / len(case.labels))
        found.append(
            f"{count(case.n_removed, 'row')} ({share}) between the states are left out as transition: without them, "
            f"the states are clean (fitness {case.search.fitness_.total:.2f}; "
            f"{case.search.threshold:g} counts as clean)."
        )
    elif case.search.converged_:
        found.append("The states change from one row to the next: no row is left out as transition.")
    else:
        found.append(
            f"No block of rows was found whose removal leaves two clean segments (the best fitness is "
            f"{case.search.fitness_.total:.2f}, and {case.search.threshold:g} counts as clean), so that states are "
            "read from all rows."
        )
    if not case.sequence.agreed:
        found.append("The five linkages do not agree on the states: the ones shown are most similar to the others.")
    return found
