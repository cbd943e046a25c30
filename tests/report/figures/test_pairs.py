"""The figure of pairs and their margins."""

import numpy as np
import pytest

from pluribus import Constraints
from pluribus.report import plot_pairs
from pluribus.report.figures import pairs
from pluribus.similarity import PairwiseKernelClassifier

X = np.arange(12.0)[:, None]
Y = [0, 0, -1, -1, -1, -1, -1, -1, -1, -1, 1, 1]
KNOWN = Constraints(12, must_link=[(2, 3), (4, 9), (7, 8)], cannot_link=[(2, 9), (3, 4), (8, 9)])


def fitted(**parameters):
    return PairwiseKernelClassifier(mu=0.01, verbose=False, **parameters).fit(X, Y, constraints=KNOWN)


@pytest.mark.parametrize("loss", ["logistic", "hinge"])
def test_every_pair_is_drawn_at_its_margin(loss):
    model = fitted(loss=loss, random_state=0)
    figure = plot_pairs(model)
    drawn = {text: (trace.name, x) for trace in figure.data for text, x in zip(trace.customdata, trace.x, strict=True)}
    assert len(drawn) == 6
    for (i, j), same, margin in zip(model.pairs_.tolist(), model.pair_same_, model.pair_margin_, strict=True):
        name, x = drawn[f"rows {i} and {j}"]
        assert x == pytest.approx(margin, abs=1e-4)
        assert name.startswith("must" if same else "cannot")
        assert ("violated" in name) == (margin < 0)
    heights = sorted((y, x) for trace in figure.data for y, x in zip(trace.y, trace.x, strict=True))
    assert [x for _, x in heights] == sorted(x for _, x in heights)
    assert f"{model.violations_.count} of 6 are violated" in figure.layout.xaxis.title.text


def test_names_and_the_pairs_with_the_smallest_margins(monkeypatch):
    monkeypatch.setattr(pairs, "_PAIRS", 2)
    model = fitted()
    figure = plot_pairs(model, ids=[f"<b>{i}" for i in range(12)])
    texts = [text for trace in figure.data for text in trace.customdata]
    i, j = model.pairs_[model.pair_margin_.argmin()]
    assert len(texts) == 2
    assert f"&lt;b&gt;{i} and &lt;b&gt;{j}" in texts


def test_bad_input():
    with pytest.raises(ValueError, match="give a fitted classifier"):
        plot_pairs(PairwiseKernelClassifier())
    with pytest.raises(ValueError, match="fitted without pairs"):
        plot_pairs(PairwiseKernelClassifier(verbose=False).fit(X, Y))
    with pytest.raises(ValueError, match="ids has 2 names, but there are 12 rows"):
        plot_pairs(fitted(), ids=["a", "b"])


@pytest.mark.filterwarnings("ignore:2 pairs are against the known labels")
def test_pairs_are_violated_if_the_decision_function_is_0():
    known = Constraints(12, cannot_link=[(i, j) for i in range(12) for j in range(i)])
    model = PairwiseKernelClassifier("hinge", lam=1.0, verbose=False).fit(X, Y, constraints=known)
    assert (model.pair_margin_ == 0).all()
    assert [trace.name for trace in plot_pairs(model).data] == ["cannot-links, violated (66)"]
