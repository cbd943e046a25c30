import numpy as np

from pluribus.report._shared.index_figures import _points
from pluribus.report._shared.palette import COLORS, MUTED
from pluribus.report.validation.validation import Index


def test_the_best_are_larger_and_the_chosen_one_has_a_color():
    value = np.array([0.1, 0.5, 0.3])
    index = Index(None, True, value, value - [0.1, np.nan, 0.2], value + [0.1, 0.1, 0.3], value == 0.5)
    points = _points(index, np.array([2, 0, 1]), np.array([True, False, False]), ["a", "b", "c"])
    assert points["marker"]["size"] == [8, 8, 12]
    assert points["marker"]["color"] == [MUTED, COLORS[0], MUTED]
    assert points["y"] == [0.3, 0.1, 0.5]
    assert points["customdata"] == ["c", "a", "b"]
    assert points["error_y"]["array"] == [0.3, 0.1, 0]
    assert points["error_y"]["arrayminus"] == [0.2, 0.1, 0]
