import numpy as np
import pandas as pd
import pytest

from pluribus.report import plot_metric
from pluribus.report.figures.learned_similarity import metric_figure
from pluribus.similarity import CannotLinkMetric

X = np.array([[0.0, 0, 5], [1, 0, 5], [0, 2, 5], [0, 0.01, 5]])
PAIRS = [(0, 1), (0, 2), (0, 3)]


def fitted(X=X, **parameters):
    return CannotLinkMetric(tol=1e-6, random_state=0, verbose=False, **parameters).fit(X, constraints=PAIRS)


@pytest.mark.parametrize("kind", ["full", "diagonal", "sparse"])
def test_weights_and_pairs(kind):
    bars, pairs = plot_metric(fitted(kind=kind), ["a", "b", "<c>"]).data
    assert bars.customdata == ("b", "a")  # from the bottom, and without a feature that has no weight
    assert bars.x == pytest.approx([0.25, 1], abs=1e-3)
    assert pairs.customdata[0] == "rows 0 and 3"  # kept apart by nothing
    colors = list(pairs.marker.color)
    assert colors[0] != colors[1] == colors[2]
    assert pairs.x[0] < 0.1
    assert pairs.x[1:] == pytest.approx([1, 1], abs=1e-3)


def test_names_of_a_frame():
    model = fitted(pd.DataFrame(X, columns=["one", "two", "three"]))
    assert plot_metric(model).data[0].customdata == ("two", "one")
    assert plot_metric(fitted()).data[0].customdata == ("x1", "x0")


def test_a_kernel_has_pairs_only():
    figure = plot_metric(fitted(kind="kernel"))
    assert [trace.type for trace in figure.data] == ["scatter"]


def test_texts_are_escaped():
    layout = metric_figure(fitted(), ["<b>", "b", "c"])["layout"]
    assert layout["yaxis"]["ticktext"] == ["b", "&lt;b&gt;"]


def test_many_features_and_pairs():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(80, 50))
    pairs = np.column_stack(np.triu_indices(80, 1))
    model = CannotLinkMetric(verbose=False).fit(points, constraints=pairs)
    bars, shown = plot_metric(model).data
    assert len(bars.x) == 30
    assert bars.x[-1] == pytest.approx(model.A_.diagonal().max(), abs=1e-6)
    assert len(shown.x) == 1000
    assert shown.x[0] == pytest.approx(model.margin_, abs=1e-4)


def test_bad_input():
    with pytest.raises(ValueError, match="give a fitted metric"):
        plot_metric(CannotLinkMetric())
    with pytest.raises(ValueError, match="2 names, but there are 3 features"):
        plot_metric(fitted(), ["a", "b"])
    with pytest.raises(ValueError, match="feature_names"):
        plot_metric(fitted(), np.array("a"))
