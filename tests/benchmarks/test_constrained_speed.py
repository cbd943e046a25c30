"""The problem that ours and the peer are given, and a small case of ours."""

import numpy as np
import pytest

from benchmarks._constrained_peers import problem
from benchmarks.constrained_speed import METHODS, ours


def test_pairs_are_right():
    known = problem(300, 100, seed=1)
    one, other = known.truth[known.must_link].T
    np.testing.assert_array_equal(one, other)
    one, other = known.truth[known.cannot_link].T
    assert (one != other).all()
    assert 90 < len(known.must_link) + len(known.cannot_link) <= 100


@pytest.mark.parametrize("method", METHODS)
def test_a_small_case_of_ours(method):
    task = ours(method, n=400, n_pairs=50, seed=0, jobs=1)
    assert task.score(task.work())["ari"] > 0.5
