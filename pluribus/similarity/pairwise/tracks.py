"""Tracks: rows that are known to show one object over time, such as regions that are followed through a video."""

from typing import Any

import numpy as np
import pandas as pd

from pluribus.constraints import Constraints
from pluribus.constraints._internal import parse_names


def track_constraints(tracks: Any, frames: Any = None) -> Constraints:
    """The pairs that tracks imply: rows of one track are the same object, tracks that share a frame are different ones.

    Each row is linked to the middle row of its track. Each two tracks with rows in the same frame are told apart by one
    pair: their rows in the first frame that they share. The pairs are hard, so they also suit the methods of
    :mod:`pluribus.constrained`.

    Parameters
    ----------
    tracks : sequence of length n
        The track of each row: any hashable; -1, None or NaN where there is none.
    frames : sequence of length n, optional
        The frame (moment) of each row, the same way. Without frames, the order of rows counts as time, and no tracks
        are told apart.

    Examples
    --------
    >>> from pluribus.similarity import track_constraints
    >>> known = track_constraints(["a", "a", "b", "b", "a"], frames=[0, 1, 1, 2, 2])
    >>> known.must_link.tolist(), known.cannot_link.tolist()
    ([[0, 1], [1, 4], [2, 3]], [[1, 2]])
    """
    track, _ = parse_names(tracks, None, "tracks")
    n = len(track)
    frame, moments = (np.arange(n), np.arange(n)) if frames is None else parse_names(frames, n, "frames")
    rank = np.append(_order_of(moments), n)  # frames are numbered by first appearance; -1, no frame, comes last
    rows = pd.DataFrame({"row": np.arange(n), "track": track, "time": rank[frame]})
    rows = rows[track >= 0].sort_values(["track", "time", "row"], kind="stable")
    size = rows.groupby("track")["row"].transform("size")
    middle = rows["row"][rows.groupby("track").cumcount() == (size - 1) // 2].to_numpy()  # by number of the track
    must_link = np.column_stack([middle[np.unique(rows["track"], return_inverse=True)[1]], rows["row"]])
    if frames is None:
        return Constraints(n, must_link=must_link)
    seen = rows[rows["time"] < n].drop_duplicates(["track", "time"])
    meetings = seen.merge(seen, on="time", suffixes=("", "_other")).query("track < track_other")
    first = meetings.sort_values(["time", "row"], kind="stable").drop_duplicates(["track", "track_other"])
    return Constraints(n, must_link=must_link, cannot_link=first[["row", "row_other"]].to_numpy())


def majority_vote(labels: Any, tracks: Any) -> np.ndarray:
    """Give all rows of a track the most frequent label of its rows; of equally frequent ones, the first in order.

    Parameters
    ----------
    labels : sequence of length n
        Predicted classes.
    tracks : sequence of length n
        As in :func:`track_constraints`; rows without a track keep their label.

    Examples
    --------
    >>> from pluribus.similarity import majority_vote
    >>> majority_vote(["x", "y", "y", "x"], tracks=[1, 1, 1, -1]).tolist()
    ['y', 'y', 'y', 'x']
    """
    codes, classes = _coded(labels)
    track, _ = parse_names(tracks, len(codes), "tracks")
    rows = np.flatnonzero(track >= 0)
    n_classes = max(len(classes), 1)
    pairs, votes = np.unique(track[rows] * n_classes + codes[rows], return_counts=True)
    of_track, label = np.divmod(pairs, n_classes)
    order = np.lexsort((label, -votes, of_track))
    _, best = np.unique(of_track[order], return_index=True)
    winner = label[order][best]
    result = codes.copy()
    result[rows] = winner[track[rows]]
    return np.asarray(classes)[result]


def _coded(labels: Any) -> tuple[np.ndarray, np.ndarray]:
    """Labels as numbers, and the label of each number, in order."""
    try:
        names = np.asarray(labels)
        if names.ndim != 1:
            raise ValueError(f"they have the shape {names.shape}")
        return pd.factorize(names.astype(names.dtype.newbyteorder("=")), sort=True, use_na_sentinel=False)
    except (TypeError, ValueError) as error:
        raise ValueError(f"labels must be one label for each row, numbers or texts: {error}.") from None


def _order_of(moments: np.ndarray) -> np.ndarray:
    """The rank in time of each frame; frames that cannot be compared keep their order."""
    try:
        order = np.argsort(moments, kind="stable")
    except TypeError:
        return np.arange(len(moments))
    rank = np.empty(len(moments), dtype=np.int64)
    rank[order] = np.arange(len(moments))
    return rank
