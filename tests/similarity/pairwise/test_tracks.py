"""Constraints from tracks, and the vote of a track."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pluribus.similarity import majority_vote, track_constraints


def test_tracks_without_frames():
    known = track_constraints(["a", "b", "a", None, "a", "b", np.nan, -1])
    assert known.must_link.tolist() == [[0, 2], [1, 5], [2, 4]]
    assert len(known.cannot_link) == 0
    assert len(track_constraints([-1, -1]).must_link) == 0


def test_the_middle_is_by_time():
    known = track_constraints([0, 0, 0], frames=[30, 10, 20])
    assert known.must_link.tolist() == [[0, 2], [1, 2]]
    assert track_constraints([0, 0, 0], frames=["a", 2, "b"]).must_link.tolist() == [[0, 1], [1, 2]]


def test_each_two_tracks_are_told_apart_once_where_they_first_meet():
    tracks = ["a", "b", "a", "b", "c", "c", None]
    known = track_constraints(tracks, frames=[5, 5, 3, 3, 5, 9, 5])
    assert known.cannot_link.tolist() == [[0, 4], [1, 4], [2, 3]]


def test_rows_without_a_frame_are_of_the_track_but_meet_nobody():
    known = track_constraints([0, 0, 1, 1], frames=[1, None, None, 2])
    assert known.must_link.tolist() == [[0, 1], [2, 3]]
    assert len(known.cannot_link) == 0


@given(st.lists(st.tuples(st.integers(-1, 4), st.integers(0, 5)), min_size=1, max_size=25))
def test_all_pairs_follow(rows):
    tracks, frames = np.array(rows).T
    closure = track_constraints(tracks, frames).closure()
    chunk = closure.chunk_of
    pairs = {(min(a, b), max(a, b)) for a, b in closure.told_apart.tolist()}
    for i in range(len(rows)):
        for j in range(i):
            together = tracks[i] == tracks[j] >= 0
            assert (chunk[i] == chunk[j]) == together
    met = {
        (min(tracks[i], tracks[j]), max(tracks[i], tracks[j]))
        for i in range(len(rows))
        for j in range(i)
        if frames[i] == frames[j] and tracks[i] != tracks[j] and min(tracks[i], tracks[j]) >= 0
    }
    assert len(pairs) == len(met)


@given(st.lists(st.tuples(st.integers(-1, 3), st.sampled_from("xyz")), min_size=1, max_size=20))
def test_votes_are_counted(rows):
    tracks, labels = zip(*rows, strict=True)
    voted = majority_vote(labels, tracks)
    for track, label, result in zip(tracks, labels, voted, strict=True):
        votes = Counter(other for t, other in rows if t == track)
        assert result == (label if track < 0 else min(votes, key=lambda name: (-votes[name], name)))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: track_constraints(None), "tracks"),
        (lambda: track_constraints("abc"), "tracks must be a sequence"),
        (lambda: track_constraints([0, 1], frames=[0]), "frames needs one entry for each of the 2 objects"),
        (lambda: majority_vote([0, 1], [0]), "tracks needs one entry for each of the 2 objects"),
        (lambda: majority_vote([[0, 1]], [0]), "one label for each row"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_the_middle_of_an_even_track_is_the_earlier_one():
    assert track_constraints(["a"] * 4).must_link.tolist() == [[0, 1], [1, 2], [1, 3]]


def test_no_frame_is_known():
    known = track_constraints(["a", "a", "b"], frames=[None, None, None])
    assert known.must_link.tolist() == [[0, 1]]
    assert len(known.cannot_link) == 0
