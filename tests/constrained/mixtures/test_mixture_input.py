"""Gaussian mixtures under constraints: sparse data, small floats, and numbers of any size."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import check_estimator_sparse_tag

from constrained.shared import IRIS as X
from constrained.shared import QUIET
from constrained.shared import SPECIES as y
from pluribus import Constraints
from pluribus.constrained import ConstrainedGaussianMixture, MeanFieldMixture, PenalizedMixture
from pluribus.constrained.mixtures._gaussians import CollapsedError, estimate, log_densities
from pluribus.constraints import random_pairs

KNOWN = random_pairs(y, 25, random_state=0)
every = pytest.mark.parametrize("method", [ConstrainedGaussianMixture, PenalizedMixture, MeanFieldMixture])
NARROW = pytest.mark.parametrize("kind", ["diag", "spherical"])
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def plain(method):
    """Parameters with which all do the same."""
    return dict(eta=1, **QUIET) if method is MeanFieldMixture else QUIET


@every
@NARROW
@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csc_matrix])
def test_sparse_data_are_as_good_as_dense_ones(method, kind, form):
    rng = np.random.default_rng(0)
    data = rng.poisson(np.array([[0.1, 2, 0.3, 0, 0.5], [2, 0.1, 0.3, 0, 1.5]])[rng.integers(2, size=80)]) * 1.0
    known = Constraints(80, must_link=[(0, 1), (2, 3)], cannot_link=[(0, 4)])
    mixture = method(2, covariance_type=kind, n_init=2, **QUIET)
    dense = mixture.fit(data, constraints=known)
    expected = dense.labels_, dense.means_, dense.covariances_, dense.membership_, dense.objective_
    probable, likely = dense.predict_proba(data), dense.score_samples(data)
    again = mixture.fit(form(data), constraints=known)
    for one, other in zip(
        expected,
        (again.labels_, again.means_, again.covariances_, again.membership_, again.objective_),
        strict=True,
    ):
        assert other == pytest.approx(one, abs=1e-8)
    assert again.predict_proba(form(data)) == pytest.approx(probable, abs=1e-8)
    assert again.score_samples(form(data)) == pytest.approx(likely, abs=1e-8)


@every
@NARROW
def test_scikit_learn_on_sparse_data(method, kind):
    mixture = method(2, covariance_type=kind, n_init=1, verbose=False)
    check_estimator_sparse_tag(method.__name__, mixture)


@every
def test_many_sparse_columns(method):
    """Dense they would be 4 GB."""
    rng = np.random.default_rng(0)
    places = np.repeat(np.arange(5000), 10), rng.integers(100_000, size=50_000)
    data = sparse.coo_array((rng.random(50_000), places), shape=(5000, 100_000)).tocsr()
    mixture = method(2, covariance_type="spherical", n_init=1, max_iter=2, **QUIET).fit(data)
    assert mixture.means_.shape == (2, 100_000)
    assert np.isfinite(mixture.objective_).all()


@every
@pytest.mark.parametrize("kind", ["full", "tied"])
def test_sparse_data_that_covariances_would_fill(method, kind):
    with pytest.raises(ValueError, match=r"sparse.*'diag' or 'spherical'.*TruncatedSVD"):
        method(3, covariance_type=kind).fit(sparse.csr_array(X))
    mixture = method(3, covariance_type=kind, n_init=1, **QUIET).fit(X)
    with pytest.raises(ValueError, match="TruncatedSVD"):
        mixture.predict(sparse.csr_array(X))


@pytest.mark.parametrize("kind", ["diag", "spherical"])
def test_gaussians_of_sparse_rows(kind):
    rng = np.random.default_rng(0)
    data = rng.normal(size=(60, 7)) * (rng.random((60, 7)) < 0.3)
    resp = rng.dirichlet(np.ones(3), 60)
    dense, thin = (estimate(rows, resp, kind, 1e-6) for rows in (data, sparse.csr_array(data)))
    assert thin.means == pytest.approx(dense.means)
    assert thin.covariances == pytest.approx(dense.covariances)
    assert log_densities(sparse.csr_array(data), thin) == pytest.approx(log_densities(data, dense))


@every
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_results_have_the_type_of_the_data(method, dtype):
    data = X.astype(dtype)
    mixture = method(3, n_init=2, **QUIET).fit(data)
    for name in ("means_", "covariances_", "precisions_cholesky_", "weights_", "membership_", "uncertainty_"):
        assert getattr(mixture, name).dtype == dtype, name
    assert mixture.predict_proba(data).dtype == mixture.score_samples(data).dtype == dtype
    assert mixture.predict(data).dtype == mixture.labels_.dtype == np.int32
    assert (mixture.predict(data) == mixture.labels_).all()
    assert adjusted_rand_score(mixture.labels_, method(3, n_init=2, **QUIET).fit(X).labels_) > 0.95


@every
def test_soft_weights_of_any_size(method):
    """Beyond what any data could outweigh, they all say the same."""
    labels = []
    for weight in (30, 1e15, 1e300, 1e308):
        told = Constraints(150, KNOWN.must_link, KNOWN.cannot_link, must_weight=weight, cannot_weight=weight)
        mixture = method(3, n_init=2, **plain(method)).fit(X, constraints=told)
        assert mixture.violations_.count == 0
        labels.append(mixture.labels_)
    assert (np.array(labels) == labels[0]).all()


@every
def test_sample_weights_of_any_size(method):
    found = [
        method(3, n_init=2, **plain(method)).fit(X, constraints=KNOWN, sample_weight=np.full(150, size))
        for size in (1.0, 1e-20, 1e-300, 1e300)
    ]
    for mixture in found[1:]:
        assert (mixture.labels_ == found[0].labels_).all()
        assert mixture.means_ == pytest.approx(found[0].means_)
    assert found[1].objective_ == pytest.approx(found[0].objective_ * 1e-20, rel=1e-6, abs=0)


@every
@pytest.mark.parametrize(("size", "dtype"), [(1e160, np.float64), (1e19, np.float32)])
def test_data_too_large_to_square(method, size, dtype):
    with pytest.raises(ValueError, match="squares overflow.*scale X"):
        method(3).fit((X * size).astype(dtype))
    mixture = method(3, n_init=1, **QUIET).fit(X.astype(dtype))
    with pytest.raises(ValueError, match="scale X"):
        mixture.predict((X * size).astype(dtype))


@every
def test_large_data_that_can_be_squared(method):
    mixture = method(3, n_init=2, **QUIET).fit(X * 1e140, constraints=KNOWN)
    assert adjusted_rand_score(y, mixture.labels_) > 0.5
    assert np.isfinite(mixture.objective_).all()


def collapse(monkeypatch, which, error):
    """Starts of these numbers fail."""
    start = ConstrainedGaussianMixture._start

    def broken(self, data, given, number, seed):
        if number in which:
            raise error
        return start(self, data, given, number, seed)

    monkeypatch.setattr(ConstrainedGaussianMixture, "_start", broken)


def test_collapsed_starts_warn(monkeypatch):
    collapse(monkeypatch, {0, 3}, CollapsedError("a cluster has no spread"))
    with pytest.warns(ConvergenceWarning, match="2 of 4 starts collapsed.*no spread"):
        ConstrainedGaussianMixture(3, n_init=4, **QUIET).fit(X)


def test_other_errors_are_not_taken_for_collapsed_starts(monkeypatch):
    collapse(monkeypatch, {1}, ValueError("a mistake"))
    with pytest.raises(ValueError, match="a mistake"):
        ConstrainedGaussianMixture(3, n_init=2, **QUIET).fit(X)


@every
@pytest.mark.parametrize(
    ("kind", "precisions"),
    [("tied", -np.eye(4)), ("tied", np.eye(4) + np.triu(np.ones((4, 4)), 1)), ("spherical", [1.0, 0.0, 1.0])],
)
def test_precisions_that_are_none(method, kind, precisions):
    with pytest.raises(ValueError, match="precisions_init must be positive"):
        method(3, covariance_type=kind, precisions_init=precisions).fit(X)


def test_as_many_clusters_as_columns():
    """Precisions of shape (4, 4) that are no matrix."""
    mixture = ConstrainedGaussianMixture(4, covariance_type="diag", precisions_init=1 + np.arange(16.0).reshape(4, 4))
    assert mixture.set_params(n_init=1, **QUIET).fit(X).n_clusters_ == 4


@every
def test_conditional_weights_in_loopy_components(method):
    """They are those of "joint", with a warning: messages without the data would not converge."""
    rng = np.random.default_rng(0)
    truth = rng.integers(6, size=40)
    pairs = rng.integers(40, size=(200, 2))
    known = Constraints(40, cannot_link=pairs[truth[pairs[:, 0]] != truth[pairs[:, 1]]])
    data = rng.normal(size=(40, 2))
    options = dict(covariance_type="tied", n_init=2, max_iter=20, **plain(method))
    with pytest.warns(UserWarning, match="weights of the clusters are those of weights='joint'"):
        mixture = method(6, weights="conditional", **options).fit(data, constraints=known)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        joint = method(6, **options).fit(data, constraints=known)
    assert mixture.inference_["loopy"] == 40
    assert mixture.violations_.count == 0
    assert mixture.weights_ == pytest.approx(joint.weights_, abs=1e-3)
