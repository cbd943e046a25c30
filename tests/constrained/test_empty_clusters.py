"""Fewer groups than clusters: every method keeps the clusters that were asked for, and warns that some are empty."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from constrained.shared import CLUSTERERS
from pluribus import constrained

TWO_PLACES = np.repeat([[0.0, 9.0], [9.0, 0.0]], 6, axis=0)
NEVER_EMPTY = {
    "cdk-means",  # takes zeros and ones
    "aggregate",
    "balanced",
    "size-constrained",
}  # every cluster gets a row, even one that is equal to others


def made(name):
    method = constrained.by_name(name)
    return method(n_clusters=4, random_state=0, verbose=False)


@pytest.mark.parametrize("name", sorted(set(CLUSTERERS) - NEVER_EMPTY))
@pytest.mark.filterwarnings("ignore:the best start did not converge")
def test_empty_clusters_are_kept_and_warned_of(name):
    with pytest.warns(ConvergenceWarning, match=r"only 2 of 4 clusters have objects.*Try n_clusters=2"):
        model = made(name).fit(TWO_PLACES)
    assert len(set(model.labels_.tolist())) == 2
    assert model.n_clusters_ == 4
    if hasattr(model, "membership_"):
        assert model.membership_.shape == (12, 4)
        assert np.allclose(model.membership_.sum(axis=1), 1)


def test_feedback_warns_again_after_each_statement():
    with pytest.warns(ConvergenceWarning, match="only 2 of 4"):
        model = made("feedback").fit(TWO_PLACES)
    with pytest.warns(ConvergenceWarning, match="only 2 of 4"):
        model.good(0)
    with pytest.warns(ConvergenceWarning, match="only 2 of 4"):
        model.undo()
