import json

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

from pluribus.pipeline import MergeRecord
from pluribus.pipeline.merge_record import COLUMNS
from pluribus.report.result._merge_figures import merge_figures
from pluribus.report.result._merges import merge_view

LABELS = np.array([0, 0, 0, 1, 1])
TREE = np.array([[0, 1, 1.0, 2], [3, 4, 1.5, 2], [5, 2, 2.0, 3], [7, 6, 9.0, 5]])
TESTS = [
    (0, 1, 5, 1.0, "small", np.nan),
    (3, 4, 6, 1.5, "small", np.nan),
    (5, 2, 7, 2.0, "merged", 1.25),
    (7, 6, -1, 9.0, "<isolated>", 23.8),
]


def record(**changes):
    parts = dict(
        tree=TREE,
        n_merges=3,
        heights="distance",
        leaf_labels=LABELS,
        leaf_sizes=np.ones(5, dtype=int),
        tests=pd.DataFrame(TESTS, columns=list(COLUMNS)),
        increments=np.array([0.1, 0.2, 0.3, np.nan, np.nan]),
        means=np.array([0.2, np.nan]),
        model="did",
    )
    return MergeRecord(**(parts | changes))


def test_steps_and_words():
    view = merge_view(record(), LABELS)
    assert (view.n_tests, view.n_merges, view.n_rejected) == (4, 3, 1)
    assert [leaf.size for leaf in view.leaves] == [1] * 5
    assert [step.cluster for step in view.steps] == [0, 1, 0, -1]
    assert view.steps[2].words == "merged (1.25)"
    assert view.steps[3].words == "not merged; <isolated> (23.8)"
    assert view.steps[0].words == "small"
    last = view.steps[-1]
    assert (last.from_left, last.from_right, last.height) == (2.0, 1.5, 9.0)
    places = {leaf.place: leaf.cluster for leaf in view.leaves}
    assert [places[place] for place in sorted(places)] == [0, 0, 0, 1, 1]  # no lines cross


def test_only_the_last_merges_are_drawn():
    n = 100
    tree = np.array([[0 if i == 0 else n + i - 1, i + 1, i + 1.0, i + 2] for i in range(n - 1)])
    tests = pd.DataFrame([(0, 1, n, 1.0, "merged", 0.0)], columns=list(COLUMNS))
    labels = np.zeros(n, dtype=int)
    many = record(
        tree=tree,
        n_merges=n - 1,
        leaf_labels=labels,
        leaf_sizes=np.ones(n, dtype=int),
        tests=tests,
        increments=np.full(n, 0.5),
        means=np.array([0.5]),
    )
    view = merge_view(many, labels)
    assert len(view.steps) == 40
    assert len(view.leaves) == 41
    assert sum(leaf.size for leaf in view.leaves) == n
    assert max(leaf.height for leaf in view.leaves) == 59


def test_increments_have_a_histogram_and_a_curve():
    view = merge_view(record(increments=np.array([0.1, 0.2, 5.0, np.nan, np.nan])), LABELS)
    (one,) = view.increments
    assert (one.cluster, one.n, one.n_beyond) == (0, 3, 1)
    width = np.diff(one.edges)[0]
    assert (one.density * width).sum() == pytest.approx(2 / 3)
    x, y = one.curve
    assert np.trapezoid(y, x) == pytest.approx(1, abs=1e-3)


def test_figures_are_valid_and_escaped():
    drawn = merge_figures(merge_view(record(), LABELS))
    assert set(drawn) == {"merges", "increments-0"}
    for figure in drawn.values():
        go.Figure(data=figure["data"], layout=figure["layout"])
        json.dumps(figure, allow_nan=False)
    crosses = drawn["merges"]["data"][-1]
    assert crosses["name"] == "not merged"
    assert crosses["customdata"] == ["not merged; &lt;isolated&gt; (23.8)"]


def test_one_leaf():
    alone = record(
        tree=np.empty((0, 4)),
        n_merges=0,
        leaf_labels=np.array([0]),
        leaf_sizes=np.array([5]),
        tests=pd.DataFrame([], columns=list(COLUMNS)).astype({"node": int}),
        means=np.array([0.2]),
    )
    view = merge_view(alone, np.zeros(5, dtype=int))
    assert view.steps == ()
    assert "merges" not in merge_figures(view)


def test_no_record():
    assert merge_view(None, LABELS) is None
