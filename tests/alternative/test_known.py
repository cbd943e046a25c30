import numpy as np
import pandas as pd
import pytest

from pluribus import Ensemble
from pluribus.alternative._shared.known import read_known


def test_names_are_coded_by_first_occurrence_and_missing_labels_stay():
    known = read_known(["b", None, "a", "b"], 4)
    assert known.codes.tolist() == [0, -1, 1, 0]
    assert known.names == ("b", "a")


@pytest.mark.parametrize(
    "several",
    [
        [["a", "a", "b", "b"], [0, 1, 0, 1]],
        pd.DataFrame({"one": ["a", "a", "b", "b"], "other": [0, 1, 0, 1]}),
        np.array([["a", "0"], ["a", "1"], ["b", "0"], ["b", "1"]], dtype=object),
    ],
)
def test_several_partitions_count_by_their_cells(several):
    known = read_known(several, 4)
    assert known.codes.tolist() == [0, 1, 2, 3]
    assert known.names == ("a, 0", "a, 1", "b, 0", "b, 1")


def test_cells_without_rows_and_rows_without_a_label():
    known = read_known([[0, 0, 1, None, None], [0, 0, 1, 1, None]], 5)
    assert known.codes.tolist() == [0, 0, 1, -1, -1]
    assert known.n_groups == 2


def test_labels_that_read_the_same_stay_apart():
    known = read_known([1, "1", 1, "1"], 4)
    assert known.codes.tolist() == [0, 1, 0, 1]
    assert known.names == ("1", "'1'")
    cells = read_known([["a, b", "a"], ["c", "b, c"]], 2)
    assert cells.names == ("'a, b', 'c'", "'a', 'b, c'")
    days = read_known(np.array(["2020-01-01", "2020-01-02"], dtype="datetime64[ns]"), 2)
    assert days.n_groups == 2
    assert "2020-01-02" in days.names[1]


def test_an_ensemble_and_a_series_are_taken():
    assert read_known(Ensemble([[0, 0, 1], [0, 1, 1]]), 3).n_groups == 3
    assert read_known(pd.Series(["x", "y", "y"], index=[7, 8, 9]), 3).codes.tolist() == [0, 1, 1]


def test_iterators_are_read():
    assert read_known(range(3), 3).codes.tolist() == [0, 1, 2]
    assert read_known(iter("aab"), 3).codes.tolist() == [0, 0, 1]


@pytest.mark.parametrize(
    ("known", "message"),
    [
        (None, "known is missing"),
        ([0, 1], "known has 2 labels, but X has 4 rows"),
        ([[0, 1, 0, 1], [0, 1]], "known has 2 labels"),
        ([], "known has 0 labels"),
        ([None] * 4, "all are missing"),
        (["a", ["b"], "c", "d"], "lists or other structures"),
        (5, "give a list of label sequences"),
        ([[0, 1, 0, 1], 3], "a list of such sequences; 3 is none"),
        ({1, 2}, "is none"),
        (np.zeros((2, 2, 2)), "n × r"),
        ([0.5, 1.5, 0.5, 1.5], "not whole numbers"),
    ],
)
def test_wrong_partitions_are_refused(known, message):
    with pytest.raises(ValueError, match=message):
        read_known(known, 4)


def test_a_continuous_variable_is_no_partition():
    with pytest.raises(ValueError, match="continuous variable.*ConditionalBottleneck"):
        read_known(np.random.default_rng(0).normal(size=80), 80)
