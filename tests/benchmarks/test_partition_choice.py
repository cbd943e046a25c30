"""The choice among 45 partitions, on one small set in place of seven."""

import numpy as np
import pytest
from sklearn.datasets import make_circles

from benchmarks.reproduce import _partition_choice as choice


@pytest.fixture
def circles(monkeypatch):
    made = make_circles(160, factor=0.3, noise=0.04, random_state=0)
    monkeypatch.setattr(choice, "held_out_sets", lambda seed: {"circles": made})
    return made


def test_candidates(circles):
    found = choice.candidates(circles[0], 500)
    assert len(found) == 45
    sizes = [len(np.unique(labels)) for labels in found]
    assert sizes == [*range(1, 13), *range(2, 13), *range(2, 13), *range(2, 13)]


def test_table(circles):
    grid = choice.choice_table(quick=True)
    assert grid.header[:4] == ("set", "description length", "DBCV", "silhouette")
    assert [row[0] for row in grid.rows] == ["circles", "mean", "reference run"]
    found = dict(zip(grid.header, grid.rows[0], strict=True))
    assert found["description length"] == found["DBCV"] == found["best available"] == "1.000"
    assert float(found["silhouette"]) < 0.8
    assert all(len(row) == len(grid.header) for row in grid.rows)
    assert grid.rows[2][1:4] == ("0.940", "–", "0.618")
