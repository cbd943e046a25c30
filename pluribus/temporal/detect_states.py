"""States of a series from the labels of its rows, window by window."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from pluribus._engine import real_number, seeds, whole_number
from pluribus._kernels.points.small_kmeans import small_kmeans, spread_starts
from pluribus.partitions._internal import encode_labels
from pluribus.temporal._arguments import n_dimensions
from pluribus.temporal._fitness import renumbered
from pluribus.temporal._majority import majority
from pluribus.temporal._members import co_association
from pluribus.temporal.extract_partitions import LINKAGES, extracted

_MOST_STATES = 6  # clusters of a member, at most
_MEMBERS = 100
_STEPS = 100  # iterations of k-means


@dataclass(frozen=True, eq=False)
class StateSequence:
    """The states of a series, in the order of time.

    Attributes
    ----------
    window_labels : ndarray of shape (w,)
        The state of each window, numbered from 0 in the order of their first window.
    windows : ndarray of shape (w, 2)
        The first row of each window, and the row after its last.
    occurrence : ndarray of bool, shape (w, k)
        Whether a label occurs in a window (the matrix M_b of the source).
    n_states : int
    runs : list of (int, int, int)
        The first row, the row after the last, and the state of each stretch of windows with one state. Missing rows
        end a stretch.
    unambiguous : bool
        Whether each state is one stretch: missing rows aside, it never comes back.
    agreed : bool
        Whether most linkages found this sequence; if not, it is the one most similar to the others.
    """

    window_labels: np.ndarray
    windows: np.ndarray
    occurrence: np.ndarray
    n_states: int
    runs: list[tuple[int, int, int]]
    unambiguous: bool
    agreed: bool

    @property
    def labels(self) -> np.ndarray:
        """The state of each row up to the last labeled one, -1 for missing rows."""
        states = np.full(int(self.windows[-1, 1]), -1)
        for first, stop, state in self.runs:
            states[first:stop] = state
        return states


def detect_states(
    labels: Any, window: int = 10, *, breaks: Any = (), min_share: float = 0.0, random_state: Any = None
) -> StateSequence:
    """Find the states of a series from the clusters of its rows.

    The series is cut into windows of consecutive rows. A window is described by which clusters occur in it: a state can
    be one cluster, a combination of clusters, or a mix. Windows are clustered by evidence accumulation (100 k-means
    members with 2 to 6 clusters), and the state sequence that most of five linkages find is taken. States are distinct
    if each of them is one stretch of time (``unambiguous``).

    Windows with the same clusters are always in the same state, so there is one state if all windows are alike.

    Parameters
    ----------
    labels : array of shape (n,)
        The cluster of each row, in the order of time. Rows without a label (-1, None, NaN) belong to no window, and a
        new window starts after them.
    window : int, default=10
        Rows of a window; the last one of a stretch may have fewer.
    breaks : sequence of int
        Rows at which a new window starts, such as the first row after a change that is known.
    min_share : float, default=0
        A cluster occurs in a window if this share of its rows, and one at least, has its label. By default single rows
        count, as in the source; 0.25 is robust against outliers. The most frequent cluster counts in any case.
    random_state : int, RandomState, numpy Generator or None

    Returns
    -------
    StateSequence

    References
    ----------
    Medina and Fred, "Clustering data with temporal evolution", CCIS 129, 2011 (algorithm 1).

    Examples
    --------
    >>> from pluribus.temporal import detect_states
    >>> states = detect_states([0] * 30 + [-1] * 5 + [1] * 30, window=10, random_state=0)
    >>> states.runs, states.unambiguous
    ([(0, 30, 0), (35, 65, 1)], True)
    """
    if n_dimensions(labels) != 1 or len(labels) == 0:
        raise ValueError("labels must have one label for each row, and there must be rows.")
    codes, classes = encode_labels(labels)
    if not len(classes):
        raise ValueError("labels has no label: all rows are missing.")
    window = whole_number("window", window, 1, len(codes))
    min_share = real_number("min_share", min_share, 0, 1)
    windows = _cut(codes >= 0, window, _checked_breaks(breaks, len(codes)))
    counts = np.array([np.bincount(codes[first:stop], minlength=len(classes)) for first, stop in windows])
    most = counts.max(axis=1, keepdims=True)
    occurrence = (counts > 0) & (counts >= np.minimum(min_share * counts.sum(axis=1, keepdims=True), most))
    found, agreed = _states(occurrence, seeds(random_state, 1)[0])
    states = renumbered(found)
    n_states = int(states.max()) + 1
    runs = _runs(windows, states)
    stretches = 1 + int(np.count_nonzero(np.diff(states)))
    return StateSequence(states, windows, occurrence, n_states, runs, stretches == n_states, agreed)


def _checked_breaks(breaks: Any, n: int) -> list[int]:
    if isinstance(breaks, str) or n_dimensions(breaks) != 1:
        raise ValueError(f"breaks={breaks!r}: give the numbers of rows.")
    return sorted({whole_number("breaks", row, 0, n) for row in np.asarray(breaks, dtype=object)})


def _cut(labeled: np.ndarray, window: int, breaks: list[int]) -> np.ndarray:
    """Windows of the labeled rows, cut anew after each gap and at each break."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], labeled, [False]]).astype(np.int8))).reshape(-1, 2)
    cuts: list[tuple[int, int]] = []
    for first, stop in edges.tolist():
        inside = [first, *(row for row in breaks if first < row < stop), stop]
        for low, high in pairwise(inside):
            cuts += [(start, min(start + window, high)) for start in range(low, high, window)]
    return np.array(cuts)


def _states(occurrence: np.ndarray, seed: int) -> tuple[np.ndarray, bool]:
    """The state of each window, and whether most linkages agree on it."""
    distinct, kind = np.unique(occurrence, axis=0, return_inverse=True)
    highest = min(_MOST_STATES, len(occurrence) - 1)
    if len(distinct) == 1 or highest < 2:
        return kind.ravel(), True
    order = np.argsort(kind.ravel(), kind="stable")  # by kind: the result does not depend on the direction of time
    points = np.ascontiguousarray(occurrence[order], dtype=np.float64)
    draws = np.random.default_rng(seed).random((_MEMBERS, highest))
    starts = [spread_starts(points, 2 + member % (highest - 1), draws[member]) for member in range(_MEMBERS)]
    members = [small_kmeans(points, own, _STEPS) for own in starts]
    partitions, agreed = majority(extracted(co_association(np.column_stack(members)), LINKAGES, None))
    states = np.empty_like(partitions)
    states[order] = partitions
    return states, agreed


def _runs(windows: np.ndarray, states: np.ndarray) -> list[tuple[int, int, int]]:
    runs: list[tuple[int, int, int]] = []
    for (first, stop), state in zip(windows.tolist(), states.tolist(), strict=True):
        if runs and runs[-1][2] == state and runs[-1][1] == first:
            runs[-1] = runs[-1][0], stop, state
        else:
            runs.append((first, stop, state))
    return runs
