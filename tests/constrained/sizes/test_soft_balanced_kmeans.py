"""Soft balance: the source's prices by hand, sums of memberships, the limits of the temperature; divergences."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.special import rel_entr
from sklearn.utils.estimator_checks import parametrize_with_checks

from constrained.shared import documents
from helpers import uneven_blobs
from pluribus.constrained import BalancedKMeans, SoftBalancedKMeans
from pluribus.constrained.sizes import _sinkhorn
from pluribus.constrained.sizes._share_points import SharePoints, divergences
from pluribus.constrained.sizes._sinkhorn import balance
from pluribus.partitions import assign_sizes

COST = (np.array([0.0, 1, 2, 9])[:, None] - [0, 9]) ** 2 / 2


@parametrize_with_checks([SoftBalancedKMeans(2, n_init=2, verbose=False)])
def test_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize(
    ("temperature", "difference", "second"),
    [(1.0, 26.99994, (1e-6, 0.010986, 0.989012, 1)), (4.0, 26.66978, (0.030544, 0.230134, 0.739322, 1))],
)
def test_prices_of_four_points(temperature, difference, second):
    found = balance(COST, np.array([2.0, 2.0]), temperature, np.zeros(2), 5000, 1e-12)
    assert found.prices[1] - found.prices[0] == pytest.approx(difference, abs=1e-4)
    np.testing.assert_allclose(found.membership[:, 1], second, atol=2e-6)
    np.testing.assert_allclose(found.membership.sum(axis=0), 2)


def test_the_steps_of_the_source_alone_lead_there(monkeypatch):
    monkeypatch.setattr(_sinkhorn, "_HALVED", 0)  # no step of Newton's
    found = balance(COST, np.array([2.0, 2.0]), 4.0, np.zeros(2), 5000, 1e-10)
    assert found.prices[1] - found.prices[0] == pytest.approx(26.66978, abs=1e-4)


def test_a_high_temperature_makes_all_equal_and_a_low_one_is_the_cheapest_assignment():
    hot = balance(COST, np.array([2.0, 2.0]), 1e6, np.zeros(2), 1000, 1e-12)
    np.testing.assert_allclose(hot.membership, 0.5, atol=1e-4)
    random = np.random.default_rng(0)
    cost = random.normal(size=(30, 3))
    cold = balance(cost, np.array([5.0, 10, 15]), 0.01, np.zeros(3), 20_000, 1e-7)
    best = assign_sizes(cost, [5, 10, 15], [5, 10, 15])
    assert (cold.membership.argmax(axis=1) == best.labels).mean() > 0.9
    assert (cold.membership * cost).sum() == pytest.approx(best.cost, abs=0.1)


@pytest.mark.parametrize("kind", [np.asarray, np.float32, sparse.csr_array])
@pytest.mark.parametrize("metric", ["euclidean", "cosine", "kl"])
def test_memberships_add_up_to_the_sizes(kind, metric):
    X = kind(np.abs(uneven_blobs()[0]) + 0.1)
    model = SoftBalancedKMeans(3, sizes=[1, 2, 1], metric=metric, n_init=2, random_state=0).fit(X)
    np.testing.assert_allclose(model.membership_.sum(axis=1), 1, rtol=1e-5)
    np.testing.assert_allclose(model.membership_.sum(axis=0)[0], 200, atol=0.1)
    np.testing.assert_allclose(np.sort(model.membership_.sum(axis=0)), [100, 100, 200], atol=0.1)
    assert model.labels_.tolist() == model.membership_.argmax(axis=1).tolist()
    np.testing.assert_allclose(model.predict_membership(X), model.membership_, atol=0.02)
    assert model.objective_[-1] <= model.objective_[0] * 1.05
    assert model.cluster_centers_.dtype == X.dtype


def test_it_is_near_the_hard_result():
    X = uneven_blobs()[0]
    hard = BalancedKMeans(4, balance=1, random_state=0).fit(X)
    soft = SoftBalancedKMeans(4, temperature=0.02, random_state=0).fit(X)
    assert soft.objective_[-1] <= hard.objective_[-1] * 1.05
    assert soft.cluster_sizes_.min() >= 90


@pytest.mark.parametrize("sizes", [[1, 2], [1, 0, 1], [1, np.inf, 1], [1, -1, 3], "abc"])
def test_bad_sizes(sizes):
    with pytest.raises(ValueError, match="sizes"):
        SoftBalancedKMeans(3, sizes=sizes).fit(np.arange(9.0)[:, None])


def test_one_cluster_and_equal_rows():
    assert SoftBalancedKMeans(1, verbose=False).fit([[1.0], [2.0]]).membership_.tolist() == [[1], [1]]
    model = SoftBalancedKMeans(2, n_init=1, random_state=0, verbose=False)
    with pytest.warns(UserWarning, match=r"clusters have objects|distinct"):
        model.fit(np.ones((4, 2)))
    np.testing.assert_allclose(model.membership_, 0.5)


@settings(max_examples=20)
@given(st.integers(0, 1000))
def test_divergences_by_definition(seed):
    random = np.random.default_rng(seed)
    rows, centers = random.dirichlet(np.ones(4), 5), random.dirichlet(np.ones(4), 3)
    rows[0] = [1, 0, 0, 0]
    expected = rel_entr(rows[:, None], centers).sum(axis=2)
    np.testing.assert_allclose(divergences(rows, centers), expected, atol=1e-12)
    np.testing.assert_allclose(divergences(sparse.csr_array(rows), centers), expected, atol=1e-12)
    points = SharePoints.of_rows(rows, np.ones(5), None)
    out = np.empty((5, 3))
    points.costs(centers, out)
    np.testing.assert_allclose(out + points.uncounted()[:, None], expected, atol=1e-12)
    labels = np.array([0, 1, 2, 0, 1])
    value, means = points.step(labels, centers)
    of_prior = rel_entr(np.full((3, 4), 0.25), centers).sum()
    assert value == pytest.approx(expected[np.arange(5), labels].sum() + of_prior)
    np.testing.assert_allclose(means[0], (rows[0] + rows[3] + 0.25) / 3)
    assert points.step(labels, means)[0] <= value + 1e-12


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("how", [dict(refine="cycles"), dict(), dict(populate="flow", refine=None), dict(sample=0.5)])
def test_balanced_by_divergence(kind, how):
    words = kind(documents([0.7, 0.2, 0.1], n=200, n_terms=60).toarray())
    model = BalancedKMeans(3, balance=0.6, metric="kl", random_state=0, n_init=2, **how).fit(words)
    assert model.cluster_sizes_.min() >= 40
    np.testing.assert_allclose(model.cluster_centers_.sum(axis=1), 1)
    assert (np.diff(model.objective_) <= 1e-9).all()
    nearest = model.predict(words)
    assert (nearest == model.labels_).mean() > 0.6
    assert model.score(words) < 0
    based = BalancedKMeans(3, balance=0.6, metric="kl", base="agglomerative", random_state=0).fit(
        words.toarray() if sparse.issparse(words) else words
    )
    assert based.cluster_sizes_.min() >= 40


@pytest.mark.parametrize(
    ("rows", "message"), [([[1, -1], [1, 1]], "negative"), ([[1, 1], [0, 0], [1, 0]], r"1 rows .* only zeros \(rows 1")]
)
def test_rows_without_shares(rows, message):
    for model in (BalancedKMeans(2, metric="kl"), SoftBalancedKMeans(2, metric="kl")):
        with pytest.raises(ValueError, match=message):
            model.fit(np.array(rows, float))
