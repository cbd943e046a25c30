import numpy as np
import pytest
from scipy.stats import binom

from pluribus.temporal import null_test
from pluribus.temporal._drift import Drift


def test_states_and_a_drift(abrupt, smooth, drift):
    for X in (abrupt(30), smooth(60, 1)):
        found = null_test(X, n_surrogates=19, standardize=False, random_state=0, verbose=False)
        assert found.states
        assert found.p_value == 0.05
        assert found.verdict.startswith("There is evidence of distinct states: 0 of 19 series that only drift")
    found = null_test(drift(60), n_surrogates=19, random_state=0, verbose=False)
    assert not found.states
    assert "no evidence" in found.verdict
    assert found.surrogates.shape == (19, 4)


def test_the_p_value_counts_the_series_itself(drift):
    found = null_test(drift(40, 3), n_surrogates=9, random_state=1, verbose=False)
    assert found.p_value == (1 + (found.surrogates[:, 0] >= found.statistic - 1e-9).sum()) / 10
    statistic = found.contrast - 0.5 * found.removed
    assert found.statistic == pytest.approx(statistic)


def _calls(make, n_series):
    return sum(
        null_test(make(seed), n_surrogates=19, random_state=seed, verbose=False).states for seed in range(n_series)
    )


def test_it_keeps_its_level(drift):
    """5 % of drifts are called states: at most as many as chance allows."""
    assert _calls(lambda seed: drift(24, seed), 20) <= binom.ppf(0.995, 20, 0.05)


@pytest.mark.slow
@pytest.mark.parametrize("slope", [2.0, 6.0])
def test_it_keeps_its_level_in_many_series(drift, slope):
    n = 200
    assert _calls(lambda seed: drift(40, 1000 + seed, slope), n) <= binom.ppf(0.995, n, 0.05)


@pytest.mark.slow
def test_noise_with_a_memory_is_no_state():
    def series(seed):
        rng = np.random.default_rng(seed)
        noise = rng.normal(size=(60, 2))
        for row in range(1, 60):
            noise[row] += 0.6 * noise[row - 1]
        return np.linspace(0, 4, 60)[:, None] + 0.5 * noise

    assert _calls(series, 100) <= binom.ppf(0.995, 100, 0.05)


def test_reversing_time_hardly_matters(smooth):
    forth = null_test(smooth(60), n_surrogates=9, random_state=0, verbose=False)
    back = null_test(smooth(60)[::-1], n_surrogates=9, random_state=0, verbose=False)
    assert back.statistic == pytest.approx(forth.statistic)
    assert back.removed == pytest.approx(forth.removed)


def test_drifts_have_the_line_and_the_noise_of_the_series():
    rng = np.random.default_rng(0)
    noise = rng.normal(size=(4000, 2)) @ np.array([[1.0, 0.8], [0.0, 0.6]])
    for row in range(1, 4000):
        noise[row] += 0.5 * noise[row - 1]
    X = np.linspace(0, 40, 4000)[:, None] + noise
    model = Drift.of(X, 1900, 2099)
    np.testing.assert_allclose(model.line[:, 0], np.linspace(0, 40, 4000), atol=0.5)
    np.testing.assert_allclose(model.memory, 0.5, atol=0.05)
    drawn = model.drawn(np.random.default_rng(1)) - model.line
    np.testing.assert_allclose(np.cov(drawn.T), np.cov(noise.T), rtol=0.15)


def test_many_rows_are_averaged(abrupt):
    found = null_test(abrupt(500), n_surrogates=19, random_state=0, verbose=False)
    assert found.n_averaged == 13
    assert found.states


def test_a_stopped_test_continues_and_threads_do_not_matter(drift, tmp_path):
    X = drift(30)
    few = null_test(X, n_surrogates=4, random_state=0, checkpoint=tmp_path, verbose=False)
    more = null_test(X, n_surrogates=8, random_state=0, checkpoint=tmp_path, n_jobs=2, verbose=False)
    alone = null_test(X, n_surrogates=8, random_state=0, verbose=False)
    np.testing.assert_array_equal(more.surrogates, alone.surrogates)
    np.testing.assert_array_equal(more.surrogates[:4], few.surrogates)
    with pytest.raises(ValueError, match="needs an integer"):
        null_test(X, checkpoint=tmp_path / "x", n_surrogates=2)


@pytest.mark.parametrize(
    ("X", "more", "words"),
    [
        (np.zeros((11, 2)), {}, "minimum of 12"),
        (np.full((20, 1), np.nan), {}, "NaN"),
        ([["a"]] * 20, {}, "convert"),
        (np.eye(20), {"n_surrogates": 0}, "n_surrogates"),
        (np.eye(20), {"level": 2}, "level"),
        (np.eye(20), {"standardize": 3}, "standardize"),
        (np.eye(20), {"checkpoint": 3}, "checkpoint"),
    ],
)
def test_bad_input(X, more, words):
    with pytest.raises(ValueError, match=words):
        null_test(X, **{"n_surrogates": 2, "verbose": False} | more)


def test_equal_rows():
    found = null_test(np.ones((20, 2)), n_surrogates=3, random_state=0, verbose=False)
    assert not found.states
