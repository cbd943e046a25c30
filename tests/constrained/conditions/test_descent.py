"""The descent of AggregateConstrainedKMeans: an assignment that raises the dispersion is not taken."""

from types import SimpleNamespace

import numpy as np
import pytest

from pluribus.constrained import AggregateConstrainedKMeans, AtLeast


@pytest.mark.parametrize(("dispersions", "kept"), [([9, 5, 7], 1), ([9, 9.5], 0), ([9, 5, 5], 1), ([9, 5, 3], 2)])
def test_a_rise_ends_the_descent(dispersions, kept):
    """Labelings one after the other, with the dispersions given; the last labeling that was a gain stays."""
    labelings = [np.array([step, 0]) for step in range(len(dispersions))]
    at = iter(range(1, len(dispersions) + 1))

    def assign(cost, labels):
        return labelings[min(next(at), len(labelings) - 1)]

    points = SimpleNamespace(
        rows=np.zeros((2, 1)),
        costs=lambda centers, cost: None,
        repair=lambda labels: labels,
        encode=lambda labels: labels,
        update=lambda labels, centers: (float(dispersions[labels[0]]), np.full((2, 1), labels[0])),
    )
    model = AggregateConstrainedKMeans(2, [AtLeast(1)], tol=0)
    run = model._alternate(points, assign, labelings[0], np.zeros((2, 1)))
    assert run.labels[0] == run.centers[0, 0] == kept
    assert run.path.tolist() == dispersions[: kept + 1]
