"""A million objects and 300,000 pairs take seconds."""

import time

import numpy as np

from pluribus.constraints import Constraints, random_pairs


def test_a_million_objects(tmp_path):
    n, m = 1_000_000, 300_000
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
    assert time.process_time() - start < 30  # of processor time; some 6 s are usual
