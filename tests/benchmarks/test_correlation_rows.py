"""The rows of correlation clustering: the ranking of the chapter, on the smaller set."""

import numpy as np
import pytest

from benchmarks.reproduce import _correlation


@pytest.mark.slow
def test_ranking_on_iris():
    row = _correlation.ranking("iris")
    assert row["LP bound"] <= row["local search"] <= row["local search, worst start"]
    assert row["local search"] < min(row["pivot, best of 100"], row["best member"]) < row["BALLS, 0.25"]
    assert set(_correlation.RANKING) <= set(row)


def test_balls():
    labels = np.array([[0, 0], [0, 0], [1, 1], [1, 2]])
    assert _correlation.balls(labels, 0.25).tolist() == [0, 0, 1, 2]
    assert _correlation.balls(labels, 0.5).tolist() == [0, 0, 1, 1]
