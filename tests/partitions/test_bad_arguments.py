"""What cannot be meant is refused in words."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from pluribus import Ensemble
from pluribus.partitions import assign_sizes, contingency, harden

TWO = Ensemble([[0, 0, 1], [0, 1, 1]])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: TWO.take_objects([0.5]), "whole numbers"),
        (lambda: TWO.take_objects([3]), "numbered 0 … 2"),
        (lambda: TWO.take_objects([True]), "whole numbers"),
        (lambda: TWO.take_objects([[0, 1]]), "whole numbers"),
        (lambda: TWO.take_objects([]), "No objects chosen"),
        (lambda: TWO.take_partitions(1), "give a list of partitions"),
        (lambda: TWO.contingency(None, 0), "give a position or a name"),
        (lambda: TWO.contingency(0, 1.5), "give a position or a name"),
        (lambda: Ensemble.concat([TWO, [[0, 1]]]), "got list in it"),
        (lambda: Ensemble.concat(None), "got NoneType"),
        (lambda: Ensemble.concat(sparse.eye_array(3)), "got dia_array"),
        (lambda: Ensemble.from_memberships(3), "give a list of n × k matrices"),
        (lambda: Ensemble.from_memberships([["x"]]), r"memberships\[0\]=.*give numbers"),
        (lambda: Ensemble([[0, 1]], names=5), "names=5"),
        (lambda: Ensemble([[0, 1]], ids=[[1, 2], [3]]), "ids must hold"),
        (lambda: harden([1, 2]), "n × k matrix"),
        (lambda: harden([["x", 1]]), "give numbers"),
        (lambda: contingency(sparse.eye_array(3), [0, 1, 1]), "is a sparse matrix"),
        (lambda: assign_sizes([[1j, 2]]), "cost=.*give numbers"),
        (lambda: assign_sizes(np.full((3, 2), 1e308)), "too large to be added up"),
        (lambda: assign_sizes([[1, 2]], prices=sparse.eye_array(2)), "prices=.*give numbers"),
        (lambda: assign_sizes([[1, 2]], random_state=1.5), "random_state=1.5"),
    ],
)
def test_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_objects_counted_from_the_end():
    assert TWO.take_objects([-1]).labels.tolist() == [[1, 1]]


def test_a_matrix_is_an_array_of_labels():
    assert Ensemble(np.asmatrix([[0, 1], [0, 1], [1, 0]])) == Ensemble(np.array([[0, 1], [0, 1], [1, 0]]))
    assert harden(pd.DataFrame([[0.2, 0.8]])).tolist() == [1]
