"""A hundred thousand preferences, three of ten wrong, in one component."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from pluribus import Constraints
from pluribus.constrained import MetricPairwiseKMeans, PairwiseKMeans
from pluribus.constraints import log_odds


@pytest.mark.parametrize("method", [PairwiseKMeans, pytest.param(MetricPairwiseKMeans, marks=pytest.mark.slow)])
def test_a_hundred_thousand_noisy_preferences(method):
    rng = np.random.default_rng(0)
    n, m = 20_000, 100_000
    y = np.arange(n) % 4
    X = rng.normal(size=(n, 3)) + 2 * rng.normal(size=(4, 3))[y]
    one = rng.integers(n, size=m)
    # Half of the pairs within classes: else most must-links would be wrong.
    step = rng.integers(1, n // 4, size=m) * 4 + np.where(rng.random(m) < 0.5, 0, rng.integers(1, 4, size=m))
    other = (one + step) % n
    same = (y[one] == y[other]) ^ (rng.random(m) < 0.3)
    pairs, weight = np.column_stack([one, other]), float(log_odds(0.7))
    told = Constraints(n, must_link=pairs[same], cannot_link=pairs[~same], must_weight=weight, cannot_weight=weight)
    plain = method(4, n_init=1, random_state=0).fit(X)
    model = method(4, n_init=1, max_iter=10, random_state=0).fit(X, constraints=told)
    assert adjusted_rand_score(y, model.labels_) > adjusted_rand_score(y, plain.labels_) + 0.05
