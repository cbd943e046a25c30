"""Building Constraints: what is accepted, what is kept, and how bad input is refused."""

import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from pluribus.constraints import ConstraintError, Constraints, ContradictionError, log_odds

pytestmark = pytest.mark.filterwarnings("error")


def test_nothing_known_at_all():
    empty = Constraints(4)
    assert empty == Constraints(4, [], np.empty((0, 2)), groups=[-1] * 4, labels=[None] * 4)
    assert empty.closure().chunk_of.tolist() == [0, 1, 2, 3]
    assert empty.violations([0, 0, 1, 1]).count == 0
    assert empty.check(1).status == "feasible"
    assert repr(empty) == "<Constraints: 4 objects, nothing known>"


def test_one_object():
    one = Constraints(1, must_link=[(0, 0)], labels=["a"])
    assert one.closure().chunk_sizes.tolist() == [1]
    assert one.check(1).witness.tolist() == [0]


@pytest.mark.parametrize(
    "pairs",
    [
        [(2, 0), (1, 0)],
        ([2, 0], [1, 0]),
        np.array([[0, 2], [0, 1]], dtype=np.uint8),
        np.array([[0.0, 2.0], [1.0, 0.0]]),
        {(0, 1), (0, 2)},
        pd.DataFrame({"a": [1, 2], "b": [0, 0]}),
        pl.DataFrame({"a": [1, 2], "b": [0, 0]}),
        [(0, 1), (1, 0), (0, 2), (1, 1)],
    ],
)
def test_pairs_in_any_form_and_order(pairs):
    said = Constraints(3, must_link=pairs)
    assert said.must_link.tolist() == [[0, 1], [0, 2]]
    assert np.isinf(said.must_weight).all()


def test_weights_of_repeated_pairs_are_added_and_hard_stays_hard():
    said = Constraints(
        3,
        must_link=[(0, 1), (1, 0), (1, 2), (2, 1)],
        must_weight=[1, 2, None, 5],
        cannot_link=[(0, 2)],
        cannot_weight=0.5,
    )
    assert said.must_weight.tolist() == [3.0, np.inf]
    assert said.cannot_weight.tolist() == [0.5]
    assert repr(said) == "<Constraints: 3 objects, 2 must-links, 1 cannot-link (2 pairs soft)>"


def test_soft_pairs_for_and_against_give_a_net_coupling():
    said = Constraints(3, [(0, 1)], [(0, 1), (1, 2)], must_weight=[3], cannot_weight=[1, 4])
    assert said.coupling.toarray().tolist() == [[0, 2, 0], [2, 0, -4], [0, -4, 0]]


def test_hard_beats_soft_on_the_same_pair():
    with pytest.warns(UserWarning, match=r"speaks against a hard one .* \(0, 1\)$"):
        said = Constraints(3, [(0, 1), (1, 2)], [(0, 1)], must_weight=[None, 1], cannot_weight=[9])
    assert said.coupling.toarray()[0, 1] == 0
    assert said.coupling.toarray()[1, 2] == 1
    assert said.closure().chunk_of.tolist() == [0, 0, 1]


@pytest.mark.parametrize(
    "labels",
    [
        ["x", None, "y", "x"],
        np.array(["x", None, "y", "x"], dtype=object),
        pd.Series(["x", None, "y", "x"]),
        pd.Series(["x", None, "y", "x"], dtype="category"),
        pl.Series(["x", None, "y", "x"]),
        [3, -1, 7, 3],
        np.array([3, -1, 7, 3]),
        np.array([3, np.nan, 7, 3]),
        [3, np.nan, 7, 3],
        pd.array([3, None, 7, 3], dtype="Int64"),
        ["x", -1, 2, "x"],
        [("a", 1), None, ("a", 2), ("a", 1)],
    ],
)
def test_labels_and_groups_of_any_kind(labels):
    said = Constraints(4, labels=labels, groups=labels)
    assert said.labels.tolist() == said.groups.tolist() == [0, -1, 1, 0]
    assert said.classes.tolist()[0] == labels[0]
    assert said.closure().chunk_of.tolist() == [0, 1, 2, 0]
    assert said.closure().cannot_link.tolist() == [[0, 2]]


def test_whole_numbers_beside_nan_stay_integers():
    assert Constraints(3, labels=[1.0, np.nan, 2.0]).classes.tolist() == [1, 2]
    assert repr(Constraints(3, labels=[1.0, np.nan, 2.0]).classes.tolist()[0]) == "1"


def test_all_is_read_only_also_after_pickling():
    said = Constraints(4, [(0, 1)], [(1, 2)], labels=[0, -1, -1, 1])
    for copy in (said, pickle.loads(pickle.dumps(said))):
        assert copy == said
        for array in (copy.must_link, copy.cannot_weight, copy.labels, copy.closure().chunk_of):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 0
        with pytest.raises(AttributeError):
            copy.must_link = [(0, 1)]


def test_equality_is_about_content():
    assert Constraints(3, [(0, 1)]) == Constraints(3, [(1, 0), (0, 1)])
    assert Constraints(3, [(0, 1)]) != Constraints(4, [(0, 1)])
    assert Constraints(3, [(0, 1)]) != Constraints(3, [(0, 1)], must_weight=[1])
    assert Constraints(3, labels=["a", "b", None]) != Constraints(3, labels=["a", "c", None])
    assert Constraints(3) != "constraints"


@pytest.mark.parametrize("form", [np.array, sparse.csr_array, sparse.coo_matrix, np.ndarray.tolist])
@pytest.mark.parametrize("whole", [False, True])
def test_signed_matrix(form, whole):
    matrix = np.zeros((4, 4))
    matrix[0, 1], matrix[1, 2], matrix[0, 3] = 1.5, -np.inf, np.inf
    if whole:
        matrix = matrix + matrix.T
    said = Constraints.from_matrix(form(matrix))
    assert said == Constraints(4, [(0, 1), (0, 3)], [(1, 2)], must_weight=[1.5, np.inf])


def test_log_odds_of_the_certainties_in_the_literature():
    weights = log_odds([0.85, 0.7, 0.8, 0.9, 1.0, 0.5])
    np.testing.assert_allclose(weights, [1.734601, 0.847298, 1.386294, 2.197225, np.inf, 0], atol=5e-7)
    assert log_odds(0.3) == pytest.approx(-log_odds(0.7))  # unlikely to be right: the opposite is likely


@given(pairs=st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=20), seed=st.integers(0, 99))
def test_order_of_pairs_and_within_pairs_means_nothing(pairs, seed):
    rng = np.random.default_rng(seed)
    mixed = [pairs[at][:: rng.choice([1, -1])] for at in rng.permutation(len(pairs))]
    assert Constraints(8, must_link=pairs) == Constraints(8, must_link=mixed)


BAD = [
    (dict(n_objects=0), "n_objects must be a positive integer.*0"),
    (dict(n_objects=2.5), "n_objects must be a positive integer.*2.5"),
    (dict(must_link=[(0, 1), (2, 4)]), r"must_link row 1 is \(2, 4\).* go from 0 to 3"),
    (dict(cannot_link=[(-1, 2)]), r"cannot_link row 0 is \(-1, 2\)"),
    (dict(must_link=[(0, 1.5)]), "whole numbers"),
    (dict(must_link=[(0, np.nan)]), "row 0"),
    (dict(must_link=[("a", "b")]), r"integer indices.*Constraints\.read"),
    (dict(must_link=[(True, False)]), "integer indices"),
    (dict(cannot_link=[(0, 1), (2, 2)]), r"cannot_link row 1 is \(2, 2\): an object cannot be apart from itself"),
    (dict(must_link=[0, 1, 2]), r"shape \(3,\)"),
    (dict(must_link=[(0, 1, 2)]), r"shape \(1, 3\)"),
    (dict(must_link=[(0, 1), (2,)]), "pairs of indices"),
    (dict(must_link=3), "pairs of indices"),
    (dict(must_link=sparse.eye_array(4)), "from_matrix"),
    (dict(must_link=[(0, 1)], must_weight=[-1]), r"must_weight\[0\] is -1.0"),
    (dict(must_link=[(0, 1)], must_weight=[0]), r"must_weight\[0\] is 0.0"),
    (dict(cannot_link=[(0, 1)], cannot_weight=[np.nan]), r"cannot_weight\[0\] is nan"),
    (dict(must_link=[(0, 1)], must_weight=[1, 2]), "one weight for each of the 1 pairs"),
    (dict(must_link=[(0, 1)], must_weight=["heavy"]), "must be numbers"),
    (dict(labels=[0, 1]), "labels needs one entry for each of the 4 objects"),
    (dict(groups="abcd"), "groups must be a sequence"),
    (dict(groups=5), "groups must be a sequence"),
    (dict(labels=[[1], [2], [1], None]), "labels must be hashable"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD, ids=[message for _, message in BAD])
def test_bad_input(arguments, message):
    with pytest.raises(ConstraintError, match=message):
        Constraints(**{"n_objects": 4, **arguments})


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (np.ones((2, 3)), "one row and one column"),
        (np.array([["a"]]), "numbers"),
        ([[0, 1], [2, 0]], r"one thing at \(1, 0\) and another at \(0, 1\)"),
        ([[0, np.nan], [0, 0]], r"NaN at \(0, 1\)"),
        ([[-1, 0], [0, 0]], "apart from itself"),
    ],
)
def test_bad_matrix(matrix, message):
    with pytest.raises(ConstraintError, match=message):
        Constraints.from_matrix(matrix)


@pytest.mark.parametrize("certainty", [-0.1, 1.1, np.nan, [0.5, 2]])
def test_bad_certainty(certainty):
    with pytest.raises(ConstraintError, match="from 0 to 1"):
        log_odds(certainty)


def test_errors_are_value_errors():
    assert issubclass(ContradictionError, ConstraintError)
    assert issubclass(ConstraintError, ValueError)


def test_conflicting_preferences_are_no_error():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        said = Constraints(3, [(0, 1), (1, 2)], [(0, 2), (0, 1)], must_weight=1, cannot_weight=3)
    assert said.must_link.tolist() == [[0, 1], [1, 2]]
    assert said.cannot_link.tolist() == [[0, 1], [0, 2]]
    assert said.closure().chunk_of.tolist() == [0, 1, 2]  # preferences entail nothing
    assert said.check(1).status == "feasible"
    broken = [said.violations(labels).weight for labels in ([0, 0, 0], [0, 1, 1], [0, 0, 1], [0, 1, 2])]
    assert broken == [6.0, 1.0, 4.0, 2.0]
