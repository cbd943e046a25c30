"""What cannot be meant is refused in words."""

import numpy as np
import pandas as pd
import pytest

from pluribus.tables import Table, TableError, as_table, prepare
from pluribus.tables._internal import check_distances
from pluribus.tables.table import Selection

FRAME = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]})


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: prepare(FRAME), "of type DataFrame"),
        (lambda: prepare(as_table(FRAME)).recipe.apply([1]), "of type list"),
        (lambda: Table([1, 2], np.array(["x", "y"]), "t"), "of type list"),
        (lambda: Table(FRAME, FRAME, "t"), "ids of type DataFrame"),
        (lambda: Table(FRAME, iter("xy"), "t"), "ids of type str_"),
        (lambda: as_table(FRAME, ignore=5), "columns=5: give a list of names of columns"),
        (lambda: as_table(FRAME, ignore=[np.zeros(0)]), "which is to be ignored"),
        (lambda: as_table(FRAME, id_column=FRAME), "id_column="),
        (lambda: as_table(FRAME, least_rows="2"), "least_rows='2'"),
    ],
)
def test_refused(call, message):
    with pytest.raises(TableError, match=message):
        call()


def test_distances_between_equal_objects_are_distances():
    np.testing.assert_array_equal(check_distances(np.zeros((3, 3))), np.zeros((3, 3)))


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ([[0, 1, 2], [1, 0, 2]], "square"),
        ([[0, -1], [-1, 0]], "the lowest is -1"),
        ([[0, 1], [1, 2e-8]], "diagonal"),
        ([[0, 1], [1 + 2e-8, 0]], "symmetric"),
    ],
)
def test_what_is_no_matrix_of_distances(wrong, says):
    with pytest.raises(ValueError, match=says):
        check_distances(np.array(wrong, dtype=float))


def test_an_id_column_is_looked_for_only_if_asked():
    assert Selection(None, ()).id_in(["x", "ID"]) is None
    assert Selection(None, (), find_id=True).id_in(["x", "ID"]) == "ID"
    assert Selection(None, ("ID",), find_id=True).id_in(["x", "ID"]) is None
    assert Selection("x", ()).id_in(["x", "ID"]) == "x"


@pytest.mark.parametrize(
    ("index", "ids"), [([5, 3, 9], ["5", "3", "9"]), (["b", "a", "c"], ["b", "a", "c"]), ([1, 1, 2], ["0", "1", "2"])]
)
def test_an_index_holds_ids_unless_it_is_a_count(index, ids):
    assert as_table(pd.DataFrame({"x": [1.0, 2.0, 3.0]}, index=pd.Index(index))).ids.tolist() == ids
