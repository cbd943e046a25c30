import numpy as np
import pytest

from pluribus.temporal import detect_states


def test_the_windows_of_the_source():
    found = detect_states(np.zeros(137, dtype=int), 10, random_state=0)
    assert len(found.windows) == 14
    assert found.windows[-1].tolist() == [130, 137]
    assert found.n_states == 1
    assert found.unambiguous


def test_which_labels_occur():
    found = detect_states([0] * 10 + [0, 1] * 5 + [1] * 10, 10, random_state=0)
    assert found.occurrence.astype(int).tolist() == [[1, 0], [1, 1], [0, 1]]


@pytest.mark.parametrize("seed", range(5))
def test_clear_states(seed):
    labels = [0, 1] * 30 + [2, 3] * 25 + [4] * 40  # two mixtures of clusters, and one cluster
    found = detect_states(labels, 10, random_state=seed)
    assert found.n_states == 3
    assert found.runs == [(0, 60, 0), (60, 110, 1), (110, 150, 2)]
    assert found.unambiguous
    assert found.labels.tolist() == [0] * 60 + [1] * 50 + [2] * 40


def test_states_that_come_back():
    found = detect_states([0] * 30 + [1] * 30 + [0] * 30, 10, random_state=0)
    assert found.n_states == 2
    assert [run[2] for run in found.runs] == [0, 1, 0]
    assert not found.unambiguous


def test_missing_rows_end_a_window():
    found = detect_states(["a"] * 15 + [None] * 4 + ["b"] * 12, 10, random_state=0)
    assert found.windows.tolist() == [[0, 10], [10, 15], [19, 29], [29, 31]]
    assert found.runs == [(0, 15, 0), (19, 31, 1)]
    assert found.labels.tolist() == [0] * 15 + [-1] * 4 + [1] * 12


def test_a_gap_within_a_state_is_no_return():
    found = detect_states([0] * 20 + [-1] * 5 + [0] * 20 + [1] * 20, 10, random_state=0)
    assert found.runs == [(0, 20, 0), (25, 45, 0), (45, 65, 1)]
    assert found.unambiguous


def test_windows_start_anew_at_breaks():
    labels = [0] * 13 + [1] * 14
    assert detect_states(labels, 10, random_state=0).runs != [(0, 13, 0), (13, 27, 1)]  # one window has both
    found = detect_states(labels, 10, breaks=[13, 0, 27], random_state=0)
    assert found.windows.tolist() == [[0, 10], [10, 13], [13, 23], [23, 27]]
    assert found.runs == [(0, 13, 0), (13, 27, 1)]


def test_rare_labels_need_not_count():
    labels = np.array([0] * 30 + [1] * 30)
    labels[5] = 1
    assert detect_states(labels, 10, random_state=0).n_states > 2
    assert detect_states(labels, 10, min_share=0.25, random_state=0).runs == [(0, 30, 0), (30, 60, 1)]
    assert detect_states(np.arange(20), 10, min_share=0.5, random_state=0).occurrence.any(axis=1).all()


def test_reversing_time_changes_nothing():
    rng = np.random.default_rng(0)
    labels = np.concatenate([rng.integers(0, 3, 50), rng.integers(1, 5, 50)])
    forth, back = (detect_states(order, 10, random_state=0) for order in (labels, labels[::-1]))
    same = np.equal.outer(forth.window_labels, forth.window_labels)
    np.testing.assert_array_equal(np.equal.outer(back.window_labels, back.window_labels)[::-1, ::-1], same)


@pytest.mark.parametrize("labels", [[0], [0, 1], [0, 1, 2], list(range(12))])
def test_few_rows(labels):
    found = detect_states(labels, 1, random_state=0)
    assert len(found.window_labels) == len(labels)
    assert 1 <= found.n_states <= len(labels)


@pytest.mark.parametrize(
    ("labels", "window", "words"),
    [
        ([0] * 5, 6, "window=6"),
        ([0] * 5, 0, "window=0"),
        ([0] * 5, 2.0, "window=2.0"),
        ([], 1, "one label for each row"),
        ([[0, 1]], 1, "one label for each row"),
        ([-1, -1], 1, "all rows are missing"),
    ],
)
def test_bad_input(labels, window, words):
    with pytest.raises(ValueError, match=words):
        detect_states(labels, window)


@pytest.mark.parametrize(
    "more", [{"breaks": [9]}, {"breaks": [-1]}, {"breaks": "ab"}, {"breaks": [1.5]}, {"min_share": 2}]
)
def test_bad_options(more):
    with pytest.raises(ValueError, match=next(iter(more))):
        detect_states([0] * 5, 2, **more)
