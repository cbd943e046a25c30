import numpy as np
import pytest
from scipy import sparse

from pluribus.alternative._shared.known import read_known
from pluribus.alternative.choice._separation import Separation


def case(d=3, n=90, seed=0):
    rng = np.random.default_rng(seed)
    known, labels = rng.integers(0, 3, n), rng.integers(0, 4, n)
    X = rng.normal(size=(3, d))[known] * 3 + rng.normal(size=(4, d))[labels] + rng.normal(size=(n, d))
    return X, known, labels


def residuals(X, *partitions):
    design = np.hstack([np.eye(labels.max() + 1)[labels] for labels in partitions])
    return X - design @ np.linalg.lstsq(design, X, rcond=None)[0]


def by_determinants(X, known, labels):
    """The gain in log-likelihood of a Gaussian model, for each row and feature."""
    one, both = residuals(X, known), residuals(X, known, labels)
    return (np.linalg.slogdet(one.T @ one)[1] - np.linalg.slogdet(both.T @ both)[1]) / (2 * X.shape[1])


def score(X, known, labels):
    return Separation(X, read_known(known, X.shape[0])).score(np.asarray(labels))


@pytest.mark.parametrize("d", [1, 3, 20])
def test_it_is_the_gain_in_likelihood_of_a_two_way_model(d):
    X, known, labels = case(d)
    assert score(X, known, labels) == pytest.approx(by_determinants(X, known, labels))


def test_a_cluster_that_is_frequent_in_one_group_keeps_its_effect():
    rng = np.random.default_rng(1)
    known = np.repeat([0, 1], 100)
    labels = np.where(rng.random(200) < 0.85, known, 1 - known)
    X = (5.0 * labels + rng.normal(size=200))[:, None]
    assert score(X, known, labels) == pytest.approx(by_determinants(X, known, labels))
    centered = residuals(X, known)
    explained_after_centering = 1 - (residuals(centered, labels) ** 2).sum() / (centered**2).sum()
    assert score(X, known, labels) > -np.log(1 - explained_after_centering) / 2 + 0.3


def test_units_offsets_and_mixtures_of_features_do_not_matter():
    X, known, labels = case()
    expected = score(X, known, labels)
    assert score(X * [1e-3, 1, 1e4] + [7, -3, 100], known, labels) == pytest.approx(expected)
    assert score(X @ np.random.default_rng(2).normal(size=(3, 3)), known, labels) == pytest.approx(expected)
    assert score(np.hstack([X, X[:, :1] + X[:, 1:2], np.full((90, 1), 4.0)]), known, labels) == pytest.approx(expected)
    assert score(X.astype(np.float32), known, labels) == pytest.approx(expected, rel=1e-4)


def test_what_follows_from_the_known_groups_scores_nothing():
    X, known, _ = case()
    assert score(X, known, known) == pytest.approx(0, abs=1e-12)
    assert score(X, known, np.minimum(known, 1)) == pytest.approx(0, abs=1e-12)


def test_rows_that_the_groups_explain_leave_nothing_to_separate():
    known = np.array([0, 0, 1, 1])
    for d in (2, 30):
        assert score(np.repeat([[1.0] * d, [5.0] * d], 2, axis=0), known, [0, 1, 0, 1]) == 0.0


def test_one_direction_cannot_outweigh_the_others():
    rng = np.random.default_rng(0)
    labels, known = np.arange(40) % 2, np.arange(40) // 20
    X = np.column_stack([labels, rng.normal(size=40)])
    noise = by_determinants(X[:, 1:], known, labels)
    assert score(X, known, labels) == pytest.approx((np.log(1e6) / 2 + noise) / 2, rel=0.02)


def test_of_many_features_the_directions_of_most_variance_count():
    X, known, labels = case(d=40, n=200)
    X[:, 25:] *= 0.1
    left = residuals(X, known)
    directions = np.linalg.svd(left, full_matrices=False)[2][:20]
    assert score(X, known, labels) == pytest.approx(by_determinants(left @ directions.T, known, labels))
    assert score(sparse.csr_array(X), known, labels) == pytest.approx(score(X, known, labels))


def test_few_rows_of_many_features():
    X, known, labels = case(d=40, n=12)
    assert np.isfinite(score(X, known, labels))


def test_rows_without_a_known_label_are_a_group_of_their_own():
    X, known, labels = case()
    named = np.array(["a", "b", None], dtype=object)[known]
    assert score(X, named, labels) == pytest.approx(by_determinants(X, known, labels))
