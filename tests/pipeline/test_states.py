import numpy as np
import pandas as pd
import pytest

import pluribus


def signal(n=60, seed=0):
    rng = np.random.default_rng(seed)
    return np.repeat([0.0, 5.0], n // 2)[:, None] + rng.normal(size=(n, 2))


def test_labels_and_intervals_say_the_same():
    found = pluribus.states(signal(), surrogates=9, verbose=False)
    for row in found.intervals.itertuples():
        own = set(found.labels[row.first_row - 1 : row.last_row].tolist())
        assert own == {-1 if pd.isna(row.state) else row.state - 1}
    assert found.coassociation.shape == (60, 60)
    assert found.summary().startswith("2 states in 60 rows")


def test_arrays_frames_and_files_give_the_same(tmp_path):
    X = signal()
    frame = pd.DataFrame(X, columns=["x0", "x1"])
    frame.to_csv(tmp_path / "s.csv", index=False)
    results = [pluribus.states(data, surrogates=9, verbose=False).intervals for data in (X, frame, tmp_path / "s.csv")]
    pd.testing.assert_frame_equal(results[0], results[1])
    pd.testing.assert_frame_equal(results[0], results[2])


def test_reversing_time_reverses_the_states():
    X = signal(60, 3)
    forth, back = (pluribus.states(data, surrogates=9, verbose=False) for data in (X, X[::-1]))
    np.testing.assert_array_equal(back.coassociation[::-1, ::-1], forth.coassociation)
    same = np.equal.outer(forth.labels, forth.labels)
    np.testing.assert_array_equal(np.equal.outer(back.labels, back.labels)[::-1, ::-1], same)


def test_long_signals_are_described_in_groups():
    rng = np.random.default_rng(0)
    slow, fast = (np.sin(2 * np.pi * np.arange(4500) / period) for period in (200, 20))
    X = np.concatenate([slow, fast])[:, None] + 0.1 * rng.normal(size=(9000, 1))
    found = pluribus.states(X, surrogates=9, verbose=False)
    assert len(found.X) == 200
    assert any("described in 200 groups of 45 " in note for note in found.notes)
    assert len(found.labels) == 9000
    assert found.intervals["last_row"].iloc[-1] == 9000
    change = found.intervals["last_row"].iloc[0]
    assert abs(change - 4500) <= 120


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"windows": 0}, "windows"),
        ({"windows": 61}, "windows=61"),
        ({"seed": -1}, "seed"),
        ({"seed": "a"}, "seed"),
        ({"time": "when"}, "time='when'"),
        ({"time": 3}, "time=3"),
        ({"surrogates": 0}, "n_surrogates"),
        ({"scale": "wide"}, "scale"),
    ],
)
def test_bad_options(options, words):
    with pytest.raises(ValueError, match=words):
        pluribus.states(signal(), verbose=False, **{"surrogates": 2} | options)


@pytest.mark.parametrize("data", [np.ones((20, 2)), np.zeros((0, 2)), [[1.0]], "nowhere.csv", np.full((20, 1), np.nan)])
def test_bad_data(data):
    with pytest.raises((ValueError, OSError)):
        pluribus.states(data, surrogates=2, verbose=False)
