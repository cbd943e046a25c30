import numpy as np
import pytest

from pluribus.alternative.choice._two_way_mixture import _RIDGE, two_way_mixture
from pluribus.compare import adjusted_rand_index


def two_way(seed=0, n=300):
    """Three clusters of different shape, unevenly spread over two groups that shift them."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 2, n)
    truth = np.where(rng.random(n) < 0.5, group, rng.integers(0, 3, n))
    spread = np.array([[0.2, 1.0], [1.0, 0.2], [0.4, 0.4]])[truth]
    rows = np.array([[0, 0], [3, 0], [0, 3]])[truth] + np.array([[0, 0], [5, -4]])[group]
    rows = rows + spread * rng.normal(size=(n, 2))
    return (rows - rows.mean(axis=0)) / rows.std(axis=0), group, truth


def slow_log_likelihood(rows, group, k, shares, of_group):
    """Of a row: a step of EM in the obvious way, row by row, with the effects of groups as they are."""
    d = rows.shape[1]
    left = rows - of_group[group]
    densities = np.empty((len(rows), k))
    for c in range(k):
        center = np.average(left, axis=0, weights=shares[:, c])
        covariance = np.average([np.outer(x - center, x - center) for x in left], axis=0, weights=shares[:, c])
        covariance += _RIDGE * np.eye(d)
        for i, x in enumerate(left):
            own = group == group[i]
            weight = (shares[own, c].sum() + 1 / k) / (own.sum() + 1)
            away = (x - center) @ np.linalg.inv(covariance) @ (x - center)
            densities[i, c] = weight * np.exp(-away / 2) / np.sqrt(np.linalg.det(2 * np.pi * covariance))
    return np.log(densities.sum(axis=1)).mean()


def test_an_exact_example():
    rows = np.array([[0.0], [0.1], [3], [3.1], [1], [1.1], [4], [4.1]]) / 2
    found = two_way_mixture(rows, np.repeat([0, 1], 4), 2, np.array([0, 0, 1, 1, 0, 1, 1, 1]))
    assert found.labels.tolist() == [0, 0, 1, 1, 0, 0, 1, 1]


def test_clusters_that_are_shifted_uneven_and_of_different_shape_are_found():
    rows, group, truth = two_way()
    rng = np.random.default_rng(1)
    start = np.where(rng.random(len(truth)) < 0.25, rng.integers(0, 3, len(truth)), truth)
    found = two_way_mixture(rows, group, 2, start).labels
    assert adjusted_rand_index(start, truth) < 0.65
    assert adjusted_rand_index(found, truth) > 0.95


def test_the_first_step_is_that_of_the_model(monkeypatch):
    from pluribus.alternative.choice import _two_way_mixture as module

    monkeypatch.setattr(module, "_MAX_ITER", 1)
    rows, group, truth = two_way(n=60)
    shares = 0.9 * np.eye(3)[truth] + 0.1 / 3
    repeated = np.repeat(np.arange(60), 3)  # a row for each pair of row and cluster, weighted by the share
    design = np.hstack([np.eye(2)[group[repeated]], np.tile(np.eye(3), (60, 1))])
    weights = np.sqrt(shares.ravel())[:, None]
    effects = np.linalg.lstsq(weights * design, weights * rows[repeated], rcond=None)[0]
    of_group = effects[:2] + effects[2:].mean(axis=0)  # the clusters absorb any common shift
    expected = slow_log_likelihood(rows, group, 3, shares, of_group)
    assert two_way_mixture(rows, group, 2, truth).log_likelihood == pytest.approx(expected)


def test_further_steps_raise_the_likelihood(monkeypatch):
    from pluribus.alternative.choice import _two_way_mixture as module

    rows, group, truth = two_way()
    start = np.random.default_rng(2).permutation(truth)
    likelihoods = []
    for steps in range(1, 30):
        monkeypatch.setattr(module, "_MAX_ITER", steps)
        likelihoods.append(two_way_mixture(rows, group, 2, start).log_likelihood)
    assert np.diff(likelihoods).min() > -1e-3  # the ridge is no part of the likelihood
    assert likelihoods[-1] > likelihoods[0] + 0.1


def test_group_effects_maximize_the_expected_likelihood():
    from pluribus.alternative.choice._two_way_mixture import _fitted, _group_effects, _log_densities

    rows, group, truth = two_way(n=80)
    shares = 0.8 * np.eye(3)[truth] + 0.2 / 3
    clusters = _fitted(rows, shares)
    best = _group_effects(rows, group, 2, shares, clusters)

    def expected(effects):
        return (shares * _log_densities(rows - effects[group], clusters)).sum()

    rng = np.random.default_rng(0)
    assert all(expected(best) > expected(best + 1e-2 * rng.normal(size=best.shape)) for _ in range(20))


def test_groups_without_rows_and_clusters_of_one_row_leave_numbers():
    rows, group, truth = two_way(n=40)
    labels = np.where(np.arange(40) == 0, 3, truth)
    with np.errstate(all="raise", under="ignore"):
        found = two_way_mixture(rows, 2 * group, 4, labels)
    assert np.isfinite(found.log_likelihood)
    assert found.labels.tolist() == two_way_mixture(rows, group, 2, labels).labels.tolist()
