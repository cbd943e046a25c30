"""A million objects and 300,000 pairs take seconds; always tried with a tenth of them."""

import time

import numpy as np
import pytest

from pluribus.constraints import Constraints, random_pairs


@pytest.mark.parametrize("n", [100_000, pytest.param(1_000_000, marks=pytest.mark.slow)])
def test_many_objects(n, tmp_path):
    m = 3 * n // 10
    rng = np.random.default_rng(0)
    y = rng.integers(50, size=n)
    warm = random_pairs(y[:100], 50, random_state=0)  # compile outside the clock
    warm.check(2)
    start = time.process_time()
    said = random_pairs(y, m, random_state=1).merge(Constraints(n, groups=np.where(rng.random(n) < 0.1, y, -1)))
    assert said.closure().chunk_indicator.shape[1] == n
    assert said.check(50).status == "feasible"
    assert said.violations(y).count == 0
    assert said.restrict(rng.choice(n, n // 2, replace=False)).violations(np.zeros(n // 2)).n_hard > 0
    said.flip(0.0, 0).coupling  # noqa: B018
    said.write(tmp_path / "known.json")
    assert Constraints.read(tmp_path / "known.json") == said
    assert time.process_time() - start < 5 + n / 40_000  # of processor time; some 6 s for a million are usual
