"""What all Gaussian mixtures under constraints keep to."""

import pickle
import re
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture
from sklearn.utils.estimator_checks import parametrize_with_checks

from constrained.shared import IRIS as X
from constrained.shared import QUIET
from constrained.shared import SPECIES as y
from pluribus import Constraints
from pluribus.constrained import ConstrainedGaussianMixture, MeanFieldMixture, PenalizedMixture
from pluribus.constrained._shared.errors import NoFeasibleAssignmentError
from pluribus.constrained.mixtures._chunklet_network import Network
from pluribus.constraints import Feasibility, InfeasibleError, random_pairs, teachers

METHODS = [ConstrainedGaussianMixture, PenalizedMixture, MeanFieldMixture]
KINDS = ["full", "tied", "diag", "spherical"]
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

every = pytest.mark.parametrize("method", METHODS)


def start(kind, k=3, rows=(3, 77, 130)):
    precision = np.linalg.inv(np.cov(X.T))
    precisions = {
        "full": np.stack([precision] * k),
        "tied": precision,
        "diag": np.tile(1 / X.var(axis=0), (k, 1)),
        "spherical": np.full(k, 1 / X.var()),
    }[kind]
    return dict(weights_init=np.full(k, 1 / k), means_init=X[list(rows)], precisions_init=precisions)


NOT_EQUAL = {
    "check_sample_weight_equivalence_on_dense_data": "starts draw rows, and repeated rows are drawn otherwise",
}


@parametrize_with_checks(
    [method(n_init=1, verbose=False) for method in METHODS], expected_failed_checks=lambda _: NOT_EQUAL
)
def test_scikit_learn(estimator, check):
    check(estimator)


@every
@pytest.mark.parametrize("kind", KINDS)
def test_without_constraints_it_is_gaussian_mixture(method, kind):
    theirs = GaussianMixture(3, covariance_type=kind, tol=1e-6, max_iter=200, **start(kind)).fit(X)
    ours = method(3, covariance_type=kind, tol=1e-6, **start(kind), **QUIET).fit(X, constraints=Constraints(150))
    order = [int(np.argmin(((theirs.means_ - mean) ** 2).sum(axis=1))) for mean in ours.means_]
    assert ours.n_iter_ == theirs.n_iter_
    assert ours.means_ == pytest.approx(theirs.means_[order], abs=1e-9)
    assert ours.weights_ == pytest.approx(theirs.weights_[order], abs=1e-9)
    covariances = theirs.covariances_ if kind == "tied" else theirs.covariances_[order]
    assert ours.covariances_ == pytest.approx(covariances, abs=1e-9)
    assert ours.membership_ == pytest.approx(theirs.predict_proba(X)[:, order], abs=1e-8)
    assert ours.predict_proba(X) == pytest.approx(theirs.predict_proba(X)[:, order], abs=1e-8)
    assert ours.score_samples(X) == pytest.approx(theirs.score_samples(X), abs=1e-8)
    assert (ours.labels_ == np.argsort(order)[theirs.predict(X)]).all()


@every
def test_none_is_no_constraints(method):
    assert (method(3, **QUIET).fit(X).labels_ == method(3, **QUIET).fit(X, constraints=Constraints(150)).labels_).all()


@st.composite
def linked(draw, soft=True):
    """Blobs with random chunklets and cannot-links between some of them, and random weights."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, k = draw(st.integers(25, 50)), draw(st.integers(2, 4))
    data = rng.normal(0, 1, (n, 2)) + 2 * rng.normal(0, 1, (k, 2))[rng.integers(k, size=n)]
    truth = rng.integers(k, size=n)  # nothing to do with the data
    groups = np.where(rng.random(n) < 0.5, rng.integers(8, size=n), -1)
    truth = np.where(groups >= 0, groups % k, truth)
    pairs = rng.integers(n, size=(rng.integers(0, 8), 2))
    apart = pairs[truth[pairs[:, 0]] != truth[pairs[:, 1]]]
    pairs = rng.integers(n, size=(rng.integers(0, 6) if soft else 0, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    known = Constraints(n, groups=groups, cannot_link=apart)
    if len(pairs):
        known = known.merge(Constraints(n, must_link=pairs, must_weight=rng.exponential(2, len(pairs)) + 0.01))
    weight = rng.integers(0, 4, n) if draw(st.booleans()) else None
    if weight is not None:
        weight[: 3 * k] = 1
    return data, known, k, weight


@every
@pytest.mark.parametrize("kind", KINDS)
@given(case=linked())
@settings(max_examples=6)
def test_likelihood_rises_and_hard_constraints_hold(method, kind, case):
    data, known, k, weight = case
    options = dict(eta=7.0) if method is MeanFieldMixture else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mixture = method(k, covariance_type=kind, n_init=2, max_iter=25, tol=0, reg_covar=1e-9, **options, **QUIET)
        mixture.fit(data, constraints=known, sample_weight=weight)
    path = mixture.objective_
    slack = 1e-6 * (1 + abs(path[:-1]))  # the variances get reg_covar on top, which costs a little
    assert (np.diff(path) >= -slack).all()
    assert mixture.violations_.n_hard == 0
    assert mixture.membership_.sum(axis=1) == pytest.approx(1)
    assert ((mixture.uncertainty_ >= 0) & (mixture.uncertainty_ <= 1 + 1e-12)).all()
    chunks = known.closure().chunk_of
    assert (mixture.membership_ == mixture.membership_[known.closure().representatives[chunks]]).all()


@every
def test_constraints_help(method):
    """With the pairs of 50 labeled objects, on the mean over several draws."""
    gain = []
    for seed in range(2):
        known = np.full(150, -1)
        chosen = np.random.default_rng(seed).choice(150, 50, replace=False)
        known[chosen] = y[chosen]
        options = dict(n_init=2, verbose=False, random_state=seed)
        alone = method(3, **options).fit(X)
        told = method(3, **options).fit(X, constraints=Constraints.from_labels(known))
        assert told.violations_.count == 0
        gain.append(adjusted_rand_score(y, told.labels_) - adjusted_rand_score(y, alone.labels_))
    assert np.mean(gain) > 0.02


@every
def test_result_does_not_depend_on_n_jobs(method):
    known = teachers(y, 4, 6, random_state=1)
    options = dict(n_init=2, max_iter=5, **QUIET)
    one, two = (method(3, n_jobs=n_jobs, **options).fit(X, constraints=known) for n_jobs in (1, 2))
    assert (one.labels_ == two.labels_).all()
    assert (one.membership_ == two.membership_).all()
    assert (one.objective_ == two.objective_).all()


@every
def test_order_of_constraints_means_nothing(method):
    rng = np.random.default_rng(0)
    pairs = random_pairs(y, 30, random_state=2)
    mixed = Constraints(
        150,
        must_link=rng.permutation(pairs.must_link)[:, ::-1],
        cannot_link=rng.permutation(pairs.cannot_link)[:, ::-1],
    )
    one, two = (method(3, n_init=2, **QUIET).fit(X, constraints=known) for known in (pairs, mixed))
    assert (one.labels_ == two.labels_).all()


@every
def test_order_of_objects_means_nothing(method):
    order = np.random.default_rng(0).permutation(150)
    known = random_pairs(y, 30, random_state=2)
    options = dict(tol=0, max_iter=30, **start("full"), **QUIET)
    if method is MeanFieldMixture:
        options["eta"] = 5
    one = method(3, **options).fit(X, constraints=known)
    two = method(3, **options).fit(X[order], constraints=known.restrict(order))
    assert adjusted_rand_score(one.labels_[order], two.labels_) == 1
    assert one.objective_ == pytest.approx(two.objective_)


@every
def test_weight_is_as_good_as_copies_with_their_links(method):
    """Every component twice, with its links, or once with weight 2."""
    known = teachers(y, 3, 5, random_state=0)
    copies = Constraints(
        300,
        must_link=np.concatenate([known.must_link, known.must_link + 150]),
        cannot_link=np.concatenate([known.cannot_link, known.cannot_link + 150]),
    )
    options = dict(tol=0, max_iter=20, **start("full"), **QUIET)
    if method is MeanFieldMixture:
        options["eta"] = 3
    weighted = method(3, **options).fit(X, constraints=known, sample_weight=np.full(150, 2.0))
    copied = method(3, **options).fit(np.tile(X, (2, 1)), constraints=copies)
    plain = method(3, **options).fit(X, constraints=known)
    assert weighted.means_ == pytest.approx(copied.means_)
    assert weighted.means_ == pytest.approx(plain.means_)
    assert weighted.objective_ == pytest.approx(copied.objective_)


@every
def test_objects_of_weight_zero_count_for_nothing(method):
    weight = np.ones(150)
    weight[::7] = 0
    kept = np.flatnonzero(weight)
    options = dict(tol=0, max_iter=20, **start("full"), **QUIET)
    one = method(3, **options).fit(X, sample_weight=weight)
    two = method(3, **options).fit(X[kept])
    assert one.means_ == pytest.approx(two.means_)


@every
def test_pickle_and_clone(method):
    mixture = method(3, n_init=1, **QUIET).fit(X, constraints=teachers(y, 2, 5, random_state=0))
    again = pickle.loads(pickle.dumps(mixture))
    assert (again.predict(X) == mixture.predict(X)).all()
    assert clone(mixture).get_params() == mixture.get_params()


@every
def test_data_frame(method):
    frame = pd.DataFrame(X, columns=list("abcd"))
    mixture = method(3, n_init=1, **QUIET).fit(frame)
    assert mixture.feature_names_in_.tolist() == list("abcd")
    assert (mixture.labels_ == method(3, n_init=1, **QUIET).fit(X).labels_).all()
    assert (mixture.predict(frame) == mixture.predict_proba(frame).argmax(axis=1)).all()


@every
@pytest.mark.parametrize(
    ("parameters", "word"),
    [
        (dict(means_init=[[0, 0]]), "means_init must be finite numbers of shape (3, 4)"),
        (dict(weights_init=[0.5, 0.5, 0.5]), "weights_init must be positive and sum to 1"),
        (dict(covariance_type="round"), "covariance_type"),
        (dict(n_clusters=151), "n_clusters=151 is more"),
        (dict(n_init=0), "n_init"),
        (dict(weights="odd"), "weights"),
    ],
)
def test_wrong_parameters(method, parameters, word):
    with pytest.raises(ValueError, match=re.escape(word)):
        method(**{"n_clusters": 3, **parameters}).fit(X)


@every
def test_wrong_data(method):
    with pytest.raises(ValueError, match="NaN"):
        method(2).fit([[0.0], [np.nan], [1.0]])
    with pytest.raises(ValueError, match="objects"):
        method(2).fit(X, constraints=Constraints(7))
    with pytest.raises(ValueError, match="Constraints"):
        method(2).fit(X, constraints=[(0, 1)])


@every
def test_infeasible_constraints_are_refused_before_work(method):
    apart = Constraints(150, cannot_link=[(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)])
    with pytest.raises(InfeasibleError, match="k=3"):
        method(3).fit(X, constraints=apart)
    with pytest.raises(InfeasibleError, match="fill 3 clusters"):
        method(3).fit(X, constraints=Constraints(150, groups=[0] * 75 + [1] * 75))


@every
def test_one_object(method):
    mixture = method(1, **QUIET).fit([[1.0, 2.0]])
    assert mixture.labels_.tolist() == [0]
    assert mixture.means_ == pytest.approx(np.array([[1, 2]]))


@every
def test_one_cluster(method):
    mixture = method(1, **QUIET).fit(X, constraints=Constraints(150, must_link=[(0, 1), (5, 9)]))
    assert mixture.means_[0] == pytest.approx(X.mean(axis=0), rel=0.2)
    assert (mixture.membership_ == 1).all()
    assert mixture.n_clusters_ == 1


@every
def test_as_many_clusters_as_objects(method):
    data = np.arange(4.0)[:, None] * 10
    mixture = method(4, n_init=1, **QUIET).fit(data)
    assert sorted(mixture.labels_.tolist()) == [0, 1, 2, 3]


@every
@pytest.mark.parametrize("kind", KINDS)
def test_duplicates_and_constant_columns(method, kind):
    data = np.column_stack([np.repeat([0.0, 5.0], 10), np.ones(20)])
    mixture = method(3, covariance_type=kind, n_init=2, **QUIET)
    mixture.fit(data, constraints=Constraints(20, cannot_link=[(0, 1)]))
    assert np.isfinite(mixture.means_).all()
    assert mixture.labels_[0] != mixture.labels_[1]


@every
def test_no_spread_and_no_reg_covar(method):
    with pytest.raises(ValueError, match="raise reg_covar"):
        method(1, reg_covar=0, **QUIET).fit(np.zeros((5, 2)))


@every
def test_all_labels_known(method):
    mixture = method(3, n_init=3, **QUIET).fit(X, constraints=Constraints.from_labels(y))
    assert adjusted_rand_score(y, mixture.labels_) == 1
    for label in range(3):
        mean = mixture.means_[mixture.labels_[y == label][0]]
        assert mean == pytest.approx(X[y == label].mean(axis=0))


@every
def test_known_labels_of_ten_classes(method):
    data, truth = make_blobs(200, 5, centers=10, cluster_std=2.0, random_state=0)
    known = np.where(np.arange(200) < 60, truth, -1)
    mixture = method(10, covariance_type="diag", n_init=2, **QUIET).fit(
        data, constraints=Constraints.from_labels(known)
    )
    assert mixture.violations_.count == 0
    assert mixture.inference_["loopy"] == 0


@every
@pytest.mark.parametrize("n_pairs", [8_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_many_pairs(method, n_pairs):
    data, truth = make_blobs(6 * n_pairs // 10, 2, centers=3, random_state=0)
    known = random_pairs(truth, n_pairs, random_state=0)
    options = dict(eta=2.0) if method is MeanFieldMixture else {}
    mixture = method(3, n_init=1, max_iter=5, **options, **QUIET)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mixture.fit(data, constraints=known)
    assert mixture.violations_.count == 0
    assert adjusted_rand_score(truth, mixture.labels_) > 0.9


@every
def test_warns_if_it_has_not_converged(method):
    with pytest.warns(ConvergenceWarning, match="raise max_iter"):
        method(3, max_iter=1, n_init=1, **QUIET).fit(X)


@every
def test_unknown_feasibility_is_a_warning(method, monkeypatch):
    unknown = Feasibility("unknown", 3, "a hard case")
    monkeypatch.setattr(Constraints, "check", lambda *given, **how: unknown)
    known = random_pairs(y, 30, random_state=0)
    with pytest.warns(UserWarning, match="a hard case"):
        mixture = method(3, n_init=1, **QUIET).fit(X, constraints=known)
    assert mixture.violations_.count == 0


def test_no_labels_found_where_it_was_unknown():
    everybody = Constraints(4, cannot_link=[(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]).closure()
    network = Network(everybody, 3, None)
    with pytest.raises(NoFeasibleAssignmentError, match="4 chunklets"):
        network._repair(np.arange(4), np.zeros((4, 3)), np.zeros(4, dtype=np.int64))
