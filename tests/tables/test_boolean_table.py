import numpy as np
import pandas as pd
import pytest

from pluribus.tables import TableError, boolean_table

ANIMALS = pd.DataFrame(
    {
        "fins": [True, False, False, False],
        "legs": [0, 4, 4, 2],
        "kg": [90, 300, None, 30],
        "food": ["fish", "grass", "grass", None],
    }
)


def ones(found):
    dense = found.X.toarray()
    return {name: dense[:, place].astype(int).tolist() for place, name in enumerate(found.feature_names)}


def test_each_kind_of_column():
    assert ones(boolean_table(ANIMALS, categories=["legs"])) == {
        "fins": [1, 0, 0, 0],
        "legs=0": [1, 0, 0, 0],
        "legs=2": [0, 0, 0, 1],
        "legs=4": [0, 1, 1, 0],
        "kg > 75": [1, 1, 0, 0],
        "food=fish": [1, 0, 0, 0],
        "food=grass": [0, 1, 1, 0],
    }


@pytest.mark.parametrize(("above", "expected"), [(0, [0, 1, 1, 1]), (0.5, [0, 1, 1, 0]), (0.25, [0, 1, 1, 1])])
def test_a_share_of_the_largest_value(above, expected):
    (values,) = ones(boolean_table([[0.0], [4], [4], [2]], above=above)).values()
    assert values == expected


def test_missing_votes_are_neither():
    votes = pd.DataFrame({"budget": ["y", "n", None, "y"]})
    assert ones(boolean_table(votes)) == {"budget=n": [0, 1, 0, 0], "budget=y": [1, 0, 0, 1]}


def test_zeros_and_ones_stay():
    X = np.array([[0, 1, 1], [1, 0, 1], [1, 1, 0]])
    assert (boolean_table(X).X.toarray() == X).all()
    assert (boolean_table(X.astype(bool)).X.toarray() == X).all()


def test_columns_without_ones_are_dropped_with_a_note():
    found = boolean_table(
        pd.DataFrame({"a": [0, 0, 0], "b": [1, 0, 1], "day": ["2020-01-01", "2020-01-02", "2020-02-01"]})
    )
    assert found.feature_names == ["b"]
    assert any("'a'" in note for note in found.notes)
    assert any("'day': dates" in note for note in found.notes)


def test_ids_are_kept():
    frame = pd.DataFrame({"id": ["ann", "bob"], "x": [1, 0], "y": [0, 1]})
    found = boolean_table(frame, ignore=["y"])
    assert found.ids.tolist() == ["ann", "bob"]
    assert found.feature_names == ["x"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (dict(above=1.5), "above=1.5"),
        (dict(above="half"), "above='half'"),
        (dict(categories=["tails"]), "no column 'tails' to be read as a category"),
        (dict(ignore=["tails"]), "no column 'tails'"),
    ],
)
def test_refused(options, message):
    with pytest.raises(TableError, match=message):
        boolean_table(ANIMALS, **options)


def test_a_number_with_many_values_is_no_category():
    with pytest.raises(TableError, match="'x' has 60 different numbers"):
        boolean_table(pd.DataFrame({"x": np.arange(60) / 7}), categories="x")


def test_a_table_without_ones_is_refused():
    with pytest.raises(TableError, match="no column that can be 0 and 1"):
        boolean_table(np.zeros((3, 2)))
