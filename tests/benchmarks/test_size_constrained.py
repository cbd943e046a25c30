"""Small cases of ours, and of the solver that it is held against."""

import pytest

from benchmarks.size_constrained import or_tools, our_assignment, ours

SMALL = {"n": 400, "k": 4, "min_size": 80, "max_size": 120, "seed": 0}


def test_a_small_fit():
    task = ours(**SMALL | {"n": 1000, "min_size": 200, "max_size": 300})
    found = task.score(task.work())
    assert found["smallest"] >= 200
    assert found["largest"] <= 300


def test_both_solvers_find_the_same_cost():
    mine, theirs = our_assignment(**SMALL), or_tools(**SMALL)
    cost = mine.score(mine.work())["cost"]
    assert cost == pytest.approx(theirs.score(theirs.work())["cost"], rel=1e-7)
