from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from pluribus.report import plot_coclusters


def fitted(rows, columns, **more):
    return SimpleNamespace(row_labels_=np.array(rows), column_labels_=np.array(columns), **more)


X = np.array([[1, 0, 1, 0], [0, 1, 0, 0], [1, 0, 1, 1], [0, 0, 0, 0]])
MODEL = fitted([0, 1, 0, -1], [0, 1, 0, 1])


def test_the_table_in_the_order_of_its_clusters():
    figure = plot_coclusters(MODEL, X)
    heat = figure.data[0]
    assert np.array(heat.z).tolist() == [[1, 1, 0, 0], [1, 1, 0, 1], [0, 0, 1, 0], [0, 0, 0, 0]]
    assert list(figure.layout.yaxis.ticktext) == ["0", "1", "none"]
    assert list(figure.layout.yaxis.tickvals) == [0.5, 2, 3]
    assert sorted(line.y0 for line in figure.layout.shapes if line.y0 == line.y1) == [1.5, 2.5]
    assert [line.x0 for line in figure.layout.shapes if line.x0 == line.x1] == [1.5]


def test_lines_go_across_the_whole_table():
    lines = plot_coclusters(fitted([0, 1, 0, -1], [0, 1, 0]), X[:, :3]).layout.shapes
    assert [(line.x0, line.x1) for line in lines if line.y0 == line.y1] == [(-0.5, 2.5)] * 2
    assert [(line.y0, line.y1) for line in lines if line.x0 == line.x1] == [(-0.5, 3.5)]


def test_the_clearest_members_come_first():
    memberships = np.array([[0.6, 0.4], [0.1, 0.9], [0.9, 0.1], [0.5, 0.5]])
    figure = plot_coclusters(fitted([0, 1, 0, -1], [0, 1, 0, 1], membership_=memberships), X)
    assert np.array(figure.data[0].z)[0].tolist() == [1, 1, 0, 1]


def test_names_of_a_frame_are_shown_and_escaped():
    frame = pd.DataFrame(X, index=["ann", "<b>", "c", "d"], columns=list("wxyz"))
    said = plot_coclusters(MODEL, frame).data[0].customdata
    assert said[0][0] == "ann<br>w"
    assert said[2][2] == "&lt;b&gt;<br>x"
    assert plot_coclusters(MODEL, sparse.csr_array(X)).data[0].customdata[1][3] == "row 2<br>column 3"


def test_large_tables_are_averaged_within_clusters():
    rng = np.random.default_rng(0)
    rows, columns = rng.integers(0, 3, 5000), rng.integers(0, 3, 1000)
    big = sparse.csr_array((rng.random((5000, 1000)) < 0.1) | (rows[:, None] == columns))
    figure = plot_coclusters(fitted(rows, columns), big)
    z = np.array(figure.data[0].z)
    assert z.shape[0] <= 403
    assert z.shape[1] <= 303
    cuts = [round(line.y0 + 0.5) for line in figure.layout.shapes if line.y0 == line.y1]
    across = [round(line.x0 + 0.5) for line in figure.layout.shapes if line.x0 == line.x1]
    assert z[: cuts[0], : across[0]].min() == 1  # blocks on the diagonal are full
    assert z[: cuts[0], across[0] :].max() < 0.5


def test_refused():
    with pytest.raises(ValueError, match=r"X has the shape \(2, 4\), but the model was fitted to 4 rows"):
        plot_coclusters(MODEL, X[:2])
    with pytest.raises(ValueError, match="has no row_labels_: give a fitted co-clusterer"):
        plot_coclusters(object(), X)
    with pytest.raises(ValueError, match="Negative values in data passed to X"):
        plot_coclusters(MODEL, -X)
    with pytest.raises(ValueError, match="Expected a 2-dimensional container"):
        plot_coclusters(MODEL, pd.Series([1, 2]))
