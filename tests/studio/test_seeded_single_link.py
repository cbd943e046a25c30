import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pluribus.studio import seeded_single_link

LINE = [[0], [1], [2.5], [4.5], [7], [8]]


def naive(D, groups):
    """The loop of the source: the nearest object joins, equal distances by the numbers of the two objects."""
    label = np.full(len(D), -1)
    for g, seeds in enumerate(groups):
        label[list(seeds)] = g
    while (label < 0).any():
        outside, inside = np.flatnonzero(label < 0), np.flatnonzero(label >= 0)
        _, _, _, x, y = min((D[x, y], min(x, y), max(x, y), x, y) for x in outside for y in inside)
        label[x] = label[y]
    return label


def minimax(D, groups):
    """The longest step of the best path between all pairs, for objects within a group 0 (Floyd and Warshall)."""
    W = D.copy()
    for seeds in groups:
        for i in seeds:
            W[i, list(seeds)] = 0
    for m in range(len(W)):
        W = np.minimum(W, np.maximum(W[:, [m]], W[[m]]))
    return np.array([[W[i, list(seeds)].min() for seeds in groups] for i in range(len(W))])


def test_the_longest_step_of_a_line_is_cut():
    grown = seeded_single_link(LINE, [[0], [5]])
    assert grown.labels.tolist() == [0, 0, 0, 0, 1, 1]
    assert grown.confidence == pytest.approx([1, 0.6, 0.4, 0.2, 0.6, 1])
    assert seeded_single_link(LINE, [[0], [3]]).labels.tolist() == [0, 0, 0, 1, 1, 1]


def test_one_group_takes_all():
    grown = seeded_single_link(LINE, [[2]])
    assert grown.labels.tolist() == [0] * 6
    assert grown.confidence.tolist() == [1] * 6


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(4, 24), st.integers(1, 4), st.booleans())
def test_equals_the_loop_and_the_minimax_distances(seed, n, k, ties):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (n, 3)).astype(float) if ties else rng.normal(size=(n, 2))
    D = np.abs(X[:, None] - X).sum(axis=2)
    shuffled = rng.permutation(n)[: min(n, 2 * k)]
    groups = [g.tolist() for g in np.array_split(shuffled, min(k, len(shuffled)))]
    grown = seeded_single_link(D=D, groups=groups)
    assert grown.labels.tolist() == naive(D, groups).tolist()
    steps = minimax(D, groups)
    seeds = [i for g in groups for i in g]
    for i in range(n):
        own = steps[i, grown.labels[i]]
        assert own == pytest.approx(steps[i].min())
        others = np.delete(steps[i], grown.labels[i])
        expected = 1.0 if i in seeds or not len(others) else 0.0 if others.min() == 0 else 1 - own / others.min()
        assert grown.confidence[i] == pytest.approx(expected)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6))
def test_only_the_order_of_distances_matters_and_a_seed_where_it_already_is_changes_nothing(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(20, 2))
    D = np.linalg.norm(X[:, None] - X, axis=2)
    groups = [[0, 1], [2], [3]]
    labels = seeded_single_link(D=D, groups=groups).labels
    assert seeded_single_link(D=D**3, groups=groups).labels.tolist() == labels.tolist()
    more = [[*g] for g in groups]
    more[labels[7]].append(7)
    assert seeded_single_link(D=D, groups=more).labels.tolist() == labels.tolist()
    order = rng.permutation(20)
    place = np.argsort(order)
    moved = seeded_single_link(D=D[np.ix_(order, order)], groups=[[place[i] for i in g] for g in groups])
    assert moved.labels[place].tolist() == labels.tolist()


def test_features_and_distances_agree():
    X = np.random.default_rng(0).normal(size=(60, 3))
    D = np.linalg.norm(X[:, None] - X, axis=2)
    groups = [[0], [1], [2, 3]]
    assert (seeded_single_link(X, groups).labels == seeded_single_link(D=D, groups=groups).labels).all()


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"groups": [[0]]}, "either X"),
        ({"X": LINE, "D": np.zeros((6, 6)), "groups": [[0]]}, "either X"),
        ({"X": LINE}, "groups is empty"),
        ({"X": LINE, "groups": [[]]}, r"groups\[0\] is empty"),
        ({"X": LINE, "groups": [[0], [0, 1]]}, "must not overlap"),
        ({"X": LINE, "groups": [[6]]}, "from 0 to 5"),
        ({"X": LINE, "groups": [["a"]]}, "from 0 to 5"),
        ({"X": LINE, "groups": [0, 1]}, "groups=0"),
        ({"X": [[0], [np.nan]], "groups": [[0]]}, "NaN"),
        ({"D": [[0, 1], [2, 0]], "groups": [[0]]}, "symmetric"),
        ({"D": [[0, -1], [-1, 0]], "groups": [[0]]}, "negative"),
    ],
)
def test_bad_input_is_refused_in_words(how, words):
    with pytest.raises(ValueError, match=words):
        seeded_single_link(**how)
