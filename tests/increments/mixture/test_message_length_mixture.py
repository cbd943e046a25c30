import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp
from scipy.stats import multivariate_normal
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture
from sklearn.utils.estimator_checks import check_estimator

from pluribus.increments import DegenerateIncrementsError, MessageLengthMixture
from pluribus.increments.mixture._kmeans_start import variance_partitions
from pluribus.increments.mixture._message_length import Components, fit_mixture


def three_groups(seed):
    centers = np.repeat([[0, 0], [10, 0], [0, 10]], 100, axis=0)
    return np.random.default_rng(seed).normal(size=(300, 2)) + centers


def log_densities(X, means, covariances):
    return np.column_stack([multivariate_normal(m, c).logpdf(X) for m, c in zip(means, covariances, strict=True)])


def length_by_definition(X, weights, means, covariances):
    (n, d), k = X.shape, len(weights)
    N = d + d * (d + 1) / 2
    likelihood = logsumexp(log_densities(X, means, covariances) + np.log(weights), axis=1).sum()
    return N / 2 * np.log(n * weights / 12).sum() + k / 2 * np.log(n / 12) + k * (N + 1) / 2 - likelihood


def sweep_by_definition(X, weights, means, covariances, ridge, least):
    """One sweep that computes everything again for each component."""
    d = X.shape[1]
    N = d + d * (d + 1) / 2
    weights, means, covariances = list(weights), list(means), list(covariances)
    m = 0
    while m < len(weights):
        log = log_densities(X, means, covariances) + np.log(weights)
        u = np.exp(log - logsumexp(log, axis=1, keepdims=True))
        supported = np.maximum(u.sum(axis=0) - N / 2, 0)
        if supported[m] == 0 and len(weights) > least:
            del weights[m], means[m], covariances[m]
            weights = list(np.array(weights) / np.sum(weights))
            continue
        weights[m] = supported[m] / supported.sum() if supported[m] > 0 else u[:, m].mean()
        weights = list(np.array(weights) / np.sum(weights))
        means[m] = np.average(X, axis=0, weights=u[:, m])
        covariances[m] = np.cov(X.T, aweights=u[:, m], ddof=0).reshape(d, d) + ridge * np.eye(d)
        m += 1
    return np.array(weights), np.array(means), np.array(covariances)


@pytest.mark.parametrize(("d", "k", "least"), [(2, 12, 1), (3, 8, 1), (1, 10, 1), (2, 40, 4)])
def test_sweeps_are_those_of_the_definition(d, k, least):
    rng = np.random.default_rng(d)
    X = rng.normal(size=(120, d)) * rng.choice([0.01, 1, 30], (120, 1))
    state = np.full(k, 1 / k), X[:k], np.tile(0.1 * np.eye(d), (k, 1, 1))
    components = Components(X, state[1], state[2], state[0])
    for _ in range(4):
        state = sweep_by_definition(X, *state, 1e-3, least)
        components.sweep(1e-3, least)
        assert len(components) == len(state[0])
        np.testing.assert_allclose(components.weights, state[0], rtol=1e-7)
        np.testing.assert_allclose(components.means, state[1], rtol=1e-6, atol=1e-9)
        np.testing.assert_allclose(components.covariances, state[2], rtol=1e-6, atol=1e-9)
        assert components.message_length() == pytest.approx(length_by_definition(X, *state), rel=1e-9)


def test_densities_survive_where_numbers_do_not():
    """Rows far from all components, whose densities are below the least number, and components that come and go."""
    X = np.concatenate([np.zeros((6, 1)), np.full((6, 1), 1e4)]) + np.random.default_rng(0).normal(0, 1e-2, (12, 1))
    means, covariances = np.array([[0.0], [1.0]]), np.full((2, 1, 1), 1e-2)
    components = Components(X, means, covariances, np.array([0.5, 0.5]))
    components.count()
    found = np.log(components.total) + components.reference
    wanted = logsumexp(log_densities(X, means, covariances) + np.log(0.5), axis=1)
    np.testing.assert_allclose(found, wanted, rtol=1e-12)
    components.remove(0)  # the best of half of the rows
    components.count()
    np.testing.assert_allclose(
        np.log(components.total) + components.reference, log_densities(X, [[1.0]], covariances[:1])[:, 0], rtol=1e-12
    )


def test_rows_that_are_too_far_for_numbers():
    mixture = MessageLengthMixture(5, random_state=0, verbose=False).fit(1e-20 * three_groups(0))
    np.testing.assert_allclose(mixture.predict_proba([[1e150, 0], [0, 1e-20]]).sum(axis=1), 1)


@pytest.mark.parametrize("seed", range(6))
def test_three_groups(seed):
    X, y = three_groups(seed), np.repeat([0, 1, 2], 100)
    mixture = MessageLengthMixture(10, random_state=seed, verbose=False).fit(X)
    assert 3 <= mixture.n_clusters_ <= 5
    for component in np.unique(mixture.labels_):
        assert len(np.unique(y[mixture.labels_ == component])) == 1
    assert mixture.message_length_ == mixture.path_["message_length"].min()
    assert mixture.path_["n_components"].is_monotonic_decreasing
    assert mixture.path_["n_components"].iloc[-1] == 1
    exactly = MessageLengthMixture(3, min_components=3, n_init=5, random_state=0, verbose=False).fit(X)
    assert sorted(np.bincount(exactly.labels_)) == [100, 100, 100]


def test_a_small_ridge_leaves_more_components():
    def found(ridge, seed):
        return (
            MessageLengthMixture(8, ridge=ridge, random_state=seed, verbose=False).fit(three_groups(seed)).n_clusters_
        )

    assert sum(found(1e-3, seed) for seed in range(5)) < sum(found(1e-6, seed) for seed in range(5))


def test_the_reported_length_is_that_of_the_mixture():
    X = three_groups(0)
    mixture = MessageLengthMixture(10, random_state=0, verbose=False).fit(X)
    found = length_by_definition(X, mixture.weights_, mixture.means_, mixture.covariances_)
    assert mixture.message_length_ == pytest.approx(found, rel=1e-9)


def test_posteriors_are_those_of_scikit_learn():
    X = three_groups(0)
    mixture = MessageLengthMixture(10, random_state=0, verbose=False).fit(X)
    other = GaussianMixture(mixture.n_clusters_)
    other.weights_, other.means_, other.covariances_ = mixture.weights_, mixture.means_, mixture.covariances_
    other.precisions_cholesky_ = np.linalg.cholesky(np.linalg.inv(mixture.covariances_))
    grid = np.random.default_rng(1).uniform(-30, 30, (500, 2))
    np.testing.assert_allclose(mixture.predict_proba(grid), other.predict_proba(grid), atol=1e-10)
    assert (mixture.predict(X) == mixture.labels_).all()
    np.testing.assert_allclose(mixture.membership_.sum(axis=1), 1)
    assert (np.diff(np.bincount(mixture.labels_)) <= 0).all()


@pytest.mark.parametrize(("factor", "shift"), [(1000, 0), (1e-6, 0), (1, 1e4)])
def test_units_do_not_matter(factor, shift):
    X = three_groups(3)
    one = MessageLengthMixture(10, random_state=0, verbose=False).fit(X)
    other = MessageLengthMixture(10, random_state=0, verbose=False).fit(factor * X + shift)
    assert (one.labels_ == other.labels_).all()
    assert other.message_length_ == pytest.approx(one.message_length_ + X.size * np.log(factor), abs=1e-3)


def test_the_best_start_is_kept():
    X = three_groups(0)
    lengths = [
        MessageLengthMixture(10, n_init=n, random_state=0, verbose=False).fit(X).message_length_ for n in (1, 2, 4, 8)
    ]
    assert lengths == sorted(lengths, reverse=True)
    assert lengths[-1] < lengths[0]


def test_given_means_and_those_of_kmeans():
    X = three_groups(0)
    means = [[0, 0], [10, 0], [0, 10]]
    given_means = MessageLengthMixture(3, min_components=3, init=means, verbose=False).fit(X)
    by_kmeans = MessageLengthMixture(3, min_components=3, init="kmeans", verbose=False).fit(X)
    assert (given_means.labels_ == by_kmeans.labels_).all()
    assert sorted(np.bincount(by_kmeans.labels_)) == [100, 100, 100]
    assert MessageLengthMixture(20, init="kmeans", random_state=0, verbose=False).fit(X).n_clusters_ >= 3


def test_variance_partitioning_by_hand():
    X = np.array([[0.0, 0], [1, 0], [10, 0], [10, 4]])
    one, two, three = variance_partitions(X, 3)
    assert one.tolist() == [[5.25, 1]]
    assert two.tolist() == [[0.5, 0], [10, 2]]
    assert three.tolist() == [[0.5, 0], [10, 0], [10, 4]]
    assert len(variance_partitions(X, 10)) == 4  # no more than distinct rows


def test_a_constant_feature_and_duplicates():
    X = np.column_stack([three_groups(0), np.ones(300)])
    mixture = MessageLengthMixture(10, random_state=0, verbose=False).fit(X)
    assert np.isfinite(mixture.message_length_)
    assert mixture.n_clusters_ >= 3
    twice = MessageLengthMixture(10, random_state=0, verbose=False).fit(np.repeat(three_groups(0), 3, axis=0))
    assert twice.n_clusters_ >= 3


def test_many_features_need_many_objects():
    X = np.random.default_rng(0).normal(size=(60, 13))  # 104 parameters for each component
    mixture = MessageLengthMixture(20, random_state=0, verbose=False).fit(X)
    assert mixture.n_clusters_ == 1


@settings(max_examples=25, deadline=None)
@given(st.integers(6, 40), st.integers(1, 4), st.integers(1, 8), st.integers(0, 2**31))
def test_any_data(n, d, k, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).round(int(rng.integers(0, 3)))
    X[0] += 5
    least = int(rng.integers(1, min(k, len(np.unique(X, axis=0))) + 1))
    mixture = fit_mixture(X, X[np.unique(X, axis=0, return_index=True)[1]][:k], min_components=least, verbose=False)
    assert least <= len(mixture.weights) <= k
    assert mixture.weights.sum() == pytest.approx(1)
    assert (np.linalg.eigvalsh(mixture.covariances) > 0).all()
    posteriors = mixture.posteriors(X)
    assert np.isfinite(posteriors).all()
    np.testing.assert_allclose(posteriors.sum(axis=1), 1)


def test_it_warns():
    X = three_groups(0)
    with pytest.warns(ConvergenceWarning, match="of 8 components are the most likely"):
        MessageLengthMixture(8, min_components=np.uint8(8), init="kmeans", verbose=False).fit(
            np.repeat(np.eye(8), 5, axis=0) * [1, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3]
        )
    with pytest.warns(UserWarning, match="20 distinct rows, fewer than max_components=50"):
        MessageLengthMixture(random_state=0, verbose=False).fit(X[:20])
    with pytest.warns(ConvergenceWarning, match="max_iter=1 "):
        MessageLengthMixture(10, max_iter=1, random_state=0, verbose=False).fit(X)


@pytest.mark.parametrize(
    ("parameters", "X", "message"),
    [
        ({}, np.zeros((5, 2)), "minimum of 6"),
        ({}, [[np.nan]] * 6, "NaN"),
        ({}, [[np.inf]] * 6, "infinity"),
        ({}, np.ones((8, 2)), "All rows of X are equal"),
        ({}, 1e300 * three_groups(0), "float64 cannot hold"),
        ({"max_components": 0}, None, "max_components"),
        ({"max_components": 3, "min_components": 4}, None, "min_components=4 is more than max_components=3"),
        ({"max_components": True}, None, "max_components=True is not a whole number"),
        ({"ridge": 0}, None, "ridge"),
        ({"ridge": 1e-300}, np.tile([[0.0, 0], [1, 1]], (4, 1)), "raise ridge"),
        ({"init": "best"}, None, "init"),
        ({"init": [[0, 0, 0]]}, None, "rows of 2 features"),
        ({"init": np.zeros((11, 2))}, None, "up to 10 means"),
        ({"init": [[np.nan, 0]]}, None, "not finite"),
        ({"init": [["a", "b"]]}, None, "give numbers"),
    ],
)
@pytest.mark.filterwarnings("ignore:X has")
def test_bad_input(parameters, X, message):
    with pytest.raises(ValueError, match=message):
        MessageLengthMixture(**{"max_components": 10, "verbose": False, **parameters}).fit(
            three_groups(0) if X is None else X
        )


def test_equal_rows_have_their_own_error():
    with pytest.raises(DegenerateIncrementsError):
        MessageLengthMixture(3, verbose=False).fit(np.ones((8, 2)))


def test_it_is_an_estimator():
    check_estimator(MessageLengthMixture(10, verbose=False))
