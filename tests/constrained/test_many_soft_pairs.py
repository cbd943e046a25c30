"""A hundred thousand preferences, a third of them wrong, in one component."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from pluribus import Constraints
from pluribus.constrained import MetricPairwiseKMeans, PairwiseKMeans


@pytest.mark.parametrize("method", [PairwiseKMeans, MetricPairwiseKMeans])
def test_a_hundred_thousand_noisy_preferences(method):
    rng = np.random.default_rng(0)
    n, m = 20_000, 100_000
    y = rng.integers(4, size=n)
    X = rng.normal(size=(n, 3)) + rng.normal(size=(4, 3))[y]
    one = rng.integers(n, size=m)
    other = (one + rng.integers(1, n, size=m)) % n
    same = (y[one] == y[other]) ^ (rng.random(m) < 0.3)
    pairs = np.column_stack([one, other])
    told = Constraints(n, must_link=pairs[same], cannot_link=pairs[~same], must_weight=1, cannot_weight=1)
    plain = method(4, n_init=1, random_state=0).fit(X)
    model = method(4, n_init=1, random_state=0).fit(X, constraints=told)
    assert adjusted_rand_score(y, model.labels_) > adjusted_rand_score(y, plain.labels_) + 0.05
